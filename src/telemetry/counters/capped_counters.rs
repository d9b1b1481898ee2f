//! Counters with a name among their labels that is not known when the program is built: that of a
//! policy, a user, a fingerprint or what a statement was about. Each has a
//! [place](crate::telemetry::counters::label_slots) or is counted as one of the rest, under the
//! name `other`. A name that loses its place takes its series along.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

use crate::gate::{Rule, StatementKind};
use crate::limits;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::TelemetryError;
use crate::telemetry::counters::counter_vec::{LabelSet, ThreeLabels};
use crate::telemetry::counters::label_slots::{FreedSlot, LabelSlot, LabelSlots};
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::metrics::{
    Metric, OBSERVED, REFUSALS, STATEMENTS, USER_REFUSALS, USER_STATEMENTS,
};

/// What is counted by policy.
pub struct PolicyCounters {
    held: Mutex<PolicyCountersInner>,
}

/// What is counted by user.
pub struct UserCounters {
    held: Mutex<UserCountersInner>,
}

/// What is counted by fingerprint.
pub type FingerprintRefusals = CappedRefusals<Fingerprint>;

/// What is counted by what it was about, as [`Refusal::subject`](crate::gate::Refusal::subject)
/// calls it.
pub type SubjectRefusals = CappedRefusals<Box<str>>;

/// Refusals by a name that statements bring along.
pub struct CappedRefusals<N> {
    held: Mutex<CappedRefusalsInner<N>>,
}

/// The labels of a statement beside its policy.
pub type StatementLabels = ThreeLabels<ProtocolPath, StatementKind, StatementOutcome>;

/// Numbers of one user, by verdict.
pub type VerdictCounts = [u64; StatementOutcome::ALL.len()];

struct PolicyCountersInner {
    slots: LabelSlots<Arc<str>>,
    statements: CappedCounters<StatementLabels>,
    refusals: CappedCounters<Rule>,
    observed: CappedCounters<Rule>,
}

struct UserCountersInner {
    slots: LabelSlots<Arc<str>>,
    statements: CappedCounters<StatementOutcome>,
    refusals: CappedCounters<Rule>,
}

struct CappedRefusalsInner<N> {
    slots: LabelSlots<N>,
    refusals: CappedCounters<Rule>,
}

impl PolicyCounters {
    /// Registers the rows.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn register(registry: &Registry) -> Result<Self, TelemetryError> {
        let held = PolicyCountersInner {
            slots: LabelSlots::new(limits::POLICY_LABELS_MAX, limits::LABEL_IDLE_TIME),
            statements: CappedCounters::register(registry, &STATEMENTS)?,
            refusals: CappedCounters::register(registry, &REFUSALS)?,
            observed: CappedCounters::register(registry, &OBSERVED)?,
        };
        Ok(Self {
            held: Mutex::new(held),
        })
    }

    /// These policies hold. Their refusals begin at zero: a first rise must show.
    pub fn hold(&self, names: &[Arc<str>]) {
        let (mut held, now) = (open(&self.held), Instant::now());
        let own: Vec<Arc<str>> = names.iter().filter(is_a_name).cloned().collect();
        let freed = held.slots.keep(&own, now);
        held.drop_series(freed);
        for name in names {
            let (place, name) = held.enter(Some(name), now);
            held.refusals.zero(place, &name);
            held.observed.zero(place, &name);
        }
    }

    /// The place of a policy, for whoever counts its statements.
    pub fn slot(&self, name: Option<&Arc<str>>) -> LabelSlot {
        let (mut held, now) = (open(&self.held), Instant::now());
        let Some(name) = name.filter(is_a_name) else {
            return held.slots.rest();
        };
        let taken = held.slots.take(name, now);
        held.drop_series(taken.freed);
        taken.slot
    }

    /// Adds what was counted for a slot; says whether the slot is still good.
    pub fn add(
        &self,
        slot: LabelSlot,
        name: Option<&Arc<str>>,
        counts: impl Iterator<Item = (StatementLabels, u64)>,
    ) -> bool {
        let (mut held, now) = (open(&self.held), Instant::now());
        let is_good = held.slots.confirm(slot, now);
        let (place, name) = held.enter(name, now);
        for (labels, count) in counts {
            held.statements.add(place, &name, labels, count);
        }
        is_good
    }

    /// A statement under this policy was refused.
    pub fn refused(&self, name: Option<&Arc<str>>, rule: Rule) {
        let (mut held, now) = (open(&self.held), Instant::now());
        let (place, name) = held.enter(name, now);
        held.refusals.add(place, &name, rule, 1);
    }

    /// A rule of this policy would have refused a statement.
    pub fn observed(&self, name: Option<&Arc<str>>, rule: Rule) {
        let (mut held, now) = (open(&self.held), Instant::now());
        let (place, name) = held.enter(name, now);
        held.observed.add(place, &name, rule, 1);
    }

    /// Drops the series of policies that are gone.
    pub fn sweep(&self, now: Instant) {
        let mut held = open(&self.held);
        let freed = held.slots.sweep(now);
        held.drop_series(freed);
    }
}

