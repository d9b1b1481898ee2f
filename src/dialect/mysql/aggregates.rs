//! MySQL's aggregates and window functions.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html>
//! <https://dev.mysql.com/doc/refman/8.0/en/window-function-descriptions.html>

use crate::rules::{ArgumentType, FIRST, FunctionRule, by, template, window};
use crate::source::CaseSensitivity;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::folding;
use crate::translator::literal;
use crate::translator::shared_functions::aggregates::{SummandTypes, sum_of, summand};
use crate::translator::shared_functions::numbers::mean;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const AGGREGATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html";
const WINDOWS: &str = "https://dev.mysql.com/doc/refman/8.0/en/window-function-descriptions.html";
const MISCELLANEOUS: &str = "https://dev.mysql.com/doc/refman/8.0/en/miscellaneous-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("count", (0, 16), count, AGGREGATES, "COUNT(DISTINCT n)", "count(DISTINCT n)"),
    by("sum", (1, 1), sum, AGGREGATES, "SUM(n > 1)", "sum(CAST(n > 1 AS integer))"),
    by("avg", (1, 1), average, AGGREGATES, "AVG(n)", "avg(n)"),
    by("min", (1, 1), extreme, AGGREGATES, "MIN(d)", "min(d)"),
    by("max", (1, 1), extreme, AGGREGATES, "MAX(d)", "max(d)"),
    by("std", (1, 1), spread, AGGREGATES, "STD(n)", "stddev_pop(CAST(n AS double precision)) AS std"),
    by("stddev", (1, 1), spread, AGGREGATES, "STDDEV(n)", "stddev_pop(CAST(n AS double precision)) AS stddev"),
    by("stddev_pop", (1, 1), spread, AGGREGATES, "STDDEV_POP(n)", "stddev_pop(CAST(n AS double precision))"),
    by("stddev_samp", (1, 1), spread, AGGREGATES, "STDDEV_SAMP(n)", "stddev_samp(CAST(n AS double precision))"),
    by("variance", (1, 1), spread, AGGREGATES, "VARIANCE(n)", "var_pop(CAST(n AS double precision)) AS variance"),
    by("var_pop", (1, 1), spread, AGGREGATES, "VAR_POP(n)", "var_pop(CAST(n AS double precision))"),
    by("var_samp", (1, 1), spread, AGGREGATES, "VAR_SAMP(n)", "var_samp(CAST(n AS double precision))"),
    by("group_concat", (1, 16), group_concat, AGGREGATES, "GROUP_CONCAT(DISTINCT s ORDER BY s SEPARATOR '; ')", "string_agg(DISTINCT s, '; ' ORDER BY s NULLS FIRST) AS group_concat"),
    template("any_value", (1, 1), "(array_agg({1!}))[1]", &[ArgumentType::Any], FIRST, MISCELLANEOUS, "ANY_VALUE(s)", "(array_agg(s))[1] AS any_value"),
    window("nth_value", (2, 2), &[ArgumentType::Any], FIRST, WINDOWS, "NTH_VALUE(n, 2) OVER (ORDER BY id)", "nth_value(n, 2) OVER (ORDER BY id)"),
];

/// COUNT; of several with DISTINCT, the rows of which none is NULL.
fn count(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(translator.value(argument)?);
    }
    match (call.star, call.distinct, arguments.as_slice()) {
        (true, false, _) | (false, _, [_]) => {
            let written = translator.aggregate("count", call, &arguments, SqlType::Integer)?;
            Ok(Translated {
                extra_digits: false,
                ..written.never_null(true)
            })
        }
        (false, true, [_, _, ..]) if call.filter.is_none() && call.over.is_none() => {
            let texts = arguments.iter().map(|one| folding::folded(translator, one));
            let texts: Vec<String> = texts.collect();
            let known: Vec<String> = arguments
                .iter()
                .map(|one| format!("{} IS NOT NULL", one.operand()))
                .collect();
            let text = format!(
                "count(DISTINCT ({})) FILTER (WHERE {})",
                texts.join(", "),
                known.join(" AND ")
            );
            Ok(Translated {
                name: Some("count".to_owned()),
                ..Translated::primary(text, SqlType::Integer).never_null(true)
            })
        }
        _ => Err(call.refused()),
    }
}

fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Converted)?;
    sum_of(translator, call, number)
}

fn average(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Converted)?;
    mean(translator, call, number, SqlType::Decimal)
}

fn spread(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = translator.double(call.argument(0)?)?;
    call.aggregate()?;
    let name = match call.name.as_str() {
        "std" | "stddev" | "stddev_pop" => "stddev_pop",
        "variance" | "var_pop" => "var_pop",
        "stddev_samp" => "stddev_samp",
        _ => "var_samp",
    };
    translator.aggregate(name, call, &[number], SqlType::Float)
}

fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.value(call.argument(0)?)?;
    let value = translator.numeric(value)?;
    let kind = value.kind;
    translator.aggregate(&call.name, call, &[value], kind)
}

/// GROUP_CONCAT; MySQL's cut at 1,024 bytes is not made.
fn group_concat(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    if call.star || call.limit.is_some() || call.nulls.is_some() || call.over.is_some() {
        return Err(call.refused());
    }
    let separator = group_concat_separator(translator, call)?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    let letters = if call.distinct {
        CaseSensitivity::Sensitive
    } else {
        CaseSensitivity::Insensitive
    };
    let order = translator.inner_order_by(call.order_by, letters)?;
    let order = if order.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {order}")
    };
    let tail = translator.tail(call)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let mut texts = Vec::new();
    for value in &values {
        texts.push(translator.as_text(value.clone())?.operand());
    }
    let text = texts.join(" || ");
    if !call.distinct || order.is_empty() {
        let text = format!(
            "string_agg({distinct}{text}, {}{order}){tail}",
            separator.text
        );
        return Ok(Translated::primary(text, SqlType::Text));
    }
    // What is made distinct is what is sorted by, or Postgres refuses it.
    let mut keys = Vec::new();
    for item in call.order_by {
        keys.push(translator.value(&item.expr)?.text);
    }
    let ([value], [key]) = (values.as_slice(), keys.as_slice()) else {
        return Err(call.refused());
    };
    if value.text != *key {
        return Err(call
            .refused()
            .hint("with DISTINCT it can be sorted only by what it lists"));
    }
    if value.kind == SqlType::Text {
        let text = format!(
            "string_agg(DISTINCT {text}, {}{order}){tail}",
            separator.text
        );
        return Ok(Translated::primary(text, SqlType::Text));
    }
    if value.kind != SqlType::Integer || call.filter.is_some() {
        return Err(call.refused());
    }
    let text = format!(
        "array_to_string(array_agg(DISTINCT {key}{order}) FILTER (WHERE {} IS NOT NULL), {})",
        value.operand(),
        separator.text
    );
    Ok(Translated::primary(text, SqlType::Text))
}

/// SEPARATOR, which is a comma where it is not written.
fn group_concat_separator(
    translator: &Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    match call.separator {
        None => Ok(literal::text(",")),
        Some(value) => literal::written(value, translator.source)?
            .filter(|text| text.text_literal().is_some())
            .ok_or_else(|| call.refused()),
    }
}
