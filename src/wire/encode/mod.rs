//! What pgsieve itself says: answers to the client and requests to the upstream, appended to a
//! buffer.
//!
//! Messages with fields are those of `pgwire`, encoded by it, wherever it can say what is meant.
//! Messages that never vary are byte literals. What carries a statement, a password or an order is
//! written here, because `pgwire` would copy the first two and sort the last. Nothing is half
//! written: a message that cannot be said leaves the buffer as it was.

mod answer;
mod error;
mod login;
mod request;
mod rows;

use std::fmt;

use bytes::BytesMut;
use pgwire::messages::Message;

pub use answer::{
    backend_key_data, bind_complete, close_complete, command_complete, empty_query_response,
    negotiate_protocol_version, no_data, parameter_status, parse_complete, portal_suspended,
    ready_for_query,
};
pub use error::{ErrorFields, ErrorSeverity, error, error_body, error_moved, error_with, notice};
pub use login::{
    authentication_cleartext, authentication_ok, authentication_sasl, authentication_sasl_continue,
    authentication_sasl_final,
};
pub use request::{
    bind, bind_named, cancel_request, close, describe, execute, flush, parse, password, query,
    sasl_initial_response, sasl_response, ssl_request, startup, sync, terminate,
};
pub use rows::{ColumnDescription, data_row, row_description};

/// Why a message cannot be said in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeError {
    /// A string holds the byte that ends strings, or is empty where that ends a list.
    StringEndsEarly,
    /// It is longer than the receiver takes.
    TooLong,
    /// A cancel key outside 4 to 256 bytes.
    SecretLength,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::StringEndsEarly => "a string of the message would end early",
            Self::TooLong => "the message is too long",
            Self::SecretLength => "a cancel key has 4 to 256 bytes",
        })
    }
}

impl std::error::Error for EncodeError {}

/// Appends a message of `pgwire`, or nothing.
fn put(out: &mut BytesMut, message: &impl Message) -> Result<(), EncodeError> {
    let start = out.len();
    message.encode(out).map_err(|_| {
        out.truncate(start);
        EncodeError::TooLong
    })
}

/// A string that stays one string on the wire.
fn whole(text: &str) -> Result<&str, EncodeError> {
    if text.as_bytes().contains(&0) {
        Err(EncodeError::StringEndsEarly)
    } else {
        Ok(text)
    }
}

/// As [`whole`], where an empty string would end a list.
fn item(text: &str) -> Result<&str, EncodeError> {
    if text.is_empty() {
        Err(EncodeError::StringEndsEarly)
    } else {
        whole(text)
    }
}

#[cfg(test)]
fn written(write: impl FnOnce(&mut BytesMut)) -> BytesMut {
    let mut out = BytesMut::from(&b"before"[..]);
    write(&mut out);
    out.split_off(b"before".len())
}

/// A refusal to encode that left nothing behind.
#[cfg(test)]
fn unwritten(write: impl FnOnce(&mut BytesMut) -> Result<(), EncodeError>) -> EncodeError {
    let mut out = BytesMut::from(&b"before"[..]);
    let cause = write(&mut out).expect_err("cannot be said");
    assert_eq!(&out[..], b"before");
    cause
}
