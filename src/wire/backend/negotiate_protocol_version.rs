//! NegotiateProtocolVersion: the upstream is older than the version asked for, or does not know
//! some `_pq_.` options.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;
use crate::startup::ProtocolVersion;

/// What the upstream offers instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NegotiateProtocolVersion<'a> {
    /// The newest version it speaks.
    pub newest: ProtocolVersion,
    /// The options it does not know.
    pub unrecognised: Vec<&'a str>,
}

/// Reads it. Postgres writes the whole version where the documentation speaks of a minor number;
/// both are understood.
///
/// # Errors
/// The body does not read as its type says.
pub fn negotiate_protocol_version(
    body: &[u8],
) -> Result<NegotiateProtocolVersion<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let newest = match (reader.u16()?, reader.u16()?) {
        (0 | 3, minor) => ProtocolVersion { major: 3, minor },
        (major, minor) => return Err(MalformedMessage::UnsupportedProtocol { major, minor }),
    };
    let count = reader.i32()?;
    if count < 0 {
        return Err(MalformedMessage::Count { count });
    }
    // Nothing is reserved for a count that only claims: each turn takes bytes of the frame or ends.
    let mut unrecognised = Vec::new();
    for _ in 0..count {
        unrecognised.push(reader.text()?.utf8()?);
    }
    reader.finish()?;
    Ok(NegotiateProtocolVersion {
        newest,
        unrecognised,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        let body = b"\0\x03\0\0\0\0\0\x01_pq_.x\0";
        let newest = ProtocolVersion::V3_0;
        assert_eq!(
            negotiate_protocol_version(body),
            Ok(NegotiateProtocolVersion {
                newest,
                unrecognised: vec!["_pq_.x"]
            })
        );
        check_ends(body, |body| negotiate_protocol_version(body).is_ok());
        assert_eq!(
            negotiate_protocol_version(b"\0\0\0\x02\0\0\0\0"),
            Ok(NegotiateProtocolVersion {
                newest: ProtocolVersion::V3_2,
                unrecognised: vec![]
            })
        );
    }

    #[test]
    fn refuses_counts_that_lie() {
        let read = |body| negotiate_protocol_version(body).map(|_| ());
        assert_eq!(
            read(b"\0\x03\0\0\xff\xff\xff\xff"),
            Err(MalformedMessage::Count { count: -1 })
        );
        assert_eq!(
            read(b"\0\x03\0\0\x7f\xff\xff\xff"),
            Err(MalformedMessage::Unterminated)
        );
        assert_eq!(
            read(b"\0\x02\0\0\0\0\0\0"),
            Err(MalformedMessage::UnsupportedProtocol { major: 2, minor: 0 })
        );
    }
}
