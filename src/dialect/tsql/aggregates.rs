//! T-SQL's aggregates and window functions.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/aggregate-functions-transact-sql>

use crate::dialect::source::{
    ArgumentType, FunctionRule, FunctionTranslation, ReturnType, untyped,
};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::{TranslateResult, Untranslatable};

const AGGREGATES: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                          aggregate-functions-transact-sql";
const WINDOWS: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                       analytic-functions-transact-sql";
const WHOLE: ReturnType = ReturnType::Kind(SqlType::Integer);
const DOUBLE: ReturnType = ReturnType::Kind(SqlType::Float);

/// The table.
pub const RULES: &[FunctionRule] = &[
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
    aggregate(
        "min",
        &[ArgumentType::Any],
        ReturnType::First,
        ("MIN(d)", "min(d)"),
    ),
    aggregate(
        "max",
        &[ArgumentType::Any],
        ReturnType::First,
        ("MAX(d)", "max(d)"),
    ),
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
        &[ArgumentType::Integer],
        WHOLE,
        ("NTILE(4) OVER (ORDER BY id)", "ntile(4) OVER (ORDER BY id)"),
    ),
    window(
        "lag",
        (1, 3),
        &[ArgumentType::Any],
        ReturnType::First,
        (
            "LAG(n, 1) OVER (ORDER BY d)",
            "lag(n, 1) OVER (ORDER BY d NULLS FIRST)",
        ),
    ),
    window(
        "lead",
        (1, 3),
        &[ArgumentType::Any],
        ReturnType::First,
        (
            "LEAD(n) OVER (ORDER BY id DESC)",
            "lead(n) OVER (ORDER BY id DESC)",
        ),
    ),
    window(
        "first_value",
        (1, 1),
        &[ArgumentType::Any],
        ReturnType::First,
        (
            "FIRST_VALUE(n) OVER (ORDER BY id)",
            "first_value(n) OVER (ORDER BY id)",
        ),
    ),
    window(
        "last_value",
        (1, 1),
        &[ArgumentType::Any],
        ReturnType::First,
        (
            "LAST_VALUE(n) OVER (ORDER BY id)",
            "last_value(n) OVER (ORDER BY id)",
        ),
    ),
];

type AggregateFn = fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>;
type AggregateCase = (&'static str, &'static str);

const fn rule(
    name: &'static str,
    arguments: (usize, usize),
    write: FunctionTranslation,
    case: AggregateCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write,
        doc: AGGREGATES,
        case,
    }
}

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: AggregateFn,
    case: AggregateCase,
) -> FunctionRule {
    rule(name, arguments, FunctionTranslation::By(write), case)
}

const fn aggregate(
    name: &'static str,
    takes: &'static [ArgumentType],
    returns: ReturnType,
    case: AggregateCase,
) -> FunctionRule {
    rule(
        name,
        (1, 1),
        FunctionTranslation::Aggregate(name, takes, returns),
        case,
    )
}

const fn spread(name: &'static str, here: &'static str, case: AggregateCase) -> FunctionRule {
    rule(
        name,
        (1, 1),
        FunctionTranslation::Aggregate(here, &[ArgumentType::Double], DOUBLE),
        case,
    )
}

const fn window(
    name: &'static str,
    arguments: (usize, usize),
    takes: &'static [ArgumentType],
    returns: ReturnType,
    case: AggregateCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::Window(name, takes, returns),
        doc: WINDOWS,
        case,
    }
}

fn count(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    if !call.star && call.arguments.is_empty() {
        return Err(call.refused());
    }
    let mut arguments = Vec::new();
    for argument in &call.arguments {
        arguments.push(translator.value(argument)?);
    }
    let written = translator.aggregate("count", call, &arguments, SqlType::Integer)?;
    Ok(Translated {
        extra_digits: false,
        ..written.never_null(true)
    })
}

/// A number that is summed up: bits are none.
fn summed(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.aggregate()?;
    let number = translator.value(call.argument(0)?)?;
    if number.kind.is_number() || number.kind == SqlType::Null {
        return Ok(number);
    }
    Err(untyped(&number, "a number").hint("cast it to INT or DECIMAL"))
}

fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summed(translator, call)?;
    let kind = number.kind;
    translator.aggregate("sum", call, &[number], kind)
}

/// AVG of whole numbers is a whole number, the rest cut off.
fn mean(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summed(translator, call)?;
    let kind = number.kind;
    let written = translator.aggregate("avg", call, &[number], kind)?;
    if kind == SqlType::Integer {
        let text = format!("CAST(trunc({}) AS bigint)", written.text);
        return Ok(Translated::primary(text, SqlType::Integer));
    }
    Ok(Translated {
        extra_digits: true,
        ..written
    })
}

/// STRING_AGG(x, separator) [WITHIN GROUP (ORDER BY …)]
fn joined(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let is_bare = call.separator.is_none() && call.limit.is_none() && call.nulls.is_none();
    if !is_bare || call.star || call.distinct || call.over.is_some() {
        return Err(call.refused());
    }
    let text = translator.text(call.argument(0)?)?;
    let separator = translator.text(call.argument(1)?)?;
    let order = match call.order_by {
        [] => String::new(),
        some => format!(" ORDER BY {}", translator.inner_order(some)?),
    };
    let written = format!("string_agg({}, {}{order})", text.text, separator.text);
    Ok(Translated {
        name: Some("string_agg".to_owned()),
        ..Translated::primary(written, SqlType::Text)
    })
}

fn approximate(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.aggregate()?;
    let value = translator.value(call.argument(0)?)?;
    let text = format!("count(DISTINCT {}){}", value.text, translator.tail(call)?);
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
}

/// PERCENTILE_CONT is a window function there, and an aggregate here.
fn percentile(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    if call.over.is_some() {
        return Err(call.refused().hint(
            "write percentile_cont(…) WITHIN GROUP (ORDER BY …) with GROUP BY in a subquery, \
             and join that",
        ));
    }
    let [key] = call.order_by else {
        return Err(call.refused());
    };
    let share = translator.number(call.argument(0)?)?;
    let value = translator.value(&key.expr)?;
    let order = translator.sorted(value.text, &key.options, true)?;
    let kind = match call.name.as_str() {
        "percentile_cont" => SqlType::Float,
        _ => value.kind,
    };
    let text = format!(
        "{}({}) WITHIN GROUP (ORDER BY {order})",
        call.name, share.text
    );
    Ok(Translated {
        name: Some(call.name.clone()),
        ..Translated::primary(text, kind)
    })
}

fn grouping(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    Ok(Translated::primary(format!("GROUPING({})", value.text), SqlType::Integer).never_null(true))
}

/// `ROLLUP (a, b)` among the keys of GROUP BY.
pub fn totals(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut keys = Vec::new();
    for argument in &call.arguments {
        let key = translator.value(argument)?;
        if key.is_literal() {
            return Err(Untranslatable::construct("a constant in GROUP BY"));
        }
        keys.push(key.text);
    }
    let text = format!("{} ({})", call.name.to_uppercase(), keys.join(", "));
    Ok(Translated::primary(text, SqlType::Other))
}
