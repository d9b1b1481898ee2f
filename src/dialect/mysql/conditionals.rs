//! MySQL's functions that choose between values.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html>

use crate::dialect::rules::{FunctionRule, by};
use crate::dialect::sql_type::SqlType;
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::shared_functions::conditionals::{
    self, ComparedTypes, NullArgument, choice, coalesce, null_if,
};
use crate::dialect::translator::translated::Translated;
use crate::dialect::translator::untranslatable::TranslateResult;

const FLOW: &str = "https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html";
const COMPARISON: &str = "https://dev.mysql.com/doc/refman/8.0/en/comparison-operators.html";
const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("if", (3, 3), choice, FLOW, "IF(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if"),
    by("ifnull", (2, 2), coalesce, FLOW, "IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    by("nvl", (2, 2), coalesce, FLOW, "NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    by("coalesce", (1, 64), coalesce, COMPARISON, "COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    by("nullif", (2, 2), null_if, FLOW, "NULLIF(n, 0)", "NULLIF(n, 0)"),
    by("isnull", (1, 1), is_null, COMPARISON, "ISNULL(n)", "CAST(n IS NULL AS integer) AS \"isnull\""),
    by("greatest", (2, 64), extreme, COMPARISON, "GREATEST(n, 2)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 2) END AS \"greatest\""),
    by("least", (2, 64), extreme, COMPARISON, "LEAST(id, 2)", "LEAST(id, 2)"),
    by("field", (2, 64), field, TEXTS, "FIELD(n, 3, 1)", "CASE WHEN n = 3 THEN 1 WHEN n = 1 THEN 2 ELSE 0 END AS field"),
    by("elt", (2, 64), elt, TEXTS, "ELT(n, 'a', 'b')", "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS elt"),
];

fn is_null(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    Ok(
        Translated::compound(format!("{} IS NULL", value.operand()), SqlType::Bool)
            .never_null(true),
    )
}

/// GREATEST and LEAST are NULL where any argument is, unlike Postgres's.
fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    conditionals::extreme(
        translator,
        call,
        NullArgument::MakesNull,
        ComparedTypes::NumbersAndDates,
    )
}

/// FIELD(x, a, b): the place of the first that equals x, 0 for none and for NULL.
fn field(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let mut text = String::from("CASE");
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let other = translator.value(argument)?;
        let equal = translator.equal(&value, &other)?;
        text.push_str(&format!(" WHEN {} THEN {place}", equal.text));
    }
    text.push_str(" ELSE 0 END");
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
}

/// ELT(n, a, b): the nth.
fn elt(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.integer(call.argument(0)?)?;
    let mut text = format!("CASE {}", number.operand());
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let value = translator.text(argument)?;
        text.push_str(&format!(" WHEN {place} THEN {}", value.text));
    }
    text.push_str(" END");
    Ok(Translated::primary(text, SqlType::Text))
}
