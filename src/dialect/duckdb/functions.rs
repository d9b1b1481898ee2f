//! How DuckDB's own functions are written.
//!
//! <https://duckdb.org/docs/stable/sql/functions/overview>

use crate::dialect::bigquery::regexp::{Wanted, pattern};
use crate::dialect::date_patterns::strftime::{Field, Gives, Pattern};
use crate::dialect::snowflake::date_functions::{moment_of, part_of};
use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// Of a text or a list.
pub fn length(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let name = match value.kind {
        Kind::Text => "length",
        Kind::Array => "cardinality",
        _ => return Err(untyped(&value, "a text or a list")),
    };
    Ok(Written::call(name, &[&value.text], Kind::Integer).never_null(value.not_null))
}

/// strftime(moment, pattern); the pattern may stand first.
pub fn shown(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let first = writer.value(call.argument(0)?)?;
    let is_pattern = first
        .text_literal()
        .is_some_and(|content| content.contains('%'));
    let (moment, wanted) = match is_pattern {
        true => (call.argument(1)?, first),
        false => {
            let wanted = writer.value(call.argument(1)?)?;
            (call.argument(0)?, wanted)
        }
    };
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let pattern = Pattern::read(content, FIELDS)?;
    let moment = moment_of(writer, moment)?;
    let moment = writer.stamped(moment)?;
    let text = pattern.of(&moment.text);
    Ok(Written::tight(text, Kind::Text).never_null(moment.not_null))
}

const FIELDS: &[Field] = &[
    ("Y", Gives::Digits("YYYY")),
    ("y", Gives::Digits("YY")),
    ("m", Gives::Digits("MM")),
    ("-m", Gives::Digits("FMMM")),
    ("d", Gives::Digits("DD")),
    ("-d", Gives::Digits("FMDD")),
    ("B", Gives::Pattern("FMMonth")),
    ("b", Gives::Pattern("Mon")),
    ("A", Gives::Pattern("FMDay")),
    ("a", Gives::Pattern("Dy")),
    ("j", Gives::Digits("DDD")),
    ("H", Gives::ClockDigits("HH24")),
    ("I", Gives::ClockDigits("HH12")),
    ("M", Gives::ClockDigits("MI")),
    ("S", Gives::ClockDigits("SS")),
    ("p", Gives::Clock("AM")),
];

pub fn part(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    writer.call_named("date_part", call.arguments.clone())
}

pub fn weekday(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    part_of(writer, "isodow", moment)
}

pub fn epoch(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    let text = format!(
        "CAST(EXTRACT(EPOCH FROM {}) AS double precision)",
        moment.text
    );
    Ok(Written::tight(text, Kind::Float).never_null(moment.not_null))
}

/// Names in English, all of them.
pub fn name(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let moment = moment_of(writer, call.argument(0)?)?;
    let moment = writer.stamped(moment)?;
    let pattern = if call.name == "dayname" {
        "FMDay"
    } else {
        "FMMonth"
    };
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Written::tight(text, Kind::Text).never_null(moment.not_null))
}

pub fn matches(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let text = writer.text(call.argument(0)?)?;
    let wanted = writer.value(call.argument(1)?)?;
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let body = pattern(content, Wanted::Presence)?;
    let body = match call.name.as_str() {
        "regexp_full_match" => format!("^(?:{body})$"),
        _ => body,
    };
    let written = format!("({} ~ {})", text.atom(), literal::quoted(&body));
    Ok(Written::tight(written, Kind::Bool).never_null(text.not_null))
}

/// CONCAT and CONCAT_WS pass over NULL, as here.
pub fn concat(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(writer.text(argument)?.text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Written::call(&call.name, &texts, Kind::Text))
}

/// GREATEST and LEAST pass over NULL, as here.
pub fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(writer.value(argument)?);
    }
    let (values, kind) = writer.aligned(values)?;
    if !kind.is_number() && !kind.is_moment() {
        return Err(Untranslatable::function(&call.name)
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!("{}({})", call.name.to_uppercase(), texts.join(", "));
    Ok(Written::tight(text, kind))
}

/// list_contains(list, value): FALSE where it is not there, be NULL in the list or not.
pub fn holds(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let list = writer.value(call.argument(0)?)?;
    let value = writer.value(call.argument(1)?)?;
    if list.kind != Kind::Array || value.kind != list.element && list.element != Kind::Unclear {
        return Err(untyped(&list, "a list of the value's type"));
    }
    let text = format!(
        "(array_position({}, {}) IS NOT NULL)",
        list.text, value.text
    );
    Ok(Written::tight(text, Kind::Bool))
}

pub fn quantile(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let share = writer.number(call.argument(1)?)?;
    if share.number_literal().is_none() || !number.kind.is_number() {
        return Err(call.refused());
    }
    let text = format!(
        "percentile_cont({}) WITHIN GROUP (ORDER BY {})",
        share.text, number.text
    );
    Ok(Written::tight(text, Kind::Float))
}
