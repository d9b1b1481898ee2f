//! MySQL's functions that choose between values.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html>

use crate::dialect::source::{FunctionRule, FunctionTranslation};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::compare::ComparisonPurpose;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const FLOW: &str = "https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html";
const COMPARISON: &str = "https://dev.mysql.com/doc/refman/8.0/en/comparison-operators.html";
const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";

/// The table.
pub const RULES: &[FunctionRule] = &[
    FunctionRule {
        name: "if",
        arguments: (3, 3),
        write: FunctionTranslation::By(choice),
        doc: FLOW,
        case: (
            "IF(n > 1, 'a', 'b')",
            "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if",
        ),
    },
    FunctionRule {
        name: "ifnull",
        arguments: (2, 2),
        write: FunctionTranslation::By(first_value),
        doc: FLOW,
        case: ("IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    },
    FunctionRule {
        name: "nvl",
        arguments: (2, 2),
        write: FunctionTranslation::By(first_value),
        doc: FLOW,
        case: ("NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    },
    FunctionRule {
        name: "coalesce",
        arguments: (1, 64),
        write: FunctionTranslation::By(first_value),
        doc: COMPARISON,
        case: ("COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    },
    FunctionRule {
        name: "nullif",
        arguments: (2, 2),
        write: FunctionTranslation::By(null_if),
        doc: FLOW,
        case: ("NULLIF(n, 0)", "NULLIF(n, 0)"),
    },
    FunctionRule {
        name: "isnull",
        arguments: (1, 1),
        write: FunctionTranslation::By(is_null),
        doc: COMPARISON,
        case: ("ISNULL(n)", "CAST(n IS NULL AS integer) AS \"isnull\""),
    },
    FunctionRule {
        name: "greatest",
        arguments: (2, 64),
        write: FunctionTranslation::By(extreme),
        doc: COMPARISON,
        case: (
            "GREATEST(n, 2)",
            "CASE WHEN n IS NOT NULL THEN GREATEST(n, 2) END AS \"greatest\"",
        ),
    },
    FunctionRule {
        name: "least",
        arguments: (2, 64),
        write: FunctionTranslation::By(extreme),
        doc: COMPARISON,
        case: ("LEAST(id, 2)", "LEAST(id, 2)"),
    },
    FunctionRule {
        name: "field",
        arguments: (2, 64),
        write: FunctionTranslation::By(field),
        doc: TEXTS,
        case: (
            "FIELD(n, 3, 1)",
            "CASE WHEN n = 3 THEN 1 WHEN n = 1 THEN 2 ELSE 0 END AS field",
        ),
    },
    FunctionRule {
        name: "elt",
        arguments: (2, 64),
        write: FunctionTranslation::By(elt),
        doc: TEXTS,
        case: (
            "ELT(n, 'a', 'b')",
            "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS elt",
        ),
    },
];

pub(in crate::dialect) fn choice(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let condition = translator.condition(call.argument(0)?)?;
    let values = vec![
        translator.value(call.argument(1)?)?,
        translator.value(call.argument(2)?)?,
    ];
    let (values, kind) = translator.with_common_type(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!(
        "CASE WHEN {} THEN {} END",
        condition.text,
        texts.join(" ELSE ")
    );
    Ok(Translated {
        extra_digits: values.iter().any(|value| value.extra_digits),
        ..Translated::primary(text, kind).never_null(values.iter().all(|value| value.not_null))
    })
}

pub(in crate::dialect) fn first_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Translated {
        name: Some("coalesce".to_owned()),
        extra_digits: values.iter().any(|value| value.extra_digits),
        ..Translated::primary(format!("COALESCE({})", texts.join(", ")), kind)
            .never_null(values.iter().any(|value| value.not_null))
    })
}

pub(in crate::dialect) fn null_if(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let other = translator.value(call.argument(1)?)?;
    let value = translator.numeric(value)?;
    let (left, right) = translator.sides(&value, &other, ComparisonPurpose::Equality)?;
    if left == value.operand() {
        return Ok(Translated {
            name: Some("nullif".to_owned()),
            extra_digits: value.extra_digits,
            ..Translated::primary(format!("NULLIF({left}, {right})"), value.kind)
        });
    }
    let text = format!(
        "CASE WHEN {left} = {right} THEN NULL ELSE {} END",
        value.text
    );
    Ok(Translated {
        extra_digits: value.extra_digits,
        ..Translated::primary(text, value.kind)
    })
}

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
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(translator.value(argument)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    if !kind.is_number() && !kind.is_temporal() {
        return Err(call
            .refused()
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let name = call.name.to_uppercase();
    let text = format!("{name}({})", texts.join(", "));
    let doubts: Vec<String> = values
        .iter()
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.operand()))
        .collect();
    let longer = values.iter().any(|value| value.extra_digits);
    if doubts.is_empty() {
        return Ok(Translated {
            name: Some(call.name.clone()),
            extra_digits: longer,
            ..Translated::primary(text, kind).never_null(true)
        });
    }
    let text = format!("CASE WHEN {} THEN {text} END", doubts.join(" AND "));
    Ok(Translated {
        extra_digits: longer,
        ..Translated::primary(text, kind)
    })
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
