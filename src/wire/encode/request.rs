//! Requests to the upstream. What a client sent is passed on as it is; these are for what pgsieve
//! says on its own or for a changed text.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::cancel::CancelRequest;
use pgwire::messages::startup::{SASLInitialResponse, SASLResponse};

use super::answer::secret_key;
use super::{EncodeError, item, put, whole};
use crate::frontend::ParameterOids;
use crate::startup::ProtocolVersion;
use ground::limits;

/// SSLRequest.
pub fn ssl_request(out: &mut BytesMut) {
    out.put_slice(b"\0\0\0\x08\x04\xd2\x16\x2f");
}

/// CancelRequest, with a key of 4 to 256 bytes.
///
/// # Errors
/// The key is shorter or longer than one may be.
pub fn cancel_request(out: &mut BytesMut, pid: i32, secret: &[u8]) -> Result<(), EncodeError> {
    put(out, &CancelRequest::new(pid, secret_key(secret)?))
}

/// StartupMessage, with the parameters in this order.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn startup<'a>(
    out: &mut BytesMut,
    version: ProtocolVersion,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), EncodeError> {
    framed(out, None, limits::FIRST_PACKET_BYTES_MAX, |out| {
        out.put_u16(version.major);
        out.put_u16(version.minor);
        for (name, value) in parameters {
            string(out, item(name)?);
            string(out, whole(value)?);
        }
        out.put_u8(0);
        Ok(())
    })
}

/// PasswordMessage.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn password(out: &mut BytesMut, password: &[u8]) -> Result<(), EncodeError> {
    if password.contains(&0) {
        return Err(EncodeError::StringEndsEarly);
    }
    framed(out, Some(b'p'), limits::LOGIN_FRAME_BYTES_MAX, |out| {
        out.put_slice(password);
        out.put_u8(0);
        Ok(())
    })
}

/// SASLInitialResponse.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn sasl_initial_response(
    out: &mut BytesMut,
    mechanism: &str,
    data: Option<&[u8]>,
) -> Result<(), EncodeError> {
    let data = data.map(Bytes::copy_from_slice);
    put(
        out,
        &SASLInitialResponse::new(item(mechanism)?.to_owned(), data),
    )
}

/// SASLResponse.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn sasl_response(out: &mut BytesMut, data: &[u8]) -> Result<(), EncodeError> {
    put(out, &SASLResponse::new(Bytes::copy_from_slice(data)))
}

/// Query.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn query(out: &mut BytesMut, text: &str) -> Result<(), EncodeError> {
    let text = whole(text)?;
    framed(out, Some(b'Q'), limits::STATEMENT_FRAME_BYTES_MAX, |out| {
        string(out, text);
        Ok(())
    })
}

/// Parse.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn parse(
    out: &mut BytesMut,
    name: &str,
    text: &str,
    parameter_types: ParameterOids<'_>,
) -> Result<(), EncodeError> {
    let (name, text) = (whole(name)?, whole(text)?);
    framed(out, Some(b'P'), limits::STATEMENT_FRAME_BYTES_MAX, |out| {
        string(out, name);
        string(out, text);
        out.put_u16(parameter_types.count());
        out.put_slice(parameter_types.as_bytes());
        Ok(())
    })
}

/// Bind of a statement whose results come as text, with values and their formats as they stand
/// in another Bind.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn bind(
    out: &mut BytesMut,
    portal: &str,
    statement: &str,
    given: &[u8],
) -> Result<(), EncodeError> {
    let (portal, statement) = (whole(portal)?, whole(statement)?);
    framed(out, Some(b'B'), limits::BIND_FRAME_BYTES_MAX, |out| {
        string(out, portal);
        string(out, statement);
        out.put_slice(given);
        out.put_u16(0);
        Ok(())
    })
}

/// Bind with what stands in another one behind the names.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn bind_named(
    out: &mut BytesMut,
    portal: &str,
    statement: &str,
    rest: &[u8],
) -> Result<(), EncodeError> {
    let (portal, statement) = (whole(portal)?, whole(statement)?);
    framed(out, Some(b'B'), limits::BIND_FRAME_BYTES_MAX, |out| {
        string(out, portal);
        string(out, statement);
        out.put_slice(rest);
        Ok(())
    })
}

