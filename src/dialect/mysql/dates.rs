//! MySQL's functions on dates: now, parts, and the rules of the arithmetic beside.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html>

use sqlparser::ast::Expr;

use super::date_arithmetic::{added, subtracted, timestamp_added, timestamp_difference};
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval::TimeUnit;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html";

/// The table.
pub const RULES: &[FunctionRule] = &[
    now(
        "now",
        "NOW()",
        "date_trunc('second', LOCALTIMESTAMP) AS now",
    ),
    now(
        "current_timestamp",
        "CURRENT_TIMESTAMP",
        "date_trunc('second', LOCALTIMESTAMP) AS \"current_timestamp\"",
    ),
    now(
        "localtime",
        "LOCALTIME()",
        "date_trunc('second', LOCALTIMESTAMP) AS \"localtime\"",
    ),
    now(
        "sysdate",
        "SYSDATE()",
        "date_trunc('second', LOCALTIMESTAMP) AS sysdate",
    ),
    zeroary(
        "curdate",
        "CURRENT_DATE",
        SqlType::Date,
        "CURDATE()",
        "CURRENT_DATE AS curdate",
    ),
    zeroary(
        "current_date",
        "CURRENT_DATE",
        SqlType::Date,
        "CURRENT_DATE()",
        "CURRENT_DATE AS \"current_date\"",
    ),
    zeroary(
        "utc_timestamp",
        "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC')",
        SqlType::Timestamp,
        "UTC_TIMESTAMP()",
        "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC') AS utc_timestamp",
    ),
    zeroary(
        "utc_date",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS date)",
        SqlType::Date,
        "UTC_DATE()",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS date) AS utc_date",
    ),
    by("date", 1, 1, date, "DATE(m)", "CAST(m AS date) AS date"),
    by(
        "timestamp",
        1,
        1,
        timestamp,
        "TIMESTAMP(d)",
        "CAST(d AS timestamp) AS \"timestamp\"",
    ),
    by("time", 1, 1, time, "TIME(m)", "CAST(m AS time) AS \"time\""),
    by(
        "year",
        1,
        1,
        named_part,
        "YEAR(d)",
        "CAST(EXTRACT(YEAR FROM d) AS integer) AS year",
    ),
    by(
        "quarter",
        1,
        1,
        named_part,
        "QUARTER(d)",
        "CAST(EXTRACT(QUARTER FROM d) AS integer) AS quarter",
    ),
    by(
        "month",
        1,
        1,
        named_part,
        "MONTH(d)",
        "CAST(EXTRACT(MONTH FROM d) AS integer) AS month",
    ),
    by(
        "day",
        1,
        1,
        named_part,
        "DAY(d)",
        "CAST(EXTRACT(DAY FROM d) AS integer) AS day",
    ),
    by(
        "dayofmonth",
        1,
        1,
        day_of_month,
        "DAYOFMONTH(d)",
        "CAST(EXTRACT(DAY FROM d) AS integer) AS dayofmonth",
    ),
    by(
        "hour",
        1,
        1,
        named_part,
        "HOUR(m)",
        "CAST(EXTRACT(HOUR FROM m) AS integer) AS hour",
    ),
    by(
        "minute",
        1,
        1,
        named_part,
        "MINUTE(m)",
        "CAST(EXTRACT(MINUTE FROM m) AS integer) AS minute",
    ),
    by(
        "second",
        1,
        1,
        named_part,
        "SECOND(m)",
        "CAST(floor(EXTRACT(SECOND FROM m)) AS integer) AS second",
    ),
    FunctionRule {
        name: "datediff",
        arguments: (2, 2),
        write: FunctionTranslation::Template(
            "({0} - {1})",
            &[ArgumentType::Date],
            ReturnType::Kind(SqlType::Integer),
        ),
        doc: DATES,
        case: ("DATEDIFF(m, d)", "(CAST(m AS date) - d) AS datediff"),
    },
    by(
        "date_add",
        2,
        2,
        added,
        "DATE_ADD(d, INTERVAL 1 MONTH)",
        "CAST(d + INTERVAL '1 months' AS date) AS date_add",
    ),
    by(
        "adddate",
        2,
        2,
        added,
        "ADDDATE(d, 3)",
        "CAST(d + INTERVAL '3 days' AS date) AS adddate",
    ),
    by(
        "date_sub",
        2,
        2,
        subtracted,
        "DATE_SUB(m, INTERVAL n HOUR)",
        "m - make_interval(hours => CAST(n AS integer)) AS date_sub",
    ),
    by(
        "subdate",
        2,
        2,
        subtracted,
        "SUBDATE(d, 3)",
        "CAST(d - INTERVAL '3 days' AS date) AS subdate",
    ),
    by(
        "timestampadd",
        3,
        3,
        timestamp_added,
        "TIMESTAMPADD(QUARTER, 1, m)",
        "m + INTERVAL '3 months' AS timestampadd",
    ),
    by(
        "timestampdiff",
        3,
        3,
        timestamp_difference,
        "TIMESTAMPDIFF(DAY, d, m)",
        "CAST(trunc(EXTRACT(EPOCH FROM m - CAST(d AS timestamp)) / 86400) AS bigint) AS timestampdiff",
    ),
    by(
        "unix_timestamp",
        0,
        1,
        unix_timestamp,
        "UNIX_TIMESTAMP(m)",
        "CAST(floor(EXTRACT(EPOCH FROM CAST(m AS timestamptz))) AS bigint) AS unix_timestamp",
    ),
    FunctionRule {
        name: "to_days",
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            "({0} - DATE '0001-01-01' + 366)",
            &[ArgumentType::Date],
            ReturnType::Kind(SqlType::Integer),
        ),
        doc: DATES,
        case: ("TO_DAYS(d)", "(d - DATE '0001-01-01' + 366) AS to_days"),
    },
    FunctionRule {
        name: "from_days",
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            "(DATE '0001-01-01' + ({0} - 366))",
            &[ArgumentType::Integer],
            ReturnType::Kind(SqlType::Date),
        ),
        doc: DATES,
        case: (
            "FROM_DAYS(n)",
            "(DATE '0001-01-01' + (n - 366)) AS from_days",
        ),
    },
];

type DateFn = fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>;

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: DateFn,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::By(write),
        doc: DATES,
        case: (before, after),
    }
}

const fn now(name: &'static str, before: &'static str, after: &'static str) -> FunctionRule {
    zeroary(
        name,
        "date_trunc('second', LOCALTIMESTAMP)",
        SqlType::Timestamp,
        before,
        after,
    )
}

const fn zeroary(
    name: &'static str,
    text: &'static str,
    kind: SqlType,
    before: &'static str,
    after: &'static str,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (0, 0),
        write: FunctionTranslation::Template(text, &[], ReturnType::Kind(kind)),
        doc: DATES,
        case: (before, after),
    }
}

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
