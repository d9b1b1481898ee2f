//! The numbers at one moment, out of what the registry gathers, by the rows of the
//! [table](crate::telemetry::metrics).

use prometheus::proto::{Metric, MetricFamily};
use serde::Serialize;

use super::percentiles::HistogramCounts;
use crate::telemetry::labels::StatementOutcome;
use crate::telemetry::metrics::{self, MetricKind};

/// The numbers at one moment.
#[derive(Default)]
pub struct MetricsReading {
    /// Whether statements are counted at all.
    pub is_counting: bool,
    /// Statements since the start, in the order of [`StatementOutcome::ALL`].
    pub verdicts: Vec<u64>,
    /// Time at the gate.
    pub(super) gate: HistogramCounts,
    /// Time at the upstream.
    pub(super) upstream: HistogramCounts,
    /// Time altogether.
    pub(super) total: HistogramCounts,
    /// Client connections that are open.
    pub connections: u64,
    /// Client sessions, by what they are at.
    pub sessions: Vec<LabelledCount>,
    /// Sessions at the upstream, by what they are at.
    pub upstream_sessions: Vec<LabelledCount>,
    /// The upstreams.
    pub upstreams: Vec<UpstreamReading>,
    /// Repairs since the start: recoverer, confidence and outcome, and how many.
    pub repairs: Vec<LabelledCount>,
    /// Limits that were reached: rule and mode, and how often.
    pub limits: Vec<LabelledCount>,
    /// Statements that an observed rule would have refused.
    pub observed: Vec<LabelledCount>,
    /// Alarms since the start.
    pub tripwires: u64,
    /// Faults of pgsieve since the start.
    pub panics: u64,
    /// Audit lines lost since the start.
    pub audit_dropped: u64,
    /// Seconds since it was last checked that a catalog holds.
    pub catalog_age: f64,
}

/// A count and its labels.
#[derive(Clone, Serialize)]
pub struct LabelledCount {
    /// The values of the labels, in the order of the table.
    pub labels: Vec<String>,
    /// How often.
    pub count: u64,
}

/// What is known of an upstream.
#[derive(Clone, Serialize)]
pub struct UpstreamReading {
    /// Host and port, as configured.
    pub name: String,
    /// Whether it is reached.
    pub is_up: bool,
    /// Whether it is a standby, where that is known.
    pub is_standby: Option<bool>,
    /// How many seconds it is behind its primary, where that is known.
    pub lag: Option<f64>,
}

impl MetricsReading {
    /// Out of what the registry gathers.
    pub fn of(families: &[MetricFamily], is_counting: bool) -> Self {
        let gathered = GatheredMetrics(families);
        let statements = gathered.counted(&metrics::STATEMENTS, &["verdict"]);
        let verdict = |outcome: &StatementOutcome| {
            let word = outcome.name();
            let of = statements.iter().filter(|row| row.labels == [word]);
            of.map(|row| row.count).sum()
        };
        Self {
            is_counting,
            verdicts: StatementOutcome::ALL.iter().map(verdict).collect(),
            gate: gathered.spread(&metrics::GATE_SECONDS),
            upstream: gathered.spread(&metrics::UPSTREAM_SECONDS),
            total: gathered.spread(&metrics::STATEMENT_SECONDS),
            connections: gathered.total(&metrics::CONNECTIONS_OPEN),
            sessions: gathered.every(&metrics::SESSIONS),
            upstream_sessions: gathered.every(&metrics::UPSTREAM_SESSIONS),
            upstreams: gathered.upstreams(),
            repairs: gathered.every(&metrics::REPAIRS),
            limits: gathered.every(&metrics::LIMITS),
            observed: gathered.counted(&metrics::OBSERVED, &["rule"]),
            tripwires: gathered.total(&metrics::TRIPWIRES),
            panics: gathered.total(&metrics::PANICS),
            audit_dropped: gathered.total(&metrics::AUDIT_DROPPED),
            catalog_age: gathered
                .metrics(&metrics::CATALOG_AGE_SECONDS)
                .first()
                .map_or(0.0, |metric| value(metric, MetricKind::Gauge)),
        }
    }
}

/// What the registry gathers, sorted by name.
struct GatheredMetrics<'a>(&'a [MetricFamily]);

impl GatheredMetrics<'_> {
    fn metrics(&self, row: &metrics::Metric) -> &[Metric] {
        let family = self.0.iter().find(|family| family.name() == row.name);
        family.map_or(&[], MetricFamily::get_metric)
    }

    fn spread(&self, row: &metrics::Metric) -> HistogramCounts {
        let first = self.metrics(row).first();
        first.map_or_else(HistogramCounts::default, |metric| {
            HistogramCounts::of(metric.get_histogram())
        })
    }

    /// The sum over all series.
    fn total(&self, row: &metrics::Metric) -> u64 {
        let values = self.metrics(row).iter();
        whole(values.map(|metric| value(metric, row.shape)).sum())
    }

    /// Every series that is not zero, with all its labels.
    fn every(&self, row: &metrics::Metric) -> Vec<LabelledCount> {
        self.counted(row, &row.label_names())
    }

    fn upstreams(&self) -> Vec<UpstreamReading> {
        let of = |row, name: &str| {
            let mut all = self.metrics(row).iter();
            let own = all.find(|metric| word(metric, UPSTREAM) == name);
            own.map(|metric| value(metric, row.shape))
        };
        let reached = self.metrics(&metrics::UPSTREAM_UP).iter();
        reached
            .map(|metric| {
                let name = word(metric, UPSTREAM);
                UpstreamReading {
                    is_up: value(metric, MetricKind::Gauge) > 0.0,
                    is_standby: of(&metrics::UPSTREAM_IS_STANDBY, &name).map(|value| value > 0.0),
                    lag: of(&metrics::UPSTREAM_LAG_SECONDS, &name),
                    name,
                }
            })
            .collect()
    }

    /// Every sum that is not zero of the series that agree in these labels.
    fn counted(&self, row: &metrics::Metric, labels: &[&str]) -> Vec<LabelledCount> {
        let mut all: Vec<LabelledCount> = Vec::new();
        for metric in self.metrics(row) {
            let count = whole(value(metric, row.shape));
            if count == 0 {
                continue;
            }
            let labels: Vec<String> = labels.iter().map(|name| word(metric, name)).collect();
            match all.iter_mut().find(|row| row.labels == labels) {
                Some(row) => row.count += count,
                None => all.push(LabelledCount { labels, count }),
            }
        }
        all
    }
}

/// The value of a label; empty where there is none.
fn word(metric: &Metric, name: &str) -> String {
    let mut labels = metric.get_label().iter();
    let label = labels.find(|label| label.name() == name);
    label.map_or_else(String::new, |label| label.value().to_owned())
}

fn value(metric: &Metric, shape: MetricKind) -> f64 {
    match shape {
        MetricKind::Counter => metric.get_counter().get_value(),
        MetricKind::Gauge => metric.get_gauge().get_value(),
        MetricKind::Histogram => 0.0,
    }
}

/// A count that Prometheus keeps as a fraction.
#[expect(
    clippy::as_conversions,
    reason = "the cast saturates: no fraction becomes another count than the nearest there is"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// The label that names an upstream.
const UPSTREAM: &str = "upstream";
