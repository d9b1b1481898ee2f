//! Operators.

use super::{FunctionId, NameId, Oid, OperatorId, SchemaId, TypeId};

/// One operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The server's number.
    pub oid: Oid,
    /// Its schema.
    pub schema: SchemaId,
    /// Its symbol.
    pub name: NameId,
    /// The type on its left; none for a prefix operator.
    pub left: Option<TypeId>,
    /// The type on its right; none for a postfix operator (before version 14).
    pub right: Option<TypeId>,
    /// What it returns; none while it is only announced.
    pub result: Option<TypeId>,
    /// The function behind it; none while it is only announced.
    pub function: Option<FunctionId>,
    /// The operator that the planner may put in its place with the sides swapped.
    pub commutator: Option<OperatorId>,
    /// The operator that the planner may put in the place of NOT it.
    pub negator: Option<OperatorId>,
    /// Whether its function is LEAKPROOF, STRICT and IMMUTABLE: it tells nothing of its sides but
    /// its result, in no error either, and gives NULL where one of them is NULL.
    pub leakproof: bool,
    /// Users' functions that sorts, joins, indexes and partitions run for it.
    pub support: Box<[FunctionId]>,
}
