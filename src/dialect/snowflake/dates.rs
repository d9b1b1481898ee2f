//! Dates and times of Snowflake and DuckDB. Weeks begin on Mondays in both.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use crate::dialect::rules::{ArgumentType, DATE, FunctionRule, TIMESTAMP_TZ, by, plain, template};
use crate::dialect::source::untyped;
use crate::dialect::sql_type::SqlType;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval::TimeUnit;
use crate::dialect::translator::shared_functions::dates::{
    WeekBegin, boundaries, dated, day, temporal_argument,
};
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::dialect::translator::{Translator, interval, literal};
use sqlparser::ast::{Expr, Value};

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-date-time";

/// What both have.
#[rustfmt::skip]
pub const SHARED_RULES: &[FunctionRule] = &[
    template("current_date", (0, 0), "CURRENT_DATE", &[], DATE, DOC, "CURRENT_DATE", "CURRENT_DATE AS \"current_date\""),
    template("current_timestamp", (0, 0), "CURRENT_TIMESTAMP", &[], TIMESTAMP_TZ, DOC, "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP AS \"current_timestamp\""),
    by("date_trunc", (2, 2), truncated, DOC, "DATE_TRUNC('month', d)", "CAST(date_trunc('month', CAST(d AS timestamp)) AS date) AS date_trunc"),
    by("date_part", (2, 2), part, DOC, "DATE_PART('year', d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS date_part"),
    by("year", (1, 1), named_part, DOC, "YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS year"),
    by("quarter", (1, 1), named_part, DOC, "QUARTER(d)", "CAST(EXTRACT(QUARTER FROM d) AS integer) AS quarter"),
    by("month", (1, 1), named_part, DOC, "MONTH(d)", "CAST(EXTRACT(MONTH FROM d) AS integer) AS month"),
    by("week", (1, 1), named_part, DOC, "WEEK(d)", "CAST(EXTRACT(WEEK FROM d) AS integer) AS week"),
    by("day", (1, 1), named_part, DOC, "DAY(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS day"),
    by("dayofmonth", (1, 1), named_part, DOC, "DAYOFMONTH(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS dayofmonth"),
    by("dayofweek", (1, 1), named_part, DOC, "DAYOFWEEK(d)", "CAST(EXTRACT(DOW FROM d) AS integer) AS dayofweek"),
    by("dayofyear", (1, 1), named_part, DOC, "DAYOFYEAR(d)", "CAST(EXTRACT(DOY FROM d) AS integer) AS dayofyear"),
    by("hour", (1, 1), named_part, DOC, "HOUR(m)", "CAST(EXTRACT(HOUR FROM m) AS integer) AS hour"),
    by("minute", (1, 1), named_part, DOC, "MINUTE(m)", "CAST(EXTRACT(MINUTE FROM m) AS integer) AS minute"),
    by("second", (1, 1), named_part, DOC, "SECOND(m)", "CAST(floor(EXTRACT(SECOND FROM m)) AS integer) AS second"),
    by("last_day", (1, 1), last_day, DOC, "LAST_DAY(d)", "CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' AS date) AS last_day"),
    by("datediff", (3, 3), difference, DOC, "DATEDIFF('day', d, m)", "(CAST(m AS date) - d) AS datediff"),
];

/// What Snowflake alone has.
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

/// The unit that an argument names, as a word or a string.
pub fn unit_in(expr: &Expr) -> TranslateResult<TimeUnit> {
    let name = word_in(expr)?;
    Ok(match name.as_str() {
        "y" | "yy" | "yyyy" | "yr" => TimeUnit::Year,
        "q" | "qtr" => TimeUnit::Quarter,
        "mm" | "mon" | "mons" => TimeUnit::Month,
        "w" | "wk" | "weekofyear" | "woy" | "wy" => TimeUnit::Week,
        "d" | "dd" => TimeUnit::Day,
        "h" | "hh" | "hr" => TimeUnit::Hour,
        "mi" | "min" | "m" => TimeUnit::Minute,
        "s" | "sec" => TimeUnit::Second,
        "ms" | "msec" => TimeUnit::Millisecond,
        other => match TimeUnit::named(other) {
            Some(unit) => unit,
            None => return Err(Untranslatable::construct("this unit of time")),
        },
    })
}

fn word_in(expr: &Expr) -> TranslateResult<String> {
    match expr {
        Expr::Identifier(ident) => Ok(ident.value.to_lowercase()),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Ok(text.to_lowercase()),
            _ => Err(Untranslatable::construct("this unit of time")),
        },
        _ => Err(Untranslatable::construct("this unit of time")),
    }
}

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

