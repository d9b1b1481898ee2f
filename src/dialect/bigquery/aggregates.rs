//! BigQuery's aggregates, window functions and arrays.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions>,
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/array_functions>

use sqlparser::ast::{Expr, NullTreatment};

use super::timestamps::day;
use crate::dialect::source::{Returns, Rule, Takes, Write};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::interval::{Unit, length};
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const INTEGER: Returns = Returns::Kind(Kind::Integer);
const FLOAT: Returns = Returns::Kind(Kind::Float);
const BOOL: Returns = Returns::Kind(Kind::Bool);
const TEXT: Returns = Returns::Kind(Kind::Text);

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    write: Write,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments,
        write,
        doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions",
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
    rule(name, arguments, Write::Window(name, takes, returns), case)
}

/// Aggregates and window functions.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("count", (0, 1), Write::Aggregate("count", &[Takes::Any], INTEGER), ("COUNT(n)", "count(n)")),
    rule("sum", (1, 1), Write::Aggregate("sum", &[Takes::Number], Returns::First), ("SUM(n)", "sum(n)")),
    rule("avg", (1, 1), Write::By(avg), ("AVG(q)", "avg(q)")),
    rule("min", (1, 1), Write::By(extreme), ("MIN(n)", "min(n)")),
    rule("max", (1, 1), Write::By(extreme), ("MAX(s)", "max(s COLLATE \"C\")")),
    rule("countif", (1, 1), Write::By(countif), ("COUNTIF(b)", "count(*) FILTER (WHERE b) AS countif")),
    rule("approx_count_distinct", (1, 1), Write::By(count_distinct),
        ("APPROX_COUNT_DISTINCT(n)", "count(DISTINCT n) AS approx_count_distinct")),
    rule("logical_or", (1, 1), Write::Aggregate("bool_or", &[Takes::Condition], BOOL),
        ("LOGICAL_OR(b)", "bool_or(b) AS logical_or")),
    rule("logical_and", (1, 1), Write::Aggregate("bool_and", &[Takes::Condition], BOOL),
        ("LOGICAL_AND(b)", "bool_and(b) AS logical_and")),
    rule("any_value", (1, 1), Write::By(any_value), ("ANY_VALUE(n)", "(array_agg(n))[1] AS any_value")),
    rule("string_agg", (1, 2), Write::By(string_agg), ("STRING_AGG(s)", "string_agg(s, ',')")),
    rule("array_agg", (1, 1), Write::By(array_agg),
        ("ARRAY_AGG(n IGNORE NULLS LIMIT 1)", "(array_agg(n) FILTER (WHERE n IS NOT NULL))[1:1]")),
    rule("stddev", (1, 1), Write::Aggregate("stddev_samp", &[Takes::Number], FLOAT),
        ("STDDEV(n)", "stddev_samp(n) AS stddev")),
    rule("stddev_samp", (1, 1), Write::Aggregate("stddev_samp", &[Takes::Number], FLOAT),
        ("STDDEV_SAMP(n)", "stddev_samp(n)")),
    rule("stddev_pop", (1, 1), Write::Aggregate("stddev_pop", &[Takes::Number], FLOAT),
        ("STDDEV_POP(n)", "stddev_pop(n)")),
    rule("variance", (1, 1), Write::Aggregate("var_samp", &[Takes::Number], FLOAT),
        ("VARIANCE(n)", "var_samp(n) AS variance")),
    window("row_number", (0, 0), &[], INTEGER,
        ("ROW_NUMBER() OVER (ORDER BY n)", "row_number() OVER (ORDER BY n NULLS FIRST)")),
    window("rank", (0, 0), &[], INTEGER,
        ("RANK() OVER (ORDER BY n)", "rank() OVER (ORDER BY n NULLS FIRST)")),
    window("dense_rank", (0, 0), &[], INTEGER,
        ("DENSE_RANK() OVER (ORDER BY n)", "dense_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("percent_rank", (0, 0), &[], FLOAT,
        ("PERCENT_RANK() OVER (ORDER BY n)", "percent_rank() OVER (ORDER BY n NULLS FIRST)")),
    window("cume_dist", (0, 0), &[], FLOAT,
        ("CUME_DIST() OVER (ORDER BY n)", "cume_dist() OVER (ORDER BY n NULLS FIRST)")),
    window("ntile", (1, 1), &[Takes::Integer], INTEGER,
        ("NTILE(4) OVER (ORDER BY n)", "ntile(4) OVER (ORDER BY n NULLS FIRST)")),
    window("lag", (1, 3), &[Takes::Any, Takes::Integer, Takes::Any], Returns::First,
        ("LAG(s) OVER (ORDER BY n)", "lag(s) OVER (ORDER BY n NULLS FIRST)")),
    window("lead", (1, 3), &[Takes::Any, Takes::Integer, Takes::Any], Returns::First,
        ("LEAD(s) OVER (ORDER BY n)", "lead(s) OVER (ORDER BY n NULLS FIRST)")),
    window("first_value", (1, 1), &[Takes::Any], Returns::First,
        ("FIRST_VALUE(s) OVER (ORDER BY n)", "first_value(s) OVER (ORDER BY n NULLS FIRST)")),
    window("last_value", (1, 1), &[Takes::Any], Returns::First,
        ("LAST_VALUE(s) OVER (ORDER BY n)", "last_value(s) OVER (ORDER BY n NULLS FIRST)")),
];

