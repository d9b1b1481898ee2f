//! Foreign dialects: sqlparser reads the text, a strict translator of ours writes Postgres. What
//! has no mapping is refused with a hint that names it.
//!
//! * [`source`]: what a dialect brings along: its evidence, semantics, function rules and hooks;
//!   [`rules`]: a function's row, [`standard`]: those that dialects share; [`registry`]: the
//!   dialects that there are
//! * [`mysql`] (and MariaDB), [`sqlite`], [`bigquery`], [`tsql`], [`snowflake`], [`duckdb`]: one
//!   folder each, its functions in files by subject; `analytic`: what the last two have alike
//! * [`detect`]: which dialect a text is of, if it is of one at all; [`partial_reading`]: a
//!   dialect of which a text has not all; [`parse`]: its tree, bounded
//! * [`translator`]: the translation of a tree, one file for each part of the language
//! * [`calls`]: foreign calls in a text that Postgres itself reads
//! * [`sql_type`]: the types that both tell apart; [`date_patterns`]: patterns of dates that
//!   several dialects have; [`template`]: expressions with places for arguments
//! * [`session_database`]: the database that names are looked up in; [`confidence`]: how sure a
//!   translation is
//!
//! Nothing is printed by sqlparser, whose own printing changes literals. Every struct of its tree
//! is taken apart by all its fields: what is not understood is refused, never left out.

mod analytic;
pub mod bigquery;
pub mod calls;
pub mod confidence;
pub mod date_patterns;
pub mod detect;
pub mod duckdb;
pub mod mysql;
pub mod parse;
pub mod partial_reading;
pub mod registry;
#[cfg(test)]
mod rule_cases;
pub mod rules;
pub mod session_database;
pub mod snowflake;
pub mod source;
pub mod sql_type;
pub mod sqlite;
pub mod standard;
pub mod template;
pub mod translator;
pub mod tsql;

use crate::confidence::Confidence;
use crate::session_database::SessionDatabase;
use policy::{Dialect, RepairSettings};

pub use self::translator::untranslatable::Untranslatable;

use self::translator::Translator;

/// A text of this dialect in Postgres's SQL; none where the dialect's grammar does not read it as
/// one query.
pub fn translate(
    text: &str,
    dialect: Dialect,
    database: Option<&SessionDatabase<'_>>,
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
    database: Option<&SessionDatabase<'_>>,
    server_major: u16,
    settings: &RepairSettings,
) -> Option<Result<DialectTranslation, Untranslatable>> {
    translation_from(
        text,
        registry::of(dialect)?,
        database,
        server_major,
        settings,
    )
}

/// The same from a dialect, or from its [`partial_reading`].
pub fn translation_from(
    text: &str,
    source: &'static dyn source::SourceDialect,
    database: Option<&SessionDatabase<'_>>,
    server_major: u16,
    settings: &RepairSettings,
) -> Option<Result<DialectTranslation, Untranslatable>> {
    let query = parse::query(text, source)?;
    let mut translator = Translator::new(source, database, server_major);
    translator.datasets = &settings.datasets;
    let written = translator.query(&query);
    Some(written.map(|written| DialectTranslation {
        text: written.text,
        confidence: translator.confidence,
    }))
}

/// A text of Postgres's, and how sure it is that it means the same.
pub struct DialectTranslation {
    /// The text.
    pub text: String,
    /// How sure.
    pub confidence: Confidence,
}
