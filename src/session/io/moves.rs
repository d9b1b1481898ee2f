//! What a relay moves, and what came of it.

use bytes::{Buf, BytesMut};

use crate::limits;
use crate::session::session_end::SessionEnd;

/// Bytes that passed on the client's side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientBytes {
    /// Received from the client.
    pub from_client: u64,
    /// Sent to the client.
    pub to_client: u64,
}

/// Whether bytes that the client's stream has taken may still sit in its own buffer (TLS has one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum ClientFlush {
    /// None may.
    Settled,
    /// Some may.
    Owed,
}

/// What is left over of what the upstream said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum UpstreamLeftover {
    /// The start of a frame, if anything.
    ForMore,
    /// What a turn was too short for.
    ForTheNextTurn,
}

/// What one read from the upstream brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum UpstreamRead {
    /// So many bytes.
    Bytes(usize),
    /// It has said nothing more, or there is no connection to it.
    Nothing,
    /// Its end, with answers owed.
    Lost,
}

/// Whether the server wants this session to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum StopRequest {
    /// It does not.
    NotAsked,
    /// At its next rest.
    Asked,
}

/// What one attempt to move bytes came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum BytesMoved {
    /// Some were.
    Some,
    /// There was nothing to do.
    Nothing,
}

/// What a try to move bytes came to, or why the session ends.
pub(in crate::session) type MoveResult = Result<BytesMoved, SessionEnd>;

/// What is left behind bytes that were dealt with, in no more memory than it needs: a buffer keeps
/// what it once took, however little it holds.
pub(super) fn without_front(mut rest: BytesMut, consumed: usize) -> BytesMut {
    rest.advance(consumed);
    if rest.is_empty() {
        BytesMut::new()
    } else if consumed > limits::BUFFER_BYTES_KEPT {
        BytesMut::from(&*rest)
    } else {
        rest
    }
}

/// A count as it is counted.
pub(super) fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