/// Arrays.
#[rustfmt::skip]
pub const ARRAYS: &[Rule] = &[
    rule("array_length", (1, 1), Write::Plain("cardinality", &[Takes::Any], INTEGER),
        ("ARRAY_LENGTH([1, 2])", "cardinality(ARRAY[1, 2]) AS array_length")),
    rule("array_to_string", (2, 3), Write::Plain("array_to_string", &[Takes::Any], TEXT),
        ("ARRAY_TO_STRING(['a'], ',')", "array_to_string(ARRAY['a'], ',')")),
    rule("array_concat", (2, 2), Write::By(array_concat),
        ("ARRAY_CONCAT([1], [2])", "ARRAY[1] || ARRAY[2] AS array_concat")),
    rule("generate_array", (2, 3), Write::By(generate_array),
        ("GENERATE_ARRAY(1, 5)", "ARRAY(SELECT generate_series(1, 5)) AS generate_array")),
    rule("generate_date_array", (2, 3), Write::By(generate_dates),
        ("GENERATE_DATE_ARRAY(d, d)", "ARRAY(SELECT day::date FROM generate_series(d::timestamp, d::timestamp, INTERVAL '1 days') AS day) AS generate_date_array")),
];

fn avg(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.number(call.argument(0)?)?;
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

fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let mut value = writer.value(call.argument(0)?)?;
    let kind = value.kind;
    if kind == Kind::Bool {
        return Err(call.refused().hint("write bool_or() or bool_and()"));
    }
    value.text = writer.collated(&value);
    writer.aggregate(&call.name, call, &[value], kind)
}

fn countif(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    if call.distinct || call.filter.is_some() {
        return Err(call.refused());
    }
    let condition = writer.condition(call.argument(0)?)?;
    let tail = writer.tail(call)?;
    let text = format!("count(*) FILTER (WHERE {}){tail}", condition.text);
    Ok(Written {
        name: Some("count".to_owned()),
        ..Written::tight(text, Kind::Integer).never_null(true)
    })
}

fn count_distinct(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let text = format!("count(DISTINCT {})", value.text);
    Ok(Written::tight(text, Kind::Integer).never_null(true))
}

fn any_value(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.value(call.argument(0)?)?;
    let kind = value.kind;
    let values = writer.aggregate("array_agg", call, &[value], kind)?;
    Ok(Written::tight(format!("({})[1]", values.text), kind))
}

