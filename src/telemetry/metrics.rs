//! The live numbers behind the [table](crate::telemetry::table), in a registry of their own.

use std::time::Duration;

use prometheus::{
    Counter, Gauge, Histogram, HistogramOpts, IntCounter, IntGauge, Opts, Registry, TextEncoder,
};

use crate::catalog::kind::ObjectKind;
use crate::funnel::{AttemptOutcome, Confidence};
use crate::gate::{Rule, StatementKind};
use crate::policy::Recoverer;
use crate::telemetry::TelemetryError;
use crate::telemetry::checks::Checks;
use crate::telemetry::code::Class;
use crate::telemetry::family::{Family, Three, Two};
use crate::telemetry::labels::{
    CancelOutcome, CatalogFailure, CatalogLoad, ClosedBecause, Direction, LimitMode, LoginMethod,
    LoginOutcome, Origin, Outcome, Path, Peer, RefusedBecause, Transport, Tripwire, Violation,
};
use crate::telemetry::policies::PolicyNumbers;
use crate::telemetry::process;
use crate::telemetry::table::{
    AUDIT_DROPPED, AUDIT_LINES, AUDIT_QUEUE_BYTES, AUDIT_WRITE_ERRORS, BUILD_INFO, CANCELS,
    CATALOG_AGE_SECONDS, CATALOG_BYTES, CATALOG_DRIFT, CATALOG_FAILURES, CATALOG_LOAD_SECONDS,
    CATALOG_LOADS, CLAMPS, CLIENT_BYTES, CONNECTIONS, CONNECTIONS_CLOSED, CONNECTIONS_OPEN,
    CONNECTIONS_REFUSED, ERRORS, GATE_SECONDS, LIMITS, LOGINS, Metric, OBSERVED, PANICS,
    PLAN_SECONDS, PROCESS_CPU_SECONDS, PROCESS_DESCRIPTORS, PROCESS_RESIDENT_BYTES, REFUSALS,
    REPAIR_SECONDS, REPAIRS, RESULT_BYTES, RETRIES, ROWS, STATEMENT_SECONDS, STATEMENTS,
    STATEMENTS_WITHOUT_CATALOG, TRIPWIRES, UPSTREAM_SECONDS, VIOLATIONS,
};

/// The live numbers. Fields have the names of the rows.
pub struct Metrics {
    registry: Registry,
    /// See [`CONNECTIONS_OPEN`].
    pub connections_open: IntGauge,
    /// See [`CONNECTIONS`].
    pub connections: Family<Transport>,
    /// See [`CONNECTIONS_REFUSED`].
    pub connections_refused: Family<RefusedBecause>,
    /// See [`CONNECTIONS_CLOSED`].
    pub connections_closed: Family<ClosedBecause>,
    /// See [`LOGINS`].
    pub logins: Family<Two<LoginMethod, LoginOutcome>>,
    /// See [`STATEMENTS`].
    pub statements: Family<Three<Path, StatementKind, Outcome>>,
    /// See [`REFUSALS`].
    pub refusals: Family<Rule>,
    /// See [`LIMITS`].
    pub limits: Family<Two<Rule, LimitMode>>,
    /// See [`OBSERVED`].
    pub observed: Family<Rule>,
    /// See [`CLAMPS`].
    pub clamps: Family<Path>,
    /// See [`RETRIES`].
    pub retries: IntCounter,
    /// See [`ERRORS`].
    pub errors: Family<Two<Origin, Class>>,
    /// See [`GATE_SECONDS`].
    pub gate_seconds: Histogram,
    /// See [`UPSTREAM_SECONDS`].
    pub upstream_seconds: Histogram,
    /// See [`PLAN_SECONDS`].
    pub plan_seconds: Histogram,
    /// See [`STATEMENT_SECONDS`].
    pub statement_seconds: Histogram,
    /// See [`ROWS`].
    pub rows: IntCounter,
    /// See [`RESULT_BYTES`].
    pub result_bytes: IntCounter,
    /// See [`CLIENT_BYTES`].
    pub client_bytes: Family<Direction>,
    /// See [`CANCELS`].
    pub cancels: Family<CancelOutcome>,
    /// What is counted of catalogs.
    pub catalog: CatalogNumbers,
    /// See [`REPAIRS`].
    pub repairs: Family<Three<Recoverer, Confidence, AttemptOutcome>>,
    /// See [`REPAIR_SECONDS`].
    pub repair_seconds: Histogram,
    /// See [`TRIPWIRES`].
    pub tripwires: Family<Tripwire>,
    /// See [`VIOLATIONS`].
    pub violations: Family<Two<Peer, Violation>>,
    /// See [`PANICS`].
    pub panics: IntCounter,
    /// What is known of the policies.
    pub policies: PolicyNumbers,
    /// What the audit counts of itself.
    pub audit: AuditNumbers,
    process: ProcessNumbers,
}

