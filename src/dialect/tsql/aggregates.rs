//! T-SQL's aggregates and window functions.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/aggregate-functions-transact-sql>

use crate::dialect::source::{Returns, Rule, Takes, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const AGGREGATES: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                          aggregate-functions-transact-sql";
const WINDOWS: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                       analytic-functions-transact-sql";
const WHOLE: Returns = Returns::Kind(Kind::Integer);
const DOUBLE: Returns = Returns::Kind(Kind::Float);

/// The table.
pub const RULES: &[Rule] = &[
    by(
        "count",
        (0, 1),
        count,
        ("COUNT(DISTINCT n)", "count(DISTINCT n)"),
    ),
    by(
        "count_big",
        (0, 1),
        count,
        ("COUNT_BIG(*)", "count(*) AS count_big"),
    ),
    by("sum", (1, 1), sum, ("SUM(n)", "sum(n)")),
    by(
        "avg",
        (1, 1),
        mean,
        ("AVG(n)", "CAST(trunc(avg(n)) AS bigint) AS avg"),
    ),
    aggregate("min", &[Takes::Any], Returns::First, ("MIN(d)", "min(d)")),
    aggregate("max", &[Takes::Any], Returns::First, ("MAX(d)", "max(d)")),
    spread(
        "stdev",
        "stddev_samp",
        ("STDEV(f)", "stddev_samp(f) AS stdev"),
    ),
    spread(
        "stdevp",
        "stddev_pop",
        ("STDEVP(f)", "stddev_pop(f) AS stdevp"),
    ),
    spread("var", "var_samp", ("VAR(f)", "var_samp(f) AS var")),
    spread("varp", "var_pop", ("VARP(f)", "var_pop(f) AS varp")),
    by(
        "string_agg",
        (2, 2),
        joined,
        ("STRING_AGG(s, ', ')", "string_agg(s, ', ')"),
    ),
    by(
        "approx_count_distinct",
        (1, 1),
        approximate,
        (
            "APPROX_COUNT_DISTINCT(n)",
            "count(DISTINCT n) AS approx_count_distinct",
        ),
    ),
    by(
        "percentile_cont",
        (1, 1),
        percentile,
        (
            "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY f)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY f)",
        ),
    ),
    by(
        "percentile_disc",
        (1, 1),
        percentile,
        (
            "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY id)",
            "percentile_disc(0.5) WITHIN GROUP (ORDER BY id)",
        ),
    ),
    by(
        "grouping",
        (1, 1),
        grouping,
        ("GROUPING(n)", "GROUPING(n) AS \"grouping\""),
    ),
    by(
        "rollup",
        (1, 16),
        totals,
        (
            "COUNT(*) FROM t GROUP BY ROLLUP(n) UNION ALL SELECT 1",
            "count(*) FROM t GROUP BY ROLLUP (n) UNION ALL SELECT 1",
        ),
    ),
    by(
        "cube",
        (1, 16),
        totals,
        (
            "COUNT(*) FROM t GROUP BY CUBE(n, s) UNION ALL SELECT 1",
            "count(*) FROM t GROUP BY CUBE (n, s) UNION ALL SELECT 1",
        ),
    ),
    window(
        "row_number",
        (0, 0),
        &[],
        WHOLE,
        (
            "ROW_NUMBER() OVER (ORDER BY id)",
            "row_number() OVER (ORDER BY id)",
        ),
    ),
    window(
        "rank",
        (0, 0),
        &[],
        WHOLE,
        ("RANK() OVER (ORDER BY id)", "rank() OVER (ORDER BY id)"),
    ),
    window(
        "dense_rank",
        (0, 0),
        &[],
        WHOLE,
        (
            "DENSE_RANK() OVER (ORDER BY id)",
            "dense_rank() OVER (ORDER BY id)",
        ),
    ),
    window(
        "percent_rank",
        (0, 0),
        &[],
        DOUBLE,
        (
            "PERCENT_RANK() OVER (ORDER BY id)",
            "percent_rank() OVER (ORDER BY id)",
        ),
    ),
    window(
        "cume_dist",
        (0, 0),
        &[],
        DOUBLE,
        (
            "CUME_DIST() OVER (ORDER BY id)",
            "cume_dist() OVER (ORDER BY id)",
        ),
    ),
    window(
        "ntile",
        (1, 1),
        &[Takes::Integer],
        WHOLE,
        ("NTILE(4) OVER (ORDER BY id)", "ntile(4) OVER (ORDER BY id)"),
    ),
    window(
        "lag",
        (1, 3),
        &[Takes::Any],
        Returns::First,
        (
            "LAG(n, 1) OVER (ORDER BY d)",
            "lag(n, 1) OVER (ORDER BY d NULLS FIRST)",
        ),
    ),
    window(
        "lead",
        (1, 3),
        &[Takes::Any],
        Returns::First,
        (
            "LEAD(n) OVER (ORDER BY id DESC)",
            "lead(n) OVER (ORDER BY id DESC)",
        ),
    ),
    window(
        "first_value",
        (1, 1),
        &[Takes::Any],
        Returns::First,
        (
            "FIRST_VALUE(n) OVER (ORDER BY id)",
            "first_value(n) OVER (ORDER BY id)",
        ),
    ),
    window(
        "last_value",
        (1, 1),
        &[Takes::Any],
        Returns::First,
        (
            "LAST_VALUE(n) OVER (ORDER BY id)",
            "last_value(n) OVER (ORDER BY id)",
        ),
    ),
];

type By = fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>;
type Shown = (&'static str, &'static str);

const fn rule(name: &'static str, arguments: (usize, usize), write: Write, case: Shown) -> Rule {
    Rule {
        name,
        arguments,
        write,
        doc: AGGREGATES,
        case,
    }
}

const fn by(name: &'static str, arguments: (usize, usize), write: By, case: Shown) -> Rule {
    rule(name, arguments, Write::By(write), case)
}

const fn aggregate(
    name: &'static str,
    takes: &'static [Takes],
    returns: Returns,
    case: Shown,
) -> Rule {
    rule(name, (1, 1), Write::Aggregate(name, takes, returns), case)
}

const fn spread(name: &'static str, here: &'static str, case: Shown) -> Rule {
    rule(
        name,
        (1, 1),
        Write::Aggregate(here, &[Takes::Double], DOUBLE),
        case,
    )
}

const fn window(
    name: &'static str,
    arguments: (usize, usize),
    takes: &'static [Takes],
    returns: Returns,
    case: Shown,
) -> Rule {
    Rule {
        name,
        arguments,
        write: Write::Window(name, takes, returns),
        doc: WINDOWS,
        case,
    }
}

fn count(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    if !call.star && call.arguments.is_empty() {
        return Err(call.refused());
    }
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(writer.value(argument)?);
    }
    let written = writer.aggregate("count", call, &arguments, Kind::Integer)?;
    Ok(Written {
        longer: false,
        ..written.never_null(true)
    })
}

