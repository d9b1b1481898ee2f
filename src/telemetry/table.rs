//! The table of every metric: the only place where their names exist.
//!
//! Labels are closed sets, so the number of time series has a bound that no client can move; the
//! names and versions of policies are the operator's, and there are as many as there are policies.

/// One row of the table.
pub struct Metric {
    /// The name that Prometheus sees.
    pub name: &'static str,
    /// What it is to Prometheus.
    pub shape: Shape,
    /// What its number counts.
    pub unit: &'static str,
    /// One sentence for a person.
    pub help: &'static str,
    /// The names of its labels; the values are closed sets.
    pub labels: &'static [&'static str],
}

/// The kinds of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Only ever rises.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts values by size.
    Histogram,
}

/// Declares the rows and the list of them; the help is the row's doc as well.
macro_rules! metrics {
    ($(
        $row:ident: $shape:ident $name:literal in $unit:literal,
        [$($label:literal),*],
        $help:literal;
    )+) => {
        $(
            #[doc = $help]
            pub static $row: Metric = Metric {
                name: $name,
                shape: Shape::$shape,
                unit: $unit,
                help: $help,
                labels: &[$($label),*],
            };
        )+

        /// Every row, in the order in which people read them.
        pub static TABLE: &[&Metric] = &[$(&$row,)+];
    };
}

