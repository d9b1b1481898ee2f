//! Functions that choose between values.
//!
//! <https://docs.snowflake.com/en/sql-reference/expressions-conditional>

use crate::rules::{FunctionRule, by};
use crate::translator::shared_functions::conditionals::{coalesce, null_if};

const DOC: &str = "https://docs.snowflake.com/en/sql-reference/expressions-conditional";

/// The rows.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("coalesce", (1, 64), coalesce, DOC, "COALESCE(n, 0)", "COALESCE(n, 0)"),
    by("ifnull", (2, 2), coalesce, DOC, "IFNULL(n, 0)", "COALESCE(n, 0) AS ifnull"),
    by("nullif", (2, 2), null_if, DOC, "NULLIF(n, 0)", "NULLIF(n, 0)"),
];
