//! What is known of a database now: written by its cache's task, read by sessions and probes on
//! every thread.
//!
//! That a snapshot is too old is decided by the clock when it is asked for, not by the task that
//! withdraws it: should the task hang, no session goes on with what nobody checks any more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::policy_effects::PolicyEffects;
use crate::catalog::CatalogVersion;
use crate::gate::effects::graph::EffectGraph;
use crate::telemetry::labels::CatalogFailure;

/// What sessions read.
pub struct Published {
    epoch: Instant,
    age_max: Duration,
    generation: AtomicU64,
    /// The generation given out last.
    given: AtomicU64,
    /// Milliseconds after the epoch at which the last check began; zero before the first.
    checked: AtomicU64,
    policy_effects: RwLock<Option<Arc<PolicyEffects>>>,
    state: watch::Sender<CatalogState>,
}

/// What a cache is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogState {
    /// No account is known yet: it waits for a client to log in.
    ExpectAccount,
    /// The first load is under way.
    Loading,
    /// A snapshot is there.
    Loaded {
        /// Its version.
        version: CatalogVersion,
    },
    /// There is none, or none any more.
    Failed {
        /// Why the last attempt to get one failed.
        why: CatalogFailure,
    },
}

/// How a cache stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogCacheStatus {
    /// What it is about. A snapshot that is too old counts as failed.
    pub state: CatalogState,
    /// Time since the last check that succeeded.
    pub age: Option<Duration>,
}

