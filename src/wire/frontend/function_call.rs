//! FunctionCall: a function by its oid, past the parser. It is read only to be refused in order.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use super::bind;
use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

pub(super) fn decode(body: &[u8]) -> Result<(), MalformedMessage> {
    let mut reader = MessageReader::new(body);
    reader.i32()?;
    bind::values(&mut reader)?;
    bind::format(&mut reader)?;
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    #[test]
    fn golden() {
        check(
            b"F\0\0\0\x0e\0\0\x03\xbb\0\0\0\0\0\0",
            FrontendMessage::FunctionCall,
        );
        check(
            b"F\0\0\0\x15\0\0\x03\xbb\0\x01\0\x01\0\x01\0\0\0\x01x\0\x01",
            FrontendMessage::FunctionCall,
        );
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(
            decode(b"\0\0\0\x01\0\0\0\x01\0\0\0\x09\0\0"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            decode(b"\0\0\0\x01\0\0\0\0\0\x07"),
            Err(MalformedMessage::FormatCode { code: 7 })
        );
    }
}
