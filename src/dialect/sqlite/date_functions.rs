//! SQLite's functions of dates and times: what [`TimeValue`] reads, as each of them shows it.
//!
//! <https://www.sqlite.org/lang_datefunc.html>

use super::time_value::TimeValue;
use crate::dialect::source::{FunctionRule, FunctionTranslation};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::By(write),
        doc: "https://www.sqlite.org/lang_datefunc.html",
        case,
    }
}

/// All of them.
pub const RULES: &[FunctionRule] = &[
    rule("date", (0, 9), date, ("date(m)", "m::date AS date")),
    rule(
        "datetime",
        (0, 9),
        datetime,
        (
            "datetime(d, '+1 hour')",
            "d::timestamp + INTERVAL '1 hour' AS datetime",
        ),
    ),
    rule(
        "time",
        (0, 9),
        time,
        ("time(m)", "date_trunc('second', m)::time AS \"time\""),
    ),
    rule(
        "julianday",
        (0, 9),
        julianday,
        (
            "julianday(d)",
            "EXTRACT(JULIAN FROM d)::double precision - 0.5 AS julianday",
        ),
    ),
    rule(
        "unixepoch",
        (0, 9),
        unixepoch,
        (
            "unixepoch(m)",
            "floor(EXTRACT(EPOCH FROM m))::bigint AS unixepoch",
        ),
    ),
    rule(
        "strftime",
        (1, 9),
        strftime,
        ("strftime('%Y', d)", "to_char(d, 'YYYY') AS strftime"),
    ),
    rule(
        "current_date",
        (0, 0),
        date,
        (
            "current_date",
            "(now() AT TIME ZONE 'UTC')::date AS \"current_date\"",
        ),
    ),
    rule(
        "current_time",
        (0, 0),
        time,
        (
            "current_time",
            "date_trunc('second', now() AT TIME ZONE 'UTC')::time AS \"current_time\"",
        ),
    ),
    rule(
        "current_timestamp",
        (0, 0),
        datetime,
        (
            "current_timestamp",
            "date_trunc('second', now() AT TIME ZONE 'UTC') AS \"current_timestamp\"",
        ),
    ),
];

fn date(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    Ok(time_value(translator, call)?.date())
}

fn datetime(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    Ok(time_value(translator, call)?.timestamp())
}

fn time(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    Ok(time_value(translator, call)?.time())
}

fn julianday(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    Ok(time_value(translator, call)?.julian_day())
}

fn unixepoch(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    Ok(time_value(translator, call)?.epoch())
}

fn strftime(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (pattern, arguments) = (call.arguments.split_first()).ok_or_else(|| call.refused())?;
    let pattern = translator.value(pattern)?;
    let Some(pattern) = pattern.text_literal() else {
        return Err(Untranslatable::construct("a computed format of dates"));
    };
    TimeValue::read(translator, arguments)?.formatted(pattern)
}

fn time_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<TimeValue> {
    call.plain()?;
    TimeValue::read(translator, &call.arguments)
}
