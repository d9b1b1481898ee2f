//! Small questions to nodes of the tree.

use super::tree::{self, BoolExprType, ConstValue, Node, list::NodeList, nodes};

/// The string that a node is.
pub fn constant_text(node: Node<'_>) -> Option<&str> {
    match node {
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The integer that a node is.
pub fn constant_integer(node: Node<'_>) -> Option<i64> {
    match node {
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::Integer(value)) => Some(i64::from(value)),
            Some(ConstValue::Float(digits)) => digits.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The last part of a name.
pub fn last_name(list: &NodeList) -> Option<&str> {
    list.iter().next_back().and_then(Node::as_str)
}

/// The last part of the name of a cast's type; none for arrays of it.
pub fn cast_name(cast: &nodes::TypeCast) -> Option<&str> {
    let name = cast.type_name()?;
    if !name.array_bounds().is_empty() {
        return None;
    }
    name.names().iter().next_back()?.sval()
}

/// Where the tree says that a node is.
pub fn place(location: i32) -> Option<usize> {
    usize::try_from(location).ok()
}

/// The conditions that all have to hold where a condition does: the parts of AND, however nested,
/// the last first; the condition itself where it is no AND.
pub fn conjuncts(condition: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![condition];
    while let Some(node) = waiting.pop() {
        match node {
            Node::BoolExpr(and) if and.boolop == BoolExprType::AND_EXPR => {
                waiting.extend(and.args());
            }
            part => found.push(part),
        }
    }
    found
}

/// Every node of a statement, parents before children. None where a node is of a kind that is not
/// known.
pub fn all(statement: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut found = Vec::new();
    let mut waiting = vec![statement];
    while let Some(node) = waiting.pop() {
        found.push(node);
        tree::children(node, &mut waiting).ok()?;
    }
    Some(found)
}
