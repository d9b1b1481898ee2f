//! Snowflake's aggregates.
//!
//! <https://docs.snowflake.com/en/sql-reference/functions-aggregation>

use crate::analytic::aggregates::{array, joined};
use crate::rules::{ArgumentType, BOOL, FunctionRule, aggregate, by};

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/functions-aggregation";

/// What DuckDB does not have, or has otherwise.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("listagg", (1, 2), joined, DOC, "LISTAGG(s, ',') WITHIN GROUP (ORDER BY id)", "COALESCE(string_agg(s, ',' ORDER BY id), '') AS listagg"),
    by("array_agg", (1, 1), array, DOC, "ARRAY_AGG(n) WITHIN GROUP (ORDER BY id)", "array_agg(n ORDER BY id) FILTER (WHERE n IS NOT NULL)"),
    aggregate("boolor_agg", (1, 1), "bool_or", &[ArgumentType::Condition], BOOL, DOC, "BOOLOR_AGG(n > 1)", "bool_or(n > 1) AS boolor_agg"),
    aggregate("booland_agg", (1, 1), "bool_and", &[ArgumentType::Condition], BOOL, DOC, "BOOLAND_AGG(n > 1)", "bool_and(n > 1) AS booland_agg"),
];
