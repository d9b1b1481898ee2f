//! BigQuery's functions of dates, datetimes and timestamps.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions>

use sqlparser::ast::Expr;

use super::timestamps::{BigqueryDatePart, day, day_or_time, days_into_week, time_of_utc, zoned};
use crate::rules::{ArgumentType, FunctionRule, TIMESTAMP_TZ, by, plain, template};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::interval::{TimeUnit, shifted};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions";
const TIMESTAMPS: &str =
    "https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions";

/// What is counted between two times, and what moves them.
#[rustfmt::skip]
pub const DISTANCES: &[FunctionRule] = &[
    by("date_diff", (3, 3), date_diff, DOC, "DATE_DIFF(d, d, DAY)", "d - d AS date_diff"),
    by("datetime_diff", (3, 3), datetime_diff, DOC, "DATETIME_DIFF(m, m, DAY)", "m::date - m::date AS datetime_diff"),
    by("timestamp_diff", (3, 3), timestamp_diff, DOC, "TIMESTAMP_DIFF(m, m, HOUR)", "trunc(EXTRACT(EPOCH FROM m - m) / 3600)::bigint AS timestamp_diff"),
    by("date_add", (2, 2), add, DOC, "DATE_ADD(d, INTERVAL 1 DAY)", "CAST(d + INTERVAL '1 days' AS date) AS date_add"),
    by("date_sub", (2, 2), add, DOC, "DATE_SUB(d, INTERVAL 1 DAY)", "CAST(d - INTERVAL '1 days' AS date) AS date_sub"),
    by("datetime_add", (2, 2), add, DOC, "DATETIME_ADD(m, INTERVAL 1 HOUR)", "m + INTERVAL '1 hours' AS datetime_add"),
    by("datetime_sub", (2, 2), add, DOC, "DATETIME_SUB(m, INTERVAL 1 HOUR)", "m - INTERVAL '1 hours' AS datetime_sub"),
    by("timestamp_add", (2, 2), add, DOC, "TIMESTAMP_ADD(m, INTERVAL 1 HOUR)", "m + INTERVAL '1 hours' AS timestamp_add"),
    by("timestamp_sub", (2, 2), add, DOC, "TIMESTAMP_SUB(m, INTERVAL 1 DAY)", "m - INTERVAL '1 days' AS timestamp_sub"),
    by("date_trunc", (2, 2), trunc, DOC, "DATE_TRUNC(d, MONTH)", "date_trunc('month', d::timestamp)::date AS date_trunc"),
    by("datetime_trunc", (2, 2), trunc, DOC, "DATETIME_TRUNC(m, DAY)", "date_trunc('day', m) AS datetime_trunc"),
    by("timestamp_trunc", (2, 2), trunc, DOC, "TIMESTAMP_TRUNC(m, DAY)", "date_trunc('day', m) AS timestamp_trunc"),
    by("last_day", (1, 2), last_day, DOC, "LAST_DAY(d)", "CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' AS date) AS last_day"),
];

/// What makes times, and what numbers are made of them.
#[rustfmt::skip]
pub const MAKERS: &[FunctionRule] = &[
    by("current_date", (0, 1), current_date, DOC, "CURRENT_DATE()", "(now() AT TIME ZONE 'UTC')::date AS \"current_date\""),
    by("current_timestamp", (0, 0), current_timestamp, DOC, "CURRENT_TIMESTAMP()", "now() AS \"current_timestamp\""),
    by("current_datetime", (0, 1), current_datetime, DOC, "CURRENT_DATETIME()", "(now() AT TIME ZONE 'UTC') AS current_datetime"),
    by("date", (1, 3), date, DOC, "DATE(m)", "m::date AS date"),
    by("datetime", (1, 6), datetime, DOC, "DATETIME(d)", "d::timestamp AS datetime"),
    by("timestamp", (1, 1), timestamp, DOC, "TIMESTAMP(m)", "(m AT TIME ZONE 'UTC') AS \"timestamp\""),
    by("unix_seconds", (1, 1), unix, DOC, "UNIX_SECONDS(m)", "floor(EXTRACT(EPOCH FROM m))::bigint AS unix_seconds"),
    by("unix_millis", (1, 1), unix, DOC, "UNIX_MILLIS(m)", "floor(EXTRACT(EPOCH FROM m) * 1000)::bigint AS unix_millis"),
    by("unix_micros", (1, 1), unix, DOC, "UNIX_MICROS(m)", "floor(EXTRACT(EPOCH FROM m) * 1000000)::bigint AS unix_micros"),
    by("unix_date", (1, 1), unix_date, DOC, "UNIX_DATE(d)", "d - DATE '1970-01-01' AS unix_date"),
    plain("timestamp_seconds", (1, 1), "to_timestamp", &[ArgumentType::Integer], TIMESTAMP_TZ, TIMESTAMPS, "TIMESTAMP_SECONDS(n)", "to_timestamp(n) AS timestamp_seconds"),
    template("timestamp_millis", (1, 1), "to_timestamp({1!} / 1000.0)", &[ArgumentType::Integer], TIMESTAMP_TZ, TIMESTAMPS, "TIMESTAMP_MILLIS(n)", "to_timestamp(n / 1000.0) AS timestamp_millis"),
];

