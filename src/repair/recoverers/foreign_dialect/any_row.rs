//! Dialects in which a column that is not grouped is that of any row of its group.

use super::named;
use crate::RepairContext;
use dialect::detect::by_evidence;
use dialect::detect::shared::{SharedMarks, candidates};
use policy::Dialect;

/// Whether a dialect takes columns of any row of a group, where they are not grouped.
pub(super) fn is_taken(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Mysql | Dialect::Sqlite)
}

/// The dialects that take columns of any row of a group, of those that a text may be of. Functions
/// that others have too say too little of it: they are slips in a text for Postgres.
pub(in crate::recoverers) fn takers_of_any_row(context: &RepairContext<'_>) -> Vec<Dialect> {
    if let Some(named) = named(context) {
        return Vec::from_iter(Some(named).filter(|one| is_taken(*one)));
    }
    let (Some(text), Some(database)) = (context.foreign_text, context.database) else {
        return Vec::new();
    };
    if let Some(evident) = by_evidence(text) {
        return Vec::from_iter(Some(evident).filter(|one| is_taken(*one)));
    }
    let mut candidates = candidates(text, database);
    let is_told = candidates
        .iter()
        .all(|one| one.marks == SharedMarks::Syntax || is_taken(one.source.dialect()));
    candidates.retain(|one| is_told && is_taken(one.source.dialect()));
    candidates.iter().map(|one| one.source.dialect()).collect()
}
