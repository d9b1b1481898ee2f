//! Whether a query leaves out the rows for which a missing column has no value: then it does not
//! matter whether those are joined.

use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, nodes};

/// Whether WHERE compares one of the columns that stand at these places, and nothing beside the
/// comparison lets a row pass.
pub(super) fn is_asked_for(select: &nodes::SelectStmt, missing: &[usize]) -> bool {
    let mut parts = node_access::conjuncts(select.where_clause()).into_iter();
    parts.any(|part| match part {
        Node::A_Expr(comparison) if is_strict(comparison) => {
            let mut sides = [comparison.lexpr(), comparison.rexpr()].into_iter();
            sides.any(|side| is_missing(side, missing))
        }
        _ => false,
    })
}

/// Whether a comparison with NULL is never true.
fn is_strict(comparison: &nodes::A_Expr) -> bool {
    match comparison.kind {
        A_Expr_Kind::AEXPR_OP => {
            let name = node_access::last_name(comparison.name());
            name.is_some_and(|name| COMPARISONS.contains(&name))
        }
        A_Expr_Kind::AEXPR_LIKE
        | A_Expr_Kind::AEXPR_ILIKE
        | A_Expr_Kind::AEXPR_IN
        | A_Expr_Kind::AEXPR_BETWEEN => true,
        _ => false,
    }
}

fn is_missing(side: Node<'_>, missing: &[usize]) -> bool {
    let Node::ColumnRef(column) = side else {
        return false;
    };
    let at = node_access::place(column.location);
    at.is_some_and(|at| missing.contains(&at))
}

const COMPARISONS: [&str; 6] = ["=", "<>", "<", ">", "<=", ">="];
