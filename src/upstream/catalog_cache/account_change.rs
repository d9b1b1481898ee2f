//! What changes for caches while they run: who they log in as, and where they stay.

use std::sync::{MutexGuard, PoisonError};

use super::catalog_account::AccountSetting;
use super::registry::{CacheRegistry, CatalogCaches};

/// What a cache is to do at the server that it has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerDecision {
    /// Stay.
    Here,
    /// Look on: sessions need it at another server.
    Elsewhere,
    /// End: somebody else keeps this one, and nobody needs another.
    Forgotten,
}

impl CatalogCaches {
    /// Caches log in with this account from now on. Those that are logged in stay.
    pub fn renew(&self, account: &AccountSetting) {
        let Some(registry) = &self.registry else {
            return;
        };
        // Whoever begins a cache meanwhile has read it before, and is among them.
        *registry.account() = account.clone();
        for cached in registry.cached_databases() {
            cached.accounts.renew(account.clone());
        }
    }
}

impl CacheRegistry {
    pub(super) fn account(&self) -> MutexGuard<'_, AccountSetting> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