impl PolicyCountersInner {
    fn enter(&mut self, name: Option<&Arc<str>>, now: Instant) -> (usize, Arc<str>) {
        let (place, name, freed) = enter(&mut self.slots, name, now);
        self.drop_series(freed);
        (place, name)
    }

    fn drop_series(&mut self, freed: impl IntoIterator<Item = FreedSlot<Arc<str>>>) {
        for FreedSlot { place, name } in freed {
            self.statements.drop_series(place, &name);
            self.refusals.drop_series(place, &name);
            self.observed.drop_series(place, &name);
        }
    }
}

impl UserCounters {
    /// Registers the rows.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn register(registry: &Registry) -> Result<Self, TelemetryError> {
        let held = UserCountersInner {
            slots: LabelSlots::new(limits::USER_LABELS_MAX, limits::LABEL_IDLE_TIME),
            statements: CappedCounters::register(registry, &USER_STATEMENTS)?,
            refusals: CappedCounters::register(registry, &USER_REFUSALS)?,
        };
        Ok(Self {
            held: Mutex::new(held),
        })
    }

    /// The place of a user, for whoever counts its statements.
    pub fn slot(&self, name: Option<&Arc<str>>) -> LabelSlot {
        let (mut held, now) = (open(&self.held), Instant::now());
        let Some(name) = name.filter(is_a_name) else {
            return held.slots.rest();
        };
        let taken = held.slots.take(name, now);
        held.drop_series(taken.freed);
        taken.slot
    }

    /// Adds what was counted for a slot; says whether the slot is still good.
    pub fn add(&self, slot: LabelSlot, name: Option<&Arc<str>>, verdicts: &VerdictCounts) -> bool {
        let (mut held, now) = (open(&self.held), Instant::now());
        let is_good = held.slots.confirm(slot, now);
        let (place, name) = held.enter(name, now);
        for (verdict, count) in StatementOutcome::ALL.iter().zip(verdicts) {
            if *count > 0 {
                held.statements.add(place, &name, *verdict, *count);
            }
        }
        is_good
    }

    /// A statement of this user was refused.
    pub fn refused(&self, name: Option<&Arc<str>>, rule: Rule) {
        let (mut held, now) = (open(&self.held), Instant::now());
        let (place, name) = held.enter(name, now);
        held.refusals.add(place, &name, rule, 1);
    }

    /// Drops the series of users that have sent nothing for too long.
    pub fn sweep(&self, now: Instant) {
        let mut held = open(&self.held);
        let freed = held.slots.sweep(now);
        held.drop_series(freed);
    }
}

impl UserCountersInner {
    fn enter(&mut self, name: Option<&Arc<str>>, now: Instant) -> (usize, Arc<str>) {
        let (place, name, freed) = enter(&mut self.slots, name, now);
        self.drop_series(freed);
        (place, name)
    }

    fn drop_series(&mut self, freed: impl IntoIterator<Item = FreedSlot<Arc<str>>>) {
        for FreedSlot { place, name } in freed {
            self.statements.drop_series(place, &name);
            self.refusals.drop_series(place, &name);
        }
    }
}

