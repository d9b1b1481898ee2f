//! The first packet of a connection, which has no type byte: a wish for TLS or GSS, a cancel
//! request, or the StartupMessage.
//!
//! After `Ssl` and `GssEnc` the caller must find its buffer empty before it answers: bytes behind
//! them would have been sent in clear by someone else.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use super::malformed::MalformedMessage;
use super::reader::MessageReader;
use ground::limits;

/// What a client asks for first.
#[derive(Clone, PartialEq, Eq)]
pub enum FirstPacket<'a> {
    /// SSLRequest.
    Ssl,
    /// GSSENCRequest.
    GssEnc,
    /// CancelRequest.
    Cancel {
        /// The process id that BackendKeyData named.
        pid: i32,
        /// The key that came with it, 4 to 256 bytes.
        secret: &'a [u8],
    },
    /// StartupMessage.
    Startup(StartupMessage<'a>),
}

/// A protocol version as it stands in a StartupMessage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtocolVersion {
    /// Always 3 in a [`StartupMessage`].
    pub major: u16,
    /// Any number: what is too new is negotiated down.
    pub minor: u16,
}

impl ProtocolVersion {
    /// The version with cancel keys of four bytes.
    pub const V3_0: Self = Self { major: 3, minor: 0 };
    /// The version with cancel keys of up to 256 bytes.
    pub const V3_2: Self = Self { major: 3, minor: 2 };
}

/// A StartupMessage of protocol 3.
#[derive(Clone, PartialEq, Eq)]
pub struct StartupMessage<'a> {
    /// The version asked for.
    pub version: ProtocolVersion,
    /// Names and values in the order sent; no name is empty, none is there twice.
    pub parameters: Vec<(&'a str, &'a str)>,
}

/// Cuts the first packet off the front of `buffer`, with the number of bytes it took; `None` when
/// it is not all there.
///
/// # Errors
/// It is no startup packet, or longer than one may be.
pub fn cut_first(buffer: &[u8]) -> Result<Option<(FirstPacket<'_>, usize)>, MalformedMessage> {
    let Some((word, after)) = buffer.split_first_chunk() else {
        return Ok(None);
    };
    let length = i32::from_be_bytes(*word);
    if !(LENGTH_MIN..=LENGTH_MAX).contains(&length) {
        return Err(MalformedMessage::FirstPacketLength { length });
    }
    let total =
        usize::try_from(length).map_err(|_| MalformedMessage::FirstPacketLength { length })?;
    let Some(body) = after.get(..total.saturating_sub(word.len())) else {
        return Ok(None);
    };
    decode(MessageReader::new(body), length).map(|packet| Some((packet, total)))
}

/// Parameters may name passwords and cancel keys are secrets: only sizes may be shown.
impl fmt::Debug for FirstPacket<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ssl => to.write_str("Ssl"),
            Self::GssEnc => to.write_str("GssEnc"),
            Self::Cancel { pid, .. } => to.debug_struct("Cancel").field("pid", pid).finish(),
            Self::Startup(startup) => startup.fmt(to),
        }
    }
}

impl fmt::Debug for StartupMessage<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Startup")
            .field("version", &self.version)
            .field("parameters", &self.parameters.len())
            .finish()
    }
}

fn decode(mut reader: MessageReader<'_>, length: i32) -> Result<FirstPacket<'_>, MalformedMessage> {
    let version = ProtocolVersion {
        major: reader.u16()?,
        minor: reader.u16()?,
    };
    match (version.major, version.minor) {
        (MAJOR_OF_REQUESTS, MINOR_OF_SSL) => bare(reader, length, FirstPacket::Ssl),
        (MAJOR_OF_REQUESTS, MINOR_OF_GSSENC) => bare(reader, length, FirstPacket::GssEnc),
        (MAJOR_OF_REQUESTS, MINOR_OF_CANCEL) => {
            let pid = reader.i32()?;
            let secret = checked_secret(reader.rest())?;
            Ok(FirstPacket::Cancel { pid, secret })
        }
        (3, _) => Ok(FirstPacket::Startup(StartupMessage {
            version,
            parameters: pairs(reader)?,
        })),
        (major, minor) => Err(MalformedMessage::UnsupportedProtocol { major, minor }),
    }
}

fn bare<'a>(
    reader: MessageReader<'_>,
    length: i32,
    packet: FirstPacket<'a>,
) -> Result<FirstPacket<'a>, MalformedMessage> {
    reader
        .finish()
        .map(|()| packet)
        .map_err(|_| MalformedMessage::FirstPacketLength { length })
}

