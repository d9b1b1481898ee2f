//! BigQuery's functions of dates, datetimes and timestamps.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions>

use sqlparser::ast::Expr;

use super::timestamps::{Part, day, day_or_time, days_into_week, time_of_utc, zoned};
use crate::dialect::source::{Returns, Rule, Takes, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::interval::{Unit, moved};
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::By(write),
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions",
        case,
    }
}

/// What is counted between two times, and what moves them.
#[rustfmt::skip]
pub const DISTANCES: &[Rule] = &[
    by("date_diff", (3, 3), date_diff, ("DATE_DIFF(d, d, DAY)", "d - d AS date_diff")),
    by("datetime_diff", (3, 3), datetime_diff,
        ("DATETIME_DIFF(m, m, DAY)", "m::date - m::date AS datetime_diff")),
    by("timestamp_diff", (3, 3), timestamp_diff,
        ("TIMESTAMP_DIFF(m, m, HOUR)", "trunc(EXTRACT(EPOCH FROM m - m) / 3600)::bigint AS timestamp_diff")),
    by("date_add", (2, 2), add, ("DATE_ADD(d, INTERVAL 1 DAY)", "CAST(d + INTERVAL '1 days' AS date) AS date_add")),
    by("date_sub", (2, 2), add, ("DATE_SUB(d, INTERVAL 1 DAY)", "CAST(d - INTERVAL '1 days' AS date) AS date_sub")),
    by("datetime_add", (2, 2), add, ("DATETIME_ADD(m, INTERVAL 1 HOUR)", "m + INTERVAL '1 hours' AS datetime_add")),
    by("datetime_sub", (2, 2), add, ("DATETIME_SUB(m, INTERVAL 1 HOUR)", "m - INTERVAL '1 hours' AS datetime_sub")),
    by("timestamp_add", (2, 2), add, ("TIMESTAMP_ADD(m, INTERVAL 1 HOUR)", "m + INTERVAL '1 hours' AS timestamp_add")),
    by("timestamp_sub", (2, 2), add, ("TIMESTAMP_SUB(m, INTERVAL 1 DAY)", "m - INTERVAL '1 days' AS timestamp_sub")),
    by("date_trunc", (2, 2), trunc,
        ("DATE_TRUNC(d, MONTH)", "date_trunc('month', d::timestamp)::date AS date_trunc")),
    by("datetime_trunc", (2, 2), trunc, ("DATETIME_TRUNC(m, DAY)", "date_trunc('day', m) AS datetime_trunc")),
    by("timestamp_trunc", (2, 2), trunc, ("TIMESTAMP_TRUNC(m, DAY)", "date_trunc('day', m) AS timestamp_trunc")),
    by("last_day", (1, 2), last_day,
        ("LAST_DAY(d)", "(date_trunc('month', d::timestamp) + INTERVAL '1 month - 1 day')::date AS last_day")),
];

/// What makes times, and what numbers are made of them.
#[rustfmt::skip]
pub const MAKERS: &[Rule] = &[
    by("current_date", (0, 1), current_date, ("CURRENT_DATE()", "(now() AT TIME ZONE 'UTC')::date AS \"current_date\"")),
    by("current_timestamp", (0, 0), current_timestamp, ("CURRENT_TIMESTAMP()", "now() AS \"current_timestamp\"")),
    by("current_datetime", (0, 1), current_datetime,
        ("CURRENT_DATETIME()", "(now() AT TIME ZONE 'UTC') AS current_datetime")),
    by("date", (1, 3), date, ("DATE(m)", "m::date AS date")),
    by("datetime", (1, 6), datetime, ("DATETIME(d)", "d::timestamp AS datetime")),
    by("timestamp", (1, 1), timestamp, ("TIMESTAMP(m)", "(m AT TIME ZONE 'UTC') AS \"timestamp\"")),
    by("unix_seconds", (1, 1), unix, ("UNIX_SECONDS(m)", "floor(EXTRACT(EPOCH FROM m))::bigint AS unix_seconds")),
    by("unix_millis", (1, 1), unix,
        ("UNIX_MILLIS(m)", "floor(EXTRACT(EPOCH FROM m) * 1000)::bigint AS unix_millis")),
    by("unix_micros", (1, 1), unix,
        ("UNIX_MICROS(m)", "floor(EXTRACT(EPOCH FROM m) * 1000000)::bigint AS unix_micros")),
    by("unix_date", (1, 1), unix_date, ("UNIX_DATE(d)", "d - DATE '1970-01-01' AS unix_date")),
    Rule {
        name: "timestamp_seconds",
        arguments: (1, 1),
        write: Write::Plain("to_timestamp", &[Takes::Integer], Returns::Kind(Kind::TimestampTz)),
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions",
        case: ("TIMESTAMP_SECONDS(n)", "to_timestamp(n) AS timestamp_seconds"),
    },
    Rule {
        name: "timestamp_millis",
        arguments: (1, 1),
        write: Write::Template(
            "to_timestamp({0} / 1000.0)", &[Takes::Integer], Returns::Kind(Kind::TimestampTz)),
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions",
        case: ("TIMESTAMP_MILLIS(n)", "to_timestamp(n / 1000.0) AS timestamp_millis"),
    },
];

