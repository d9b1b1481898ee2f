//! How T-SQL's functions of dates and times are written.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql>

use super::timestamps::{Part, day, day_of, moment_of, movable, time_of};
use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval;
use crate::dialect::translator::interval::Unit;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// DATEADD keeps the type of what it moves; a day that a month does not have is its last.
pub fn added(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = Part::in_argument(call.argument(0)?)?.unit()?;
    let count = writer.integer(call.argument(1)?)?;
    let moment = movable(writer, call.argument(2)?)?;
    if moment.kind == Kind::Date && !unit.is_of_days() {
        return Err(call
            .refused()
            .hint("a date has no time of day; cast it to a timestamp first"));
    }
    interval::moved(&moment, false, &count, unit)
}

/// DATEDIFF counts the boundaries between two moments.
pub fn difference(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = Part::in_argument(call.argument(0)?)?.unit()?;
    let first = moment_of(writer, call.argument(1)?)?;
    let second = moment_of(writer, call.argument(2)?)?;
    boundaries(writer, unit, first, second)
}

/// How many boundaries of a unit lie between two moments; weeks begin on Sundays.
pub fn boundaries(
    writer: &mut Writer<'_>,
    unit: Unit,
    first: Written,
    second: Written,
) -> Outcome<Written> {
    let not_null = first.not_null && second.not_null;
    let between =
        |each: &dyn Fn(&Written) -> String| format!("({} - {})", each(&second), each(&first));
    let year = |moment: &Written| format!("EXTRACT(YEAR FROM {})", moment.text);
    let text = match unit {
        Unit::Year => format!("CAST({} AS integer)", between(&year)),
        Unit::Quarter | Unit::Month => {
            let (field, times) = match unit {
                Unit::Month => ("MONTH", 12),
                _ => ("QUARTER", 4),
            };
            let months = |moment: &Written| {
                format!(
                    "({} * {times} + EXTRACT({field} FROM {}))",
                    year(moment),
                    moment.text
                )
            };
            format!("CAST({} AS integer)", between(&months))
        }
        Unit::Day => between(&|moment| day(moment).atom()),
        Unit::Week => {
            let weeks = |moment: &Written| {
                format!("floor(({} - DATE '1900-01-07') / 7.0)", day(moment).atom())
            };
            format!("CAST({} AS integer)", between(&weeks))
        }
        Unit::Hour | Unit::Minute | Unit::Second | Unit::Millisecond | Unit::Microsecond => {
            let (field, times) = match unit {
                Unit::Hour => ("hour", " / 3600"),
                Unit::Minute => ("minute", " / 60"),
                Unit::Second => ("second", ""),
                Unit::Millisecond => ("milliseconds", " * 1000"),
                _ => ("microseconds", " * 1000000"),
            };
            let (first, second) = (writer.stamped(first)?, writer.stamped(second)?);
            let begun = |moment: &Written| format!("date_trunc('{field}', {})", moment.text);
            format!(
                "CAST(EXTRACT(EPOCH FROM {} - {}){times} AS bigint)",
                begun(&second),
                begun(&first)
            )
        }
    };
    Ok(Written::tight(text, Kind::Integer).never_null(not_null))
}

pub fn part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(0)?)?;
    let moment = moment_of(writer, call.argument(1)?)?;
    part_of(writer, part, moment)
}

fn part_of(writer: &mut Writer<'_>, part: Part, moment: Written) -> Outcome<Written> {
    let field = |name: &str| format!("CAST(EXTRACT({name} FROM {}) AS integer)", moment.text);
    let not_null = moment.not_null;
    let text = match part {
        Part::Unit(Unit::Year) => field("YEAR"),
        Part::Unit(Unit::Quarter) => field("QUARTER"),
        Part::Unit(Unit::Month) => field("MONTH"),
        Part::Unit(Unit::Day) => field("DAY"),
        Part::DayOfYear => field("DOY"),
        Part::Weekday => format!("({} + 1)", field("DOW")),
        Part::IsoWeek => field("WEEK"),
        // The first of January is of week 1, and each Sunday begins another.
        Part::Unit(Unit::Week) => format!("(({} + 12 - {}) / 7)", field("DOY"), field("DOW")),
        Part::Unit(unit) => {
            let moment = writer.stamped(moment)?;
            let of = |name: &str| format!("EXTRACT({name} FROM {})", moment.text);
            match unit {
                Unit::Hour => format!("CAST({} AS integer)", of("HOUR")),
                Unit::Minute => format!("CAST({} AS integer)", of("MINUTE")),
                Unit::Second => format!("CAST(floor({}) AS integer)", of("SECOND")),
                Unit::Millisecond => {
                    format!("(CAST(floor({}) AS integer) % 1000)", of("MILLISECONDS"))
                }
                _ => format!("(CAST({} AS integer) % 1000000)", of("MICROSECONDS")),
            }
        }
    };
    Ok(Written::tight(text, Kind::Integer).never_null(not_null))
}

