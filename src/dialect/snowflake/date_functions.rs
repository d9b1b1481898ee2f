//! How dates and times of Snowflake and DuckDB are written.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval;
use crate::dialect::translator::interval::Unit;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};
use crate::dialect::tsql::date_functions;
use crate::dialect::tsql::timestamps::day;
use sqlparser::ast::{Expr, Value};

/// The unit that an argument names, as a word or a string.
pub fn unit_in(expr: &Expr) -> Outcome<Unit> {
    let name = word_in(expr)?;
    Ok(match name.as_str() {
        "y" | "yy" | "yyyy" | "yr" => Unit::Year,
        "q" | "qtr" => Unit::Quarter,
        "mm" | "mon" | "mons" => Unit::Month,
        "w" | "wk" | "weekofyear" | "woy" | "wy" => Unit::Week,
        "d" | "dd" => Unit::Day,
        "h" | "hh" | "hr" => Unit::Hour,
        "mi" | "min" | "m" => Unit::Minute,
        "s" | "sec" => Unit::Second,
        "ms" | "msec" => Unit::Millisecond,
        other => match Unit::named(other) {
            Some(unit) => unit,
            None => return Err(Untranslatable::construct("this unit of time")),
        },
    })
}

fn word_in(expr: &Expr) -> Outcome<String> {
    match expr {
        Expr::Identifier(ident) => Ok(ident.value.to_lowercase()),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Ok(text.to_lowercase()),
            _ => Err(Untranslatable::construct("this unit of time")),
        },
        _ => Err(Untranslatable::construct("this unit of time")),
    }
}

/// An expression as a date or timestamp; what columns of texts hold is read as Postgres reads it.
pub fn moment_of(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Written> {
    let value = writer.value(expr)?;
    dated(writer, value)
}

/// A value as a date or timestamp, likewise.
pub fn dated(writer: &mut Writer<'_>, value: Written) -> Outcome<Written> {
    match (value.kind, value.text_literal()) {
        (Kind::Text, None) => {
            writer.likely();
            Ok(cast(&value, "timestamp", Kind::Timestamp))
        }
        (Kind::Unclear, _) => Err(untyped(&value, "a date")),
        _ => writer.dated(value),
    }
}

pub fn added(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = unit_in(call.argument(0)?)?;
    let count = writer.integer(call.argument(1)?)?;
    let moment = moment_of(writer, call.argument(2)?)?;
    interval::moved(&moment, false, &count, unit)
}

/// ADD_MONTHS: of the last day of a month, the last day of the other.
pub fn months_added(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    if moment.kind != Kind::Date {
        return Err(untyped(&moment, "a date"));
    }
    let count = writer.integer(call.argument(1)?)?;
    let length = interval::length(&count, Unit::Month)?;
    let moved = interval::moved(&moment, false, &count, Unit::Month)?;
    let stamp = writer.stamped(moment)?;
    let begin = format!("date_trunc('month', {})", stamp.text);
    let end = "INTERVAL '1 month - 1 day'";
    let text = format!(
        "CASE WHEN {begin} + {end} = {} THEN CAST({begin} + {length} + {end} AS date) \
         ELSE {} END",
        stamp.atom(),
        moved.text
    );
    Ok(Written::tight(text, Kind::Date).never_null(moved.not_null))
}

/// DATEDIFF(unit, from, to) counts boundaries.
pub fn difference(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let unit = unit_in(call.argument(0)?)?;
    let first = moment_of(writer, call.argument(1)?)?;
    let second = moment_of(writer, call.argument(2)?)?;
    if unit != Unit::Week {
        return date_functions::boundaries(writer, unit, first, second);
    }
    let weeks =
        |moment: &Written| format!("floor(({} - DATE '1900-01-01') / 7.0)", day(moment).atom());
    let text = format!("CAST({} - {} AS integer)", weeks(&second), weeks(&first));
    Ok(Written::tight(text, Kind::Integer).never_null(first.not_null && second.not_null))
}

/// DATE_TRUNC keeps the type of what it cuts.
pub fn truncated(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let (unit, moment) = (
        unit_in(call.argument(0)?)?,
        moment_of(writer, call.argument(1)?)?,
    );
    let word = match unit {
        Unit::Microsecond | Unit::Millisecond => return Err(call.refused()),
        Unit::Second => "second",
        Unit::Minute => "minute",
        Unit::Hour => "hour",
        Unit::Day => "day",
        Unit::Week => "week",
        Unit::Month => "month",
        Unit::Quarter => "quarter",
        Unit::Year => "year",
    };
    let is_date = moment.kind == Kind::Date;
    let stamp = match moment.kind {
        Kind::Date => writer.stamped(moment)?,
        _ => moment,
    };
    let text = format!("date_trunc('{word}', {})", stamp.text);
    let cut = Written::tight(text, stamp.kind).never_null(stamp.not_null);
    Ok(match is_date && unit.is_of_days() {
        true => cast(&cut, "date", Kind::Date),
        false => cut,
    })
}

pub fn part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let word = word_in(call.argument(0)?)?;
    let moment = moment_of(writer, call.argument(1)?)?;
    part_of(writer, &word, moment)
}

pub fn named_part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    part_of(writer, &call.name, moment)
}

/// A part of a moment as a whole number.
pub fn part_of(writer: &mut Writer<'_>, word: &str, moment: Written) -> Outcome<Written> {
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
        "HOUR" | "MINUTE" | "SECOND" if moment.kind == Kind::Date => writer.stamped(moment)?,
        _ => moment,
    };
    let value = format!("EXTRACT({field} FROM {})", moment.text);
    let text = match field {
        "SECOND" => format!("CAST(floor({value}) AS integer)"),
        _ => format!("CAST({value} AS integer)"),
    };
    Ok(Written::tight(text, Kind::Integer).never_null(moment.not_null))
}

/// DAYNAME and MONTHNAME: three letters in English.
pub fn name(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    let moment = writer.stamped(moment)?;
    let pattern = if call.name == "dayname" { "Dy" } else { "Mon" };
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Written::tight(text, Kind::Text).never_null(moment.not_null))
}

pub fn last_day(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    let moment = writer.stamped(moment)?;
    let text = format!(
        "CAST(date_trunc('month', {}) + INTERVAL '1 month - 1 day' AS date)",
        moment.text
    );
    Ok(Written::tight(text, Kind::Date).never_null(moment.not_null))
}

/// TO_DATE(text [, pattern]), TO_DATE(timestamp)
pub fn to_date(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let Some(pattern) = call.arguments.get(1) else {
        if value.kind.is_number() {
            return Err(call.refused());
        }
        return Ok(day(&dated(writer, value)?));
    };
    let pattern = writer.value(pattern)?;
    let pattern = pattern
        .text_literal()
        .and_then(pattern_of)
        .ok_or_else(|| call.refused())?;
    if value.kind != Kind::Text || pattern.contains("HH") {
        return Err(call.refused());
    }
    if value.text_literal().is_none() {
        writer.likely();
    }
    let text = format!("to_date({}, {})", value.text, literal::quoted(&pattern));
    Ok(Written::tight(text, Kind::Date).never_null(value.not_null))
}

pub fn to_timestamp(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    if value.kind.is_number() {
        return Err(call.refused());
    }
    let moment = dated(writer, value)?;
    writer.stamped(moment)
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
