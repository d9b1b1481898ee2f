//! Functions of Snowflake and DuckDB that choose between values.
//!
//! <https://docs.snowflake.com/en/sql-reference/expressions-conditional>

use crate::dialect::mysql::conditionals::{choice, first_value, null_if};
use crate::dialect::source::{FunctionRule, FunctionTranslation};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/expressions-conditional";

/// What both have.
pub const SHARED_RULES: &[FunctionRule] = &[
    by(
        "coalesce",
        1,
        64,
        first_value,
        ("COALESCE(n, 0)", "COALESCE(n, 0)"),
    ),
    by(
        "ifnull",
        2,
        2,
        first_value,
        ("IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    ),
    by("nullif", 2, 2, null_if, ("NULLIF(n, 0)", "NULLIF(n, 0)")),
];

/// What Snowflake alone has.
pub const RULES: &[FunctionRule] = &[
    by(
        "iff",
        3,
        3,
        choice,
        (
            "IFF(n > 1, 'a', 'b')",
            "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iff",
        ),
    ),
    by(
        "nvl",
        2,
        2,
        first_value,
        ("NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    ),
    by(
        "nvl2",
        3,
        3,
        second_value,
        (
            "NVL2(n, 1, 2)",
            "CASE WHEN n IS NOT NULL THEN 1 ELSE 2 END AS nvl2",
        ),
    ),
    by(
        "zeroifnull",
        1,
        1,
        zero,
        ("ZEROIFNULL(n)", "COALESCE(n, 0) AS zeroifnull"),
    ),
    by(
        "nullifzero",
        1,
        1,
        no_zero,
        ("NULLIFZERO(n)", "NULLIF(n, 0) AS nullifzero"),
    ),
    by(
        "greatest",
        1,
        64,
        extreme,
        ("GREATEST(id, 2)", "GREATEST(id, 2)"),
    ),
    by(
        "least",
        1,
        64,
        extreme,
        (
            "LEAST(n, 2)",
            "CASE WHEN n IS NOT NULL THEN LEAST(n, 2) END AS \"least\"",
        ),
    ),
];

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (least, most),
        write: FunctionTranslation::By(write),
        doc: DOC,
        case,
    }
}

/// NVL2(x, where it is not NULL, where it is)
fn second_value(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let test = translator.value(call.argument(0)?)?;
    let values = vec![
        translator.value(call.argument(1)?)?,
        translator.value(call.argument(2)?)?,
    ];
    let (values, kind) = translator.with_common_type(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!(
        "CASE WHEN {} IS NOT NULL THEN {} END",
        test.operand(),
        texts.join(" ELSE ")
    );
    Ok(Translated {
        extra_digits: values.iter().any(|value| value.extra_digits),
        ..Translated::primary(text, kind)
    })
}

fn zero(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    Ok(Translated {
        extra_digits: number.extra_digits,
        ..Translated::call("COALESCE", &[&number.text, "0"], number.kind).never_null(true)
    })
}

fn no_zero(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    Ok(Translated {
        extra_digits: number.extra_digits,
        ..Translated::call("NULLIF", &[&number.text, "0"], number.kind)
    })
}

/// GREATEST and LEAST are NULL where any argument is.
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
    let doubts: Vec<String> = (values.iter())
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.operand()))
        .collect();
    if doubts.is_empty() {
        let written = Translated::primary(text, kind).never_null(true);
        return Ok(Translated {
            name: Some(call.name.clone()),
            ..written
        });
    }
    let text = format!("CASE WHEN {} THEN {text} END", doubts.join(" AND "));
    Ok(Translated::primary(text, kind))
}

/// A cast of a text that is NULL where a pattern does not match. A string is looked at now:
/// Postgres would look at its cast before the choice.
pub fn cast_if(value: &Translated, pattern: &str, cast: &str, kind: SqlType) -> Translated {
    match value.text_literal() {
        Some(content) if is_number(content) => Translated::primary(cast, kind),
        Some(_) => Translated::primary("NULL", SqlType::Null),
        None => guarded(&format!("{} ~ '{pattern}'", value.operand()), cast, kind),
    }
}

fn is_number(content: &str) -> bool {
    let content = content.trim_matches(' ');
    let digits = content.strip_prefix(['+', '-']).unwrap_or(content);
    crate::dialect::translator::literal::number(digits)
        .is_ok_and(|number| number.kind != SqlType::Float)
}

/// A condition as a choice between a value and NULL.
pub fn guarded(condition: &str, value: &str, kind: SqlType) -> Translated {
    Translated::primary(format!("CASE WHEN {condition} THEN {value} END"), kind)
}
