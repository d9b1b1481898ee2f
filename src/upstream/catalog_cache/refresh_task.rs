//! The task of one keeper: visits the upstream again and again, and withdraws what nobody checks.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::Charge;
use super::catalog_account::Left;
use super::connection::Visit;
use super::load_failure::{Blame, Failure, Mendable};
use super::published::State;
use super::registry::Registry;
use super::server_choice::{Outlook, Urgency};
use crate::catalog::Catalog;
use crate::limits;
use crate::telemetry::events::{
    CatalogChecked, CatalogFailed, CatalogForgotten, CatalogWanted, CatalogWithdrawn,
};
use crate::telemetry::labels::CatalogFailure;

/// What a keeper's task works with, from visit to visit.
pub(super) struct Watch {
    pub(super) charge: Arc<Charge>,
    pub(super) registry: Arc<Registry>,
    /// Tells this keeper from all others that there ever were.
    pub(super) number: u64,
    /// What was loaded last, also when it is shown no more.
    pub(super) last: Option<Arc<Catalog>>,
    pause: Duration,
    /// Attempts in a row that were made at once.
    hurried: u32,
    fault: Option<CatalogFailure>,
}

/// Keeps a keeper's task running: a fault in it ends the task and not the keeper.
pub(super) async fn keep(charge: Arc<Charge>, registry: Arc<Registry>, number: u64) {
    loop {
        let watch = Watch::new(Arc::clone(&charge), Arc::clone(&registry), number);
        if tokio::spawn(watch.run()).await.is_ok() {
            break;
        }
        // The panic hook has counted it and told where it was.
        sleep(limits::CATALOG_RETRY_PAUSE_MAX).await;
    }
    registry.telemetry.emit(&CatalogForgotten { number });
}

/// How a visit ends well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// The keeper is not needed any more.
    Forgotten,
}

impl Watch {
    fn new(charge: Arc<Charge>, registry: Arc<Registry>, number: u64) -> Self {
        Self {
            charge,
            registry,
            number,
            last: None,
            pause: limits::CATALOG_RETRY_PAUSE,
            hurried: 0,
            fault: None,
        }
    }

    /// Runs until the keeper is not needed any more. May be cancelled: the snapshot then grows old
    /// and is withdrawn by the clock.
    async fn run(mut self) {
        while !self.registry.forgets(&self.charge) {
            self.withdraw_if_old();
            let Some(account) = self.charge.accounts.current() else {
                self.charge.board.failed(State::ExpectAccount);
                let patience = self.until_old(limits::CATALOG_RETRY_PAUSE_MAX);
                // In vain: it is time to look whether anybody is still interested.
                let _ = timeout(patience, self.charge.accounts.offered()).await;
                continue;
            };
            let number = self.number;
            self.charge.berth.seek();
            self.registry.telemetry.emit(&CatalogWanted { number });
            match Visit::pay(&mut self, &account).await {
                Ok(Parting::Forgotten) => break,
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

    /// A visit goes well: the next failure is news again, and tried again soon.
    pub(super) fn note_success(&mut self) {
        self.pause = limits::CATALOG_RETRY_PAUSE;
        self.hurried = 0;
        self.fault = None;
    }

    /// Says what went wrong, once, and waits before the next attempt. Cut short by a client that
    /// logs in, which shows that the server is there: it waits for what comes of the next attempt.
    async fn recover(&mut self, failure: &Failure) {
        let why = failure.label();
        let is_news = self.fault.replace(why) != Some(why);
        self.registry.telemetry.emit(&CatalogFailed {
            database: &self.charge.database,
            why,
            told: &Mendable {
                failure,
                keys: self.charge.accounts.keys(),
            },
            is_news,
        });
        let outlook = failure.outlook();
        let urgency = self.charge.berth.leave(outlook);
        let (state, pause_max) = match failure.blame() {
            Blame::Account => match self.charge.accounts.refused() {
                Left::Configured => (State::Failed { why }, limits::CATALOG_REFUSED_PAUSE_MAX),
                Left::OfUrl => (State::ExpectAccount, limits::CATALOG_REFUSED_PAUSE_MAX),
                // The next turn waits for somebody.
                Left::Nobody => return,
            },
            Blame::Other => (State::Failed { why }, limits::CATALOG_RETRY_PAUSE_MAX),
        };
        if urgency == Urgency::Urged && self.hurried < limits::CATALOG_URGED_TRIES_MAX {
            self.hurried += 1;
            sleep(limits::CATALOG_CHECK_PAUSE).await;
            return;
        }
        self.hurried = 0;
        self.charge.board.failed(state);
        let least = limits::CATALOG_CHECK_PAUSE.min(self.pause);
        sleep(least).await;
        let charge = &self.charge;
        // A session that has outlived the outage goes without until this is over.
        let missed = async {
            charge.berth.missed().await;
            sleep(limits::CATALOG_MISSED_PAUSE).await;
        };
        tokio::select! {
            () = missed, if outlook == Outlook::Reachable => {}
            () = charge.accounts.offered() => {}
            () = charge.berth.called() => {}
            () = sleep(self.until_old(self.pause - least)) => {}
        }
        self.pause = (self.pause * 2).min(pause_max);
    }

    /// Takes down what is too old, and says so.
    fn withdraw_if_old(&self) {
        let why = self.fault.unwrap_or(CatalogFailure::Unchecked);
        if let Some(age) = self.charge.board.withdraw_if_old(why) {
            let database = &self.charge.database;
            self.registry
                .telemetry
                .emit(&CatalogWithdrawn { database, age });
        }
    }

    /// A pause that ends when what is shown gets too old.
    fn until_old(&self, pause: Duration) -> Duration {
        let now = Instant::now();
        match self.charge.board.expires() {
            Some(expires) if expires > now => pause.min(expires - now + MOMENT),
            Some(_) | None => pause,
        }
    }
}

/// Past the bound, not at it.
const MOMENT: Duration = Duration::from_millis(2);