/// A number that is summed up: bits are none.
fn summed(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let number = writer.value(call.argument(0)?)?;
    if number.kind.is_number() || number.kind == Kind::Null {
        return Ok(number);
    }
    Err(untyped(&number, "a number").hint("cast it to INT or DECIMAL"))
}

fn sum(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let number = summed(writer, call)?;
    let kind = number.kind;
    writer.aggregate("sum", call, &[number], kind)
}

/// AVG of whole numbers is a whole number, the rest cut off.
fn mean(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let number = summed(writer, call)?;
    let kind = number.kind;
    let written = writer.aggregate("avg", call, &[number], kind)?;
    if kind == Kind::Integer {
        let text = format!("CAST(trunc({}) AS bigint)", written.text);
        return Ok(Written::tight(text, Kind::Integer));
    }
    Ok(Written {
        longer: true,
        ..written
    })
}

/// STRING_AGG(x, separator) [WITHIN GROUP (ORDER BY …)]
fn joined(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.distinct || call.over.is_some() {
        return Err(call.refused());
    }
    let text = writer.text(call.argument(0)?)?;
    let separator = writer.text(call.argument(1)?)?;
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", writer.inner_order(some)?),
    };
    let written = format!("string_agg({}, {}{order})", text.text, separator.text);
    Ok(Written {
        name: Some("string_agg".to_owned()),
        ..Written::tight(written, Kind::Text)
    })
}

fn approximate(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.aggregate()?;
    let value = writer.value(call.argument(0)?)?;
    let text = format!("count(DISTINCT {}){}", value.text, writer.tail(call)?);
    Ok(Written::tight(text, Kind::Integer).never_null(true))
}

/// PERCENTILE_CONT is a window function there, and an aggregate here.
fn percentile(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    if call.over.is_some() {
        return Err(call.refused().hint(
            "write percentile_cont(…) WITHIN GROUP (ORDER BY …) with GROUP BY in a subquery, \
             and join that",
        ));
    }
    let [key] = call.order_by else {
        return Err(call.refused());
    };
    let share = writer.number(call.argument(0)?)?;
    let value = writer.value(&key.expr)?;
    let order = writer.sorted(value.text, &key.options, true)?;
    let kind = match call.name.as_str() {
        "percentile_cont" => Kind::Float,
        _ => value.kind,
    };
    let text = format!(
        "{}({}) WITHIN GROUP (ORDER BY {order})",
        call.name, share.text
    );
    Ok(Written {
        name: Some(call.name.clone()),
        ..Written::tight(text, kind)
    })
}

fn grouping(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    Ok(Written::tight(format!("GROUPING({})", value.text), Kind::Integer).never_null(true))
}

/// `ROLLUP (a, b)` among the keys of GROUP BY.
pub fn totals(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut keys = Vec::new();
    for argument in &call.arguments {
        let key = writer.value(argument)?;
        if key.is_literal() {
            return Err(Untranslatable::construct("a constant in GROUP BY"));
        }
        keys.push(key.text);
    }
    let text = format!("{} ({})", call.name.to_uppercase(), keys.join(", "));
    Ok(Written::tight(text, Kind::Other))
}
