//! Which relations foreign keys lead to, and which of these have a column that is missing.

use super::foreign_key_path::{ForeignKeyPath, JoinFinder, KeyEvidence};
use crate::dependencies::key_ties::are_tied;
use crate::dependencies::keys;
use crate::names::readable_relations::is_of_users;
use crate::scopes::from_item::FromItem;
use catalog::{KeyKind, RelationId};

impl JoinFinder<'_, '_> {
    /// What stands in FROM of a query.
    fn items_in_from(&self, place: usize) -> &[FromItem<'_>] {
        let level = self.query_scopes.scope(place);
        level.map_or(&[], |level| &level.from_items)
    }

    /// The steps from a child in this query to a parent that has a column of the name.
    pub(super) fn parents_with(&self, place: usize, name: &str) -> Vec<ForeignKeyPath> {
        let catalog = self.database.catalog;
        let from_items = self.items_in_from(place);
        let mut paths = Vec::new();
        for (from_item, own) in from_items.iter().enumerate() {
            let (_, own_keys) = keys::of_leaf(catalog, own);
            for key in own_keys {
                let KeyKind::Foreign { to, to_columns } = &key.kind else {
                    continue;
                };
                let readable = self.may_read(key.relation, &key.columns)
                    && self.may_read(*to, to_columns)
                    && self.brings(*to, name);
                let covered = self.database.mask.is_some_and(|mask| mask.covers(*to));
                if !readable || covered || !keys::hold(catalog, *to, false) {
                    continue;
                }
                let columns = key.columns.iter().copied().zip(to_columns.iter().copied());
                paths.push(ForeignKeyPath {
                    level: place,
                    from_item,
                    columns: columns.collect(),
                    parent: *to,
                    evidence: KeyEvidence::Declared,
                });
            }
            paths.extend(self.known_parents(place, (from_item, own), name));
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// The same over known joins: what they lead to is one row each because the policy says so, of
    /// views, too.
    fn known_parents(
        &self,
        place: usize,
        (from_item, own): (usize, &FromItem<'_>),
        name: &str,
    ) -> Vec<ForeignKeyPath> {
        let known = self.database.known_keys.iter();
        let known = known.filter(|key| own.relation == Some(key.relation));
        let paths = known.filter_map(|key| {
            let KeyKind::Foreign { to, to_columns } = &key.kind else {
                return None;
            };
            let columns = key.columns.iter().copied().zip(to_columns.iter().copied());
            let path = || ForeignKeyPath {
                level: place,
                from_item,
                columns: columns.collect(),
                parent: *to,
                evidence: KeyEvidence::Known,
            };
            self.brings(*to, name).then(path)
        });
        paths.collect()
    }

    /// The steps from what is in this query to a child that has one row at most for each of its
    /// rows and a column of the name: its foreign key is a key of its own.
    pub(super) fn only_children_with(&self, place: usize, name: &str) -> Vec<ForeignKeyPath> {
        let catalog = self.database.catalog;
        let from_items = self.items_in_from(place);
        let mut paths = Vec::new();
        for key in self.database.joining_keys() {
            let KeyKind::Foreign { to, to_columns } = &key.kind else {
                continue;
            };
            let is_own = catalog.keys_of(key.relation).iter().any(|own| {
                matches!(own.kind, KeyKind::Primary | KeyKind::Unique) && own.columns == key.columns
            });
            let covered = self
                .database
                .mask
                .is_some_and(|mask| mask.covers(key.relation));
            if !is_own
                || covered
                || key.relation == *to
                || !keys::hold(catalog, key.relation, false)
                || !self.brings(key.relation, name)
                || !self.may_read(key.relation, &key.columns)
                || !self.may_read(*to, to_columns)
            {
                continue;
            }
            let here = from_items.iter().enumerate();
            for (from_item, _) in here.filter(|(_, own)| own.relation == Some(*to)) {
                let columns = to_columns.iter().copied().zip(key.columns.iter().copied());
                paths.push(ForeignKeyPath {
                    level: place,
                    from_item,
                    columns: columns.collect(),
                    parent: key.relation,
                    evidence: KeyEvidence::Unique,
                });
            }
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// The steps over keys that were not validated.
    pub(super) fn unvalidated(&self, place: usize, name: &str) -> Vec<ForeignKeyPath> {
        let catalog = self.database.catalog;
        let level = self.query_scopes.scope(place);
        let from_items = level.map_or(&[][..], |level| &level.from_items);
        let mut paths = Vec::new();
        for (from_item, own) in from_items.iter().enumerate() {
            let own_keys = own.relation.map_or(&[][..], |own| catalog.keys_of(own));
            for key in own_keys {
                if let KeyKind::Unvalidated { to, to_columns } = &key.kind
                    && self.may_read(key.relation, &key.columns)
                    && self.may_read(*to, to_columns)
                    && self.brings(*to, name)
                {
                    let columns = key.columns.iter().copied().zip(to_columns.iter().copied());
                    paths.push(ForeignKeyPath {
                        level: place,
                        from_item,
                        columns: columns.collect(),
                        parent: *to,
                        evidence: KeyEvidence::Declared,
                    });
                }
            }
        }
        paths
    }

    /// Whether the client's role may read a column of this name there.
    pub(super) fn brings(&self, relation: RelationId, name: &str) -> bool {
        let (catalog, rights) = (self.database.catalog, self.database.rights());
        rights.sees_relation(relation)
            && keys::column_named(catalog, relation, name)
                .is_some_and(|column| rights.may_read_column(relation, column))
    }

    /// Whether the client's role may read columns, by their numbers.
    pub(super) fn may_read(&self, relation: RelationId, columns: &[i16]) -> bool {
        let (catalog, rights) = (self.database.catalog, self.database.rights());
        columns.iter().all(|number| {
            keys::column(catalog, relation, *number)
                .is_some_and(|column| rights.may_read_column(relation, column))
        })
    }

    /// Whether another relation within two steps over foreign keys, in either direction, has the
    /// column, too, and a declared key does not say that both are the same.
    pub(super) fn is_elsewhere(&self, place: usize, name: &str, parent: RelationId) -> bool {
        let from_items = self.items_in_from(place);
        let mut near: Vec<RelationId> = from_items
            .iter()
            .filter_map(|from_item| from_item.relation)
            .collect();
        for _step in 0..2 {
            let more = self.neighbours(&near);
            near.extend(more);
            near.sort();
            near.dedup();
        }
        let has_it = |id: RelationId| id != parent && self.brings(id, name);
        let differs = |id: RelationId| has_it(id) && !self.are_same(id, parent, name);
        if near.iter().any(|id| differs(*id)) {
            return true;
        }
        // The key of what several relations refer to may be meant of any of them.
        let catalog = self.database.catalog;
        let mut all = catalog.relations().map(|(id, _)| id);
        near.iter().any(|id| has_it(*id)) && all.any(|id| is_of_users(catalog, id) && differs(id))
    }

    /// Whether a declared key says that the columns of a name are the same in two relations.
    fn are_same(&self, one: RelationId, other: RelationId, name: &str) -> bool {
        let catalog = self.database.catalog;
        let origin = |relation| {
            let column = keys::column_named(catalog, relation, name)?;
            Some((relation, column.number))
        };
        let both = origin(one).zip(origin(other));
        both.is_some_and(|(one, other)| are_tied(self.database, one, other))
    }

    /// The relations that a foreign key joins to some of these.
    fn neighbours(&self, of: &[RelationId]) -> Vec<RelationId> {
        let keys = self.database.joining_keys();
        let found = keys.filter_map(|key| match &key.kind {
            KeyKind::Foreign { to, .. } if of.contains(&key.relation) => Some(*to),
            KeyKind::Foreign { to, .. } if of.contains(to) => Some(key.relation),
            _ => None,
        });
        found.collect()
    }
}