/// DATENAME: names of months and days in English, everything else as DATEPART says.
pub fn name(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(0)?)?;
    let pattern = match part {
        Part::Unit(Unit::Month) => "FMMonth",
        Part::Weekday => "FMDay",
        _ => {
            let moment = moment_of(writer, call.argument(1)?)?;
            let number = part_of(writer, part, moment)?;
            return writer.textual(number);
        }
    };
    let moment = time_of(writer, call.argument(1)?)?;
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Written::tight(text, Kind::Text).never_null(moment.not_null))
}

pub fn named_part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = match call.name.as_str() {
        "year" => Unit::Year,
        "month" => Unit::Month,
        _ => Unit::Day,
    };
    let moment = moment_of(writer, call.argument(0)?)?;
    part_of(writer, Part::Unit(unit), moment)
}

pub fn end_of_month(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = time_of(writer, call.argument(0)?)?;
    let mut not_null = moment.not_null;
    let begin = format!("date_trunc('month', {})", moment.text);
    let begin = match call.arguments.get(1) {
        None => begin,
        Some(months) => {
            let months = writer.integer(months)?;
            not_null = not_null && months.not_null;
            format!("{begin} + {}", interval::length(&months, Unit::Month)?)
        }
    };
    let text = format!("CAST({begin} + INTERVAL '1 month - 1 day' AS date)");
    Ok(Written::tight(text, Kind::Date).never_null(not_null))
}

pub fn from_parts(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut parts = Vec::new();
    for argument in &call.arguments {
        parts.push(writer.integer(argument)?.atom());
    }
    let millis = parts.pop().unwrap_or_default();
    let second = parts.pop().unwrap_or_default();
    let text = format!(
        "make_timestamp({}, {second} + {millis} / 1000.0)",
        parts.join(", ")
    );
    Ok(Written::tight(text, Kind::Timestamp))
}

/// DATETRUNC keeps the type of what it cuts.
pub fn truncated(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let part = Part::in_argument(call.argument(0)?)?;
    let word = match part {
        Part::Unit(Unit::Year) => "year",
        Part::Unit(Unit::Quarter) => "quarter",
        Part::Unit(Unit::Month) => "month",
        Part::Unit(Unit::Day) | Part::DayOfYear => "day",
        Part::IsoWeek => "week",
        Part::Unit(Unit::Hour) => "hour",
        Part::Unit(Unit::Minute) => "minute",
        Part::Unit(Unit::Second) => "second",
        Part::Unit(Unit::Week) => return week_begin(writer, call),
        _ => return Err(Untranslatable::construct("this part of DATETRUNC()")),
    };
    let moment = movable(writer, call.argument(1)?)?;
    let is_date = moment.kind == Kind::Date;
    let stamp = writer.stamped(moment)?;
    let text = format!("date_trunc('{word}', {})", stamp.text);
    let cut = Written::tight(text, Kind::Timestamp).never_null(stamp.not_null);
    match (is_date, word) {
        (false, _) => Ok(cut),
        (true, "hour" | "minute" | "second") => Err(untyped(&cut, "a part of a date")),
        (true, _) => Ok(cast(&cut, "date", Kind::Date)),
    }
}

/// The Sunday before.
fn week_begin(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let moment = movable(writer, call.argument(1)?)?;
    let is_date = moment.kind == Kind::Date;
    let date = match is_date {
        true => moment,
        false => day(&day_of(writer, call.argument(1)?)?),
    };
    let text = format!(
        "({0} - CAST(EXTRACT(DOW FROM {0}) AS integer))",
        date.atom()
    );
    let sunday = Written::tight(text, Kind::Date).never_null(date.not_null);
    if is_date {
        Ok(sunday)
    } else {
        writer.stamped(sunday)
    }
}
