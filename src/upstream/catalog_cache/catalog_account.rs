//! Who a cache logs in as: the account that the settings name, or else one that a client has just
//! logged in with.
//!
//! A borrowed account stays in memory, is used for nothing but reading the system catalogs of the
//! database that its owner logged in to, and is never shown.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::upstream::snapshot::UpstreamAccount;

/// What the settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountSetting {
    /// This account and no other.
    Configured(UpstreamAccount),
    /// The account in the upstream's URL; another one where the upstream turns it away.
    OfUrl(UpstreamAccount),
    /// None.
    Nobody,
}

/// The accounts of one cache.
pub struct CatalogAccounts {
    state: Mutex<CatalogAccountState>,
    offered: Notify,
}

/// What is known and has been tried.
struct CatalogAccountState {
    known: AccountSetting,
    known_refused: bool,
    borrowed: Option<UpstreamAccount>,
}

/// What a refusal leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemainingAccount {
    /// The account that the settings insist on: it is tried again and again.
    Configured,
    /// The URL's, which is tried again and again until a client brings another one.
    OfUrl,
    /// Nobody: the next client to log in brings one.
    Nobody,
}

impl CatalogAccounts {
    /// The accounts of a cache that was never tried.
    pub fn new(known: AccountSetting) -> Self {
        Self {
            state: Mutex::new(CatalogAccountState {
                known,
                known_refused: false,
                borrowed: None,
            }),
            offered: Notify::new(),
        }
    }

    /// The settings say something else from now on: it is tried at once, where the cache waits.
    pub fn renew(&self, known: AccountSetting) {
        let mut state = self.state();
        state.known = known;
        state.known_refused = false;
        drop(state);
        self.offered.notify_one();
    }

    /// The account to use now.
    pub fn current(&self) -> Option<UpstreamAccount> {
        let state = self.state();
        match (&state.known, &state.borrowed) {
            (AccountSetting::Configured(account), _) => Some(account.clone()),
            (AccountSetting::OfUrl(account), borrowed)
                if !state.known_refused || borrowed.is_none() =>
            {
                Some(account.clone())
            }
            (AccountSetting::OfUrl(_) | AccountSetting::Nobody, borrowed) => borrowed.clone(),
        }
    }

    /// The settings that the current account comes from, in words that go on a sentence, with keys
    /// in braces.
    pub fn remedy(&self) -> &'static str {
        let state = self.state();
        let is_borrowed = state.borrowed.is_some();
        match &state.known {
            AccountSetting::Configured(_) => "; see {catalog.user} and {catalog.password_file}",
            AccountSetting::OfUrl(_) if !is_borrowed => {
                "; see {upstream.url} and {upstream.password_file}, or {catalog.user} and \
                 {catalog.password_file}"
            }
            AccountSetting::OfUrl(_) | AccountSetting::Nobody => {
                "; see {upstream.url}; the account is a client's, for want of {catalog.user}"
            }
        }
    }

    /// Takes the account of a client that logged in, where it is needed. Says whether it was.
    pub fn offer(&self, account: UpstreamAccount) -> bool {
        let mut state = self.state();
        let is_needed = match state.known {
            AccountSetting::Configured(_) => false,
            AccountSetting::OfUrl(_) => state.known_refused && state.borrowed.is_none(),
            AccountSetting::Nobody => state.borrowed.is_none(),
        };
        if is_needed {
            state.borrowed = Some(account);
            self.offered.notify_one();
        }
        is_needed
    }

    /// The upstream has turned the current account away: a borrowed one is forgotten.
    pub fn refused(&self) -> RemainingAccount {
        let mut state = self.state();
        let was_borrowed = state.borrowed.take().is_some();
        match state.known {
            AccountSetting::Configured(_) => RemainingAccount::Configured,
            AccountSetting::OfUrl(_) => {
                // After a borrowed one the URL's own has its turn again.
                state.known_refused = !was_borrowed;
                RemainingAccount::OfUrl
            }
            AccountSetting::Nobody => RemainingAccount::Nobody,
        }
    }

    /// Waits until an account was taken. May be cancelled.
    pub async fn until_offered(&self) {
        self.offered.notified().await;
    }

    fn state(&self) -> MutexGuard<'_, CatalogAccountState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn account(user: &str) -> UpstreamAccount {
        UpstreamAccount {
            user: user.into(),
            secret: Some(Secret::new("x").into()),
        }
    }

    #[track_caller]
    fn check(accounts: &CatalogAccounts, user: Option<&str>) {
        let current = accounts.current().map(|account| account.user);
        assert_eq!(current.as_deref(), user);
    }

    #[test]
    fn a_configured_account_is_never_replaced() {
        let accounts = CatalogAccounts::new(AccountSetting::Configured(account("watch")));
        assert!(!accounts.offer(account("ann")));
        check(&accounts, Some("watch"));
        assert_eq!(accounts.refused(), RemainingAccount::Configured);
        assert!(!accounts.offer(account("ann")));
        check(&accounts, Some("watch"));
    }

    #[test]
    fn a_borrowed_account_is_kept_until_it_is_refused() {
        let accounts = CatalogAccounts::new(AccountSetting::Nobody);
        check(&accounts, None);
        assert!(accounts.offer(account("ann")));
        assert!(!accounts.offer(account("ben")));
        check(&accounts, Some("ann"));
        assert_eq!(accounts.refused(), RemainingAccount::Nobody);
        check(&accounts, None);
        assert!(accounts.offer(account("ben")));
        check(&accounts, Some("ben"));
    }

    #[test]
    fn the_urls_account_comes_first_and_a_clients_when_it_is_refused() {
        let accounts = CatalogAccounts::new(AccountSetting::OfUrl(account("app")));
        assert!(!accounts.offer(account("ann")));
        check(&accounts, Some("app"));
        assert_eq!(accounts.refused(), RemainingAccount::OfUrl);
        check(&accounts, Some("app"));
        assert!(accounts.offer(account("ann")));
        check(&accounts, Some("ann"));
        assert_eq!(accounts.refused(), RemainingAccount::OfUrl);
        check(&accounts, Some("app"));
    }
}
