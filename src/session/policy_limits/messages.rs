//! What a client hears of its limits.

use std::time::Duration;

use bytes::BytesMut;

use super::daily_budget::{BudgetUnit, SpentBudget};
use super::per_user::RateWait;
use crate::gate::{CursorMovement, Refusal, Rule};
use crate::session::reply;
use crate::sqlstate;

/// A result that had more than the policy allows.
pub(super) fn beyond(rule: Rule, most: u64, policy: &str) -> Box<Refusal> {
    let unit = unit(rule);
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::PROGRAM_LIMIT_EXCEEDED,
        message: format!("the result has more than {most} {unit}"),
        detail: format!(
            "rule: {} (policy {policy} gives {most} {unit} of one result; those before this error \
             were sent)",
            rule.name()
        ),
        hint: hint(rule).to_owned(),
        fixed_hint: hint(rule),
        position: None,
        subject: None,
    })
}

/// The same for a result that is taken in pieces.
pub(super) fn beyond_in_pieces(rule: Rule, most: u64, policy: &str) -> Box<Refusal> {
    let unit = unit(rule);
    Box::new(Refusal {
        message: format!("a cursor or portal may give {most} {unit} in all here"),
        detail: format!(
            "rule: {} (policy {policy} gives {most} {unit} of one result, over every FETCH and \
             Execute of it; those before this error were sent)",
            rule.name()
        ),
        ..*beyond(rule, most, policy)
    })
}

/// A FETCH or MOVE that leads behind what a policy gives of a cursor WITH HOLD, or counts from an
/// end that was not seen.
pub(super) fn beyond_cursor(way: Option<CursorMovement>, most: u64, policy: &str) -> Box<Refusal> {
    let rule = Rule::WithHold;
    let hint = match way {
        Some(CursorMovement::To(row)) if row < 0 => HELD_FROM_END,
        _ => HELD,
    };
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::PROGRAM_LIMIT_EXCEEDED,
        message: format!("a cursor WITH HOLD may not be read beyond its first {most} rows here"),
        detail: format!(
            "rule: {} (statements.with_hold.max_rows of policy {policy} is {most}; rows before \
             this error were sent)",
            rule.name()
        ),
        hint: hint.to_owned(),
        fixed_hint: hint,
        position: None,
        subject: None,
    })
}

/// More cursors WITH HOLD than a session may have.
pub(super) fn too_many_cursors(most: usize, policy: &str) -> Box<Refusal> {
    let rule = Rule::WithHold;
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::PROGRAM_LIMIT_EXCEEDED,
        message: format!("CURSOR WITH HOLD is not allowed: the session has {most} of them"),
        detail: format!(
            "rule: {} (statements.with_hold.max_cursors of policy {policy} is {most})",
            rule.name()
        ),
        hint: CLOSE_HELD.to_owned(),
        fixed_hint: CLOSE_HELD,
        position: None,
        subject: None,
    })
}

/// A result that ends before its end.
pub(super) fn truncated(out: &mut BytesMut, rule: Rule, most: u64, policy: &str) {
    let unit = unit(rule);
    let message = format!("the result was cut: it has more than {most} {unit}");
    let detail = format!(
        "rule: {} (policy {policy} gives {most} {unit} of one result)",
        rule.name()
    );
    reply::notice(out, &message, Some(&detail));
}

/// More sessions of a user run statements than may.
pub(super) fn too_many_connections(most: u32, policy: &str) -> Box<Refusal> {
    let rule = Rule::Concurrency;
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::CONFIGURATION_LIMIT_EXCEEDED,
        message: "too many statements of this user are running".to_owned(),
        detail: format!(
            "rule: {} (policy {policy} gives {most} at a time)",
            rule.name()
        ),
        hint: CROWDED.to_owned(),
        fixed_hint: CROWDED,
        position: None,
        subject: None,
    })
}

