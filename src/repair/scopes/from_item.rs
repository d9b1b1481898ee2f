//! What stands in the FROM of a query: items that have columns, and joins between them.

use std::ops::Range;

use super::column_reference::QueryClause;
use catalog::RelationId;
use resolve::{ColumnCompleteness, ScopeColumn};
use sql::tree::{JoinType, Node};

/// Something in FROM that has columns.
pub(crate) struct FromItem<'a> {
    /// What qualifies its columns.
    pub name: Option<&'a str>,
    /// Where it is named.
    pub at: Option<usize>,
    /// The relation that it is.
    pub relation: Option<RelationId>,
    /// Whether ONLY stands before it.
    pub only: bool,
    /// Whether a model of the policy stands for the relation.
    pub covered: bool,
    /// Its columns; none where they are hidden by the alias of a join.
    pub columns: &'a [ScopeColumn<'a>],
    /// Whether these are all.
    pub completeness: ColumnCompleteness,
    /// Whether an outer join may put NULLs in the place of its rows.
    pub nullable: bool,
    /// Whether the alias of a join hides its name.
    pub hidden: bool,
}

/// A join.
pub(crate) struct FromJoin<'a> {
    /// How rows without a partner are treated.
    pub kind: JoinType::Type,
    /// The leaves on its left side.
    pub left: Range<usize>,
    /// The leaves on its right side.
    pub right: Range<usize>,
    /// Its condition.
    pub quals: Node<'a>,
    /// The names of USING, or those that NATURAL finds.
    pub using: Vec<&'a str>,
}

/// Where a node stands.
#[derive(Clone, Copy, Default)]
pub(super) struct NodePosition {
    pub level: Option<usize>,
    pub clause: QueryClause,
    pub join: Option<usize>,
}
