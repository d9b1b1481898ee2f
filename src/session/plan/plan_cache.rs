//! The plans that one worker has seen, each believed for a while.
//!
//! A plan is known by the fingerprint of its statement: values do not count, so what the planner
//! thought of one value stands for others until it is too old. Only what stays within the bounds of
//! a policy is taken from here: nothing is refused for the values of somebody else.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;

use super::estimate::PlanEstimate;
use crate::gate::{Facts, Gate, SearchPaths, SessionNames, VerdictBasis};
use crate::limits;
use crate::sql::fingerprint::Fingerprint;

/// Remembers plans. Two generations: when the young one is full it becomes the old one, and the old
/// one is dropped.
#[derive(Debug, Default)]
pub struct PlanCache {
    /// Seeded at random: a client cannot choose names that collide.
    hasher: RandomState,
    young: HashMap<PlanKey, CachedPlan, RandomState>,
    old: HashMap<PlanKey, CachedPlan, RandomState>,
}

/// What a plan belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlanKey {
    statement: StatementKey,
    basis: VerdictBasis,
    policy: u64,
    database: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StatementKey {
    Fingerprint(Fingerprint),
    /// Where no fingerprints are taken: the text to the last byte.
    Text([u8; 32]),
}

#[derive(Clone, Copy, Debug)]
struct CachedPlan {
    plan: PlanEstimate,
    since: Instant,
}

/// What a session knows of plans.
pub struct SessionPlans {
    /// The plans that the worker knows.
    pub(in crate::session) cache: Arc<Mutex<PlanCache>>,
    /// How long the last plan took that was asked for; none once somebody has put that on record.
    pub(in crate::session) took: Option<Duration>,
}

impl SessionPlans {
    /// The key of a statement; none where what it reads is not known for certain.
    pub(super) fn key(
        &self,
        gate: &Gate,
        facts: &Facts,
        text: &str,
        known: (&SessionNames, &str),
    ) -> Option<PlanKey> {
        self.cached().key(gate, facts, text, known)
    }

    /// The plan of a statement, unless it is too old.
    pub(super) fn find(&self, key: &PlanKey, age_max: Duration) -> Option<PlanEstimate> {
        self.cached().find(key, age_max)
    }

    /// Remembers the plan that was asked for.
    pub(super) fn remember(&self, key: Option<PlanKey>, plan: Option<PlanEstimate>) {
        if let (Some(key), Some(plan)) = (key, plan) {
            self.cached().insert(key, plan);
        }
    }

    fn cached(&self) -> MutexGuard<'_, PlanCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PlanCache {
    /// The key of a statement; none where what it reads is not known for certain: that it is
    /// planned anew each time.
    pub fn key(
        &self,
        gate: &Gate,
        facts: &Facts,
        text: &str,
        (names, database): (&SessionNames, &str),
    ) -> Option<PlanKey> {
        let SearchPaths::Known(paths) = names.paths() else {
            return None;
        };
        if !facts.cacheable || paths.len() != 1 {
            return None;
        }
        let statement = match facts.fingerprint {
            Some(fingerprint) => StatementKey::Fingerprint(fingerprint),
            None => StatementKey::Text(*blake3::hash(text.as_bytes()).as_bytes()),
        };
        Some(PlanKey {
            statement,
            basis: names.basis(),
            policy: gate.policy().version_number(),
            database: self.hasher.hash_one(database),
        })
    }

    /// The plan of a statement, unless it is too old.
    pub fn find(&self, key: &PlanKey, age_max: Duration) -> Option<PlanEstimate> {
        let known = self.young.get(key).or_else(|| self.old.get(key))?;
        (known.since.elapsed() < age_max).then_some(known.plan)
    }

    /// Remembers a plan as of now.
    pub fn insert(&mut self, key: PlanKey, plan: PlanEstimate) {
        // Half of the bound: there are two generations.
        if self.young.len() >= limits::PLANS_KNOWN_MAX / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        let since = Instant::now();
        self.young.insert(key, CachedPlan { plan, since });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Judgement;
    use crate::policy::Policy;
    use std::borrow::Cow;
    use std::sync::Arc;

    const PLAN: PlanEstimate = PlanEstimate {
        cost: 1.0,
        rows: 1.0,
    };

    fn key_of(
        known: &PlanCache,
        gate: &Gate,
        text: &'static str,
        database: &str,
    ) -> Option<PlanKey> {
        let mut names = SessionNames::of_no_database();
        names.set_paths(SearchPaths::Known([["public".into()].into()].into()));
        let Judgement { facts, .. } = gate.judge(Cow::Borrowed(text), &names);
        known.key(gate, &facts, text, (&names, database))
    }

    #[test]
    fn a_plan_is_known_for_a_while() {
        let gate = Gate::without_fingerprints(Arc::new(Policy::agent()));
        let mut known = PlanCache::default();
        let key = key_of(&known, &gate, "SELECT 1", "a").unwrap();
        assert!(known.find(&key, Duration::MAX).is_none());
        known.insert(key, PLAN);
        assert_eq!(known.find(&key, Duration::MAX), Some(PLAN));
        assert!(known.find(&key, Duration::ZERO).is_none());
        for (text, database) in [("SELECT 2", "a"), ("SELECT 1", "b")] {
            let other = key_of(&known, &gate, text, database).unwrap();
            assert!(known.find(&other, Duration::MAX).is_none());
        }
    }

    #[test]
    fn names_that_may_mean_something_else_have_no_key() {
        let gate = Gate::without_fingerprints(Arc::new(Policy::agent()));
        let names = SessionNames::of_no_database();
        let facts = gate.judge(Cow::Borrowed("SELECT 1"), &names).facts;
        let known = PlanCache::default();
        assert!(
            known
                .key(&gate, &facts, "SELECT 1", (&names, "a"))
                .is_none()
        );
    }

    #[test]
    fn what_is_known_has_a_bound() {
        let gate = Gate::without_fingerprints(Arc::new(Policy::agent()));
        let mut known = PlanCache::default();
        let first = key_of(&known, &gate, "SELECT 1", "a").unwrap();
        for database in 0..2 * limits::PLANS_KNOWN_MAX {
            let database = known.hasher.hash_one(database);
            known.insert(PlanKey { database, ..first }, PLAN);
        }
        assert!(known.young.len() + known.old.len() <= limits::PLANS_KNOWN_MAX);
    }
}
