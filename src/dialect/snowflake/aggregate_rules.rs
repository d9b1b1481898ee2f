//! Aggregates and window functions of Snowflake and DuckDB.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-aggregation>

use super::aggregate_functions::{
    any_value, array, beside, count, count_if, distinct, extreme, joined, median, sum,
};
use crate::dialect::source::{ArgumentType, FunctionRule, FunctionTranslation, ReturnType};
use crate::dialect::translator::Translator;
use crate::dialect::translator::call::SourceCall;
use crate::dialect::translator::translated::{SqlType, Translated};
use crate::dialect::translator::untranslatable::TranslateResult;

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-aggregation";
const WHOLE: ReturnType = ReturnType::Kind(SqlType::Integer);
const DOUBLE: ReturnType = ReturnType::Kind(SqlType::Float);

/// What both have.
pub const SHARED_RULES: &[FunctionRule] = &[
    by(
        "count",
        (0, 1),
        count,
        ("COUNT(DISTINCT n)", "count(DISTINCT n)"),
    ),
    by("sum", (1, 1), sum, ("SUM(n)", "sum(n)")),
    by("avg", (1, 1), sum, ("AVG(n)", "avg(n)")),
    by("min", (1, 1), extreme, ("MIN(d)", "min(d)")),
    by("max", (1, 1), extreme, ("MAX(d)", "max(d)")),
    by(
        "count_if",
        (1, 1),
        count_if,
        (
            "COUNT_IF(n > 1)",
            "count(*) FILTER (WHERE n > 1) AS count_if",
        ),
    ),
    by(
        "any_value",
        (1, 1),
        any_value,
        ("ANY_VALUE(s)", "min(s) AS any_value"),
    ),
    by(
        "median",
        (1, 1),
        median,
        (
            "MEDIAN(n)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS median",
        ),
    ),
    by(
        "approx_count_distinct",
        (1, 1),
        distinct,
        (
            "APPROX_COUNT_DISTINCT(n)",
            "count(DISTINCT n) AS approx_count_distinct",
        ),
    ),
    by(
        "max_by",
        (2, 2),
        beside,
        (
            "MAX_BY(s, id)",
            "(array_agg(s ORDER BY id DESC) FILTER (WHERE id IS NOT NULL))[1] AS max_by",
        ),
    ),
    by(
        "min_by",
        (2, 2),
        beside,
        (
            "MIN_BY(s, id)",
            "(array_agg(s ORDER BY id) FILTER (WHERE id IS NOT NULL))[1] AS min_by",
        ),
    ),
    spread(
        "stddev",
        "stddev_samp",
        ("STDDEV(f)", "stddev_samp(f) AS stddev"),
    ),
    spread(
        "stddev_samp",
        "stddev_samp",
        ("STDDEV_SAMP(f)", "stddev_samp(f)"),
    ),
    spread(
        "stddev_pop",
        "stddev_pop",
        ("STDDEV_POP(f)", "stddev_pop(f)"),
    ),
    spread(
        "variance",
        "var_samp",
        ("VARIANCE(f)", "var_samp(f) AS variance"),
    ),
    spread("var_samp", "var_samp", ("VAR_SAMP(f)", "var_samp(f)")),
    spread("var_pop", "var_pop", ("VAR_POP(f)", "var_pop(f)")),
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
            "LAG(n, 1) OVER (ORDER BY id)",
            "lag(n, 1) OVER (ORDER BY id)",
        ),
    ),
    window(
        "lead",
        (1, 3),
        &[ArgumentType::Any],
        ReturnType::First,
        ("LEAD(n) OVER (ORDER BY id)", "lead(n) OVER (ORDER BY id)"),
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
];

/// What Snowflake alone has.
pub const RULES: &[FunctionRule] = &[
    by(
        "listagg",
        (1, 2),
        joined,
        (
            "LISTAGG(s, ',') WITHIN GROUP (ORDER BY id)",
            "COALESCE(string_agg(s, ',' ORDER BY id), '') AS listagg",
        ),
    ),
    by(
        "array_agg",
        (1, 1),
        array,
        (
            "ARRAY_AGG(n) WITHIN GROUP (ORDER BY id)",
            "array_agg(n ORDER BY id) FILTER (WHERE n IS NOT NULL)",
        ),
    ),
    boolean(
        "boolor_agg",
        "bool_or",
        ("BOOLOR_AGG(n > 1)", "bool_or(n > 1) AS boolor_agg"),
    ),
    boolean(
        "booland_agg",
        "bool_and",
        ("BOOLAND_AGG(n > 1)", "bool_and(n > 1) AS booland_agg"),
    ),
];

type AggregateFn = fn(&mut Translator<'_>, &SourceCall<'_>) -> TranslateResult<Translated>;
type AggregateCase = (&'static str, &'static str);

const fn by(
    name: &'static str,
    arguments: (usize, usize),
    write: AggregateFn,
    case: AggregateCase,
) -> FunctionRule {
    FunctionRule {
        name,
        arguments,
        write: FunctionTranslation::By(write),
        doc: DOC,
        case,
    }
}

const fn spread(name: &'static str, here: &'static str, case: AggregateCase) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (1, 1),
        write: FunctionTranslation::Aggregate(here, &[ArgumentType::Double], DOUBLE),
        doc: DOC,
        case,
    }
}

/// An aggregate of conditions.
pub const fn boolean(name: &'static str, here: &'static str, case: AggregateCase) -> FunctionRule {
    FunctionRule {
        name,
        arguments: (1, 1),
        write: FunctionTranslation::Aggregate(
            here,
            &[ArgumentType::Condition],
            ReturnType::Kind(SqlType::Bool),
        ),
        doc: DOC,
        case,
    }
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
        doc: DOC,
        case,
    }
}
