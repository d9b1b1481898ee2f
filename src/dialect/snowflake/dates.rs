//! Snowflake's dates and times.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use crate::analytic::dates::{difference, named_part, unit_in};
use crate::date_patterns::date_format;
use crate::rules::{ArgumentType, DATE, FunctionRule, TIMESTAMP_TZ, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::call::SourceCall;
use crate::translator::interval::TimeUnit;
use crate::translator::shared_functions::dates::{dated, day, temporal_argument};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;
use crate::translator::{Translator, interval, literal};

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-date-time";

/// What DuckDB does not have, or has otherwise.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("getdate", (0, 0), "CURRENT_TIMESTAMP", &[], TIMESTAMP_TZ, DOC, "GETDATE()", "CURRENT_TIMESTAMP AS getdate"),
    by("dateadd", (3, 3), added, DOC, "DATEADD(day, 7, d)", "CAST(d + INTERVAL '7 days' AS date) AS dateadd"),
    by("timestampadd", (3, 3), added, DOC, "TIMESTAMPADD(day, 7, m)", "m + INTERVAL '7 days' AS timestampadd"),
    by("add_months", (2, 2), months_added, DOC, "ADD_MONTHS(d, 1)", "CASE WHEN date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' = CAST(d AS timestamp) THEN CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 months' + INTERVAL '1 month - 1 day' AS date) ELSE CAST(d + INTERVAL '1 months' AS date) END AS add_months"),
    by("timestampdiff", (3, 3), difference, DOC, "TIMESTAMPDIFF(month, d, m)", "CAST(((EXTRACT(YEAR FROM m) * 12 + EXTRACT(MONTH FROM m)) - (EXTRACT(YEAR FROM d) * 12 + EXTRACT(MONTH FROM d))) AS integer) AS timestampdiff"),
    by("weekiso", (1, 1), named_part, DOC, "WEEKISO(d)", "CAST(EXTRACT(WEEK FROM d) AS integer) AS weekiso"),
    by("dayofweekiso", (1, 1), named_part, DOC, "DAYOFWEEKISO(d)", "CAST(EXTRACT(ISODOW FROM d) AS integer) AS dayofweekiso"),
    by("dayname", (1, 1), name, DOC, "DAYNAME(m)", "to_char(m, 'Dy') AS dayname"),
    by("monthname", (1, 1), name, DOC, "MONTHNAME(m)", "to_char(m, 'Mon') AS monthname"),
    plain("date_from_parts", (3, 3), "make_date", &[ArgumentType::Integer], DATE, DOC, "DATE_FROM_PARTS(2024, 1, n)", "make_date(2024, 1, n) AS date_from_parts"),
    by("to_date", (1, 2), to_date, DOC, "TO_DATE(m)", "CAST(m AS date) AS to_date"),
    by("date", (1, 2), to_date, DOC, "DATE(m)", "CAST(m AS date) AS date"),
    by("to_timestamp", (1, 1), to_timestamp, DOC, "TO_TIMESTAMP(d)", "CAST(d AS timestamp) AS to_timestamp"),
    by("to_timestamp_ntz", (1, 1), to_timestamp, DOC, "TO_TIMESTAMP_NTZ(d)", "CAST(d AS timestamp) AS to_timestamp_ntz"),
];

pub fn added(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = unit_in(call.argument(0)?)?;
    let count = translator.integer(call.argument(1)?)?;
    let moment = temporal_argument(translator, call.argument(2)?)?;
    interval::shifted(&moment, false, &count, unit)
}

/// ADD_MONTHS: of the last day of a month, the last day of the other.
pub fn months_added(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    if moment.kind != SqlType::Date {
        return Err(untyped(&moment, "a date"));
    }
    let count = translator.integer(call.argument(1)?)?;
    let length = interval::interval_of(&count, TimeUnit::Month)?;
    let moved = interval::shifted(&moment, false, &count, TimeUnit::Month)?;
    let stamp = translator.as_timestamp(moment)?;
    let begin = format!("date_trunc('month', {})", stamp.text);
    let end = "INTERVAL '1 month - 1 day'";
    let text = format!(
        "CASE WHEN {begin} + {end} = {} THEN CAST({begin} + {length} + {end} AS date) \
         ELSE {} END",
        stamp.operand(),
        moved.text
    );
    Ok(Translated::primary(text, SqlType::Date).never_null(moved.not_null))
}

/// DAYNAME and MONTHNAME: three letters in English.
pub fn name(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    let moment = translator.as_timestamp(moment)?;
    let pattern = if call.name == "dayname" { "Dy" } else { "Mon" };
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(moment.not_null))
}

/// TO_DATE(text [, pattern]), TO_DATE(timestamp)
pub fn to_date(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let Some(pattern) = call.arguments.get(1) else {
        if value.kind.is_number() {
            return Err(call.refused());
        }
        return Ok(day(&dated(translator, value)?));
    };
    let pattern = translator.value(pattern)?;
    let pattern = pattern
        .text_literal()
        .and_then(date_format::from_snowflake)
        .ok_or_else(|| call.refused())?;
    if value.kind != SqlType::Text || pattern.has_time {
        return Err(call.refused());
    }
    if value.text_literal().is_none() {
        translator.mark_likely();
    }
    let text = format!(
        "to_date({}, {})",
        value.text,
        literal::quoted(&pattern.text)
    );
    Ok(Translated::primary(text, SqlType::Date).never_null(value.not_null))
}

pub fn to_timestamp(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    if value.kind.is_number() {
        return Err(call.refused());
    }
    let moment = dated(translator, value)?;
    translator.as_timestamp(moment)
}
