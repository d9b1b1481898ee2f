//! MySQL's functions on numbers.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html>

use super::operators::remainder;
use crate::rules::{ArgumentType, FIRST, FLOAT, FunctionRule, INTEGER, by, plain, template};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

const NUMBERS: &str = "https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html";
const BITS: &str = "https://dev.mysql.com/doc/refman/8.0/en/bit-functions.html";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    plain("abs", (1, 1), "abs", &[ArgumentType::Number], FIRST, NUMBERS, "ABS(n)", "abs(n)"),
    by("ceil", (1, 1), up_or_down, NUMBERS, "CEIL(q)", "ceil(q)"),
    by("ceiling", (1, 1), up_or_down, NUMBERS, "CEILING(q)", "ceil(q) AS ceiling"),
    by("floor", (1, 1), up_or_down, NUMBERS, "FLOOR(n)", "n AS floor"),
    by("round", (1, 2), rounded, NUMBERS, "ROUND(f, 2)", "(round(f * 1e2) / 1e2) AS round"),
    by("truncate", (2, 2), rounded, NUMBERS, "TRUNCATE(q, 1)", "trunc(q, 1) AS truncate"),
    by("mod", (2, 2), modulo, NUMBERS, "MOD(n, 3)", "n % 3 AS mod"),
    by("sign", (1, 1), sign, NUMBERS, "SIGN(n)", "CAST(sign(n) AS integer) AS sign"),
    template("sqrt", (1, 1), "CASE WHEN {1!} >= 0 THEN sqrt({1!}) END", &[ArgumentType::Double], FLOAT, NUMBERS, "SQRT(f)", "CASE WHEN f >= 0 THEN sqrt(f) END AS sqrt"),
    template("exp", (1, 1), "exp({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "EXP(f)", "exp(f) AS exp"),
    template("ln", (1, 1), "CASE WHEN {1!} > 0 THEN ln({1!}) END", &[ArgumentType::Double], FLOAT, NUMBERS, "LN(f)", "CASE WHEN f > 0 THEN ln(f) END AS ln"),
    template("log10", (1, 1), "CASE WHEN {1!} > 0 THEN log({1!}) END", &[ArgumentType::Double], FLOAT, NUMBERS, "LOG10(f)", "CASE WHEN f > 0 THEN log(f) END AS log10"),
    template("log2", (1, 1), "CASE WHEN {1!} > 0 THEN ln({1!}) / ln(2.0::double precision) END", &[ArgumentType::Double], FLOAT, NUMBERS, "LOG2(f)", "CASE WHEN f > 0 THEN ln(f) / ln(2.0::double precision) END AS log2"),
    template("degrees", (1, 1), "degrees({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "DEGREES(f)", "degrees(f) AS degrees"),
    template("radians", (1, 1), "radians({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "RADIANS(f)", "radians(f) AS radians"),
    template("sin", (1, 1), "sin({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "SIN(f)", "sin(f) AS sin"),
    template("cos", (1, 1), "cos({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "COS(f)", "cos(f) AS cos"),
    template("tan", (1, 1), "tan({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "TAN(f)", "tan(f) AS tan"),
    template("atan", (1, 1), "atan({1!})", &[ArgumentType::Double], FLOAT, NUMBERS, "ATAN(f)", "atan(f) AS atan"),
    by("log", (1, 2), log, NUMBERS, "LOG(f)", "CASE WHEN f > 0 THEN ln(f) END AS log"),
    by("pow", (2, 2), power, NUMBERS, "POW(n, 2)", "power(CAST(n AS double precision), 2) AS pow"),
    by("power", (2, 2), power, NUMBERS, "POWER(n, 2)", "power(CAST(n AS double precision), 2)"),
    plain("pi", (0, 0), "pi", &[], FLOAT, NUMBERS, "PI()", "pi()"),
    plain("rand", (0, 0), "random", &[], FLOAT, NUMBERS, "RAND()", "random() AS rand"),
    template("bit_count", (1, 1), "bit_count(CAST(CAST({1!} AS bigint) AS bit(64)))", &[ArgumentType::Integer], INTEGER, BITS, "BIT_COUNT(n)", "bit_count(CAST(CAST(n AS bigint) AS bit(64))) AS bit_count"),
];

fn up_or_down(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let name = if call.name == "floor" {
        "floor"
    } else {
        "ceil"
    };
    match number.kind {
        SqlType::Integer => Ok(number),
        SqlType::Decimal | SqlType::Float => {
            Ok(Translated::call(name, &[&number.text], number.kind).never_null(number.not_null))
        }
        _ => Err(untyped(&number, "a number")),
    }
}

/// ROUND and TRUNCATE. Exact numbers are rounded half away from zero in both.
fn rounded(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let function = if call.name == "round" {
        "round"
    } else {
        "trunc"
    };
    let places = match call.arguments.get(1) {
        Some(places) => Some(translator.integer(places)?),
        None => None,
    };
    let not_null = number.not_null && places.as_ref().is_none_or(|places| places.not_null);
    let exact = match number.kind {
        SqlType::Decimal => number.text.clone(),
        SqlType::Float => return rounded_double(function, &number, places.as_ref(), call),
        SqlType::Integer => match &places {
            None => return Ok(number),
            Some(places) if places.small_integer().is_some_and(|places| places >= 0) => {
                return Ok(number);
            }
            Some(_) => format!("CAST({} AS numeric)", number.text),
        },
        _ => return Err(untyped(&number, "a number")),
    };
    let kind = number.kind;
    let written = match &places {
        Some(places) => {
            let places = match places.kind {
                SqlType::Integer if places.is_literal() => places.text.clone(),
                _ => format!("CAST({} AS integer)", places.text),
            };
            Translated::call(function, &[&exact, &places], SqlType::Decimal)
        }
        None => Translated::call(function, &[&exact], kind),
    };
    Ok(written.never_null(not_null))
}

/// Of a double MySQL rounds the product with a power of ten, half to even, as Postgres rounds
/// doubles without places.
fn rounded_double(
    function: &str,
    number: &Translated,
    places: Option<&Translated>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    let Some(places) = places else {
        return Ok(
            Translated::call(function, &[&number.text], SqlType::Float).never_null(number.not_null)
        );
    };
    let own = number.operand();
    let text = match places.small_integer() {
        Some(0) => format!("{function}({})", number.text),
        Some(places @ 1..=20) => format!("({function}({own} * 1e{places}) / 1e{places})"),
        Some(places @ -20..=-1) => {
            let places = places.unsigned_abs();
            format!("({function}({own} / 1e{places}) * 1e{places})")
        }
        _ => {
            return Err(call
                .refused()
                .hint("of a double its places have to be a literal"));
        }
    };
    Ok(Translated::primary(text, SqlType::Float).never_null(number.not_null))
}

fn modulo(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let (left, right) = (
        translator.number(call.argument(0)?)?,
        translator.number(call.argument(1)?)?,
    );
    remainder(&left, &right)
}

fn sign(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.number(call.argument(0)?)?;
    let text = format!("CAST(sign({}) AS integer)", number.text);
    Ok(Translated::primary(text, SqlType::Integer).never_null(number.not_null))
}

/// LOG(x) is the natural one, LOG(b, x) that of base b; of nothing positive it is NULL.
fn log(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let first = translator.double(call.argument(0)?)?;
    let positive = |value: &Translated| format!("{} > 0", value.operand());
    let text = match call.arguments.get(1) {
        None => format!("CASE WHEN {} THEN ln({}) END", positive(&first), first.text),
        Some(second) => {
            let second = translator.double(second)?;
            format!(
                "CASE WHEN {} AND {} <> 1 AND {} THEN ln({}) / ln({}) END",
                positive(&first),
                first.operand(),
                positive(&second),
                second.text,
                first.text
            )
        }
    };
    Ok(Translated::primary(text, SqlType::Float))
}

fn power(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let base = translator.double(call.argument(0)?)?;
    let exponent = translator.number(call.argument(1)?)?;
    let not_null = base.not_null && exponent.not_null;
    Ok(
        Translated::call("power", &[&base.text, &exponent.text], SqlType::Float)
            .never_null(not_null),
    )
}