/// DATEDIFF(unit, from, to) counts boundaries.
pub fn difference(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = unit_in(call.argument(0)?)?;
    let first = temporal_argument(translator, call.argument(1)?)?;
    let second = temporal_argument(translator, call.argument(2)?)?;
    boundaries(translator, unit, WeekBegin::Monday, first, second)
}

/// DATE_TRUNC keeps the type of what it cuts.
pub fn truncated(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let (unit, moment) = (
        unit_in(call.argument(0)?)?,
        temporal_argument(translator, call.argument(1)?)?,
    );
    let word = match unit {
        TimeUnit::Microsecond | TimeUnit::Millisecond => return Err(call.refused()),
        TimeUnit::Second => "second",
        TimeUnit::Minute => "minute",
        TimeUnit::Hour => "hour",
        TimeUnit::Day => "day",
        TimeUnit::Week => "week",
        TimeUnit::Month => "month",
        TimeUnit::Quarter => "quarter",
        TimeUnit::Year => "year",
    };
    let is_date = moment.kind == SqlType::Date;
    let stamp = match moment.kind {
        SqlType::Date => translator.as_timestamp(moment)?,
        _ => moment,
    };
    let text = format!("date_trunc('{word}', {})", stamp.text);
    let cut = Translated::primary(text, stamp.kind).never_null(stamp.not_null);
    Ok(match is_date && unit.keeps_dates() {
        true => cast(&cut, "date", SqlType::Date),
        false => cut,
    })
}

pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let word = word_in(call.argument(0)?)?;
    let moment = temporal_argument(translator, call.argument(1)?)?;
    part_of(translator, &word, moment)
}

pub fn named_part(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    part_of(translator, &call.name, moment)
}

/// A part of a timestamp as a whole number.
pub fn part_of(
    translator: &mut Translator<'_>,
    word: &str,
    moment: Translated,
) -> TranslateResult<Translated> {
    let field = match word {
        "year" | "y" | "yy" | "yyyy" => "YEAR",
        "quarter" | "qtr" | "q" => "QUARTER",
        "month" | "mon" | "mm" => "MONTH",
        "week" | "weekofyear" | "wk" | "weekiso" | "week_iso" => "WEEK",
        "day" | "dd" | "d" | "dayofmonth" => "DAY",
        "dayofweek" | "dow" | "dw" | "weekday" => "DOW",
        "dayofweekiso" | "dayofweek_iso" | "isodow" => "ISODOW",
        "dayofyear" | "doy" => "DOY",
        "hour" | "hh" => "HOUR",
        "minute" | "mi" => "MINUTE",
        "second" | "ss" => "SECOND",
        _ => return Err(Untranslatable::construct("this part of a date")),
    };
    let moment = match field {
        "HOUR" | "MINUTE" | "SECOND" if moment.kind == SqlType::Date => {
            translator.as_timestamp(moment)?
        }
        _ => moment,
    };
    let value = format!("EXTRACT({field} FROM {})", moment.text);
    let text = match field {
        "SECOND" => format!("CAST(floor({value}) AS integer)"),
        _ => format!("CAST({value} AS integer)"),
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(moment.not_null))
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

pub fn last_day(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    let moment = translator.as_timestamp(moment)?;
    let text = format!(
        "CAST(date_trunc('month', {}) + INTERVAL '1 month - 1 day' AS date)",
        moment.text
    );
    Ok(Translated::primary(text, SqlType::Date).never_null(moment.not_null))
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
        .and_then(pattern_of)
        .ok_or_else(|| call.refused())?;
    if value.kind != SqlType::Text || pattern.contains("HH") {
        return Err(call.refused());
    }
    if value.text_literal().is_none() {
        translator.mark_likely();
    }
    let text = format!("to_date({}, {})", value.text, literal::quoted(&pattern));
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

/// A pattern of `to_char` for one of Snowflake's.
pub fn pattern_of(pattern: &str) -> Option<String> {
    let upper = pattern.to_ascii_uppercase();
    let mut rest = upper.as_str();
    let mut made = String::new();
    'pieces: while let Some(letter) = rest.chars().next() {
        for (theirs, ours) in [
            ("YYYY", "YYYY"),
            ("YY", "YY"),
            ("MMMM", "FMMonth"),
            ("MON", "Mon"),
            ("MM", "MM"),
            ("DD", "DD"),
            ("DY", "Dy"),
            ("HH24", "HH24"),
            ("HH12", "HH12"),
            ("AM", "AM"),
            ("PM", "PM"),
            ("MI", "MI"),
            ("SS", "SS"),
        ] {
            if let Some(after) = rest.strip_prefix(theirs) {
                made.push_str(ours);
                rest = after;
                continue 'pieces;
            }
        }
        if !" -/.,:_".contains(letter) {
            return None;
        }
        made.push(letter);
        rest = rest.get(letter.len_utf8()..)?;
    }
    (!made.is_empty()).then_some(made)
}
