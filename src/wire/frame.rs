//! Where one message ends: the type byte and the length word, checked before anything is awaited.
//!
//! The length word counts itself and not the type byte. A frame is never longer than the bound of
//! its type, so a peer that lies about a length cannot make the proxy wait for, or hold, more.
//! Nothing here allocates.
//!
//! <https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS>

use std::fmt;

use super::malformed::MalformedMessage;
use ground::limits;

/// One whole message of the client.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ClientFrame<'a> {
    /// The type byte.
    pub kind: u8,
    /// What follows the length word.
    pub body: &'a [u8],
    /// Type byte, length word and body, as received.
    pub bytes: &'a [u8],
}

/// What the front of a buffer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameCut<'a> {
    /// A whole message.
    Whole(ClientFrame<'a>),
    /// The start of one.
    Partial {
        /// Bytes the message takes once its length is known; before that, bytes of a header.
        /// It is a claim of the peer: let a buffer grow with what comes, never by this at once.
        needed: usize,
    },
}

/// Which messages a client may send now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolPhase {
    /// After the StartupMessage, until the login is done: passwords and SASL only.
    Login,
    /// After the login: everything but those.
    Session,
}

/// The start of one upstream message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpstreamHeader {
    /// The type byte.
    pub kind: u8,
    /// Bytes of the whole message, header included.
    pub total: usize,
}

/// Cuts the first message of the client off the front of `buffer`.
///
/// # Errors
/// The type is not known in this phase, or the length is impossible or over its bound.
pub fn cut_frontend(buffer: &[u8], phase: ProtocolPhase) -> Result<FrameCut<'_>, MalformedMessage> {
    let Some((&kind, after)) = buffer.split_first() else {
        return Ok(FrameCut::Partial {
            needed: HEADER_BYTES,
        });
    };
    let bounds = frontend_bounds(kind, phase).ok_or(MalformedMessage::UnknownType { kind })?;
    let Some((word, rest)) = after.split_first_chunk() else {
        return Ok(FrameCut::Partial {
            needed: HEADER_BYTES,
        });
    };
    let total = bounds.total(kind, i32::from_be_bytes(*word))?;
    Ok(
        match (
            buffer.get(..total),
            rest.get(..total.saturating_sub(HEADER_BYTES)),
        ) {
            (Some(bytes), Some(body)) => FrameCut::Whole(ClientFrame { kind, body, bytes }),
            _ => FrameCut::Partial { needed: total },
        },
    )
}

/// Reads the header of the first upstream message in `buffer`; `None` when it is not all there.
///
/// # Errors
/// The length is impossible or over its bound.
pub fn header_backend(buffer: &[u8]) -> Result<Option<UpstreamHeader>, MalformedMessage> {
    let Some((&kind, after)) = buffer.split_first() else {
        return Ok(None);
    };
    let bounds = backend_bounds(kind).ok_or(MalformedMessage::UnknownType { kind })?;
    let Some(word) = after.first_chunk() else {
        return Ok(None);
    };
    let total = bounds.total(kind, i32::from_be_bytes(*word))?;
    Ok(Some(UpstreamHeader { kind, total }))
}

/// The body is the client's text: only its size may be shown.
impl fmt::Debug for ClientFrame<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Frame")
            .field("kind", &char::from(self.kind))
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// The least and the greatest value of a length word.
#[derive(Clone, Copy)]
struct LengthBounds {
    min: i32,
    max: i32,
}

impl LengthBounds {
    const fn new(body_bytes_min: i32, max: i32) -> Option<Self> {
        Some(Self {
            min: LENGTH_WORD + body_bytes_min,
            max,
        })
    }

    const fn bare() -> Option<Self> {
        Self::new(0, LENGTH_WORD)
    }

    fn total(self, kind: u8, length: i32) -> Result<usize, MalformedMessage> {
        if length < self.min {
            return Err(MalformedMessage::LengthTooSmall { kind, length });
        }
        if length > self.max {
            return Err(MalformedMessage::LengthTooLarge { kind, length });
        }
        let counted = usize::try_from(length);
        counted
            .map(|bytes| bytes + 1)
            .map_err(|_| MalformedMessage::LengthTooSmall { kind, length })
    }
}

