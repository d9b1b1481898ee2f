//! Functions that DuckDB has otherwise than Snowflake.
//!
//! <https://duckdb.org/docs/stable/sql/functions/overview>

use crate::analytic::aggregates::{array, beside, joined};
use crate::analytic::dates::{difference, part_of};
use crate::date_patterns::strftime::{StrftimeField, StrftimeOutput, StrftimePattern};
use crate::rules::{
    ArgumentType, BOOL, DATE, FunctionRule, INTEGER, TIMESTAMP_TZ, aggregate, by, plain, template,
};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::conditionals::{
    self, ComparedTypes, NullArgument, choice,
};
use crate::translator::shared_functions::dates::temporal_argument;
use crate::translator::shared_functions::regexp::{RegexpUse, pattern};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;
use crate::translator::{Translator, literal};

const DOC: &str = "https://duckdb.org/docs/stable/sql/functions/overview";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("if", (3, 3), choice, DOC, "IF(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if"),
    by("len", (1, 1), length, DOC, "len(s)", "length(s) AS len"),
    by("strftime", (2, 2), shown, DOC, "strftime(m, '%Y-%m')", "to_char(m, 'YYYY-MM') AS strftime"),
    by("date_diff", (3, 3), difference, DOC, "date_diff('day', d, m)", "(CAST(m AS date) - d) AS date_diff"),
    by("datepart", (2, 2), part, DOC, "datepart('year', d)", "CAST(EXTRACT(YEAR FROM d) AS integer) AS datepart"),
    by("isodow", (1, 1), weekday, DOC, "isodow(d)", "CAST(EXTRACT(ISODOW FROM d) AS integer) AS isodow"),
    by("epoch", (1, 1), epoch, DOC, "epoch(m)", "CAST(EXTRACT(EPOCH FROM m) AS double precision) AS epoch"),
    by("dayname", (1, 1), name, DOC, "dayname(m)", "to_char(m, 'FMDay') AS dayname"),
    by("monthname", (1, 1), name, DOC, "monthname(m)", "to_char(m, 'FMMonth') AS monthname"),
    plain("now", (0, 0), "now", &[], TIMESTAMP_TZ, DOC, "now()", "now()"),
    template("today", (0, 0), "CURRENT_DATE", &[], DATE, DOC, "today()", "CURRENT_DATE AS today"),
    plain("make_date", (3, 3), "make_date", &[ArgumentType::Integer], DATE, DOC, "make_date(2024, 1, n)", "make_date(2024, 1, n)"),
    by("regexp_matches", (2, 2), matches, DOC, "regexp_matches(s, '[a-z]')", "(s ~ '[a-z]') AS regexp_matches"),
    by("regexp_full_match", (2, 2), matches, DOC, "regexp_full_match(s, '[a-z]+')", "(s ~ '^(?:[a-z]+)$') AS regexp_full_match"),
    by("concat", (1, 64), concat, DOC, "concat(s, n)", "concat(s, CAST(n AS text))"),
    by("concat_ws", (2, 64), concat, DOC, "concat_ws('-', s, n)", "concat_ws('-', s, CAST(n AS text))"),
    plain("starts_with", (2, 2), "starts_with", &[ArgumentType::Text], BOOL, DOC, "starts_with(s, 'a')", "starts_with(s, 'a')"),
    plain("strpos", (2, 2), "strpos", &[ArgumentType::Text], INTEGER, DOC, "strpos(s, 'a')", "strpos(s, 'a')"),
    by("greatest", (1, 64), extreme, DOC, "greatest(n, 2)", "GREATEST(n, 2)"),
    by("least", (1, 64), extreme, DOC, "least(n, 2)", "LEAST(n, 2)"),
    by("array_agg", (1, 1), array, DOC, "array_agg(n ORDER BY id)", "array_agg(n ORDER BY id)"),
    by("listagg", (1, 2), joined, DOC, "listagg(s, ',')", "string_agg(s, ',') AS listagg"),
    by("list", (1, 1), array, DOC, "list(n ORDER BY id)", "array_agg(n ORDER BY id) AS list"),
    by("string_agg", (1, 2), joined, DOC, "string_agg(s, ',' ORDER BY id)", "string_agg(s, ',' ORDER BY id)"),
    by("group_concat", (1, 2), joined, DOC, "group_concat(s, ',')", "string_agg(s, ',') AS group_concat"),
    by("arg_max", (2, 2), beside, DOC, "arg_max(s, id)", "(array_agg(s ORDER BY id DESC) FILTER (WHERE id IS NOT NULL))[1] AS arg_max"),
    by("arg_min", (2, 2), beside, DOC, "arg_min(s, id)", "(array_agg(s ORDER BY id) FILTER (WHERE id IS NOT NULL))[1] AS arg_min"),
    aggregate("bool_or", (1, 1), "bool_or", &[ArgumentType::Condition], BOOL, DOC, "bool_or(b)", "bool_or(b)"),
    aggregate("bool_and", (1, 1), "bool_and", &[ArgumentType::Condition], BOOL, DOC, "bool_and(b)", "bool_and(b)"),
    by("list_contains", (2, 2), holds, DOC, "list_contains(list(n), 3)", "(array_position(array_agg(n), 3) IS NOT NULL) AS list_contains"),
    by("quantile_cont", (2, 2), quantile, DOC, "quantile_cont(f, 0.5)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY f) AS quantile_cont"),
];

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
fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    conditionals::extreme(
        translator,
        call,
        NullArgument::IsPassedOver,
        ComparedTypes::NumbersAndDates,
    )
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