/// How many boundaries of the part lie between two days.
fn date_diff(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let part = BigqueryDatePart::in_argument(call.argument(2)?)?;
    let probe = translator.value(call.argument(0)?)?;
    if matches!(probe.kind, SqlType::Timestamp | SqlType::TimestampTz) {
        return match probe.kind {
            SqlType::Timestamp => datetime_diff(translator, call),
            _ => timestamp_diff(translator, call),
        };
    }
    let later = day(translator, call.argument(0)?)?;
    let earlier = day(translator, call.argument(1)?)?;
    boundaries(&later, &earlier, part)
}

/// How many boundaries of the part lie between two datetimes.
fn datetime_diff(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let part = BigqueryDatePart::in_argument(call.argument(2)?)?;
    if let (Some(seconds), Some(field)) = (part.seconds(), part.field()) {
        let later = time_of_utc(translator, call.argument(0)?)?;
        let earlier = time_of_utc(translator, call.argument(1)?)?;
        let text = format!(
            "(EXTRACT(EPOCH FROM date_trunc('{field}', {}) - date_trunc('{field}', {})) \
             / {seconds})::bigint",
            later.text, earlier.text
        );
        return Ok(Translated::primary(text, SqlType::Integer)
            .never_null(later.not_null && earlier.not_null));
    }
    let later = day(translator, call.argument(0)?)?;
    let earlier = day(translator, call.argument(1)?)?;
    boundaries(&later, &earlier, part)
}

/// How many whole parts lie between two timestamps.
fn timestamp_diff(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let part = BigqueryDatePart::in_argument(call.argument(2)?)?;
    let seconds = match (part.seconds(), part) {
        (Some(seconds), _) => seconds,
        (None, BigqueryDatePart::Day) => "86400",
        _ => return Err(Untranslatable::construct("this part of time")),
    };
    let later = time_of_utc(translator, call.argument(0)?)?;
    let earlier = time_of_utc(translator, call.argument(1)?)?;
    let text = format!(
        "trunc(EXTRACT(EPOCH FROM {} - {}) / {seconds})::bigint",
        later.operand(),
        earlier.operand()
    );
    Ok(Translated::primary(text, SqlType::Integer).never_null(later.not_null && earlier.not_null))
}

fn boundaries(
    later: &Translated,
    earlier: &Translated,
    part: BigqueryDatePart,
) -> TranslateResult<Translated> {
    let (one, two) = (&later.text, &earlier.text);
    let not_null = later.not_null && earlier.not_null;
    let text = match part {
        BigqueryDatePart::Day => format!("{} - {}", later.operand(), earlier.operand()),
        BigqueryDatePart::Week(begins) => format!(
            "(({} - ({})) - ({} - ({}))) / 7",
            later.operand(),
            days_into_week(one, begins),
            earlier.operand(),
            days_into_week(two, begins)
        ),
        BigqueryDatePart::Month => counted("MONTH", 12, one, two),
        BigqueryDatePart::Quarter => counted("QUARTER", 4, one, two),
        BigqueryDatePart::Year => {
            format!("(EXTRACT(YEAR FROM {one}) - EXTRACT(YEAR FROM {two}))::integer")
        }
        BigqueryDatePart::IsoYear => {
            format!("(EXTRACT(ISOYEAR FROM {one}) - EXTRACT(ISOYEAR FROM {two}))::integer")
        }
        _ => return Err(Untranslatable::construct("this part of time between dates")),
    };
    Ok(Translated::compound(text, SqlType::Integer).never_null(not_null))
}

fn counted(field: &str, per_year: u8, one: &str, two: &str) -> String {
    format!(
        "((EXTRACT(YEAR FROM {one}) - EXTRACT(YEAR FROM {two})) * {per_year} \
         + EXTRACT({field} FROM {one}) - EXTRACT({field} FROM {two}))::integer"
    )
}

/// DATE_ADD and its kin: they clamp to the last day of a month, as Postgres does.
fn add(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let Expr::Interval(interval) = call.argument(1)? else {
        return Err(call.refused());
    };
    let back = call.name.ends_with("_sub");
    let (count, unit) = translator.interval(interval)?;
    let of_zone = call.name.starts_with("timestamp");
    let moment = match call.name.starts_with("date_") {
        true => day_or_time(translator, call.argument(0)?)?,
        false => time_of_utc(translator, call.argument(0)?)?,
    };
    if of_zone
        && matches!(
            unit,
            TimeUnit::Month | TimeUnit::Quarter | TimeUnit::Year | TimeUnit::Week
        )
    {
        return Err(Untranslatable::construct("this unit beside a TIMESTAMP"));
    }
    let was_zoned = translator.value(call.argument(0)?)?.kind == SqlType::TimestampTz;
    let moved = shifted(&moment, back, &count, unit)?;
    Ok(if was_zoned { zoned(&moved) } else { moved })
}

