//! What a session knows of its client: what its next frames meet, and the bytes that wait for it.

use std::sync::Arc;

use bytes::BytesMut;

use super::arrival::{ClientInflow, StatementArrival};
use super::session_end::SessionEnd;
use crate::gate::{Facts, StatementKind};
use crate::limits;
use crate::wire::malformed::MalformedMessage;

/// What a session knows of its client.
pub struct ClientSide {
    /// What its next frames meet.
    pub(super) state: ClientState,
    /// When its last words were read.
    pub(super) inflow: ClientInflow,
    pub(super) copy_leftovers: CopyLeftovers,
    /// Bytes that wait for its socket.
    pub(super) reply: BytesMut,
}

impl ClientSide {
    /// Of a client that has just logged in.
    pub(super) fn new() -> Self {
        Self {
            state: ClientState::Open,
            inflow: ClientInflow::read_now(),
            copy_leftovers: CopyLeftovers::Unexpected,
            reply: BytesMut::new(),
        }
    }

    /// The upstream skips to the next Sync, which has not been sent: so does the client's state.
    pub(super) fn skip_to_sync(&mut self) {
        self.state = match self.state {
            ClientState::Open | ClientState::SkipToSync | ClientState::SkipToSyncAlone => {
                ClientState::SkipToSync
            }
            // What waited for its plan is skipped as well: so was the question.
            ClientState::Checking | ClientState::Planning => ClientState::SkipToSync,
            ClientState::Judging | ClientState::JudgingInVain => ClientState::JudgingInVain,
            ClientState::Closing(ending) => ClientState::Closing(ending),
        };
    }

    /// Whether its frames up to the next Sync are dropped.
    pub(super) fn is_skipping(&self) -> bool {
        matches!(
            self.state,
            ClientState::SkipToSync | ClientState::SkipToSyncAlone
        )
    }

    /// Whether a message of this kind is dropped, whatever it says: it need not be held.
    pub(super) fn drops_unread(&self, kind: u8) -> bool {
        kind == b'd' || (self.is_skipping() && kind != b'S' && kind != b'X')
    }

    /// A message is dropped that need not be read.
    ///
    /// # Errors
    /// It is copy data that nobody has asked for.
    pub(super) fn drop_unread(&mut self, kind: u8) -> Result<(), SessionEnd> {
        match kind {
            b'd' if !self.is_skipping() => self.copy_leftover(kind),
            _ => Ok(()),
        }
    }

    /// The data of a COPY that is refused may still arrive.
    pub(super) fn expect_copy_leftovers(
        &mut self,
        refused: Option<&(Arc<Facts>, StatementArrival)>,
    ) {
        if refused.is_some_and(|(facts, _)| facts.kind == StatementKind::Copy) {
            self.copy_leftovers = CopyLeftovers::Tolerated {
                left: limits::COPY_LEFTOVERS_MAX,
            };
        }
    }

    /// Copy-in never starts here; Postgres, too, drops what arrives after a COPY that failed.
    ///
    /// # Errors
    /// No such data is expected, or no more of it.
    pub(super) fn copy_leftover(&mut self, kind: u8) -> Result<(), SessionEnd> {
        match &mut self.copy_leftovers {
            CopyLeftovers::Tolerated { left } if *left > 0 => {
                *left -= 1;
                Ok(())
            }
            CopyLeftovers::Tolerated { .. } | CopyLeftovers::Unexpected => {
                Err(MalformedMessage::UnknownType { kind }.into())
            }
        }
    }
}

/// What the client's next frames meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientState {
    /// They are judged.
    Open,
    /// A refusal was answered by pgsieve alone: frames up to and including Sync never go upstream.
    SkipToSyncAlone,
    /// The upstream skips or will skip: frames up to Sync are dropped, the Sync goes upstream.
    SkipToSync,
    /// They wait: a large text is being judged, or a statement repaired, on another thread.
    Judging,
    /// The same, but an error has come in between: what is judged will be dropped.
    JudgingInVain,
    /// They wait: the upstream is being asked for the plan of a statement.
    Planning,
    /// Nothing more is taken: the session ends when everything that is owed has come.
    Closing(SessionEnd),
    /// They wait: the upstream is being asked whether it is still read-only.
    Checking,
}

impl ClientState {
    /// Whether frames are taken in it.
    pub(super) fn takes_frames(self) -> bool {
        match self {
            Self::Open | Self::SkipToSync | Self::SkipToSyncAlone => true,
            Self::Judging | Self::JudgingInVain => false,
            Self::Checking | Self::Planning | Self::Closing(_) => false,
        }
    }

    /// Whether something of the client's is looked at meanwhile.
    pub(super) fn is_judging(self) -> bool {
        match self {
            Self::Judging | Self::JudgingInVain | Self::Planning | Self::Checking => true,
            Self::Open | Self::SkipToSync | Self::SkipToSyncAlone | Self::Closing(_) => false,
        }
    }
}

/// What stray copy-in messages mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyLeftovers {
    /// The client never asked for copy-in: a violation.
    Unexpected,
    /// A COPY FROM STDIN was refused; its data may still arrive and is dropped.
    Tolerated {
        /// How many more.
        left: u32,
    },
}