/// How many boundaries of the part lie between two days.
fn date_diff(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(2)?)?;
    let probe = writer.value(call.argument(0)?)?;
    if matches!(probe.kind, Kind::Timestamp | Kind::TimestampTz) {
        return match probe.kind {
            Kind::Timestamp => datetime_diff(writer, call),
            _ => timestamp_diff(writer, call),
        };
    }
    let later = day(writer, call.argument(0)?)?;
    let earlier = day(writer, call.argument(1)?)?;
    boundaries(&later, &earlier, part)
}

/// How many boundaries of the part lie between two datetimes.
fn datetime_diff(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(2)?)?;
    if let (Some(seconds), Some(field)) = (part.seconds(), part.field()) {
        let later = time_of_utc(writer, call.argument(0)?)?;
        let earlier = time_of_utc(writer, call.argument(1)?)?;
        let text = format!(
            "(EXTRACT(EPOCH FROM date_trunc('{field}', {}) - date_trunc('{field}', {})) \
             / {seconds})::bigint",
            later.text, earlier.text
        );
        return Ok(
            Written::tight(text, Kind::Integer).never_null(later.not_null && earlier.not_null)
        );
    }
    let later = day(writer, call.argument(0)?)?;
    let earlier = day(writer, call.argument(1)?)?;
    boundaries(&later, &earlier, part)
}

/// How many whole parts lie between two timestamps.
fn timestamp_diff(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(2)?)?;
    let seconds = match (part.seconds(), part) {
        (Some(seconds), _) => seconds,
        (None, Part::Day) => "86400",
        _ => return Err(Untranslatable::construct("this part of time")),
    };
    let later = time_of_utc(writer, call.argument(0)?)?;
    let earlier = time_of_utc(writer, call.argument(1)?)?;
    let text = format!(
        "trunc(EXTRACT(EPOCH FROM {} - {}) / {seconds})::bigint",
        later.atom(),
        earlier.atom()
    );
    Ok(Written::tight(text, Kind::Integer).never_null(later.not_null && earlier.not_null))
}

fn boundaries(later: &Written, earlier: &Written, part: Part) -> Outcome<Written> {
    let (one, two) = (&later.text, &earlier.text);
    let not_null = later.not_null && earlier.not_null;
    let text = match part {
        Part::Day => format!("{} - {}", later.atom(), earlier.atom()),
        Part::Week(begins) => format!(
            "(({} - ({})) - ({} - ({}))) / 7",
            later.atom(),
            days_into_week(one, begins),
            earlier.atom(),
            days_into_week(two, begins)
        ),
        Part::Month => counted("MONTH", 12, one, two),
        Part::Quarter => counted("QUARTER", 4, one, two),
        Part::Year => format!("(EXTRACT(YEAR FROM {one}) - EXTRACT(YEAR FROM {two}))::integer"),
        Part::IsoYear => {
            format!("(EXTRACT(ISOYEAR FROM {one}) - EXTRACT(ISOYEAR FROM {two}))::integer")
        }
        _ => return Err(Untranslatable::construct("this part of time between dates")),
    };
    Ok(Written::loose(text, Kind::Integer).never_null(not_null))
}

fn counted(field: &str, per_year: u8, one: &str, two: &str) -> String {
    format!(
        "((EXTRACT(YEAR FROM {one}) - EXTRACT(YEAR FROM {two})) * {per_year} \
         + EXTRACT({field} FROM {one}) - EXTRACT({field} FROM {two}))::integer"
    )
}

/// DATE_ADD and its kin: they clamp to the last day of a month, as Postgres does.
fn add(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let Expr::Interval(interval) = call.argument(1)? else {
        return Err(call.refused());
    };
    let back = call.name.ends_with("_sub");
    let (count, unit) = writer.interval(interval)?;
    let of_zone = call.name.starts_with("timestamp");
    let moment = match call.name.starts_with("date_") {
        true => day_or_time(writer, call.argument(0)?)?,
        false => time_of_utc(writer, call.argument(0)?)?,
    };
    if of_zone && matches!(unit, Unit::Month | Unit::Quarter | Unit::Year | Unit::Week) {
        return Err(Untranslatable::construct("this unit beside a TIMESTAMP"));
    }
    let was_zoned = writer.value(call.argument(0)?)?.kind == Kind::TimestampTz;
    let moved = moved(&moment, back, &count, unit)?;
    Ok(if was_zoned { zoned(&moved) } else { moved })
}

