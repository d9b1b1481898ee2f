//! SQLite's aggregates and window functions.
//!
//! <https://www.sqlite.org/lang_aggfunc.html>, <https://www.sqlite.org/windowfunctions.html>

use crate::dialect::source::{Returns, Rule, Takes, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const INTEGER: Returns = Returns::Kind(Kind::Integer);
const FLOAT: Returns = Returns::Kind(Kind::Float);

const fn aggregate(
    name: &'static str,
    arguments: (usize, usize),
    write: Write,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write,
        doc: "https://www.sqlite.org/lang_aggfunc.html",
        case,
    }
}

const fn window(
    name: &'static str,
    arguments: (usize, usize),
    takes: &'static [Takes],
    returns: Returns,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::Window(name, takes, returns),
        doc: "https://www.sqlite.org/windowfunctions.html#biwinfunc",
        case,
    }
}

/// All of them.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    aggregate("count", (0, 1), Write::Aggregate("count", &[Takes::Any], INTEGER),
        ("count(n)", "count(n)")),
    aggregate("sum", (1, 1), Write::By(sum), ("sum(n)", "sum(n)::bigint")),
    aggregate("avg", (1, 1), Write::By(avg), ("avg(q)", "avg(q)")),
    aggregate("total", (1, 1), Write::By(total),
        ("total(n)", "COALESCE(sum(n), 0)::double precision AS total")),
    aggregate("min", (1, 99), Write::By(extreme), ("min(n)", "min(n)")),
    aggregate("max", (1, 99), Write::By(extreme), ("max(n, 3)", "CASE WHEN n IS NOT NULL THEN GREATEST(n, 3) END AS max")),
    aggregate("group_concat", (1, 2), Write::By(group_concat),
        ("group_concat(n, '; ')", "string_agg(CAST(n AS text), '; ') AS group_concat")),
    aggregate("string_agg", (2, 2), Write::By(group_concat),
        ("string_agg(s, ',')", "string_agg(s, ',')")),
    window("row_number", (0, 0), &[], INTEGER,
        ("row_number() OVER (ORDER BY n)", "row_number() OVER (ORDER BY n NULLS FIRST)")),
    window("rank", (0, 0), &[], INTEGER,
        ("rank() OVER (ORDER BY n)", "rank() OVER (ORDER BY n NULLS FIRST)")),
    window("dense_rank", (0, 0), &[], INTEGER,
        ("dense_rank() OVER (ORDER BY n)", "dense_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("percent_rank", (0, 0), &[], FLOAT,
        ("percent_rank() OVER (ORDER BY n)", "percent_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("cume_dist", (0, 0), &[], FLOAT,
        ("cume_dist() OVER (ORDER BY n)", "cume_dist() OVER (ORDER BY n NULLS FIRST)")),
    window("ntile", (1, 1), &[Takes::Integer], INTEGER,
        ("ntile(4) OVER (ORDER BY n)", "ntile(4) OVER (ORDER BY n NULLS FIRST)")),
    window("lag", (1, 3), &[Takes::Any, Takes::Integer, Takes::Any], Returns::First,
        ("lag(s) OVER (ORDER BY n)", "lag(s) OVER (ORDER BY n NULLS FIRST)")),
    window("lead", (1, 3), &[Takes::Any, Takes::Integer, Takes::Any], Returns::First,
        ("lead(s, 2) OVER (ORDER BY n)", "lead(s, 2) OVER (ORDER BY n NULLS FIRST)")),
    window("first_value", (1, 1), &[Takes::Any], Returns::First,
        ("first_value(s) OVER (ORDER BY n)", "first_value(s) OVER (ORDER BY n NULLS FIRST)")),
    window("last_value", (1, 1), &[Takes::Any], Returns::First,
        ("last_value(s) OVER (ORDER BY n)", "last_value(s) OVER (ORDER BY n NULLS FIRST)")),
];

/// The sum of whole numbers is a whole number, with what follows for divisions.
fn sum(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = value.kind;
    let sum = writer.aggregate("sum", call, &[value], kind)?;
    if kind != Kind::Integer {
        return Ok(sum);
    }
    Ok(Written {
        text: format!("{}::bigint", sum.text),
        ..sum
    })
}

fn avg(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = match value.kind {
        Kind::Float => Kind::Float,
        _ => Kind::Decimal,
    };
    let avg = writer.aggregate("avg", call, &[value], kind)?;
    Ok(Written {
        longer: true,
        ..avg
    })
}

/// A sum that is never NULL, and a double.
fn total(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.number(call.argument(0)?)?;
    let value = known(value)?;
    let kind = value.kind;
    let sum = writer.aggregate("sum", call, &[value], kind)?;
    let text = format!("COALESCE({}, 0)::double precision", sum.text);
    Ok(Written {
        longer: true,
        ..Written::tight(text, Kind::Float).never_null(true)
    })
}

/// With one argument an aggregate; with more the smallest or largest of them, which is NULL where
/// one is.
fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    if let [only] = call.arguments.as_slice() {
        call.aggregate()?;
        let mut value = writer.value(only)?;
        value = writer.numeric(value)?;
        let kind = value.kind;
        value.text = writer.collated(&value);
        return writer.aggregate(&call.name, call, &[value], kind);
    }
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(writer.value(argument)?);
    }
    // Numbers are smaller than texts there, whatever they say.
    let mut unlike = values.windows(2).filter(|pair| match pair {
        [one, next] => !one.kind.goes_with(next.kind),
        _ => false,
    });
    if let Some([one, ..]) = unlike.next() {
        return Err(untyped(one, "the type of the others"));
    }
    let (values, kind) = writer.aligned(values)?;
    let name = if call.name == "max" {
        "GREATEST"
    } else {
        "LEAST"
    };
    let texts: Vec<String> = values.iter().map(|value| writer.collated(value)).collect();
    let chosen = format!("{name}({})", texts.join(", "));
    let tests: Vec<String> = (values.iter())
        .filter(|value| !value.not_null)
        .map(|value| format!("{} IS NOT NULL", value.atom()))
        .collect();
    if tests.is_empty() {
        return Ok(Written::tight(chosen, kind).never_null(true));
    }
    let text = format!("CASE WHEN {} THEN {chosen} END", tests.join(" AND "));
    Ok(Written::tight(text, kind))
}

fn group_concat(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let extras = call.separator.is_some() || call.limit.is_some() || call.nulls.is_some();
    if extras || call.star || (call.distinct && call.arguments.len() > 1) {
        return Err(call.refused());
    }
    if call.distinct {
        // They come sorted here, and as they are met there.
        writer.likely();
    }
    let value = writer.text(call.argument(0)?)?;
    let separator = match call.arguments.get(1) {
        Some(separator) => writer.text(separator)?,
        None => literal::text(","),
    };
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let order = match call.order_by {
        [] => String::new(),
        _ if call.distinct => {
            return Err(Untranslatable::construct(
                "GROUP_CONCAT with DISTINCT and ORDER BY",
            ));
        }
        order_by => format!(" ORDER BY {}", writer.inner_order(order_by)?),
    };
    let tail = writer.tail(call)?;
    let text = format!(
        "string_agg({distinct}{}, {}{order}){tail}",
        value.text, separator.text
    );
    Ok(Written {
        name: Some("string_agg".to_owned()),
        ..Written::tight(text, Kind::Text)
    })
}

fn known(value: Written) -> Outcome<Written> {
    match value.kind {
        Kind::Unclear => Err(untyped(&value, "a number")),
        _ => Ok(value),
    }
}
