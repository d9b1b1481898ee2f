//! Foreign dialects: what a translation returns from a real Postgres is what the source dialect
//! returns, row by row.

mod bare_columns;
mod bigquery;
mod by_themselves;
mod checks;
mod date_calls;
mod documented;
mod duckdb;
mod duckdb_server;
pub mod grammar;
mod mixed;
mod mysql;
mod mysql_server;
mod mysql_words;
mod people;
pub mod random;
mod repaired;
mod shared_words;
mod snowflake;
mod sqlite;
mod sqlite_words;
mod support;
mod tsql;
