//! Snowflake's functions of numbers.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-numeric>

use crate::analytic::casts::{self, cast_if};
use crate::rules::{FunctionRule, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-numeric";

/// What DuckDB does not have, or has otherwise.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("div0", (2, 2), divided, DOC, "DIV0(n, 2)", "CASE WHEN 2 = 0 THEN 0 ELSE CAST(n AS numeric) / NULLIF(2, 0) END AS div0"),
    by("to_number", (1, 3), number, DOC, "TO_NUMBER(s)", "CAST(CAST(s AS numeric) AS numeric(38, 0)) AS to_number"),
    by("to_decimal", (1, 3), number, DOC, "TO_DECIMAL(s, 10, 2)", "CAST(CAST(s AS numeric) AS numeric(10, 2)) AS to_decimal"),
    by("try_to_number", (1, 3), number, DOC, "TRY_TO_NUMBER(s, 10, 2)", "CASE WHEN s ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$' THEN CAST(CAST(s AS numeric) AS numeric(10, 2)) END AS try_to_number"),
    by("try_to_decimal", (1, 3), number, DOC, "TRY_TO_DECIMAL(s, 10, 2)", "CASE WHEN s ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$' THEN CAST(CAST(s AS numeric) AS numeric(10, 2)) END AS try_to_decimal"),
];

/// DIV0: a division by zero is zero.
fn divided(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let left = translator.number(call.argument(0)?)?;
    let right = translator.number(call.argument(1)?)?;
    let test = right.operand();
    let right = Translated {
        is_primary: true,
        text: format!("NULLIF({}, 0)", right.text),
        ..right
    };
    let quotient = translator.source.division(&left, &right)?;
    let text = format!("CASE WHEN {test} = 0 THEN 0 ELSE {} END", quotient.text);
    Ok(Translated {
        extra_digits: true,
        ..Translated::primary(text, quotient.kind)
    })
}

/// TO_NUMBER(text [, precision [, scale]]): whole numbers unless a scale is given.
fn number(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let mut sizes = [38, 0];
    for (place, expr) in call.arguments.iter().skip(1).enumerate() {
        let size = translator.integer(expr)?.small_integer();
        match (size, sizes.get_mut(place)) {
            (Some(size @ 0..=38), Some(slot)) => *slot = size,
            _ => {
                return Err(call
                    .refused()
                    .hint("its precision and scale have to be numbers"));
            }
        }
    }
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let to = format!("numeric({})", sizes.join(", "));
    let inner = match value.kind {
        kind if kind.is_number() => value.operand(),
        SqlType::Text => format!("CAST({} AS numeric)", value.text),
        _ => return Err(untyped(&value, "a number or a text")),
    };
    let text = format!("CAST({inner} AS {to})");
    if call.name.starts_with("try_") && value.kind == SqlType::Text {
        return Ok(cast_if(&value, casts::NUMBER, &text, SqlType::Decimal));
    }
    Ok(Translated::primary(text, SqlType::Decimal).never_null(value.not_null))
}
