//! The connection that a session has at hand, and the wait for one.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::lost_server::UnansweredBatch;
use crate::limits;
use crate::target_servers::TargetServers;
use crate::telemetry::labels::MoveReason;
use crate::upstream::cancel::DetachedConnection;
use crate::upstream::pool::connection::SettleError;
use crate::upstream::pool::connection::{ConnectionBase, ConnectionState, PooledConnection};
use crate::upstream::pool::member::PoolMember;
use crate::upstream::pool::set_values::SetValues;
use crate::upstream::pool::source::{ConnectionSource, FOLLOWED};
use crate::upstream::pool::{ConnectionPool, ConnectionWish, PoolError, PoolLease};
use crate::upstream::servers::replay::ServerNeed;
use crate::upstream::servers::session_home::{MoveWish, SessionHome, SessionHomes};
use crate::upstream::servers::{ServerLease, UpstreamServer};

/// What a login takes from a pool: all of it but the connection's stream.
pub struct PooledLogin {
    /// Where connections come from.
    pub pool: Arc<ConnectionPool>,
    /// How they are opened.
    pub source: Arc<ConnectionSource>,
    /// What is known of the one at hand.
    pub state: Box<ConnectionState>,
    /// The right to have it.
    pub lease: PoolLease,
    /// Where the session may move.
    pub homes: SessionHomes,
}

/// What a relay has of its pool.
pub(in crate::session) struct PooledRelay {
    pool: PoolMember,
    source: Arc<ConnectionSource>,
    homes: SessionHomes,
    server: ServerLease,
    /// What its policy said when it had a connection last.
    targets: TargetServers,
    /// How often in a row it has moved because its policy did not permit its server.
    policy_moves: u32,
    /// What the session began with, at its server.
    base: Arc<ConnectionBase>,
    /// What the client has set.
    values: SetValues,
    /// What it calls itself, where it has said so when it logged in.
    first_name: Option<Box<str>>,
    user: Arc<str>,
    session: u64,
    /// The connection at hand, all of it but its stream.
    pub(super) held: Option<HeldConnection>,
    pub(super) job: Option<PoolJob>,
    /// What is under way, for the case that the server dies.
    pub(in crate::session) unanswered: UnansweredBatch,
    pub(super) told_pin: bool,
    /// When it is looked next whether the server has fallen silent.
    silence_look: Option<Instant>,
}

/// The connection at hand, all of it but its stream.
pub(in crate::session) struct HeldConnection {
    pub(super) state: Box<ConnectionState>,
    pub(super) lease: PoolLease,
    pub(super) use_so_far: ConnectionUse,
}

/// Whether a connection has served what it was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionUse {
    /// What it was taken for has not been looked at.
    NotYet,
    Used,
}

/// What is done with connections while nothing is taken from the client.
pub(super) enum PoolJob {
    /// One is waited for.
    Taking(Pin<Box<dyn Future<Output = Result<Taken, PoolError>> + Send>>),
    /// One is waited for at another server, with all else that is needed there.
    Moving(
        Pin<Box<dyn Future<Output = Result<SessionHome, PoolError>> + Send>>,
        MoveReason,
    ),
    /// What is set in the one that was at hand is read.
    Reading(Pin<Box<dyn Future<Output = Result<ReadConnection, SettleError>> + Send>>),
    /// Its server is asked whether it stops, as it has ended what was under way.
    AskingServer(Pin<Box<dyn Future<Output = bool> + Send>>),
    /// Statements are prepared on the one that the session keeps.
    Preparing(Pin<Box<dyn Future<Output = Result<Taken, SettleError>> + Send>>),
}

/// A connection whose settings were read, and whether another session may have it.
pub(super) type ReadConnection = (Taken, DetachedConnection);

/// A connection with the right to have it.
pub(super) type Taken = (PooledConnection, PoolLease);

impl fmt::Debug for PooledLogin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PooledLogin")
    }
}

impl PooledRelay {
    /// Of a session that has just logged in, with the connection that it did so on.
    pub(in crate::session) fn new(
        (login, server): (PooledLogin, ServerLease),
        (user, session): (&str, u64),
        targets: TargetServers,
    ) -> Self {
        let PooledLogin {
            pool,
            source,
            state,
            lease,
            homes,
        } = login;
        let values = state.values.clone();
        Self {
            pool: PoolMember::of(pool),
            source,
            homes,
            server,
            targets,
            policy_moves: 0,
            base: Arc::clone(&state.base),
            first_name: values.get(FOLLOWED).map(Box::from),
            values,
            user: user.into(),
            session,
            held: Some(HeldConnection {
                state,
                lease,
                use_so_far: ConnectionUse::Used,
            }),
            job: None,
            unanswered: UnansweredBatch::default(),
            told_pin: false,
            silence_look: None,
        }
    }

