//! MySQL's functions on numbers.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html>

use super::operators::remainder;
use crate::dialect::source::{Returns, Rule, Takes, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const NUMBERS: &str = "https://dev.mysql.com/doc/refman/8.0/en/mathematical-functions.html";
const BITS: &str = "https://dev.mysql.com/doc/refman/8.0/en/bit-functions.html";

/// The table.
pub const RULES: &[Rule] = &[
    plain("abs", (1, 1), Returns::First, ("ABS(n)", "abs(n)")),
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
    Rule {
        name: "pi",
        arguments: (0, 0),
        write: Write::Plain("pi", &[], Returns::Kind(Kind::Float)),
        doc: NUMBERS,
        case: ("PI()", "pi()"),
    },
    Rule {
        name: "rand",
        arguments: (0, 0),
        write: Write::Plain("random", &[], Returns::Kind(Kind::Float)),
        doc: NUMBERS,
        case: ("RAND()", "random() AS rand"),
    },
    Rule {
        name: "bit_count",
        arguments: (1, 1),
        write: Write::Template(
            "bit_count(CAST(CAST({0} AS bigint) AS bit(64)))",
            &[Takes::Integer],
            Returns::Kind(Kind::Integer),
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
    returns: Returns,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::Plain(name, &[Takes::Number], returns),
        doc: NUMBERS,
        case,
    }
}

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::By(write),
        doc: NUMBERS,
        case,
    }
}

const fn whole(name: &'static str, case: (&'static str, &'static str)) -> Rule {
    by(name, (1, 1), up_or_down, case)
}

/// A function that both compute in doubles.
const fn double(
    name: &'static str,
    template: &'static str,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments: (1, 1),
        write: Write::Template(template, &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: NUMBERS,
        case,
    }
}

fn up_or_down(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let name = if call.name == "floor" {
        "floor"
    } else {
        "ceil"
    };
    match number.kind {
        Kind::Integer => Ok(number),
        Kind::Decimal | Kind::Float => {
            Ok(Written::call(name, &[&number.text], number.kind).never_null(number.not_null))
        }
        _ => Err(untyped(&number, "a number")),
    }
}

/// ROUND and TRUNCATE. Exact numbers are rounded half away from zero in both.
fn rounded(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let function = if call.name == "round" {
        "round"
    } else {
        "trunc"
    };
    let places = match call.arguments.get(1) {
        Some(places) => Some(writer.integer(places)?),
        None => None,
    };
    let not_null = number.not_null && places.as_ref().is_none_or(|places| places.not_null);
    let exact = match number.kind {
        Kind::Decimal => number.text.clone(),
        Kind::Float => return rounded_double(function, &number, places.as_ref(), call),
        Kind::Integer => match &places {
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
                Kind::Integer if places.is_literal() => places.text.clone(),
                _ => format!("CAST({} AS integer)", places.text),
            };
            Written::call(function, &[&exact, &places], Kind::Decimal)
        }
        None => Written::call(function, &[&exact], kind),
    };
    Ok(written.never_null(not_null))
}

/// Of a double MySQL rounds the product with a power of ten, half to even, as Postgres rounds
/// doubles without places.
fn rounded_double(
    function: &str,
    number: &Written,
    places: Option<&Written>,
    call: &Call<'_>,
) -> Outcome<Written> {
    let Some(places) = places else {
        return Ok(
            Written::call(function, &[&number.text], Kind::Float).never_null(number.not_null)
        );
    };
    let own = number.atom();
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
    Ok(Written::tight(text, Kind::Float).never_null(number.not_null))
}

fn modulo(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let (left, right) = (
        writer.number(call.argument(0)?)?,
        writer.number(call.argument(1)?)?,
    );
    remainder(&left, &right)
}

fn sign(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let text = format!("CAST(sign({}) AS integer)", number.text);
    Ok(Written::tight(text, Kind::Integer).never_null(number.not_null))
}

/// LOG(x) is the natural one, LOG(b, x) that of base b; of nothing positive it is NULL.
fn log(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let first = writer.double(call.argument(0)?)?;
    let positive = |value: &Written| format!("{} > 0", value.atom());
    let text = match call.arguments.get(1) {
        None => format!("CASE WHEN {} THEN ln({}) END", positive(&first), first.text),
        Some(second) => {
            let second = writer.double(second)?;
            format!(
                "CASE WHEN {} AND {} <> 1 AND {} THEN ln({}) / ln({}) END",
                positive(&first),
                first.atom(),
                positive(&second),
                second.text,
                first.text
            )
        }
    };
    Ok(Written::tight(text, Kind::Float))
}

fn power(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let base = writer.double(call.argument(0)?)?;
    let exponent = writer.number(call.argument(1)?)?;
    let not_null = base.not_null && exponent.not_null;
    Ok(Written::call("power", &[&base.text, &exponent.text], Kind::Float).never_null(not_null))
}
