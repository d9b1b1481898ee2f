//! Answers to a client that is logged in, or about to be.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::response::CommandComplete;
use pgwire::messages::startup::{BackendKeyData, NegotiateProtocolVersion, SecretKey};

use super::{EncodeError, item, put, whole};
use crate::backend::TransactionStatus;
use ground::limits;

/// ReadyForQuery.
pub fn ready_for_query(out: &mut BytesMut, status: TransactionStatus) {
    out.put_slice(&[b'Z', 0, 0, 0, 5, status.as_byte()]);
}

/// ParseComplete.
pub fn parse_complete(out: &mut BytesMut) {
    out.put_slice(b"1\0\0\0\x04");
}

/// BindComplete.
pub fn bind_complete(out: &mut BytesMut) {
    out.put_slice(b"2\0\0\0\x04");
}

/// CloseComplete.
pub fn close_complete(out: &mut BytesMut) {
    out.put_slice(b"3\0\0\0\x04");
}

/// NoData.
pub fn no_data(out: &mut BytesMut) {
    out.put_slice(b"n\0\0\0\x04");
}

/// PortalSuspended.
pub fn portal_suspended(out: &mut BytesMut) {
    out.put_slice(b"s\0\0\0\x04");
}

/// EmptyQueryResponse.
pub fn empty_query_response(out: &mut BytesMut) {
    out.put_slice(b"I\0\0\0\x04");
}

/// CommandComplete.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn command_complete(out: &mut BytesMut, tag: &str) -> Result<(), EncodeError> {
    put(out, &CommandComplete::new(whole(tag)?.to_owned()))
}

/// ParameterStatus.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn parameter_status(out: &mut BytesMut, name: &str, value: &str) -> Result<(), EncodeError> {
    let (name, value) = (item(name)?, whole(value)?);
    let length = size_of::<i32>() + name.len() + 1 + value.len() + 1;
    let told = i32::try_from(length).map_err(|_| EncodeError::TooLong)?;
    // Each login writes a dozen of them: they are not copied for it.
    out.reserve(1 + length);
    out.put_u8(b'S');
    out.put_i32(told);
    for text in [name, value] {
        out.put_slice(text.as_bytes());
        out.put_u8(0);
    }
    Ok(())
}

/// BackendKeyData, with a key of 4 to 256 bytes.
///
/// # Errors
/// The key is shorter or longer than one may be.
pub fn backend_key_data(out: &mut BytesMut, pid: i32, secret: &[u8]) -> Result<(), EncodeError> {
    put(out, &BackendKeyData::new(pid, secret_key(secret)?))
}

/// NegotiateProtocolVersion: the newest 3.`minor` spoken here, and the `_pq_.` options unknown
/// here. As Postgres does, and libpq expects, the whole version is written.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn negotiate_protocol_version(
    out: &mut BytesMut,
    minor: u16,
    unrecognised: &[&str],
) -> Result<(), EncodeError> {
    let newest = (3 << 16) | i32::from(minor);
    let unrecognised = unrecognised
        .iter()
        .map(|name| whole(name).map(str::to_owned));
    put(
        out,
        &NegotiateProtocolVersion::new(newest, unrecognised.collect::<Result<_, _>>()?),
    )
}

pub(super) fn secret_key(secret: &[u8]) -> Result<SecretKey, EncodeError> {
    match secret.len() {
        limits::CANCEL_SECRET_BYTES_MIN..=limits::CANCEL_SECRET_BYTES_MAX => {
            Ok(SecretKey::Bytes(Bytes::copy_from_slice(secret)))
        }
        _ => Err(EncodeError::SecretLength),
    }
}

#[cfg(test)]
mod tests {
    use pgwire::messages::{Message, data, extendedquery, response};

    use super::*;
    use crate::backend;
    use crate::encode::{unwritten, written};
    use crate::startup::ProtocolVersion;

    #[test]
    fn fixed_messages_are_what_pgwire_writes() {
        check(parse_complete, &extendedquery::ParseComplete::new());
        check(bind_complete, &extendedquery::BindComplete::new());
        check(close_complete, &extendedquery::CloseComplete::new());
        check(portal_suspended, &extendedquery::PortalSuspended::new());
        check(no_data, &data::NoData::new());
        check(empty_query_response, &response::EmptyQueryResponse::new());
        for (ours, theirs) in [
            (TransactionStatus::Idle, response::TransactionStatus::Idle),
            (
                TransactionStatus::InBlock,
                response::TransactionStatus::Transaction,
            ),
            (
                TransactionStatus::Failed,
                response::TransactionStatus::Error,
            ),
        ] {
            check(
                |out| ready_for_query(out, ours),
                &response::ReadyForQuery::new(theirs),
            );
        }
    }

    #[test]
    fn answers_are_read_back() {
        let out = fine(|out| command_complete(out, "SELECT 5"));
        assert_eq!(&out[..], b"C\0\0\0\x0dSELECT 5\0");
        assert_eq!(backend::command_tag(&out[5..]), Ok("SELECT 5"));
        let out = fine(|out| parameter_status(out, "TimeZone", "UTC"));
        assert_eq!(&out[..], b"S\0\0\0\x11TimeZone\0UTC\0");
        assert_eq!(
            backend::parameter_status(&out[5..]),
            Ok(("TimeZone", "UTC"))
        );
        let out = fine(|out| backend_key_data(out, 1234, b"abcd"));
        assert_eq!(&out[..], b"K\0\0\0\x0c\0\0\x04\xd2abcd");
        let out = fine(|out| backend_key_data(out, -1, &[7; 256]));
        assert_eq!(
            backend::backend_key_data(&out[5..]),
            Ok((-1, &[7; 256][..]))
        );
    }

    #[test]
    fn a_version_is_offered_whole() {
        let out = fine(|out| negotiate_protocol_version(out, 2, &["_pq_.a"]));
        assert_eq!(&out[..], b"v\0\0\0\x13\0\x03\0\x02\0\0\0\x01_pq_.a\0");
        let read = backend::negotiate_protocol_version(&out[5..]).expect("sound");
        assert_eq!(
            (read.newest, read.unrecognised),
            (ProtocolVersion::V3_2, vec!["_pq_.a"])
        );
    }

    #[test]
    fn what_cannot_be_said_is_not_half_said() {
        let nul = EncodeError::StringEndsEarly;
        assert_eq!(unwritten(|out| command_complete(out, "a\0b")), nul);
        assert_eq!(unwritten(|out| parameter_status(out, "", "x")), nul);
        assert_eq!(unwritten(|out| parameter_status(out, "x", "\0")), nul);
        assert_eq!(
            unwritten(|out| negotiate_protocol_version(out, 0, &["a\0"])),
            nul
        );
        assert_eq!(
            unwritten(|out| backend_key_data(out, 1, b"abc")),
            EncodeError::SecretLength
        );
        let long = "x".repeat(40_000);
        assert_eq!(
            unwritten(|out| command_complete(out, &long)),
            EncodeError::TooLong
        );
    }

    fn check(ours: impl FnOnce(&mut BytesMut), theirs: &impl Message) {
        let mut expected = BytesMut::new();
        theirs.encode(&mut expected).expect("pgwire writes it");
        assert_eq!(written(ours), expected);
    }

    fn fine(write: impl FnOnce(&mut BytesMut) -> Result<(), EncodeError>) -> BytesMut {
        written(|out| write(out).expect("can be said"))
    }
}
