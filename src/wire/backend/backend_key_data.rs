//! BackendKeyData: what a cancel request for this session must say.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;
use crate::startup::checked_secret;

/// Reads the process id and the key: four bytes in protocol 3.0, up to 256 in 3.2.
///
/// # Errors
/// The body does not read as its type says.
pub fn backend_key_data(body: &[u8]) -> Result<(i32, &[u8]), MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let pid = reader.i32()?;
    Ok((pid, checked_secret(reader.rest())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        assert_eq!(
            backend_key_data(b"\0\0\x04\xd2abcd"),
            Ok((1234, &b"abcd"[..]))
        );
        let long = [&b"\0\0\0\x01"[..], &[7; 256]].concat();
        assert_eq!(backend_key_data(&long), Ok((1, &[7; 256][..])));
    }

    #[test]
    fn refuses_keys_of_other_lengths() {
        assert_eq!(backend_key_data(b"\0\0\0"), Err(MalformedMessage::Short));
        assert_eq!(
            backend_key_data(b"\0\0\0\x01abc"),
            Err(MalformedMessage::SecretLength { bytes: 3 })
        );
        let long = [&b"\0\0\0\x01"[..], &[7; 257]].concat();
        assert_eq!(
            backend_key_data(&long),
            Err(MalformedMessage::SecretLength { bytes: 257 })
        );
    }
}
