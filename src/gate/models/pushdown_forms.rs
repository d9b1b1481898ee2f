//! The forms of a comparison that can be evaluated within a model.

use sql::tree::list::NodeList;
use sql::tree::{A_Expr_Kind, Node, NullTestType, nodes};

/// The forms of a comparison that are taken.
pub(super) enum ComparisonForm<'a> {
    /// `c = 1`.
    Infix(&'a nodes::ColumnRef, &'a str, Node<'a>),
    /// `1 = c`.
    Swapped(Node<'a>, &'a str, &'a nodes::ColumnRef),
    /// `c = ANY (array)`.
    Any(&'a nodes::ColumnRef, &'a str, Node<'a>),
    /// `c IN (1, 2)`.
    In(&'a nodes::ColumnRef, &'a NodeList),
    /// `c BETWEEN 1 AND 2`.
    Between(&'a nodes::ColumnRef, &'a NodeList),
    /// `c IS NOT NULL`.
    NotNull(&'a nodes::ColumnRef),
}

impl<'a> ComparisonForm<'a> {
    /// The form of a condition, where it is one of them.
    pub(super) fn of(node: Node<'a>) -> Option<Self> {
        let operation = match node {
            Node::A_Expr(operation) => operation,
            Node::NullTest(test) if test.nulltesttype == NullTestType::IS_NOT_NULL => {
                return match test.arg() {
                    Node::ColumnRef(column) => Some(Self::NotNull(column)),
                    _ => None,
                };
            }
            _ => return None,
        };
        let mut name = operation.name().iter();
        let (symbol, None) = (name.next()?.as_str()?, name.next()) else {
            return None;
        };
        Some(
            match (operation.kind, operation.lexpr(), operation.rexpr()) {
                (A_Expr_Kind::AEXPR_OP, Node::ColumnRef(column), value) => {
                    Self::Infix(column, symbol, value)
                }
                (A_Expr_Kind::AEXPR_OP, value, Node::ColumnRef(column)) => {
                    Self::Swapped(value, symbol, column)
                }
                (A_Expr_Kind::AEXPR_OP_ANY, Node::ColumnRef(column), array) => {
                    Self::Any(column, symbol, array)
                }
                (A_Expr_Kind::AEXPR_IN, Node::ColumnRef(column), Node::NodeList(list))
                    if symbol == "=" =>
                {
                    Self::In(column, list)
                }
                (A_Expr_Kind::AEXPR_BETWEEN, Node::ColumnRef(column), Node::NodeList(bounds)) => {
                    Self::Between(column, bounds)
                }
                _ => return None,
            },
        )
    }
}
