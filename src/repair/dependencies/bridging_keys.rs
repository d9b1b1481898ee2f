//! The relation between two others which no key ties to each other: declared keys lead from it to
//! both, or over it from one to the other.

use super::keys;
use crate::SessionDatabase;
use crate::names::context::NameRepairContext;
use catalog::{KeyKind, RelationId};

/// The columns of a key of one column between two relations.
#[derive(Clone, Copy)]
pub(crate) struct KeyTie {
    /// That of the relation between.
    pub own: i16,
    /// That of the other.
    pub other: i16,
    /// Whether the key is only known.
    pub is_known: bool,
}

/// The only relation with keys to two others which no key ties to each other, and these keys. What
/// both refer to does not count: it ties no row to one.
pub(crate) fn only_between(
    name_context: &NameRepairContext<'_>,
    one: RelationId,
    other: RelationId,
) -> Option<(RelationId, [KeyTie; 2])> {
    let near = name_context.neighbours(one);
    let catalog = name_context.catalog();
    let is_unsure = |child: RelationId, parent: RelationId| {
        let mut keys = catalog.keys_of(child).iter();
        keys.any(|key| matches!(key.kind, KeyKind::Unvalidated { to, .. } if to == parent))
    };
    if one == other || near.contains(&other) || is_unsure(one, other) || is_unsure(other, one) {
        return None;
    }
    let beyond = name_context.neighbours(other);
    let is_child = |relation: RelationId| {
        let mut keys = name_context.database.joining_keys_of(relation);
        keys.any(|key| matches!(key.kind, KeyKind::Foreign { to, .. } if to == one || to == other))
    };
    let mut middle = near
        .iter()
        .filter(|relation| beyond.contains(relation) && is_child(**relation));
    let relation = *middle.next().filter(|_| middle.next().is_none())?;
    let mask = name_context.database.mask;
    let is_covered = |relation| mask.is_some_and(|mask| mask.covers(relation));
    if [relation, one, other].into_iter().any(is_covered) || !keys::hold(catalog, relation, false) {
        return None;
    }
    let ties = [
        only_tie(name_context.database, relation, one)?,
        only_tie(name_context.database, relation, other)?,
    ];
    Some((relation, ties))
}

/// The only key between two relations, where it is one of one column and holds.
fn only_tie(
    database: &SessionDatabase<'_>,
    relation: RelationId,
    other: RelationId,
) -> Option<KeyTie> {
    let mut found = Vec::new();
    for (child, parent) in [(relation, other), (other, relation)] {
        for key in database.joining_keys_of(child) {
            match &key.kind {
                KeyKind::Foreign { to, to_columns } if *to == parent => {
                    let ([from], [into]) = (&*key.columns, &**to_columns) else {
                        return None;
                    };
                    let (own, other) = match child == relation {
                        true => (*from, *into),
                        false => (*into, *from),
                    };
                    let is_known = database.is_known(key);
                    found.push(KeyTie {
                        own,
                        other,
                        is_known,
                    });
                }
                KeyKind::Unvalidated { to, .. } if *to == parent => return None,
                _ => {}
            }
        }
    }
    let only = found.pop()?;
    found.is_empty().then_some(only)
}
