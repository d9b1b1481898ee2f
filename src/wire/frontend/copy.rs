//! CopyData, CopyDone and CopyFail. No COPY into the database ever starts here, so they are read
//! only to be skipped or refused in order; CopyData is any bytes, and CopyDone has none.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

pub(super) fn decode_fail(body: &[u8]) -> Result<(), MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let reason = reader.text()?;
    reader.finish()?;
    reason.utf8().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::{check, check_opaque};

    #[test]
    fn golden() {
        check(b"f\0\0\0\x09oops\0", FrontendMessage::CopyFail);
        check(b"f\0\0\0\x05\0", FrontendMessage::CopyFail);
        check_opaque(b"d\0\0\0\x08a\0\xff\n", FrontendMessage::CopyData);
        check_opaque(b"d\0\0\0\x04", FrontendMessage::CopyData);
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(decode_fail(b"oops"), Err(MalformedMessage::Unterminated));
        assert_eq!(
            decode_fail(b"oops\0\0"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
        assert_eq!(decode_fail(b"\xff\0"), Err(MalformedMessage::NotUtf8));
    }
}