/// The least body of each message is what its fixed fields and terminators take.
const fn frontend_bounds(kind: u8, phase: ProtocolPhase) -> Option<LengthBounds> {
    match (phase, kind) {
        (ProtocolPhase::Login, b'p') => LengthBounds::new(0, limits::LOGIN_FRAME_BYTES_MAX),
        (ProtocolPhase::Login, _) => None,
        (ProtocolPhase::Session, kind) => match kind {
            b'Q' => LengthBounds::new(1, limits::STATEMENT_FRAME_BYTES_MAX),
            b'P' => LengthBounds::new(4, limits::STATEMENT_FRAME_BYTES_MAX),
            b'B' => LengthBounds::new(8, limits::BIND_FRAME_BYTES_MAX),
            b'D' | b'C' => LengthBounds::new(2, limits::SMALL_FRAME_BYTES_MAX),
            b'E' => LengthBounds::new(5, limits::SMALL_FRAME_BYTES_MAX),
            b'H' | b'S' | b'X' | b'c' => LengthBounds::bare(),
            b'f' => LengthBounds::new(1, limits::SMALL_FRAME_BYTES_MAX),
            b'F' => LengthBounds::new(10, limits::REFUSED_FRAME_BYTES_MAX),
            b'd' => LengthBounds::new(0, limits::REFUSED_FRAME_BYTES_MAX),
            _ => None,
        },
    }
}

const fn backend_bounds(kind: u8) -> Option<LengthBounds> {
    match kind {
        b'D' | b'T' => LengthBounds::new(2, limits::UPSTREAM_STREAM_FRAME_BYTES_MAX),
        b'A' => LengthBounds::new(6, limits::UPSTREAM_STREAM_FRAME_BYTES_MAX),
        b'V' => LengthBounds::new(4, limits::UPSTREAM_STREAM_FRAME_BYTES_MAX),
        b'd' => LengthBounds::new(0, limits::UPSTREAM_STREAM_FRAME_BYTES_MAX),
        b'C' => LengthBounds::new(1, limits::UPSTREAM_SMALL_FRAME_BYTES_MAX),
        b'Z' => LengthBounds::new(1, LENGTH_WORD + 1),
        b'1' | b'2' | b'3' | b'n' | b's' | b'I' | b'c' => LengthBounds::bare(),
        b'E' | b'N' => LengthBounds::new(1, limits::UPSTREAM_ERROR_FRAME_BYTES_MAX),
        b't' => LengthBounds::new(2, limits::UPSTREAM_PARAMETERS_FRAME_BYTES_MAX),
        b'S' => LengthBounds::new(2, limits::UPSTREAM_SMALL_FRAME_BYTES_MAX),
        b'R' => LengthBounds::new(4, limits::UPSTREAM_SMALL_FRAME_BYTES_MAX),
        b'K' | b'v' => LengthBounds::new(8, limits::UPSTREAM_SMALL_FRAME_BYTES_MAX),
        b'G' | b'H' | b'W' => LengthBounds::new(3, limits::UPSTREAM_SMALL_FRAME_BYTES_MAX),
        _ => None,
    }
}

/// A type byte and a length word.
pub const HEADER_BYTES: usize = 5;

