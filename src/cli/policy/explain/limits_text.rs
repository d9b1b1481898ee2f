//! How much a policy gives, in words.

use crate::policy::{OnLimit, Policy};

/// A line for each bound that is set.
pub fn limit_lines(policy: &Policy) -> Vec<String> {
    let limits = policy.limits();
    let mut lines = vec![format!("statement_bytes {}", limits.statement_bytes)];
    let mut whole = |name: &str, value: Option<u64>| {
        lines.extend(value.map(|value| format!("{name} {value}")));
    };
    whole("nesting", limits.nesting.map(u64::from));
    whole("result_rows", limits.result_rows);
    whole("result_bytes", limits.result_bytes);
    whole(
        "concurrency_per_user",
        limits.concurrency_per_user.map(u64::from),
    );
    whole("statements_per_day", limits.statements_per_day);
    whole("rows_per_day", limits.rows_per_day);
    whole("bytes_per_day", limits.bytes_per_day);
    whole(
        "connections_per_user",
        limits.connections_per_user.map(u64::from),
    );
    for (name, value) in [
        ("max_plan_cost", limits.max_plan_cost),
        ("max_plan_rows", limits.max_plan_rows),
        ("statements_per_second", limits.statements_per_second),
    ] {
        lines.extend(value.map(|value| format!("{name} {value}")));
    }
    if limits.result_rows.is_some() || limits.result_bytes.is_some() {
        lines.push(match limits.on_limit {
            OnLimit::Error => "on_limit error".to_owned(),
            OnLimit::Truncate => "on_limit truncate".to_owned(),
        });
    }
    lines.extend(limits.idle_time.map(|time| format!("idle_time {time:?}")));
    for (name, ms) in policy.timeouts().by_name() {
        if ms > 0 {
            lines.push(format!("{name} {ms}ms"));
        }
    }
    lines
}
