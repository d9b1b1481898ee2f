//! T-SQL's functions of numbers. Many have the type of their argument.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/mathematical-functions-transact-sql>

use crate::rules::{ArgumentType, FLOAT, FunctionRule, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::shared_functions::numbers::rounded_in_type;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   mathematical-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("round", (2, 3), round, DOC, "ROUND(q, 2)", "round(q, 2)"),
    by("ceiling", (1, 1), whole, DOC, "CEILING(q)", "ceil(q) AS ceiling"),
    by("floor", (1, 1), whole, DOC, "FLOOR(q)", "floor(q)"),
    by("abs", (1, 1), whole, DOC, "ABS(n)", "abs(n)"),
    by("sign", (1, 1), sign, DOC, "SIGN(n)", "CAST(sign(n) AS integer) AS sign"),
    by("power", (2, 2), power, DOC, "POWER(n, 2)", "CAST(trunc(power(CAST(n AS double precision), CAST(2 AS double precision))) AS bigint) AS power"),
    plain("sqrt", (1, 1), "sqrt", &[ArgumentType::Double], FLOAT, DOC, "SQRT(f)", "sqrt(f)"),
    plain("exp", (1, 1), "exp", &[ArgumentType::Double], FLOAT, DOC, "EXP(f)", "exp(f)"),
    plain("log10", (1, 1), "log", &[ArgumentType::Double], FLOAT, DOC, "LOG10(f)", "log(f) AS log10"),
    plain("sin", (1, 1), "sin", &[ArgumentType::Double], FLOAT, DOC, "SIN(f)", "sin(f)"),
    plain("cos", (1, 1), "cos", &[ArgumentType::Double], FLOAT, DOC, "COS(f)", "cos(f)"),
    plain("tan", (1, 1), "tan", &[ArgumentType::Double], FLOAT, DOC, "TAN(f)", "tan(f)"),
    plain("asin", (1, 1), "asin", &[ArgumentType::Double], FLOAT, DOC, "ASIN(f)", "asin(f)"),
    plain("acos", (1, 1), "acos", &[ArgumentType::Double], FLOAT, DOC, "ACOS(f)", "acos(f)"),
    plain("atan", (1, 1), "atan", &[ArgumentType::Double], FLOAT, DOC, "ATAN(f)", "atan(f)"),
    plain("atn2", (2, 2), "atan2", &[ArgumentType::Double], FLOAT, DOC, "ATN2(f, f)", "atan2(f, f) AS atn2"),
    by("degrees", (1, 1), of_double, DOC, "DEGREES(f)", "degrees(f)"),
    by("radians", (1, 1), of_double, DOC, "RADIANS(f)", "radians(f)"),
    plain("cot", (1, 1), "cot", &[ArgumentType::Double], FLOAT, DOC, "COT(f)", "cot(f)"),
    template("square", (1, 1), "({1!} * {1!})", &[ArgumentType::Double], FLOAT, DOC, "SQUARE(f)", "(f * f) AS square"),
    by("log", (1, 2), logarithm, DOC, "LOG(f)", "ln(f) AS log"),
    plain("pi", (0, 0), "pi", &[], FLOAT, DOC, "PI()", "pi()"),
    // Once for a whole query.
    template("rand", (0, 0), "(SELECT random())", &[], FLOAT, DOC, "RAND()", "(SELECT random()) AS rand"),
];

/// ROUND(x, places [, cut]): halves go away from zero.
fn round(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let places = translator.integer(call.argument(1)?)?;
    let cuts = match call.arguments.get(2) {
        None => false,
        Some(cut) => match translator.integer(cut)?.small_integer() {
            Some(cut) => cut != 0,
            None => return Err(call.refused()),
        },
    };
    rounded_in_type(if cuts { "trunc" } else { "round" }, &number, &places)
}

/// CEILING, FLOOR and ABS have the type of their argument.
fn whole(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let name = match call.name.as_str() {
        "ceiling" => "ceil",
        other => other,
    };
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    if number.kind == SqlType::Integer && name != "abs" {
        return Ok(Translated {
            form: crate::translator::translated::TranslatedForm::Computed,
            ..number
        });
    }
    Ok(Translated {
        extra_digits: number.extra_digits && name == "abs",
        ..Translated::call(name, &[&number.text], number.kind).never_null(number.not_null)
    })
}

fn sign(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let text = match number.kind {
        SqlType::Integer => format!("CAST(sign({}) AS integer)", number.text),
        SqlType::Decimal | SqlType::Float => format!("sign({})", number.text),
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Translated::primary(text, number.kind).never_null(number.not_null))
}

/// POWER has the type of its first argument: whole numbers are cut.
fn power(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let base = translator.number(call.argument(0)?)?;
    let kind = base.kind;
    let (base, exponent) = (
        translator.double(call.argument(0)?)?,
        translator.double(call.argument(1)?)?,
    );
    let not_null = base.not_null && exponent.not_null;
    let text = format!("power({}, {})", base.text, exponent.text);
    match kind {
        SqlType::Float => Ok(Translated::primary(text, SqlType::Float).never_null(not_null)),
        SqlType::Integer => {
            let text = format!("CAST(trunc({text}) AS bigint)");
            Ok(Translated::primary(text, SqlType::Integer).never_null(not_null))
        }
        _ => Err(call
            .refused()
            .hint("of a DECIMAL it is rounded to the digits of that; cast it to FLOAT first")),
    }
}

/// DEGREES and RADIANS of a whole number are cut to one.
fn of_double(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    match number.kind {
        SqlType::Float => Ok(
            Translated::call(&call.name, &[&number.text], SqlType::Float)
                .never_null(number.not_null),
        ),
        _ => Err(call.refused().hint("cast its argument to FLOAT first")),
    }
}

fn logarithm(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.double(call.argument(0)?)?;
    let text = format!("ln({})", number.text);
    let text = match call.arguments.get(1) {
        None => text,
        Some(base) => format!("({text} / ln({}))", translator.double(base)?.text),
    };
    Ok(Translated::primary(text, SqlType::Float))
}
