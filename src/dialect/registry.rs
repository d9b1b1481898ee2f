//! The dialects that there are.

use super::bigquery::BigquerySource;
use super::duckdb::DuckdbSource;
use super::mysql::MysqlSource;
use super::snowflake::SnowflakeSource;
use super::source::SourceDialect;
use super::sqlite::SqliteSource;
use super::tsql::TsqlSource;
use policy::Dialect;

/// All of them.
pub const ALL: &[&dyn SourceDialect] = &[
    &MysqlSource,
    &SqliteSource,
    &BigquerySource,
    &TsqlSource,
    &SnowflakeSource,
    &DuckdbSource,
];

/// The one of a name.
pub fn of(dialect: Dialect) -> Option<&'static dyn SourceDialect> {
    ALL.iter().copied().find(|one| one.dialect() == dialect)
}
