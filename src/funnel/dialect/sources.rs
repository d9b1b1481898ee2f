//! The dialects that there are.

use super::bigquery_source::Bigquery;
use super::duckdb_source::Duckdb;
use super::mysql::Mysql;
use super::snowflake_source::Snowflake;
use super::source::Source;
use super::sqlite_source::Sqlite;
use super::tsql_source::Tsql;
use crate::policy::Dialect;

/// All of them.
pub const ALL: &[&dyn Source] = &[&Mysql, &Sqlite, &Bigquery, &Tsql, &Snowflake, &Duckdb];

/// The one of a name.
pub fn of(dialect: Dialect) -> Option<&'static dyn Source> {
    ALL.iter().copied().find(|one| one.dialect() == dialect)
}
