//! A query of another system's dictionary, or of information_schema as another system writes it.

use super::dictionary::{self, DictionaryOwner};
use super::dictionary_calls;
use super::lookup::{Lookup, literal};
use crate::context::tokens_of;
use crate::{Confidence, SessionDatabase};
use catalog::quote::quoted;
use policy::RepairSettings;
use resolve::UsedObject;
use sql::edit::TextEdit;
use sql::extent::PairedTokens;
use sql::extent::name::dotted_name;
use sql::node_access::{self, constant_text};
use sql::tree::{self, A_Expr_Kind, Node, nodes};

/// What a query comes to.
pub(super) enum DictionaryAnswer {
    /// These edits.
    Edits(Vec<TextEdit>, Confidence),
    /// Words.
    Hint(String),
}

/// A query that is looked at.
pub(super) struct DictionaryQuery<'q> {
    pub(super) text: &'q str,
    pub(super) tokens: &'q [sql::lexer::Token],
    pub(super) nodes: Vec<Node<'q>>,
    pub(super) paired: PairedTokens<'q>,
    pub(super) lookup: Lookup<'q>,
    database: &'q SessionDatabase<'q>,
    settings: &'q RepairSettings,
    edits: Vec<TextEdit>,
    confidence: Confidence,
    owners: Vec<DictionaryOwner>,
}

/// Looks at a text that Postgres's grammar reads.
pub(super) fn look(
    text: &str,
    database: &SessionDatabase<'_>,
    settings: &RepairSettings,
) -> Option<DictionaryAnswer> {
    let tree = tree::parse(text).ok()?;
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
    let mut query = DictionaryQuery {
        text,
        tokens: &tokens,
        nodes: node_access::all(only.node)?,
        paired: PairedTokens::of(text, &tokens),
        lookup: Lookup::new(database),
        database,
        settings,
        edits: Vec::new(),
        confidence: Confidence::Exact,
        owners: Vec::new(),
    };
    query.replace_relations(&missing)?;
    if let Err(advice) = dictionary_calls::replace(&mut query, &unknown) {
        return Some(DictionaryAnswer::Hint(advice));
    }
    if query.owners.contains(&DictionaryOwner::Sqlite) && query.names_column("sql") {
        return Some(DictionaryAnswer::Hint(NO_SQL.to_owned()));
    }
    if query.owners.contains(&DictionaryOwner::Oracle) {
        query.fold_literals();
    }
    if !query.edits.is_empty() {
        query.replace_default_schema();
    }
    (!query.edits.is_empty()).then_some(DictionaryAnswer::Edits(query.edits, query.confidence))
}

impl<'q> DictionaryQuery<'q> {
    pub(super) fn edit(&mut self, span: std::ops::Range<usize>, replacement: String) {
        self.edits.push(TextEdit { span, replacement });
    }

    /// Whether a relation of SQL Server's is named.
    pub(super) fn is_of_server(&self) -> bool {
        self.owners.contains(&DictionaryOwner::Server)
    }

    /// Whether information_schema is named.
    pub(super) fn names_information_schema(&self) -> bool {
        self.tables()
            .filter_map(nodes::RangeVar::schemaname)
            .any(|schema| schema.eq_ignore_ascii_case(INFORMATION_SCHEMA))
    }