/// Execute of a portal, to its end.
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn execute(out: &mut BytesMut, portal: &str) -> Result<(), EncodeError> {
    let portal = whole(portal)?;
    framed(out, Some(b'E'), limits::SMALL_FRAME_BYTES_MAX, |out| {
        string(out, portal);
        out.put_i32(0);
        Ok(())
    })
}

/// Close of a portal (`P`) or prepared statement (`S`).
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn close(out: &mut BytesMut, sort: u8, name: &str) -> Result<(), EncodeError> {
    named(out, b'C', (sort, name))
}

/// Describe of a portal (`P`) or prepared statement (`S`).
///
/// # Errors
/// A text has a zero byte in it, or the message is longer than the receiver takes.
pub fn describe(out: &mut BytesMut, sort: u8, name: &str) -> Result<(), EncodeError> {
    named(out, b'D', (sort, name))
}

/// A message that names a portal or prepared statement and says no more.
fn named(out: &mut BytesMut, kind: u8, (sort, name): (u8, &str)) -> Result<(), EncodeError> {
    let name = whole(name)?;
    framed(out, Some(kind), limits::SMALL_FRAME_BYTES_MAX, |out| {
        out.put_u8(sort);
        string(out, name);
        Ok(())
    })
}

/// Flush.
pub fn flush(out: &mut BytesMut) {
    out.put_slice(b"H\0\0\0\x04");
}

/// Sync.
pub fn sync(out: &mut BytesMut) {
    out.put_slice(b"S\0\0\0\x04");
}

/// Terminate.
pub fn terminate(out: &mut BytesMut) {
    out.put_slice(b"X\0\0\0\x04");
}

fn string(out: &mut BytesMut, text: &str) {
    out.put_slice(text.as_bytes());
    out.put_u8(0);
}

/// Writes a type byte, the length word and what `body` writes; or nothing.
fn framed(
    out: &mut BytesMut,
    kind: Option<u8>,
    length_max: i32,
    body: impl FnOnce(&mut BytesMut) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let start = out.len();
    out.extend(kind);
    let word = out.len();
    out.put_i32(0);
    let done = body(out).and_then(|()| set_length(out, word, length_max));
    if done.is_err() {
        out.truncate(start);
    }
    done
}

/// Writes into the length word at `word` how much follows from there.
fn set_length(out: &mut BytesMut, word: usize, length_max: i32) -> Result<(), EncodeError> {
    let frame = out.get_mut(word..).unwrap_or_default();
    let length = i32::try_from(frame.len()).map_err(|_| EncodeError::TooLong)?;
    let place = frame.first_chunk_mut().filter(|_| length <= length_max);
    *place.ok_or(EncodeError::TooLong)? = length.to_be_bytes();
    Ok(())
}

#[cfg(test)]
mod tests {
    use pgwire::messages::{Message, extendedquery, startup as theirs, terminate as ending};

    use super::*;
    use crate::encode::{unwritten, written};
    use crate::frame::{FrameCut, ProtocolPhase, cut_frontend};
    use crate::frontend::{FrontendMessage, decode};
    use crate::startup::{FirstPacket, cut_first};

    #[test]
    fn fixed_messages_are_what_pgwire_writes() {
        check(ssl_request, &theirs::SslRequest::new());
        check(flush, &extendedquery::Flush::new());
        check(sync, &extendedquery::Sync::new());
        check(terminate, &ending::Terminate::new());
    }

