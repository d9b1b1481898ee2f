//! MySQL's functions on dates: now, parts, and the rules of the arithmetic beside.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html>

use sqlparser::ast::Expr;

use super::date_arithmetic::{added, subtracted, timestamp_added, timestamp_difference};
use crate::rules::{ArgumentType, DATE, FunctionRule, INTEGER, TIMESTAMP, by, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::interval::TimeUnit;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("now", (0, 0), "date_trunc('second', LOCALTIMESTAMP)", &[], TIMESTAMP, DATES, "NOW()", "date_trunc('second', LOCALTIMESTAMP) AS now"),
    template("current_timestamp", (0, 0), "date_trunc('second', LOCALTIMESTAMP)", &[], TIMESTAMP, DATES, "CURRENT_TIMESTAMP", "date_trunc('second', LOCALTIMESTAMP) AS \"current_timestamp\""),
    template("localtime", (0, 0), "date_trunc('second', LOCALTIMESTAMP)", &[], TIMESTAMP, DATES, "LOCALTIME()", "date_trunc('second', LOCALTIMESTAMP) AS \"localtime\""),
    template("sysdate", (0, 0), "date_trunc('second', LOCALTIMESTAMP)", &[], TIMESTAMP, DATES, "SYSDATE()", "date_trunc('second', LOCALTIMESTAMP) AS sysdate"),
    template("curdate", (0, 0), "CURRENT_DATE", &[], DATE, DATES, "CURDATE()", "CURRENT_DATE AS curdate"),
    template("current_date", (0, 0), "CURRENT_DATE", &[], DATE, DATES, "CURRENT_DATE()", "CURRENT_DATE AS \"current_date\""),
    template("utc_timestamp", (0, 0), "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC')", &[], TIMESTAMP, DATES, "UTC_TIMESTAMP()", "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC') AS utc_timestamp"),
    template("utc_date", (0, 0), "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS date)", &[], DATE, DATES, "UTC_DATE()", "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS date) AS utc_date"),
    by("date", (1, 1), date, DATES, "DATE(m)", "CAST(m AS date) AS date"),
    by("timestamp", (1, 1), timestamp, DATES, "TIMESTAMP(d)", "CAST(d AS timestamp) AS \"timestamp\""),
    by("time", (1, 1), time, DATES, "TIME(m)", "CAST(m AS time) AS \"time\""),
    by("year", (1, 1), named_part, DATES, "YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS year"),
    by("quarter", (1, 1), named_part, DATES, "QUARTER(d)", "CAST(EXTRACT(QUARTER FROM d) AS integer) AS quarter"),
    by("month", (1, 1), named_part, DATES, "MONTH(d)", "CAST(EXTRACT(MONTH FROM d) AS integer) AS month"),
    by("day", (1, 1), named_part, DATES, "DAY(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS day"),
    by("dayofmonth", (1, 1), day_of_month, DATES, "DAYOFMONTH(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS dayofmonth"),
    by("hour", (1, 1), named_part, DATES, "HOUR(m)", "CAST(EXTRACT(HOUR FROM m) AS integer) AS hour"),
    by("minute", (1, 1), named_part, DATES, "MINUTE(m)", "CAST(EXTRACT(MINUTE FROM m) AS integer) AS minute"),
    by("second", (1, 1), named_part, DATES, "SECOND(m)", "CAST(floor(EXTRACT(SECOND FROM m)) AS integer) AS second"),
    template("datediff", (2, 2), "({1!} - {2!})", &[ArgumentType::Date], INTEGER, DATES, "DATEDIFF(m, d)", "(CAST(m AS date) - d) AS datediff"),
    by("date_add", (2, 2), added, DATES, "DATE_ADD(d, INTERVAL 1 MONTH)", "CAST(d + INTERVAL '1 months' AS date) AS date_add"),
    by("adddate", (2, 2), added, DATES, "ADDDATE(d, 3)", "CAST(d + INTERVAL '3 days' AS date) AS adddate"),
    by("date_sub", (2, 2), subtracted, DATES, "DATE_SUB(m, INTERVAL n HOUR)", "m - make_interval(hours => CAST(n AS integer)) AS date_sub"),
    by("subdate", (2, 2), subtracted, DATES, "SUBDATE(d, 3)", "CAST(d - INTERVAL '3 days' AS date) AS subdate"),
    by("timestampadd", (3, 3), timestamp_added, DATES, "TIMESTAMPADD(QUARTER, 1, m)", "m + INTERVAL '3 months' AS timestampadd"),
    by("timestampdiff", (3, 3), timestamp_difference, DATES, "TIMESTAMPDIFF(DAY, d, m)", "CAST(trunc(EXTRACT(EPOCH FROM m - CAST(d AS timestamp)) / 86400) AS bigint) AS timestampdiff"),
    by("unix_timestamp", (0, 1), unix_timestamp, DATES, "UNIX_TIMESTAMP(m)", "CAST(floor(EXTRACT(EPOCH FROM CAST(m AS timestamptz))) AS bigint) AS unix_timestamp"),
    template("to_days", (1, 1), "({1!} - DATE '0001-01-01' + 366)", &[ArgumentType::Date], INTEGER, DATES, "TO_DAYS(d)", "(d - DATE '0001-01-01' + 366) AS to_days"),
    template("from_days", (1, 1), "(DATE '0001-01-01' + ({1!} - 366))", &[ArgumentType::Integer], DATE, DATES, "FROM_DAYS(n)", "(DATE '0001-01-01' + (n - 366)) AS from_days"),
];

