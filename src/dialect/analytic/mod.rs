//! What Snowflake and DuckDB have alike: rows, casts, and the syntax that only these two have. What
//! one of them has otherwise is in its own folder; the few answers that differ by a word ask which
//! of the two is translated.

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod conditionals;
pub(super) mod dates;
pub(super) mod expressions;
pub(super) mod numbers;
pub(super) mod strings;