/// A cancel key of a length that the protocol knows.
pub(super) fn checked_secret(secret: &[u8]) -> Result<&[u8], MalformedMessage> {
    match secret.len() {
        limits::CANCEL_SECRET_BYTES_MIN..=limits::CANCEL_SECRET_BYTES_MAX => Ok(secret),
        bytes => Err(MalformedMessage::SecretLength { bytes }),
    }
}

/// Name and value strings up to an empty name, which must be the last byte of the packet.
fn pairs(mut reader: MessageReader<'_>) -> Result<Vec<(&str, &str)>, MalformedMessage> {
    let mut parameters = Vec::new();
    loop {
        let name = reader
            .text()
            .map_err(|_| MalformedMessage::StartupLayout)?
            .utf8()?;
        if name.is_empty() {
            reader
                .finish()
                .map_err(|_| MalformedMessage::StartupLayout)?;
            return Ok(parameters);
        }
        let value = reader
            .text()
            .map_err(|_| MalformedMessage::StartupLayout)?
            .utf8()?;
        if parameters.len() >= limits::STARTUP_PARAMETERS_MAX {
            return Err(MalformedMessage::TooManyParameters);
        }
        if parameters.iter().any(|(known, _)| *known == name) {
            return Err(MalformedMessage::RepeatedParameter);
        }
        parameters.push((name, value));
    }
}

const LENGTH_MIN: i32 = 8;
/// Postgres compares what follows the length word.
const LENGTH_MAX: i32 = 4 + limits::FIRST_PACKET_BYTES_MAX;

