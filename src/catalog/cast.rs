//! Casts.

use super::{FunctionId, TypeId};

/// One cast that the server lists. Casts through text are not listed: they run the output function
/// of one type and the input function of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    /// The type it starts from.
    pub source: TypeId,
    /// The type it makes.
    pub target: TypeId,
    /// How.
    pub method: CastMethod,
    /// Where it happens unasked.
    pub context: CastContext,
}

/// How a cast is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastMethod {
    /// By a function.
    Function(FunctionId),
    /// By taking the bytes as they are.
    Binary,
    /// Through text.
    InOut,
}

/// Where a cast happens unasked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastContext {
    /// Nowhere.
    Explicit,
    /// When a value is assigned to a column.
    Assignment,
    /// In any expression.
    Implicit,
}
