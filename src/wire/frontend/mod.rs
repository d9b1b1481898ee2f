//! What a client says: one file per message, each decoded whole or refused.
//!
//! The layout of a frame is proven before the encoding of its texts, so that
//! [`Malformed::NotUtf8`] always means an otherwise sound frame.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

pub mod bind;
pub mod close;
pub mod copy;
pub mod describe;
pub mod execute;
pub mod function_call;
pub mod parse;
pub mod password;
pub mod query;
pub mod target;

use super::frame::Frame;
use super::malformed::Malformed;
use super::reader::Reader;
pub use bind::{Bind, Value};
pub use execute::Execute;
pub use parse::{Oids, Parse};
pub use query::Query;
pub use target::Target;

/// One message of a client that is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontend<'a> {
    /// Run a text.
    Query(Query<'a>),
    /// Prepare a text.
    Parse(Parse<'a>),
    /// Make a portal of a prepared statement.
    Bind(Bind<'a>),
    /// Ask what a statement or portal looks like.
    Describe(Target<'a>),
    /// Run a portal.
    Execute(Execute<'a>),
    /// Forget a statement or portal.
    Close(Target<'a>),
    /// Send what is answered so far.
    Flush,
    /// End the pipeline.
    Sync,
    /// Goodbye.
    Terminate,
    /// Call a function by oid; always refused later.
    FunctionCall,
    /// Data of a COPY that pgsieve never lets start.
    CopyData,
    /// The end of such a COPY.
    CopyDone,
    /// The failure of such a COPY.
    CopyFail,
}

/// Decodes one frame of the session phase; it is well-formed to the last byte, or refused.
pub fn decode<'a>(frame: &Frame<'a>) -> Result<Frontend<'a>, Malformed> {
    let body = frame.body;
    match frame.kind {
        b'Q' => query::decode(body).map(Frontend::Query),
        b'P' => parse::decode(body).map(Frontend::Parse),
        b'B' => bind::decode(body).map(Frontend::Bind),
        b'D' => describe::decode(body).map(Frontend::Describe),
        b'E' => execute::decode(body).map(Frontend::Execute),
        b'C' => close::decode(body).map(Frontend::Close),
        b'H' => Reader::new(body).finish().map(|()| Frontend::Flush),
        b'S' => Reader::new(body).finish().map(|()| Frontend::Sync),
        b'X' => Reader::new(body).finish().map(|()| Frontend::Terminate),
        b'F' => function_call::decode(body).map(|()| Frontend::FunctionCall),
        b'd' => Ok(Frontend::CopyData),
        b'c' => Reader::new(body).finish().map(|()| Frontend::CopyDone),
        b'f' => copy::decode_fail(body).map(|()| Frontend::CopyFail),
        kind => Err(Malformed::UnknownType { kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::message_laws::check;

    #[test]
    fn messages_without_a_body() {
        check(b"H\0\0\0\x04", Frontend::Flush);
        check(b"S\0\0\0\x04", Frontend::Sync);
        check(b"X\0\0\0\x04", Frontend::Terminate);
        check(b"c\0\0\0\x04", Frontend::CopyDone);
    }

    #[test]
    fn a_frame_of_the_login_is_no_message_of_the_session() {
        let frame = Frame {
            kind: b'p',
            body: b"x\0",
            bytes: b"p\0\0\0\x06x\0",
        };
        assert_eq!(decode(&frame), Err(Malformed::UnknownType { kind: b'p' }));
    }

    /// A type that is `Copy` owns nothing on the heap.
    #[test]
    fn decoded_messages_own_nothing() {
        const fn owns_nothing<T: Copy>() {}
        owns_nothing::<Frontend<'_>>();
        owns_nothing::<super::super::frame::Cut<'_>>();
        owns_nothing::<super::super::frame::Header>();
        owns_nothing::<Malformed>();
    }
}
