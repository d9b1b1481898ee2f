//! What no parse tree shows: the functions that run behind views, operators, casts, types, fields
//! and the overloads of a built-in's name.
//!
//! Two looks. [`suspect_names`]: each name of a statement, once, without scopes, types or
//! search_path; where none is marked, all is clean, whatever the names stand for.
//! [`resolve_effects`]: only where a name is marked, what it stands for in this statement; what
//! cannot be told counts as the worst that it may be. [`parameters`]: what stands in no text.
//! Without a snapshot, the rule `catalog_missing`.

pub(super) mod coercion;
pub mod graph;
pub(super) mod lookup;
pub(super) mod missing_objects;
pub(super) mod parameters;
pub(super) mod refusal;
pub(super) mod resolve_effects;
pub(super) mod suspect_names;
pub(crate) mod type_names;

use catalog::NameId;

/// A name of a statement that some object hides an effect under.
#[derive(Clone, Copy)]
pub(super) struct SuspectName {
    pub(super) sort: NameUse,
    pub(super) name: NameId,
    pub(super) spelling: SpellingMatch,
}

/// Whether the name of the statement is that of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpellingMatch {
    /// It is.
    Exact,
    /// It may be to a server that folds letters which this one does not, or that cuts long names
    /// later: one whose database has an encoding of single bytes folds `É` where it stands without
    /// quotes, and keeps 63 of them.
    Folded,
}

/// As what the name stands in the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    /// A function that is called.
    Function,
    /// A field, or a function in field notation.
    Field,
    /// An operator, written or implied.
    Operator,
    /// A relation.
    Relation,
    /// A type, or a function that may be one.
    Type,
}

#[cfg(test)]
mod tests;
