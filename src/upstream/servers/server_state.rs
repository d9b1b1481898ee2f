//! What is known of one server: whether it is there, what it is, and how far behind.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::target_servers::ServerKind;
use crate::telemetry::counters::upstream_metrics::ServerRole;

/// What is known of one server.
#[derive(Debug)]
pub(super) struct ServerState {
    known: Mutex<KnownServer>,
    looked: watch::Sender<bool>,
}

#[derive(Debug, Clone, Copy, Default)]
struct KnownServer {
    is_away: bool,
    role: Option<ServerRole>,
    /// Whether it was asked how far behind it is.
    is_asked: bool,
}

impl Default for ServerState {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            looked: watch::Sender::new(false),
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

    /// A look at it is over.
    pub(super) fn note_look(&self) {
        self.looked.send_replace(true);
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
