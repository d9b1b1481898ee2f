//! psql's commands, sent as a text: `\dt`, `\d orders`.
//!
//! <https://www.postgresql.org/docs/current/app-psql.html>

use super::listings::{Listing, RelationForm};
use super::statement::ExploringStatement;
use super::words::parts_of;
use crate::Confidence;

/// What a command comes to.
pub(super) enum PsqlCommand {
    /// A statement.
    Known(ExploringStatement),
    /// It is one of psql's own.
    Unknown,
}

/// Reads a text that begins with a backslash.
pub(super) fn read(text: &str) -> Option<PsqlCommand> {
    let text = text.trim();
    let command = text.strip_prefix('\\')?.trim_start_matches('\\');
    let command = command.trim_end_matches(';').trim();
    let (name, argument) = match command.split_once(char::is_whitespace) {
        Some((name, argument)) => (name, Some(argument.trim())),
        None => (command, None),
    };
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        .then_some(())?;
    Some(
        known(name.trim_end_matches('+'), argument)
            .map_or(PsqlCommand::Unknown, PsqlCommand::Known),
    )
}

fn known(name: &str, argument: Option<&str>) -> Option<ExploringStatement> {
    let listing = match name {
        "d" => match argument {
            None => Listing::Psql("'r', 'p', 'v', 'm', 'f'"),
            Some(argument) => return described(argument),
        },
        "dt" => Listing::Psql("'r', 'p'"),
        "dv" => Listing::Psql("'v'"),
        "dm" => Listing::Psql("'m'"),
        "dn" => Listing::PsqlSchemas,
        "l" | "list" => Listing::PsqlDatabases,
        _ => return None,
    };
    let is_of_relations = matches!(listing, Listing::Psql(_));
    let (schema, like) = match argument {
        None => (None, None),
        Some(argument) if is_of_relations => pattern(argument)?,
        Some(_) => return None,
    };
    // `*.*` lists what the path does not lead to, too.
    let (listing, schema) = match (listing, schema.as_deref()) {
        (Listing::Psql(kinds), Some("*")) => (Listing::PsqlEverywhere(kinds), None),
        (listing, _) => (listing, schema),
    };
    Some(ExploringStatement::List {
        listing,
        schema: schema.map(|schema| vec![schema]),
        like,
        confidence: Confidence::Exact,
    })
}

fn described(argument: &str) -> Option<ExploringStatement> {
    let is_pattern = argument.contains(['*', '?', ' ']) && !argument.starts_with('"');
    if is_pattern {
        return None;
    }
    let name: Vec<String> = parts_of(argument)?;
    Some(ExploringStatement::Relation {
        form: RelationForm::Psql,
        name,
        like: None,
        confidence: Confidence::Exact,
    })
}

/// `public.ord*`: a schema and a pattern of LIKE. A schema of `*` is any.
fn pattern(argument: &str) -> Option<(Option<String>, Option<String>)> {
    if argument.contains([' ', '"', '?', '|', '[', '(']) {
        return None;
    }
    let (schema, name) = match argument.split_once('.') {
        Some((schema, name)) => (Some(schema), name),
        None => (None, argument),
    };
    if schema.is_some_and(|schema| schema.contains('*') && schema != "*") || name.contains('.') {
        return None;
    }
    let like = match name {
        "*" | "" => None,
        name => Some(name.replace('_', "\\_").replace('*', "%")),
    };
    Some((schema.map(str::to_owned), like))
}
