//! ReadyForQuery: the upstream waits, and says how its transaction stands.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use crate::malformed::MalformedMessage;

/// How the transaction of a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionStatus {
    /// No transaction block.
    Idle,
    /// In a transaction block.
    InBlock,
    /// In a transaction block that waits for ROLLBACK.
    Failed,
}

impl TransactionStatus {
    /// The byte that stands for it.
    pub const fn as_byte(self) -> u8 {
        match self {
            Self::Idle => b'I',
            Self::InBlock => b'T',
            Self::Failed => b'E',
        }
    }
}

/// Reads a ReadyForQuery.
///
/// # Errors
/// The body does not read as its type says.
pub const fn ready_for_query(body: &[u8]) -> Result<TransactionStatus, MalformedMessage> {
    match body {
        [b'I'] => Ok(TransactionStatus::Idle),
        [b'T'] => Ok(TransactionStatus::InBlock),
        [b'E'] => Ok(TransactionStatus::Failed),
        [status] => Err(MalformedMessage::Status { status: *status }),
        [] => Err(MalformedMessage::Short),
        [_, rest @ ..] => Err(MalformedMessage::Leftover { bytes: rest.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::check_ends;

    #[test]
    fn golden() {
        for status in [
            TransactionStatus::Idle,
            TransactionStatus::InBlock,
            TransactionStatus::Failed,
        ] {
            assert_eq!(ready_for_query(&[status.as_byte()]), Ok(status));
        }
        check_ends(b"I", |body| ready_for_query(body).is_ok());
        assert_eq!(
            ready_for_query(b"i"),
            Err(MalformedMessage::Status { status: b'i' })
        );
    }
}