impl<N: Clone + Eq + Hash + Display> CappedRefusals<N> {
    /// Registers the row; so many names have a place at a time.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn register(
        registry: &Registry,
        metric: &'static Metric,
        most: usize,
    ) -> Result<Self, TelemetryError> {
        let held = CappedRefusalsInner {
            slots: LabelSlots::new(most, limits::LABEL_IDLE_TIME),
            refusals: CappedCounters::register(registry, metric)?,
        };
        Ok(Self {
            held: Mutex::new(held),
        })
    }

    /// A statement of this name was refused.
    pub fn refused(&self, name: &N, rule: Rule) {
        let (mut held, now) = (open(&self.held), Instant::now());
        let taken = held.slots.take(name, now);
        held.drop_series(taken.freed);
        let (place, most) = (taken.slot.place(), held.slots.most());
        if place < most {
            held.refusals.add(place, &name.to_string(), rule, 1);
        } else {
            held.refusals.add(most, OTHER, rule, 1);
        }
    }

    /// Drops the series of names that were not refused for too long.
    pub fn sweep(&self, now: Instant) {
        let mut held = open(&self.held);
        let freed = held.slots.sweep(now);
        held.drop_series(freed);
    }
}

impl<N: Display> CappedRefusalsInner<N> {
    fn drop_series(&mut self, freed: impl IntoIterator<Item = FreedSlot<N>>) {
        for FreedSlot { place, name } in freed {
            self.refusals.drop_series(place, &name.to_string());
        }
    }
}

/// The counters of one metric whose first label is a name.
struct CappedCounters<L> {
    by_name: IntCounterVec,
    /// By the place of the name, then by that of the other labels.
    by_place: HashMap<usize, HashMap<usize, IntCounter>>,
    labels: PhantomData<fn(L)>,
}

impl<L: LabelSet> CappedCounters<L> {
    fn register(registry: &Registry, metric: &'static Metric) -> Result<Self, TelemetryError> {
        let wrong = |_| TelemetryError::Metric { name: metric.name };
        let options = Opts::new(metric.name, metric.help);
        let by_name = IntCounterVec::new(options, &metric.label_names()).map_err(wrong)?;
        registry
            .register(Box::new(by_name.clone()))
            .map_err(wrong)?;
        Ok(Self {
            by_name,
            by_place: HashMap::new(),
            labels: PhantomData,
        })
    }

    fn add(&mut self, place: usize, name: &str, labels: L, amount: u64) {
        let counters = self.by_place.entry(place).or_default();
        if let Some(counter) = counters.get(&labels.place()) {
            counter.inc_by(amount);
            return;
        }
        // It fails only if the table's label names did not fit, which a test excludes.
        if let Ok(counter) = (self.by_name).get_metric_with_label_values(&values(name, labels)) {
            counter.inc_by(amount);
            counters.insert(labels.place(), counter);
        }
    }

    /// Every counter of a name appears.
    fn zero(&mut self, place: usize, name: &str) {
        for labels in (0..L::count()).filter_map(L::at) {
            self.add(place, name, labels, 0);
        }
    }

    fn drop_series(&mut self, place: usize, name: &str) {
        let counters = self.by_place.remove(&place).unwrap_or_default();
        for labels in counters.into_keys().filter_map(L::at) {
            // What is not there needs no removal.
            let _ = self.by_name.remove_label_values(&values(name, labels));
        }
    }
}

fn values<L: LabelSet>(name: &str, labels: L) -> Vec<&str> {
    let mut values = vec![name];
    values.extend(labels.words());
    values
}

/// The place of a name that counts now, and what it is shown as.
fn enter(
    slots: &mut LabelSlots<Arc<str>>,
    name: Option<&Arc<str>>,
    now: Instant,
) -> (usize, Arc<str>, Option<FreedSlot<Arc<str>>>) {
    let most = slots.most();
    let Some(name) = name.filter(is_a_name) else {
        return (most, OTHER.into(), None);
    };
    let taken = slots.take(name, now);
    match taken.slot.place() {
        place if place < most => (place, Arc::clone(name), taken.freed),
        _ => (most, OTHER.into(), taken.freed),
    }
}

/// Whoever is called like the rest is counted with it.
fn is_a_name(name: &&Arc<str>) -> bool {
    name.as_ref() != OTHER
}

fn open<H>(held: &Mutex<H>) -> MutexGuard<'_, H> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What stands for every name without a place of its own.
const OTHER: &str = "other";
