//! The table of every metric: the only place where their names exist.
//!
//! A label has a closed set of words, or names that are bounded in number: the policies, users,
//! fingerprints and upstreams that have a place of their own, and the versions of what is loaded.
//! So the number of time series has a bound that no client can move ([`Metric::series_max`]).

use std::fmt::Write;

use crate::catalog::object_kind::ObjectKind;
use crate::gate::{Rule, StatementKind};
use crate::limits;
use crate::policy::{Recoverer, Strictness};
use crate::repair::{AttemptOutcome, Confidence};
use crate::telemetry::events::{AdminPage, StatusClass};
use crate::telemetry::labels::{
    ByteDirection, CacheAnswer, CancelCause, CancelOutcome, CaptureOutcome, CatalogFailure,
    CatalogLoad, CheckOutcome, CheckoutOutcome, ClientTransport, ClosedBecause, ErrorOrigin,
    HeldCertificate, LimitMode, LoginMethod, LoginOutcome, MoveReason, PinReason, PlanAnswer,
    PolicyReload, PooledConnectionState, ProtocolPath, RefusedBecause, RepairedOutcome, SessionLeg,
    SessionState, SignalOutcome, SpanOutcome, StaleGroundingAge, StartupSettingOutcome,
    StatementOutcome, StoreAnswer, TlsFailure, Tripwire, UpstreamState, ViolationKind,
    WorkerMoveReason,
};
use crate::telemetry::sqlstate_code::SqlstateClass;
use crate::words::Word;

/// One row of the table.
pub struct Metric {
    /// The name that Prometheus sees.
    pub name: &'static str,
    /// What it is to Prometheus.
    pub shape: MetricKind,
    /// What its number counts.
    pub unit: &'static str,
    /// One sentence for a person.
    pub help: &'static str,
    /// Its labels, in the order in which values are given.
    pub labels: &'static [MetricLabel],
}

/// One label of a metric.
pub struct MetricLabel {
    /// The name of the label.
    pub name: &'static str,
    /// What it may say.
    pub values: LabelValues,
}

/// What a label may say.
pub enum LabelValues {
    /// One of these words.
    Closed(fn() -> Vec<&'static str>),
    /// A name that is not known when the program is built, of so many at the same time.
    Names {
        /// At the most, the one for all others included.
        most: usize,
        /// What it is the name of.
        what: &'static str,
    },
}

/// The kinds of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Only ever rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts values by size.
    Histogram,
}

impl Metric {
    /// The names of its labels.
    pub fn label_names(&self) -> Vec<&'static str> {
        self.labels.iter().map(|label| label.name).collect()
    }

    /// The most time series that it can have.
    pub fn series_max(&self) -> usize {
        let each = match self.shape {
            MetricKind::Counter | MetricKind::Gauge => 1,
            // A bucket without end, the sum and the count.
            MetricKind::Histogram => limits::HISTOGRAM_BUCKETS_MAX + 3,
        };
        let combinations = self.labels.iter().map(|label| label.values.most());
        combinations.fold(each, usize::saturating_mul)
    }
}

impl LabelValues {
    /// How many values there can be at a time.
    pub fn most(&self) -> usize {
        match self {
            Self::Closed(words) => words().len(),
            Self::Names { most, .. } => *most,
        }
    }
}

impl MetricKind {
    /// The word of Prometheus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// The table in Markdown, for `grafana/README.md`.
pub fn markdown() -> String {
    let mut text = String::from("| Metric | Type | Unit | Labels | What it says |\n");
    text.push_str("| --- | --- | --- | --- | --- |\n");
    for Metric {
        name,
        shape,
        unit,
        help,
        labels,
    } in TABLE
    {
        let labels: Vec<String> = labels
            .iter()
            .map(|label| format!("`{}`", label.name))
            .collect();
        let (shape, labels) = (shape.name(), labels.join(", "));
        // Writing to a String does not fail.
        let _ = writeln!(text, "| `{name}` | {shape} | {unit} | {labels} | {help} |");
    }
    text
}

const fn closed<L: Word>() -> LabelValues {
    LabelValues::Closed(words::<L>)
}

fn words<L: Word>() -> Vec<&'static str> {
    L::ALL.iter().map(|label| label.name()).collect()
}

