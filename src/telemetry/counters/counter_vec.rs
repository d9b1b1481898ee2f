//! Counters with labels, found by place instead of by name.
//!
//! `prometheus` finds a labelled counter by hashing its label values. On the path of a statement
//! that costs more than the counting, so each family keeps its counters in an array indexed by
//! the closed sets of [`labels`](crate::telemetry::labels). A counter appears in a scrape once it
//! was used, except in families that start [`from zero`](CounterVec::from_zero).

use std::marker::PhantomData;
use std::sync::OnceLock;

use prometheus::{IntCounter, IntCounterVec, Opts, Registry};

use crate::telemetry::TelemetryError;
use crate::telemetry::metrics::Metric;
use crate::words::Word;

/// A combination of labels.
pub trait LabelSet: Copy {
    /// How many combinations there are.
    fn count() -> usize;

    /// The combination at a place.
    fn at(place: usize) -> Option<Self>;

    /// The place of this combination, below [`LabelSet::count`].
    fn place(self) -> usize;

    /// The words, in the order of the metric's label names.
    fn words(self) -> Vec<&'static str>;
}

/// All counters of one metric.
pub struct CounterVec<L> {
    by_name: IntCounterVec,
    by_place: Box<[OnceLock<Option<IntCounter>>]>,
    labels: PhantomData<fn(L)>,
}

impl<L: LabelSet> CounterVec<L> {
    /// Registers the metric; none of its counters exists yet.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn register(registry: &Registry, metric: &'static Metric) -> Result<Self, TelemetryError> {
        let wrong = |_| TelemetryError::Metric { name: metric.name };
        let options = Opts::new(metric.name, metric.help);
        let by_name = IntCounterVec::new(options, &metric.label_names()).map_err(wrong)?;
        registry
            .register(Box::new(by_name.clone()))
            .map_err(wrong)?;
        let by_place = (0..L::count()).map(|_| OnceLock::new()).collect();
        Ok(Self {
            by_name,
            by_place,
            labels: PhantomData,
        })
    }

    /// Registers the metric with every counter at zero: for alarms, whose first rise must show.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn from_zero(registry: &Registry, metric: &'static Metric) -> Result<Self, TelemetryError> {
        let family = Self::register(registry, metric)?;
        for place in 0..L::count() {
            match L::at(place) {
                Some(labels) if family.counter(labels).is_some() => {}
                _ => return Err(TelemetryError::Metric { name: metric.name }),
            }
        }
        Ok(family)
    }

    /// Counts one.
    pub fn inc(&self, labels: L) {
        self.add(labels, 1);
    }

    /// Counts many.
    pub fn add(&self, labels: L, amount: u64) {
        if let Some(counter) = self.counter(labels) {
            counter.inc_by(amount);
        }
    }

    /// The counter of a combination. `None` only if the table's label names did not fit the
    /// family's labels, which a test excludes for every metric.
    fn counter(&self, labels: L) -> Option<&IntCounter> {
        let make = || {
            self.by_name
                .get_metric_with_label_values(&labels.words())
                .ok()
        };
        self.by_place
            .get(labels.place())?
            .get_or_init(make)
            .as_ref()
    }
}

impl<A: Word> LabelSet for A {
    fn count() -> usize {
        A::ALL.len()
    }

    fn at(place: usize) -> Option<Self> {
        A::ALL.get(place).copied()
    }

    fn place(self) -> usize {
        self.index()
    }

    fn words(self) -> Vec<&'static str> {
        vec![self.name()]
    }
}

/// Two labels.
#[derive(Clone, Copy)]
pub struct TwoLabels<A, B>(pub A, pub B);

/// Three labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ThreeLabels<A, B, C>(pub A, pub B, pub C);

impl<A: Word, B: Word> LabelSet for TwoLabels<A, B> {
    fn count() -> usize {
        A::ALL.len() * B::ALL.len()
    }

    fn at(place: usize) -> Option<Self> {
        let first = A::ALL.get(place.checked_div(B::ALL.len())?)?;
        Some(Self(*first, *B::ALL.get(place.checked_rem(B::ALL.len())?)?))
    }

    fn place(self) -> usize {
        self.0.index() * B::ALL.len() + self.1.index()
    }

    fn words(self) -> Vec<&'static str> {
        vec![self.0.name(), self.1.name()]
    }
}

impl<A: Word, B: Word, C: Word> LabelSet for ThreeLabels<A, B, C> {
    fn count() -> usize {
        A::ALL.len() * B::ALL.len() * C::ALL.len()
    }

    fn at(place: usize) -> Option<Self> {
        let TwoLabels(a, b) = TwoLabels::at(place.checked_div(C::ALL.len())?)?;
        Some(Self(a, b, *C::ALL.get(place.checked_rem(C::ALL.len())?)?))
    }

    fn place(self) -> usize {
        TwoLabels(self.0, self.1).place() * C::ALL.len() + self.2.index()
    }

    fn words(self) -> Vec<&'static str> {
        vec![self.0.name(), self.1.name(), self.2.name()]
    }
}
