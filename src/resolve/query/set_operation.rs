//! UNION, INTERSECT and EXCEPT. Chains of any length and either lean are loops.
//!
//! <https://www.postgresql.org/docs/current/typeconv-union-case.html>

use super::NO_PLACE;
use super::with::RecursiveTable;
use crate::{
    Analysis, InferredType, QueryOutput, ResultColumn, Scope, ScopeItem, TooDeep, UsedObject,
};
use sql::tree::{SetOperation, nodes};

impl<'a> Analysis<'a> {
    /// What a set operation names and returns, with its ORDER BY and LIMIT.
    pub(crate) fn set_operation(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let left = self.operands(select.larg(), scope)?;
        let right = self.operands(select.rarg(), scope)?;
        let shape = self.combined(select, left, right);
        self.after_set_operation(select, shape, scope)
    }

    /// The same for the query of a common table that reads itself: the second half sees what the
    /// first one makes, and does not change its types.
    pub(crate) fn recursive_union(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &mut Scope<'_, 'a>,
        recursion: &RecursiveTable<'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut left = self.operands(select.larg(), scope)?;
        for column in &mut left.columns {
            column.origin = None;
            column.inferred = self.text_if_untyped(column.inferred.clone(), NO_PLACE);
        }
        self.publish(recursion, &left, scope)?;
        let right = self.operands(select.rarg(), scope)?;
        // The casts of the second half's columns are noted; the result has the first one's types.
        self.combined(select, left.clone(), right);
        self.after_set_operation(select, left, scope)
    }

    /// ORDER BY sees the columns of the result, and nothing else.
    fn after_set_operation(
        &mut self,
        select: &'a nodes::SelectStmt,
        shape: QueryOutput<'a>,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        if !select.sort_clause().is_empty() {
            let columns = self.columns_of_shape(&shape, &[])?;
            scope.items.push(ScopeItem {
                completeness: shape.completeness,
                ..ScopeItem::of_columns(None, columns.into())
            });
        }
        self.sort_and_limit(select, &shape, scope)?;
        Ok(shape)
    }

    /// One side of a set operation: a query, or set operations down to the queries below them.
    fn operands(
        &mut self,
        root: Option<&'a nodes::SelectStmt>,
        scope: &Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut steps: Vec<SetOperationStep<'a>> =
            root.map(SetOperationStep::Query).into_iter().collect();
        let mut done: Vec<QueryOutput<'a>> = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                SetOperationStep::Query(select) if is_inner(select) => {
                    steps.push(SetOperationStep::Combine(select));
                    steps.extend(select.rarg().map(SetOperationStep::Query));
                    steps.extend(select.larg().map(SetOperationStep::Query));
                }
                SetOperationStep::Query(select) => done.push(self.operand(select, Some(scope))?),
                SetOperationStep::Combine(select) => {
                    let right = done.pop().unwrap_or_else(QueryOutput::open);
                    let left = done.pop().unwrap_or_else(QueryOutput::open);
                    done.push(self.combined(select, left, right));
                }
            }
        }
        Ok(done.pop().unwrap_or_else(QueryOutput::open))
    }

    /// The columns of two sides together: called as on the left, of the type that both share.
    fn combined(
        &mut self,
        select: &nodes::SelectStmt,
        left: QueryOutput<'a>,
        right: QueryOutput<'a>,
    ) -> QueryOutput<'a> {
        let completeness = left.completeness.and(right.completeness);
        let mut columns = Vec::with_capacity(left.columns.len());
        for (one, other) in left.columns.into_iter().zip(right.columns) {
            let inferred = if one.inferred == other.inferred && is_known(&one.inferred) {
                one.inferred
            } else {
                let shared = self.common_type(&[one.inferred, other.inferred], NO_PLACE);
                self.text_if_untyped(shared, NO_PLACE)
            };
            if !(select.all && select.op == SetOperation::SETOP_UNION) {
                let inferred = inferred.clone();
                self.note_at(NO_PLACE, UsedObject::Compared { inferred });
            }
            columns.push(ResultColumn::computed(one.name, inferred));
        }
        QueryOutput {
            columns,
            completeness,
        }
    }
}

/// What is still to be done of a set operation; the last one first.
enum SetOperationStep<'a> {
    Query(&'a nodes::SelectStmt),
    Combine(&'a nodes::SelectStmt),
}

/// Whether a query is a set operation that is no query of its own: one without ORDER BY, LIMIT or
/// WITH.
fn is_inner(select: &nodes::SelectStmt) -> bool {
    use sql::tree::Node;
    select.op != SetOperation::SETOP_NONE
        && select.sort_clause().is_empty()
        && matches!(select.limit_offset(), Node::None)
        && matches!(select.limit_count(), Node::None)
        && select.locking_clause().is_empty()
        && select.with_clause().is_none()
}

fn is_known(inferred: &InferredType) -> bool {
    matches!(inferred, InferredType::Known(_))
}
