//! At which server a cache is, or wants to be: behind one address there may be several.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::upstream::identity::ServerIdentity;

/// The server of one cache.
#[derive(Default)]
pub struct ServerChoice {
    state: Mutex<ServerChoiceState>,
    called: Notify,
    missed: Notify,
}

#[derive(Clone, Copy, Default)]
struct ServerChoiceState {
    /// Whose catalog it keeps; none before it has reached any.
    server: Option<ServerIdentity>,
    way: ServerSearch,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerSearch {
    /// Its connection is at the server.
    There,
    /// It has none, and tries to get one.
    Seeking(RetryUrgency),
    /// It was turned away, or what it needs was not to be had: to try sooner would bring nothing.
    Barred,
}

/// Whether anybody has come who needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryUrgency {
    /// Nobody.
    Patient,
    /// A client has logged in meanwhile: the server is there.
    Urged,
}

/// What a failure lets expect of the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryOutlook {
    /// The server was not reached: as soon as it is, all is well.
    Reachable,
    /// It was, in vain.
    Barred,
}

/// What calling a cache came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It is at its server.
    There,
    /// It tries again now.
    Comes,
    /// It keeps to its own time.
    Waits,
}

impl ServerChoice {
    /// Whose catalog it keeps.
    pub fn server(&self) -> Option<ServerIdentity> {
        self.state().server
    }

    /// Whether that is this one.
    pub fn is_at(&self, server: &ServerIdentity) -> bool {
        self.server().is_some_and(|own| own.is_same(server))
    }

    /// Whether it has no connection, and nothing speaks against trying another server.
    pub fn has_no_server(&self) -> bool {
        matches!(self.state().way, ServerSearch::Seeking(_))
    }

    /// Names the server.
    pub fn address(&self, server: ServerIdentity) {
        self.state().server = Some(server);
    }

    /// An attempt begins.
    pub fn begin_attempt(&self) {
        self.state().way = ServerSearch::Seeking(RetryUrgency::Patient);
    }

    /// The connection is at the server.
    pub fn arrive(&self) {
        self.state().way = ServerSearch::There;
    }

    /// The attempt is over, or the connection. Says whether anybody came meanwhile.
    pub fn leave(&self, outlook: RetryOutlook) -> RetryUrgency {
        let mut state = self.state();
        let before = std::mem::replace(&mut state.way, outlook.into());
        match before {
            ServerSearch::Seeking(urgency) => urgency,
            ServerSearch::There | ServerSearch::Barred => RetryUrgency::Patient,
        }
    }

    /// A client has logged in there.
    pub fn retry_now(&self) -> CallOutcome {
        let mut state = self.state();
        match state.way {
            ServerSearch::There => CallOutcome::There,
            ServerSearch::Barred => CallOutcome::Waits,
            ServerSearch::Seeking(_) => {
                state.way = ServerSearch::Seeking(RetryUrgency::Urged);
                self.called.notify_one();
                CallOutcome::Comes
            }
        }
    }

    /// A statement finds nothing where its catalog should be.
    pub fn note_missing(&self) {
        self.missed.notify_one();
    }

    /// Waits until a statement does. May be cancelled.
    pub async fn until_missing(&self) {
        self.missed.notified().await;
    }

    /// Waits until a client has logged in. May be cancelled.
    pub async fn until_retry(&self) {
        self.called.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, ServerChoiceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ServerSearch {
    fn default() -> Self {
        Self::Seeking(RetryUrgency::Patient)
    }
}

impl From<RetryOutlook> for ServerSearch {
    fn from(outlook: RetryOutlook) -> Self {
        match outlook {
            RetryOutlook::Reachable => Self::Seeking(RetryUrgency::Patient),
            RetryOutlook::Barred => Self::Barred,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(number: u32) -> ServerIdentity {
        let number = format!("{number:x}");
        ServerIdentity::read(&[Some(&number), Some("5")]).unwrap()
    }

    #[test]
    fn a_call_hurries_who_seeks_and_nobody_else() {
        let server_choice = ServerChoice::default();
        assert!(server_choice.has_no_server() && !server_choice.is_at(&server(1)));
        assert_eq!(server_choice.retry_now(), CallOutcome::Comes);
        assert_eq!(
            server_choice.leave(RetryOutlook::Reachable),
            RetryUrgency::Urged
        );
        server_choice.begin_attempt();
        assert_eq!(
            server_choice.leave(RetryOutlook::Reachable),
            RetryUrgency::Patient
        );
        server_choice.address(server(1));
        server_choice.arrive();
        assert!(
            server_choice.is_at(&server(1))
                && !server_choice.is_at(&server(2))
                && !server_choice.has_no_server()
        );
        assert_eq!(server_choice.retry_now(), CallOutcome::There);
        assert_eq!(
            server_choice.leave(RetryOutlook::Barred),
            RetryUrgency::Patient
        );
        assert_eq!(server_choice.retry_now(), CallOutcome::Waits);
        assert!(!server_choice.has_no_server());
    }
}