/// More statements of a user in a time than may be.
pub(super) fn too_fast(wait: RateWait, policy: &str) -> Box<Refusal> {
    let rule = Rule::StatementRate;
    let (wait, key) = match wait {
        RateWait::Second(wait) => (wait, "statements_per_second"),
        RateWait::Day(wait) => (wait, "statements_per_day"),
    };
    let seconds = seconds_rounded_up(wait);
    let unit = if seconds == 1 { "second" } else { "seconds" };
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::CONFIGURATION_LIMIT_EXCEEDED,
        message: "this user has sent too many statements".to_owned(),
        detail: format!(
            "rule: {} ({key} of policy {policy} is reached)",
            rule.name()
        ),
        hint: format!("Try again in {seconds} {unit}."),
        fixed_hint: "Try again later; the client was told when.",
        position: None,
        subject: None,
    })
}

/// All that a user may receive in a day was received, or what is left is less than the next row.
pub(super) fn day_budget_spent(used_up: SpentBudget, rest: Duration, policy: &str) -> Box<Refusal> {
    let rule = Rule::DailyBudget;
    let (unit, key) = match used_up.measure {
        BudgetUnit::Rows => ("rows", "rows_per_day"),
        BudgetUnit::Bytes => ("bytes", "bytes_per_day"),
    };
    let minutes = rest.as_secs().div_ceil(60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::CONFIGURATION_LIMIT_EXCEEDED,
        message: format!("this user has received all {unit} that a day gives"),
        detail: format!(
            "rule: {} ({key} of policy {policy} is {}; rows before this error were sent)",
            rule.name(),
            used_up.most
        ),
        hint: format!("The next day begins at 00:00 UTC, in {hours} h {minutes} min."),
        fixed_hint: "The next day begins at 00:00 UTC.",
        position: None,
        subject: None,
    })
}

/// A statement that a limit concerns which several copies of pgsieve count together, while they
/// cannot.
pub(super) fn uncounted(rule: Rule, policy: &str) -> Box<Refusal> {
    Box::new(Refusal {
        rule,
        sqlstate: sqlstate::SYSTEM_ERROR,
        message: "the limits of this user cannot be counted: their store does not answer".into(),
        detail: format!(
            "rule: {} (policy {policy} limits what a user may do over all copies of pgsieve, and \
             limits.on_store_loss is refuse)",
            rule.name()
        ),
        hint: UNCOUNTED.to_owned(),
        fixed_hint: UNCOUNTED,
        position: None,
        subject: None,
    })
}

/// A time in whole seconds after which it is certainly over.
fn seconds_rounded_up(wait: Duration) -> u64 {
    let rest = u64::from(wait.subsec_nanos() > 0);
    wait.as_secs().saturating_add(rest)
}

fn unit(rule: Rule) -> &'static str {
    match rule {
        Rule::ResultBytes => "bytes",
        _ => "rows",
    }
}

fn hint(rule: Rule) -> &'static str {
    match rule {
        Rule::ResultBytes => {
            "Name the columns that are needed, shorten long values, add a LIMIT or aggregate."
        }
        _ => "Add a LIMIT, aggregate, or narrow the result down with WHERE.",
    }
}

/// For a cursor that has more rows than it may.
const HELD: &str = "DECLARE the cursor without WITH HOLD, inside a transaction, or add a LIMIT.";

/// For one whose end nobody has seen.
const HELD_FROM_END: &str =
    "MOVE FORWARD ALL first: where the cursor ends within its bound, every direction passes.";

/// For a session with as many cursors as it may have.
const CLOSE_HELD: &str = "CLOSE those that are not needed any more.";

/// For limits that nobody can count.
const UNCOUNTED: &str = "Try again in a few seconds; if it lasts, tell whoever runs pgsieve. Nothing is wrong with the \
     statement.";

/// For a user with as many statements under way as there may be.
const CROWDED: &str = "Try again in 1 second, or when one of them has ended.";
