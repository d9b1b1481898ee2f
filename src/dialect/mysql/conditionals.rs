//! MySQL's functions that choose between values.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html>

use crate::dialect::source::{Rule, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::compare::Side;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

const FLOW: &str = "https://dev.mysql.com/doc/refman/8.0/en/flow-control-functions.html";
const COMPARISON: &str = "https://dev.mysql.com/doc/refman/8.0/en/comparison-operators.html";
const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";

/// The table.
pub const RULES: &[Rule] = &[
    Rule {
        name: "if",
        arguments: (3, 3),
        write: Write::By(choice),
        doc: FLOW,
        case: (
            "IF(n > 1, 'a', 'b')",
            "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS if",
        ),
    },
    Rule {
        name: "ifnull",
        arguments: (2, 2),
        write: Write::By(first_value),
        doc: FLOW,
        case: ("IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    },
    Rule {
        name: "nvl",
        arguments: (2, 2),
        write: Write::By(first_value),
        doc: FLOW,
        case: ("NVL(n, 0)", "COALESCE(n, 0) AS nvl"),
    },
    Rule {
        name: "coalesce",
        arguments: (1, 64),
        write: Write::By(first_value),
        doc: COMPARISON,
        case: ("COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    },
    Rule {
        name: "nullif",
        arguments: (2, 2),
        write: Write::By(null_if),
        doc: FLOW,
        case: ("NULLIF(n, 0)", "NULLIF(n, 0)"),
    },
    Rule {
        name: "isnull",
        arguments: (1, 1),
        write: Write::By(is_null),
        doc: COMPARISON,
        case: ("ISNULL(n)", "CAST(n IS NULL AS integer) AS \"isnull\""),
    },
    Rule {
        name: "greatest",
        arguments: (2, 64),
        write: Write::By(extreme),
        doc: COMPARISON,
        case: (
            "GREATEST(n, 2)",
            "CASE WHEN n IS NOT NULL THEN GREATEST(n, 2) END AS \"greatest\"",
        ),
    },
    Rule {
        name: "least",
        arguments: (2, 64),
        write: Write::By(extreme),
        doc: COMPARISON,
        case: ("LEAST(id, 2)", "LEAST(id, 2)"),
    },
    Rule {
        name: "field",
        arguments: (2, 64),
        write: Write::By(field),
        doc: TEXTS,
        case: (
            "FIELD(n, 3, 1)",
            "CASE WHEN n = 3 THEN 1 WHEN n = 1 THEN 2 ELSE 0 END AS field",
        ),
    },
    Rule {
        name: "elt",
        arguments: (2, 64),
        write: Write::By(elt),
        doc: TEXTS,
        case: (
            "ELT(n, 'a', 'b')",
            "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS elt",
        ),
    },
];

pub(in crate::dialect) fn choice(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let condition = writer.condition(call.argument(0)?)?;
    let values = vec![
        writer.value(call.argument(1)?)?,
        writer.value(call.argument(2)?)?,
    ];
    let (values, kind) = writer.aligned(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let text = format!(
        "CASE WHEN {} THEN {} END",
        condition.text,
        texts.join(" ELSE ")
    );
    Ok(Written {
        longer: values.iter().any(|value| value.longer),
        ..Written::tight(text, kind).never_null(values.iter().all(|value| value.not_null))
    })
}

pub(in crate::dialect) fn first_value(
    writer: &mut Writer<'_>,
    call: &Call<'_>,
) -> Outcome<Written> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(writer.value(argument)?);
    }
    let (values, kind) = writer.aligned(values)?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Written {
        name: Some("coalesce".to_owned()),
        longer: values.iter().any(|value| value.longer),
        ..Written::tight(format!("COALESCE({})", texts.join(", ")), kind)
            .never_null(values.iter().any(|value| value.not_null))
    })
}

pub(in crate::dialect) fn null_if(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let other = writer.value(call.argument(1)?)?;
    let value = writer.numeric(value)?;
    let (left, right) = writer.sides(&value, &other, Side::Equality)?;
    if left == value.atom() {
        return Ok(Written {
            name: Some("nullif".to_owned()),
            longer: value.longer,
            ..Written::tight(format!("NULLIF({left}, {right})"), value.kind)
        });
    }
    let text = format!(
        "CASE WHEN {left} = {right} THEN NULL ELSE {} END",
        value.text
    );
    Ok(Written {
        longer: value.longer,
        ..Written::tight(text, value.kind)
    })
}

fn is_null(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    Ok(Written::loose(format!("{} IS NULL", value.atom()), Kind::Bool).never_null(true))
}

/// GREATEST and LEAST are NULL where any argument is, unlike Postgres's.
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
    let doubts: Vec<String> = values
        .iter()
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.atom()))
        .collect();
    let longer = values.iter().any(|value| value.longer);
    if doubts.is_empty() {
        return Ok(Written {
            name: Some(call.name.clone()),
            longer,
            ..Written::tight(text, kind).never_null(true)
        });
    }
    let text = format!("CASE WHEN {} THEN {text} END", doubts.join(" AND "));
    Ok(Written {
        longer,
        ..Written::tight(text, kind)
    })
}

/// FIELD(x, a, b): the place of the first that equals x, 0 for none and for NULL.
fn field(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let mut text = String::from("CASE");
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let other = writer.value(argument)?;
        let equal = writer.equal(&value, &other)?;
        text.push_str(&format!(" WHEN {} THEN {place}", equal.text));
    }
    text.push_str(" ELSE 0 END");
    Ok(Written::tight(text, Kind::Integer).never_null(true))
}

/// ELT(n, a, b): the nth.
fn elt(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.integer(call.argument(0)?)?;
    let mut text = format!("CASE {}", number.atom());
    for (place, argument) in call.arguments.iter().enumerate().skip(1) {
        let value = writer.text(argument)?;
        text.push_str(&format!(" WHEN {place} THEN {}", value.text));
    }
    text.push_str(" END");
    Ok(Written::tight(text, Kind::Text))
}
