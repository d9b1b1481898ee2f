//! What stands in a FROM, and how it is joined.

use std::sync::Arc;

use resolve::{ColumnCompleteness, ScopeColumn, ScopeView};
use sql::node_access::conjuncts;
use sql::tree::{JoinType, Node, nodes};

use super::{ConditionClause, QueryCondition, QueryId, QueryTree};
use catalog::RelationId;

/// Something in FROM.
pub(crate) struct FromItem<'a> {
    /// Its alias, or its own name.
    pub(crate) name: Option<&'a str>,
    /// Where it is written.
    pub(crate) at: Option<usize>,
    /// What it is.
    pub(crate) source: ItemSource<'a>,
    /// Its columns; none where they are not known.
    pub(crate) columns: Option<Arc<[ScopeColumn<'a>]>>,
    /// The relation that it is, where the catalog has it.
    pub(crate) relation: Option<RelationId>,
    /// It, where it may speak of what stands to its left.
    pub(crate) lateral: Option<Node<'a>>,
}

/// What an item is.
#[derive(Clone, Copy)]
pub(crate) enum ItemSource<'a> {
    /// A table or view.
    Relation,
    /// A sub-select, or a query of WITH.
    Query(&'a nodes::SelectStmt),
    /// Something else: a function, a join with a name, a query of WITH that reads itself.
    Other,
}

/// A join of items.
pub(crate) struct ItemJoin<'a> {
    /// The places of the items on its left side, from and before which.
    pub(crate) left: (usize, usize),
    /// The same of its right side.
    pub(crate) right: (usize, usize),
    /// How it is written.
    pub(crate) form: JoinForm,
    /// Whether it keeps rows of one side that have no partner.
    pub(crate) is_outer: bool,
    /// The columns of its USING.
    pub(crate) using: Vec<&'a str>,
}

/// How a join is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinForm {
    /// CROSS JOIN: each row with each.
    Cross,
    /// With ON or USING.
    Condition,
    /// NATURAL: by whatever names both have.
    Natural,
}

/// What a FROM brings.
#[derive(Default)]
pub(crate) struct FromContent<'a> {
    pub(crate) items: Vec<FromItem<'a>>,
    pub(crate) joins: Vec<ItemJoin<'a>>,
    pub(crate) conditions: Vec<QueryCondition<'a>>,
    /// The items that an outer join may leave empty.
    pub(crate) may_be_empty: Vec<usize>,
}

/// Reads the FROM of a query.
pub(super) fn read<'a>(
    tree: &QueryTree<'a>,
    id: QueryId,
    scope: Option<&ScopeView<'a>>,
) -> FromContent<'a> {
    let mut reader = FromReader {
        tree,
        id,
        scope,
        content: FromContent::default(),
    };
    if let Some(query) = tree.query(id) {
        for node in query.select.from_clause() {
            reader.item(node);
        }
    }
    reader.content
}

struct FromReader<'s, 'a> {
    tree: &'s QueryTree<'a>,
    id: QueryId,
    scope: Option<&'s ScopeView<'a>>,
    content: FromContent<'a>,
}

