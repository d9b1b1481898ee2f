//! Dates and times. Weeks begin on Mondays.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use crate::rules::{DATE, FunctionRule, TIMESTAMP_TZ, by, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::interval::TimeUnit;
use crate::translator::shared_functions::dates::{WeekBegin, boundaries, temporal_argument};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};
use sqlparser::ast::{Expr, Value};

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-date-time";

/// The rows.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
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