fn string_agg(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    if call.limit.is_some() || call.star || call.separator.is_some() || call.nulls.is_some() {
        return Err(call.refused());
    }
    if call.distinct && call.order_by.is_empty() {
        // They come sorted here, and in any order there.
        writer.likely();
    }
    let value = writer.text(call.argument(0)?)?;
    let separator = match call.arguments.get(1) {
        Some(separator) => writer.text(separator)?,
        None => literal::text(","),
    };
    let order = ordered(writer, call, &value)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
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

/// With DISTINCT only what is collected can be sorted by, and without a collation of its own.
fn ordered(writer: &mut Writer<'_>, call: &Call<'_>, value: &Written) -> Outcome<String> {
    match call.order_by {
        [] => Ok(String::new()),
        [only] if call.distinct => {
            let key = writer.value(&only.expr)?;
            if key.text != value.text {
                return Err(call.refused());
            }
            let key = writer.sorted(key.text, &only.options, true)?;
            Ok(format!(" ORDER BY {key}"))
        }
        order_by => Ok(format!(" ORDER BY {}", writer.inner_order(order_by)?)),
    }
}

fn array_agg(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    if call.star || call.separator.is_some() || call.filter.is_some() {
        return Err(call.refused());
    }
    let value = writer.value(call.argument(0)?)?;
    let order = ordered(writer, call, &value)?;
    let distinct = if call.distinct { "DISTINCT " } else { "" };
    let filter = match call.nulls {
        Some(NullTreatment::IgnoreNulls) if !value.not_null => {
            format!(" FILTER (WHERE {} IS NOT NULL)", value.atom())
        }
        _ => String::new(),
    };
    let tail = writer.tail(call)?;
    let mut text = format!("array_agg({distinct}{}{order}){filter}{tail}", value.text);
    if let Some(limit) = call.limit {
        let limit = writer.value(limit)?;
        let Some(limit) = limit.small_integer().filter(|limit| *limit >= 0) else {
            return Err(Untranslatable::construct("a computed LIMIT"));
        };
        text = format!("({text})[1:{limit}]");
    }
    Ok(Written {
        element: value.kind,
        name: Some("array_agg".to_owned()),
        ..Written::tight(text, Kind::Array)
    })
}

fn array_concat(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let one = writer.value(call.argument(0)?)?;
    let two = writer.value(call.argument(1)?)?;
    if one.kind != Kind::Array || two.kind != Kind::Array {
        return Err(call.refused());
    }
    Ok(Written {
        element: one.element,
        ..Written::operation(format!("{} || {}", one.atom(), two.atom()), Kind::Array)
    })
}

fn generate_array(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut texts = Vec::new();
    for argument in &call.arguments {
        texts.push(writer.integer(argument)?.text);
    }
    let text = format!("ARRAY(SELECT generate_series({}))", texts.join(", "));
    Ok(Written {
        element: Kind::Integer,
        ..Written::tight(text, Kind::Array).never_null(true)
    })
}

/// Each is counted from the first: a series of Postgres would count from the one before, and lose
/// the last days of months.
fn generate_dates(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let first = day(writer, call.argument(0)?)?;
    let last = day(writer, call.argument(1)?)?;
    let (count, unit) = match call.arguments.get(2) {
        None => (1, Unit::Day),
        Some(Expr::Interval(interval)) => {
            let (count, unit) = writer.interval(interval)?;
            let count = count.small_integer().filter(|count| *count > 0);
            (count.ok_or_else(|| call.refused())?, unit)
        }
        Some(_) => return Err(call.refused()),
    };
    let step = literal::number(&count.to_string())?;
    let step = length(
        &Written {
            form: Form::NumberLiteral(count.to_string()),
            ..step
        },
        unit,
    )?;
    let text = match unit {
        Unit::Day | Unit::Week => format!(
            "ARRAY(SELECT day::date FROM \
             generate_series({}::timestamp, {}::timestamp, {step}) AS day)",
            first.atom(),
            last.atom()
        ),
        Unit::Month | Unit::Quarter | Unit::Year => format!(
            "ARRAY(SELECT ({0} + number * {step})::date FROM \
             generate_series(0, ((EXTRACT(YEAR FROM {1}) - EXTRACT(YEAR FROM {0})) * 12 \
             + 12)::integer) AS number WHERE ({0} + number * {step})::date <= {1} ORDER BY number)",
            first.atom(),
            last.atom()
        ),
        _ => return Err(call.refused()),
    };
    Ok(Written {
        element: Kind::Date,
        ..Written::tight(text, Kind::Array).never_null(true)
    })
}
