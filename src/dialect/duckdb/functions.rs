//! How DuckDB's own functions are written.
//!
//! <https://duckdb.org/docs/stable/sql/functions/overview>

use crate::dialect::bigquery::regexp::{RegexpUse, pattern};
use crate::dialect::date_patterns::strftime::{StrftimeField, StrftimeOutput, StrftimePattern};
use crate::dialect::snowflake::date_functions::{part_of, temporal_argument};
use crate::dialect::source::untyped;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};

/// Of a text or a list.
pub fn length(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let name = match value.kind {
        SqlType::Text => "length",
        SqlType::Array => "cardinality",
        _ => return Err(untyped(&value, "a text or a list")),
    };
    Ok(Translated::call(name, &[&value.text], SqlType::Integer).never_null(value.not_null))
}

/// strftime(moment, pattern); the pattern may stand first.
pub fn shown(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let first = translator.value(call.argument(0)?)?;
    let is_pattern = first
        .text_literal()
        .is_some_and(|content| content.contains('%'));
    let (moment, wanted) = match is_pattern {
        true => (call.argument(1)?, first),
        false => {
            let wanted = translator.value(call.argument(1)?)?;
            (call.argument(0)?, wanted)
        }
    };
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let pattern = StrftimePattern::read(content, FIELDS)?;
    let moment = temporal_argument(translator, moment)?;
    let moment = translator.as_timestamp(moment)?;
    let text = pattern.of(&moment.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(moment.not_null))
}

const FIELDS: &[StrftimeField] = &[
    ("Y", StrftimeOutput::Digits("YYYY")),
    ("y", StrftimeOutput::Digits("YY")),
    ("m", StrftimeOutput::Digits("MM")),
    ("-m", StrftimeOutput::Digits("FMMM")),
    ("d", StrftimeOutput::Digits("DD")),
    ("-d", StrftimeOutput::Digits("FMDD")),
    ("B", StrftimeOutput::Pattern("FMMonth")),
    ("b", StrftimeOutput::Pattern("Mon")),
    ("A", StrftimeOutput::Pattern("FMDay")),
    ("a", StrftimeOutput::Pattern("Dy")),
    ("j", StrftimeOutput::Digits("DDD")),
    ("H", StrftimeOutput::ClockDigits("HH24")),
    ("I", StrftimeOutput::ClockDigits("HH12")),
    ("M", StrftimeOutput::ClockDigits("MI")),
    ("S", StrftimeOutput::ClockDigits("SS")),
    ("p", StrftimeOutput::Clock("AM")),
];

pub fn part(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    translator.call_named("date_part", call.arguments.clone())
}

pub fn weekday(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    part_of(translator, "isodow", moment)
}

pub fn epoch(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    let text = format!(
        "CAST(EXTRACT(EPOCH FROM {}) AS double precision)",
        moment.text
    );
    Ok(Translated::primary(text, SqlType::Float).never_null(moment.not_null))
}

/// Names in English, all of them.
pub fn name(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let moment = temporal_argument(translator, call.argument(0)?)?;
    let moment = translator.as_timestamp(moment)?;
    let pattern = if call.name == "dayname" {
        "FMDay"
    } else {
        "FMMonth"
    };
    let text = format!("to_char({}, '{pattern}')", moment.text);
    Ok(Translated::primary(text, SqlType::Text).never_null(moment.not_null))
}

pub fn matches(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let text = translator.text(call.argument(0)?)?;
    let wanted = translator.value(call.argument(1)?)?;
    let Some(content) = wanted.text_literal() else {
        return Err(call.refused().hint("its pattern has to be a string"));
    };
    let body = pattern(content, RegexpUse::Presence)?;
    let body = match call.name.as_str() {
        "regexp_full_match" => format!("^(?:{body})$"),
        _ => body,
    };
    let written = format!("({} ~ {})", text.operand(), literal::quoted(&body));
    Ok(Translated::primary(written, SqlType::Bool).never_null(text.not_null))
}

/// CONCAT and CONCAT_WS pass over NULL, as here.
pub fn concat(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(translator.text(argument)?.text);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(Translated::call(&call.name, &texts, SqlType::Text))
}

/// GREATEST and LEAST pass over NULL, as here.
pub fn extreme(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    if !kind.is_number() && !kind.is_temporal() {
        return Err(Untranslatable::function(&call.name)
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!("{}({})", call.name.to_uppercase(), texts.join(", "));
    Ok(Translated::primary(text, kind))
}

/// list_contains(list, value): FALSE where it is not there, be NULL in the list or not.
pub fn holds(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let list = translator.value(call.argument(0)?)?;
    let value = translator.value(call.argument(1)?)?;
    if list.kind != SqlType::Array || value.kind != list.element && list.element != SqlType::Unclear
    {
        return Err(untyped(&list, "a list of the value's type"));
    }
    let text = format!(
        "(array_position({}, {}) IS NOT NULL)",
        list.text, value.text
    );
    Ok(Translated::primary(text, SqlType::Bool))
}

pub fn quantile(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let share = translator.number(call.argument(1)?)?;
    if share.number_literal().is_none() || !number.kind.is_number() {
        return Err(call.refused());
    }
    let text = format!(
        "percentile_cont({}) WITHIN GROUP (ORDER BY {})",
        share.text, number.text
    );
    Ok(Translated::primary(text, SqlType::Float))
}
