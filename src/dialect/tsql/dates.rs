//! T-SQL's functions of dates and times.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql>

use super::format;
use super::timestamps::{TsqlDatePart, datetime_to_shift, day_of, temporal_argument, time_of};
use crate::rules::{ArgumentType, DATE, FunctionRule, TIMESTAMP, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::interval::TimeUnit;
use crate::translator::shared_functions::dates::{WeekBegin, boundaries, day};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::translator::{Translator, interval};

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   date-and-time-data-types-and-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    template("getdate", (0, 0), "LOCALTIMESTAMP(3)", &[], TIMESTAMP, DOC, "GETDATE()", "LOCALTIMESTAMP(3) AS getdate"),
    template("current_timestamp", (0, 0), "LOCALTIMESTAMP(3)", &[], TIMESTAMP, DOC, "CURRENT_TIMESTAMP", "LOCALTIMESTAMP(3) AS \"current_timestamp\""),
    template("sysdatetime", (0, 0), "LOCALTIMESTAMP", &[], TIMESTAMP, DOC, "SYSDATETIME()", "LOCALTIMESTAMP AS sysdatetime"),
    template("getutcdate", (0, 0), "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp(3))", &[], TIMESTAMP, DOC, "GETUTCDATE()", "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp(3)) AS getutcdate"),
    template("sysutcdatetime", (0, 0), "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp)", &[], TIMESTAMP, DOC, "SYSUTCDATETIME()", "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS timestamp) AS sysutcdatetime"),
    by("sysdatetimeoffset", (0, 0), now_with_offset, DOC, "SYSDATETIMEOFFSET()", "CURRENT_TIMESTAMP AS sysdatetimeoffset"),
    by("dateadd", (3, 3), added, DOC, "DATEADD(month, 1, d)", "CAST(d + INTERVAL '1 months' AS date) AS dateadd"),
    by("datediff", (3, 3), difference, DOC, "DATEDIFF(day, d, m)", "(CAST(m AS date) - d) AS datediff"),
    by("datediff_big", (3, 3), difference, DOC, "DATEDIFF_BIG(day, d, m)", "(CAST(m AS date) - d) AS datediff_big"),
    by("datepart", (2, 2), part, DOC, "DATEPART(year, d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS datepart"),
    by("datename", (2, 2), name, DOC, "DATENAME(month, m)", "to_char(m, 'FMMonth') AS datename"),
    by("year", (1, 1), named_part, DOC, "YEAR(d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS year"),
    by("month", (1, 1), named_part, DOC, "MONTH(d)", "CAST(EXTRACT(MONTH FROM d) AS integer) AS month"),
    by("day", (1, 1), named_part, DOC, "DAY(d)", "CAST(EXTRACT(DAY FROM d) AS integer) AS day"),
    by("eomonth", (1, 2), end_of_month, DOC, "EOMONTH(d)", "CAST(date_trunc('month', CAST(d AS timestamp)) + INTERVAL '1 month - 1 day' AS date) AS eomonth"),
    plain("datefromparts", (3, 3), "make_date", &[ArgumentType::Integer], DATE, DOC, "DATEFROMPARTS(2024, 1, n)", "make_date(2024, 1, n) AS datefromparts"),
    by("datetimefromparts", (7, 7), from_parts, DOC, "DATETIMEFROMPARTS(2024, 1, 2, 3, 4, 5, 6)", "make_timestamp(2024, 1, 2, 3, 4, 5 + 6 / 1000.0) AS datetimefromparts"),
    by("datetime2fromparts", (8, 8), from_parts, DOC, "DATETIME2FROMPARTS(2024, 1, 2, 3, 4, 5, 6, 3)", "make_timestamp(2024, 1, 2, 3, 4, 5 + 6 / 1000.0) AS datetime2fromparts"),
    by("smalldatetimefromparts", (5, 5), from_parts, DOC, "SMALLDATETIMEFROMPARTS(2024, 1, 2, 3, 4)", "make_timestamp(2024, 1, 2, 3, 4, 0) AS smalldatetimefromparts"),
    by("timefromparts", (5, 5), from_parts, DOC, "TIMEFROMPARTS(3, 4, 5, 6, 3)", "make_time(3, 4, 5 + 6 / 1000.0) AS timefromparts"),
    by("datetrunc", (2, 2), truncated, DOC, "DATETRUNC(month, m)", "date_trunc('month', m) AS datetrunc"),
    by("format", (2, 3), format::format, DOC, "FORMAT(m, 'yyyy-MM')", "to_char(m, 'YYYY-MM') AS format"),
];

