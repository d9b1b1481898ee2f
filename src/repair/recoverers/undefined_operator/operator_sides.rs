//! An operator with what stands beside it.

use crate::dialect::sql_type::SqlType;
use crate::repair::RepairContext;
use crate::sql::extent::{PairedTokens, TokenRange};
use crate::sql::tree::Node;

/// An operator with what stands beside it.
pub(in crate::repair) struct OperatorSides<'s> {
    /// The symbol; `like` for LIKE and its kin.
    pub(in crate::repair) symbol: &'s str,
    /// Where the operator is written.
    pub(in crate::repair) operator: TokenRange,
    /// The left side.
    pub(in crate::repair) left: OperatorSide<'s>,
    /// The right side.
    pub(in crate::repair) right: OperatorSide<'s>,
}

/// One side of an operator.
#[derive(Clone, Copy)]
pub(in crate::repair) struct OperatorSide<'s> {
    /// It in the tree.
    pub(in crate::repair) node: Node<'s>,
    /// It in the text.
    pub(in crate::repair) run: TokenRange,
    /// What it is.
    pub(in crate::repair) kind: SqlType,
}

/// What a repair is found with.
pub(in crate::repair) struct OperatorContext<'c, 's> {
    pub(in crate::repair) context: &'c RepairContext<'s>,
    pub(in crate::repair) ground: &'c PairedTokens<'s>,
}
