//! Why a session is over.

use super::reply::CloseReason;
use crate::telemetry::labels::Tripwire;
use crate::wire::malformed::MalformedMessage;

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client said Terminate.
    Terminated,
    /// The client's connection was closed or lost.
    ClientGone,
    /// The upstream closed after its own last words, which were passed on.
    UpstreamClosed,
    /// pgsieve ends it and says why.
    Ended(CloseReason),
    /// The upstream is not read-only any more.
    Tripped(Tripwire),
}

impl From<MalformedMessage> for SessionEnd {
    fn from(cause: MalformedMessage) -> Self {
        Self::Ended(CloseReason::Violation(cause))
    }
}

/// The upstream said something that pgsieve cannot follow.
pub(super) const UNREADABLE: SessionEnd = SessionEnd::Ended(CloseReason::UpstreamUnreadable);

/// Cannot happen: every frame is one that may be forwarded and no decoded text holds a NUL. If it
/// did, nothing was sent.
pub(super) const UNSENDABLE: SessionEnd = SessionEnd::Ended(CloseReason::Internal);

/// Cannot happen: what waits is all that is owed meanwhile, and its frames were read before.
pub(super) const LOST_COUNT: SessionEnd = SessionEnd::Ended(CloseReason::Internal);
