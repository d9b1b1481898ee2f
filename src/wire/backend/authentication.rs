//! Authentication: what the upstream wants to see of a login, or that it is content.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// One request of the login.
#[derive(Clone, PartialEq, Eq)]
pub enum Authentication<'a> {
    /// The login is done.
    Ok,
    /// The password itself.
    CleartextPassword,
    /// The password hashed with MD5 and this salt.
    Md5Password {
        /// Four bytes of the server.
        salt: [u8; 4],
    },
    /// One of these SASL mechanisms, at least one.
    Sasl(Vec<&'a str>),
    /// A SASL challenge.
    SaslContinue(&'a [u8]),
    /// The last word of SASL, which proves the server.
    SaslFinal(&'a [u8]),
    /// Kerberos, GSS, SSPI or something newer: pgsieve does not do it.
    Unsupported {
        /// Its code.
        code: i32,
    },
}

/// Reads it.
///
/// # Errors
/// The body does not read as its type says.
pub fn authentication(body: &[u8]) -> Result<Authentication<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    match reader.i32()? {
        0 => reader.finish().map(|()| Authentication::Ok),
        3 => reader.finish().map(|()| Authentication::CleartextPassword),
        5 => {
            let salt = reader.array()?;
            reader.finish()?;
            Ok(Authentication::Md5Password { salt })
        }
        CODE_SASL => mechanisms(reader).map(Authentication::Sasl),
        11 => Ok(Authentication::SaslContinue(reader.rest())),
        12 => Ok(Authentication::SaslFinal(reader.rest())),
        code => Ok(Authentication::Unsupported { code }),
    }
}

/// Salts and SASL messages are material of a login: they are not shown.
impl fmt::Debug for Authentication<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => to.write_str("Ok"),
            Self::CleartextPassword => to.write_str("CleartextPassword"),
            Self::Md5Password { .. } => to.write_str("Md5Password(…)"),
            Self::Sasl(mechanisms) => to.debug_tuple("Sasl").field(mechanisms).finish(),
            Self::SaslContinue(_) => to.write_str("SaslContinue(…)"),
            Self::SaslFinal(_) => to.write_str("SaslFinal(…)"),
            Self::Unsupported { code } => to.debug_tuple("Unsupported").field(code).finish(),
        }
    }
}

/// Names up to an empty one, which must be the last byte.
fn mechanisms(mut reader: MessageReader<'_>) -> Result<Vec<&str>, MalformedMessage> {
    let mut mechanisms = Vec::new();
    loop {
        let name = reader.text()?.utf8()?;
        if !name.is_empty() {
            mechanisms.push(name);
            continue;
        }
        reader.finish()?;
        return match mechanisms.is_empty() {
            false => Ok(mechanisms),
            true => Err(MalformedMessage::Authentication { code: CODE_SASL }),
        };
    }
}

const CODE_SASL: i32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        check(b"\0\0\0\0", Authentication::Ok);
        check(b"\0\0\0\x03", Authentication::CleartextPassword);
        check(
            b"\0\0\0\x05salt",
            Authentication::Md5Password { salt: *b"salt" },
        );
        check(
            b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0",
            Authentication::Sasl(vec!["SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"]),
        );
        assert_eq!(
            authentication(b"\0\0\0\x0br=x"),
            Ok(Authentication::SaslContinue(b"r=x"))
        );
        assert_eq!(
            authentication(b"\0\0\0\x0cv=x"),
            Ok(Authentication::SaslFinal(b"v=x"))
        );
        assert_eq!(
            authentication(b"\0\0\0\x07"),
            Ok(Authentication::Unsupported { code: 7 })
        );
    }

    #[test]
    fn refuses_other_layouts() {
        assert_eq!(
            authentication(b"\0\0\0\x0a\0"),
            Err(MalformedMessage::Authentication { code: CODE_SASL })
        );
        assert_eq!(
            authentication(b"\0\0\0\x0aX\0"),
            Err(MalformedMessage::Unterminated)
        );
        assert_eq!(
            authentication(b"\0\0\0\x0aX"),
            Err(MalformedMessage::Unterminated)
        );
        assert_eq!(authentication(b"\0\0\0"), Err(MalformedMessage::Short));
    }

    #[test]
    fn debug_shows_no_material() {
        assert!(!format!("{:?}", Authentication::SaslFinal(b"canary")).contains("99"));
    }

    fn check(body: &[u8], expected: Authentication<'_>) {
        assert_eq!(authentication(body), Ok(expected));
        check_ends(body, |body| authentication(body).is_ok());
    }
}
