//! What is known of a database now: written by its keeper's task, read by sessions and probes on
//! every thread.
//!
//! That a snapshot is too old is decided by the clock when it is asked for, not by the task that
//! withdraws it: should the task hang, no session goes on with what nobody checks any more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::catalog::Version;
use crate::gate::sight::Sight;
use crate::telemetry::labels::CatalogFailure;

/// What sessions read.
pub struct Board {
    epoch: Instant,
    age_max: Duration,
    generation: AtomicU64,
    /// The generation given out last.
    given: AtomicU64,
    /// Milliseconds after the epoch at which the last check began; zero before the first.
    checked: AtomicU64,
    sight: RwLock<Option<Arc<Sight>>>,
    state: watch::Sender<State>,
}

/// What a keeper is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// No account is known yet: it waits for a client to log in.
    ExpectAccount,
    /// The first load is under way.
    Loading,
    /// A snapshot is there.
    Loaded {
        /// Its version.
        version: Version,
    },
    /// There is none, or none any more.
    Failed {
        /// Why the last attempt to get one failed.
        why: CatalogFailure,
    },
}

/// How a keeper stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What it is about. A snapshot that is too old counts as failed.
    pub state: State,
    /// Time since the last check that succeeded.
    pub age: Option<Duration>,
}

impl Board {
    /// An empty board.
    pub fn new(state: State, age_max: Duration) -> Self {
        Self {
            epoch: Instant::now(),
            age_max,
            generation: AtomicU64::new(NOTHING),
            given: AtomicU64::new(NOTHING),
            checked: AtomicU64::new(NEVER),
            sight: RwLock::default(),
            state: watch::Sender::new(state),
        }
    }

    /// The number of what is shown; [`NOTHING`] while nothing is.
    pub fn generation(&self) -> u64 {
        if self.is_fresh() {
            // Pairs with the store in `publish`: who sees the number sees the snapshot.
            self.generation.load(Ordering::Acquire)
        } else {
            NOTHING
        }
    }

    /// What is shown, while it is fresh.
    pub fn sight(&self) -> Option<Arc<Sight>> {
        let sight = self.sight.read().unwrap_or_else(PoisonError::into_inner);
        sight.clone().filter(|_| self.is_fresh())
    }

    /// Shows a snapshot that a check begun at `checked` found to hold.
    pub fn publish(&self, sight: &Arc<Sight>, checked: Instant) {
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let version = sight.catalog().version();
        *self.sight.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(sight));
        self.confirm(checked);
        self.generation.store(number, Ordering::Release);
        self.state.send_replace(State::Loaded { version });
    }

    /// What is shown was found to hold by a check that began at that moment.
    pub fn confirm(&self, checked: Instant) {
        let after = checked.saturating_duration_since(self.epoch).as_millis();
        let after = u64::try_from(after).unwrap_or(u64::MAX).max(NEVER + 1);
        self.checked.store(after, Ordering::Relaxed);
    }

    /// Takes down what is shown, if it is too old. Says how old.
    pub fn withdraw_if_old(&self, why: CatalogFailure) -> Option<Duration> {
        if self.is_fresh() {
            return None;
        }
        let shown = self
            .sight
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        shown?;
        self.generation.store(NOTHING, Ordering::Release);
        self.state.send_replace(State::Failed { why });
        self.age()
    }

    /// An attempt has failed: that is the state, unless a snapshot is still shown.
    pub fn failed(&self, state: State) {
        self.state.send_if_modified(|now| match now {
            State::Loaded { .. } => false,
            State::ExpectAccount | State::Loading | State::Failed { .. } => {
                let is_new = *now != state;
                *now = state;
                is_new
            }
        });
    }

    /// A client has brought an account: an attempt begins that is worth waiting for, unless a
    /// snapshot is shown.
    pub fn expect_load(&self) {
        self.failed(State::Loading);
    }

    /// Waits until no first load is under way. May be cancelled.
    pub async fn settled(&self) {
        let mut state = self.state.subscribe();
        // An error would mean that the board is gone, which is borrowed here.
        let _ = state.wait_for(|state| *state != State::Loading).await;
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        let state = match *self.state.borrow() {
            State::Loaded { .. } if !self.is_fresh() => State::Failed {
                why: CatalogFailure::Unchecked,
            },
            state => state,
        };
        let age = self.age();
        Status { state, age }
    }

    /// When what is shown will be too old, if nobody checks it.
    pub fn expires(&self) -> Option<Instant> {
        let checked = self.checked.load(Ordering::Relaxed);
        let after = Duration::from_millis(checked) + self.age_max;
        (checked != NEVER).then(|| self.epoch + after)
    }

    fn is_fresh(&self) -> bool {
        self.age().is_some_and(|age| age <= self.age_max)
    }

    fn age(&self) -> Option<Duration> {
        let checked = self.checked.load(Ordering::Relaxed);
        let after = self.epoch.elapsed();
        (checked != NEVER).then(|| after.saturating_sub(Duration::from_millis(checked)))
    }
}

/// The generation of nothing at all.
const NOTHING: u64 = 0;

/// The moment of a check that never was.
const NEVER: u64 = 0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::rows::Rows;
    use crate::policy::Policy;

    fn sight() -> Arc<Sight> {
        let catalog = Catalog::build(Rows::default()).unwrap();
        Arc::new(Sight::new(Arc::new(catalog), &Policy::agent()))
    }

    fn board(age_max: Duration) -> Board {
        Board::new(State::Loading, age_max)
    }

    #[test]
    fn each_snapshot_has_a_number_of_its_own() {
        let board = board(Duration::from_secs(60));
        assert_eq!(board.generation(), NOTHING);
        assert!(board.sight().is_none());
        board.publish(&sight(), Instant::now());
        let first = board.generation();
        board.publish(&sight(), Instant::now());
        assert!(first != NOTHING && board.generation() > first);
        assert!(board.sight().is_some());
        // A failure alone takes nothing down.
        let why = CatalogFailure::Lost;
        board.failed(State::Failed { why });
        assert!(matches!(board.status().state, State::Loaded { .. }));
        assert_eq!(board.withdraw_if_old(why), None);
    }

    #[test]
    fn what_is_too_old_is_gone_also_when_nobody_withdraws_it() {
        let board = board(Duration::from_millis(300));
        board.publish(&sight(), Instant::now());
        let number = board.generation();
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(board.generation(), NOTHING);
        assert!(board.sight().is_none());
        let unchecked = State::Failed {
            why: CatalogFailure::Unchecked,
        };
        assert_eq!(board.status().state, unchecked);
        // A check that comes late, but finds it to hold, brings it back.
        board.confirm(Instant::now());
        assert_eq!(board.generation(), number);
        std::thread::sleep(Duration::from_millis(400));
        let why = CatalogFailure::Lost;
        assert!(board.withdraw_if_old(why) > Some(Duration::from_millis(300)));
        assert_eq!(board.withdraw_if_old(why), None);
        assert_eq!(board.status().state, State::Failed { why });
        board.confirm(Instant::now());
        assert_eq!(board.generation(), NOTHING);
        assert!(board.sight().is_none());
        board.publish(&sight(), Instant::now());
        assert!(board.generation() > number);
    }
}
