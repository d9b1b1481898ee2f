//! The live numbers behind the [table](crate::telemetry::metrics), in a registry of their own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus::proto::MetricFamily;
use prometheus::{
    Counter, Gauge, Histogram, HistogramOpts, IntCounter, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

use crate::catalog::object_kind::ObjectKind;
use crate::gate::Rule;
use crate::limits::{FINGERPRINT_LABELS_MAX, SUBJECT_LABELS_MAX};
use crate::policy::Recoverer;
use crate::repair::{AttemptOutcome, Confidence};
use crate::telemetry::TelemetryError;
use crate::telemetry::counters::capped_counters::{
    FingerprintRefusals, PolicyCounters, SubjectRefusals, UserCounters,
};
use crate::telemetry::counters::catalog_checks::CatalogChecks;
use crate::telemetry::counters::counter_vec::{CounterVec, ThreeLabels, TwoLabels};
use crate::telemetry::counters::policy_metrics::PolicyMetrics;
use crate::telemetry::counters::process_usage;
use crate::telemetry::counters::session_gauges::SessionGauges;
use crate::telemetry::counters::settings_metrics::SettingsMetrics;
use crate::telemetry::counters::upstream_metrics::UpstreamMetrics;
use crate::telemetry::events::{AdminPage, StatusClass};
use crate::telemetry::labels::{
    ByteDirection, CacheAnswer, CancelCause, CancelOutcome, CatalogFailure, CatalogLoad,
    ClientTransport, ClosedBecause, ErrorOrigin, LimitMode, LoginMethod, LoginOutcome, PlanAnswer,
    ProtocolPath, RefusedBecause, RepairedOutcome, SessionLeg, SessionState, SignalOutcome,
    SpanOutcome, StartupSettingOutcome, TlsFailure, Tripwire, UpstreamState, ViolationKind,
};
use crate::telemetry::metrics::{
    ADMIN_REQUESTS, AUDIT_DROPPED, AUDIT_LINES, AUDIT_QUEUE_BYTES, AUDIT_ROTATIONS, AUDIT_WAITS,
    AUDIT_WRITE_ERRORS, BUILD_INFO, CANCELS, CATALOG_AGE_SECONDS, CATALOG_BYTES, CATALOG_DRIFT,
    CATALOG_FAILURES, CATALOG_LOAD_SECONDS, CATALOG_LOADS, CERTIFICATE_EXPIRY, CLAMPS,
    CLIENT_BYTES, CONNECTIONS, CONNECTIONS_CLOSED, CONNECTIONS_OPEN, CONNECTIONS_REFUSED, ERRORS,
    FINGERPRINT_REFUSALS, GATE_SECONDS, JUDGEMENT_CACHE, LIMITS, LOGIN_SETTINGS, LOGINS,
    MEMORY_REFUSED, MEMORY_TAKEN_BYTES, MEMORY_WAITING, Metric, OWN_CANCELS, PANICS, PLAN_CACHE,
    PLAN_SECONDS, PROCESS_CPU_SECONDS, PROCESS_DESCRIPTORS, PROCESS_DESCRIPTORS_MAX,
    PROCESS_RESIDENT_BYTES, PROCESS_START_SECONDS, PROCESS_THREADS, PROCESS_VIRTUAL_BYTES,
    QUEUE_SECONDS, REPAIR_SECONDS, REPAIRED_STATEMENTS, REPAIRS, RESULT_BYTES, RETRIES, ROWS,
    SESSIONS, SIGNALS, STATEMENT_SECONDS, STATEMENTS_WITHOUT_CATALOG, SUBJECT_REFUSALS,
    TLS_FAILURES, TRACE_SPANS, TRIPWIRES, UPSTREAM_SECONDS, UPSTREAM_SESSIONS, VIOLATIONS,
};
use crate::telemetry::sqlstate_code::SqlstateClass;

/// The live numbers. Fields have the names of the rows.
pub struct MetricsRegistry {
    registry: Registry,
    /// See [`CONNECTIONS_OPEN`].
    pub connections_open: IntGauge,
    /// See [`CONNECTIONS`].
    pub connections: CounterVec<ClientTransport>,
    /// See [`CONNECTIONS_REFUSED`].
    pub connections_refused: CounterVec<RefusedBecause>,
    /// TLS that was not agreed on, by side and cause.
    pub tls_failures: CounterVec<TwoLabels<SessionLeg, TlsFailure>>,
    /// See [`CONNECTIONS_CLOSED`].
    pub connections_closed: CounterVec<ClosedBecause>,
    /// See [`LOGINS`].
    pub logins: CounterVec<TwoLabels<LoginMethod, LoginOutcome>>,
    /// What sessions are at.
    pub seats: SessionGauges,
    /// What is counted by policy.
    pub by_policy: PolicyCounters,
    /// What is counted by user.
    pub by_user: UserCounters,
    /// What is counted by fingerprint.
    pub by_fingerprint: FingerprintRefusals,
    /// What is counted by what it was about.
    pub by_subject: SubjectRefusals,
    /// See [`LIMITS`].
    pub limits: CounterVec<TwoLabels<Rule, LimitMode>>,
    /// See [`LOGIN_SETTINGS`].
    pub login_settings: CounterVec<StartupSettingOutcome>,
    /// See [`CLAMPS`].
    pub clamps: CounterVec<ProtocolPath>,
    /// See [`RETRIES`].
    pub retries: IntCounter,
    /// See [`ERRORS`].
    pub errors: CounterVec<TwoLabels<ErrorOrigin, SqlstateClass>>,
    /// See [`JUDGEMENT_CACHE`].
    pub judgement_cache: CounterVec<CacheAnswer>,
    /// See [`PLAN_CACHE`].
    pub plan_cache: CounterVec<PlanAnswer>,
    /// See [`GATE_SECONDS`].
    pub gate_seconds: Histogram,
    /// See [`QUEUE_SECONDS`].
    pub queue_seconds: Histogram,
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
    pub client_bytes: CounterVec<ByteDirection>,
    /// See [`CANCELS`].
    pub cancels: CounterVec<CancelOutcome>,
    /// See [`SIGNALS`].
    pub signals: CounterVec<SignalOutcome>,
    /// See [`OWN_CANCELS`].
    pub own_cancels: CounterVec<TwoLabels<CancelCause, CancelOutcome>>,
    /// What is known of the upstreams.
    pub upstreams: UpstreamMetrics,
    /// What is counted of catalogs.
    pub catalog: CatalogMetrics,
    /// See [`REPAIRS`].
    pub repairs: CounterVec<ThreeLabels<Recoverer, Confidence, AttemptOutcome>>,
    /// See [`REPAIRED_STATEMENTS`].
    pub repaired_statements: CounterVec<RepairedOutcome>,
    /// See [`REPAIR_SECONDS`].
    pub repair_seconds: Histogram,
    /// See [`TRIPWIRES`].
    pub tripwires: CounterVec<Tripwire>,
    /// See [`VIOLATIONS`].
    pub violations: CounterVec<TwoLabels<SessionLeg, ViolationKind>>,
    /// See [`PANICS`].
    pub panics: IntCounter,
    /// What is known of the policies.
    pub policies: PolicyMetrics,
    /// The settings.
    pub settings: SettingsMetrics,
    /// What is counted of the memory that clients take.
    pub memory: MemoryMetrics,
    /// What the audit counts of itself.
    pub audit: AuditMetrics,
    /// See [`CERTIFICATE_EXPIRY`].
    pub certificate_expiry: IntGaugeVec,
    /// See [`ADMIN_REQUESTS`].
    pub admin_requests: CounterVec<TwoLabels<AdminPage, StatusClass>>,
    sessions: SessionMetrics,
    /// See [`TRACE_SPANS`].
    pub trace_spans: Arc<CounterVec<SpanOutcome>>,
    process: ProcessMetrics,
}

/// What sessions are at when a scrape asks.
struct SessionMetrics {
    clients: IntGaugeVec,
    upstreams: IntGaugeVec,
}

/// What is counted of catalogs.
pub struct CatalogMetrics {
    /// See [`CATALOG_LOADS`].
    pub loads: CounterVec<CatalogLoad>,
    /// See [`CATALOG_FAILURES`].
    pub failures: CounterVec<CatalogFailure>,
    /// See [`CATALOG_LOAD_SECONDS`].
    pub load_seconds: Histogram,
    /// See [`CATALOG_DRIFT`].
    pub drift: CounterVec<ObjectKind>,
    /// See [`STATEMENTS_WITHOUT_CATALOG`].
    pub statements_without: IntCounter,
    /// The last checks, which the age is counted from when a scrape asks.
    pub checks: CatalogChecks,
    age_seconds: Gauge,
    bytes: IntGauge,
}

/// What is counted of the memory that clients take.
#[derive(Clone)]
pub struct MemoryMetrics {
    /// See [`MEMORY_TAKEN_BYTES`].
    pub taken_bytes: IntGauge,
    /// See [`MEMORY_WAITING`].
    pub waiting: IntGauge,
    /// See [`MEMORY_REFUSED`].
    pub refused: IntCounter,
}

impl MemoryMetrics {
    fn register(r: &Registry) -> Result<Self, TelemetryError> {
        Ok(Self {
            taken_bytes: gauge(r, &MEMORY_TAKEN_BYTES)?,
            waiting: gauge(r, &MEMORY_WAITING)?,
            refused: counter(r, &MEMORY_REFUSED)?,
        })
    }
}

/// What the audit counts of itself.
#[derive(Clone)]
pub struct AuditMetrics {
    /// See [`AUDIT_QUEUE_BYTES`].
    pub queue_bytes: IntGauge,
    /// See [`AUDIT_LINES`].
    pub lines: IntCounter,
    /// See [`AUDIT_DROPPED`].
    pub dropped: IntCounter,
    /// See [`AUDIT_WAITS`].
    pub waits: IntCounter,
    /// See [`AUDIT_ROTATIONS`].
    pub rotations: IntCounter,
    /// See [`AUDIT_WRITE_ERRORS`].
    pub write_errors: IntCounter,
}

/// What is known of the process when a scrape asks.
struct ProcessMetrics {
    resident_bytes: IntGauge,
    virtual_bytes: IntGauge,
    cpu_seconds: Counter,
    descriptors: IntGauge,
    descriptors_max: IntGauge,
    threads: IntGauge,
    start_seconds: Gauge,
}

impl MetricsRegistry {
    /// Registers every row of the table in a registry of its own.
    pub fn new() -> Result<Self, TelemetryError> {
        let registry = Registry::new();
        let r = &registry;
        info(r, &BUILD_INFO)?;
        Ok(Self {
            connections_open: gauge(r, &CONNECTIONS_OPEN)?,
            connections: CounterVec::from_zero(r, &CONNECTIONS)?,
            connections_refused: CounterVec::from_zero(r, &CONNECTIONS_REFUSED)?,
            tls_failures: CounterVec::from_zero(r, &TLS_FAILURES)?,
            connections_closed: CounterVec::register(r, &CONNECTIONS_CLOSED)?,
            logins: CounterVec::register(r, &LOGINS)?,
            seats: SessionGauges::default(),
            by_policy: PolicyCounters::register(r)?,
            by_user: UserCounters::register(r)?,
            by_fingerprint: FingerprintRefusals::register(
                r,
                &FINGERPRINT_REFUSALS,
                FINGERPRINT_LABELS_MAX,
            )?,
            by_subject: SubjectRefusals::register(r, &SUBJECT_REFUSALS, SUBJECT_LABELS_MAX)?,
            limits: CounterVec::register(r, &LIMITS)?,
            login_settings: CounterVec::register(r, &LOGIN_SETTINGS)?,
            clamps: CounterVec::register(r, &CLAMPS)?,
            retries: counter(r, &RETRIES)?,
            errors: CounterVec::register(r, &ERRORS)?,
            judgement_cache: CounterVec::from_zero(r, &JUDGEMENT_CACHE)?,
            plan_cache: CounterVec::from_zero(r, &PLAN_CACHE)?,
            queue_seconds: histogram(r, &QUEUE_SECONDS, QUEUE_BUCKETS)?,
            gate_seconds: histogram(r, &GATE_SECONDS, GATE_BUCKETS)?,
            upstream_seconds: histogram(r, &UPSTREAM_SECONDS, STATEMENT_BUCKETS)?,
            plan_seconds: histogram(r, &PLAN_SECONDS, STATEMENT_BUCKETS)?,
            statement_seconds: histogram(r, &STATEMENT_SECONDS, STATEMENT_BUCKETS)?,
            rows: counter(r, &ROWS)?,
            result_bytes: counter(r, &RESULT_BYTES)?,
            client_bytes: CounterVec::from_zero(r, &CLIENT_BYTES)?,
            cancels: CounterVec::from_zero(r, &CANCELS)?,
            signals: CounterVec::from_zero(r, &SIGNALS)?,
            own_cancels: CounterVec::from_zero(r, &OWN_CANCELS)?,
            upstreams: UpstreamMetrics::register(r)?,
            catalog: CatalogMetrics::register(r)?,
            repairs: CounterVec::register(r, &REPAIRS)?,
            repaired_statements: CounterVec::from_zero(r, &REPAIRED_STATEMENTS)?,
            repair_seconds: histogram(r, &REPAIR_SECONDS, STATEMENT_BUCKETS)?,
            tripwires: CounterVec::from_zero(r, &TRIPWIRES)?,
            violations: CounterVec::from_zero(r, &VIOLATIONS)?,
            panics: counter(r, &PANICS)?,
            policies: PolicyMetrics::register(r)?,
            settings: SettingsMetrics::register(r)?,
            trace_spans: Arc::new(CounterVec::from_zero(r, &TRACE_SPANS)?),
            memory: MemoryMetrics::register(r)?,
            audit: AuditMetrics {
                queue_bytes: gauge(r, &AUDIT_QUEUE_BYTES)?,
                lines: counter(r, &AUDIT_LINES)?,
                dropped: counter(r, &AUDIT_DROPPED)?,
                waits: counter(r, &AUDIT_WAITS)?,
                rotations: counter(r, &AUDIT_ROTATIONS)?,
                write_errors: counter(r, &AUDIT_WRITE_ERRORS)?,
            },
            certificate_expiry: gauges(r, &CERTIFICATE_EXPIRY)?,
            admin_requests: CounterVec::register(r, &ADMIN_REQUESTS)?,
            sessions: sessions(r)?,
            process: ProcessMetrics::register(r)?,
            registry,
        })
    }

    /// Every metric in Prometheus's text format, with what changes by itself read now.
    pub fn scrape(&self) -> String {
        self.process.read();
        let mut text = String::new();
        // Writing to a String does not fail; a family that cannot be written is left out.
        let _ = TextEncoder::new().encode_utf8(&self.gather(), &mut text);
        text
    }

    /// Every metric as it is now; the figures of the process are those of the last scrape.
    pub fn gather(&self) -> Vec<MetricFamily> {
        let now = Instant::now();
        self.by_policy.sweep(now);
        self.by_user.sweep(now);
        self.by_fingerprint.sweep(now);
        self.by_subject.sweep(now);
        self.upstreams.read(now);
        self.sessions.read(&self.seats);
        self.catalog.read();
        self.registry.gather()
    }
}

impl SessionMetrics {
    fn read(&self, seats: &SessionGauges) {
        let count = seats.count();
        for (state, sessions) in SessionState::ALL.iter().zip(count.clients) {
            let names = [state.name()];
            self.clients.with_label_values(&names).set(sessions);
        }
        for (state, sessions) in UpstreamState::ALL.iter().zip(count.upstreams) {
            let names = [state.name()];
            self.upstreams.with_label_values(&names).set(sessions);
        }
    }
}

impl CatalogMetrics {
    fn register(r: &Registry) -> Result<Self, TelemetryError> {
        Ok(Self {
            loads: CounterVec::from_zero(r, &CATALOG_LOADS)?,
            failures: CounterVec::from_zero(r, &CATALOG_FAILURES)?,
            load_seconds: histogram(r, &CATALOG_LOAD_SECONDS, STATEMENT_BUCKETS)?,
            drift: CounterVec::from_zero(r, &CATALOG_DRIFT)?,
            statements_without: counter(r, &STATEMENTS_WITHOUT_CATALOG)?,
            checks: CatalogChecks::default(),
            age_seconds: level(r, &CATALOG_AGE_SECONDS)?,
            bytes: gauge(r, &CATALOG_BYTES)?,
        })
    }
}

impl ProcessMetrics {
    fn register(r: &Registry) -> Result<Self, TelemetryError> {
        Ok(Self {
            resident_bytes: gauge(r, &PROCESS_RESIDENT_BYTES)?,
            virtual_bytes: gauge(r, &PROCESS_VIRTUAL_BYTES)?,
            cpu_seconds: fraction(r, &PROCESS_CPU_SECONDS)?,
            descriptors: gauge(r, &PROCESS_DESCRIPTORS)?,
            descriptors_max: gauge(r, &PROCESS_DESCRIPTORS_MAX)?,
            threads: gauge(r, &PROCESS_THREADS)?,
            start_seconds: level(r, &PROCESS_START_SECONDS)?,
        })
    }

    fn read(&self) {
        let now = process_usage::figures();
        self.resident_bytes.set(now.resident_bytes);
        self.virtual_bytes.set(now.virtual_bytes);
        self.descriptors.set(now.descriptors);
        self.descriptors_max.set(now.descriptors_max);
        self.threads.set(now.threads);
        self.start_seconds.set(now.started_seconds);
        // Between two scrapes the difference cannot be negative, but the clock is not ours.
        let risen = now.cpu_seconds - self.cpu_seconds.get();
        if risen > 0.0 {
            self.cpu_seconds.inc_by(risen);
        }
    }
}

impl CatalogMetrics {
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

/// Seconds that the boundaries of waiting times stand at: ten microseconds to half a minute.
const QUEUE_BUCKETS: &[f64] = &[
    1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0,
    5.0, 30.0,
];

/// Seconds that the bucket boundaries of the gate's time stand at: a microsecond to a tenth.
const GATE_BUCKETS: &[f64] = &[
    1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1,
];

/// Seconds that the boundaries of statement times stand at: a tenth of a millisecond to a minute.
pub(super) const STATEMENT_BUCKETS: &[f64] = &[
    1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0, 2.0, 5.0, 10.0,
    30.0, 60.0,
];

fn sessions(r: &Registry) -> Result<SessionMetrics, TelemetryError> {
    Ok(SessionMetrics {
        clients: gauges(r, &SESSIONS)?,
        upstreams: gauges(r, &UPSTREAM_SESSIONS)?,
    })
}

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

pub(super) fn gauges(
    registry: &Registry,
    metric: &'static Metric,
) -> Result<IntGaugeVec, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options = Opts::new(metric.name, metric.help);
    let gauges = IntGaugeVec::new(options, &metric.label_names()).map_err(wrong)?;
    registry.register(Box::new(gauges.clone())).map_err(wrong)?;
    Ok(gauges)
}

pub(super) fn histogram(
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
    use crate::gate::StatementKind;
    use crate::sql::fingerprint::Fingerprinter;
    use crate::telemetry::counters::upstream_metrics::ServerRole;
    use crate::telemetry::labels::{CheckOutcome, StatementOutcome};
    use crate::telemetry::metrics::TABLE;
    use crate::words::Word;

    #[test]
    fn every_row_of_the_table_is_registered_as_what_it_says() {
        let metrics = MetricsRegistry::new().unwrap();
        metrics.connections_closed.inc(ClosedBecause::Terminate);
        let failed = TwoLabels(SessionLeg::Client, TlsFailure::PeerGone);
        metrics.tls_failures.inc(failed);
        metrics
            .logins
            .inc(TwoLabels(LoginMethod::Trust, LoginOutcome::Accepted));
        let labels = ThreeLabels(
            ProtocolPath::Query,
            StatementKind::ALL[0],
            StatementOutcome::Permitted,
        );
        let slot = metrics.by_policy.slot(None);
        metrics.by_policy.add(slot, None, [(labels, 1)].into_iter());
        let slot = metrics.by_user.slot(None);
        metrics.by_user.add(slot, None, &[1; 7]);
        metrics.by_user.refused(None, Rule::ResultRows);
        let fingerprinter = Fingerprinter::new(None, [0; 32]);
        let fingerprint = fingerprinter.of("DROP TABLE t");
        metrics
            .by_fingerprint
            .refused(&fingerprint, Rule::ResultRows);
        metrics
            .by_subject
            .refused(&"relation s.t".into(), Rule::ResultRows);
        let upstreams = &metrics.upstreams;
        upstreams.tried("h:1", CheckOutcome::Reached, Duration::from_millis(1));
        upstreams.set_role("h:1", ServerRole::Primary, Duration::from_secs(60));
        metrics.login_settings.inc(StartupSettingOutcome::Ignored);
        metrics.clamps.inc(ProtocolPath::Query);
        metrics
            .limits
            .inc(TwoLabels(Rule::ResultRows, LimitMode::Enforce));
        metrics
            .errors
            .inc(TwoLabels(ErrorOrigin::Gate, SqlstateClass::ALL[0]));
        metrics.repairs.inc(ThreeLabels(
            Recoverer::Dialect,
            Confidence::Exact,
            AttemptOutcome::Applied,
        ));
        let answered = TwoLabels(AdminPage::Metrics, StatusClass::Success);
        metrics.admin_requests.inc(answered);
        let observe = include_str!("../../policies/observe.yaml");
        let observe = format!("{observe}\nobserve_until: 2030-01-31\nuntil: 2030-02-01\n");
        let observe = crate::policy::Policy::from_yaml(&observe).unwrap();
        let set = crate::policy::PolicySet::only(std::sync::Arc::new(observe));
        metrics.policies.set_policies(&set);
        metrics.by_policy.hold(&["agent".into()]);
        let expiry = &metrics.certificate_expiry;
        expiry.with_label_values(&["client_listener"]).set(1);
        let text = metrics.scrape();
        for row in TABLE {
            let shape = row.shape.name();
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
            for label in row.label_names() {
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
