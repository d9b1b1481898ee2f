//! T-SQL's aggregates and window functions.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/aggregate-functions-transact-sql>

use sqlparser::ast::{Expr, Value};

use crate::rules::{ArgumentType, FIRST, FLOAT, FunctionRule, aggregate, by};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::folding;
use crate::translator::shared_functions::aggregates::{
    self, SummandTypes, count_distinct, sum_of, summand,
};
use crate::translator::shared_functions::numbers::mean;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const AGGREGATES: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/\
                          aggregate-functions-transact-sql";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("count", (0, 1), count, AGGREGATES, "COUNT(DISTINCT n)", "count(DISTINCT n)"),
    by("count_big", (0, 1), count, AGGREGATES, "COUNT_BIG(*)", "count(*) AS count_big"),
    by("sum", (1, 1), sum, AGGREGATES, "SUM(n)", "sum(n)"),
    by("avg", (1, 1), average, AGGREGATES, "AVG(n)", "CAST(trunc(avg(n)) AS bigint) AS avg"),
    aggregate("min", (1, 1), "min", &[ArgumentType::Any], FIRST, AGGREGATES, "MIN(d)", "min(d)"),
    aggregate("max", (1, 1), "max", &[ArgumentType::Any], FIRST, AGGREGATES, "MAX(d)", "max(d)"),
    aggregate("stdev", (1, 1), "stddev_samp", &[ArgumentType::Double], FLOAT, AGGREGATES, "STDEV(f)", "stddev_samp(f) AS stdev"),
    aggregate("stdevp", (1, 1), "stddev_pop", &[ArgumentType::Double], FLOAT, AGGREGATES, "STDEVP(f)", "stddev_pop(f) AS stdevp"),
    aggregate("var", (1, 1), "var_samp", &[ArgumentType::Double], FLOAT, AGGREGATES, "VAR(f)", "var_samp(f) AS var"),
    aggregate("varp", (1, 1), "var_pop", &[ArgumentType::Double], FLOAT, AGGREGATES, "VARP(f)", "var_pop(f) AS varp"),
    by("string_agg", (2, 2), joined, AGGREGATES, "STRING_AGG(s, ', ')", "string_agg(s, ', ')"),
    by("approx_count_distinct", (1, 1), count_distinct, AGGREGATES, "APPROX_COUNT_DISTINCT(n)", "count(DISTINCT n) AS approx_count_distinct"),
    by("percentile_cont", (1, 1), percentile, AGGREGATES, "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY f)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY f)"),
    by("percentile_disc", (1, 1), percentile, AGGREGATES, "PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY id)", "percentile_disc(0.5) WITHIN GROUP (ORDER BY id)"),
    by("grouping", (1, 1), grouping, AGGREGATES, "GROUPING(n)", "GROUPING(n) AS \"grouping\""),
    by("grouping_id", (1, 16), grouping, AGGREGATES, "GROUPING_ID(n, d)", "GROUPING(n, d) AS grouping_id"),
    by("rollup", (1, 16), totals, AGGREGATES, "COUNT(*) FROM t GROUP BY ROLLUP(n) UNION ALL SELECT 1", "count(*) FROM t GROUP BY ROLLUP (n) UNION ALL SELECT 1"),
    by("cube", (1, 16), totals, AGGREGATES, "COUNT(*) FROM t GROUP BY CUBE(n, s) UNION ALL SELECT 1", "count(*) FROM t GROUP BY CUBE (n, lower(rtrim(s, ' '))) UNION ALL SELECT 1"),
    by("grouping_sets", (1, 64), sets, AGGREGATES, "COUNT(*) FROM t GROUP BY GROUPING SETS ((n), ()) UNION ALL SELECT 1", "count(*) FROM t GROUP BY GROUPING SETS ((n), ()) UNION ALL SELECT 1"),
];

fn count(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    if !call.star && call.arguments.is_empty() {
        return Err(call.refused());
    }
    aggregates::count(translator, call)
}

/// Bits are no numbers.
fn sum(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Numbers)?;
    sum_of(translator, call, number)
}

/// AVG of whole numbers is a whole number, the rest cut off.
fn average(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let number = summand(translator, call, SummandTypes::Numbers)?;
    let kind = number.kind;
    let mean = mean(translator, call, number, kind)?;
    if kind == SqlType::Integer {
        let text = format!("CAST(trunc({}) AS bigint)", mean.text);
        return Ok(Translated::primary(text, SqlType::Integer));
    }
    Ok(mean)
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

/// GROUPING(a), and GROUPING_ID(a, b) with a bit for each key.
fn grouping(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut keys = Vec::new();
    for argument in &call.arguments {
        let key = folding::before_grouping(translator, |translator| translator.value(argument))?;
        keys.push(folding::folded(translator, &key));
    }
    let text = format!("GROUPING({})", keys.join(", "));
    Ok(Translated::primary(text, SqlType::Integer).never_null(true))
}

/// `ROLLUP (a, b)` among the keys of GROUP BY.
pub fn totals(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let mut keys = Vec::new();
    for argument in &call.arguments {
        keys.push(match argument {
            Expr::Tuple(parts) => set_of(translator, parts)?,
            key => key_of(translator, key)?,
        });
    }
    let text = format!("{} ({})", call.name.to_uppercase(), keys.join(", "));
    Ok(Translated::primary(text, SqlType::Other))
}

/// `GROUPING SETS ((a, b), a, (), ROLLUP (a))`, which `tokens` has as a call; NULL stands for no
/// key.
fn sets(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let mut sets = Vec::new();
    for argument in &call.arguments {
        sets.push(match argument {
            Expr::Tuple(parts) => set_of(translator, parts)?,
            Expr::Nested(inner) if is_null(inner) => "()".to_owned(),
            Expr::Nested(inner) => format!("({})", key_of(translator, inner)?),
            of_keys if folding::is_grouping_sets(of_keys) => translator.value(of_keys)?.text,
            key => key_of(translator, key)?,
        });
    }
    let text = format!("GROUPING SETS ({})", sets.join(", "));
    Ok(Translated::primary(text, SqlType::Other))
}

fn set_of(translator: &mut Translator<'_>, parts: &[Expr]) -> TranslateResult<String> {
    let mut keys = Vec::new();
    for part in parts {
        keys.push(key_of(translator, part)?);
    }
    Ok(format!("({})", keys.join(", ")))
}

fn key_of(translator: &mut Translator<'_>, key: &Expr) -> TranslateResult<String> {
    let key = translator.value(key)?;
    if key.is_literal() {
        return Err(Untranslatable::construct("a constant in GROUP BY"));
    }
    Ok(folding::folded(translator, &key))
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}
