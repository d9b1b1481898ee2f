//! MySQL's functions on dates: now, parts, and arithmetic.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html>

use sqlparser::ast::Expr;

use super::operators::moment_of;
use crate::dialect::source::{Returns, Rule, Takes, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval;
use crate::dialect::translator::interval::Unit;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const DATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html";

/// The table.
pub const RULES: &[Rule] = &[
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
        Kind::Date,
        "CURDATE()",
        "CURRENT_DATE AS curdate",
    ),
    zeroary(
        "current_date",
        "CURRENT_DATE",
        Kind::Date,
        "CURRENT_DATE()",
        "CURRENT_DATE AS \"current_date\"",
    ),
    zeroary(
        "utc_timestamp",
        "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC')",
        Kind::Timestamp,
        "UTC_TIMESTAMP()",
        "date_trunc('second', CURRENT_TIMESTAMP AT TIME ZONE 'UTC') AS utc_timestamp",
    ),
    zeroary(
        "utc_date",
        "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS date)",
        Kind::Date,
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
    Rule {
        name: "datediff",
        arguments: (2, 2),
        write: Write::Template("({0} - {1})", &[Takes::Date], Returns::Kind(Kind::Integer)),
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
    Rule {
        name: "to_days",
        arguments: (1, 1),
        write: Write::Template(
            "({0} - DATE '0001-01-01' + 366)",
            &[Takes::Date],
            Returns::Kind(Kind::Integer),
        ),
        doc: DATES,
        case: ("TO_DAYS(d)", "(d - DATE '0001-01-01' + 366) AS to_days"),
    },
    Rule {
        name: "from_days",
        arguments: (1, 1),
        write: Write::Template(
            "(DATE '0001-01-01' + ({0} - 366))",
            &[Takes::Integer],
            Returns::Kind(Kind::Date),
        ),
        doc: DATES,
        case: (
            "FROM_DAYS(n)",
            "(DATE '0001-01-01' + (n - 366)) AS from_days",
        ),
    },
];

type Writes = fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>;

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: Writes,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        name,
        arguments: (least, most),
        write: Write::By(write),
        doc: DATES,
        case: (before, after),
    }
}

const fn now(name: &'static str, before: &'static str, after: &'static str) -> Rule {
    zeroary(
        name,
        "date_trunc('second', LOCALTIMESTAMP)",
        Kind::Timestamp,
        before,
        after,
    )
}

const fn zeroary(
    name: &'static str,
    text: &'static str,
    kind: Kind,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        name,
        arguments: (0, 0),
        write: Write::Template(text, &[], Returns::Kind(kind)),
        doc: DATES,
        case: (before, after),
    }
}

fn date(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    writer.date(call.argument(0)?)
}

fn timestamp(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    writer.timestamp(call.argument(0)?)
}

fn time(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = writer.timestamp(call.argument(0)?)?;
    Ok(cast(&moment, "time", Kind::Time))
}

/// YEAR, MONTH and the like.
fn named_part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = Unit::named(&call.name).ok_or_else(|| call.refused())?;
    part(writer, unit, call.argument(0)?)
}

fn day_of_month(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    part(writer, Unit::Day, call.argument(0)?)
}

/// A part of a date or a time of day, as a whole number.
pub fn part(writer: &mut Writer<'_>, unit: Unit, expr: &Expr) -> Outcome<Written> {
    let field = match unit {
        Unit::Year => "YEAR",
        Unit::Quarter => "QUARTER",
        Unit::Month => "MONTH",
        Unit::Day => "DAY",
        Unit::Hour => "HOUR",
        Unit::Minute => "MINUTE",
        Unit::Second => "SECOND",
        Unit::Week | Unit::Millisecond | Unit::Microsecond => {
            return writer.refuse("this part of a date");
        }
    };
    let value = if unit.is_of_days() {
        writer.moment(expr)?
    } else {
        let value = writer.value(expr)?;
        match value.kind {
            Kind::Time | Kind::Timestamp | Kind::TimestampTz => value,
            _ => writer.stamped(value)?,
        }
    };
    let text = format!("EXTRACT({field} FROM {})", value.text);
    let text = match unit {
        Unit::Second => format!("CAST(floor({text}) AS integer)"),
        _ => format!("CAST({text} AS integer)"),
    };
    Ok(Written::tight(text, Kind::Integer).never_null(value.not_null))
}

fn added(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    moved(writer, call, false)
}

fn subtracted(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    moved(writer, call, true)
}

/// DATE_ADD with an interval; ADDDATE with a number of days as well.
fn moved(writer: &mut Writer<'_>, call: &Call<'_>, back: bool) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    let (count, unit) = match call.argument(1)? {
        Expr::Interval(interval) => writer.interval(interval)?,
        days if call.name == "adddate" || call.name == "subdate" => {
            (writer.integer(days)?, Unit::Day)
        }
        _ => return Err(call.refused()),
    };
    interval::moved(&moment, back, &count, unit)
}

fn timestamp_added(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = Unit::in_argument(call.argument(0)?)?;
    let count = writer.integer(call.argument(1)?)?;
    let moment = moment_of(writer, call.argument(2)?)?;
    interval::moved(&moment, false, &count, unit)
}

/// Whole units from the first moment to the second, the rest cut off.
fn timestamp_difference(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = Unit::in_argument(call.argument(0)?)?;
    let (first, second) = (
        writer.timestamp(call.argument(1)?)?,
        writer.timestamp(call.argument(2)?)?,
    );
    let not_null = first.not_null && second.not_null;
    let seconds = |each: &str| {
        format!(
            "CAST(trunc(EXTRACT(EPOCH FROM {} - {}) / {each}) AS bigint)",
            second.atom(),
            first.atom()
        )
    };
    let months = || {
        let age = format!("age({}, {})", second.text, first.text);
        format!("CAST(EXTRACT(YEAR FROM {age}) * 12 + EXTRACT(MONTH FROM {age}) AS integer)")
    };
    let text = match unit {
        Unit::Microsecond | Unit::Millisecond => return Err(call.refused()),
        Unit::Second => format!(
            "CAST(trunc(EXTRACT(EPOCH FROM {} - {})) AS bigint)",
            second.atom(),
            first.atom()
        ),
        Unit::Minute => seconds("60"),
        Unit::Hour => seconds("3600"),
        Unit::Day => seconds("86400"),
        Unit::Week => seconds("604800"),
        Unit::Month => months(),
        Unit::Quarter => format!("({} / 3)", months()),
        Unit::Year => format!(
            "CAST(EXTRACT(YEAR FROM age({}, {})) AS integer)",
            second.text, first.text
        ),
    };
    Ok(Written::tight(text, Kind::Integer).never_null(not_null))
}

fn unix_timestamp(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = match call.arguments.first() {
        Some(argument) => writer.moment(argument)?,
        None => Written::tight("CURRENT_TIMESTAMP", Kind::TimestampTz).never_null(true),
    };
    let moment = match moment.kind {
        Kind::TimestampTz => moment,
        _ => cast(&moment, "timestamptz", Kind::TimestampTz),
    };
    let text = format!("CAST(floor(EXTRACT(EPOCH FROM {})) AS bigint)", moment.text);
    Ok(Written::tight(text, Kind::Integer).never_null(moment.not_null))
}
