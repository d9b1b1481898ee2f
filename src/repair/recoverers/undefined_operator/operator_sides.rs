//! An operator with what stands beside it.

use crate::RepairContext;
use dialect::sql_type::SqlType;
use sql::extent::{PairedTokens, TokenRange};
use sql::tree::Node;

/// An operator with what stands beside it.
pub(crate) struct OperatorSides<'s> {
    /// The symbol; `like` for LIKE and its kin.
    pub(crate) symbol: &'s str,
    /// Where the operator is written.
    pub(crate) operator: TokenRange,
    /// The left side.
    pub(crate) left: OperatorSide<'s>,
    /// The right side.
    pub(crate) right: OperatorSide<'s>,
}

/// One side of an operator.
#[derive(Clone, Copy)]
pub(crate) struct OperatorSide<'s> {
    /// It in the tree.
    pub(crate) node: Node<'s>,
    /// It in the text.
    pub(crate) run: TokenRange,
    /// What it is.
    pub(crate) kind: SqlType,
}

/// What a repair is found with.
pub(crate) struct OperatorContext<'c, 's> {
    pub(crate) context: &'c RepairContext<'s>,
    pub(crate) ground: &'c PairedTokens<'s>,
}
