//! Functions of numbers of Snowflake and DuckDB.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-numeric>

use super::casts;
use super::conditionals::cast_if;
use crate::dialect::source::{Returns, Rule, Takes, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-numeric";

/// What both have.
pub const BOTH: &[Rule] = &[
    by("round", 1, 2, round, ("ROUND(q, 2)", "round(q, 2)")),
    by("ceil", 1, 1, whole, ("CEIL(q)", "ceil(q)")),
    by("floor", 1, 1, whole, ("FLOOR(q)", "floor(q)")),
    by("abs", 1, 1, whole, ("ABS(n)", "abs(n)")),
    double("sqrt", "sqrt", ("SQRT(f)", "sqrt(f)")),
    double("exp", "exp", ("EXP(f)", "exp(f)")),
    double("ln", "ln", ("LN(f)", "ln(f)")),
    Rule {
        name: "power",
        arguments: (2, 2),
        write: Write::Plain("power", &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: DOC,
        case: ("POWER(f, 2)", "power(f, CAST(2 AS double precision))"),
    },
    Rule {
        name: "mod",
        arguments: (2, 2),
        write: Write::Plain("mod", &[Takes::Decimal], Returns::Common),
        doc: DOC,
        case: ("MOD(n, 3)", "mod(n, 3)"),
    },
];

/// What Snowflake alone has.
pub const RULES: &[Rule] = &[
    by(
        "div0",
        2,
        2,
        divided,
        (
            "DIV0(n, 2)",
            "CASE WHEN 2 = 0 THEN 0 ELSE CAST(n AS numeric) / NULLIF(2, 0) END AS div0",
        ),
    ),
    by(
        "to_number",
        1,
        3,
        number,
        (
            "TO_NUMBER(s)",
            "CAST(CAST(s AS numeric) AS numeric(38, 0)) AS to_number",
        ),
    ),
    by(
        "to_decimal",
        1,
        3,
        number,
        (
            "TO_DECIMAL(s, 10, 2)",
            "CAST(CAST(s AS numeric) AS numeric(10, 2)) AS to_decimal",
        ),
    ),
    by(
        "try_to_number",
        1,
        3,
        number,
        (
            "TRY_TO_NUMBER(s, 10, 2)",
            "CASE WHEN s ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$' THEN CAST(CAST(s AS numeric) AS numeric(10, 2)) END AS try_to_number",
        ),
    ),
    by(
        "try_to_decimal",
        1,
        3,
        number,
        (
            "TRY_TO_DECIMAL(s, 10, 2)",
            "CASE WHEN s ~ '^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+) *$' THEN CAST(CAST(s AS numeric) AS numeric(10, 2)) END AS try_to_decimal",
        ),
    ),
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
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments: (1, 1),
        write: Write::Plain(here, &[Takes::Double], Returns::Kind(Kind::Float)),
        doc: DOC,
        case,
    }
}

/// ROUND: halves go away from zero.
fn round(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    let places = match call.arguments.get(1) {
        Some(places) => writer.integer(places)?.text,
        None => "0".to_owned(),
    };
    let text = match number.kind {
        Kind::Decimal => format!("round({}, {places})", number.text),
        Kind::Integer => {
            format!(
                "CAST(round(CAST({} AS numeric), {places}) AS bigint)",
                number.text
            )
        }
        Kind::Float => format!(
            "CAST(round(CAST({} AS numeric), {places}) AS double precision)",
            number.text
        ),
        _ => return Err(untyped(&number, "a number of known type")),
    };
    Ok(Written {
        name: Some("round".to_owned()).filter(|_| number.kind == Kind::Decimal),
        ..Written::tight(text, number.kind).never_null(number.not_null)
    })
}

fn whole(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    if !number.kind.is_number() {
        return Err(untyped(&number, "a number of known type"));
    }
    if number.kind == Kind::Integer && call.name != "abs" {
        return Ok(Written {
            form: Form::Computed,
            ..number
        });
    }
    Ok(Written {
        longer: number.longer && call.name == "abs",
        ..Written::call(&call.name, &[&number.text], number.kind).never_null(number.not_null)
    })
}

/// DIV0: a division by zero is zero.
fn divided(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let left = writer.number(call.argument(0)?)?;
    let right = writer.number(call.argument(1)?)?;
    let test = right.atom();
    let right = Written {
        tight: true,
        text: format!("NULLIF({}, 0)", right.text),
        ..right
    };
    let quotient = writer.source.division(&left, &right)?;
    let text = format!("CASE WHEN {test} = 0 THEN 0 ELSE {} END", quotient.text);
    Ok(Written {
        longer: true,
        ..Written::tight(text, quotient.kind)
    })
}

/// TO_NUMBER(text [, precision [, scale]]): whole numbers unless a scale is given.
fn number(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let mut sizes = [38, 0];
    for (place, expr) in call.arguments.iter().skip(1).enumerate() {
        let size = writer.integer(expr)?.small_integer();
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
        kind if kind.is_number() => value.atom(),
        Kind::Text => format!("CAST({} AS numeric)", value.text),
        _ => return Err(untyped(&value, "a number or a text")),
    };
    let text = format!("CAST({inner} AS {to})");
    if call.name.starts_with("try_") && value.kind == Kind::Text {
        return Ok(cast_if(&value, casts::NUMBER, &text, Kind::Decimal));
    }
    Ok(Written::tight(text, Kind::Decimal).never_null(value.not_null))
}
