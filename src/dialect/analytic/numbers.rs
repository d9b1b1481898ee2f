//! Functions of numbers.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-numeric>

use crate::rules::{ArgumentType, FLOAT, FunctionRule, ReturnType, by, plain};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::shared_functions::numbers::rounded_in_type;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-numeric";

/// The rows.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("round", (1, 2), round, DOC, "ROUND(q, 2)", "round(q, 2)"),
    by("ceil", (1, 1), whole, DOC, "CEIL(q)", "ceil(q)"),
    by("floor", (1, 1), whole, DOC, "FLOOR(q)", "floor(q)"),
    by("abs", (1, 1), whole, DOC, "ABS(n)", "abs(n)"),
    plain("sqrt", (1, 1), "sqrt", &[ArgumentType::Double], FLOAT, DOC, "SQRT(f)", "sqrt(f)"),
    plain("exp", (1, 1), "exp", &[ArgumentType::Double], FLOAT, DOC, "EXP(f)", "exp(f)"),
    plain("ln", (1, 1), "ln", &[ArgumentType::Double], FLOAT, DOC, "LN(f)", "ln(f)"),
    plain("power", (2, 2), "power", &[ArgumentType::Double], FLOAT, DOC, "POWER(f, 2)", "power(f, CAST(2 AS double precision))"),
    plain("mod", (2, 2), "mod", &[ArgumentType::Decimal], ReturnType::Common, DOC, "MOD(n, 3)", "mod(n, 3)"),
];

/// ROUND: halves go away from zero.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = match call.arguments.get(1) {
        Some(places) => translator.integer(places)?,
        None => literal::number("0")?,
    };
    rounded_in_type("round", &number, &places)
}

fn whole(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    if number.kind == SqlType::Integer && call.name != "abs" {
        return Ok(Translated {
            form: TranslatedForm::Computed,
            ..number
        });
    }
    Ok(Translated {
        extra_digits: number.extra_digits && call.name == "abs",
        ..Translated::call(&call.name, &[&number.text], number.kind).never_null(number.not_null)
    })
}
