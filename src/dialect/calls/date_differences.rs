//! What lies between two times, and parts of times.

use super::call::{CallArgument, CallReplacement, ForeignCall, least_confidence};
use crate::confidence::Confidence;
use crate::sql_type::SqlType;

/// `datediff(unit, start, end)`, or `date_diff(end, start, unit)`: how often the unit begins anew
/// between the two.
pub(super) fn boundaries(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let (unit, start, end) = match call.unit(1).filter(|_| call.unit(3).is_none()) {
        Some(unit) => (unit, 2, 3),
        None => (call.unit(3)?, 2, 1),
    };
    if unit == "day" {
        return days(call, start, end);
    }
    let (from, to) = (call.temporal(start)?, call.temporal(end)?);
    let part = |field: &str, of: &CallArgument| format!("EXTRACT({field} FROM {})", of.text);
    let years = || format!("{} - {}", part("YEAR", &to), part("YEAR", &from));
    let text = match unit.as_str() {
        "year" => format!("({})::int", years()),
        "quarter" | "month" => {
            let (field, each) = match unit.as_str() {
                "month" => ("MONTH", 12),
                _ => ("QUARTER", 4),
            };
            let rest = format!("{} - {}", part(field, &to), part(field, &from));
            format!("(({}) * {each} + {rest})::int", years())
        }
        "hour" | "minute" | "second" => {
            let begun = |of: &CallArgument| format!("DATE_TRUNC('{unit}', {})", of.text);
            let seconds = format!("EXTRACT(EPOCH FROM {} - {})", begun(&to), begun(&from));
            format!("({seconds} / {})::int", seconds_of(&unit)?)
        }
        // Weeks begin on Sunday in SQL Server and BigQuery, on Monday elsewhere.
        _ => return None,
    };
    // Spark counts complete units.
    let sure = least_confidence(from.confidence, to.confidence);
    Some(
        CallReplacement::exact(text)
            .sure(sure)
            .sure(Confidence::Likely),
    )
}

/// `timestampdiff(unit, start, end)`: how many complete units lie between the two.
pub(super) fn complete(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let unit = call.unit(1)?;
    let dates = call.kind(2) == SqlType::Date && call.kind(3) == SqlType::Date;
    if unit == "day" && dates {
        return days(call, 2, 3);
    }
    let (from, to) = (call.temporal(2)?, call.temporal(3)?);
    let age = || format!("AGE({}, {})", to.text, from.text);
    let text = match unit.as_str() {
        "year" => format!("EXTRACT(YEAR FROM {})::int", age()),
        "month" | "quarter" => {
            let months = format!(
                "EXTRACT(YEAR FROM {}) * 12 + EXTRACT(MONTH FROM {})",
                age(),
                age()
            );
            match unit.as_str() {
                "month" => format!("({months})::int"),
                _ => format!("TRUNC(({months}) / 3)::int"),
            }
        }
        _ => {
            let point = |of: &CallArgument| format!("{}::timestamp", of.text);
            let seconds = format!("EXTRACT(EPOCH FROM {} - {})", point(&to), point(&from));
            format!("TRUNC({seconds} / {})::int", seconds_of(&unit)?)
        }
    };
    // Snowflake counts boundaries.
    let sure = least_confidence(from.confidence, to.confidence);
    Some(
        CallReplacement::exact(text)
            .sure(sure)
            .sure(Confidence::Likely),
    )
}

/// `EXTRACT(field FROM x)`, `date_part(field, x)` and `datepart(field, x)` of what has no such
/// field in Postgres: a text, or the days between two dates.
pub(super) fn part(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let name = sql::node_access::last_name(call.node.funcname())?;
    let unit = call.unit(1);
    let (cast, kind) = match name {
        "extract" => ("numeric", SqlType::Decimal),
        "date_part" => ("float8", SqlType::Float),
        _ => ("int", SqlType::Integer),
    };
    match (call.kind(2), unit.as_deref()) {
        (SqlType::Integer, Some("day")) if name != "datepart" => {
            let days = call.operand(2)?;
            Some(CallReplacement::exact(format!("{days}::{cast}")).of(kind))
        }
        (SqlType::Integer, None) if call.literal(1).is_some_and(is_epoch) && name != "datepart" => {
            let days = call.operand(2)?;
            Some(CallReplacement::exact(format!("({days} * 86400)::{cast}")).of(kind))
        }
        (SqlType::Integer, _) => None,
        (SqlType::Text, _) if name == "extract" => {
            let (field, time) = (call.text(1)?, call.temporal(2)?);
            let text = format!("EXTRACT({field} FROM {})", time.text);
            Some(CallReplacement::exact(text).of(kind).sure(time.confidence))
        }
        (SqlType::Text, _) if name == "date_part" => {
            let (field, time) = (call.text(1)?, call.temporal(2)?);
            let text = format!("DATE_PART({field}, {})", time.text);
            Some(CallReplacement::exact(text).of(kind).sure(time.confidence))
        }
        (_, Some(unit)) if name == "datepart" && !matches!(unit, "week" | "second") => {
            let time = call.temporal(2)?;
            let text = format!("EXTRACT({} FROM {})::int", unit.to_uppercase(), time.text);
            Some(CallReplacement::exact(text).of(kind).sure(time.confidence))
        }
        _ => None,
    }
}

/// `datename(unit, time)`.
pub(super) fn name(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let pattern = match call.unit(1) {
        Some(unit) if unit == "month" => "FMMonth",
        Some(unit) if unit == "year" => "YYYY",
        Some(unit) if unit == "day" => "FMDD",
        None if call
            .literal(1)
            .is_some_and(|word| word.eq_ignore_ascii_case("weekday")) =>
        {
            "FMDay"
        }
        _ => return None,
    };
    let time = call.temporal(2)?;
    let text = format!("TO_CHAR({}, '{pattern}')", time.text);
    Some(CallReplacement::exact(text).sure(time.confidence))
}

fn is_epoch(field: &str) -> bool {
    field.eq_ignore_ascii_case("epoch")
}

fn days(call: &ForeignCall<'_, '_>, start: usize, end: usize) -> Option<CallReplacement> {
    let (from, to) = (call.date(start)?, call.date(end)?);
    let sure = least_confidence(from.confidence, to.confidence);
    Some(CallReplacement::exact(format!("({} - {})", to.text, from.text)).sure(sure))
}

fn seconds_of(unit: &str) -> Option<u32> {
    Some(match unit {
        "week" => 604_800,
        "day" => 86_400,
        "hour" => 3600,
        "minute" => 60,
        "second" => 1,
        _ => return None,
    })
}
