//! What a client of the console may send: texts of commands. All else of the protocol is answered
//! as a server would that does not know it.

use bytes::{Buf, BytesMut};

use crate::limits;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, FrontendMessage};
use crate::wire::malformed::MalformedMessage;

/// A message of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsoleMessage {
    /// A text.
    Command(String),
    /// Anything of the extended protocol but its end.
    Extended,
    /// The end of a batch of it.
    Sync,
    /// A call of a function.
    FunctionCall,
    /// What there is nothing to say to.
    Ignored,
    /// Its goodbye.
    Terminate,
}

/// Takes the first message out of what has come; none where it is not there yet.
///
/// # Errors
/// It is none that a client may send, or longer than any command.
pub fn cut(inbox: &mut BytesMut) -> Result<Option<ConsoleMessage>, MalformedMessage> {
    let frame = match cut_frontend(inbox, ProtocolPhase::Session)? {
        FrameCut::Whole(frame) => frame,
        FrameCut::Partial { needed } if needed > limits::LOGIN_INBOX_BYTES_MAX => {
            let kind = inbox.first().copied().unwrap_or_default();
            let length = i32::try_from(needed).unwrap_or(i32::MAX);
            return Err(MalformedMessage::LengthTooLarge { kind, length });
        }
        FrameCut::Partial { .. } => return Ok(None),
    };
    let message = match frontend::decode(&frame)? {
        FrontendMessage::Query(query) => ConsoleMessage::Command(query.text.to_owned()),
        FrontendMessage::Parse(_)
        | FrontendMessage::Bind(_)
        | FrontendMessage::Describe(_)
        | FrontendMessage::Execute(_)
        | FrontendMessage::Close(_) => ConsoleMessage::Extended,
        FrontendMessage::Sync => ConsoleMessage::Sync,
        FrontendMessage::FunctionCall => ConsoleMessage::FunctionCall,
        FrontendMessage::Flush
        | FrontendMessage::CopyData
        | FrontendMessage::CopyDone
        | FrontendMessage::CopyFail => ConsoleMessage::Ignored,
        FrontendMessage::Terminate => ConsoleMessage::Terminate,
    };
    let taken = frame.bytes.len();
    inbox.advance(taken);
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_when_it_is_whole() {
        let mut inbox = BytesMut::new();
        for byte in b"Q\0\0\0\x0fSHOW POOLS\0" {
            assert_eq!(cut(&mut inbox), Ok(None));
            inbox.extend_from_slice(&[*byte]);
        }
        let command = ConsoleMessage::Command("SHOW POOLS".into());
        assert_eq!(cut(&mut inbox), Ok(Some(command)));
        inbox.extend_from_slice(b"S\0\0\0\x04H\0\0\0\x04X\0\0\0\x04");
        for message in [
            ConsoleMessage::Sync,
            ConsoleMessage::Ignored,
            ConsoleMessage::Terminate,
        ] {
            assert_eq!(cut(&mut inbox), Ok(Some(message)));
        }
        assert!(inbox.is_empty());
    }

    #[test]
    fn what_no_command_is_as_long_as_is_not_waited_for() {
        let mut inbox = BytesMut::from(&b"Q\0\x02\0\0SHOW"[..]);
        assert!(matches!(
            cut(&mut inbox),
            Err(MalformedMessage::LengthTooLarge { kind: b'Q', .. })
        ));
    }
}
