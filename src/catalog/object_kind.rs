//! The kinds of objects that a snapshot holds: a closed list, for counts and metrics.

use std::fmt;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// What is set for the database as a whole.
    Settings,
    /// Roles and their memberships.
    Role,
    /// Schemas.
    Schema,
    /// Tables, foreign tables and sequences.
    Relation,
    /// Views and materialized views.
    View,
    /// Columns.
    Column,
    /// Primary, unique and foreign keys.
    Key,
    /// Row-security policies.
    Policy,
    /// Types.
    Type,
    /// Functions, aggregates, window functions and procedures.
    Function,
    /// Operators.
    Operator,
    /// Casts.
    Cast,
    /// What single sessions made for themselves: it comes and goes with them.
    Temporary,
}

impl ObjectKind {
    /// All of them, in the order of their places.
    pub const ALL: [Self; 13] = [
        Self::Settings,
        Self::Role,
        Self::Schema,
        Self::Relation,
        Self::View,
        Self::Column,
        Self::Key,
        Self::Policy,
        Self::Type,
        Self::Function,
        Self::Operator,
        Self::Cast,
        Self::Temporary,
    ];

    /// Its name in metrics and logs.
    pub fn label(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Role => "role",
            Self::Schema => "schema",
            Self::Relation => "relation",
            Self::View => "view",
            Self::Column => "column",
            Self::Key => "key",
            Self::Policy => "policy",
            Self::Type => "type",
            Self::Function => "function",
            Self::Operator => "operator",
            Self::Cast => "cast",
            Self::Temporary => "temporary",
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.label())
    }
}