/// A moment beside one without an offset is compared as of UTC there, and as of the session here.
fn now_with_offset(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    translator.mark_likely();
    Ok(Translated::primary("CURRENT_TIMESTAMP", SqlType::TimestampTz).never_null(true))
}

/// DATEADD keeps the type of what it moves; a day that a month does not have is its last.
pub fn added(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = TsqlDatePart::in_argument(call.argument(0)?)?.unit()?;
    let count = translator.integer(call.argument(1)?)?;
    let moment = datetime_to_shift(translator, call.argument(2)?)?;
    if moment.kind == SqlType::Date && !unit.keeps_dates() {
        return Err(call
            .refused()
            .hint("a date has no time of day; cast it to a timestamp first"));
    }
    interval::shifted(&moment, false, &count, unit)
}

/// DATEDIFF counts the boundaries between two timestamps.
pub fn difference(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = TsqlDatePart::in_argument(call.argument(0)?)?.unit()?;
    let first = temporal_argument(translator, call.argument(1)?)?;
    let second = temporal_argument(translator, call.argument(2)?)?;
    boundaries(translator, unit, WeekBegin::Sunday, first, second)
}

pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = TsqlDatePart::in_argument(call.argument(0)?)?;
    let moment = temporal_argument(translator, call.argument(1)?)?;
    part_of(translator, part, moment)
}

fn part_of(
    translator: &mut Translator<'_>,
    part: TsqlDatePart,
    moment: Translated,
) -> TranslateResult<Translated> {
    let field = |name: &str| format!("CAST(EXTRACT({name} FROM {}) AS integer)", moment.text);
    let not_null = moment.not_null;
    let text = match part {
        TsqlDatePart::Unit(TimeUnit::Year) => field("YEAR"),
        TsqlDatePart::Unit(TimeUnit::Quarter) => field("QUARTER"),
        TsqlDatePart::Unit(TimeUnit::Month) => field("MONTH"),
        TsqlDatePart::Unit(TimeUnit::Day) => field("DAY"),
        TsqlDatePart::DayOfYear => field("DOY"),
        TsqlDatePart::Weekday => format!("({} + 1)", field("DOW")),
        TsqlDatePart::IsoWeek => field("WEEK"),
        // The first of January is of week 1, and each Sunday begins another.
        TsqlDatePart::Unit(TimeUnit::Week) => {
            format!("(({} + 12 - {}) / 7)", field("DOY"), field("DOW"))
        }
        TsqlDatePart::Unit(unit) => {
            let moment = translator.as_timestamp(moment)?;
            let of = |name: &str| format!("EXTRACT({name} FROM {})", moment.text);
            match unit {
                TimeUnit::Hour => format!("CAST({} AS integer)", of("HOUR")),
                TimeUnit::Minute => format!("CAST({} AS integer)", of("MINUTE")),
                TimeUnit::Second => format!("CAST(floor({}) AS integer)", of("SECOND")),
                TimeUnit::Millisecond => {
                    format!("(CAST(floor({}) AS integer) % 1000)", of("MILLISECONDS"))
                }
                _ => format!("(CAST({} AS integer) % 1000000)", of("MICROSECONDS")),
            }
        }
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
}

/// DATENAME: names of months and days in English, everything else as DATEPART says.
pub fn name(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let part = TsqlDatePart::in_argument(call.argument(0)?)?;
    let pattern = match part {
        TsqlDatePart::Unit(TimeUnit::Month) => "FMMonth",
        TsqlDatePart::Weekday => "FMDay",
        _ => {
            let moment = temporal_argument(translator, call.argument(1)?)?;
            let number = part_of(translator, part, moment)?;
            return translator.as_text(number);
        }
    };
    let moment = time_of(translator, call.argument(1)?)?;
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(moment.not_null))
}

pub fn named_part(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let unit = match call.name.as_str() {
        "year" => TimeUnit::Year,
        "month" => TimeUnit::Month,
        _ => TimeUnit::Day,
    };
    let moment = temporal_argument(translator, call.argument(0)?)?;
    part_of(translator, TsqlDatePart::Unit(unit), moment)
}

