//! Whether the server that a session is at is one that its policy lets it be at.
//!
//! A login and a move look for such a server. But policies change while sessions are open, what a
//! role is a member of does, and a standby may be promoted. No message of a client's is taken for a
//! server that the policy of then does not permit: a session that shares its connections is moved
//! before it, any other one ends. What was under way goes on where it began, up to the end of its
//! transaction.

use std::pin::Pin;
use std::sync::Arc;

use crate::session::client_side::ClientState;
use crate::session::policy_reload::take_over_policies;
use crate::session::protocol::SessionProtocol;
use crate::session::reply::CloseReason;
use crate::session::session_end::SessionEnd;
use crate::target_servers::{IN_HOT_STANDBY, ServerKind};
use crate::upstream::servers::UpstreamServer;
use crate::upstream::servers::replay::ServerNeed;
use crate::upstream::servers::running::RunningStatement;
use crate::wire::backend::TransactionStatus;

/// The server that a session is at.
#[derive(Default)]
pub struct ServerPlace {
    server: Option<Arc<UpstreamServer>>,
    /// Of which kind it is, as it has reported on the connection that the session had last.
    reported: Option<ServerKind>,
    /// Counts a statement there, while one is under way.
    running: Option<RunningStatement>,
    /// The wait until it has replayed something.
    pub(super) replay_wait: Option<Box<ReplayWait>>,
    /// Whether what it must have replayed may be about to change.
    pub(in crate::session) names_lsn: bool,
}

/// The wait of a session for what its server replays.
pub(super) enum ReplayWait {
    /// It lasts.
    Waiting(Pin<Box<dyn Future<Output = ()> + Send + Sync>>),
    /// What came has waited for long enough.
    Over,
}

/// Whether the next message of a client may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum MessageReadiness {
    /// It may.
    Takes,
    /// The session has to leave its server first.
    Leaves,
}

impl ServerPlace {
    /// At that server, which has reported this.
    pub(in crate::session) fn new(
        server: &Arc<UpstreamServer>,
        reported: Option<ServerKind>,
    ) -> Self {
        Self {
            server: Some(Arc::clone(server)),
            reported,
            running: None,
            replay_wait: None,
            names_lsn: false,
        }
    }

    /// Which it is.
    pub(super) fn server(&self) -> Option<&Arc<UpstreamServer>> {
        self.server.as_ref()
    }

    /// Whether something waits until it has replayed something.
    pub(in crate::session) fn waits_for_replay(&self) -> bool {
        matches!(self.replay_wait.as_deref(), Some(ReplayWait::Waiting(_)))
    }

    /// The session has another connection there.
    pub(super) fn connection_changed(&mut self, reported: Option<ServerKind>) {
        self.reported = reported;
    }

    /// Whether the server is busy with the session from now on.
    pub(in crate::session) fn note_running(&mut self, is_running: bool) {
        match (is_running, &self.running, &self.server) {
            (true, None, Some(server)) => self.running = server.running().begin(),
            (false, Some(_), _) => self.running = None,
            (true, Some(_), _) | (true, None, None) | (false, None, _) => {}
        }
    }

    /// Of which kind it is, as it has reported last.
    pub(super) fn reported(&self) -> Option<ServerKind> {
        self.reported
    }

    /// It reports a parameter.
    pub(in crate::session) fn parameter_reported(&mut self, name: &str, value: &str) {
        if name != IN_HOT_STANDBY {
            return;
        }
        self.reported = ServerKind::reported(value);
        if let Some(server) = &self.server {
            server.note_kind(self.reported);
        }
    }
}

/// What a session needs of its server now.
pub(super) fn server_need(protocol: &SessionProtocol) -> ServerNeed {
    ServerNeed {
        targets: protocol.judge.gate.policy().targets(),
        min_lsn: protocol.context.client_settings.min_lsn(),
    }
}

/// Whether the policy of now lets a session be where it is. Costs next to nothing where it says
/// nothing of servers.
pub(in crate::session) fn is_permitted_here(protocol: &SessionProtocol) -> bool {
    let targets = protocol.judge.gate.policy().targets();
    let place = &protocol.upstream.place;
    targets.only().is_none()
        || (place.server.as_ref())
            .is_some_and(|server| server.is_permitted(targets, place.reported))
}

/// Why a session ends whose policy does not let it be where it is.
pub(super) fn not_permitted_here(protocol: &SessionProtocol) -> SessionEnd {
    let targets = protocol.judge.gate.policy().targets();
    SessionEnd::Ended(CloseReason::NotPermittedHere(targets))
}

/// Whether nothing is under way that has to end where it began, as far as the answers that are
/// there tell.
fn may_leave(protocol: &SessionProtocol) -> bool {
    let (pending, transaction) = (&protocol.pending, &protocol.pending.transaction);
    let is_over = transaction.status == TransactionStatus::Idle || !pending.is_empty();
    protocol.client.state == ClientState::Open && !transaction.unsynced && is_over
}

/// Looks at the policies and the server of now, before a message of the client's is taken.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn before_message(
    protocol: &mut SessionProtocol,
) -> Result<MessageReadiness, SessionEnd> {
    take_over_policies(protocol)?;
    if is_permitted_here(protocol) || !may_leave(protocol) {
        return Ok(MessageReadiness::Takes);
    }
    let side = protocol.upstream.pool.as_ref();
    let moves = side.is_some_and(|side| side.pinned().is_none());
    // Only the answers tell whether a transaction is open.
    match moves || !protocol.pending.is_empty() {
        true => Ok(MessageReadiness::Leaves),
        false => Err(not_permitted_here(protocol)),
    }
}

/// Looks at them once more, before a text goes on that has waited for something else than its
/// server.
///
/// # Errors
/// The session ends.
pub(in crate::session) fn before_waiting_text(
    protocol: &mut SessionProtocol,
) -> Result<(), SessionEnd> {
    take_over_policies(protocol)?;
    match is_permitted_here(protocol) || !protocol.pending.transaction.is_idle() {
        true => Ok(()),
        false => Err(not_permitted_here(protocol)),
    }
}