const fn names(most: usize, what: &'static str) -> LabelValues {
    LabelValues::Names { most, what }
}

/// The policies that have a place of their own, and the rest.
const POLICIES: LabelValues = names(limits::POLICY_LABELS_MAX + 1, "policy");

/// The users that have a place of their own, and the rest.
const USERS: LabelValues = names(limits::USER_LABELS_MAX + 1, "user");

/// The fingerprints that have a place of their own, and the rest.
const FINGERPRINTS: LabelValues = names(limits::FINGERPRINT_LABELS_MAX + 1, "fingerprint");

/// What has a place of its own in the counts of refusals, and the rest.
const SUBJECTS: LabelValues = names(limits::SUBJECT_LABELS_MAX + 1, "subject");

/// The upstreams of the settings.
const UPSTREAMS: LabelValues = names(limits::UPSTREAM_LABELS_MAX, "upstream");

/// Declares the rows and the list of them; the help is the row's doc as well.
macro_rules! metrics {
    ($(
        $row:ident: $shape:ident $name:literal in $unit:literal,
        [$($label:literal: $values:expr),*],
        $help:literal;
    )+) => {
        $(
            #[doc = $help]
            pub static $row: Metric = Metric {
                name: $name,
                shape: MetricKind::$shape,
                unit: $unit,
                help: $help,
                labels: &[$(MetricLabel { name: $label, values: $values }),*],
            };
        )+

        /// Every row, in the order in which people read them.
        pub static TABLE: &[&Metric] = &[$(&$row,)+];
    };
}

