//! CopyData, CopyDone and CopyFail. No COPY into the database ever starts here, so they are read
//! only to be skipped or refused in order; CopyData is any bytes, and CopyDone has none.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::wire::malformed::Malformed;
use crate::wire::reader::Reader;

pub(super) fn decode_fail(body: &[u8]) -> Result<(), Malformed> {
    let mut reader = Reader::new(body);
    let reason = reader.text()?;
    reader.finish()?;
    reason.utf8().map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frontend::Frontend;
    use crate::wire::message_laws::{check, check_opaque};

    #[test]
    fn golden() {
        check(b"f\0\0\0\x09oops\0", Frontend::CopyFail);
        check(b"f\0\0\0\x05\0", Frontend::CopyFail);
        check_opaque(b"d\0\0\0\x08a\0\xff\n", Frontend::CopyData);
        check_opaque(b"d\0\0\0\x04", Frontend::CopyData);
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(decode_fail(b"oops"), Err(Malformed::Unterminated));
        assert_eq!(
            decode_fail(b"oops\0\0"),
            Err(Malformed::Leftover { bytes: 1 })
        );
        assert_eq!(decode_fail(b"\xff\0"), Err(Malformed::NotUtf8));
    }
}
