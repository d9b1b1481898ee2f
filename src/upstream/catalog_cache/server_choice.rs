//! At which server a keeper is, or wants to be: behind one address there may be several.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::upstream::identity::ServerIdentity;

/// The place of one keeper.
#[derive(Default)]
pub struct Berth {
    state: Mutex<Mooring>,
    called: Notify,
    missed: Notify,
}

#[derive(Clone, Copy, Default)]
struct Mooring {
    /// Whose catalog it keeps; none before it has reached any.
    server: Option<ServerIdentity>,
    way: Way,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its connection is at the server.
    There,
    /// It has none, and tries to get one.
    Seeking(Urgency),
    /// It was turned away, or what it needs was not to be had: to try sooner would bring nothing.
    Barred,
}

/// Whether anybody has come who needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Nobody.
    Patient,
    /// A client has logged in meanwhile: the server is there.
    Urged,
}

/// What a failure lets expect of the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outlook {
    /// The server was not reached: as soon as it is, all is well.
    Reachable,
    /// It was, in vain.
    Barred,
}

/// What calling a keeper came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// It is at its server.
    There,
    /// It tries again now.
    Comes,
    /// It keeps to its own time.
    Waits,
}

impl Berth {
    /// Whose catalog it keeps.
    pub fn server(&self) -> Option<ServerIdentity> {
        self.state().server
    }

    /// Whether that is this one.
    pub fn is_at(&self, server: &ServerIdentity) -> bool {
        self.server().is_some_and(|own| own.is_same(server))
    }

    /// Whether it has no connection, and nothing speaks against trying another server.
    pub fn is_adrift(&self) -> bool {
        matches!(self.state().way, Way::Seeking(_))
    }

    /// Names the server.
    pub fn address(&self, server: ServerIdentity) {
        self.state().server = Some(server);
    }

    /// An attempt begins.
    pub fn seek(&self) {
        self.state().way = Way::Seeking(Urgency::Patient);
    }

    /// The connection is at the server.
    pub fn arrive(&self) {
        self.state().way = Way::There;
    }

    /// The attempt is over, or the connection. Says whether anybody came meanwhile.
    pub fn leave(&self, outlook: Outlook) -> Urgency {
        let mut state = self.state();
        let before = std::mem::replace(&mut state.way, outlook.into());
        match before {
            Way::Seeking(urgency) => urgency,
            Way::There | Way::Barred => Urgency::Patient,
        }
    }

    /// A client has logged in there.
    pub fn call(&self) -> Called {
        let mut state = self.state();
        match state.way {
            Way::There => Called::There,
            Way::Barred => Called::Waits,
            Way::Seeking(_) => {
                state.way = Way::Seeking(Urgency::Urged);
                self.called.notify_one();
                Called::Comes
            }
        }
    }

    /// A statement finds nothing where its catalog should be.
    pub fn miss(&self) {
        self.missed.notify_one();
    }

    /// Waits until a statement does. May be cancelled.
    pub async fn missed(&self) {
        self.missed.notified().await;
    }

    /// Waits until a client has logged in. May be cancelled.
    pub async fn called(&self) {
        self.called.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, Mooring> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Way {
    fn default() -> Self {
        Self::Seeking(Urgency::Patient)
    }
}

impl From<Outlook> for Way {
    fn from(outlook: Outlook) -> Self {
        match outlook {
            Outlook::Reachable => Self::Seeking(Urgency::Patient),
            Outlook::Barred => Self::Barred,
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
        let berth = Berth::default();
        assert!(berth.is_adrift() && !berth.is_at(&server(1)));
        assert_eq!(berth.call(), Called::Comes);
        assert_eq!(berth.leave(Outlook::Reachable), Urgency::Urged);
        berth.seek();
        assert_eq!(berth.leave(Outlook::Reachable), Urgency::Patient);
        berth.address(server(1));
        berth.arrive();
        assert!(berth.is_at(&server(1)) && !berth.is_at(&server(2)) && !berth.is_adrift());
        assert_eq!(berth.call(), Called::There);
        assert_eq!(berth.leave(Outlook::Barred), Urgency::Patient);
        assert_eq!(berth.call(), Called::Waits);
        assert!(!berth.is_adrift());
    }
}
