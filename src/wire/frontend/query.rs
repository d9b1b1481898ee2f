//! Query: a text to run in the simple protocol.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A text to run; it holds no NUL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Query<'a> {
    /// The text exactly as sent.
    pub text: &'a str,
}

/// Exactly one NUL, and it is the last byte.
pub(super) fn decode(body: &[u8]) -> Result<Query<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let text = reader.text()?;
    reader.finish()?;
    Ok(Query { text: text.utf8()? })
}

/// The text is the client's: only its size may be shown.
impl fmt::Debug for Query<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Query")
            .field("text_bytes", &self.text.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    #[test]
    fn golden() {
        check(
            b"Q\0\0\0\x0dselect 1\0",
            FrontendMessage::Query(Query { text: "select 1" }),
        );
        check(b"Q\0\0\0\x05\0", FrontendMessage::Query(Query { text: "" }));
        check(
            b"Q\0\0\0\x07\xc3\xa9\0",
            FrontendMessage::Query(Query { text: "é" }),
        );
    }

    #[test]
    fn one_nul_and_it_is_the_last_byte() {
        assert_eq!(decode(b"select 1"), Err(MalformedMessage::Unterminated));
        assert_eq!(
            decode(b"a\0b\0"),
            Err(MalformedMessage::Leftover { bytes: 2 })
        );
        assert_eq!(
            decode(b"a\0\0"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
        assert_eq!(
            decode(b"\0Q\0\0\0\x05\0"),
            Err(MalformedMessage::Leftover { bytes: 6 })
        );
    }

    #[test]
    fn layout_is_judged_before_encoding() {
        assert_eq!(decode(b"\xff\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(decode(b"\xff"), Err(MalformedMessage::Unterminated));
        assert_eq!(
            decode(b"\xff\0x"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
        // A surrogate, an overlong slash and a cut-off sequence, which Postgres refuses as well.
        assert_eq!(decode(b"\xed\xa0\x80\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(decode(b"\xc0\xaf\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(decode(b"\xe2\x82\0"), Err(MalformedMessage::NotUtf8));
    }

    #[test]
    fn debug_shows_no_text() {
        assert_eq!(
            format!("{:?}", Query { text: "canary" }),
            "Query { text_bytes: 6 }"
        );
    }
}
