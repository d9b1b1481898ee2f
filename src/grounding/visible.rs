//! Which relations and columns a session may read.

use std::collections::BTreeMap;

use catalog::unreadable_names::is_kept;
use catalog::{Column, FunctionId, RelationId, RelationKind, RolePrivileges, SchemaKind};

use super::source::GroundingSource;

/// Relations that may be read, with the numbers of the columns that may.
pub(crate) struct VisibleRelations<'s> {
    relations: BTreeMap<RelationId, Vec<i16>>,
    privileges: &'s RolePrivileges<'s>,
}

impl<'s> VisibleRelations<'s> {
    /// Looks through a source: by the role's rights, by what the policy hides, and by what the gate
    /// says of a statement that reads just this.
    pub(crate) fn of(source: &'s GroundingSource<'s>) -> Self {
        let catalog = source.catalog;
        let mut relations = BTreeMap::new();
        for (id, relation) in catalog.relations() {
            let schema = catalog.schema(relation.schema);
            let is_readable = matches!(
                relation.kind,
                RelationKind::Table
                    | RelationKind::PartitionedTable
                    | RelationKind::View
                    | RelationKind::MaterializedView
                    | RelationKind::ForeignTable
            );
            let names = catalog.names();
            let is_named = !is_kept(names.text(relation.name)) && !is_kept(names.text(schema.name));
            if schema.kind != SchemaKind::Ordinary
                || !is_readable
                || !is_named
                || !source.privileges.sees_relation(id)
            {
                continue;
            }
            let is_shown = |column: &&Column| {
                source.privileges.may_read_column(id, column) && !is_kept(names.text(column.name))
            };
            let columns: Vec<&Column> = catalog.columns_of(id).iter().filter(is_shown).collect();
            let named: Vec<&str> = columns
                .iter()
                .map(|column| names.text(column.name))
                .collect();
            if !columns.is_empty() && (source.is_read)(id, &named) {
                relations.insert(id, columns.iter().map(|column| column.number).collect());
            }
        }
        Self {
            relations,
            privileges: &source.privileges,
        }
    }

    /// The numbers of the columns of a relation that may be read; none where it may not.
    pub(crate) fn columns(&self, id: RelationId) -> Option<&Vec<i16>> {
        self.relations.get(&id)
    }

    /// The relations that may be read.
    pub(crate) fn ids(&self) -> impl Iterator<Item = RelationId> {
        self.relations.keys().copied()
    }

    /// Whether the role may call a function.
    pub(crate) fn may_call(&self, id: FunctionId) -> bool {
        self.privileges.sees_function(id)
    }
}
