//! Why some bytes are not a message.
//!
//! A value here never holds what the peer sent beyond a number, so it may be logged.

use std::fmt;

use ground::sqlstate::{self, SqlState};

/// One cause of refusal. Only [`MalformedMessage::NotUtf8`] leaves the connection usable: the frame
/// itself was sound, so the next one starts where it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MalformedMessage {
    /// No message of this type may come now.
    UnknownType {
        /// The type byte.
        kind: u8,
    },
    /// The length word is below the least that the type can have (also when negative).
    LengthTooSmall {
        /// The type byte.
        kind: u8,
        /// The length word as sent.
        length: i32,
    },
    /// The length word is above the bound of the type.
    LengthTooLarge {
        /// The type byte.
        kind: u8,
        /// The length word as sent.
        length: i32,
    },
    /// The length word of the first packet is outside what that packet can have.
    FirstPacketLength {
        /// The length word as sent.
        length: i32,
    },
    /// The client asks for a protocol other than 3.
    UnsupportedProtocol {
        /// The major number asked for.
        major: u16,
        /// The minor number asked for.
        minor: u16,
    },
    /// A startup parameter without a value, an end without terminator, or bytes after it.
    StartupLayout,
    /// A startup parameter that is there twice.
    RepeatedParameter,
    /// More startup parameters than any client has.
    TooManyParameters,
    /// The body ends before its last field does.
    Short,
    /// A string without its NUL.
    Unterminated,
    /// Bytes are left in the frame after its last field.
    Leftover {
        /// How many.
        bytes: usize,
    },
    /// A text is not UTF-8.
    NotUtf8,
    /// A format code that is neither 0 (text) nor 1 (binary).
    FormatCode {
        /// The code as sent.
        code: i16,
    },
    /// Neither no format, one format, nor one format for each value.
    FormatCount {
        /// The number of formats.
        formats: u16,
        /// The number of values.
        values: u16,
    },
    /// A value with a negative length other than -1.
    ValueLength {
        /// The length as sent.
        length: i32,
    },
    /// Describe or Close of something that is neither statement nor portal.
    Target {
        /// The byte as sent.
        kind: u8,
    },
    /// A cancel key outside 4 to 256 bytes.
    SecretLength {
        /// Its length.
        bytes: usize,
    },
    /// ReadyForQuery with a status that does not exist.
    Status {
        /// The byte as sent.
        status: u8,
    },
    /// An Authentication request too short or long for its kind, or with an empty list.
    Authentication {
        /// Its code.
        code: i32,
    },
    /// A negative number of things.
    Count {
        /// The number as sent.
        count: i32,
    },
}

impl MalformedMessage {
    /// Whether the frame was sound, so that the session can answer and go on.
    pub const fn leaves_session_usable(self) -> bool {
        matches!(self, Self::NotUtf8)
    }

    /// The code that the peer is told.
    pub const fn sqlstate(self) -> SqlState {
        match self {
            Self::NotUtf8 => sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
            Self::UnsupportedProtocol { .. } => sqlstate::FEATURE_NOT_SUPPORTED,
            Self::UnknownType { .. }
            | Self::LengthTooSmall { .. }
            | Self::LengthTooLarge { .. }
            | Self::FirstPacketLength { .. }
            | Self::StartupLayout
            | Self::RepeatedParameter
            | Self::TooManyParameters
            | Self::Short
            | Self::Unterminated
            | Self::Leftover { .. }
            | Self::FormatCode { .. }
            | Self::FormatCount { .. }
            | Self::ValueLength { .. }
            | Self::Target { .. }
            | Self::SecretLength { .. }
            | Self::Status { .. }
            | Self::Authentication { .. }
            | Self::Count { .. } => sqlstate::PROTOCOL_VIOLATION,
        }
    }
}

/// In Postgres's own words where it has them.
impl fmt::Display for MalformedMessage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownType { kind } => write!(to, "invalid message type {kind}"),
            Self::LengthTooSmall { length, .. } => write!(to, "invalid message length {length}"),
            Self::LengthTooLarge { length, .. } => {
                write!(to, "message length {length} is over the limit")
            }
            Self::FirstPacketLength { .. } => to.write_str("invalid length of startup packet"),
            Self::UnsupportedProtocol { major, minor } => write!(
                to,
                "unsupported frontend protocol {major}.{minor}: server supports 3.0 to 3.2"
            ),
            Self::StartupLayout => {
                to.write_str("invalid startup packet layout: expected terminator as last byte")
            }
            Self::RepeatedParameter => to.write_str("a startup parameter is given twice"),
            Self::TooManyParameters => to.write_str("too many startup parameters"),
            Self::Short => to.write_str("insufficient data left in message"),
            Self::Unterminated => to.write_str("invalid string in message"),
            Self::Leftover { .. } => to.write_str("invalid message format"),
            Self::NotUtf8 => to.write_str("invalid byte sequence for encoding \"UTF8\""),
            Self::FormatCode { code } => write!(to, "unsupported format code: {code}"),
            Self::FormatCount { formats, values } => write!(
                to,
                "bind message has {formats} parameter formats but {values} parameters"
            ),
            Self::ValueLength { length } => write!(to, "invalid value length {length}"),
            Self::Target { kind } => write!(to, "invalid message subtype {kind}"),
            Self::SecretLength { .. } => to.write_str("invalid length of cancel request packet"),
            Self::Status { status } => write!(to, "invalid transaction status {status}"),
            Self::Authentication { code } => write!(to, "invalid authentication request {code}"),
            Self::Count { count } => write!(to, "invalid count {count}"),
        }
    }
}

impl std::error::Error for MalformedMessage {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_encoding_leaves_the_session_usable() {
        assert!(MalformedMessage::NotUtf8.leaves_session_usable());
        assert!(!MalformedMessage::Unterminated.leaves_session_usable());
        assert_eq!(MalformedMessage::NotUtf8.sqlstate().as_str(), "22021");
        assert_eq!(MalformedMessage::Short.sqlstate().as_str(), "08P01");
        let old = MalformedMessage::UnsupportedProtocol { major: 2, minor: 0 };
        assert_eq!(old.sqlstate().as_str(), "0A000");
    }
}