/// The requests that are no StartupMessage say they are version 1234.
pub(super) const MAJOR_OF_REQUESTS: u16 = 1234;
/// The low half of the code of a CancelRequest.
pub(super) const MINOR_OF_CANCEL: u16 = 5678;
/// The low half of the code of an SSLRequest.
pub(super) const MINOR_OF_SSL: u16 = 5679;
/// The low half of the code of a GSSENCRequest.
pub(super) const MINOR_OF_GSSENC: u16 = 5680;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        check(b"\0\0\0\x08\x04\xd2\x16\x2f", FirstPacket::Ssl);
        check(b"\0\0\0\x08\x04\xd2\x16\x30", FirstPacket::GssEnc);
        check(
            b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\x04\xd2abcd",
            FirstPacket::Cancel {
                pid: 1234,
                secret: b"abcd",
            },
        );
        check(
            b"\0\0\0\x1c\0\x03\0\0user\0me\0database\0d\0\0",
            startup(0, vec![("user", "me"), ("database", "d")]),
        );
        check(b"\0\0\0\x09\0\x03\0\x02\0", startup(2, vec![]));
        check(
            b"\0\0\0\x0c\0\x03\x27\x0fa\0\0\0",
            startup(9999, vec![("a", "")]),
        );
    }

    #[test]
    fn keys_of_a_cancel_have_4_to_256_bytes() {
        for bytes in [0, 3, 257, 300] {
            assert_eq!(
                read(&cancel(bytes)),
                Err(MalformedMessage::SecretLength { bytes })
            );
        }
        let longest = cancel(256);
        check(
            &longest,
            FirstPacket::Cancel {
                pid: 0,
                secret: &longest[12..],
            },
        );
        assert_eq!(
            read(&packet(b"\x04\xd2\x16\x2e\0\0\0")),
            Err(MalformedMessage::Short)
        );
    }

    #[test]
    fn lengths_that_lie() {
        for length in [0, 1, 4, 7, -1, i32::MIN, 10_005, i32::MAX, 0x1603_0100] {
            let lie = length.to_be_bytes();
            assert_eq!(
                cut_first(&lie),
                Err(MalformedMessage::FirstPacketLength { length })
            );
        }
        assert_eq!(cut_first(&10_004_i32.to_be_bytes()), Ok(None));
    }

    #[test]
    fn layouts_that_lie() {
        for body in [
            &b"\0\x03\0\0"[..],
            b"\0\x03\0\0a",
            b"\0\x03\0\0a\0",
            b"\0\x03\0\0a\0b",
            b"\0\x03\0\0a\0b\0",
            b"\0\x03\0\0\0\0",
            b"\0\x03\0\0a\0b\0\0\0",
            b"\0\x03\0\0\0a\0b\0\0",
        ] {
            assert_eq!(
                read(&packet(body)),
                Err(MalformedMessage::StartupLayout),
                "{body:?}"
            );
        }
        assert_eq!(
            read(&packet(b"\0\x03\0\0a\0\xff\0\0")),
            Err(MalformedMessage::NotUtf8)
        );
        assert_eq!(
            read(&packet(b"\0\x03\0\0\xff\0a\0\0")),
            Err(MalformedMessage::NotUtf8)
        );
        let twice = packet(b"\0\x03\0\0a\0b\0a\0c\0\0");
        assert_eq!(read(&twice), Err(MalformedMessage::RepeatedParameter));
        for request in [b"\x04\xd2\x16\x2f\0", b"\x04\xd2\x16\x30x"] {
            assert_eq!(
                read(&packet(request)),
                Err(MalformedMessage::FirstPacketLength { length: 9 })
            );
        }
    }

    #[test]
    fn other_protocols_are_refused() {
        for (body, major, minor) in [
            (b"\0\x02\0\0", 2, 0),
            (b"\0\x04\0\0", 4, 0),
            (b"\0\0\0\0", 0, 0),
            (b"\x04\xd2\x16\x31", 1234, 5681),
        ] {
            assert_eq!(
                read(&packet(body)),
                Err(MalformedMessage::UnsupportedProtocol { major, minor })
            );
        }
    }

    #[test]
    fn parameters_are_bounded() {
        let many = |count: usize| {
            let pairs: String = (0..count).map(|number| format!("{number}\0\0")).collect();
            packet(&[b"\0\x03\0\0", pairs.as_bytes(), b"\0"].concat())
        };
        assert!(read(&many(limits::STARTUP_PARAMETERS_MAX)).is_ok());
        let over = many(limits::STARTUP_PARAMETERS_MAX + 1);
        assert_eq!(read(&over), Err(MalformedMessage::TooManyParameters));
    }

    #[test]
    fn debug_shows_no_secret() {
        let shown = format!("{:?}", startup(0, vec![("user", "canary")]));
        assert!(!shown.contains("canary"), "{shown}");
        let shown = format!(
            "{:?}",
            FirstPacket::Cancel {
                pid: 1,
                secret: b"cccc"
            }
        );
        assert_eq!(shown, "Cancel { pid: 1 }");
    }

    /// Read whole, awaited at every cut, and not disturbed by what follows.
    fn check(bytes: &[u8], expected: FirstPacket<'_>) {
        for end in 0..bytes.len() {
            assert_eq!(cut_first(&bytes[..end]), Ok(None), "cut at {end}");
        }
        for followed in [bytes, &[bytes, b"Q\0\0\0\x05\0"].concat()] {
            assert_eq!(
                cut_first(followed),
                Ok(Some((expected.clone(), bytes.len())))
            );
        }
    }

    fn read(bytes: &[u8]) -> Result<FirstPacket<'_>, MalformedMessage> {
        cut_first(bytes).map(|cut| cut.expect("whole").0)
    }

    fn startup<'a>(minor: u16, parameters: Vec<(&'a str, &'a str)>) -> FirstPacket<'a> {
        FirstPacket::Startup(StartupMessage {
            version: ProtocolVersion { major: 3, minor },
            parameters,
        })
    }

    fn cancel(secret_bytes: usize) -> Vec<u8> {
        packet(&[&b"\x04\xd2\x16\x2e\0\0\0\0"[..], &vec![7; secret_bytes]].concat())
    }

    fn packet(body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).expect("small");
        [&length.to_be_bytes(), body].concat()
    }
}
