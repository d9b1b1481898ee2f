//! The pairs of columns that a statement asks to be equal: in ON, in WHERE, in rows, and by IN.

use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, SubLinkType, list, nodes};

/// A column beside the one that it is to equal.
pub(crate) type EquatedColumns<'t> = (&'t nodes::ColumnRef, &'t nodes::ColumnRef);

/// The pairs of a statement; none where it holds something that is not known.
pub(crate) fn equated_columns(statement: Node<'_>) -> Option<Vec<EquatedColumns<'_>>> {
    let mut found = Vec::new();
    for node in node_access::all(statement)? {
        match node {
            Node::A_Expr(operation) => of_operation(operation, &mut found),
            Node::SubLink(link) if link.sub_link_type == SubLinkType::ANY_SUBLINK => {
                let is_equality =
                    matches!(node_access::last_name(link.oper_name()), None | Some("="));
                if let (true, Some(results)) = (is_equality, results(link.subselect())) {
                    pair_with_results(link.testexpr(), results, &mut found);
                }
            }
            _ => {}
        }
    }
    Some(found)
}

fn of_operation<'t>(operation: &'t nodes::A_Expr, found: &mut Vec<EquatedColumns<'t>>) {
    let (left, right) = (operation.lexpr(), operation.rexpr());
    match (operation.kind, right) {
        (A_Expr_Kind::AEXPR_OP, _) if node_access::last_name(operation.name()) == Some("=") => {
            pair(left, right, found);
        }
        (A_Expr_Kind::AEXPR_NOT_DISTINCT, _) => pair(left, right, found),
        (A_Expr_Kind::AEXPR_IN, Node::NodeList(all)) => {
            for one in all {
                pair(left, one, found);
            }
        }
        _ => {}
    }
}

fn pair<'t>(one: Node<'t>, other: Node<'t>, found: &mut Vec<EquatedColumns<'t>>) {
    match (one, other) {
        (Node::RowExpr(one), Node::RowExpr(other)) => {
            for (one, other) in one.args().iter().zip(other.args()) {
                found.extend(column(one).zip(column(other)));
            }
        }
        _ => found.extend(column(one).zip(column(other))),
    }
}

fn pair_with_results<'t>(
    tested: Node<'t>,
    results: Vec<Node<'t>>,
    found: &mut Vec<EquatedColumns<'t>>,
) {
    let tested: Vec<Node<'t>> = match tested {
        Node::RowExpr(row) => row.args().iter().collect(),
        other => vec![other],
    };
    for (one, other) in tested.into_iter().zip(results) {
        found.extend(column(one).zip(column(other)));
    }
}

/// The results of a sub-select: those of the first query of a UNION.
fn results(subselect: Node<'_>) -> Option<Vec<Node<'_>>> {
    let Node::SelectStmt(mut select) = subselect else {
        return None;
    };
    // Each step leads further down the tree.
    while let Some(first) = select.larg() {
        select = first;
    }
    let targets = select.target_list().iter();
    Some(targets.map(|target| target.val()).collect())
}

/// The column whose values an expression has, a cast or a function around it aside.
fn column(node: Node<'_>) -> Option<&nodes::ColumnRef> {
    let mut node = node;
    // Each step leads further down the tree.
    loop {
        node = match node {
            Node::ColumnRef(column) => return Some(column),
            Node::TypeCast(cast) => cast.arg(),
            Node::CollateClause(collate) => collate.arg(),
            Node::FuncCall(call) => first_of(call.args())?,
            Node::CoalesceExpr(coalesce) => first_of(coalesce.args())?,
            Node::SubLink(link) if link.sub_link_type == SubLinkType::EXPR_SUBLINK => {
                results(link.subselect())?.into_iter().next()?
            }
            _ => return None,
        };
    }
}

fn first_of(all: &list::NodeList) -> Option<Node<'_>> {
    all.iter().next()
}
