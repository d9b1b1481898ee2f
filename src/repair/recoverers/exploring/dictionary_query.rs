//! A query of another system's dictionary, or of information_schema as another system writes it.

use super::dictionary::{self, DictionaryOwner};
use super::dictionary_calls;
use super::lookup::{Lookup, literal};
use super::query_text::{INFORMATION_SCHEMA, QueryText};
use crate::context::{tokens_of, tree_of};
use crate::{Confidence, SessionDatabase};
use catalog::quote::quoted;
use policy::RepairSettings;
use resolve::UsedObject;
use sql::edit::TextEdit;
use sql::extent::PairedTokens;
use sql::extent::name::dotted_name;
use sql::node_access;
use sql::tree::{Node, nodes};

/// What a query comes to.
pub(super) enum DictionaryAnswer {
    /// These edits.
    Edits(Vec<TextEdit>, Confidence),
    /// Words.
    Hint(String),
}

/// Where a text comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryOrigin {
    /// It is the client's.
    Client,
    /// It had brackets or backticks, as no text for Postgres has.
    ForeignQuotes,
}

/// Whether a query may be of a dictionary: whether it is worth a closer look.
pub(super) fn names_dictionary(statement: Node<'_>) -> bool {
    node_access::all(statement).is_some_and(|nodes| {
        nodes.iter().any(|node| match node {
            Node::RangeVar(table) => {
                let name = table.relname().unwrap_or_default();
                let schema = table.schemaname();
                dictionary::find(schema, name).is_some()
                    || schema.is_some_and(|own| own.eq_ignore_ascii_case(INFORMATION_SCHEMA))
            }
            _ => false,
        })
    })
}

/// A query whose relations are looked at.
struct DictionaryQuery<'q> {
    query: QueryText<'q>,
    database: &'q SessionDatabase<'q>,
    settings: &'q RepairSettings,
    confidence: Confidence,
}

/// Looks at a text that Postgres's grammar reads.
pub(super) fn look(
    text: &str,
    database: &SessionDatabase<'_>,
    settings: &RepairSettings,
    origin: QueryOrigin,
) -> Option<DictionaryAnswer> {
    let tree = tree_of(text)?;
    let mut statements = tree.statements();
    let only = statements.next().filter(|_| statements.next().is_none())?;
    let resolution = database.resolve(&tree)?;
    let missing: Vec<usize> = (resolution.uses.iter())
        .filter(|used| matches!(used.what, UsedObject::MissingRelation { .. }))
        .filter_map(|used| used.at)
        .collect();
    let unknown: Vec<usize> = (resolution.uses.iter())
        .filter(|used| matches!(used.what, UsedObject::MissingFunction))
        .filter_map(|used| used.at)
        .collect();
    let tokens = tokens_of(text);
    let mut looked = DictionaryQuery {
        query: QueryText {
            text,
            tokens: &tokens,
            nodes: node_access::all(only.node)?,
            paired: PairedTokens::of(text, &tokens),
            lookup: Lookup::new(database),
            edits: Vec::new(),
            owners: Vec::new(),
        },
        database,
        settings,
        confidence: Confidence::Exact,
    };
    looked.replace_relations(&missing)?;
    let DictionaryQuery {
        mut query,
        confidence,
        ..
    } = looked;
    if let Err(advice) = dictionary_calls::replace(&mut query, &unknown) {
        return Some(DictionaryAnswer::Hint(advice));
    }
    if query.owners.contains(&DictionaryOwner::Sqlite) && query.names_column("sql") {
        return Some(DictionaryAnswer::Hint(NO_SQL.to_owned()));
    }
    if query.owners.contains(&DictionaryOwner::Oracle) {
        query.fold_literals();
    }
    let is_foreign = origin == QueryOrigin::ForeignQuotes && query.names_information_schema();
    if !query.edits.is_empty() || is_foreign {
        query.replace_default_schema();
    }
    (!query.edits.is_empty()).then_some(DictionaryAnswer::Edits(query.edits, confidence))
}

impl DictionaryQuery<'_> {
    /// Each relation that does not exist, and is one of a dictionary; none where another one does
    /// not exist either: it is repaired by others.
    fn replace_relations(&mut self, missing: &[usize]) -> Option<()> {
        let tables: Vec<&nodes::RangeVar> = self.query.tables().collect();
        for table in tables {
            let at = node_access::place(table.location)?;
            if !missing.contains(&at) && table.catalogname().is_none() {
                continue;
            }
            let name = table.relname()?;
            let span = dotted_name(self.query.text, self.query.tokens, at)?;
            let replacement = match table.schemaname() {
                Some(schema) if schema.eq_ignore_ascii_case(INFORMATION_SCHEMA) => {
                    self.of_information_schema(table, name)?
                }
                schema => {
                    let found = dictionary::find(schema, name)?;
                    if table.catalogname().is_some() {
                        self.confidence = Confidence::Likely;
                    }
                    self.query.owners.push(found.owner);
                    format!("({})", found.query(&self.query.lookup))
                }
            };
            let is_query = replacement.starts_with('(');
            let alias = match table.alias() {
                None if is_query => format!(" AS {}", quoted(&name.to_lowercase())),
                _ => String::new(),
            };
            self.query.edit(span, replacement + &alias);
        }
        Some(())
    }

    /// `"INFORMATION_SCHEMA"."TABLES"`, and `dataset.INFORMATION_SCHEMA.TABLES` for the relations
    /// of one schema.
    fn of_information_schema(&mut self, table: &nodes::RangeVar, name: &str) -> Option<String> {
        let name = name.to_lowercase();
        let catalog = self.database.catalog;
        let schema = catalog
            .index()
            .schema(catalog.names().find(INFORMATION_SCHEMA)?)?;
        let mut named = catalog
            .index()
            .relations(catalog.names().find(&name)?)
            .iter();
        named.find(|id| catalog.relation(**id).schema == schema)?;
        let whole = format!("{INFORMATION_SCHEMA}.{}", quoted(&name));
        let Some(dataset) = table.catalogname() else {
            return Some(whole);
        };
        let mapped = self.settings.datasets.get(dataset);
        let dataset = mapped.map_or(dataset, String::as_str);
        match self.query.lookup.schema(&[dataset.to_owned()]) {
            Ok(Some(schema)) if FILTERED.contains(&name.as_str()) => Some(format!(
                "(SELECT * FROM {whole} WHERE table_schema = {})",
                literal(schema)
            )),
            _ => {
                self.confidence = Confidence::Likely;
                Some(whole)
            }
        }
    }
}

/// What has a column `table_schema`.
const FILTERED: &[&str] = &["tables", "columns", "views"];

const NO_SQL: &str = "Postgres does not keep the statements that made its tables: SELECT table_name, \
     column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = \
     'public' ORDER BY table_name, ordinal_position tells the columns.";
