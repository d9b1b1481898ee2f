//! ErrorResponse and NoticeResponse: fields, each a byte that says which and a string.
//!
//! They quote literals of the statement: they go to the client and nowhere else.
//!
//! <https://www.postgresql.org/docs/current/protocol-error-fields.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// The fields of one error or notice. Their bytes are kept as sent: before a login is done a
/// server may write in any encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ResponseFields<'a> {
    /// Checked once: whole fields and a terminator.
    body: &'a [u8],
}

impl<'a> ResponseFields<'a> {
    /// The first field of this kind, such as `b'C'`, when it is UTF-8.
    pub fn get(self, kind: u8) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(kind)?).ok()
    }

    /// The bytes of the first field of this kind.
    pub fn bytes(self, kind: u8) -> Option<&'a [u8]> {
        self.iter()
            .find(|(known, _)| *known == kind)
            .map(|(_, value)| value)
    }

    /// The condition, when it is one: five digits or capitals, so it may be logged.
    pub fn sqlstate(self) -> Option<&'a str> {
        let letter = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        self.get(b'C')
            .filter(|code| code.len() == 5 && code.bytes().all(letter))
    }

    /// `ERROR`, `FATAL` and so on: the untranslated field, or where a server before 9.6 does not
    /// send it, the translated one.
    pub fn severity(self) -> Option<&'a str> {
        self.get(b'V').or_else(|| self.get(b'S'))
    }

    /// Each field in the order sent.
    pub fn iter(self) -> impl Iterator<Item = (u8, &'a [u8])> {
        let mut reader = MessageReader::new(self.body);
        std::iter::from_fn(move || match reader.u8() {
            Ok(0) | Err(_) => None,
            Ok(kind) => reader.string_bytes().ok().map(|value| (kind, value)),
        })
    }
}

/// Reads an ErrorResponse or a NoticeResponse.
///
/// # Errors
/// The body does not read as its type says.
pub fn error_fields(body: &[u8]) -> Result<ResponseFields<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    while reader.u8()? != 0 {
        reader.string_bytes()?;
    }
    reader.finish()?;
    Ok(ResponseFields { body })
}

/// The fields quote statements: only the condition is shown.
impl fmt::Debug for ResponseFields<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Fields")
            .field("sqlstate", &self.sqlstate())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    const SAMPLE: &[u8] = b"SFEHLER\0VERROR\0C42703\0Mcanary\0\0";

    #[test]
    fn golden() {
        let fields = error_fields(SAMPLE).expect("sound");
        assert_eq!(fields.severity(), Some("ERROR"));
        assert_eq!(fields.sqlstate(), Some("42703"));
        assert_eq!(fields.get(b'M'), Some("canary"));
        assert_eq!(fields.get(b'H'), None);
        assert_eq!(fields.iter().count(), 4);
        check_ends(SAMPLE, |body| error_fields(body).is_ok());
        assert_eq!(
            error_fields(b"\0").map(|fields| fields.iter().count()),
            Ok(0)
        );
    }

    #[test]
    fn older_servers_have_one_severity() {
        assert_eq!(
            error_fields(b"SFATAL\0\0").map(ResponseFields::severity),
            Ok(Some("FATAL"))
        );
    }

    #[test]
    fn what_is_no_condition_is_not_shown_as_one() {
        for body in [
            &b"Ccanary\0\0"[..],
            b"C4270\0\0",
            b"Cabcde\0\0",
            b"C\0\0",
            b"\0",
        ] {
            assert_eq!(error_fields(body).map(ResponseFields::sqlstate), Ok(None));
        }
    }

    #[test]
    fn bytes_of_any_encoding_are_kept() {
        let fields = error_fields(b"M\xe4\0\0").expect("sound");
        assert_eq!(
            (fields.get(b'M'), fields.bytes(b'M')),
            (None, Some(&b"\xe4"[..]))
        );
    }

    #[test]
    fn debug_shows_no_text() {
        let shown = format!("{:?}", error_fields(SAMPLE));
        assert!(
            shown.contains("42703") && !shown.contains("canary"),
            "{shown}"
        );
    }
}
