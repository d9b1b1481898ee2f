//! The types of all expressions of a statement, for whoever changes some of them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::{Analysis, InferredType, LookupContext, TooDeep};
use sql::tree::Node;

/// The types of the expressions of one tree.
pub struct ExpressionTypes {
    by_node: TypesByNode,
}

/// Types by the places of nodes in memory.
pub(crate) type TypesByNode = HashMap<*const (), InferredType, RandomState>;

/// Finds the types of all expressions of a statement.
///
/// # Errors
/// The text nests deeper than the analysis goes.
pub fn expression_types<'a>(
    node: Node<'a>,
    lookup: &LookupContext<'a>,
) -> Result<ExpressionTypes, TooDeep> {
    let mut analysis = Analysis::new(lookup);
    analysis.typed = Some(HashMap::default());
    analysis.count_parameters(node);
    if let Node::SelectStmt(select) = analysis.carried(node) {
        analysis.query(select, None)?;
    }
    Ok(ExpressionTypes {
        by_node: analysis.typed.take().unwrap_or_default(),
    })
}

impl ExpressionTypes {
    /// What is known of the type of an expression of the same tree.
    pub fn of(&self, node: Node<'_>) -> InferredType {
        let known = address(node).and_then(|at| self.by_node.get(&at));
        known.cloned().unwrap_or(InferredType::Unclear)
    }
}

impl<'a> Analysis<'a> {
    /// Remembers the type of an expression where somebody wants to know.
    pub(crate) fn remember_type(&mut self, node: Node<'a>, inferred: &InferredType) {
        if let Some(typed) = &mut self.typed
            && let Some(at) = address(node)
        {
            let kept = typed.entry(at).or_insert_with(|| inferred.clone());
            if *kept != *inferred {
                *kept = InferredType::Unclear;
            }
        }
    }
}

/// Where a node of an expression is kept: the same node is at the same place as long as its tree.
pub fn address(node: Node<'_>) -> Option<*const ()> {
    fn at<T>(node: &T) -> Option<*const ()> {
        Some(std::ptr::from_ref(node).cast())
    }
    match node {
        Node::ColumnRef(node) => at(node),
        Node::A_Const(node) => at(node),
        Node::ParamRef(node) => at(node),
        Node::FuncCall(node) => at(node),
        Node::A_Expr(node) => at(node),
        Node::TypeCast(node) => at(node),
        Node::CollateClause(node) => at(node),
        Node::NullTest(node) => at(node),
        Node::BooleanTest(node) => at(node),
        Node::BoolExpr(node) => at(node),
        Node::SubLink(node) => at(node),
        Node::CaseExpr(node) => at(node),
        Node::CoalesceExpr(node) => at(node),
        Node::MinMaxExpr(node) => at(node),
        Node::A_ArrayExpr(node) => at(node),
        Node::RowExpr(node) => at(node),
        Node::A_Indirection(node) => at(node),
        Node::SQLValueFunction(node) => at(node),
        _ => None,
    }
}
