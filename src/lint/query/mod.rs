//! The queries of a statement: each SELECT, what it stands in, what stands in its FROM, and what
//! its conditions say.
//!
//! * [`from`]: the items of a FROM and the conditions of its joins
//! * [`columns`]: what a name means in a query
//! * [`equalities`]: what conditions make equal
//! * [`nulls`]: where NULL cannot be; [`keys`]: which columns tell one row

mod columns;
mod equalities;
mod from;
mod keys;
mod nulls;

use std::collections::HashMap;

use ground::limits::lints::{LINT_DEPTH_MAX, LINT_NODES_MAX};
use resolve::Resolution;
use sql::node_access::conjuncts;
use sql::tree::{self, Node, SetOperation, SubLinkType, nodes};

pub(crate) use self::columns::{ColumnAt, first_place};
pub(crate) use self::equalities::{EqualityRight, QueryLinks};
pub(crate) use self::from::{FromItem, ItemJoin, ItemSource, JoinForm};
pub(crate) use self::nulls::{NullAnalysis, NullTarget, is_star};

/// A query of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueryId(usize);

/// All queries of a statement, and all its nodes.
pub(crate) struct QueryTree<'a> {
    nodes: Vec<VisitedNode<'a>>,
    queries: Vec<Query<'a>>,
    places: HashMap<*const nodes::SelectStmt, QueryId>,
}

/// A node of a statement.
pub(crate) struct VisitedNode<'a> {
    /// The node.
    pub(crate) node: Node<'a>,
    /// What it stands in, by its place among the nodes.
    pub(crate) parent: Option<usize>,
    /// The query whose clauses it stands in.
    pub(crate) query: Option<QueryId>,
}

/// One SELECT, VALUES or set operation.
pub(crate) struct Query<'a> {
    /// It.
    pub(crate) select: &'a nodes::SelectStmt,
    /// The query around it.
    pub(crate) outer: Option<QueryId>,
    /// What it is in that, or in the statement.
    pub(crate) role: QueryRole,
    /// What stands in its FROM, from the left.
    pub(crate) items: Vec<FromItem<'a>>,
    /// How that is joined.
    pub(crate) joins: Vec<ItemJoin<'a>>,
    /// What has to hold for its rows: the parts of ON, WHERE and HAVING.
    pub(crate) conditions: Vec<QueryCondition<'a>>,
    may_be_empty: Vec<usize>,
}

/// What a query is where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryRole {
    /// What the statement returns.
    Whole,
    /// A side of a set operation.
    SetArm,
    /// It stands in FROM.
    Item,
    /// It stands in WITH.
    CommonTable,
    /// It stands in an expression.
    Expression(SubLinkType::Type),
}

/// One condition of those that all have to hold.
pub(crate) struct QueryCondition<'a> {
    /// It.
    pub(crate) node: Node<'a>,
    /// Where it stands.
    pub(crate) clause: ConditionClause,
    /// The items that an outer join may have left empty by then.
    pub(crate) may_be_empty: Vec<usize>,
}

/// Where a condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConditionClause {
    /// In WHERE.
    Where,
    /// In HAVING.
    Having,
    /// In the ON of an inner join.
    InnerOn,
    /// In the ON of an outer join: it takes no rows away from the side that is kept.
    OuterOn,
}

impl<'a> QueryTree<'a> {
    /// Those of a statement; none where it nests too deep, is too large, or has a node of a kind
    /// that is not known.
    pub(crate) fn of(statement: Node<'a>, resolution: Option<&Resolution<'a>>) -> Option<Self> {
        let mut found = Self {
            nodes: Vec::new(),
            queries: Vec::new(),
            places: HashMap::new(),
        };
        found.visit(statement)?;
        for place in 0..found.queries.len() {
            found.read_from(QueryId(place), resolution);
        }
        Some(found)
    }

