//! PasswordMessage, SASLInitialResponse and SASLResponse: they share the type `p`, so what a frame
//! means depends on what the client was asked.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// The answer to a request for a password. It may be empty, which no login accepts.
///
/// # Errors
/// The body does not read as its type says.
pub fn password(body: &[u8]) -> Result<&str, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let password = reader.text()?;
    reader.finish()?;
    password.utf8()
}

/// The chosen SASL mechanism, and its first message where it has one.
///
/// # Errors
/// The body does not read as its type says.
pub fn sasl_initial(body: &[u8]) -> Result<(&str, Option<&[u8]>), MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let mechanism = reader.text()?;
    let data = reader.value()?;
    reader.finish()?;
    Ok((mechanism.utf8()?, data))
}

/// A further SASL message: the whole body, whatever the mechanism makes of it.
pub const fn sasl_response(body: &[u8]) -> &[u8] {
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameCut, ProtocolPhase, cut_frontend};

    #[test]
    fn frames_are_awaited_to_the_last_byte() {
        let bytes = b"p\0\0\0\x07pw\0";
        for end in 0..bytes.len() {
            let needed = if end < 5 { 5 } else { bytes.len() };
            let cut = cut_frontend(&bytes[..end], ProtocolPhase::Login);
            assert_eq!(cut, Ok(FrameCut::Partial { needed }), "cut at {end}");
        }
        let Ok(FrameCut::Whole(frame)) = cut_frontend(bytes, ProtocolPhase::Login) else {
            panic!("whole")
        };
        assert_eq!(password(frame.body), Ok("pw"));
    }

    #[test]
    fn golden() {
        assert_eq!(password(b"secret\0"), Ok("secret"));
        assert_eq!(password(b"\0"), Ok(""));
        assert_eq!(
            sasl_initial(b"SCRAM-SHA-256\0\0\0\0\x05n,,n="),
            Ok(("SCRAM-SHA-256", Some(&b"n,,n="[..])))
        );
        assert_eq!(sasl_initial(b"X\0\xff\xff\xff\xff"), Ok(("X", None)));
        assert_eq!(sasl_initial(b"X\0\0\0\0\0"), Ok(("X", Some(&b""[..]))));
        assert_eq!(sasl_response(b"c=biws"), b"c=biws");
    }

    /// The decoder of pgwire 0.42 panics on this one.
    #[test]
    fn an_empty_password_frame_is_refused() {
        assert_eq!(password(b""), Err(MalformedMessage::Unterminated));
        assert_eq!(sasl_initial(b""), Err(MalformedMessage::Unterminated));
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(password(b"secret"), Err(MalformedMessage::Unterminated));
        assert_eq!(
            password(b"a\0b\0"),
            Err(MalformedMessage::Leftover { bytes: 2 })
        );
        assert_eq!(password(b"\xff\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(sasl_initial(b"X\0\0\0\0"), Err(MalformedMessage::Short));
        assert_eq!(
            sasl_initial(b"X\0\0\0\0\x02a"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            sasl_initial(b"X\0\0\0\0\0a"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
        assert_eq!(
            sasl_initial(b"X\0\xff\xff\xff\xfe"),
            Err(MalformedMessage::ValueLength { length: -2 })
        );
        assert_eq!(
            sasl_initial(b"\xff\0\xff\xff\xff\xff"),
            Err(MalformedMessage::NotUtf8)
        );
    }
}
