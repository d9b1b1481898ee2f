//! Statements of MySQL, SQLite, SQL Server and others that tell what there is, read word by word: a
//! statement of which any word is not understood is none of them.

use super::listings::{Listing, RelationForm};
use super::words::StatementWords;
use crate::Confidence;

/// A statement that tells what there is.
pub(super) enum ExploringStatement {
    /// A list.
    List {
        /// Of what.
        listing: Listing,
        /// The schema that it is narrowed to, as it is named.
        schema: Option<Vec<String>>,
        /// The pattern that its names have.
        like: Option<String>,
        /// How sure.
        confidence: Confidence,
    },
    /// What is told of a relation.
    Relation {
        /// What.
        form: RelationForm,
        /// The relation, as it is named.
        name: Vec<String>,
        /// The pattern that its columns have.
        like: Option<String>,
        /// How sure.
        confidence: Confidence,
    },
    /// The statement that made a relation, which nobody has.
    Definition {
        /// The relation, as it is named.
        name: Vec<String>,
    },
}

/// Reads a statement.
pub(super) fn read(words: StatementWords<'_>) -> Option<ExploringStatement> {
    let readers: [fn(&mut StatementWords<'_>) -> Option<ExploringStatement>; 4] =
        [show, describe, pragma, procedure];
    readers.iter().find_map(|reader| {
        let mut words = words.clone();
        reader(&mut words).filter(|_| words.is_at_end())
    })
}

fn list(listing: Listing) -> ExploringStatement {
    ExploringStatement::List {
        listing,
        schema: None,
        like: None,
        confidence: Confidence::Exact,
    }
}

fn relation(form: RelationForm, name: Vec<String>) -> ExploringStatement {
    ExploringStatement::Relation {
        form,
        name,
        like: None,
        confidence: Confidence::Exact,
    }
}

fn show(words: &mut StatementWords<'_>) -> Option<ExploringStatement> {
    words.take("show").then_some(())?;
    if words.take("create") {
        words.take_any(&["table", "view"]).then_some(())?;
        return Some(ExploringStatement::Definition {
            name: words.name()?,
        });
    }
    words.take_any(&["extended", "terse", "all"]);
    let is_full = words.take("full");
    if words.take_any(&["columns", "fields"]) {
        let name = of_schema(words)?;
        let form = match is_full {
            true => RelationForm::FullColumns,
            false => RelationForm::Describe,
        };
        return Some(ExploringStatement::Relation {
            form,
            name,
            like: like(words)?,
            confidence: Confidence::Exact,
        });
    }
    if !is_full && words.take_any(&["index", "indexes", "keys"]) {
        return Some(relation(RelationForm::Indexes, of_schema(words)?));
    }
    let listing = match words.bare()?.as_str() {
        "tables" if is_full => Listing::FullTables,
        "tables" => Listing::Tables,
        "views" if !is_full => Listing::Views,
        "databases" if !is_full => Listing::Databases,
        "schemas" if !is_full => Listing::Schemas,
        _ => return None,
    };
    let is_of_relations = !matches!(listing, Listing::Databases | Listing::Schemas);
    let mut schema = None;
    if is_of_relations && words.take_any(&["from", "in"]) {
        words.take("schema");
        schema = Some(words.name()?);
    }
    Some(ExploringStatement::List {
        listing,
        schema,
        like: like(words)?,
        confidence: Confidence::Exact,
    })
}

/// `FROM orders FROM shop`.
fn of_schema(words: &mut StatementWords<'_>) -> Option<Vec<String>> {
    words.take_any(&["from", "in"]).then_some(())?;
    let mut name = words.name()?;
    if words.take_any(&["from", "in"]) {
        let mut whole = words.name()?;
        whole.append(&mut name);
        name = whole;
    }
    Some(name)
}

/// `LIKE 'a%'`, if there is one; Spark writes its pattern as `'a*'`.
fn like(words: &mut StatementWords<'_>) -> Option<Option<String>> {
    if !words.take("like") {
        return Some(None);
    }
    let pattern = words.text()?;
    let is_glob = pattern.contains('*') && !pattern.contains('%');
    if pattern.contains('|') {
        return None;
    }
    Some(Some(match is_glob {
        true => pattern.replace('_', "\\_").replace('*', "%"),
        false => pattern,
    }))
}

fn describe(words: &mut StatementWords<'_>) -> Option<ExploringStatement> {
    if words.take("explain") {
        let name = words.name().filter(|name| !is_key_word(name))?;
        return Some(relation(RelationForm::Describe, name));
    }
    words.take_any(&["describe", "desc"]).then_some(())?;
    words.take("table");
    words.take_any(&["extended", "formatted"]);
    let name = words.name().filter(|name| !is_key_word(name))?;
    let column = match words.is_at_end() {
        true => None,
        false => words.text().or_else(|| words.name()?.pop()),
    };
    Some(ExploringStatement::Relation {
        form: RelationForm::Describe,
        name,
        like: column,
        confidence: Confidence::Exact,
    })
}

/// Whether a name is the first word of a query: `EXPLAIN SELECT`.
fn is_key_word(name: &[String]) -> bool {
    matches!(name, [only] if QUERY_WORDS.contains(&only.as_str()))
}

fn pragma(words: &mut StatementWords<'_>) -> Option<ExploringStatement> {
    words.take("pragma").then_some(())?;
    words.take_all(&["main", "."]);
    let name = words.bare()?;
    let of = |form, words: &mut StatementWords<'_>| {
        let is_call = words.take("(");
        (is_call || words.take("=")).then_some(())?;
        let name = words.name()?;
        (!is_call || words.take(")")).then(|| relation(form, name))
    };
    match name.as_str() {
        "table_info" => of(RelationForm::TableInfo, words),
        "table_xinfo" => of(RelationForm::TableXinfo, words),
        "index_list" => of(RelationForm::IndexList, words),
        "foreign_key_list" => of(RelationForm::ForeignKeyList, words),
        "table_list" => Some(list(Listing::SqliteTables)),
        "database_list" => Some(list(Listing::SqliteDatabases)),
        "show_tables" => Some(list(Listing::Tables)),
        _ => None,
    }
}

/// `EXEC sp_columns @table_name = 'orders'`.
fn procedure(words: &mut StatementWords<'_>) -> Option<ExploringStatement> {
    let is_called = words.take_any(&["exec", "execute"]);
    words.take_all(&["sys", "."]);
    let procedure = words.bare()?;
    let argument = match words.is_at_end() {
        true => None,
        false => Some(argument(words)?),
    };
    match (procedure.as_str(), argument) {
        ("sp_help", Some(name)) => Some(ExploringStatement::Relation {
            form: RelationForm::Help,
            name,
            like: None,
            // It tells more than the columns.
            confidence: Confidence::Likely,
        }),
        ("sp_help", None) => Some(ExploringStatement::List {
            listing: Listing::ServerObjects,
            schema: None,
            like: None,
            confidence: Confidence::Likely,
        }),
        ("sp_columns", Some(name)) if is_called => {
            Some(relation(RelationForm::ServerColumns, name))
        }
        ("sp_tables", None) => Some(list(Listing::ServerTables)),
        ("sp_databases", None) => Some(list(Listing::Databases)),
        _ => None,
    }
}

/// The relation that a procedure is told: alone, or by the names of its parameters.
fn argument(words: &mut StatementWords<'_>) -> Option<Vec<String>> {
    if !words.take("@") {
        return words.name();
    }
    let (mut owner, mut table) = (None, None);
    loop {
        let parameter = words.bare()?;
        words.take("=").then_some(())?;
        let value = words.name()?;
        match parameter.as_str() {
            "table_name" | "objname" => table = Some(value),
            "table_owner" => owner = Some(value),
            _ => return None,
        }
        if !words.take(",") {
            break;
        }
        words.take("@").then_some(())?;
    }
    let mut whole = owner.unwrap_or_default();
    whole.extend(table?);
    Some(whole)
}

/// Words that EXPLAIN and DESCRIBE stand before in a statement that is none of these.
const QUERY_WORDS: &[&str] = &[
    "select", "with", "values", "table", "analyze", "analyse", "verbose", "insert", "update",
    "delete", "merge", "execute",
];
