//! ParameterStatus: a reported setting has this value now.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// Reads name and value.
///
/// # Errors
/// The body does not read as its type says.
pub fn parameter_status(body: &[u8]) -> Result<(&str, &str), MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let name = reader.text()?;
    let value = reader.text()?;
    reader.finish()?;
    Ok((name.utf8()?, value.utf8()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        assert_eq!(
            parameter_status(b"in_hot_standby\0off\0"),
            Ok(("in_hot_standby", "off"))
        );
        assert_eq!(
            parameter_status(b"application_name\0\0"),
            Ok(("application_name", ""))
        );
        check_ends(b"TimeZone\0UTC\0", |body| parameter_status(body).is_ok());
        assert_eq!(
            parameter_status(b"a\0\xff\0"),
            Err(MalformedMessage::NotUtf8)
        );
    }
}
