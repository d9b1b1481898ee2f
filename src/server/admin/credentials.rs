//! What opens the admin address, as of now: the token, and the names that it may be asked for by.

use std::sync::{Arc, PoisonError, RwLock};

use super::allowed_hosts::Hosts;
use crate::secret::Secret;

/// What opens it, and may be exchanged while it serves.
pub struct AdminKeys {
    held: RwLock<Arc<Held>>,
}

/// What opens it.
pub(super) struct Held {
    /// The bearer token of the live page; without one it is for this host alone.
    pub(super) token: Option<Secret>,
    /// The names that scrapers and probes may ask for it by, beside its addresses.
    pub(super) hosts: Hosts,
}

impl AdminKeys {
    /// Begins with these.
    pub fn new(token: Option<Secret>, hosts: Vec<String>) -> Self {
        Self {
            held: RwLock::new(Held::of(token, hosts)),
        }
    }

    /// Requests that come from now on are held against these.
    pub fn renew(&self, token: Option<Secret>, hosts: Vec<String>) {
        let held = Held::of(token, hosts);
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }

    pub(super) fn now(&self) -> Arc<Held> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&held)
    }
}

impl Held {
    fn of(token: Option<Secret>, hosts: Vec<String>) -> Arc<Self> {
        let hosts = Hosts::new(hosts);
        Arc::new(Self { token, hosts })
    }
}
