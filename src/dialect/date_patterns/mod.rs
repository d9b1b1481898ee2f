//! Patterns of dates, as Postgres's `to_char` and `to_date` take them.
//!
//! * [`strftime`]: patterns with `%`, by a table of fields of each dialect
//! * [`date_format`]: MySQL's, SQLite's, BigQuery's, Java's, .NET's and Snowflake's patterns, for
//!   calls in a text that Postgres reads and for MySQL, T-SQL and Snowflake
//! * `to_char`: a pattern of Postgres's, as both write it

pub mod date_format;
pub(super) mod strftime;
mod to_char;
