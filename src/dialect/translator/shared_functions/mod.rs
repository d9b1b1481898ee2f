//! What functions of several dialects come to in Postgres. Where the dialects differ, the caller
//! says how.
//!
//! * [`conditionals`]: IF, COALESCE, NULLIF, GREATEST, LEAST; [`numbers`]: rounding and means;
//!   [`aggregates`]: COUNT and SUM
//! * [`dates`]: dates as arguments, boundaries of units; [`regexp`]: regular expressions of RE2

pub mod aggregates;
pub mod conditionals;
pub mod dates;
pub mod numbers;
pub mod regexp;
