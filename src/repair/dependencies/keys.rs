//! Which keys hold for the rows that something in FROM brings.

use crate::scopes::from_item::FromItem;
use crate::scopes::query_scopes::QueryScopes;
use catalog::{Catalog, Column, KeyKind, RelationId, RelationKey, RelationKind};

/// Whether the keys of a relation hold for what a read of it returns: those of a table do not count
/// the rows of tables that inherit from it.
pub(crate) fn hold(catalog: &Catalog, relation: RelationId, only: bool) -> bool {
    let relation = catalog.relation(relation);
    match relation.kind {
        RelationKind::Table => only || relation.children.is_empty(),
        RelationKind::PartitionedTable => true,
        RelationKind::View
        | RelationKind::MaterializedView
        | RelationKind::ForeignTable
        | RelationKind::Sequence
        | RelationKind::CompositeType => false,
    }
}

/// The keys of a leaf, where they hold.
pub(crate) fn of_leaf<'a>(
    catalog: &'a Catalog,
    from_item: &FromItem<'_>,
) -> (Option<RelationId>, &'a [RelationKey]) {
    let holds = |id: &RelationId| !from_item.covered && hold(catalog, *id, from_item.only);
    match from_item.relation.filter(holds) {
        Some(id) => (Some(id), catalog.keys_of(id)),
        None => (None, &[]),
    }
}

/// A column of a relation, by its number.
pub(crate) fn column(catalog: &Catalog, relation: RelationId, number: i16) -> Option<&Column> {
    let columns = catalog.columns_of(relation);
    columns.iter().find(|column| column.number == number)
}

/// A column of a relation, by its name.
pub(crate) fn column_named<'a>(
    catalog: &'a Catalog,
    relation: RelationId,
    name: &str,
) -> Option<&'a Column> {
    let columns = catalog.columns_of(relation);
    columns
        .iter()
        .find(|column| catalog.names().text(column.name) == name)
}

/// Whether every column of a key is declared NOT NULL.
pub(crate) fn is_not_null(catalog: &Catalog, relation: RelationId, columns: &[i16]) -> bool {
    columns
        .iter()
        .all(|number| column(catalog, relation, *number).is_some_and(|column| column.not_null))
}

/// The places of the columns of a leaf's primary key.
pub(crate) fn primary_key(catalog: &Catalog, from_item: &FromItem<'_>) -> Option<Vec<usize>> {
    let (relation, keys) = of_leaf(catalog, from_item);
    let key = keys.iter().find(|key| key.kind == KeyKind::Primary)?;
    let places = key.columns.iter();
    places
        .map(|number| from_item.place_of(relation?, *number))
        .collect()
}

impl QueryScopes<'_> {
    /// The sets of columns of a leaf, by their places, that are never equal in two rows and never
    /// NULL in one.
    pub(crate) fn keys_of_leaf(&self, from_item: &FromItem<'_>) -> Vec<Vec<usize>> {
        let (Some(relation), keys) = of_leaf(self.catalog, from_item) else {
            return Vec::new();
        };
        let keys = keys.iter().filter(|key| match key.kind {
            KeyKind::Primary => true,
            KeyKind::Unique => is_not_null(self.catalog, relation, &key.columns),
            KeyKind::Foreign { .. } | KeyKind::Unvalidated { .. } => false,
        });
        let places = keys.map(|key| {
            let numbers = key.columns.iter();
            let places = numbers.map(|number| from_item.place_of(relation, *number));
            places.collect::<Option<Vec<usize>>>()
        });
        places.flatten().collect()
    }
}

impl FromItem<'_> {
    /// The place of a column of its relation.
    pub(crate) fn place_of(&self, relation: RelationId, number: i16) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| column.origin == Some((relation, number)))
    }
}
