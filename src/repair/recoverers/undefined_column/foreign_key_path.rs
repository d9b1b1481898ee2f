//! A step over a foreign key, and what it is looked for in.

use crate::scopes::query_scopes::QueryScopes;
use crate::{RepairContext, SessionDatabase};
use catalog::RelationId;

/// What joins are looked for in.
pub(crate) struct JoinFinder<'s, 'a> {
    pub context: &'s RepairContext<'a>,
    pub database: &'s SessionDatabase<'a>,
    pub query_scopes: &'s QueryScopes<'a>,
}

/// A step over a foreign key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ForeignKeyPath {
    pub level: usize,
    pub from_item: usize,
    /// The columns of the child, and those of the parent.
    pub columns: Vec<(i16, i16)>,
    pub parent: RelationId,
    pub evidence: KeyEvidence,
}

/// How it is known that a step leads from a row to one other at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyEvidence {
    /// A foreign key says so: its rows have a partner each, but for NULL.
    Declared,
    /// What the step leads to is unique; there may be no such row.
    Unique,
    /// The policy says so, and the database keeps no row from breaking it.
    Known,
}