fn trunc(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = BigqueryDatePart::in_argument(call.argument(1)?)?;
    let given = translator.value(call.argument(0)?)?;
    let moment = match call.name.as_str() {
        "date_trunc" => day_or_time(translator, call.argument(0)?)?,
        _ => time_of_utc(translator, call.argument(0)?)?,
    };
    let truncated = truncated(&moment, part)?;
    let is_zoned = given.kind == SqlType::TimestampTz;
    Ok(if is_zoned {
        zoned(&truncated)
    } else {
        truncated
    })
}

/// The beginning of the part that a day or time lies in.
pub fn truncated(moment: &Translated, part: BigqueryDatePart) -> TranslateResult<Translated> {
    let is_day = moment.kind == SqlType::Date;
    if is_day && (part.seconds().is_some() || part == BigqueryDatePart::Day) {
        return match part {
            BigqueryDatePart::Day => Ok(moment.clone()),
            _ => Err(Untranslatable::construct("this part of a date")),
        };
    }
    let text = match (part, part.field()) {
        (_, Some(field)) if is_day => {
            format!(
                "date_trunc('{field}', {}::timestamp)::date",
                moment.operand()
            )
        }
        (_, Some(field)) => format!("date_trunc('{field}', {})", moment.text),
        (BigqueryDatePart::Week(begins), None) if is_day => format!(
            "({} - {})",
            moment.operand(),
            grouped(&days_into_week(&moment.text, begins))
        ),
        (BigqueryDatePart::Week(begins), None) => format!(
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
    let kind = if is_day {
        SqlType::Date
    } else {
        SqlType::Timestamp
    };
    Ok(Translated::primary(text, kind).never_null(moment.not_null))
}

fn grouped(text: &str) -> String {
    match text.contains(" - ") || text.contains(" % ") {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

fn last_day(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = match call.arguments.get(1) {
        Some(part) => BigqueryDatePart::in_argument(part)?,
        None => BigqueryDatePart::Month,
    };
    let moment = day(translator, call.argument(0)?)?;
    let text = match part {
        BigqueryDatePart::Month | BigqueryDatePart::Quarter | BigqueryDatePart::Year => {
            let (field, length) = match part {
                BigqueryDatePart::Quarter => ("quarter", "3 months"),
                BigqueryDatePart::Year => ("year", "1 year"),
                _ => ("month", "1 month"),
            };
            format!(
                "CAST(date_trunc('{field}', CAST({} AS timestamp)) + INTERVAL '{length} - 1 day' AS date)",
                moment.text
            )
        }
        BigqueryDatePart::Week(_) => format!("({} + 6)", truncated(&moment, part)?.operand()),
        _ => return Err(call.refused()),
    };
    Ok(Translated::primary(text, SqlType::Date).never_null(moment.not_null))
}

fn current_date(_: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    without_zone(call)?;
    Ok(Translated::primary("(now() AT TIME ZONE 'UTC')::date", SqlType::Date).never_null(true))
}

fn current_timestamp(_: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    without_zone(call)?;
    Ok(Translated::primary("now()", SqlType::TimestampTz).never_null(true))
}

fn current_datetime(_: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    without_zone(call)?;
    Ok(Translated::primary("(now() AT TIME ZONE 'UTC')", SqlType::Timestamp).never_null(true))
}

fn without_zone(call: &SourceCall<'_>) -> TranslateResult<()> {
    call.plain()?;
    if call.arguments.is_empty() {
        return Ok(());
    }
    Err(
        Untranslatable::construct("the present in another time zone")
            .hint("write (now() AT TIME ZONE 'Area/City')::date"),
    )
}

fn date(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    match call.arguments.as_slice() {
        [moment] => day(translator, moment),
        [_, _, _] => made(translator, call, "make_date", SqlType::Date),
        _ => Err(Untranslatable::construct("a date in another time zone")
            .hint("write (x AT TIME ZONE 'Area/City')::date")),
    }
}

fn datetime(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    match call.arguments.as_slice() {
        [moment] => time_of_utc(translator, moment),
        [_, _, _, _, _, _] => made(translator, call, "make_timestamp", SqlType::Timestamp),
        _ => Err(call.refused()),
    }
}

fn made(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    name: &str,
    kind: SqlType,
) -> TranslateResult<Translated> {
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.integer(argument)?.text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Translated::call(name, &texts, kind))
}

fn timestamp(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let utc = time_of_utc(translator, call.argument(0)?)?;
    Ok(zoned(&utc))
}

fn unix(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let utc = time_of_utc(translator, call.argument(0)?)?;
    let times = match call.name.as_str() {
        "unix_millis" => " * 1000",
        "unix_micros" => " * 1000000",
        _ => "",
    };
    let text = format!("floor(EXTRACT(EPOCH FROM {}){times})::bigint", utc.text);
    Ok(Translated::primary(text, SqlType::Integer).never_null(utc.not_null))
}

fn unix_date(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let day = day(translator, call.argument(0)?)?;
    let text = format!("{} - DATE '1970-01-01'", day.operand());
    Ok(Translated::compound(text, SqlType::Integer).never_null(day.not_null))
}
