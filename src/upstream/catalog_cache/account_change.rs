//! What changes for keepers while they keep: who they log in as, and where they stay.

use std::sync::{MutexGuard, PoisonError};

use super::catalog_account::Known;
use super::registry::{Catalogs, Registry};

/// What a keeper is to do at the server that it has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    /// Stay.
    Here,
    /// Look on: sessions need it at another server.
    Elsewhere,
    /// End: somebody else keeps this one, and nobody needs another.
    Forgotten,
}

impl Catalogs {
    /// Keepers log in with this account from now on. Those that are logged in stay.
    pub fn renew(&self, account: &Known) {
        let Some(registry) = &self.registry else {
            return;
        };
        // Whoever begins a keeper meanwhile has read it before, and is among them.
        *registry.account() = account.clone();
        for charge in registry.charges() {
            charge.accounts.renew(account.clone());
        }
    }
}

impl Registry {
    pub(super) fn account(&self) -> MutexGuard<'_, Known> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
