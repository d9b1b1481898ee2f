//! Functions of Snowflake and DuckDB that choose between values.
//!
//! <https://docs.snowflake.com/en/sql-reference/expressions-conditional>

use crate::dialect::mysql::conditionals::{choice, first_value, null_if};
use crate::dialect::source::{Rule, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/expressions-conditional";

/// What both have.
pub const BOTH: &[Rule] = &[
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
pub const RULES: &[Rule] = &[
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

/// NVL2(x, where it is not NULL, where it is)
fn second_value(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let test = writer.value(call.argument(0)?)?;
    let values = vec![
        writer.value(call.argument(1)?)?,
        writer.value(call.argument(2)?)?,
    ];
    let (values, kind) = writer.aligned(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!(
        "CASE WHEN {} IS NOT NULL THEN {} END",
        test.atom(),
        texts.join(" ELSE ")
    );
    Ok(Written {
        longer: values.iter().any(|value| value.longer),
        ..Written::tight(text, kind)
    })
}

fn zero(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    Ok(Written {
        longer: number.longer,
        ..Written::call("COALESCE", &[&number.text, "0"], number.kind).never_null(true)
    })
}

fn no_zero(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.number(call.argument(0)?)?;
    Ok(Written {
        longer: number.longer,
        ..Written::call("NULLIF", &[&number.text, "0"], number.kind)
    })
}

/// GREATEST and LEAST are NULL where any argument is.
fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(writer.value(argument)?);
    }
    let (values, kind) = writer.aligned(values)?;
    if !kind.is_number() && !kind.is_moment() {
        return Err(call
            .refused()
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let name = call.name.to_uppercase();
    let text = format!("{name}({})", texts.join(", "));
    let doubts: Vec<String> = (values.iter())
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.atom()))
        .collect();
    if doubts.is_empty() {
        let written = Written::tight(text, kind).never_null(true);
        return Ok(Written {
            name: Some(call.name.clone()),
            ..written
        });
    }
    let text = format!("CASE WHEN {} THEN {text} END", doubts.join(" AND "));
    Ok(Written::tight(text, kind))
}

/// A cast of a text that is NULL where a pattern does not match. A string is looked at now:
/// Postgres would look at its cast before the choice.
pub fn cast_if(value: &Written, pattern: &str, cast: &str, kind: Kind) -> Written {
    match value.text_literal() {
        Some(content) if is_number(content) => Written::tight(cast, kind),
        Some(_) => Written::tight("NULL", Kind::Null),
        None => guarded(&format!("{} ~ '{pattern}'", value.atom()), cast, kind),
    }
}

fn is_number(content: &str) -> bool {
    let content = content.trim_matches(' ');
    let digits = content.strip_prefix(['+', '-']).unwrap_or(content);
    crate::dialect::translator::literal::number(digits)
        .is_ok_and(|number| number.kind != Kind::Float)
}

/// A condition as a choice between a value and NULL.
pub fn guarded(condition: &str, value: &str, kind: Kind) -> Written {
    Written::tight(format!("CASE WHEN {condition} THEN {value} END"), kind)
}
