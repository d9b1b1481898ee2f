//! Functions of users that a server runs without being asked for them: support functions.
//!
//! The system catalogs name functions in many columns; those that are properties of one object (a
//! type's input, an aggregate's parts) stand with the object. What is here is run for something
//! else than the object that names it, or for everything at once.

use super::{FunctionId, OperatorId, RelationId};

/// One function, and what it is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SupportFunction {
    /// What it is run for.
    pub of: SupportTarget,
    /// The function; none where the snapshot does not have it.
    pub function: Option<FunctionId>,
}

/// What a support function is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupportTarget {
    /// Reads of a relation: functions in the families of its indexes' operator classes, handlers of
    /// the access methods of its indexes and of its own.
    Relation(RelationId),
    /// Reads of a partitioned table and of its partitions: functions in the families of the
    /// operator classes of its key.
    PartitionKey(RelationId),
    /// Statements with an operator: estimators of its selectivity, handlers of access methods with
    /// families that it belongs to.
    Operator(OperatorId),
    /// Calls of a function: its SUPPORT function, transforms of its arguments.
    Function(FunctionId),
    /// Names of types with modifiers that a text holds (`typmodin`).
    TypeModifier,
    /// Printing of stored expressions and statistics (`typoutput`, `typmodout`).
    Printing,
    /// Text search: templates of dictionaries, parsers.
    TextSearch,
    /// Default conversions between encodings.
    Conversion,
    /// Handlers of foreign-data wrappers.
    ForeignDataWrapper,
    /// Handlers of access methods, asked for their properties.
    AccessMethod,
}
