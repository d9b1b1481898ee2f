//! CommandComplete: a statement is done. Its tag is a tripwire: the tag of a write must never come.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// Reads the tag, such as `SELECT 5`.
///
/// # Errors
/// The body does not read as its type says.
pub fn command_tag(body: &[u8]) -> Result<&str, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let tag = reader.text()?;
    reader.finish()?;
    tag.utf8()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        assert_eq!(command_tag(b"SELECT 5\0"), Ok("SELECT 5"));
        assert_eq!(command_tag(b"\0"), Ok(""));
        check_ends(b"INSERT 0 1\0", |body| command_tag(body).is_ok());
        assert_eq!(
            command_tag(b"SELECT\0DELETE\0"),
            Err(MalformedMessage::Leftover { bytes: 7 })
        );
        assert_eq!(command_tag(b"\xff\0"), Err(MalformedMessage::NotUtf8));
    }
}