metrics! {
    BUILD_INFO: Gauge "pgsieve_build_info" in "1", ["version"],
        "Always 1; the label says which version runs.";
    CONNECTIONS_OPEN: Gauge "pgsieve_connections_open" in "connections", [],
        "Client connections that are open now.";
    CONNECTIONS: Counter "pgsieve_connections_total" in "connections", ["transport"],
        "Client connections accepted.";
    CONNECTIONS_REFUSED: Counter "pgsieve_connections_refused_total" in "connections", ["reason"],
        "Client connections turned away before login.";
    CONNECTIONS_CLOSED: Counter "pgsieve_connections_closed_total" in "connections", ["reason"],
        "Client connections ended, by cause.";
    LOGINS: Counter "pgsieve_logins_total" in "logins", ["method", "outcome"],
        "Logins, by method and how they ended.";
    STATEMENTS: Counter "pgsieve_statements_total" in "statements", ["path", "kind", "verdict"],
        "Statements judged or run.";
    REFUSALS: Counter "pgsieve_refusals_total" in "statements", ["rule"],
        "Statements refused, by the rule that refused them.";
    OBSERVED: Counter "pgsieve_observed_total" in "statements", ["rule"],
        "Statements that a rule of the policy would have refused, were it not only observed.";
    RETRIES: Counter "pgsieve_retries_total" in "statements", [],
        "Reads that were sent again because they failed for a reason of the moment (40001).";
    CLAMPS: Counter "pgsieve_clamps_total" in "statements", ["path"],
        "Settings lowered to what the policy allows.";
    LIMITS: Counter "pgsieve_limits_total" in "times", ["rule", "mode"],
        "Limits of a policy that were reached, by rule and whether that was enforced.";
    ERRORS: Counter "pgsieve_errors_total" in "errors", ["origin", "class"],
        "Errors sent to clients, by who raised them and SQLSTATE class.";
    GATE_SECONDS: Histogram "pgsieve_gate_seconds" in "seconds", [],
        "Time a statement spent at the gate.";
    UPSTREAM_SECONDS: Histogram "pgsieve_upstream_seconds" in "seconds", [],
        "Time the upstream took for a statement.";
    PLAN_SECONDS: Histogram "pgsieve_plan_seconds" in "seconds", [],
        "Time a statement waited for its plan, where the policy bounds plans and none was known.";
    STATEMENT_SECONDS: Histogram "pgsieve_statement_seconds" in "seconds", [],
        "Time from a statement's arrival to the end of its answer.";
    ROWS: Counter "pgsieve_rows_total" in "rows", [],
        "Rows returned to clients.";
    RESULT_BYTES: Counter "pgsieve_result_bytes_total" in "bytes", [],
        "Bytes of answers returned to clients.";
    CLIENT_BYTES: Counter "pgsieve_client_bytes_total" in "bytes", ["direction"],
        "Bytes exchanged with clients, added when a connection ends.";
    CANCELS: Counter "pgsieve_cancels_total" in "requests", ["outcome"],
        "Cancel requests, by what became of them.";
    CATALOG_AGE_SECONDS: Gauge "pgsieve_catalog_age_seconds" in "seconds", [],
        "Time since it was last checked that a catalog holds; the oldest over all databases.";
    CATALOG_LOADS: Counter "pgsieve_catalog_loads_total" in "loads", ["outcome"],
        "Attempts to load a catalog or to stay informed about it, by what came of them.";
    CATALOG_FAILURES: Counter "pgsieve_catalog_failures_total" in "failures", ["why"],
        "Failed attempts to load a catalog or to stay informed about it, by cause.";
    CATALOG_LOAD_SECONDS: Histogram "pgsieve_catalog_load_seconds" in "seconds", [],
        "Time from the wish for a catalog to its use.";
    CATALOG_BYTES: Gauge "pgsieve_catalog_bytes" in "bytes", [],
        "Memory that the catalogs take, about.";
    CATALOG_DRIFT: Counter "pgsieve_catalog_drift_total" in "objects", ["kind"],
        "Objects that were added to the database, changed or removed while pgsieve looked.";
    STATEMENTS_WITHOUT_CATALOG: Counter "pgsieve_statements_without_catalog_total" in "statements",
        [],
        "Statements judged by their text alone because no catalog was loaded.";
    REPAIRS: Counter "pgsieve_repairs_total" in "attempts", ["recoverer", "confidence", "outcome"],
        "Attempts to repair a statement that failed, by who made them and what became of them.";
    REPAIR_SECONDS: Histogram "pgsieve_repair_seconds" in "seconds", [],
        "Time from a statement's failure to the end of its repair, successful or not.";
    TRIPWIRES: Counter "pgsieve_tripwires_total" in "alarms", ["wire"],
        "Sessions ended because read-only was in doubt. Alert on any rise.";
    VIOLATIONS: Counter "pgsieve_protocol_violations_total" in "violations", ["peer", "cause"],
        "Breaches of the wire protocol.";
    PANICS: Counter "pgsieve_panics_total" in "panics", [],
        "Faults of pgsieve that ended one session. Alert on any rise.";
    POLICY_INFO: Gauge "pgsieve_policy_info" in "1", ["policy", "version"],
        "Always 1; one for each policy that holds now.";
    POLICY_RELOADS: Counter "pgsieve_policy_reloads_total" in "reloads", ["outcome"],
        "Times that the policies were read again, by what came of it.";
    POLICY_RELOAD_SUCCEEDED: Gauge "pgsieve_policy_last_reload_successful" in "1", [],
        "Whether the policies that were read last hold. Alert on 0: older ones hold.";
    POLICY_LOADED_SECONDS: Gauge "pgsieve_policy_last_reload_success_timestamp_seconds" in
        "seconds", [],
        "When the policies were last read that hold, in seconds since 1970.";
    AUDIT_QUEUE_BYTES: Gauge "pgsieve_audit_queue_bytes" in "bytes", [],
        "Audit lines that wait to be written.";
    AUDIT_LINES: Counter "pgsieve_audit_lines_total" in "lines", [],
        "Audit lines taken for writing.";
    AUDIT_DROPPED: Counter "pgsieve_audit_dropped_total" in "lines", [],
        "Audit lines lost because the queue was full.";
    AUDIT_WRITE_ERRORS: Counter "pgsieve_audit_write_errors_total" in "errors", [],
        "Failed attempts to write the audit.";
    PROCESS_RESIDENT_BYTES: Gauge "process_resident_memory_bytes" in "bytes", [],
        "Resident memory of the process.";
    PROCESS_CPU_SECONDS: Counter "process_cpu_seconds_total" in "seconds", [],
        "Processor time of the process, user and system.";
    PROCESS_DESCRIPTORS: Gauge "process_open_fds" in "descriptors", [],
        "File descriptors that are open now.";
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
                metric.shape == Shape::Counter,
                "{}: counters and only counters end in _total",
                metric.name
            );
            assert!(metric.help.ends_with('.'), "{}", metric.name);
        }
    }
}