impl<'a> FromReader<'_, 'a> {
    /// Reads one item; calls itself no deeper than the statement nests, which is bounded.
    fn item(&mut self, node: Node<'a>) -> (usize, usize) {
        let first = self.content.items.len();
        match node {
            Node::JoinExpr(join) if join.alias().is_none() => self.join(join),
            Node::JoinExpr(join) => {
                let name = join.alias().and_then(nodes::Alias::aliasname);
                self.add(name, None, ItemSource::Other, None);
            }
            Node::RangeVar(table) => self.relation(table),
            Node::RangeTableSample(sample) => match sample.relation() {
                Node::RangeVar(table) => self.relation(table),
                _ => self.add(None, None, ItemSource::Other, None),
            },
            Node::RangeSubselect(range) => {
                let name = range.alias().and_then(nodes::Alias::aliasname);
                let source = match range.subquery() {
                    Node::SelectStmt(select) => ItemSource::Query(select),
                    _ => ItemSource::Other,
                };
                let lateral = range.lateral.then_some(node);
                self.add(name, None, source, lateral);
            }
            Node::RangeFunction(range) => {
                let name = range.alias().and_then(nodes::Alias::aliasname);
                self.add(name, None, ItemSource::Other, Some(node));
            }
            _ => self.add(None, None, ItemSource::Other, Some(node)),
        }
        (first, self.content.items.len())
    }

    fn join(&mut self, join: &'a nodes::JoinExpr) {
        let left = self.item(join.larg());
        let right = self.item(join.rarg());
        let may_be_empty: Vec<usize> = {
            let own = left.0..right.1;
            let empty = self.content.may_be_empty.iter().copied();
            empty.filter(|place| own.contains(place)).collect()
        };
        let is_outer = join.jointype != JoinType::JOIN_INNER;
        let clause = match is_outer {
            true => ConditionClause::OuterOn,
            false => ConditionClause::InnerOn,
        };
        let has_condition = !matches!(join.quals(), Node::None);
        if has_condition {
            let parts = conjuncts(join.quals()).into_iter();
            self.content
                .conditions
                .extend(parts.map(|node| QueryCondition {
                    node,
                    clause,
                    may_be_empty: may_be_empty.clone(),
                }));
        }
        let using = join.using_clause().iter();
        let using: Vec<&'a str> = using.filter_map(|name| name.sval()).collect();
        let form = match (join.is_natural, has_condition || !using.is_empty()) {
            (true, _) => JoinForm::Natural,
            (false, true) => JoinForm::Condition,
            (false, false) => JoinForm::Cross,
        };
        self.content.joins.push(ItemJoin {
            left,
            right,
            form,
            is_outer,
            using,
        });
        let empty = match join.jointype {
            JoinType::JOIN_LEFT => right.0..right.1,
            JoinType::JOIN_RIGHT => left.0..left.1,
            JoinType::JOIN_FULL => left.0..right.1,
            _ => 0..0,
        };
        for place in empty {
            if !self.content.may_be_empty.contains(&place) {
                self.content.may_be_empty.push(place);
            }
        }
    }

    fn relation(&mut self, table: &'a nodes::RangeVar) {
        let alias = table.alias().and_then(nodes::Alias::aliasname);
        let name = alias.or(table.relname());
        let at = sql::node_access::place(table.location);
        let source = match table.schemaname() {
            None => self.common_table(table.relname().unwrap_or_default()),
            Some(_) => None,
        };
        self.add(name, at, source.unwrap_or(ItemSource::Relation), None);
    }

    /// The query of WITH that a name without a schema means, if there is one.
    fn common_table(&self, name: &str) -> Option<ItemSource<'a>> {
        let mut around = self.tree.chain(self.id).map(|(_, query)| query.select);
        let (with, table) = around.find_map(|select| {
            let with = select.with_clause()?;
            let mut tables = with.ctes().iter();
            let table = tables.find(|table| table.ctename() == Some(name))?;
            Some((with, table))
        })?;
        Some(match table.ctequery() {
            Node::SelectStmt(select) if !with.recursive => ItemSource::Query(select),
            _ => ItemSource::Other,
        })
    }

    fn add(
        &mut self,
        name: Option<&'a str>,
        at: Option<usize>,
        source: ItemSource<'a>,
        lateral: Option<Node<'a>>,
    ) {
        let mut known = self.scope.iter().flat_map(|scope| scope.items.iter());
        let known = name.and_then(|name| known.find(|item| item.is_called(name)));
        let complete = known.filter(|item| item.completeness == ColumnCompleteness::Complete);
        self.content.items.push(FromItem {
            name,
            at,
            source,
            columns: complete.map(|item| Arc::clone(&item.columns)),
            relation: known.and_then(|item| item.relation),
            lateral,
        });
    }
}
