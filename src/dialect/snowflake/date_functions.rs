//! How dates and times of Snowflake and DuckDB are written.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-date-time>

use crate::dialect::source::untyped;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::interval;
use crate::dialect::translator::interval::TimeUnit;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::dialect::tsql::date_functions;
use crate::dialect::tsql::timestamps::day;
use sqlparser::ast::{Expr, Value};

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

/// An expression as a date or timestamp; what columns of texts hold is read as Postgres reads it.
pub fn temporal_argument(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    dated(translator, value)
}

/// A value as a date or timestamp, likewise.
pub fn dated(translator: &mut Translator<'_>, value: Translated) -> TranslateResult<Translated> {
    match (value.kind, value.text_literal()) {
        (SqlType::Text, None) => {
            translator.mark_likely();
            Ok(cast(&value, "timestamp", SqlType::Timestamp))
        }
        (SqlType::Unclear, _) => Err(untyped(&value, "a date")),
        _ => translator.as_temporal(value),
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
    if unit != TimeUnit::Week {
        return date_functions::boundaries(translator, unit, first, second);
    }
    let weeks = |moment: &Translated| {
        format!(
            "floor(({} - DATE '1900-01-01') / 7.0)",
            day(moment).operand()
        )
    };
    let text = format!("CAST({} - {} AS integer)", weeks(&second), weeks(&first));
    Ok(Translated::primary(text, SqlType::Integer).never_null(first.not_null && second.not_null))
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
