//! What opens the admin address, as of now: the token, and the names that it may be asked for by.

use std::sync::{Arc, PoisonError, RwLock};

use super::allowed_hosts::AllowedHosts;
use crate::secret::Secret;

/// What opens it, and may be exchanged while it serves.
pub struct AdminCredentials {
    held: RwLock<Arc<HeldCredentials>>,
}

/// What opens it.
pub(super) struct HeldCredentials {
    /// The bearer token of the live page; without one it is for this host alone.
    pub(super) token: Option<Secret>,
    /// The names that scrapers and probes may ask for it by, beside its addresses.
    pub(super) hosts: AllowedHosts,
}

impl AdminCredentials {
    /// Begins with these.
    pub fn new(token: Option<Secret>, hosts: Vec<String>) -> Self {
        Self {
            held: RwLock::new(HeldCredentials::of(token, hosts)),
        }
    }

    /// Requests that come from now on are held against these.
    pub fn renew(&self, token: Option<Secret>, hosts: Vec<String>) {
        let held = HeldCredentials::of(token, hosts);
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = held;
    }

    pub(super) fn now(&self) -> Arc<HeldCredentials> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&held)
    }
}

impl HeldCredentials {
    fn of(token: Option<Secret>, hosts: Vec<String>) -> Arc<Self> {
        let hosts = AllowedHosts::new(hosts);
        Arc::new(Self { token, hosts })
    }
}
