//! A step to the only relation that has what is missing, where no foreign key leads there: over
//! its key of the same name and type as a column that is here. The key is unique, so that an outer
//! join leaves the number of rows as it is.

use super::foreign_key_path::{ForeignKeyPath, JoinFinder, KeyEvidence};
use crate::dependencies::key_ties::is_surrogate;
use crate::dependencies::keys;
use crate::names::readable_relations::is_of_users;
use crate::names::similarity::{NameWords, is_generic};
use catalog::{Column, KeyKind, RelationId};
use resolve::InferredType;

/// The steps from what is in this query to the only relation that has a column of the name.
pub(super) fn steps_to_owner(
    finder: &JoinFinder<'_, '_>,
    place: usize,
    name: &str,
) -> Vec<ForeignKeyPath> {
    let (catalog, rights) = (finder.database.catalog, finder.database.rights());
    let Some(owner) = only_owner(finder, name) else {
        return Vec::new();
    };
    let covered = finder.database.mask.is_some_and(|mask| mask.covers(owner));
    if covered || !keys::hold(catalog, owner, false) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for key in catalog.keys_of(owner) {
        let [number] = &*key.columns else { continue };
        let is_unique = match key.kind {
            KeyKind::Primary => true,
            KeyKind::Unique => keys::is_not_null(catalog, owner, &[*number]),
            KeyKind::Foreign { .. } | KeyKind::Unvalidated { .. } => false,
        };
        if let Some(column) = keys::column(catalog, owner, *number)
            && is_unique
            && rights.may_read_column(owner, column)
        {
            found.extend(steps_to(finder, place, owner, column));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The only relation that has a column of the name, of those that the client may read.
fn only_owner(finder: &JoinFinder<'_, '_>, name: &str) -> Option<RelationId> {
    let catalog = finder.database.catalog;
    let name_id = catalog.names().find(name)?;
    let mut owners = catalog.relations().map(|(id, _)| id).filter(|id| {
        let mut columns = catalog.columns_of(*id).iter();
        columns.any(|column| column.name == name_id)
            && is_of_users(catalog, *id)
            && finder.brings(*id, name)
    });
    owners.next().filter(|_| owners.next().is_none())
}

/// The steps to a key from columns that are called and made like it.
fn steps_to(
    finder: &JoinFinder<'_, '_>,
    place: usize,
    owner: RelationId,
    key: &Column,
) -> Vec<ForeignKeyPath> {
    let catalog = finder.database.catalog;
    let name = catalog.names().text(key.name);
    let level = finder.query_scopes.scope(place);
    let from_items = level.map_or(&[][..], |level| &level.from_items);
    // A column that is called `name` or `code` is another thing in each relation.
    if is_generic(&NameWords::of(name)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (from_item, own) in from_items.iter().enumerate() {
        let Some(relation) = own.relation.filter(|relation| *relation != owner) else {
            continue;
        };
        for column in own.columns {
            let is_alike =
                column.name.as_str() == name && column.inferred == InferredType::Known(key.type_id);
            let Some((of, number)) = column.origin.filter(|_| is_alike) else {
                continue;
            };
            let are_keys =
                is_surrogate(catalog, (of, number)) && is_surrogate(catalog, (owner, key.number));
            let may_read = keys::column(catalog, of, number)
                .is_some_and(|column| finder.database.rights().may_read_column(of, column));
            if of == relation && may_read && !are_keys {
                found.push(ForeignKeyPath {
                    level: place,
                    from_item,
                    columns: vec![(number, key.number)],
                    parent: owner,
                    evidence: KeyEvidence::Unique,
                });
            }
        }
    }
    found
}