    fn tables(&self) -> impl Iterator<Item = &'q nodes::RangeVar> {
        let tables = self.nodes.iter().map(|node| match node {
            Node::RangeVar(table) => Some(*table),
            _ => None,
        });
        tables.flatten()
    }

    /// Each relation that does not exist, and is one of a dictionary; none where another one does
    /// not exist either: it is repaired by others.
    fn replace_relations(&mut self, missing: &[usize]) -> Option<()> {
        let tables: Vec<&nodes::RangeVar> = self.tables().collect();
        for table in tables {
            let at = node_access::place(table.location)?;
            if !missing.contains(&at) && table.catalogname().is_none() {
                continue;
            }
            let name = table.relname()?;
            let span = dotted_name(self.text, self.tokens, at)?;
            let replacement = match table.schemaname() {
                Some(schema) if schema.eq_ignore_ascii_case(INFORMATION_SCHEMA) => {
                    self.of_information_schema(table, name)?
                }
                schema => {
                    let found = dictionary::find(schema, name)?;
                    if table.catalogname().is_some() {
                        self.confidence = Confidence::Likely;
                    }
                    self.owners.push(found.owner);
                    format!("({})", found.query(&self.lookup))
                }
            };
            let is_query = replacement.starts_with('(');
            let alias = match table.alias() {
                None if is_query => format!(" AS {}", quoted(&name.to_lowercase())),
                _ => String::new(),
            };
            self.edit(span, replacement + &alias);
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
        match self.lookup.schema(&[dataset.to_owned()]) {
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

    fn names_column(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::ColumnRef(column) => {
                column.fields().iter().next_back().and_then(Node::as_str) == Some(name)
            }
            _ => false,
        })
    }

    /// Names that Oracle keeps in capitals, where they are compared.
    fn fold_literals(&mut self) {
        let mut found: Vec<(usize, String)> = Vec::new();
        for node in &self.nodes {
            let Node::A_Expr(comparison) = node else {
                continue;
            };
            let is_name = match comparison.lexpr() {
                Node::ColumnRef(column) => (column.fields().iter().next_back())
                    .and_then(Node::as_str)
                    .is_some_and(|name| NAME_COLUMNS.contains(&name)),
                _ => false,
            };
            if !is_name {
                continue;
            }
            let literals: Vec<Node<'_>> = match (comparison.kind, comparison.rexpr()) {
                (A_Expr_Kind::AEXPR_IN, Node::NodeList(list)) => list.iter().collect(),
                (A_Expr_Kind::AEXPR_OP | A_Expr_Kind::AEXPR_LIKE, one) => vec![one],
                _ => Vec::new(),
            };
            for literal in literals {
                if let (Some(text), Node::A_Const(constant)) = (constant_text(literal), literal)
                    && let Some(at) = node_access::place(constant.location)
                    && text.to_uppercase() == text
                {
                    let known = self.lookup.name_in_capitals(text).map(str::to_owned);
                    found.push((at, known.unwrap_or_else(|| text.to_lowercase())));
                }
            }
        }
        for (at, name) in found {
            self.replace_token(at, literal(&name));
        }
    }

    /// `'dbo'` where it is compared with a schema, and there is no schema of this name.
    fn replace_default_schema(&mut self) {
        if !matches!(self.lookup.schema(&["dbo".to_owned()]), Ok(None)) {
            return;
        }
        let mut found: Vec<usize> = Vec::new();
        for node in &self.nodes {
            if let Node::A_Expr(comparison) = node
                && let Node::A_Const(constant) = comparison.rexpr()
                && constant_text(comparison.rexpr()).is_some_and(|text| text == "dbo")
                && comparison.kind == A_Expr_Kind::AEXPR_OP
            {
                found.extend(node_access::place(constant.location));
            }
        }
        for at in found {
            self.replace_token(at, "pg_catalog.current_schema()".to_owned());
        }
    }

    fn replace_token(&mut self, at: usize, replacement: String) {
        let token = self.tokens.iter().find(|token| token.span.start == at);
        if let Some(span) = token.map(|token| token.span.clone())
            && !self.edits.iter().any(|edit| edit.span.contains(&at))
        {
            self.edit(span, replacement);
        }
    }
}

const INFORMATION_SCHEMA: &str = "information_schema";

/// What has a column `table_schema`.
const FILTERED: &[&str] = &["tables", "columns", "views"];

/// Columns of Oracle's dictionary that hold names.
const NAME_COLUMNS: &[&str] = &[
    "table_name",
    "view_name",
    "object_name",
    "column_name",
    "owner",
];

const NO_SQL: &str = "Postgres does not keep the statements that made its tables: SELECT table_name, \
     column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = \
     'public' ORDER BY table_name, ordinal_position tells the columns.";
