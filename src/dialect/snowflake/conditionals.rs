//! Snowflake's functions that choose between values.
//!
//! <https://docs.snowflake.com/en/sql-reference/expressions-conditional>

use crate::rules::{FunctionRule, by};
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::conditionals::{choice, coalesce, extreme_or_null};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/expressions-conditional";

/// What DuckDB does not have, or has otherwise.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("iff", (3, 3), choice, DOC, "IFF(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iff"),
    by("nvl", (2, 2), coalesce, DOC, "NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    by("nvl2", (3, 3), second_value, DOC, "NVL2(n, 1, 2)", "CASE WHEN n IS NOT NULL THEN 1 ELSE 2 END AS nvl2"),
    by("zeroifnull", (1, 1), zero, DOC, "ZEROIFNULL(n)", "COALESCE(n, 0) AS zeroifnull"),
    by("nullifzero", (1, 1), no_zero, DOC, "NULLIFZERO(n)", "NULLIF(n, 0) AS nullifzero"),
    by("greatest", (1, 64), extreme_or_null, DOC, "GREATEST(id, 2)", "GREATEST(id, 2)"),
    by("least", (1, 64), extreme_or_null, DOC, "LEAST(n, 2)", "CASE WHEN n IS NOT NULL THEN LEAST(n, 2) END AS \"least\""),
];

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