impl Published {
    /// An empty board.
    pub fn new(state: CatalogState, age_max: Duration) -> Self {
        Self {
            epoch: Instant::now(),
            age_max,
            generation: AtomicU64::new(NOTHING),
            given: AtomicU64::new(NOTHING),
            checked: AtomicU64::new(NEVER),
            policy_effects: RwLock::default(),
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
    pub fn effects(&self, policy_version: u64) -> Option<Arc<EffectGraph>> {
        let policy_effects = self
            .policy_effects
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let effect_graph = policy_effects.as_ref()?.effects(policy_version);
        effect_graph.filter(|_| self.is_fresh()).map(Arc::clone)
    }

    /// All that is shown, also what is not fresh.
    pub fn policy_effects(&self) -> Option<Arc<PolicyEffects>> {
        let policy_effects = self
            .policy_effects
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        policy_effects.clone()
    }

    /// Shows a snapshot that a check begun at `checked` found to hold.
    pub fn publish(&self, policy_effects: Arc<PolicyEffects>, checked: Instant) {
        let version = policy_effects.catalog().version();
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        // What was shown before is dropped behind the lock: nobody waits for that.
        let mut shown = self
            .policy_effects
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = shown.replace(policy_effects);
        drop(shown);
        self.note_checked(checked);
        self.generation.store(number, Ordering::Release);
        self.state.send_replace(CatalogState::Loaded { version });
        drop(before);
    }

    /// Shows the same snapshot under other policies. Nothing happens where another one is shown by
    /// now, or none: whoever showed that knew what it is wanted under.
    pub fn exchange(&self, policy_effects: Arc<PolicyEffects>) {
        let mut shown = self
            .policy_effects
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = match shown.as_ref() {
            Some(now) if Arc::ptr_eq(now.catalog(), policy_effects.catalog()) => {
                shown.replace(policy_effects)
            }
            Some(_) | None => None,
        };
        drop(shown);
        drop(before);
    }

    /// What is shown was found to hold by a check that began at that moment.
    pub fn confirm(&self, checked: Instant) {
        self.note_checked(checked);
        // Somebody may wait for it.
        let version = self
            .policy_effects()
            .map(|policy_effects| policy_effects.catalog().version());
        if let Some(version) = version {
            self.state.send_if_modified(|now| {
                let waits = *now == CatalogState::Loading;
                if waits {
                    *now = CatalogState::Loaded { version };
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
            .policy_effects
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        shown?;
        self.generation.store(NOTHING, Ordering::Release);
        self.state.send_if_modified(|now| {
            let is_shown = matches!(now, CatalogState::Loaded { .. });
            if is_shown {
                *now = CatalogState::Failed { why };
            }
            is_shown
        });
        self.age()
    }

    /// Takes down what is shown, whatever its age: it is of another server.
    pub fn withdraw(&self, state: CatalogState) {
        let mut shown = self
            .policy_effects
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let before = shown.take();
        drop(shown);
        self.generation.store(NOTHING, Ordering::Release);
        self.checked.store(NEVER, Ordering::Relaxed);
        self.state.send_replace(state);
        drop(before);
    }

    /// An attempt has failed: that is the state, unless a snapshot is still shown.
    pub fn failed(&self, state: CatalogState) {
        self.state.send_if_modified(|now| match now {
            CatalogState::Loaded { .. } => false,
            CatalogState::ExpectAccount | CatalogState::Loading | CatalogState::Failed { .. } => {
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
                CatalogState::Loaded { .. } => !is_fresh,
                CatalogState::Loading => false,
                CatalogState::ExpectAccount | CatalogState::Failed { .. } => true,
            };
            if is_due {
                *now = CatalogState::Loading;
            }
            is_due
        });
    }

    /// Waits until no first load is under way. May be cancelled.
    pub async fn settled(&self) {
        let mut state = self.state.subscribe();
        // An error would mean that the board is gone, which is borrowed here.
        let _ = state
            .wait_for(|state| *state != CatalogState::Loading)
            .await;
    }

    /// How it stands.
    pub fn status(&self) -> CatalogCacheStatus {
        let state = match *self.state.borrow() {
            CatalogState::Loaded { .. } if !self.is_fresh() => CatalogState::Failed {
                why: CatalogFailure::Unchecked,
            },
            state => state,
        };
        let age = self.age();
        CatalogCacheStatus { state, age }
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
    use crate::catalog::catalog_rows::CatalogRows;
    use crate::policy::Policy;

    fn sights(policies: &[Arc<Policy>]) -> Arc<PolicyEffects> {
        let catalog = Catalog::build(CatalogRows::default()).unwrap();
        Arc::new(PolicyEffects::of(Arc::new(catalog), policies))
    }

    fn agent() -> Vec<Arc<Policy>> {
        vec![Arc::new(Policy::agent())]
    }

    fn is_seen(published: &Published) -> bool {
        published.effects(agent()[0].version_number()).is_some()
    }

    fn board(age_max: Duration) -> Published {
        Published::new(CatalogState::Loading, age_max)
    }

    #[test]
    fn each_snapshot_has_a_number_of_its_own() {
        let published = board(Duration::from_secs(60));
        assert_eq!(published.generation(), NOTHING);
        assert!(!is_seen(&published));
        published.publish(sights(&agent()), Instant::now());
        let first = published.generation();
        published.publish(sights(&agent()), Instant::now());
        assert!(first != NOTHING && published.generation() > first);
        assert!(is_seen(&published));
        // A failure alone takes nothing down.
        let why = CatalogFailure::Lost;
        published.failed(CatalogState::Failed { why });
        assert!(matches!(
            published.status().state,
            CatalogState::Loaded { .. }
        ));
        assert_eq!(published.withdraw_if_old(why), None);
    }

    #[test]
    fn what_is_too_old_is_gone_also_when_nobody_withdraws_it() {
        let published = board(Duration::from_millis(300));
        published.publish(sights(&agent()), Instant::now());
        let number = published.generation();
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(published.generation(), NOTHING);
        assert!(!is_seen(&published));
        let unchecked = CatalogState::Failed {
            why: CatalogFailure::Unchecked,
        };
        assert_eq!(published.status().state, unchecked);
        // A check that comes late, but finds it to hold, brings it back.
        published.confirm(Instant::now());
        assert_eq!(published.generation(), number);
        std::thread::sleep(Duration::from_millis(400));
        let why = CatalogFailure::Lost;
        assert!(published.withdraw_if_old(why) > Some(Duration::from_millis(300)));
        assert_eq!(published.withdraw_if_old(why), None);
        assert_eq!(published.status().state, CatalogState::Failed { why });
        published.confirm(Instant::now());
        assert_eq!(published.generation(), NOTHING);
        assert!(!is_seen(&published));
        published.publish(sights(&agent()), Instant::now());
        assert!(published.generation() > number);
    }

    #[test]
    fn what_is_of_another_server_is_gone_at_once() {
        let published = board(Duration::from_secs(60));
        published.publish(sights(&agent()), Instant::now());
        published.withdraw(CatalogState::Loading);
        assert_eq!(published.generation(), NOTHING);
        assert!(!is_seen(&published) && published.status().age.is_none());
        published.confirm(Instant::now());
        assert!(!is_seen(&published) && published.generation() == NOTHING);
    }

    #[test]
    fn who_comes_when_it_is_too_old_waits_for_the_next_check() {
        let published = board(Duration::from_millis(100));
        published.publish(sights(&agent()), Instant::now());
        published.expect_load();
        assert!(matches!(
            published.status().state,
            CatalogState::Loaded { .. }
        ));
        std::thread::sleep(Duration::from_millis(200));
        published.expect_load();
        assert_eq!(published.status().state, CatalogState::Loading);
        // To withdraw it ends nobody's waiting; a check that finds it to hold does.
        published.confirm(Instant::now());
        assert!(matches!(
            *published.state.borrow(),
            CatalogState::Loaded { .. }
        ));
        std::thread::sleep(Duration::from_millis(200));
        published.expect_load();
        assert!(published.withdraw_if_old(CatalogFailure::Lost).is_some());
        assert_eq!(published.status().state, CatalogState::Loading);
    }

    #[test]
    fn a_snapshot_is_seen_under_each_policy_and_under_new_ones_without_being_another() {
        let published = board(Duration::from_secs(60));
        let both = vec![Arc::new(Policy::agent()), Arc::new(Policy::bi())];
        published.publish(sights(&agent()), Instant::now());
        let (number, bi) = (published.generation(), both[1].version_number());
        assert!(is_seen(&published) && published.effects(bi).is_none());
        let old = published.policy_effects().unwrap();
        let new = Arc::new(old.for_policies(&both));
        assert!(new.has_all(&both) && !old.has_all(&both));
        let agent = both[0].version_number();
        assert!(Arc::ptr_eq(
            old.effects(agent).unwrap(),
            new.effects(agent).unwrap()
        ));
        published.exchange(Arc::clone(&new));
        assert!(published.effects(bi).is_some());
        assert_eq!(published.generation(), number);
        // Another snapshot is not replaced by one of before.
        published.publish(sights(&both[1..]), Instant::now());
        published.exchange(new);
        assert!(!is_seen(&published) && published.effects(bi).is_some());
    }
}