fn trunc(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(1)?)?;
    let given = writer.value(call.argument(0)?)?;
    let moment = match call.name.as_str() {
        "date_trunc" => day_or_time(writer, call.argument(0)?)?,
        _ => time_of_utc(writer, call.argument(0)?)?,
    };
    let truncated = truncated(&moment, part)?;
    let is_zoned = given.kind == Kind::TimestampTz;
    Ok(if is_zoned {
        zoned(&truncated)
    } else {
        truncated
    })
}

/// The beginning of the part that a day or time lies in.
pub fn truncated(moment: &Written, part: Part) -> Outcome<Written> {
    let is_day = moment.kind == Kind::Date;
    if is_day && (part.seconds().is_some() || part == Part::Day) {
        return match part {
            Part::Day => Ok(moment.clone()),
            _ => Err(Untranslatable::construct("this part of a date")),
        };
    }
    let text = match (part, part.field()) {
        (_, Some(field)) if is_day => {
            format!("date_trunc('{field}', {}::timestamp)::date", moment.atom())
        }
        (_, Some(field)) => format!("date_trunc('{field}', {})", moment.text),
        (Part::Week(begins), None) if is_day => format!(
            "({} - {})",
            moment.atom(),
            grouped(&days_into_week(&moment.text, begins))
        ),
        (Part::Week(begins), None) => format!(
            "(date_trunc('day', {}) - {} * INTERVAL '1 day')",
            moment.text,
            grouped(&days_into_week(&moment.text, begins))
        ),
        _ => {
            let first = format!(
                "to_date(to_char({}, 'IYYY') || '-01-1', 'IYYY-IW-ID')",
                moment.text
            );
            match is_day {
                true => first,
                false => format!("{first}::timestamp"),
            }
        }
    };
    let kind = if is_day { Kind::Date } else { Kind::Timestamp };
    Ok(Written::tight(text, kind).never_null(moment.not_null))
}

fn grouped(text: &str) -> String {
    match text.contains(" - ") || text.contains(" % ") {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

fn last_day(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = match call.arguments.get(1) {
        Some(part) => Part::in_argument(part)?,
        None => Part::Month,
    };
    let moment = day(writer, call.argument(0)?)?;
    let text = match part {
        Part::Month | Part::Quarter | Part::Year => {
            let (field, length) = match part {
                Part::Quarter => ("quarter", "3 months"),
                Part::Year => ("year", "1 year"),
                _ => ("month", "1 month"),
            };
            format!(
                "(date_trunc('{field}', {}::timestamp) + INTERVAL '{length} - 1 day')::date",
                moment.atom()
            )
        }
        Part::Week(_) => format!("({} + 6)", truncated(&moment, part)?.atom()),
        _ => return Err(call.refused()),
    };
    Ok(Written::tight(text, Kind::Date).never_null(moment.not_null))
}

fn current_date(_: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    without_zone(call)?;
    Ok(Written::tight("(now() AT TIME ZONE 'UTC')::date", Kind::Date).never_null(true))
}

fn current_timestamp(_: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    without_zone(call)?;
    Ok(Written::tight("now()", Kind::TimestampTz).never_null(true))
}

fn current_datetime(_: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    without_zone(call)?;
    Ok(Written::tight("(now() AT TIME ZONE 'UTC')", Kind::Timestamp).never_null(true))
}

fn without_zone(call: &Call<'_>) -> Outcome<()> {
    call.plain()?;
    if call.arguments.is_empty() {
        return Ok(());
    }
    Err(
        Untranslatable::construct("the present in another time zone")
            .hint("write (now() AT TIME ZONE 'Area/City')::date"),
    )
}

fn date(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    match call.arguments.as_slice() {
        [moment] => day(writer, moment),
        [_, _, _] => made(writer, call, "make_date", Kind::Date),
        _ => Err(Untranslatable::construct("a date in another time zone")
            .hint("write (x AT TIME ZONE 'Area/City')::date")),
    }
}

fn datetime(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    match call.arguments.as_slice() {
        [moment] => time_of_utc(writer, moment),
        [_, _, _, _, _, _] => made(writer, call, "make_timestamp", Kind::Timestamp),
        _ => Err(call.refused()),
    }
}

fn made(writer: &mut Writer<'_>, call: &Call<'_>, name: &str, kind: Kind) -> Outcome<Written> {
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(writer.integer(argument)?.text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Written::call(name, &texts, kind))
}

fn timestamp(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let utc = time_of_utc(writer, call.argument(0)?)?;
    Ok(zoned(&utc))
}

fn unix(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let utc = time_of_utc(writer, call.argument(0)?)?;
    let times = match call.name.as_str() {
        "unix_millis" => " * 1000",
        "unix_micros" => " * 1000000",
        _ => "",
    };
    let text = format!("floor(EXTRACT(EPOCH FROM {}){times})::bigint", utc.text);
    Ok(Written::tight(text, Kind::Integer).never_null(utc.not_null))
}

fn unix_date(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let day = day(writer, call.argument(0)?)?;
    let text = format!("{} - DATE '1970-01-01'", day.atom());
    Ok(Written::loose(text, Kind::Integer).never_null(day.not_null))
}