    fn visit(&mut self, statement: Node<'a>) -> Option<()> {
        let mut waiting = vec![WaitingNode {
            node: statement,
            parent: None,
            query: None,
            role: QueryRole::Whole,
            depth: 0,
        }];
        let mut children = Vec::new();
        while let Some(next) = waiting.pop() {
            if next.depth > LINT_DEPTH_MAX || self.nodes.len() >= LINT_NODES_MAX {
                return None;
            }
            let mut query = next.query;
            if let Node::SelectStmt(select) = next.node {
                query = Some(self.add_query(select, next.query, next.role));
            }
            let place = self.nodes.len();
            self.nodes.push(VisitedNode {
                node: next.node,
                parent: next.parent,
                query: next.query,
            });
            children.clear();
            tree::children(next.node, &mut children).ok()?;
            let role = match next.node {
                Node::SubLink(link) => QueryRole::Expression(link.sub_link_type),
                Node::RangeSubselect(_) => QueryRole::Item,
                Node::CommonTableExpr(_) => QueryRole::CommonTable,
                Node::SelectStmt(_) => QueryRole::SetArm,
                _ => QueryRole::Whole,
            };
            // Popped from the end: the first child is to come first.
            waiting.extend(children.iter().rev().map(|child| WaitingNode {
                node: *child,
                parent: Some(place),
                query,
                role,
                depth: next.depth.saturating_add(1),
            }));
        }
        Some(())
    }

    fn add_query(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: Option<QueryId>,
        role: QueryRole,
    ) -> QueryId {
        let id = QueryId(self.queries.len());
        self.places.insert(select, id);
        self.queries.push(Query {
            select,
            outer,
            role,
            items: Vec::new(),
            joins: Vec::new(),
            conditions: Vec::new(),
            may_be_empty: Vec::new(),
        });
        id
    }

    fn read_from(&mut self, id: QueryId, resolution: Option<&Resolution<'a>>) {
        let Some(query) = self.query(id) else { return };
        let select = query.select;
        let scope = resolution.and_then(|known| known.scope(known.scope_of(select)?));
        let mut found = from::read(self, id, scope);
        let may_be_empty = found.may_be_empty.clone();
        let clauses = [
            (select.where_clause(), ConditionClause::Where),
            (select.having_clause(), ConditionClause::Having),
        ];
        for (condition, clause) in clauses {
            let parts = conjuncts(condition).into_iter();
            let parts = parts.filter(|part| !matches!(part, Node::None));
            found.conditions.extend(parts.map(|node| QueryCondition {
                node,
                clause,
                may_be_empty: may_be_empty.clone(),
            }));
        }
        if let Some(query) = self.queries.get_mut(id.0) {
            query.items = found.items;
            query.joins = found.joins;
            query.conditions = found.conditions;
            query.may_be_empty = may_be_empty;
        }
    }

    /// All nodes, parents before children, in the order of the text.
    pub(crate) fn nodes(&self) -> &[VisitedNode<'a>] {
        &self.nodes
    }

    /// All queries, outer ones first.
    pub(crate) fn queries(&self) -> impl Iterator<Item = (QueryId, &Query<'a>)> {
        let all = self.queries.iter().enumerate();
        all.map(|(place, query)| (QueryId(place), query))
    }

    /// A query.
    pub(crate) fn query(&self, id: QueryId) -> Option<&Query<'a>> {
        self.queries.get(id.0)
    }

    /// The query of a SELECT of this statement.
    pub(crate) fn query_of(&self, select: &nodes::SelectStmt) -> Option<QueryId> {
        self.places.get(&std::ptr::from_ref(select)).copied()
    }

    /// A query and those around it, nearest first.
    pub(crate) fn chain(&self, id: QueryId) -> impl Iterator<Item = (QueryId, &Query<'a>)> {
        let first = self.query(id).map(|query| (id, query));
        std::iter::successors(first, |(_, query)| {
            let outer = query.outer?;
            Some((outer, self.query(outer)?))
        })
    }

    /// What a node stands in, nearest first.
    pub(crate) fn parents<'s>(
        &'s self,
        visited: &'s VisitedNode<'a>,
    ) -> impl Iterator<Item = &'s VisitedNode<'a>> {
        let parent = |visited: &&'s VisitedNode<'a>| self.nodes.get(visited.parent?);
        std::iter::successors(parent(&visited), parent)
    }

    /// The item of FROM that a column is of.
    pub(crate) fn item(&self, at: &ColumnAt<'a>) -> Option<&FromItem<'a>> {
        self.query(at.query)?.items.get(at.item)
    }
}

impl Query<'_> {
    /// Whether it is UNION, INTERSECT or EXCEPT.
    pub(crate) fn is_set_operation(&self) -> bool {
        self.select.op != SetOperation::SETOP_NONE
    }
}

struct WaitingNode<'a> {
    node: Node<'a>,
    parent: Option<usize>,
    query: Option<QueryId>,
    role: QueryRole,
    depth: usize,
}