pub fn end_of_month(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = time_of(translator, call.argument(0)?)?;
    let mut not_null = moment.not_null;
    let begin = format!("date_trunc('month', {})", moment.text);
    let begin = match call.arguments.get(1) {
        None => begin,
        Some(months) => {
            let months = translator.integer(months)?;
            not_null = not_null && months.not_null;
            format!(
                "{begin} + {}",
                interval::interval_of(&months, TimeUnit::Month)?
            )
        }
    };
    let text = format!("CAST({begin} + INTERVAL '1 month - 1 day' AS date)");
    Ok(Translated::primary(text, SqlType::Date).never_null(not_null))
}

/// A fraction counts what its precision says, and a DATETIME's counts milliseconds.
pub fn from_parts(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut parts = Vec::new();
    for argument in &call.arguments {
        parts.push(translator.integer(argument)?);
    }
    let places = match call.name.as_str() {
        "smalldatetimefromparts" => None,
        "datetimefromparts" => Some(3),
        _ => match parts.pop().and_then(|places| places.small_integer()) {
            Some(places @ 0..=6) => Some(places),
            _ => {
                return Err(call
                    .refused()
                    .hint("its precision has to be a number up to 6"));
            }
        },
    };
    let mut parts: Vec<String> = parts.iter().map(Translated::operand).collect();
    let second = match places {
        None => "0".to_owned(),
        Some(places) => {
            let fraction = parts.pop().unwrap_or_default();
            let second = parts.pop().unwrap_or_default();
            match 10_i64.pow(u32::try_from(places).unwrap_or_default()) {
                1 => second,
                whole => format!("{second} + {fraction} / {whole}.0"),
            }
        }
    };
    let (name, kind) = match call.name.as_str() {
        "timefromparts" => ("make_time", SqlType::Time),
        _ => ("make_timestamp", SqlType::Timestamp),
    };
    let text = format!("{name}({}, {second})", parts.join(", "));
    Ok(Translated::primary(text, kind))
}

/// DATETRUNC keeps the type of what it cuts.
pub fn truncated(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let part = TsqlDatePart::in_argument(call.argument(0)?)?;
    let word = match part {
        TsqlDatePart::Unit(TimeUnit::Year) => "year",
        TsqlDatePart::Unit(TimeUnit::Quarter) => "quarter",
        TsqlDatePart::Unit(TimeUnit::Month) => "month",
        TsqlDatePart::Unit(TimeUnit::Day) | TsqlDatePart::DayOfYear => "day",
        TsqlDatePart::IsoWeek => "week",
        TsqlDatePart::Unit(TimeUnit::Hour) => "hour",
        TsqlDatePart::Unit(TimeUnit::Minute) => "minute",
        TsqlDatePart::Unit(TimeUnit::Second) => "second",
        TsqlDatePart::Unit(TimeUnit::Week) => return week_begin(translator, call),
        _ => return Err(Untranslatable::construct("this part of DATETRUNC()")),
    };
    let moment = datetime_to_shift(translator, call.argument(1)?)?;
    let is_date = moment.kind == SqlType::Date;
    let stamp = translator.as_timestamp(moment)?;
    let text = format!("date_trunc('{word}', {})", stamp.text);
    let cut = Translated::primary(text, SqlType::Timestamp).never_null(stamp.not_null);
    match (is_date, word) {
        (false, _) => Ok(cut),
        (true, "hour" | "minute" | "second") => Err(untyped(&cut, "a part of a date")),
        (true, _) => Ok(cast(&cut, "date", SqlType::Date)),
    }
}

/// The Sunday before.
fn week_begin(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let moment = datetime_to_shift(translator, call.argument(1)?)?;
    let is_date = moment.kind == SqlType::Date;
    let date = match is_date {
        true => moment,
        false => day(&day_of(translator, call.argument(1)?)?),
    };
    let text = format!(
        "({0} - CAST(EXTRACT(DOW FROM {0}) AS integer))",
        date.operand()
    );
    let sunday = Translated::primary(text, SqlType::Date).never_null(date.not_null);
    if is_date {
        Ok(sunday)
    } else {
        translator.as_timestamp(sunday)
    }
}
