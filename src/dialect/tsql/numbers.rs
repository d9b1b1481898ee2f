//! T-SQL's functions of numbers. Many have the type of their argument.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/mathematical-functions-transact-sql>

use crate::dialect::source::{Returns, Rule, Takes, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                   mathematical-functions-transact-sql";

/// The table.
pub const RULES: &[Rule] = &[
    by("round", 2, 3, round, ("ROUND(q, 2)", "round(q, 2)")),
    by("ceiling", 1, 1, whole, ("CEILING(q)", "ceil(q) AS ceiling")),
    by("floor", 1, 1, whole, ("FLOOR(q)", "floor(q)")),
    by("abs", 1, 1, whole, ("ABS(n)", "abs(n)")),
    by(
        "sign",
        1,
        1,
        sign,
        ("SIGN(n)", "CAST(sign(n) AS integer) AS sign"),
    ),
    by(
        "power",
        2,
        2,
        power,
        (
            "POWER(n, 2)",
            "CAST(trunc(power(CAST(n AS double precision), CAST(2 AS double precision))) AS bigint) \
             AS power",
        ),
    ),
    double("sqrt", "sqrt", "SQRT(f)", "sqrt(f)"),
    double("exp", "exp", "EXP(f)", "exp(f)"),
    double("log10", "log", "LOG10(f)", "log(f) AS log10"),
    double("sin", "sin", "SIN(f)", "sin(f)"),
    double("cos", "cos", "COS(f)", "cos(f)"),
    double("tan", "tan", "TAN(f)", "tan(f)"),
    double("asin", "asin", "ASIN(f)", "asin(f)"),
    double("acos", "acos", "ACOS(f)", "acos(f)"),
    double("atan", "atan", "ATAN(f)", "atan(f)"),
    Rule {
        name: "atn2",
        arguments: (2, 2),
        write: Write::Plain("atan2", &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: ("ATN2(f, f)", "atan2(f, f) AS atn2"),
    },
    Rule {
        name: "square",
        arguments: (1, 1),
        write: Write::Template("({0} * {0})", &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: ("SQUARE(f)", "(f * f) AS square"),
    },
    by("log", 1, 2, logarithm, ("LOG(f)", "ln(f) AS log")),
    Rule {
        name: "pi",
        arguments: (0, 0),
        write: Write::Plain("pi", &[], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: ("PI()", "pi()"),
    },
    Rule {
        name: "rand",
        arguments: (0, 0),
        // Once for a whole query.
        write: Write::Template("(SELECT random())", &[], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: ("RAND()", "(SELECT random()) AS rand"),
    },
];

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments: (least, most),
        write: Write::By(write),
        doc: DOC,
        case,
    }
}

const fn double(
    name: &'static str,
    here: &'static str,
    before: &'static str,
    after: &'static str,
) -> Rule {
    Rule {
        name,
        arguments: (1, 1),
        write: Write::Plain(here, &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: (before, after),
    }
}

/// ROUND(x, places [, cut]): halves go away from zero.
fn round(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let places = writer.integer(call.argument(1)?)?;
    let cuts = match call.arguments.get(2) {
        None => false,
        Some(cut) => match writer.integer(cut)?.small_integer() {
            Some(cut) => cut != 0,
            None => return Err(call.refused()),
        },
    };
    let name = if cuts { "trunc" } else { "round" };
    let not_null = number.not_null && places.not_null;
    let places = places.text;
    let text = match number.kind {
        Kind::Decimal => format!("{name}({}, {places})", number.text),
        Kind::Integer => {
            format!(
                "CAST({name}(CAST({} AS numeric), {places}) AS bigint)",
                number.text
            )
        }
        Kind::Float => {
            format!(
                "CAST({name}(CAST({} AS numeric), {places}) AS double precision)",
                number.text
            )
        }
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Written {
        name: Some(name.to_owned()).filter(|_| number.kind == Kind::Decimal),
        ..Written::tight(text, number.kind).never_null(not_null)
    })
}

/// CEILING, FLOOR and ABS have the type of their argument.
fn whole(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let name = match call.name.as_str() {
        "ceiling" => "ceil",
        other => other,
    };
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    if number.kind == Kind::Integer && name != "abs" {
        return Ok(Written {
            form: crate::dialect::translator::translated::Form::Computed,
            ..number
        });
    }
    Ok(Written {
        longer: number.longer && name == "abs",
        ..Written::call(name, &[&number.text], number.kind).never_null(number.not_null)
    })
}

fn sign(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let text = match number.kind {
        Kind::Integer => format!("CAST(sign({}) AS integer)", number.text),
        Kind::Decimal | Kind::Float => format!("sign({})", number.text),
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Written::tight(text, number.kind).never_null(number.not_null))
}

/// POWER has the type of its first argument: whole numbers are cut.
fn power(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let base = writer.number(call.argument(0)?)?;
    let kind = base.kind;
    let (base, exponent) = (
        writer.double(call.argument(0)?)?,
        writer.double(call.argument(1)?)?,
    );
    let not_null = base.not_null && exponent.not_null;
    let text = format!("power({}, {})", base.text, exponent.text);
    match kind {
        Kind::Float => Ok(Written::tight(text, Kind::Float).never_null(not_null)),
        Kind::Integer => {
            let text = format!("CAST(trunc({text}) AS bigint)");
            Ok(Written::tight(text, Kind::Integer).never_null(not_null))
        }
        _ => Err(call
            .refused()
            .hint("of a DECIMAL it is rounded to the digits of that; cast it to FLOAT first")),
    }
}

fn logarithm(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.double(call.argument(0)?)?;
    let text = format!("ln({})", number.text);
    let text = match call.arguments.get(1) {
        None => text,
        Some(base) => format!("({text} / ln({}))", writer.double(base)?.text),
    };
    Ok(Written::tight(text, Kind::Float))
}
