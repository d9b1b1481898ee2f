//! What of a database is kept from whoever reads it, whatever the rights of the role say.

use super::{Catalog, RelationId};

/// Relations and columns that are not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// By the places of the relations.
    relations: Vec<HiddenParts>,
}

/// What is hidden of one relation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct HiddenParts {
    whole: bool,
    /// Whether what is read under its name is something else.
    covered: bool,
    /// The numbers of its hidden columns, in order.
    columns: Box<[i16]>,
}

impl Mask {
    /// One that hides nothing of a snapshot.
    pub fn of(catalog: &Catalog) -> Self {
        Self {
            relations: vec![HiddenParts::default(); catalog.relations().len()],
        }
    }

    /// Hides a relation as a whole.
    pub fn hide_relation(&mut self, relation: RelationId) {
        if let Some(hidden) = self.relations.get_mut(relation.place()) {
            hidden.whole = true;
        }
    }

    /// What is read under the name of a relation is something else: no key of it holds there.
    pub fn cover(&mut self, relation: RelationId) {
        if let Some(hidden) = self.relations.get_mut(relation.place()) {
            hidden.covered = true;
        }
    }

    /// Whether what is read under the name of a relation is something else.
    pub fn covers(&self, relation: RelationId) -> bool {
        let hidden = self.relations.get(relation.place());
        hidden.is_none_or(|hidden| hidden.covered)
    }

    /// Hides these columns of a relation.
    pub fn hide_columns(&mut self, relation: RelationId, mut numbers: Vec<i16>) {
        numbers.sort_unstable();
        if let Some(hidden) = self.relations.get_mut(relation.place()) {
            hidden.columns = numbers.into();
        }
    }

    /// Whether a relation is hidden; one that the mask was not made for is.
    pub fn hides(&self, relation: RelationId) -> bool {
        let hidden = self.relations.get(relation.place());
        hidden.is_none_or(|hidden| hidden.whole)
    }

    /// Whether a column is hidden, by its number.
    pub fn hides_column(&self, relation: RelationId, number: i16) -> bool {
        let hidden = self.relations.get(relation.place());
        hidden.is_none_or(|hidden| hidden.whole || hidden.columns.binary_search(&number).is_ok())
    }

    /// The numbers of the hidden columns of a relation, in order.
    pub fn columns(&self, relation: RelationId) -> &[i16] {
        let hidden = self.relations.get(relation.place());
        hidden.map_or(&[], |hidden| &hidden.columns)
    }
}
