//! The task of one cache: connects to the upstream again and again, and withdraws what nobody
//! checks.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::CachedDatabase;
use super::catalog_account::RemainingAccount;
use super::connection::CatalogConnection;
use super::load_failure::{CatalogLoadFailure, FailureBlame};
use super::published::CatalogState;
use super::registry::CacheRegistry;
use super::server_choice::{RetryOutlook, RetryUrgency};
use crate::catalog::Catalog;
use crate::limits;
use crate::telemetry::events::{
    CatalogChecked, CatalogFailed, CatalogForgotten, CatalogWanted, CatalogWithdrawn,
};
use crate::telemetry::labels::CatalogFailure;

/// What a cache's task works with, from connection to connection.
pub(super) struct RefreshTask {
    pub(super) cached: Arc<CachedDatabase>,
    pub(super) registry: Arc<CacheRegistry>,
    /// Tells this cache from all others that there ever were.
    pub(super) number: u64,
    /// What was loaded last, also when it is shown no more.
    pub(super) last: Option<Arc<Catalog>>,
    pause: Duration,
    /// Attempts in a row that were made at once.
    hurried: u32,
    fault: Option<CatalogFailure>,
}

/// Keeps a cache's task running: a fault in it ends the task and not the cache.
pub(super) async fn run_refresh_task(
    cached: Arc<CachedDatabase>,
    registry: Arc<CacheRegistry>,
    number: u64,
) {
    loop {
        let watch = RefreshTask::new(Arc::clone(&cached), Arc::clone(&registry), number);
        if tokio::spawn(watch.run()).await.is_ok() {
            break;
        }
        // The panic hook has counted it and told where it was.
        sleep(limits::CATALOG_RETRY_PAUSE_MAX).await;
    }
    registry.telemetry.emit(&CatalogForgotten { number });
}

/// How a connection ends well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// The cache is not needed any more.
    Forgotten,
}

impl RefreshTask {
    fn new(cached: Arc<CachedDatabase>, registry: Arc<CacheRegistry>, number: u64) -> Self {
        Self {
            cached,
            registry,
            number,
            last: None,
            pause: limits::CATALOG_RETRY_PAUSE,
            hurried: 0,
            fault: None,
        }
    }

    /// Runs until the cache is not needed any more. May be cancelled: the snapshot then grows old
    /// and is withdrawn by the clock.
    async fn run(mut self) {
        while !self.registry.forgets(&self.cached) {
            self.withdraw_if_old();
            let Some(account) = self.cached.accounts.current() else {
                self.cached.published.failed(CatalogState::ExpectAccount);
                let patience = self.until_old(limits::CATALOG_RETRY_PAUSE_MAX);
                // In vain: it is time to look whether anybody is still interested.
                let _ = timeout(patience, self.cached.accounts.until_offered()).await;
                continue;
            };
            let number = self.number;
            self.cached.server_choice.begin_attempt();
            self.registry.telemetry.emit(&CatalogWanted { number });
            match CatalogConnection::run(&mut self, &account).await {
                Ok(ConnectionEnd::Forgotten) => break,
                Err(failure) => self.recover(&failure).await,
            }
        }
    }

    /// Notes that a check begun at that moment has succeeded.
    pub(super) fn note_check(&self, began: Instant) {
        self.registry.telemetry.emit(&CatalogChecked {
            number: self.number,
            began: began.into_std(),
        });
    }

    /// A connection goes well: the next failure is news again, and tried again soon.
    pub(super) fn note_success(&mut self) {
        self.pause = limits::CATALOG_RETRY_PAUSE;
        self.hurried = 0;
        self.fault = None;
    }

    /// Says what went wrong, once, and waits before the next attempt. Cut short by a client that
    /// logs in, which shows that the server is there: it waits for what comes of the next attempt.
    async fn recover(&mut self, failure: &CatalogLoadFailure) {
        let why = failure.label();
        let is_news = self.fault.replace(why) != Some(why);
        self.registry.telemetry.emit(&CatalogFailed {
            database: &self.cached.database,
            why,
            told: failure,
            remedy: failure.remedy(self.cached.accounts.remedy()),
            is_news,
        });
        let outlook = failure.outlook();
        let urgency = self.cached.server_choice.leave(outlook);
        let (state, pause_max) = match failure.blame() {
            FailureBlame::Account => match self.cached.accounts.refused() {
                RemainingAccount::Configured => (
                    CatalogState::Failed { why },
                    limits::CATALOG_REFUSED_PAUSE_MAX,
                ),
                RemainingAccount::OfUrl => (
                    CatalogState::ExpectAccount,
                    limits::CATALOG_REFUSED_PAUSE_MAX,
                ),
                // The next turn waits for somebody.
                RemainingAccount::Nobody => return,
            },
            FailureBlame::Other => (
                CatalogState::Failed { why },
                limits::CATALOG_RETRY_PAUSE_MAX,
            ),
        };
        if urgency == RetryUrgency::Urged && self.hurried < limits::CATALOG_URGED_TRIES_MAX {
            self.hurried += 1;
            sleep(limits::CATALOG_CHECK_PAUSE).await;
            return;
        }
        self.hurried = 0;
        self.cached.published.failed(state);
        let least = limits::CATALOG_CHECK_PAUSE.min(self.pause);
        sleep(least).await;
        let cached = &self.cached;
        // A session that has outlived the outage goes without until this is over.
        let missed = async {
            cached.server_choice.until_missing().await;
            sleep(limits::CATALOG_MISSED_PAUSE).await;
        };
        tokio::select! {
            () = missed, if outlook == RetryOutlook::Reachable => {}
            () = cached.accounts.until_offered() => {}
            () = cached.server_choice.until_retry() => {}
            () = sleep(self.until_old(self.pause - least)) => {}
        }
        self.pause = (self.pause * 2).min(pause_max);
    }

    /// Takes down what is too old, and says so.
    fn withdraw_if_old(&self) {
        let why = self.fault.unwrap_or(CatalogFailure::Unchecked);
        if let Some(age) = self.cached.published.withdraw_if_old(why) {
            let database = &self.cached.database;
            self.registry
                .telemetry
                .emit(&CatalogWithdrawn { database, age });
        }
    }

    /// A pause that ends when what is shown gets too old.
    fn until_old(&self, pause: Duration) -> Duration {
        let now = Instant::now();
        match self.cached.published.expires() {
            Some(expires) if expires > now => pause.min(expires - now + MOMENT),
            Some(_) | None => pause,
        }
    }
}

/// Past the bound, not at it.
const MOMENT: Duration = Duration::from_millis(2);
