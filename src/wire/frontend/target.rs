//! What Describe and Close speak of: a prepared statement or a portal, by name.

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A statement or portal; an empty name is the unnamed one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StatementOrPortal<'a> {
    /// A prepared statement.
    Statement(&'a str),
    /// A portal.
    Portal(&'a str),
}

pub(super) fn decode(body: &[u8]) -> Result<StatementOrPortal<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let kind = reader.u8()?;
    let name = reader.text()?;
    reader.finish()?;
    match kind {
        b'S' => name.utf8().map(StatementOrPortal::Statement),
        b'P' => name.utf8().map(StatementOrPortal::Portal),
        kind => Err(MalformedMessage::Target { kind }),
    }
}

/// The name is the client's: it is not shown.
impl fmt::Debug for StatementOrPortal<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Statement(_) => "Statement(…)",
            Self::Portal(_) => "Portal(…)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_neither_statement_nor_portal() {
        assert_eq!(decode(b"s\0"), Err(MalformedMessage::Target { kind: b's' }));
        assert_eq!(decode(b"\0\0"), Err(MalformedMessage::Target { kind: 0 }));
        assert_eq!(decode(b"S"), Err(MalformedMessage::Unterminated));
        assert_eq!(decode(b""), Err(MalformedMessage::Short));
        assert_eq!(
            decode(b"Sa\0b\0"),
            Err(MalformedMessage::Leftover { bytes: 2 })
        );
        assert_eq!(decode(b"S\xff\0"), Err(MalformedMessage::NotUtf8));
        // A frame that is wrong in two ways is wrong in the way that ends the connection.
        assert_eq!(
            decode(b"x\xff\0"),
            Err(MalformedMessage::Target { kind: b'x' })
        );
    }
}
