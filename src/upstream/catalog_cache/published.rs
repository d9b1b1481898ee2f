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

use super::policy_effects::Sights;
use crate::catalog::Version;
use crate::gate::effects::graph::Sight;
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
    sights: RwLock<Option<Arc<Sights>>>,
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
            sights: RwLock::default(),
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

    /// What is shown under the policy of that version, while it is fresh.
    pub fn sight(&self, policy_version: u64) -> Option<Arc<Sight>> {
        let sights = self.sights.read().unwrap_or_else(PoisonError::into_inner);
        let sight = sights.as_ref()?.sight(policy_version);
        sight.filter(|_| self.is_fresh()).map(Arc::clone)
    }

    /// All that is shown, also what is not fresh.
    pub fn sights(&self) -> Option<Arc<Sights>> {
        let sights = self.sights.read().unwrap_or_else(PoisonError::into_inner);
        sights.clone()
    }

    /// Shows a snapshot that a check begun at `checked` found to hold.
    pub fn publish(&self, sights: Arc<Sights>, checked: Instant) {
        let version = sights.catalog().version();
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        // What was shown before is dropped behind the lock: nobody waits for that.
        let mut shown = self.sights.write().unwrap_or_else(PoisonError::into_inner);
        let before = shown.replace(sights);
        drop(shown);
        self.note_checked(checked);
        self.generation.store(number, Ordering::Release);
        self.state.send_replace(State::Loaded { version });
        drop(before);
    }

    /// Shows the same snapshot under other policies. Nothing happens where another one is shown by
    /// now, or none: whoever showed that knew what it is wanted under.
    pub fn exchange(&self, sights: Arc<Sights>) {
        let mut shown = self.sights.write().unwrap_or_else(PoisonError::into_inner);
        let before = match shown.as_ref() {
            Some(now) if Arc::ptr_eq(now.catalog(), sights.catalog()) => shown.replace(sights),
            Some(_) | None => None,
        };
        drop(shown);
        drop(before);
    }

    /// What is shown was found to hold by a check that began at that moment.
    pub fn confirm(&self, checked: Instant) {
        self.note_checked(checked);
        // Somebody may wait for it.
        let version = self.sights().map(|sights| sights.catalog().version());
        if let Some(version) = version {
            self.state.send_if_modified(|now| {
                let waits = *now == State::Loading;
                if waits {
                    *now = State::Loaded { version };
                }
                waits
            });
        }
    }

    fn note_checked(&self, checked: Instant) {
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
            .sights
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        shown?;
        self.generation.store(NOTHING, Ordering::Release);
        self.state.send_if_modified(|now| {
            let is_shown = matches!(now, State::Loaded { .. });
            if is_shown {
                *now = State::Failed { why };
            }
            is_shown
        });
        self.age()
    }

    /// Takes down what is shown, whatever its age: it is of another server.
    pub fn take_down(&self, state: State) {
        let mut shown = self.sights.write().unwrap_or_else(PoisonError::into_inner);
        let before = shown.take();
        drop(shown);
        self.generation.store(NOTHING, Ordering::Release);
        self.checked.store(NEVER, Ordering::Relaxed);
        self.state.send_replace(state);
        drop(before);
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

    /// A client has brought an account, or shown that the server is there: an attempt begins that
    /// is worth waiting for, unless a snapshot is shown that is fresh.
    pub fn expect_load(&self) {
        let is_fresh = self.is_fresh();
        self.state.send_if_modified(|now| {
            let is_due = match now {
                State::Loaded { .. } => !is_fresh,
                State::Loading => false,
                State::ExpectAccount | State::Failed { .. } => true,
            };
            if is_due {
                *now = State::Loading;
            }
            is_due
        });
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

    /// Whether something is shown that was checked lately enough.
    pub fn is_fresh(&self) -> bool {
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
    use crate::catalog::catalog_rows::Rows;
    use crate::policy::Policy;

    fn sights(policies: &[Arc<Policy>]) -> Arc<Sights> {
        let catalog = Catalog::build(Rows::default()).unwrap();
        Arc::new(Sights::of(Arc::new(catalog), policies))
    }

    fn agent() -> Vec<Arc<Policy>> {
        vec![Arc::new(Policy::agent())]
    }

    fn is_seen(board: &Board) -> bool {
        board.sight(agent()[0].version_number()).is_some()
    }

    fn board(age_max: Duration) -> Board {
        Board::new(State::Loading, age_max)
    }

    #[test]
    fn each_snapshot_has_a_number_of_its_own() {
        let board = board(Duration::from_secs(60));
        assert_eq!(board.generation(), NOTHING);
        assert!(!is_seen(&board));
        board.publish(sights(&agent()), Instant::now());
        let first = board.generation();
        board.publish(sights(&agent()), Instant::now());
        assert!(first != NOTHING && board.generation() > first);
        assert!(is_seen(&board));
        // A failure alone takes nothing down.
        let why = CatalogFailure::Lost;
        board.failed(State::Failed { why });
        assert!(matches!(board.status().state, State::Loaded { .. }));
        assert_eq!(board.withdraw_if_old(why), None);
    }

    #[test]
    fn what_is_too_old_is_gone_also_when_nobody_withdraws_it() {
        let board = board(Duration::from_millis(300));
        board.publish(sights(&agent()), Instant::now());
        let number = board.generation();
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(board.generation(), NOTHING);
        assert!(!is_seen(&board));
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
        assert!(!is_seen(&board));
        board.publish(sights(&agent()), Instant::now());
        assert!(board.generation() > number);
    }

    #[test]
    fn what_is_of_another_server_is_gone_at_once() {
        let board = board(Duration::from_secs(60));
        board.publish(sights(&agent()), Instant::now());
        board.take_down(State::Loading);
        assert_eq!(board.generation(), NOTHING);
        assert!(!is_seen(&board) && board.status().age.is_none());
        board.confirm(Instant::now());
        assert!(!is_seen(&board) && board.generation() == NOTHING);
    }

    #[test]
    fn who_comes_when_it_is_too_old_waits_for_the_next_check() {
        let board = board(Duration::from_millis(100));
        board.publish(sights(&agent()), Instant::now());
        board.expect_load();
        assert!(matches!(board.status().state, State::Loaded { .. }));
        std::thread::sleep(Duration::from_millis(200));
        board.expect_load();
        assert_eq!(board.status().state, State::Loading);
        // To withdraw it ends nobody's waiting; a check that finds it to hold does.
        board.confirm(Instant::now());
        assert!(matches!(*board.state.borrow(), State::Loaded { .. }));
        std::thread::sleep(Duration::from_millis(200));
        board.expect_load();
        assert!(board.withdraw_if_old(CatalogFailure::Lost).is_some());
        assert_eq!(board.status().state, State::Loading);
    }

    #[test]
    fn a_snapshot_is_seen_under_each_policy_and_under_new_ones_without_being_another() {
        let board = board(Duration::from_secs(60));
        let both = vec![Arc::new(Policy::agent()), Arc::new(Policy::bi())];
        board.publish(sights(&agent()), Instant::now());
        let (number, bi) = (board.generation(), both[1].version_number());
        assert!(is_seen(&board) && board.sight(bi).is_none());
        let old = board.sights().unwrap();
        let new = Arc::new(old.under(&both));
        assert!(new.has_all(&both) && !old.has_all(&both));
        let agent = both[0].version_number();
        assert!(Arc::ptr_eq(
            old.sight(agent).unwrap(),
            new.sight(agent).unwrap()
        ));
        board.exchange(Arc::clone(&new));
        assert!(board.sight(bi).is_some());
        assert_eq!(board.generation(), number);
        // Another snapshot is not replaced by one of before.
        board.publish(sights(&both[1..]), Instant::now());
        board.exchange(new);
        assert!(!is_seen(&board) && board.sight(bi).is_some());
    }
}
