//! The relations that the client may be told of.

use super::context::NameRepairContext;
use catalog::{RelationId, RelationKind, SchemaId, SchemaKind};

impl NameRepairContext<'_> {
    /// The relations that the client may read, without those of the system.
    pub(crate) fn readable_relations(&self) -> Vec<RelationId> {
        let catalog = self.catalog();
        let is_read = |kind: RelationKind| match kind {
            RelationKind::Table
            | RelationKind::PartitionedTable
            | RelationKind::View
            | RelationKind::MaterializedView
            | RelationKind::ForeignTable => true,
            RelationKind::Sequence | RelationKind::CompositeType => false,
        };
        catalog
            .relations()
            .filter(|(id, relation)| {
                is_read(relation.kind)
                    && !self.is_system(relation.schema)
                    && self.may_show_relation(*id)
            })
            .map(|(id, _)| id)
            .collect()
    }

    fn is_system(&self, schema: SchemaId) -> bool {
        let schema = self.catalog().schema(schema);
        let name = self.catalog().names().text(schema.name);
        schema.kind == SchemaKind::Catalog || name == "information_schema" || name == "pg_toast"
    }
}
