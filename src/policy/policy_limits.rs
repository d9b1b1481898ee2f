//! How much a policy gives: of one statement, of one user, of one session.

use std::time::Duration;

/// The section `limits`. What is none has no bound here.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyLimits {
    /// The longest statement that is judged at all, in bytes.
    pub statement_bytes: usize,
    /// How deep queries may stand in each other: 1 is a query without a subquery.
    pub nesting: Option<u32>,
    /// Rows of one result.
    pub result_rows: Option<u64>,
    /// Bytes of the rows of one result, as they are sent.
    pub result_bytes: Option<u64>,
    /// What happens at the boundary of a result.
    pub on_limit: OnLimit,
    /// The highest cost of a plan that is run, in the planner's units.
    pub max_plan_cost: Option<f64>,
    /// The most rows that a plan may be expected to return.
    pub max_plan_rows: Option<f64>,
    /// How long the plan of a fingerprint is believed.
    pub plan_age_max: Duration,
    /// Statements of one user at a time.
    pub concurrency_per_user: Option<u32>,
    /// Statements of one user in a second, on average; ten seconds' worth may come at once.
    pub statements_per_second: Option<f64>,
    /// Statements of one user in 24 hours.
    pub statements_per_day: Option<u64>,
    /// Rows that one user may receive in a day, from midnight to midnight, UTC.
    pub rows_per_day: Option<u64>,
    /// The same in bytes of rows, as they are sent.
    pub bytes_per_day: Option<u64>,
    /// Connections of one user at a time.
    pub connections_per_user: Option<u32>,
    /// How long a session may do nothing.
    pub idle_time: Option<Duration>,
}

/// What happens when a result is longer than the policy allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnLimit {
    /// Error 54000 after the last row that is given.
    #[default]
    Error,
    /// The result ends, and a NOTICE says so.
    Truncate,
}

impl PolicyLimits {
    /// No bound but the length of a statement.
    pub fn defaults(statement_bytes: usize) -> Self {
        Self {
            statement_bytes,
            nesting: None,
            result_rows: None,
            result_bytes: None,
            on_limit: OnLimit::Error,
            max_plan_cost: None,
            max_plan_rows: None,
            plan_age_max: PLAN_AGE_MAX,
            concurrency_per_user: None,
            statements_per_second: None,
            statements_per_day: None,
            rows_per_day: None,
            bytes_per_day: None,
            connections_per_user: None,
            idle_time: None,
        }
    }

    /// Whether plans are asked for.
    pub fn wants_plans(&self) -> bool {
        self.max_plan_cost.is_some() || self.max_plan_rows.is_some()
    }
}

/// How long a plan is believed where the policy does not say: tables grow slowly.
const PLAN_AGE_MAX: Duration = Duration::from_secs(60);

/// The bounds in time that the upstream session starts with, in milliseconds. Zero means no bound.
/// A client may tighten them and not loosen them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeoutSettings {
    /// How long one statement may run.
    pub statement_timeout_ms: u64,
    /// How long one statement may wait for a lock.
    pub lock_timeout_ms: u64,
    /// How long a transaction may stand open and idle.
    pub idle_in_transaction_session_timeout_ms: u64,
}

impl TimeoutSettings {
    /// The three settings by name, with their bounds.
    pub fn by_name(self) -> [(&'static str, u64); 3] {
        [
            ("statement_timeout", self.statement_timeout_ms),
            ("lock_timeout", self.lock_timeout_ms),
            (
                "idle_in_transaction_session_timeout",
                self.idle_in_transaction_session_timeout_ms,
            ),
        ]
    }
}
