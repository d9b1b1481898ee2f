//! What a client says: one file per message, each decoded whole or refused.
//!
//! The layout of a frame is proven before the encoding of its texts, so that
//! [`MalformedMessage::NotUtf8`] always means an otherwise sound frame.
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

use super::frame::ClientFrame;
use super::malformed::MalformedMessage;
use super::reader::MessageReader;
pub use bind::{Bind, BindValue};
pub use execute::Execute;
pub use parse::{ParameterOids, Parse};
pub use query::Query;
pub use target::StatementOrPortal;

/// One message of a client that is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontendMessage<'a> {
    /// Run a text.
    Query(Query<'a>),
    /// Prepare a text.
    Parse(Parse<'a>),
    /// Make a portal of a prepared statement.
    Bind(Bind<'a>),
    /// Ask what a statement or portal looks like.
    Describe(StatementOrPortal<'a>),
    /// Run a portal.
    Execute(Execute<'a>),
    /// Forget a statement or portal.
    Close(StatementOrPortal<'a>),
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
///
/// # Errors
/// It is of an unknown type, or not well-formed to its last byte.
pub fn decode<'a>(frame: &ClientFrame<'a>) -> Result<FrontendMessage<'a>, MalformedMessage> {
    let body = frame.body;
    match frame.kind {
        b'Q' => query::decode(body).map(FrontendMessage::Query),
        b'P' => parse::decode(body).map(FrontendMessage::Parse),
        b'B' => bind::decode(body).map(FrontendMessage::Bind),
        b'D' => describe::decode(body).map(FrontendMessage::Describe),
        b'E' => execute::decode(body).map(FrontendMessage::Execute),
        b'C' => close::decode(body).map(FrontendMessage::Close),
        b'H' => MessageReader::new(body)
            .finish()
            .map(|()| FrontendMessage::Flush),
        b'S' => MessageReader::new(body)
            .finish()
            .map(|()| FrontendMessage::Sync),
        b'X' => MessageReader::new(body)
            .finish()
            .map(|()| FrontendMessage::Terminate),
        b'F' => function_call::decode(body).map(|()| FrontendMessage::FunctionCall),
        b'd' => Ok(FrontendMessage::CopyData),
        b'c' => MessageReader::new(body)
            .finish()
            .map(|()| FrontendMessage::CopyDone),
        b'f' => copy::decode_fail(body).map(|()| FrontendMessage::CopyFail),
        kind => Err(MalformedMessage::UnknownType { kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_laws::check;

    #[test]
    fn messages_without_a_body() {
        check(b"H\0\0\0\x04", FrontendMessage::Flush);
        check(b"S\0\0\0\x04", FrontendMessage::Sync);
        check(b"X\0\0\0\x04", FrontendMessage::Terminate);
        check(b"c\0\0\0\x04", FrontendMessage::CopyDone);
    }

    #[test]
    fn a_frame_of_the_login_is_no_message_of_the_session() {
        let frame = ClientFrame {
            kind: b'p',
            body: b"x\0",
            bytes: b"p\0\0\0\x06x\0",
        };
        assert_eq!(
            decode(&frame),
            Err(MalformedMessage::UnknownType { kind: b'p' })
        );
    }

    /// A type that is `Copy` owns nothing on the heap.
    #[test]
    fn decoded_messages_own_nothing() {
        const fn owns_nothing<T: Copy>() {}
        owns_nothing::<FrontendMessage<'_>>();
        owns_nothing::<super::super::frame::FrameCut<'_>>();
        owns_nothing::<super::super::frame::UpstreamHeader>();
        owns_nothing::<MalformedMessage>();
    }
}
