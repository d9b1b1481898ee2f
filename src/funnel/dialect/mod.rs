//! Foreign dialects: sqlparser reads the text, a strict rewriter of ours writes Postgres. What has
//! no mapping is refused with a hint that names it.
//!
//! * [`decide`]: which dialect a text has evidence of; [`mixture`] and [`postgres_marks`]: whether
//!   it is of one at all; [`read`]: its tree, bounded; [`sources`]: the dialects that there are;
//!   [`source`]: what one brings along
//! * [`writer`]: the state of a translation, spread over [`query`], [`select`], [`from`],
//!   [`expression`], [`condition`], [`compare`], [`arithmetic`], [`call`], [`window`], [`interval`]
//!   and [`convert`]
//! * [`written`]: what an expression became, and what is known of its value; [`scope`] and
//!   [`name`]: what names stand for; [`literal`] and [`moment`]: values
//! * [`untranslatable`]: what has no translation
//! * [`mysql`] and the files named after it: MySQL and MariaDB; [`sqlite_source`] and those named
//!   so: SQLite; [`bigquery_source`] and those named so: BigQuery; [`tsql_source`],
//!   [`snowflake_source`] and [`duckdb_source`] likewise; [`strftime`]: patterns of dates that
//!   several have
//!
//! Nothing is printed by sqlparser, whose own printing changes literals. Every struct of its tree
//! is taken apart by all its fields: what is not understood is refused, never left out.

pub mod arithmetic;
mod bigquery_aggregates;
mod bigquery_cast;
mod bigquery_expression;
mod bigquery_formats;
mod bigquery_json;
mod bigquery_moment;
mod bigquery_names;
mod bigquery_numbers;
mod bigquery_regexp;
pub mod bigquery_source;
mod bigquery_texts;
mod bigquery_times;
pub mod call;
#[cfg(test)]
mod cases;
pub mod compare;
pub mod condition;
pub mod convert;
pub mod decide;
mod duckdb_functions;
mod duckdb_functions_written;
pub mod duckdb_source;
mod everything;
pub mod expression;
pub mod first;
pub mod from;
pub mod interval;
pub mod literal;
pub(in crate::funnel) mod mixture;
pub mod moment;
pub mod mysql;
pub mod mysql_aggregates;
pub mod mysql_calendar;
pub mod mysql_casts;
pub mod mysql_choices;
pub mod mysql_dates;
pub mod mysql_evidence;
pub mod mysql_expressions;
pub mod mysql_json;
pub mod mysql_numbers;
pub mod mysql_operators;
pub mod mysql_patterns;
pub mod mysql_substrings;
pub mod mysql_texts;
pub mod mysql_tokens;
pub mod name;
mod order;
mod postgres_marks;
mod qualify;
pub mod query;
pub mod read;
pub mod scope;
pub mod select;
mod select_star;
mod snowflake_aggregates;
mod snowflake_aggregates_written;
mod snowflake_casts;
mod snowflake_choices;
mod snowflake_expressions;
mod snowflake_moments;
mod snowflake_moments_written;
mod snowflake_numbers;
pub mod snowflake_source;
mod snowflake_texts;
pub mod source;
pub mod sources;
mod sqlite_aggregates;
mod sqlite_cast;
mod sqlite_compare;
mod sqlite_expression;
mod sqlite_formats;
mod sqlite_functions;
mod sqlite_glob;
mod sqlite_json;
mod sqlite_moment;
mod sqlite_printf;
mod sqlite_shape;
pub mod sqlite_source;
mod sqlite_times;
mod strftime;
mod tsql_aggregates;
mod tsql_casts;
mod tsql_choices;
mod tsql_dates;
mod tsql_dates_written;
mod tsql_evidence;
mod tsql_expressions;
mod tsql_formats;
mod tsql_from;
mod tsql_moment;
mod tsql_numbers;
mod tsql_operators;
mod tsql_patterns;
mod tsql_searches;
pub mod tsql_source;
mod tsql_texts;
mod tsql_texts_written;
mod tsql_tokens;
pub mod untranslatable;
pub mod window;
pub mod writer;
pub mod written;

use crate::funnel::confidence::Confidence;
use crate::funnel::database::Database;
use crate::policy::{Dialect, RepairSettings};

pub use self::untranslatable::Untranslatable;

use self::writer::Writer;

/// A text of this dialect in Postgres's SQL; none where the dialect's grammar does not read it as
/// one query.
pub fn translate(
    text: &str,
    dialect: Dialect,
    database: Option<&Database<'_>>,
    server_major: u16,
) -> Option<Result<String, Untranslatable>> {
    let settings = RepairSettings::default();
    translation(text, dialect, database, server_major, &settings)
        .map(|result| result.map(|translation| translation.text))
}

/// The same, with how sure it is.
pub fn translation(
    text: &str,
    dialect: Dialect,
    database: Option<&Database<'_>>,
    server_major: u16,
    settings: &RepairSettings,
) -> Option<Result<Translation, Untranslatable>> {
    let source = sources::of(dialect)?;
    let query = read::query(text, source)?;
    let mut writer = Writer::new(source, database, server_major);
    writer.datasets = &settings.datasets;
    let written = writer.query(&query);
    Some(written.map(|written| Translation {
        text: written.text,
        confidence: writer.confidence,
    }))
}

/// A text of Postgres's, and how sure it is that it means the same.
pub struct Translation {
    /// The text.
    pub text: String,
    /// How sure.
    pub confidence: Confidence,
}