    /// What it wants of a connection.
    pub(super) fn wish(&self) -> ConnectionWish {
        ConnectionWish {
            source: Arc::clone(&self.source),
            base: Some(Arc::clone(&self.base)),
            values: self.values.clone(),
            user: Arc::clone(&self.user),
            session: self.session,
            until: None,
        }
    }

    /// What it wants of another server.
    pub(super) fn move_wish(
        &self,
        (need, pause): (ServerNeed, Duration),
        tried: Vec<Arc<UpstreamServer>>,
    ) -> MoveWish {
        MoveWish {
            source: Arc::clone(&self.source),
            base: Arc::clone(&self.base),
            values: self.values.clone(),
            user: Arc::clone(&self.user),
            session: self.session,
            need,
            pause,
            tried,
        }
    }

    /// The session is at another server from now on. Gives back what it began with before.
    pub(super) fn move_to(
        &mut self,
        server: ServerLease,
        (pool, source): (Arc<ConnectionPool>, Arc<ConnectionSource>),
        base: &Arc<ConnectionBase>,
    ) -> Arc<ConnectionBase> {
        (self.server, self.pool, self.source) = (server, PoolMember::of(pool), source);
        std::mem::replace(&mut self.base, Arc::clone(base))
    }

    /// The server that it is at.
    pub(super) fn server(&self) -> &ServerLease {
        &self.server
    }

    /// What its policy said when it had a connection last.
    pub(super) fn targets(&self) -> TargetServers {
        self.targets
    }

    /// What its policy says now.
    pub(super) fn note_targets(&mut self, targets: TargetServers) {
        self.targets = targets;
    }

    /// It is to move because its policy does not permit its server: after which pause; none where
    /// it has done so often enough.
    pub(super) fn next_policy_move(&mut self) -> Option<Duration> {
        self.policy_moves = self.policy_moves.saturating_add(1);
        match self.policy_moves {
            1 => Some(Duration::ZERO),
            2..=limits::upstreams::POLICY_MOVES_MAX => Some(limits::upstreams::POLICY_MOVE_PAUSE),
            _ => None,
        }
    }

    /// What it began with there.
    pub(super) fn base(&self) -> &Arc<ConnectionBase> {
        &self.base
    }

    /// How connections are opened there.
    pub(super) fn source(&self) -> &Arc<ConnectionSource> {
        &self.source
    }

    /// When it is looked next whether its server, which may owe answers, has fallen silent; none
    /// where it does not wait for it, or could not leave it.
    pub(super) fn silence_look(&mut self, owes: bool) -> Option<Instant> {
        if !self.could_leave_server(owes) {
            self.silence_look = None;
            return None;
        }
        let soon = || Instant::now() + limits::upstreams::SILENCE_LOOK_INTERVAL;
        Some(*self.silence_look.get_or_insert_with(soon))
    }

    /// Whether that look is due; the next one is later.
    pub(super) fn takes_silence_look(&mut self, now: Instant) -> bool {
        let is_due = self.silence_look.is_some_and(|look| look <= now);
        if is_due {
            self.silence_look = None;
        }
        is_due
    }

    fn could_leave_server(&self, owes: bool) -> bool {
        let waits = match &self.job {
            None => owes && self.unanswered.is_whole(),
            Some(PoolJob::Taking(_)) => true,
            Some(_) => false,
        };
        waits && self.homes.servers.are_several()
    }

    /// Where it may move.
    pub(super) fn homes(&self) -> &SessionHomes {
        &self.homes
    }

    /// Where connections come from.
    pub(super) fn pool(&self) -> &Arc<ConnectionPool> {
        &self.pool
    }

    /// Whether it has a connection, or is about to get one.
    pub(in crate::session) fn has_or_wants(&self) -> bool {
        self.held.is_some() || self.job.is_some()
    }

    /// Messages of the client were taken.
    pub(in crate::session) fn note_use(&mut self) {
        self.policy_moves = 0;
        if let Some(held) = &mut self.held {
            held.use_so_far = ConnectionUse::Used;
        }
    }

    /// The number of the session.
    pub(super) fn session(&self) -> u64 {
        self.session
    }

    /// What is set in its connection was read: that is what the client has set. Its own name is
    /// what it was at first where it was set back.
    pub(super) fn take_values(&mut self, read: &SetValues) -> &SetValues {
        self.values = read.clone();
        if let (None, Some(first)) = (read.get(FOLLOWED), &self.first_name) {
            self.values.insert(FOLLOWED, first);
        }
        &self.values
    }

    /// What is set in a connection as the session wants it.
    pub(in crate::session) fn values(&self) -> &SetValues {
        &self.values
    }
}