/// What is counted of catalogs.
pub struct CatalogNumbers {
    /// See [`CATALOG_LOADS`].
    pub loads: Family<CatalogLoad>,
    /// See [`CATALOG_FAILURES`].
    pub failures: Family<CatalogFailure>,
    /// See [`CATALOG_LOAD_SECONDS`].
    pub load_seconds: Histogram,
    /// See [`CATALOG_DRIFT`].
    pub drift: Family<ObjectKind>,
    /// See [`STATEMENTS_WITHOUT_CATALOG`].
    pub statements_without: IntCounter,
    /// The last checks, which the age is counted from when a scrape asks.
    pub checks: Checks,
    age_seconds: Gauge,
    bytes: IntGauge,
}

/// What the audit counts of itself.
#[derive(Clone)]
pub struct AuditNumbers {
    /// See [`AUDIT_QUEUE_BYTES`].
    pub queue_bytes: IntGauge,
    /// See [`AUDIT_LINES`].
    pub lines: IntCounter,
    /// See [`AUDIT_DROPPED`].
    pub dropped: IntCounter,
    /// See [`AUDIT_WRITE_ERRORS`].
    pub write_errors: IntCounter,
}

/// What is known of the process when a scrape asks.
struct ProcessNumbers {
    resident_bytes: IntGauge,
    cpu_seconds: Counter,
    descriptors: IntGauge,
}

impl Metrics {
    /// Registers every row of the table in a registry of its own.
    pub fn new() -> Result<Self, TelemetryError> {
        let registry = Registry::new();
        let r = &registry;
        info(r, &BUILD_INFO)?;
        Ok(Self {
            connections_open: gauge(r, &CONNECTIONS_OPEN)?,
            connections: Family::from_zero(r, &CONNECTIONS)?,
            connections_refused: Family::from_zero(r, &CONNECTIONS_REFUSED)?,
            connections_closed: Family::register(r, &CONNECTIONS_CLOSED)?,
            logins: Family::register(r, &LOGINS)?,
            statements: Family::register(r, &STATEMENTS)?,
            refusals: Family::from_zero(r, &REFUSALS)?,
            limits: Family::register(r, &LIMITS)?,
            observed: Family::from_zero(r, &OBSERVED)?,
            clamps: Family::register(r, &CLAMPS)?,
            retries: counter(r, &RETRIES)?,
            errors: Family::register(r, &ERRORS)?,
            gate_seconds: histogram(r, &GATE_SECONDS, GATE_BUCKETS)?,
            upstream_seconds: histogram(r, &UPSTREAM_SECONDS, STATEMENT_BUCKETS)?,
            plan_seconds: histogram(r, &PLAN_SECONDS, STATEMENT_BUCKETS)?,
            statement_seconds: histogram(r, &STATEMENT_SECONDS, STATEMENT_BUCKETS)?,
            rows: counter(r, &ROWS)?,
            result_bytes: counter(r, &RESULT_BYTES)?,
            client_bytes: Family::from_zero(r, &CLIENT_BYTES)?,
            cancels: Family::from_zero(r, &CANCELS)?,
            catalog: CatalogNumbers {
                loads: Family::from_zero(r, &CATALOG_LOADS)?,
                failures: Family::from_zero(r, &CATALOG_FAILURES)?,
                load_seconds: histogram(r, &CATALOG_LOAD_SECONDS, STATEMENT_BUCKETS)?,
                drift: Family::from_zero(r, &CATALOG_DRIFT)?,
                statements_without: counter(r, &STATEMENTS_WITHOUT_CATALOG)?,
                checks: Checks::default(),
                age_seconds: level(r, &CATALOG_AGE_SECONDS)?,
                bytes: gauge(r, &CATALOG_BYTES)?,
            },
            repairs: Family::register(r, &REPAIRS)?,
            repair_seconds: histogram(r, &REPAIR_SECONDS, STATEMENT_BUCKETS)?,
            tripwires: Family::from_zero(r, &TRIPWIRES)?,
            violations: Family::from_zero(r, &VIOLATIONS)?,
            panics: counter(r, &PANICS)?,
            policies: PolicyNumbers::register(r)?,
            audit: AuditNumbers {
                queue_bytes: gauge(r, &AUDIT_QUEUE_BYTES)?,
                lines: counter(r, &AUDIT_LINES)?,
                dropped: counter(r, &AUDIT_DROPPED)?,
                write_errors: counter(r, &AUDIT_WRITE_ERRORS)?,
            },
            process: ProcessNumbers {
                resident_bytes: gauge(r, &PROCESS_RESIDENT_BYTES)?,
                cpu_seconds: fraction(r, &PROCESS_CPU_SECONDS)?,
                descriptors: gauge(r, &PROCESS_DESCRIPTORS)?,
            },
            registry,
        })
    }

    /// Every metric in Prometheus's text format, with the figures of the process read now.
    pub fn scrape(&self) -> String {
        self.read_process();
        self.catalog.read();
        let mut text = String::new();
        // Writing to a String does not fail; a family that cannot be written is left out.
        let _ = TextEncoder::new().encode_utf8(&self.registry.gather(), &mut text);
        text
    }