const LENGTH_WORD: i32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        let bytes = b"Q\0\0\0\x0dselect 1\0";
        let frame = ClientFrame {
            kind: b'Q',
            body: b"select 1\0",
            bytes,
        };
        assert_eq!(
            cut_frontend(bytes, ProtocolPhase::Session),
            Ok(FrameCut::Whole(frame))
        );
        let bytes = b"p\0\0\0\x07pw\0";
        let frame = ClientFrame {
            kind: b'p',
            body: b"pw\0",
            bytes,
        };
        assert_eq!(
            cut_frontend(bytes, ProtocolPhase::Login),
            Ok(FrameCut::Whole(frame))
        );
    }

    #[test]
    fn a_type_is_refused_by_its_first_byte() {
        for kind in 0..=u8::MAX {
            let unknown = Err(MalformedMessage::UnknownType { kind });
            let started = Ok(FrameCut::Partial {
                needed: HEADER_BYTES,
            });
            let session = b"QPBDECHSXFdcf".contains(&kind);
            let expected = if session { started } else { unknown };
            assert_eq!(
                cut_frontend(&[kind], ProtocolPhase::Session),
                expected,
                "{kind}"
            );
            let expected = if kind == b'p' { started } else { unknown };
            assert_eq!(
                cut_frontend(&[kind], ProtocolPhase::Login),
                expected,
                "{kind}"
            );
            let known = b"RKSvZCIENATDt123nsGHWdcV".contains(&kind);
            let expected = if known {
                Ok(None)
            } else {
                Err(MalformedMessage::UnknownType { kind })
            };
            assert_eq!(header_backend(&[kind]), expected, "{kind}");
        }
    }

    /// The least length passes or waits, one less is refused, the greatest waits, one more is
    /// refused; for every type of the client.
    #[test]
    fn every_bound_is_exact() {
        for (kinds, phase) in [
            ("QPBDECHSXFdcf", ProtocolPhase::Session),
            ("p", ProtocolPhase::Login),
        ] {
            for kind in kinds.bytes() {
                let LengthBounds { min, max } = frontend_bounds(kind, phase).expect("known");
                let cut = |length: i32| cut_frontend(&header(kind, length), phase).map(total);
                assert_eq!(cut(min), Ok(usize::try_from(min).expect("small") + 1));
                assert_eq!(cut(max), Ok(usize::try_from(max).expect("fits") + 1));
                let small = min - 1;
                assert_eq!(
                    cut(small),
                    Err(MalformedMessage::LengthTooSmall {
                        kind,
                        length: small
                    })
                );
                let large = max + 1;
                assert_eq!(
                    cut(large),
                    Err(MalformedMessage::LengthTooLarge {
                        kind,
                        length: large
                    })
                );
            }
        }
    }

    #[test]
    fn lengths_near_four_gibibytes_do_not_wrap() {
        for length in [-1, -2, -4, -5, i32::MIN, i32::MIN + 4] {
            let refused = MalformedMessage::LengthTooSmall { kind: b'Q', length };
            assert_eq!(
                cut_frontend(&header(b'Q', length), ProtocolPhase::Session),
                Err(refused)
            );
            let refused = MalformedMessage::LengthTooSmall { kind: b'D', length };
            assert_eq!(header_backend(&header(b'D', length)), Err(refused));
        }
    }

    #[test]
    fn upstream_headers() {
        check_header(b"D\0\0\0\x06\0\0", b'D', 7);
        check_header(b"Z\0\0\0\x05I", b'Z', 6);
        check_header(b"D\x7f\xff\xff\xff", b'D', 1 << 31);
        for kind in b"RKSvZCIENATDt123nsGHWdcV" {
            let LengthBounds { min, max } = backend_bounds(*kind).expect("known");
            let read = |length| header_backend(&header(*kind, length)).map(|read| read.is_some());
            assert_eq!((read(min), read(max)), (Ok(true), Ok(true)));
            read(min - 1).expect_err("too small");
            read(max.wrapping_add(1)).expect_err("too large, or negative");
        }
    }

    #[test]
    fn debug_shows_no_text() {
        let cut = cut_frontend(b"Q\0\0\0\x0bcanary\0", ProtocolPhase::Session);
        let shown = format!("{cut:?}");
        assert!(
            !shown.contains("canary") && !shown.contains("99"),
            "{shown}"
        );
    }

    fn check_header(bytes: &[u8], kind: u8, total: usize) {
        assert_eq!(
            header_backend(bytes),
            Ok(Some(UpstreamHeader { kind, total }))
        );
        for end in 0..HEADER_BYTES {
            assert_eq!(header_backend(&bytes[..end]), Ok(None));
        }
    }

    fn header(kind: u8, length: i32) -> Vec<u8> {
        [&[kind][..], &length.to_be_bytes()].concat()
    }

    fn total(cut: FrameCut<'_>) -> usize {
        match cut {
            FrameCut::Whole(frame) => frame.bytes.len(),
            FrameCut::Partial { needed } => needed,
        }
    }
}
