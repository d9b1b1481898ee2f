//! A statement that is linted, and what the rules ask of it.

use catalog::{Catalog, Oid, TypeId};
use ground::limits::lints::LINT_ITEMS_MAX;
use resolve::expression::node_types::{ExpressionTypes, expression_types};
use resolve::{InferredType, Resolution, UsedObject};
use sql::tree::{Node, nodes};

use super::database_facts::{DatabaseFacts, LintDatabase};
use super::query::{ColumnAt, FromItem, Query, QueryId, QueryTree};
use sql::node_access::last_name;

/// A statement, its queries, and what is known of the database.
pub(crate) struct LintedStatement<'a> {
    /// The queries.
    pub(crate) tree: QueryTree<'a>,
    /// The catalog, if there is one.
    pub(crate) catalog: Option<&'a Catalog>,
    /// What else is known; nothing without a catalog.
    pub(crate) facts: Option<&'a DatabaseFacts>,
    types: Option<ExpressionTypes>,
}

impl<'a> LintedStatement<'a> {
    /// Looks through a statement; none where it is larger than lints follow.
    pub(crate) fn of(node: Node<'a>, database: Option<&LintDatabase<'a>>) -> Option<Self> {
        let (mut resolution, mut types) = (None, None);
        let mut seen = None;
        if let Some(database) = database {
            let found = resolve::statement(node, &database.lookup).ok()?;
            seen = Some(database).filter(|database| may_read_all(database, &found));
            resolution = Some(found);
            types = Some(expression_types(node, &database.lookup).ok()?);
        }
        Some(Self {
            tree: QueryTree::of(node, resolution.as_ref().filter(|_| seen.is_some()))?,
            catalog: seen.map(|database| database.lookup.catalog),
            facts: seen.map(|database| database.facts),
            types: types.filter(|_| seen.is_some()),
        })
    }

    /// The queries whose joins can be followed.
    pub(crate) fn queries(&self) -> impl Iterator<Item = (QueryId, &Query<'a>)> {
        self.tree
            .queries()
            .filter(|(_, query)| query.items.len() <= LINT_ITEMS_MAX)
    }

    /// The type of an expression, if it is known.
    pub(crate) fn type_of(&self, node: Node<'a>) -> Option<TypeId> {
        match self.types.as_ref()?.of(node) {
            InferredType::Known(id) => Some(id),
            InferredType::Literal
            | InferredType::Parameter(_)
            | InferredType::Row(_)
            | InferredType::Unclear => None,
        }
    }

    /// The same as the server's number.
    pub(crate) fn type_oid(&self, node: Node<'a>) -> Option<Oid> {
        let id = self.type_of(node)?;
        Some(self.catalog?.data_type(id).oid)
    }

