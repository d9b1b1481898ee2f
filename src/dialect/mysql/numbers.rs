//! MySQL's functions on numbers.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html>

use super::operators::remainder;
use crate::dialect::source::{
    ArgumentType, FunctionRule, FunctionTranslation, ReturnType, untyped,
};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const NUMBERS: &str = "https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html";
const BITS: &str = "https://dev.mysql.com/doc/refman/8.0/en/bit-functions.html";

/// The table.
pub const RULES: &[FunctionRule] = &[
    plain("abs", (1, 1), ReturnType::First, ("ABS(n)", "abs(n)")),
    whole("ceil", ("CEIL(q)", "ceil(q)")),
    whole("ceiling", ("CEILING(q)", "ceil(q) AS ceiling")),
    whole("floor", ("FLOOR(n)", "n AS floor")),
    by(
        "round",
        (1, 2),
        rounded,
        ("ROUND(f, 2)", "(round(f * 1e2) / 1e2) AS round"),
    ),
    by(
        "truncate",
        (2, 2),
        rounded,
        ("TRUNCATE(q, 1)", "trunc(q, 1) AS truncate"),
    ),
    by("mod", (2, 2), modulo, ("MOD(n, 3)", "n % 3 AS mod")),
    by(
        "sign",
        (1, 1),
        sign,
        ("SIGN(n)", "CAST(sign(n) AS integer) AS sign"),
    ),
    double(
        "sqrt",
        "CASE WHEN {0} >= 0 THEN sqrt({0}) END",
        ("SQRT(f)", "CASE WHEN f >= 0 THEN sqrt(f) END AS sqrt"),
    ),
    double("exp", "exp({0})", ("EXP(f)", "exp(f) AS exp")),
    double(
        "ln",
        "CASE WHEN {0} > 0 THEN ln({0}) END",
        ("LN(f)", "CASE WHEN f > 0 THEN ln(f) END AS ln"),
    ),
    double(
        "log10",
        "CASE WHEN {0} > 0 THEN log({0}) END",
        ("LOG10(f)", "CASE WHEN f > 0 THEN log(f) END AS log10"),
    ),
    double(
        "log2",
        "CASE WHEN {0} > 0 THEN ln({0}) / ln(2.0::double precision) END",
        (
            "LOG2(f)",
            "CASE WHEN f > 0 THEN ln(f) / ln(2.0::double precision) END AS log2",
        ),
    ),
    double(
        "degrees",
        "degrees({0})",
        ("DEGREES(f)", "degrees(f) AS degrees"),
    ),
    double(
        "radians",
        "radians({0})",
        ("RADIANS(f)", "radians(f) AS radians"),
    ),
    double("sin", "sin({0})", ("SIN(f)", "sin(f) AS sin")),
    double("cos", "cos({0})", ("COS(f)", "cos(f) AS cos")),
    double("tan", "tan({0})", ("TAN(f)", "tan(f) AS tan")),
    double("atan", "atan({0})", ("ATAN(f)", "atan(f) AS atan")),
    by(
        "log",
        (1, 2),
        log,
        ("LOG(f)", "CASE WHEN f > 0 THEN ln(f) END AS log"),
    ),
    by(
        "pow",
        (2, 2),
        power,
        ("POW(n, 2)", "power(CAST(n AS double precision), 2) AS pow"),
    ),
    by(
        "power",
        (2, 2),
        power,
        ("POWER(n, 2)", "power(CAST(n AS double precision), 2)"),
    ),
    FunctionRule {
        name: "pi",
        arguments: (0, 0),
        write: FunctionTranslation::Plain("pi", &[], ReturnType::Kind(SqlType::Float)),
        doc: NUMBERS,
        case: ("PI()", "pi()"),
    },
    FunctionRule {
        name: "rand",
        arguments: (0, 0),
        write: FunctionTranslation::Plain("random", &[], ReturnType::Kind(SqlType::Float)),
        doc: NUMBERS,
        case: ("RAND()", "random() AS rand"),
    },
    FunctionRule {
        name: "bit_count",
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            "bit_count(CAST(CAST({0} AS bigint) AS bit(64)))",
            &[ArgumentType::Integer],
            ReturnType::Kind(SqlType::Integer),
        ),
        doc: BITS,
        case: (
            "BIT_COUNT(n)",
            "bit_count(CAST(CAST(n AS bigint) AS bit(64))) AS bit_count",
        ),
    },
];

const fn plain(
    name: &'static str,
    arguments: (usize, usize),
    returns: ReturnType,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::Plain(name, &[ArgumentType::Number], returns),
        doc: NUMBERS,
        case,
    }
}

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::By(write),
        doc: NUMBERS,
        case,
    }
}

const fn whole(name: &'static str, case: (&'static str, &'static str)) -> FunctionRule {
    by(name, (1, 1), up_or_down, case)
}

/// A function that both compute in doubles.
const fn double(
    name: &'static str,
    template: &'static str,
    case: (&'static str, &'static str),
) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (1, 1),
        write: FunctionTranslation::Template(
            template,
            &[ArgumentType::Double],
            ReturnType::Kind(SqlType::Float),
        ),
        doc: NUMBERS,
        case,
    }
}

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