metrics! {
    BUILD_INFO: Gauge "pgsieve_build_info" in "1",
        ["version": names(1, "version")],
        "Always 1; the label says which version runs.";
    CONNECTIONS_OPEN: Gauge "pgsieve_connections_open" in "connections", [],
        "Client connections that are open now.";
    CONNECTIONS: Counter "pgsieve_connections_total" in "connections",
        ["transport": closed::<ClientTransport>()],
        "Client connections accepted.";
    CONNECTIONS_REFUSED: Counter "pgsieve_connections_refused_total" in "connections",
        ["reason": closed::<RefusedBecause>()],
        "Client connections turned away before login.";
    TLS_FAILURES: Counter "pgsieve_tls_failures_total" in "failures",
        ["peer": closed::<SessionLeg>(), "reason": closed::<TlsFailure>()],
        "TLS handshakes that failed, by peer and cause.";
    CONNECTIONS_CLOSED: Counter "pgsieve_connections_closed_total" in "connections",
        ["reason": closed::<ClosedBecause>()],
        "Client connections ended, by cause.";
    LOGINS: Counter "pgsieve_logins_total" in "logins",
        ["method": closed::<LoginMethod>(), "outcome": closed::<LoginOutcome>()],
        "Logins, by method and outcome.";
    LOGIN_SETTINGS: Counter "pgsieve_login_settings_total" in "settings",
        ["change": closed::<StartupSettingOutcome>()],
        "Settings of connection strings that were ignored or lowered.";
    SESSIONS: Gauge "pgsieve_sessions" in "sessions",
        ["state": closed::<SessionState>()],
        "Client sessions, by state.";
    UPSTREAM_SESSIONS: Gauge "pgsieve_upstream_sessions" in "sessions",
        ["state": closed::<UpstreamState>()],
        "Sessions at the upstream that serve clients, by state.";
    STALE_GROUNDING_SESSIONS: Gauge "pgsieve_stale_grounding_sessions" in "sessions",
        ["age": closed::<StaleGroundingAge>()],
        "Sessions whose grounding (pgsieve.grounding) is stale, by how long it has been: less than a \
         minute, an hour, a day, or older.";
    STATEMENTS: Counter "pgsieve_statements_total" in "statements",
        [
            "policy": POLICIES,
            "path": closed::<ProtocolPath>(),
            "kind": closed::<StatementKind>(),
            "verdict": closed::<StatementOutcome>()
        ],
        "Statements judged or run.";
    REFUSALS: Counter "pgsieve_refusals_total" in "statements",
        ["policy": POLICIES, "rule": closed::<Rule>()],
        "Statements refused, by the rule that refused them.";
    USER_STATEMENTS: Counter "pgsieve_user_statements_total" in "statements",
        ["user": USERS, "verdict": closed::<StatementOutcome>()],
        "Statements judged or run, by user.";
    USER_REFUSALS: Counter "pgsieve_user_refusals_total" in "statements",
        ["user": USERS, "rule": closed::<Rule>()],
        "Statements refused, by user and rule.";
    FINGERPRINT_REFUSALS: Counter "pgsieve_fingerprint_refusals_total" in "statements",
        ["fingerprint": FINGERPRINTS, "rule": closed::<Rule>()],
        "Statements refused, by fingerprint and rule.";
    SUBJECT_REFUSALS: Counter "pgsieve_subject_refusals_total" in "statements",
        ["subject": SUBJECTS, "rule": closed::<Rule>()],
        "Statements refused, by the object of the database that they were about, and rule.";
    OBSERVED: Counter "pgsieve_observed_total" in "statements",
        ["policy": POLICIES, "rule": closed::<Rule>()],
        "Statements that a rule in mode observe would have refused.";
    RETRIES: Counter "pgsieve_retries_total" in "statements", [],
        "Reads that were sent again after a transient failure (40001).";
    CLAMPS: Counter "pgsieve_clamps_total" in "statements",
        ["path": closed::<ProtocolPath>()],
        "Settings lowered to what the policy allows.";
    LIMITS: Counter "pgsieve_limits_total" in "times",
        ["rule": closed::<Rule>(), "mode": closed::<LimitMode>()],
        "Times that a limit of a policy was reached, by rule and by whether the policy enforces it.";
    STORE_EXCHANGES: Counter "pgsieve_limits_store_exchanges_total" in "exchanges",
        ["result": closed::<StoreAnswer>()],
        "Exchanges of counts with the store of limits, by whether it has answered.";
    STORE_SECONDS: Histogram "pgsieve_limits_store_exchange_seconds" in "seconds", [],
        "Time of an exchange that the store of limits has answered.";
    STORE_LOST: Gauge "pgsieve_limits_store_lost" in "1", [],
        "Whether the store of limits is taken to be away; 0 where there is none.";
    ERRORS: Counter "pgsieve_errors_total" in "errors",
        ["origin": closed::<ErrorOrigin>(), "class": closed::<SqlstateClass>()],
        "Errors sent to clients, by origin and SQLSTATE class.";
    JUDGEMENT_CACHE: Counter "pgsieve_judgement_cache_total" in "statements",
        ["answer": closed::<CacheAnswer>()],
        "Texts judged, by whether the verdict was in the cache.";
    PLAN_CACHE: Counter "pgsieve_plan_cache_total" in "statements",
        ["answer": closed::<PlanAnswer>()],
        "Statements under a plan limit, by whether a cached plan answered for them.";
    GATE_SECONDS: Histogram "pgsieve_gate_seconds" in "seconds", [],
        "Time that the gate took to judge a statement.";
    QUEUE_SECONDS: Histogram "pgsieve_queue_seconds" in "seconds", [],
        "Time between reading a statement from the client and beginning to judge it.";
    UPSTREAM_SECONDS: Histogram "pgsieve_upstream_seconds" in "seconds", [],
        "Time the upstream took for a statement.";
    PLAN_SECONDS: Histogram "pgsieve_plan_seconds" in "seconds", [],
        "Time that a statement waited for its plan, where the policy limits plans and none was \
         cached.";
    STATEMENT_SECONDS: Histogram "pgsieve_statement_seconds" in "seconds",
        [],
        "Time from a statement's arrival to the end of its answer.";
    ROWS: Counter "pgsieve_rows_total" in "rows", [],
        "Rows returned to clients.";
    RESULT_BYTES: Counter "pgsieve_result_bytes_total" in "bytes", [],
        "Bytes of answers returned to clients.";
    CLIENT_BYTES: Counter "pgsieve_client_bytes_total" in "bytes",
        ["direction": closed::<ByteDirection>()],
        "Bytes exchanged with clients, added when a connection ends.";
    CANCELS: Counter "pgsieve_cancels_total" in "requests",
        ["outcome": closed::<CancelOutcome>()],
        "Cancel requests of clients, by outcome.";
    OWN_CANCELS: Counter "pgsieve_own_cancels_total" in "requests",
        ["cause": closed::<CancelCause>(), "outcome": closed::<CancelOutcome>()],
        "Cancel requests that pgsieve sent by itself for statements that nobody waits for, by \
         cause and outcome.";
    SIGNALS: Counter "pgsieve_signals_total" in "requests",
        ["outcome": closed::<SignalOutcome>()],
        "Calls of pg_cancel_backend() and pg_terminate_backend() that pgsieve carried out.";
    UPSTREAM_UP: Gauge "pgsieve_upstream_up" in "1",
        ["upstream": UPSTREAMS],
        "Whether the last attempt to reach the upstream succeeded.";
    UPSTREAM_IS_STANDBY: Gauge "pgsieve_upstream_is_standby" in "1",
        ["upstream": UPSTREAMS],
        "Whether the upstream is a standby; absent while unknown, and with the catalog off.";
    UPSTREAM_LAG_SECONDS: Gauge "pgsieve_upstream_lag_seconds" in "seconds",
        ["upstream": UPSTREAMS],
        "How far a standby is behind, 0 on a primary; absent while unknown, and with the catalog off.";
    UPSTREAM_CHECK_SECONDS: Histogram "pgsieve_upstream_check_seconds" in "seconds",
        [],
        "Time that successful attempts to reach the upstream took.";
    UPSTREAM_CHECKS: Counter "pgsieve_upstream_checks_total" in "checks",
        ["outcome": closed::<CheckOutcome>()],
        "Attempts to reach the upstream, by outcome.";
    POOL_CONNECTIONS: Gauge "pgsieve_pool_connections" in "connections",
        ["state": closed::<PooledConnectionState>()],
        "Connections of the pools, by state.";
    POOL_WAITING: Gauge "pgsieve_pool_waiting" in "sessions", [],
        "Sessions that wait for a connection of their pool.";
    POOL_CHECKOUTS: Counter "pgsieve_pool_checkouts_total" in "checkouts",
        ["outcome": closed::<CheckoutOutcome>()],
        "Connections of pools that sessions asked for, by outcome.";
    POOL_WAIT_SECONDS: Histogram "pgsieve_pool_wait_seconds" in "seconds", [],
        "Time until a session had the connection that it asked its pool for.";
    POOL_PINS: Counter "pgsieve_pool_pins_total" in "sessions",
        ["reason": closed::<PinReason>()],
        "Sessions that keep their connection until their end, by cause.";
    POOL_EVICTIONS: Counter "pgsieve_pool_evictions_total" in "statements", [],
        "Prepared statements with names that made room for others on their connection.";
    POOL_MOVES: Counter "pgsieve_pool_moves_total" in "moves",
        ["reason": closed::<MoveReason>()],
        "Moves of sessions to another server, or to the next run of their own, by cause.";
    WORKER_MOVES: Counter "pgsieve_worker_moves_total" in "moves",
        ["reason": closed::<WorkerMoveReason>()],
        "Sessions that went on with another worker thread, by cause.";
    WORKER_READY_SESSIONS: Histogram "pgsieve_worker_ready_sessions" in "sessions", [],
        "Sessions that had something to do between two waits of a worker; every sixteenth counts.";
    CATALOG_AGE_SECONDS: Gauge "pgsieve_catalog_age_seconds" in "seconds", [],
        "Time since a catalog was last confirmed to be current; the oldest of all databases.";
    CATALOG_LOADS: Counter "pgsieve_catalog_loads_total" in "loads",
        ["outcome": closed::<CatalogLoad>()],
        "Attempts to load a catalog or to check it for changes, by outcome.";
    CATALOG_FAILURES: Counter "pgsieve_catalog_failures_total" in "failures",
        ["why": closed::<CatalogFailure>()],
        "Failed attempts to load a catalog or to check it for changes, by cause.";
    CATALOG_LOAD_SECONDS: Histogram "pgsieve_catalog_load_seconds" in "seconds",
        [],
        "Time from the request for a catalog until it was in use.";
    CATALOG_BYTES: Gauge "pgsieve_catalog_bytes" in "bytes",
        [],
        "Memory that all catalogs take, approximately.";
    CATALOG_DRIFT: Counter "pgsieve_catalog_drift_total" in "objects",
        ["kind": closed::<ObjectKind>()],
        "Objects that were added to a database, changed or removed while pgsieve ran.";
    STATEMENTS_WITHOUT_CATALOG: Counter "pgsieve_statements_without_catalog_total" in "statements",
        [],
        "Statements judged by their text alone because no catalog was loaded.";
    REPAIRS: Counter "pgsieve_repairs_total" in "attempts",
        [
            "recoverer": closed::<Recoverer>(),
            "confidence": closed::<Confidence>(),
            "outcome": closed::<AttemptOutcome>()
        ],
        "Attempts to repair a statement that failed, by recoverer, confidence and outcome.";
    REPAIRED_STATEMENTS: Counter "pgsieve_repaired_statements_total" in "statements",
        ["outcome": closed::<RepairedOutcome>()],
        "Statements that were repaired or could have been, by outcome.";
    REPAIR_SECONDS: Histogram "pgsieve_repair_seconds" in "seconds",
        [],
        "Time from a statement's failure to the end of its repair, successful or not.";
    TRIPWIRES: Counter "pgsieve_tripwires_total" in "alarms",
        ["wire": closed::<Tripwire>()],
        "Sessions that were ended because it was in doubt that they could only read. Alert on any \
         rise.";
    VIOLATIONS: Counter "pgsieve_protocol_violations_total" in "violations",
        ["peer": closed::<SessionLeg>(), "cause": closed::<ViolationKind>()],
        "Breaches of the wire protocol.";
    PANICS: Counter "pgsieve_panics_total" in "panics",
        [],
        "Faults of pgsieve that ended one session. Alert on any rise.";
    POLICY_INFO: Gauge "pgsieve_policy_info" in "1",
        [
            "policy": names(limits::POLICIES_MAX, "policy"),
            "version": names(1, "version of the policy"),
            "mode": closed::<Strictness>()
        ],
        "Always 1; one series for each policy in force, with its version and mode.";
    POLICY_OBSERVE_UNTIL: Gauge "pgsieve_policy_observe_until_timestamp_seconds" in "seconds",
        ["policy": names(limits::POLICIES_MAX, "policy")],
        "The end of the day until which a policy is meant to stay in mode observe (observe_until).";
    POLICY_UNTIL: Gauge "pgsieve_policy_until_timestamp_seconds" in "seconds",
        ["policy": names(limits::POLICIES_MAX, "policy")],
        "When a policy with until ends, or ended.";
    CERTIFICATE_EXPIRY: Gauge "pgsieve_certificate_expiry_timestamp_seconds" in "seconds",
        ["certificate": closed::<HeldCertificate>()],
        "When the first certificate of a file expires, in seconds since 1970.";
    POLICY_RELOADS: Counter "pgsieve_policy_reloads_total" in "reloads",
        ["outcome": closed::<PolicyReload>()],
        "Reloads of the policies, by outcome.";
    POLICY_RELOAD_SUCCEEDED: Gauge "pgsieve_policy_last_reload_successful" in "1",
        [],
        "Whether the last reload of the policies succeeded. Alert on 0: older policies are still \
         in force.";
    POLICY_MISFITS: Gauge "pgsieve_policy_misfits" in "problems",
        [],
        "Models, masks, conditions and records of knowledge of the policies that do not fit a known \
         database. Alert on any.";
    POLICY_LOADED_SECONDS: Gauge "pgsieve_policy_last_reload_success_timestamp_seconds" in "seconds",
        [],
        "When the policies in force were read, in seconds since 1970.";
    SETTINGS_RELOADS: Counter "pgsieve_settings_reloads_total" in "reloads",
        ["outcome": closed::<PolicyReload>()],
        "Reloads of the settings, by outcome.";
    SETTINGS_WAITING: Gauge "pgsieve_settings_waiting_for_restart" in "keys",
        [],
        "Settings that were changed in the file and take effect only after a restart.";
    MEMORY_TAKEN_BYTES: Gauge "pgsieve_memory_taken_bytes" in "bytes",
        [],
        "Memory of limits.memory that is in use by clients.";
    MEMORY_WAITING: Gauge "pgsieve_memory_waiting" in "sessions",
        [],
        "Sessions that wait for memory.";
    MEMORY_REFUSED: Counter "pgsieve_memory_refused_total" in "times",
        [],
        "Messages refused and sessions ended (53200) because limits.memory was used up.";
    AUDIT_QUEUE_BYTES: Gauge "pgsieve_audit_queue_bytes" in "bytes", [],
        "Size of the audit lines that wait to be written.";
    AUDIT_LINES: Counter "pgsieve_audit_lines_total" in "lines", [],
        "Audit lines accepted for writing.";
    AUDIT_DROPPED: Counter "pgsieve_audit_dropped_total" in "lines", [],
        "Audit lines of permitted statements that were lost because the queue was full.";
    AUDIT_WAITS: Counter "pgsieve_audit_waits_total" in "times", [],
        "Times that a session waited for room in the audit.";
    AUDIT_ROTATIONS: Counter "pgsieve_audit_rotations_total" in "files", [],
        "Audit files that were rotated because of their size.";
    AUDIT_WRITE_ERRORS: Counter "pgsieve_audit_write_errors_total" in "errors", [],
        "Failed attempts to write the audit.";
    AUDIT_REFUSED: Counter "pgsieve_audit_refused_total" in "lines", [],
        "Audit lines that a collector has refused for good. Alert on any rise.";
    CAPTURED_STATEMENTS: Counter "pgsieve_captured_statements_total" in "statements",
        ["outcome": closed::<CaptureOutcome>()],
        "Failed statements while capture.file is set, by whether their text was kept or why not.";
    TRACE_SPANS: Counter "pgsieve_trace_spans_total" in "spans",
        ["outcome": closed::<SpanOutcome>()],
        "Spans of sampled statements, by outcome.";
    ADMIN_REQUESTS: Counter "pgsieve_admin_requests_total" in "requests",
        ["page": closed::<AdminPage>(), "status_class": closed::<StatusClass>()],
        "Requests to the admin address, by page and status class.";
    PROCESS_RESIDENT_BYTES: Gauge "process_resident_memory_bytes" in "bytes", [],
        "Resident memory of the process.";
    PROCESS_CPU_SECONDS: Counter "process_cpu_seconds_total" in "seconds",
        [],
        "Processor time of the process, user and system.";
    PROCESS_DESCRIPTORS: Gauge "process_open_fds" in "descriptors", [],
        "File descriptors that are open now.";
    PROCESS_DESCRIPTORS_MAX: Gauge "process_max_fds" in "descriptors", [],
        "File descriptors that the process may open.";
    PROCESS_VIRTUAL_BYTES: Gauge "process_virtual_memory_bytes" in "bytes", [],
        "Virtual memory of the process.";
    PROCESS_THREADS: Gauge "process_threads" in "threads",
        [],
        "Threads of the process.";
    PROCESS_START_SECONDS: Gauge "process_start_time_seconds" in "seconds",
        [],
        "When the process was started, in seconds since 1970.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_prometheus() {
        for metric in TABLE {
            let plain = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(metric.name.chars().all(plain), "{}", metric.name);
            assert_eq!(
                metric.name.ends_with("_total"),
                metric.shape == MetricKind::Counter,
                "{}: counters and only counters end in _total",
                metric.name
            );
            assert!(metric.help.ends_with('.'), "{}", metric.name);
            let bare = metric.name.trim_end_matches("_total");
            for unit in ["seconds", "bytes"] {
                assert_eq!(
                    bare.ends_with(unit),
                    metric.unit == unit,
                    "{}: the unit is the end of the name",
                    metric.name
                );
            }
        }
    }

    #[test]
    fn no_metric_and_no_label_occurs_twice() {
        for (at, metric) in TABLE.iter().enumerate() {
            let mut others = TABLE.iter().skip(at + 1);
            assert!(
                others.all(|other| other.name != metric.name),
                "{}",
                metric.name
            );
            let names = metric.label_names();
            for (at, name) in names.iter().enumerate() {
                assert!(!names[..at].contains(name), "{}: {name}", metric.name);
            }
        }
    }
}