    #[test]
    fn golden() {
        assert_eq!(
            &fine(|out| query(out, "select 1"))[..],
            b"Q\0\0\0\x0dselect 1\0"
        );
        assert_eq!(
            &fine(|out| parse(out, "s", "x", ParameterOids::default()))[..],
            b"P\0\0\0\x0as\0x\0\0\0"
        );
        assert_eq!(&fine(|out| password(out, b"pw"))[..], b"p\0\0\0\x07pw\0");
        assert_eq!(&fine(|out| sasl_response(out, b"c="))[..], b"p\0\0\0\x06c=");
        assert_eq!(
            &fine(|out| sasl_initial_response(out, "M", Some(b"n,,")))[..],
            b"p\0\0\0\x0dM\0\0\0\0\x03n,,"
        );
        assert_eq!(
            &fine(|out| cancel_request(out, 1, b"abcd"))[..],
            b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x01abcd"
        );
        assert_eq!(
            &fine(|out| startup(out, ProtocolVersion::V3_2, [("user", "u"), ("a", "")]))[..],
            b"\0\0\0\x13\0\x03\0\x02user\0u\0a\0\0\0"
        );
    }

    #[test]
    fn a_portal_is_made_run_and_closed() {
        assert_eq!(
            &fine(|out| bind(out, "p", "s", b"\0\0\0\x01\0\0\0\x01x"))[..],
            b"B\0\0\0\x13p\0s\0\0\0\0\x01\0\0\0\x01x\0\0"
        );
        assert_eq!(
            &fine(|out| execute(out, "p"))[..],
            b"E\0\0\0\x0ap\0\0\0\0\0"
        );
        assert_eq!(&fine(|out| close(out, b'S', "s"))[..], b"C\0\0\0\x07Ss\0");
    }

    #[test]
    fn the_first_packet_is_read_back_in_order() {
        let parameters = [("user", "u"), ("database", "d"), ("a", "1")];
        let out = fine(|out| startup(out, ProtocolVersion::V3_0, parameters));
        let Ok(Some((FirstPacket::Startup(read), total))) = cut_first(&out) else {
            panic!("a startup message")
        };
        assert_eq!((total, &read.parameters[..]), (out.len(), &parameters[..]));
    }

    #[test]
    fn a_parse_is_read_back_with_its_types() {
        let original = b"P\0\0\0\x12\0$1\0\0\x02\0\0\0\x17\0\0\0\x19";
        let Ok(FrameCut::Whole(frame)) = cut_frontend(original, ProtocolPhase::Session) else {
            panic!("a whole frame")
        };
        let Ok(FrontendMessage::Parse(read)) = decode(&frame) else {
            panic!("a Parse")
        };
        let out = fine(|out| parse(out, read.name, read.text, read.parameter_types));
        assert_eq!(&out[..], original);
    }

    #[test]
    fn what_cannot_be_said_is_not_half_said() {
        let nul = EncodeError::StringEndsEarly;
        let version = ProtocolVersion::V3_0;
        assert_eq!(unwritten(|out| query(out, "a\0b")), nul);
        assert_eq!(
            unwritten(|out| parse(out, "a\0", "b", ParameterOids::default())),
            nul
        );
        assert_eq!(
            unwritten(|out| parse(out, "", "b\0", ParameterOids::default())),
            nul
        );
        assert_eq!(unwritten(|out| password(out, b"a\0b")), nul);
        assert_eq!(unwritten(|out| sasl_initial_response(out, "", None)), nul);
        assert_eq!(
            unwritten(|out| startup(out, version, [("a", "b"), ("", "c")])),
            nul
        );
        assert_eq!(unwritten(|out| startup(out, version, [("a", "b\0c")])), nul);
        assert_eq!(
            unwritten(|out| cancel_request(out, 1, b"")),
            EncodeError::SecretLength
        );
    }

    #[test]
    fn what_the_receiver_would_not_take_is_not_said() {
        let long = "x".repeat(usize::try_from(limits::FIRST_PACKET_BYTES_MAX).expect("fits"));
        let version = ProtocolVersion::V3_0;
        assert_eq!(
            unwritten(|out| startup(out, version, [("a", &long[..])])),
            EncodeError::TooLong
        );
        let long = "x".repeat(usize::try_from(limits::STATEMENT_FRAME_BYTES_MAX).expect("fits"));
        assert_eq!(unwritten(|out| query(out, &long)), EncodeError::TooLong);
        let longest = long.get(5..).expect("long enough");
        assert_eq!(fine(|out| query(out, longest)).len(), long.len() + 1);
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
