//! SQLite's functions of dates and times: what [`TimeValue`] reads, as each of them shows it.
//!
//! <https://www.sqlite.org/lang_datefunc.html>

use super::time_value::TimeValue;
use crate::rules::{FunctionRule, by};
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://www.sqlite.org/lang_datefunc.html";

/// All of them.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("date", (0, 9), date, DOC, "date(m)", "m::date AS date"),
    by("datetime", (0, 9), datetime, DOC, "datetime(d, '+1 hour')", "d::timestamp + INTERVAL '1 hour' AS datetime"),
    by("time", (0, 9), time, DOC, "time(m)", "date_trunc('second', m)::time AS \"time\""),
    by("julianday", (0, 9), julianday, DOC, "julianday(d)", "EXTRACT(JULIAN FROM d)::double precision - 0.5 AS julianday"),
    by("unixepoch", (0, 9), unixepoch, DOC, "unixepoch(m)", "floor(EXTRACT(EPOCH FROM m))::bigint AS unixepoch"),
    by("strftime", (1, 9), strftime, DOC, "strftime('%Y', d)", "to_char(d, 'YYYY') AS strftime"),
    by("current_date", (0, 0), date, DOC, "current_date", "(now() AT TIME ZONE 'UTC')::date AS \"current_date\""),
    by("current_time", (0, 0), time, DOC, "current_time", "date_trunc('second', now() AT TIME ZONE 'UTC')::time AS \"current_time\""),
    by("current_timestamp", (0, 0), datetime, DOC, "current_timestamp", "date_trunc('second', now() AT TIME ZONE 'UTC') AS \"current_timestamp\""),
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