    fn read_process(&self) {
        let now = process::figures();
        self.process.resident_bytes.set(now.resident_bytes);
        self.process.descriptors.set(now.descriptors);
        // Between two scrapes the difference cannot be negative, but the clock is not ours.
        let risen = now.cpu_seconds - self.process.cpu_seconds.get();
        if risen > 0.0 {
            self.process.cpu_seconds.inc_by(risen);
        }
    }
}

impl CatalogNumbers {
    /// An age grows by itself: it is read when a scrape asks.
    fn read(&self) {
        let age = self.checks.oldest().unwrap_or_default();
        self.age_seconds.set(seconds(age));
        let bytes = i64::try_from(self.checks.bytes()).unwrap_or(i64::MAX);
        self.bytes.set(bytes);
    }
}

/// A duration as Prometheus counts it.
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}
/// Seconds that the bucket boundaries of the gate's time stand at: a microsecond to a tenth.
const GATE_BUCKETS: &[f64] = &[
    1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1,
];

/// Seconds that the boundaries of statement times stand at: a tenth of a millisecond to a minute.
const STATEMENT_BUCKETS: &[f64] = &[
    1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0, 2.0, 5.0, 10.0,
    30.0, 60.0,
];

fn counter(registry: &Registry, metric: &'static Metric) -> Result<IntCounter, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let counter = IntCounter::new(metric.name, metric.help).map_err(wrong)?;
    registry
        .register(Box::new(counter.clone()))
        .map_err(wrong)?;
    Ok(counter)
}

fn fraction(registry: &Registry, metric: &'static Metric) -> Result<Counter, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let counter = Counter::new(metric.name, metric.help).map_err(wrong)?;
    registry
        .register(Box::new(counter.clone()))
        .map_err(wrong)?;
    Ok(counter)
}

pub(super) fn level(registry: &Registry, metric: &'static Metric) -> Result<Gauge, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let gauge = Gauge::new(metric.name, metric.help).map_err(wrong)?;
    registry.register(Box::new(gauge.clone())).map_err(wrong)?;
    Ok(gauge)
}

pub(super) fn gauge(
    registry: &Registry,
    metric: &'static Metric,
) -> Result<IntGauge, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let gauge = IntGauge::new(metric.name, metric.help).map_err(wrong)?;
    registry.register(Box::new(gauge.clone())).map_err(wrong)?;
    Ok(gauge)
}

fn histogram(
    registry: &Registry,
    metric: &'static Metric,
    buckets: &[f64],
) -> Result<Histogram, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options = HistogramOpts::new(metric.name, metric.help).buckets(buckets.to_vec());
    let histogram = Histogram::with_opts(options).map_err(wrong)?;
    registry
        .register(Box::new(histogram.clone()))
        .map_err(wrong)?;
    Ok(histogram)
}

fn info(registry: &Registry, metric: &'static Metric) -> Result<(), TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options =
        Opts::new(metric.name, metric.help).const_label("version", env!("CARGO_PKG_VERSION"));
    let gauge = IntGauge::with_opts(options).map_err(wrong)?;
    gauge.set(1);
    registry.register(Box::new(gauge)).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::labels::Label;
    use crate::telemetry::table::{Shape, TABLE};

    #[test]
    fn every_row_of_the_table_is_registered_as_what_it_says() {
        let metrics = Metrics::new().unwrap();
        metrics.connections_closed.inc(ClosedBecause::Terminate);
        metrics
            .logins
            .inc(Two(LoginMethod::Trust, LoginOutcome::Accepted));
        metrics.statements.inc(Three(
            Path::Query,
            StatementKind::ALL[0],
            Outcome::Permitted,
        ));
        metrics.clamps.inc(Path::Query);
        metrics
            .limits
            .inc(Two(Rule::ResultRows, LimitMode::Enforce));
        metrics.errors.inc(Two(Origin::Gate, Class::ALL[0]));
        metrics.repairs.inc(Three(
            Recoverer::Dialect,
            Confidence::Exact,
            AttemptOutcome::Applied,
        ));
        let agent = crate::policy::Policy::agent();
        let set = crate::policy::PolicySet::only(std::sync::Arc::new(agent));
        metrics.policies.hold(&set);
        let text = metrics.scrape();
        for row in TABLE {
            let shape = match row.shape {
                Shape::Counter => "counter",
                Shape::Gauge => "gauge",
                Shape::Histogram => "histogram",
            };
            assert!(
                text.contains(&format!("# TYPE {} {shape}\n", row.name)),
                "{}",
                row.name
            );
            assert!(
                text.contains(&format!("# HELP {} {}\n", row.name, row.help)),
                "{}",
                row.name
            );
            for label in row.labels {
                let sample = text
                    .lines()
                    .find(|line| line.starts_with(&format!("{}{{", row.name)));
                assert!(
                    sample.unwrap().contains(&format!("{label}=\"")),
                    "{}",
                    row.name
                );
            }
        }
        let families = text
            .lines()
            .filter(|line| line.starts_with("# TYPE"))
            .count();
        assert_eq!(
            families,
            TABLE.len(),
            "a metric is registered that is not in the table"
        );
    }
}
