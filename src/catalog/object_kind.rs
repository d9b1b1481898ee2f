//! The kinds of objects that a snapshot holds: a closed list, for counts and metrics.

use std::fmt;

use ground::words::words;

words! {
    /// A kind of object.
    ObjectKind {
        /// What is set for the database as a whole.
        Settings => "settings",
        /// Roles and their memberships.
        Role => "role",
        /// Schemas.
        Schema => "schema",
        /// Tables, foreign tables and sequences.
        Relation => "relation",
        /// Views and materialized views.
        View => "view",
        /// Columns.
        Column => "column",
        /// Primary, unique and foreign keys.
        Key => "key",
        /// Row-security policies.
        Policy => "policy",
        /// Types.
        Type => "type",
        /// Functions, aggregates, window functions and procedures.
        Function => "function",
        /// Operators.
        Operator => "operator",
        /// Casts.
        Cast => "cast",
        /// What single sessions made for themselves: it comes and goes with them.
        Temporary => "temporary",
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
