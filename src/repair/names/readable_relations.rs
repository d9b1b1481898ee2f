//! The relations that the client may be told of.

use super::context::NameRepairContext;
use catalog::{Catalog, RelationId, RelationKind, SchemaKind};

impl NameRepairContext<'_> {
    /// The relations that the client may read, without those of the system.
    pub(crate) fn readable_relations(&self) -> Vec<RelationId> {
        let all = self.catalog().relations().map(|(id, _)| id);
        all.filter(|id| is_of_users(self.catalog(), *id) && self.may_show_relation(*id))
            .collect()
    }
}

/// Whether a relation can be read from, and is none of the system's.
pub(crate) fn is_of_users(catalog: &Catalog, id: RelationId) -> bool {
    let relation = catalog.relation(id);
    let is_read = match relation.kind {
        RelationKind::Table
        | RelationKind::PartitionedTable
        | RelationKind::View
        | RelationKind::MaterializedView
        | RelationKind::ForeignTable => true,
        RelationKind::Sequence | RelationKind::CompositeType => false,
    };
    let schema = catalog.schema(relation.schema);
    let name = catalog.names().text(schema.name);
    let is_system =
        schema.kind == SchemaKind::Catalog || name == "information_schema" || name == "pg_toast";
    is_read && !is_system
}
