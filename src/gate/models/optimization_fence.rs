//! What keeps the planner out of a model's SELECT, and what is let in.
//!
//! A SELECT that leaves rows away ends in OFFSET 0, which the planner does not move anything
//! across: else it could run a client's `1/(x-5)` on the rows that are left away.

use super::from_names;
use super::model_body::relation_at;
use catalog::{Catalog, FunctionId, RelationId, RelationKind};
use resolve::{Resolution, UsedObject};
use sql::tree::{Node, SetOperation, nodes};

/// Where a model's SELECT is evaluated.
#[derive(Clone, Copy)]
pub(crate) enum ModelEvaluation<'i> {
    /// Together with the statement around it.
    Open,
    /// By itself, with a condition of the statement's.
    Fence(Option<&'i str>),
}

/// Whether the planner is kept out of a model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OptimizationFence {
    /// It is not, or keeps out by itself.
    None,
    /// Nothing is moved into it but what is written there.
    Offset,
}

impl OptimizationFence {
    /// A SELECT in parentheses, and what keeps the planner out of it. A condition is evaluated
    /// within, together with the model's own.
    pub(super) fn around(self, select: String, inside: Option<&str>) -> String {
        match (self, inside) {
            (Self::None, _) => format!("({select})"),
            (Self::Offset, None) => format!("({select}{ENDS}"),
            (Self::Offset, Some(condition)) => {
                format!("(SELECT * FROM ({select}) AS {INSIDE} WHERE {condition}{ENDS}")
            }
        }
    }
}

/// Whether nothing is moved into a SELECT as it is: it leaves no row of a table away, or the
/// planner keeps out of it.
pub(super) fn needs_no_fence(
    select: &nodes::SelectStmt,
    named: &from_names::StatementNames<'_>,
    resolution: &Resolution<'_>,
    catalog: &Catalog,
) -> bool {
    let is_none = |node: Node<'_>| matches!(node, Node::None);
    if !is_none(select.limit_count()) || !is_none(select.limit_offset()) {
        return true;
    }
    let (from, 1) = (select.from_clause(), select.from_clause().len()) else {
        return false;
    };
    let ([table], Some(Node::RangeVar(from))) = (named.tables.as_slice(), from.iter().next())
    else {
        return false;
    };
    let is_table = |id: RelationId| {
        matches!(
            catalog.relation(id).kind,
            RelationKind::Table | RelationKind::PartitionedTable
        )
    };
    let read = relation_at(resolution, usize::try_from(table.node.location).ok());
    // A function of rows leaves those away that it makes none of.
    let gives_rows = |id: &FunctionId| catalog.function(*id).returns_set;
    let has_rows = resolution.uses.iter().any(|used| match &used.what {
        UsedObject::Functions { candidates, .. } => candidates.iter().any(gives_rows),
        UsedObject::Operators { candidates, .. } => {
            let mut behind = candidates.iter().map(|id| catalog.operator(*id).function);
            behind.any(|function| function.as_ref().is_none_or(gives_rows))
        }
        _ => false,
    });
    !has_rows
        && std::ptr::eq(from, table.node)
        && matches!(read, Some(Some(id)) if is_table(id))
        && select.op == SetOperation::SETOP_NONE
        && is_none(select.where_clause())
        && is_none(select.having_clause())
        && select.group_clause().is_empty()
        && select.distinct_clause().is_empty()
        && select.window_clause().is_empty()
        && select.sort_clause().is_empty()
        && select.values_lists().is_empty()
        && select.with_clause().is_none()
}

/// What a model is called where a condition about it stands within its fence.
pub(crate) const INSIDE: &str = "\"m\"";

/// The end of a model that has a fence.
pub(crate) const ENDS: &str = " OFFSET 0)";
