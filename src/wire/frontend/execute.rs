//! Execute: run a portal.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A portal to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Execute<'a> {
    /// The name of the portal; empty for the unnamed one.
    pub portal: &'a str,
    /// Rows before it is suspended; zero or less means all, as in Postgres.
    pub rows_max: i32,
}

pub(super) fn decode(body: &[u8]) -> Result<Execute<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let portal = reader.text()?;
    let rows_max = reader.i32()?;
    reader.finish()?;
    Ok(Execute {
        portal: portal.utf8()?,
        rows_max,
    })
}

/// The name is the client's: it is not shown.
impl fmt::Debug for Execute<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Execute")
            .field("rows_max", &self.rows_max)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    #[test]
    fn golden() {
        check(b"E\0\0\0\x09\0\0\0\0\0", execute("", 0));
        check(b"E\0\0\0\x0bc1\0\0\0\0\x64", execute("c1", 100));
        check(b"E\0\0\0\x09\0\xff\xff\xff\xff", execute("", -1));
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(decode(b"\0\0\0\0"), Err(MalformedMessage::Short));
        assert_eq!(
            decode(b"\0\0\0\0\0\0"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
        assert_eq!(decode(b"abc"), Err(MalformedMessage::Unterminated));
        assert_eq!(decode(b"\xff\0\0\0\0\0"), Err(MalformedMessage::NotUtf8));
    }

    fn execute(portal: &str, rows_max: i32) -> FrontendMessage<'_> {
        FrontendMessage::Execute(Execute { portal, rows_max })
    }
}
