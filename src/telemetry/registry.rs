//! The live numbers behind the [table](crate::telemetry::metrics), in a registry of their own.

use std::sync::Arc;
use std::time::Instant;

use prometheus::proto::MetricFamily;
use prometheus::{
    Counter, Gauge, Histogram, IntCounter, IntGauge, IntGaugeVec, Registry, TextEncoder,
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
use crate::telemetry::counters::limits_store_metrics::LimitsStoreMetrics;
use crate::telemetry::counters::policy_metrics::PolicyMetrics;
use crate::telemetry::counters::pool_metrics::PoolMetrics;
use crate::telemetry::counters::process_usage;
use crate::telemetry::counters::register::{self, STATEMENT_BUCKETS, metric_set, seconds};
use crate::telemetry::counters::session_gauges::SessionGauges;
use crate::telemetry::counters::settings_metrics::SettingsMetrics;
use crate::telemetry::counters::upstream_metrics::UpstreamMetrics;
use crate::telemetry::counters::worker_metrics::WorkerMetrics;
use crate::telemetry::events::{AdminPage, StatusClass};
use crate::telemetry::labels::{
    ByteDirection, CacheAnswer, CancelCause, CancelOutcome, CaptureOutcome, CatalogFailure,
    CatalogLoad, ClientTransport, ClosedBecause, ErrorOrigin, LimitMode, LoginMethod, LoginOutcome,
    PlanAnswer, ProtocolPath, RefusedBecause, RepairedOutcome, SessionLeg, SessionState,
    SignalOutcome, SpanOutcome, StartupSettingOutcome, TlsFailure, Tripwire, UpstreamState,
    ViolationKind,
};
use crate::telemetry::metrics::{
    ADMIN_REQUESTS, AUDIT_DROPPED, AUDIT_LINES, AUDIT_QUEUE_BYTES, AUDIT_REFUSED, AUDIT_ROTATIONS,
    AUDIT_WAITS, AUDIT_WRITE_ERRORS, BUILD_INFO, CANCELS, CAPTURED_STATEMENTS, CATALOG_AGE_SECONDS,
    CATALOG_BYTES, CATALOG_DRIFT, CATALOG_FAILURES, CATALOG_LOAD_SECONDS, CATALOG_LOADS,
    CERTIFICATE_EXPIRY, CLAMPS, CLIENT_BYTES, CONNECTIONS, CONNECTIONS_CLOSED, CONNECTIONS_OPEN,
    CONNECTIONS_REFUSED, ERRORS, FINGERPRINT_REFUSALS, GATE_SECONDS, JUDGEMENT_CACHE, LIMITS,
    LOGIN_SETTINGS, LOGINS, MEMORY_REFUSED, MEMORY_TAKEN_BYTES, MEMORY_WAITING, OWN_CANCELS,
    PANICS, PLAN_CACHE, PLAN_SECONDS, PROCESS_CPU_SECONDS, PROCESS_DESCRIPTORS,
    PROCESS_DESCRIPTORS_MAX, PROCESS_RESIDENT_BYTES, PROCESS_START_SECONDS, PROCESS_THREADS,
    PROCESS_VIRTUAL_BYTES, QUEUE_SECONDS, REPAIR_SECONDS, REPAIRED_STATEMENTS, REPAIRS,
    RESULT_BYTES, RETRIES, ROWS, SESSIONS, SIGNALS, STALE_GROUNDING_SESSIONS, STATEMENT_SECONDS,
    STATEMENTS_WITHOUT_CATALOG, SUBJECT_REFUSALS, TLS_FAILURES, TRACE_SPANS, TRIPWIRES,
    UPSTREAM_SECONDS, UPSTREAM_SESSIONS, VIOLATIONS,
};
use crate::telemetry::sqlstate_code::SqlstateClass;

metric_set! {
    /// The live numbers. Fields have the names of the rows.
    pub MetricsRegistry {
        registry: Registry = itself();
        pub connections_open: IntGauge = gauge(CONNECTIONS_OPEN);
        pub connections: CounterVec<ClientTransport> = from_zero(CONNECTIONS);
        pub connections_refused: CounterVec<RefusedBecause> = from_zero(CONNECTIONS_REFUSED);
        pub tls_failures: CounterVec<TwoLabels<SessionLeg, TlsFailure>> = from_zero(TLS_FAILURES);
        pub connections_closed: CounterVec<ClosedBecause> = counters(CONNECTIONS_CLOSED);
        pub logins: CounterVec<TwoLabels<LoginMethod, LoginOutcome>> = counters(LOGINS);
        /// What sessions are at.
        pub seats: SessionGauges = unregistered();
        /// What is counted by policy.
        pub by_policy: PolicyCounters;
        /// What is counted by user.
        pub by_user: UserCounters;
        pub by_fingerprint: FingerprintRefusals =
            refusals(FINGERPRINT_REFUSALS, FINGERPRINT_LABELS_MAX);
        pub by_subject: SubjectRefusals = refusals(SUBJECT_REFUSALS, SUBJECT_LABELS_MAX);
        pub limits: CounterVec<TwoLabels<Rule, LimitMode>> = counters(LIMITS);
        pub login_settings: CounterVec<StartupSettingOutcome> = counters(LOGIN_SETTINGS);
        pub clamps: CounterVec<ProtocolPath> = counters(CLAMPS);
        pub retries: IntCounter = counter(RETRIES);
        pub errors: CounterVec<TwoLabels<ErrorOrigin, SqlstateClass>> = counters(ERRORS);
        pub judgement_cache: CounterVec<CacheAnswer> = from_zero(JUDGEMENT_CACHE);
        pub plan_cache: CounterVec<PlanAnswer> = from_zero(PLAN_CACHE);
        pub gate_seconds: Histogram = histogram(GATE_SECONDS, GATE_BUCKETS);
        pub queue_seconds: Histogram = histogram(QUEUE_SECONDS, QUEUE_BUCKETS);
        pub upstream_seconds: Histogram = histogram(UPSTREAM_SECONDS, STATEMENT_BUCKETS);
        pub plan_seconds: Histogram = histogram(PLAN_SECONDS, STATEMENT_BUCKETS);
        pub statement_seconds: Histogram = histogram(STATEMENT_SECONDS, STATEMENT_BUCKETS);
        pub rows: IntCounter = counter(ROWS);
        pub result_bytes: IntCounter = counter(RESULT_BYTES);
        pub client_bytes: CounterVec<ByteDirection> = from_zero(CLIENT_BYTES);
        pub cancels: CounterVec<CancelOutcome> = from_zero(CANCELS);
        pub signals: CounterVec<SignalOutcome> = from_zero(SIGNALS);
        pub own_cancels: CounterVec<TwoLabels<CancelCause, CancelOutcome>> =
            from_zero(OWN_CANCELS);
        /// What is known of the upstreams.
        pub upstreams: UpstreamMetrics;
        /// What is known of the pools of connections.
        pub pools: PoolMetrics;
        /// What is known of the worker threads.
        pub workers: WorkerMetrics;
        /// What is known of the store of limits.
        pub limits_store: LimitsStoreMetrics;
        /// What is counted of catalogs.
        pub catalog: CatalogMetrics;
        pub repairs: CounterVec<ThreeLabels<Recoverer, Confidence, AttemptOutcome>> =
            counters(REPAIRS);
        pub repaired_statements: CounterVec<RepairedOutcome> = from_zero(REPAIRED_STATEMENTS);
        pub repair_seconds: Histogram = histogram(REPAIR_SECONDS, STATEMENT_BUCKETS);
        pub tripwires: CounterVec<Tripwire> = from_zero(TRIPWIRES);
        pub violations: CounterVec<TwoLabels<SessionLeg, ViolationKind>> = from_zero(VIOLATIONS);
        pub panics: IntCounter = counter(PANICS);
        /// What is known of the policies.
        pub policies: PolicyMetrics;
        /// The settings.
        pub settings: SettingsMetrics;
        /// What is counted of the memory that clients take.
        pub memory: MemoryMetrics;
        /// What the audit counts of itself.
        pub audit: AuditMetrics;
        pub certificate_expiry: IntGaugeVec = gauges(CERTIFICATE_EXPIRY);
        pub admin_requests: CounterVec<TwoLabels<AdminPage, StatusClass>> =
            counters(ADMIN_REQUESTS);
        sessions: SessionMetrics;
        pub stale_grounding_sessions: IntGaugeVec = gauges(STALE_GROUNDING_SESSIONS);
        pub captured: Arc<CounterVec<CaptureOutcome>> = shared_from_zero(CAPTURED_STATEMENTS);
        pub trace_spans: Arc<CounterVec<SpanOutcome>> = shared_from_zero(TRACE_SPANS);
        process: ProcessMetrics;
    }
}

metric_set! {
    /// What sessions are at when a scrape asks.
    SessionMetrics {
        clients: IntGaugeVec = gauges(SESSIONS);
        upstreams: IntGaugeVec = gauges(UPSTREAM_SESSIONS);
    }
}

metric_set! {
    /// What is counted of catalogs.
    pub CatalogMetrics {
        pub loads: CounterVec<CatalogLoad> = from_zero(CATALOG_LOADS);
        pub failures: CounterVec<CatalogFailure> = from_zero(CATALOG_FAILURES);
        pub load_seconds: Histogram = histogram(CATALOG_LOAD_SECONDS, STATEMENT_BUCKETS);
        pub drift: CounterVec<ObjectKind> = from_zero(CATALOG_DRIFT);
        pub statements_without: IntCounter = counter(STATEMENTS_WITHOUT_CATALOG);
        /// The last checks, which the age is counted from when a scrape asks.
        pub checks: CatalogChecks = unregistered();
        age_seconds: Gauge = level(CATALOG_AGE_SECONDS);
        bytes: IntGauge = gauge(CATALOG_BYTES);
    }
}

metric_set! {
    /// What is counted of the memory that clients take.
    #[derive(Clone)]
    pub MemoryMetrics {
        pub taken_bytes: IntGauge = gauge(MEMORY_TAKEN_BYTES);
        pub waiting: IntGauge = gauge(MEMORY_WAITING);
        pub refused: IntCounter = counter(MEMORY_REFUSED);
    }
}

metric_set! {
    /// What the audit counts of itself.
    #[derive(Clone)]
    pub AuditMetrics {
        pub queue_bytes: IntGauge = gauge(AUDIT_QUEUE_BYTES);
        pub lines: IntCounter = counter(AUDIT_LINES);
        pub dropped: IntCounter = counter(AUDIT_DROPPED);
        pub waits: IntCounter = counter(AUDIT_WAITS);
        pub rotations: IntCounter = counter(AUDIT_ROTATIONS);
        pub write_errors: IntCounter = counter(AUDIT_WRITE_ERRORS);
        pub refused: IntCounter = counter(AUDIT_REFUSED);
    }
}

metric_set! {
    /// What is known of the process when a scrape asks.
    ProcessMetrics {
        resident_bytes: IntGauge = gauge(PROCESS_RESIDENT_BYTES);
        virtual_bytes: IntGauge = gauge(PROCESS_VIRTUAL_BYTES);
        cpu_seconds: Counter = fraction(PROCESS_CPU_SECONDS);
        descriptors: IntGauge = gauge(PROCESS_DESCRIPTORS);
        descriptors_max: IntGauge = gauge(PROCESS_DESCRIPTORS_MAX);
        threads: IntGauge = gauge(PROCESS_THREADS);
        start_seconds: Gauge = level(PROCESS_START_SECONDS);
    }
}

impl MetricsRegistry {
    /// Registers every row of the table in a registry of its own.
    ///
    /// # Errors
    /// Prometheus takes no such name, or has it already.
    pub fn new() -> Result<Self, TelemetryError> {
        let registry = Registry::new();
        register::info(&registry, &BUILD_INFO)?;
        Self::register(&registry)
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
        self.pools.read();
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

impl ProcessMetrics {
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

/// Seconds that the boundaries of waiting times stand at: ten microseconds to half a minute.
const QUEUE_BUCKETS: &[f64] = &[
    1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0,
    5.0, 30.0,
];

/// Seconds that the bucket boundaries of the gate's time stand at: a microsecond to a tenth.
const GATE_BUCKETS: &[f64] = &[
    1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1,
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
        let stale = &metrics.stale_grounding_sessions;
        stale.with_label_values(&["minute"]).set(1);
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
