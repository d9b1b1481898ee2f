//! Functions that dialects have as Postgres has them, once for all of them.

use super::rules::{ArgumentType, FIRST, FLOAT, FunctionRule, INTEGER, window};

const DOC: &str = "https://www.postgresql.org/docs/current/functions-window.html";

/// Window functions of every dialect.
#[rustfmt::skip]
pub const WINDOWS: &[FunctionRule] = &[
    window("row_number", (0, 0), &[], INTEGER, DOC, "ROW_NUMBER() OVER (ORDER BY id)", "row_number() OVER (ORDER BY id)"),
    window("rank", (0, 0), &[], INTEGER, DOC, "RANK() OVER (ORDER BY id)", "rank() OVER (ORDER BY id)"),
    window("dense_rank", (0, 0), &[], INTEGER, DOC, "DENSE_RANK() OVER (ORDER BY id)", "dense_rank() OVER (ORDER BY id)"),
    window("percent_rank", (0, 0), &[], FLOAT, DOC, "PERCENT_RANK() OVER (ORDER BY id)", "percent_rank() OVER (ORDER BY id)"),
    window("ntile", (1, 1), &[ArgumentType::Integer], INTEGER, DOC, "NTILE(4) OVER (ORDER BY id)", "ntile(4) OVER (ORDER BY id)"),
    window("first_value", (1, 1), &[ArgumentType::Any], FIRST, DOC, "FIRST_VALUE(n) OVER (ORDER BY id)", "first_value(n) OVER (ORDER BY id)"),
];

/// Window functions of MySQL, SQLite, BigQuery and T-SQL alone.
#[rustfmt::skip]
pub const DISTRIBUTIONS: &[FunctionRule] = &[
    window("cume_dist", (0, 0), &[], FLOAT, DOC, "CUME_DIST() OVER (ORDER BY id)", "cume_dist() OVER (ORDER BY id)"),
    window("last_value", (1, 1), &[ArgumentType::Any], FIRST, DOC, "LAST_VALUE(n) OVER (ORDER BY id)", "last_value(n) OVER (ORDER BY id)"),
];

/// The rows before and after, by any distance.
#[rustfmt::skip]
pub const NEIGHBOURS: &[FunctionRule] = &[
    window("lag", (1, 3), &[ArgumentType::Any], FIRST, DOC, "LAG(n, 1) OVER (ORDER BY id)", "lag(n, 1) OVER (ORDER BY id)"),
    window("lead", (1, 3), &[ArgumentType::Any], FIRST, DOC, "LEAD(n) OVER (ORDER BY id DESC)", "lead(n) OVER (ORDER BY id DESC)"),
];

/// The same where the distance has to be a whole number.
#[rustfmt::skip]
pub const NEIGHBOURS_AT: &[FunctionRule] = &[
    window("lag", (1, 3), AT, FIRST, DOC, "LAG(n, 1) OVER (ORDER BY id)", "lag(n, 1) OVER (ORDER BY id)"),
    window("lead", (1, 3), AT, FIRST, DOC, "LEAD(n) OVER (ORDER BY id)", "lead(n) OVER (ORDER BY id)"),
];

const AT: &[ArgumentType] = &[ArgumentType::Any, ArgumentType::Integer, ArgumentType::Any];
