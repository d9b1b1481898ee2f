//! What is known of one server: whether it is there, what it is, and how far behind.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use crate::lsn::Lsn;
use crate::target_servers::ServerKind;
use crate::telemetry::counters::upstream_metrics::ServerRole;

/// What is known of one server.
#[derive(Debug)]
pub(super) struct ServerState {
    known: Mutex<KnownServer>,
    looked: watch::Sender<bool>,
    /// What it has replayed, as far as it has said.
    replayed: watch::Sender<Option<Lsn>>,
    /// Somebody waits until it has replayed more.
    replay_wanted: Notify,
}

#[derive(Debug, Clone, Copy, Default)]
struct KnownServer {
    is_away: bool,
    role: Option<ServerRole>,
    /// Whether it was asked how far behind it is.
    is_asked: bool,
    /// Since when no look at it was answered.
    silent_since: Option<Instant>,
}

impl Default for ServerState {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            looked: watch::Sender::new(false),
            replayed: watch::Sender::new(None),
            replay_wanted: Notify::new(),
        }
    }
}

impl ServerState {
    /// Whether the last that was tried there was in vain.
    pub(super) fn is_away(&self) -> bool {
        self.known().is_away
    }

    /// What it is, as far as it has said.
    pub(super) fn role(&self) -> Option<ServerRole> {
        self.known().role
    }

    /// Whether what it is, is asked of itself, and not heard from sessions of clients.
    pub(super) fn is_asked(&self) -> bool {
        self.known().is_asked
    }

    /// Of which kind it is, where that is asked of itself.
    pub(super) fn asked_kind(&self) -> Option<ServerKind> {
        let known = self.known();
        match known.role.filter(|_| known.is_asked)? {
            ServerRole::Primary => Some(ServerKind::Primary),
            ServerRole::Standby(_) => Some(ServerKind::Standby),
        }
    }

    /// Whether it is near enough to the primary, if it follows one: a standby that was asked and
    /// cannot tell is not.
    pub(super) fn is_within(&self, lag_max: Duration) -> bool {
        let known = self.known();
        match known.role {
            Some(ServerRole::Standby(Some(lag))) => lag <= lag_max,
            Some(ServerRole::Standby(None)) => !known.is_asked,
            Some(ServerRole::Primary) | None => true,
        }
    }

    /// It has said what it is, and how far behind.
    pub(super) fn note_role(&self, role: Option<ServerRole>) {
        let mut known = self.known();
        known.is_asked = role.is_some();
        known.role = role;
    }

    /// It has said to a client that it takes writes.
    pub(super) fn note_primary(&self) {
        self.known().role = Some(ServerRole::Primary);
    }

    /// It has said to a client that it follows another one; how far behind stays as it is known.
    pub(super) fn note_standby(&self) {
        let mut known = self.known();
        if !matches!(known.role, Some(ServerRole::Standby(_))) {
            known.role = Some(ServerRole::Standby(None));
            known.is_asked = false;
        }
    }

    /// It is there.
    pub(super) fn note_there(&self) {
        self.known().is_away = false;
    }

    /// It is not.
    pub(super) fn note_away(&self) {
        self.known().is_away = true;
    }

    /// It has said what it has replayed; none where it replays nothing.
    pub(super) fn note_replayed(&self, replayed: Option<Lsn>) {
        self.replayed.send_replace(replayed);
    }

    /// Whether it is known to have replayed that.
    pub(super) fn has_replayed(&self, lsn: Lsn) -> bool {
        *self.replayed.borrow() >= Some(lsn)
    }

    /// Waits until it says once more what it has replayed, and has it asked for that. May be
    /// cancelled.
    pub(super) async fn replays(&self) {
        let mut replayed = self.replayed.subscribe();
        self.replay_wanted.notify_one();
        // The sender lives as long as this.
        let _ = replayed.changed().await;
    }

    /// Waits until somebody wants to know what it has replayed. May be cancelled.
    pub(super) async fn replay_wanted(&self) {
        self.replay_wanted.notified().await;
    }

    /// A look at it is over, and it has answered or not.
    pub(super) fn note_look(&self, has_answered: bool) {
        let mut known = self.known();
        known.silent_since = match has_answered {
            true => None,
            false => known.silent_since.or_else(|| Some(Instant::now())),
        };
        drop(known);
        self.looked.send_replace(true);
    }

    /// Whether no look at it was answered for so long.
    pub(super) fn is_silent_for(&self, time: Duration) -> bool {
        let since = self.known().silent_since;
        since.is_some_and(|since| since.elapsed() >= time)
    }

    /// Waits for the end of the first look. May be cancelled.
    pub(super) async fn looked_at(&self) {
        let mut looked = self.looked.subscribe();
        // The sender lives as long as this.
        let _ = looked.wait_for(|looked| *looked).await;
    }

    fn known(&self) -> MutexGuard<'_, KnownServer> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