fn date(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    translator.date(call.argument(0)?)
}

fn timestamp(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    translator.timestamp(call.argument(0)?)
}

fn time(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = translator.timestamp(call.argument(0)?)?;
    Ok(cast(&moment, "time", SqlType::Time))
}

/// YEAR, MONTH and the like.
fn named_part(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = TimeUnit::named(&call.name).ok_or_else(|| call.refused())?;
    part(translator, unit, call.argument(0)?)
}

fn day_of_month(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    part(translator, TimeUnit::Day, call.argument(0)?)
}

/// A part of a date or a time of day, as a whole number.
pub fn part(
    translator: &mut Translator<'_>,
    unit: TimeUnit,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let field = match unit {
        TimeUnit::Year => "YEAR",
        TimeUnit::Quarter => "QUARTER",
        TimeUnit::Month => "MONTH",
        TimeUnit::Day => "DAY",
        TimeUnit::Hour => "HOUR",
        TimeUnit::Minute => "MINUTE",
        TimeUnit::Second => "SECOND",
        TimeUnit::Week | TimeUnit::Millisecond | TimeUnit::Microsecond => {
            return translator.refuse("this part of a date");
        }
    };
    let value = if unit.keeps_dates() {
        translator.temporal(expr)?
    } else {
        let value = translator.value(expr)?;
        match value.kind {
            SqlType::Time | SqlType::Timestamp | SqlType::TimestampTz => value,
            _ => translator.as_timestamp(value)?,
        }
    };
    let text = format!("EXTRACT({field} FROM {})", value.text);
    let text = match unit {
        TimeUnit::Second => format!("CAST(floor({text}) AS integer)"),
        _ => format!("CAST({text} AS integer)"),
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(value.not_null))
}

fn unix_timestamp(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = match call.arguments.first() {
        Some(argument) => translator.temporal(argument)?,
        None => Translated::primary("CURRENT_TIMESTAMP", SqlType::TimestampTz).never_null(true),
    };
    let moment = match moment.kind {
        SqlType::TimestampTz => moment,
        _ => cast(&moment, "timestamptz", SqlType::TimestampTz),
    };
    let text = format!("CAST(floor(EXTRACT(EPOCH FROM {})) AS bigint)", moment.text);
    Ok(Translated::primary(text, SqlType::Integer).never_null(moment.not_null))
}
