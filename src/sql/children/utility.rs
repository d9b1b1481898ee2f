//! Statements that are no query themselves but carry one, or carry values.
//!
//! That a kind stands here says only that its fields are known, not that it may run.

use pg_raw_parse::Node;

use super::{FoundChildren, KindKnown};

pub(super) fn visit<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::ExplainStmt(explain) => {
            found.one(explain.query());
            found.many(explain.options())
        }
        Node::CopyStmt(copy) => {
            found.one(copy.relation());
            found.one(copy.query());
            found.names(copy.attlist());
            found.many(copy.options());
            found.one(copy.where_clause())
        }
        Node::PrepareStmt(prepare) => {
            found.many(prepare.argtypes());
            found.one(prepare.query())
        }
        Node::ExecuteStmt(execute) => found.many(execute.params()),
        Node::DeclareCursorStmt(declare) => found.one(declare.query()),
        Node::VariableSetStmt(set) => found.many(set.args()),
        Node::TransactionStmt(transaction) => found.many(transaction.options()),
        Node::DefElem(option) => found.one(option.arg()),
        Node::VariableShowStmt(_)
        | Node::DeallocateStmt(_)
        | Node::FetchStmt(_)
        | Node::ClosePortalStmt(_)
        | Node::DiscardStmt(_)
        | Node::UnlistenStmt(_) => found.nothing(),
        _ => KindKnown::Unknown,
    }
}
