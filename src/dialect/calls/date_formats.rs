//! Times as text and text as times: patterns, and the modifiers of SQLite.

use super::call::{CallArgument, CallReplacement, ForeignCall, least_confidence};
use crate::confidence::Confidence;
use crate::date_patterns::date_format;
use crate::date_patterns::date_format::ToCharPattern;
use crate::sql_type::SqlType;

/// `strftime(pattern, time, modifiers…)` of SQLite, or `strftime(time, pattern)` of DuckDB.
pub(super) fn strftime(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let has_codes = |number| call.literal(number).is_some_and(|text| text.contains('%'));
    if call.count() == 2 && has_codes(2) && !has_codes(1) {
        let pattern = date_format::from_strftime(call.literal(2)?)?;
        return Some(to_char(&call.temporal(1)?, &pattern));
    }
    let time = modified(call, 2)?;
    let pattern = match call.literal(1)? {
        "%w" => return Some(part(&time, "EXTRACT(DOW FROM ", ")::text")),
        "%s" => {
            let whole = part(&time, "FLOOR(EXTRACT(EPOCH FROM ", "))::bigint::text");
            return Some(whole);
        }
        pattern => date_format::from_sqlite(pattern)?,
    };
    Some(to_char(&time, &pattern))
}

/// `date_format(time, pattern)` of MySQL, or of Spark where the pattern has no `%`.
pub(super) fn date_format(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let time = call.temporal(1)?;
    let pattern = call.literal(2)?;
    Some(match pattern.contains('%') {
        true => to_char(&time, &date_format::from_mysql(pattern)?),
        false => to_char(&time, &date_format::from_java(pattern)?).sure(Confidence::Likely),
    })
}

/// `from_unixtime(seconds, pattern)` of MySQL, or of Spark where the pattern has no `%`.
pub(super) fn from_unixtime(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    if !call.kind(1).is_number() {
        return None;
    }
    let content = call.literal(2)?;
    let (pattern, sure) = match content.contains('%') {
        true => (date_format::from_mysql(content)?, Confidence::Exact),
        false => (date_format::from_java(content)?, Confidence::Likely),
    };
    let text = format!(
        "TO_CHAR(TO_TIMESTAMP({}), {})",
        call.text(1)?,
        pattern.literal()
    );
    Some(CallReplacement::exact(text).sure(sure))
}

/// `str_to_date(text, pattern)`. MySQL gives NULL for what does not fit; Postgres fails.
pub(super) fn str_to_date(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let pattern = date_format::from_mysql(call.literal(2)?)?;
    let text = call.text(1)?;
    let sure = match call.kind(1) {
        SqlType::Literal => Confidence::Exact,
        SqlType::Text | SqlType::Unclear => Confidence::Likely,
        _ => return None,
    };
    let pattern_text = pattern.literal();
    let made = match (pattern.has_date, pattern.has_time) {
        (true, false) => {
            CallReplacement::exact(format!("TO_DATE({text}, {pattern_text})")).of(SqlType::Date)
        }
        (true, true) => {
            CallReplacement::exact(format!("TO_TIMESTAMP({text}, {pattern_text})::timestamp"))
                .of(SqlType::Timestamp)
        }
        (false, true) => {
            CallReplacement::exact(format!("TO_TIMESTAMP({text}, {pattern_text})::time"))
                .of(SqlType::Time)
        }
        (false, false) => return None,
    };
    Some(made.sure(sure))
}

/// `julianday(time, modifiers…)`.
pub(super) fn julianday(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    let time = modified(call, 1)?;
    let sure = match call.kind(1) {
        SqlType::Date | SqlType::Literal => Confidence::Exact,
        // What is cast to an integer afterwards is cut there and rounded here.
        _ => Confidence::Likely,
    };
    let made = part(&time, "(EXTRACT(JULIAN FROM ", ")::float8 - 0.5)");
    Some(made.sure(sure))
}

/// `date(time, modifiers…)`.
pub(super) fn date(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    call.literal(2)?;
    Some(part(&modified(call, 1)?, "", "::date"))
}

/// `datetime(time, modifiers…)`.
pub(super) fn datetime(call: &ForeignCall<'_, '_>) -> Option<CallReplacement> {
    Some(part(&modified(call, 1)?, "DATE_TRUNC('second', ", ")"))
}

fn to_char(time: &CallArgument, pattern: &ToCharPattern) -> CallReplacement {
    let text = format!("TO_CHAR({}, {})", time.text, pattern.literal());
    CallReplacement::exact(text).sure(time.confidence)
}

fn part(time: &CallArgument, before: &str, after: &str) -> CallReplacement {
    CallReplacement::exact(format!("{before}{}{after}", time.text)).sure(time.confidence)
}

/// SQLite's time with its modifiers, from the argument of a number on.
///
/// <https://www.sqlite.org/lang_datefunc.html#modifiers>
fn modified(call: &ForeignCall<'_, '_>, number: usize) -> Option<CallArgument> {
    let modifiers: Option<Vec<String>> = (number.checked_add(1)?..=call.count())
        .map(|number| {
            call.literal(number)
                .map(|text| text.trim().to_ascii_lowercase())
        })
        .collect();
    let mut modifiers = modifiers?;
    let is_now = call
        .literal(number)
        .is_some_and(|text| text.trim().eq_ignore_ascii_case("now"));
    let mut time = if is_now {
        let local = modifiers.first().is_some_and(|first| first == "localtime");
        CallArgument {
            text: if local {
                "LOCALTIMESTAMP"
            } else {
                "(NOW() AT TIME ZONE 'UTC')"
            }
            .into(),
            confidence: Confidence::Exact,
        }
    } else if call.kind(number).is_number() {
        if modifiers.first().is_none_or(|first| first != "unixepoch") {
            return None;
        }
        CallArgument {
            text: format!("(TO_TIMESTAMP({}) AT TIME ZONE 'UTC')", call.text(number)?),
            confidence: Confidence::Exact,
        }
    } else {
        call.temporal(number)?
    };
    if is_now && modifiers.first().is_some_and(|first| first == "localtime")
        || modifiers.first().is_some_and(|first| first == "unixepoch")
    {
        modifiers.remove(0);
    }
    for modifier in modifiers {
        let (text, confidence) = shifted(&time.text, &modifier)?;
        time = CallArgument {
            text,
            confidence: least_confidence(time.confidence, confidence),
        };
    }
    Some(time)
}

/// One modifier.
fn shifted(time: &str, modifier: &str) -> Option<(String, Confidence)> {
    if let Some(unit) = modifier.strip_prefix("start of ") {
        let unit = ["day", "month", "year"]
            .into_iter()
            .find(|one| *one == unit)?;
        return Some((format!("DATE_TRUNC('{unit}', {time})"), Confidence::Exact));
    }
    let (count, unit) = modifier.split_once(' ')?;
    let count: i32 = count.parse().ok()?;
    let unit = unit.trim();
    let confidence = match unit.trim_end_matches('s') {
        "day" | "hour" | "minute" | "second" => Confidence::Exact,
        // The 31st of a month plus a month is a day of the month after the next in SQLite.
        "month" | "year" => Confidence::Likely,
        _ => return None,
    };
    Some((format!("({time} + INTERVAL '{count} {unit}')"), confidence))
}
