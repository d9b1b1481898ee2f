//! Times plus and minus something.
//!
//! Postgres makes a point in time of a date plus an interval; the other dialects keep a date where
//! only days, months or years are added, and so does what is written here.

use super::call::{Call, Made};
use super::node_access;
use super::value_kind::Kind;
use crate::repair::Confidence;
use crate::sql::tree::Node;

/// `date_add(time, interval)`, `date_sub(time, interval)`, and the same with a number of days.
pub(super) fn shifted(call: &Call<'_, '_>) -> Option<Made> {
    let sign = match node_access::last_name(call.node.funcname())? {
        "date_sub" | "subdate" => '-',
        _ => '+',
    };
    let (time, confidence, is_date) = time(call, 1)?;
    let made = match call.kind(2) {
        Kind::Interval => {
            let steps = match call.argument(2)? {
                Node::TypeCast(cast) => node_access::constant_text(cast.arg()).map(steps_of),
                _ => None,
            };
            let sum = format!("({time} {sign} {})", interval_text(call, 2)?);
            match (is_date, steps) {
                (true, Some(Steps::Calendar)) => Made::exact(format!("{sum}::date")).of(Kind::Date),
                (true, None) => Made::exact(sum)
                    .of(Kind::Timestamp)
                    .sure(Confidence::Likely),
                _ => Made::exact(sum).of(Kind::Timestamp),
            }
        }
        Kind::Int if is_date => {
            Made::exact(format!("({time} {sign} {})", call.operand(2)?)).of(Kind::Date)
        }
        Kind::Int => {
            let days = format!("{} * INTERVAL '1 day'", operand(call, 2)?);
            Made::exact(format!("({time} {sign} {days})")).of(Kind::Timestamp)
        }
        _ => return None,
    };
    Some(made.sure(confidence))
}

/// `dateadd(unit, number, time)`.
pub(super) fn in_units(call: &Call<'_, '_>) -> Option<Made> {
    let unit = call.unit(1)?;
    if !matches!(call.kind(2), Kind::Int) {
        return None;
    }
    added(call, &unit, 2, 3)
}

/// `add_months(time, number)`.
pub(super) fn months(call: &Call<'_, '_>) -> Option<Made> {
    if !matches!(call.kind(2), Kind::Int) {
        return None;
    }
    added(call, "month", 2, 1)
}

fn added(call: &Call<'_, '_>, unit: &str, number: usize, moment: usize) -> Option<Made> {
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
        true => Made::exact(format!("{sum}::date")).of(Kind::Date),
        false => Made::exact(sum).of(Kind::Timestamp),
    };
    Some(made.sure(confidence))
}

/// A time, and whether it is a date.
fn time(call: &Call<'_, '_>, number: usize) -> Option<(String, Confidence, bool)> {
    // A day that is written out stays one.
    let is_written_date = call
        .literal(number)
        .is_some_and(|text| text.len() == DAY_BYTES);
    let time = match is_written_date {
        true => call.date(number)?,
        false => call.moment(number)?,
    };
    let is_date = is_written_date || call.kind(number) == Kind::Date;
    Some((time.text, time.confidence, is_date))
}

/// An operand of `*`: a sign needs parentheses of its own only for those who read it.
fn operand(call: &Call<'_, '_>, number: usize) -> Option<String> {
    call.operand(number)
}

fn interval_text(call: &Call<'_, '_>, number: usize) -> Option<String> {
    match call.argument(number)? {
        Node::TypeCast(_) => call.text(number),
        _ => call.operand(number),
    }
}

/// What an interval is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    /// Days and more.
    Calendar,
    /// Hours and less, or what is not understood.
    Clock,
}

fn steps_of(text: &str) -> Steps {
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
        true => Steps::Calendar,
        false => Steps::Clock,
    }
}

/// The bytes of `2020-05-17`.
const DAY_BYTES: usize = 10;
