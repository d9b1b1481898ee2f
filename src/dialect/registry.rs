//! The dialects that there are.

use super::bigquery::Bigquery;
use super::duckdb::Duckdb;
use super::mysql::Mysql;
use super::snowflake::Snowflake;
use super::source::Source;
use super::sqlite::Sqlite;
use super::tsql::Tsql;
use crate::policy::Dialect;

/// All of them.
pub const ALL: &[&dyn Source] = &[&Mysql, &Sqlite, &Bigquery, &Tsql, &Snowflake, &Duckdb];

/// The one of a name.
pub fn of(dialect: Dialect) -> Option<&'static dyn Source> {
    ALL.iter().copied().find(|one| one.dialect() == dialect)
}
