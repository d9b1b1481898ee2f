//! Authentication requests to a client.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::startup::Authentication;

use super::{EncodeError, item, put};

/// The login is done.
pub fn authentication_ok(out: &mut BytesMut) {
    out.put_slice(b"R\0\0\0\x08\0\0\0\0");
}

/// Asks for the password itself.
pub fn authentication_cleartext(out: &mut BytesMut) {
    out.put_slice(b"R\0\0\0\x08\0\0\0\x03");
}

/// Offers SASL mechanisms, the preferred one first.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn authentication_sasl(out: &mut BytesMut, mechanisms: &[&str]) -> Result<(), EncodeError> {
    let mechanisms = mechanisms.iter().map(|name| item(name).map(str::to_owned));
    put(
        out,
        &Authentication::SASL(mechanisms.collect::<Result<_, _>>()?),
    )
}

/// A SASL challenge.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn authentication_sasl_continue(out: &mut BytesMut, data: &[u8]) -> Result<(), EncodeError> {
    put(
        out,
        &Authentication::SASLContinue(Bytes::copy_from_slice(data)),
    )
}

/// The last word of SASL.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn authentication_sasl_final(out: &mut BytesMut, data: &[u8]) -> Result<(), EncodeError> {
    put(
        out,
        &Authentication::SASLFinal(Bytes::copy_from_slice(data)),
    )
}

#[cfg(test)]
mod tests {
    use pgwire::messages::Message;

    use super::*;
    use crate::backend::{self, Authentication as Read};
    use crate::encode::{unwritten, written};

    #[test]
    fn fixed_messages_are_what_pgwire_writes() {
        for (ours, theirs) in [
            (written(authentication_ok), Authentication::Ok),
            (
                written(authentication_cleartext),
                Authentication::CleartextPassword,
            ),
        ] {
            let mut expected = BytesMut::new();
            theirs.encode(&mut expected).expect("pgwire writes it");
            assert_eq!(ours, expected);
        }
    }

    #[test]
    fn requests_are_read_back() {
        check(&written(authentication_ok), Read::Ok);
        check(&written(authentication_cleartext), Read::CleartextPassword);
        check(
            &fine(|out| authentication_sasl(out, &["A", "B"])),
            Read::Sasl(vec!["A", "B"]),
        );
        check(
            &fine(|out| authentication_sasl_continue(out, b"r=")),
            Read::SaslContinue(b"r="),
        );
        check(
            &fine(|out| authentication_sasl_final(out, b"v=")),
            Read::SaslFinal(b"v="),
        );
    }

    #[test]
    fn a_list_does_not_end_early() {
        let cause = unwritten(|out| authentication_sasl(out, &["A", "", "B"]));
        assert_eq!(cause, EncodeError::StringEndsEarly);
    }

    fn check(out: &[u8], expected: Read<'_>) {
        assert_eq!(out[0], b'R');
        assert_eq!(
            &out[1..5],
            u32::try_from(out.len() - 1).expect("small").to_be_bytes()
        );
        assert_eq!(backend::authentication(&out[5..]), Ok(expected));
    }

    fn fine(write: impl FnOnce(&mut BytesMut) -> Result<(), EncodeError>) -> BytesMut {
        written(|out| write(out).expect("can be said"))
    }
}