    /// The column that an expression is, casts and calls aside: none for anything else.
    pub(crate) fn plain_column(&self, query: QueryId, node: Node<'a>) -> Option<ColumnAt<'a>> {
        match node {
            Node::ColumnRef(reference) => self.tree.column(query, reference),
            _ => None,
        }
    }

    /// The relation and the number of the column of a table that a column passes on unchanged.
    pub(crate) fn table_column(&self, at: &ColumnAt<'a>) -> Option<TableColumn<'a>> {
        let catalog = self.catalog?;
        let (relation, number) = self.tree.origin(at)?;
        let columns = catalog.columns_of(relation);
        let column = columns.iter().find(|column| column.number == number)?;
        Some(TableColumn {
            relation,
            oid: catalog.relation(relation).oid,
            column,
        })
    }

    /// Whether a call is of an aggregate, and not of a window.
    pub(crate) fn is_aggregate(&self, call: &nodes::FuncCall) -> bool {
        let Some(name) = last_name(call.funcname()) else {
            return false;
        };
        if call.over().is_some() {
            return false;
        }
        let known = self.catalog.is_some_and(|catalog| {
            let named = catalog.names().find(name);
            let functions = named.map(|name| catalog.index().functions(name));
            let mut functions = functions.unwrap_or_default().iter();
            functions.any(|id| {
                let kind = &catalog.function(*id).kind;
                matches!(kind, catalog::FunctionKind::Aggregate { .. })
            })
        });
        known || call.agg_star || AGGREGATES.contains(&name)
    }

    /// Whether a call may return any number of rows.
    fn returns_set(&self, call: &nodes::FuncCall) -> bool {
        let Some(name) = last_name(call.funcname()) else {
            return true;
        };
        match self.catalog {
            None => SETS.contains(&name),
            Some(catalog) => {
                let named = catalog.names().find(name);
                let functions = named.map(|name| catalog.index().functions(name));
                let mut functions = functions.unwrap_or_default().iter();
                functions.any(|id| catalog.function(*id).returns_set)
            }
        }
    }

    /// Whether a query returns one row at most, as far as its clauses show.
    pub(crate) fn is_single_row(&self, id: QueryId) -> bool {
        let Some(query) = self.tree.query(id) else {
            return false;
        };
        let select = query.select;
        if let Some(1) = sql::node_access::constant_integer(select.limit_count()) {
            return true;
        }
        if query.is_set_operation() {
            return false;
        }
        if !select.values_lists().is_empty() {
            return select.values_lists().len() == 1;
        }
        let own_calls = || self.calls_of(id);
        let makes_rows = own_calls().any(|call| self.returns_set(call));
        let grouped = !select.group_clause().is_empty();
        let aggregates = own_calls().any(|call| self.is_aggregate(call));
        let no_rows_multiplied = select.from_clause().is_empty() || aggregates;
        !makes_rows && !grouped && no_rows_multiplied
    }

    /// The calls that stand in a query, and in none below it.
    pub(crate) fn calls_of(&self, id: QueryId) -> impl Iterator<Item = &'a nodes::FuncCall> {
        let nodes = self.tree.nodes().iter();
        nodes.filter_map(move |visited| match visited.node {
            Node::FuncCall(call) if visited.query == Some(id) => Some(call),
            _ => None,
        })
    }

    /// What an item of FROM is called in a message.
    pub(crate) fn item_name(item: &FromItem<'a>) -> String {
        item.name.map_or_else(
            || "a sub-select".into(),
            |name| catalog::quoted(name).into_owned(),
        )
    }

    /// What a column is called in a message.
    pub(crate) fn column_name(&self, at: &ColumnAt<'a>) -> String {
        let item = self.tree.item(at);
        let own = catalog::quoted(at.name);
        match item.and_then(|item| item.name) {
            Some(name) => format!("{}.{own}", catalog::quoted(name)),
            None => own.into_owned(),
        }
    }
}

/// Whether the author may read all that a statement names: what a table is like that is hidden from
/// them is not told.
fn may_read_all(database: &LintDatabase<'_>, found: &Resolution<'_>) -> bool {
    let catalog = database.lookup.catalog;
    found.uses.iter().all(|used| match &used.what {
        UsedObject::Relation { id, .. } => database.rights.sees_relation(*id),
        UsedObject::Column {
            origin: Some((id, number)),
            ..
        } => {
            let mut columns = catalog.columns_of(*id).iter();
            let column = columns.find(|column| column.number == *number);
            column.is_none_or(|column| database.rights.may_read_column(*id, column))
        }
        _ => true,
    })
}

/// A column of a table.
#[derive(Clone, Copy)]
pub(crate) struct TableColumn<'a> {
    /// The relation.
    pub(crate) relation: catalog::RelationId,
    /// The server's number of it.
    pub(crate) oid: Oid,
    /// The column.
    pub(crate) column: &'a catalog::Column,
}

/// Aggregates that are known without a catalog.
const AGGREGATES: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "array_agg",
    "string_agg",
    "bool_and",
    "bool_or",
    "every",
    "stddev",
    "stddev_samp",
    "stddev_pop",
    "variance",
    "var_samp",
    "var_pop",
    "json_agg",
    "jsonb_agg",
    "percentile_cont",
    "percentile_disc",
    "mode",
];

/// Functions that return rows, and are known without a catalog.
const SETS: &[&str] = &[
    "generate_series",
    "unnest",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "json_array_elements",
    "jsonb_array_elements",
    "json_each",
    "jsonb_each",
    "json_array_elements_text",
    "jsonb_array_elements_text",
    "jsonb_object_keys",
];
