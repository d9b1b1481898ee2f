//! Times plus and minus something.
//!
//! Postgres makes a point in time of a date plus an interval; the other dialects keep a date where
//! only days, months or years are added, and so does what is written here.

use super::call::{CallReplacement, ForeignCall};
use crate::confidence::Confidence;
use crate::sql_type::SqlType;
use sql::node_access;
use sql::tree::Node;

/// `date_add(time, interval)`, `date_sub(time, interval)`, and the same with a number of days.
pub(super) fn shifted(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let sign = match node_access::last_name(call.node.funcname())? {
        "date_sub" | "subdate" => '-',
        _ => '+',
    };
    let (time, confidence, is_date) = time(call, 1)?;
    let made = match call.kind(2) {
        SqlType::Interval => {
            let steps = match call.argument(2)? {
                Node::TypeCast(cast) => node_access::constant_text(cast.arg()).map(steps_of),
                _ => None,
            };
            let sum = format!("({time} {sign} {})", interval_text(call, 2)?);
            match (is_date, steps) {
                (true, Some(IntervalUnits::Calendar)) => {
                    CallReplacement::exact(format!("{sum}::date")).of(SqlType::Date)
                }
                (true, None) => CallReplacement::exact(sum)
                    .of(SqlType::Timestamp)
                    .sure(Confidence::Likely),
                _ => CallReplacement::exact(sum).of(SqlType::Timestamp),
            }
        }
        SqlType::Integer if is_date => {
            CallReplacement::exact(format!("({time} {sign} {})", call.operand(2)?))
                .of(SqlType::Date)
        }
        SqlType::Integer => {
            let days = format!("{} * INTERVAL '1 day'", operand(call, 2)?);
            CallReplacement::exact(format!("({time} {sign} {days})")).of(SqlType::Timestamp)
        }
        _ => return None,
    };
    Some(made.sure(confidence))
}

/// `dateadd(unit, number, time)`.
pub(super) fn in_units(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let unit = call.unit(1)?;
    if !matches!(call.kind(2), SqlType::Integer) {
        return None;
    }
    added(call, &unit, 2, 3)
}

/// `add_months(time, number)`.
pub(super) fn months(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if !matches!(call.kind(2), SqlType::Integer) {
        return None;
    }
    added(call, "month", 2, 1)
}

fn added(
    call: &ForeignCall<'_, '_>,
    unit: &str,
    number: usize,
    moment: usize,
) -> Option<CallReplacement> {
    let (time, confidence, is_date) = time(call, moment)?;
    let (step, is_calendar) = match unit {
        "quarter" => ("3 month", true),
        "year" => ("1 year", true),
        "month" => ("1 month", true),
        "week" => ("1 week", true),
        "day" => ("1 day", true),
        "hour" => ("1 hour", false),
        "minute" => ("1 minute", false),
        _ => ("1 second", false),
    };
    let sum = format!("({time} + {} * INTERVAL '{step}')", operand(call, number)?);
    let made = match is_date && is_calendar {
        true => CallReplacement::exact(format!("{sum}::date")).of(SqlType::Date),
        false => CallReplacement::exact(sum).of(SqlType::Timestamp),
    };
    Some(made.sure(confidence))
}

/// A time, and whether it is a date.
fn time(call: &ForeignCall<'_, '_>, number: usize) -> Option<(String, Confidence, bool)> {
    // A day that is written out stays one.
    let is_written_date = call
        .literal(number)
        .is_some_and(|text| text.len() == DAY_BYTES);
    let time = match is_written_date {
        true => call.date(number)?,
        false => call.temporal(number)?,
    };
    let is_date = is_written_date || call.kind(number) == SqlType::Date;
    Some((time.text, time.confidence, is_date))
}

/// An operand of `*`: a sign needs parentheses of its own only for those who read it.
fn operand(call: &ForeignCall<'_, '_>, number: usize) -> Option<String> {
    call.operand(number)
}

fn interval_text(call: &ForeignCall<'_, '_>, number: usize) -> Option<String> {
    match call.argument(number)? {
        Node::TypeCast(_) => call.text(number),
        _ => call.operand(number),
    }
}

/// What an interval is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IntervalUnits {
    /// Days and more.
    Calendar,
    /// Hours and less, or what is not understood.
    Clock,
}

fn steps_of(text: &str) -> IntervalUnits {
    let calendar = |word: &str| {
        let word = word.to_ascii_lowercase();
        word.parse::<i64>().is_ok()
            || [
                "year", "years", "mon", "month", "months", "week", "weeks", "day", "days",
            ]
            .contains(&word.as_str())
    };
    let mut words = text.split_whitespace();
    match text.trim().contains(' ') && words.all(calendar) {
        true => IntervalUnits::Calendar,
        false => IntervalUnits::Clock,
    }
}

/// The bytes of `2020-05-17`.
const DAY_BYTES: usize = 10;
