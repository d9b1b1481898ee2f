//! Which relations and columns a session may read.

use std::collections::{BTreeMap, HashSet};

use catalog::unreadable_names::is_kept;
use catalog::{Column, RelationId, RelationKind, SchemaId, SchemaKind, TypeId, TypeKind};

use super::source::GroundingSource;
use super::type_spelling;

/// Relations that may be read, with the numbers of the columns that may.
pub(crate) struct VisibleRelations<'s> {
    source: &'s GroundingSource<'s>,
    relations: BTreeMap<RelationId, Vec<i16>>,
    /// Schemas that have relations, of which none may be read.
    hidden_schemas: HashSet<SchemaId>,
}

impl<'s> VisibleRelations<'s> {
    /// Looks through a source: by the role's rights, by what the policy hides, and by what the gate
    /// says of a statement that reads just this.
    pub(crate) fn of(source: &'s GroundingSource<'s>) -> Self {
        let mut all = Self::none(source);
        for (id, _) in source.catalog.relations() {
            all.look_at(id);
        }
        all.seen()
    }

    /// None yet: what is not looked at counts as hidden.
    pub(crate) fn none(source: &'s GroundingSource<'s>) -> Self {
        Self {
            source,
            relations: BTreeMap::new(),
            hidden_schemas: HashSet::new(),
        }
    }

    /// Looks at one relation: whether it may be read.
    pub(crate) fn look_at(&mut self, id: RelationId) -> bool {
        if self.relations.contains_key(&id) {
            return true;
        }
        let shown = shown_columns(self.source, id);
        let is_shown = shown.is_some();
        self.relations.extend(shown.map(|columns| (id, columns)));
        is_shown
    }

    /// Everything was looked at.
    pub(crate) fn seen(mut self) -> Self {
        let catalog = self.source.catalog;
        let schema_of = |id: RelationId| catalog.relation(id).schema;
        let shown: HashSet<SchemaId> = self.relations.keys().map(|id| schema_of(*id)).collect();
        let all = catalog.relations();
        let all = all.filter(|(_, relation)| stands_in_from(relation.kind));
        let all = all.map(|(_, relation)| relation.schema);
        self.hidden_schemas = all.filter(|schema| !shown.contains(schema)).collect();
        self
    }

    /// The numbers of the columns of a relation that may be read; none where it may not.
    pub(crate) fn columns(&self, id: RelationId) -> Option<&Vec<i16>> {
        self.relations.get(&id)
    }

    /// The relations that may be read.
    pub(crate) fn ids(&self) -> impl Iterator<Item = RelationId> {
        self.relations.keys().copied()
    }

    /// Whether names in a schema of users can be used, and something there may be read, where there
    /// is something to read.
    pub(crate) fn shows_schema(&self, id: SchemaId) -> bool {
        self.source.privileges.may_use_schema(id) && !self.hidden_schemas.contains(&id)
    }

    /// Whether the name of a type tells nothing that is hidden: its schema, or the relation whose
    /// rows it is.
    pub(crate) fn shows_type(&self, id: TypeId) -> bool {
        let own = self.source.catalog.data_type(id);
        if let Some(element) = own.element.filter(|_| own.is_array) {
            return self.shows_type(element);
        }
        if self.source.catalog.schema(own.schema).kind != SchemaKind::Ordinary {
            return true;
        }
        let is_shown = match &own.kind {
            TypeKind::Composite(Some(relation)) => {
                match self.source.catalog.relation(*relation).kind {
                    RelationKind::CompositeType => {
                        !self.source.mask.is_some_and(|mask| mask.hides(*relation))
                    }
                    _ => self.relations.contains_key(relation),
                }
            }
            TypeKind::Composite(None)
            | TypeKind::Base
            | TypeKind::Domain { .. }
            | TypeKind::Enum
            | TypeKind::Range { .. }
            | TypeKind::Multirange { .. }
            | TypeKind::Pseudo => true,
        };
        is_shown && self.shows_schema(own.schema) && self.source.privileges.sees_type(id)
    }

    /// A type as SQL spells it; its kind alone, where its name is hidden.
    pub(crate) fn type_name(&self, id: TypeId, modifier: i32) -> String {
        if self.shows_type(id) {
            return type_spelling::spelled(self.source.catalog, id, modifier);
        }
        let mut own = self.source.catalog.data_type(id);
        let brackets = if own.is_array { "[]" } else { "" };
        // As many turns as domains stand on each other: the server lets none stand on itself.
        loop {
            match (&own.kind, own.element.filter(|_| own.is_array)) {
                (_, Some(element)) => own = self.source.catalog.data_type(element),
                (TypeKind::Domain { base, .. }, None) if self.shows_type(*base) => {
                    let base = type_spelling::spelled(self.source.catalog, *base, modifier);
                    return format!("{base}{brackets}");
                }
                (TypeKind::Domain { base, .. }, None) => own = self.source.catalog.data_type(*base),
                (kind, None) => return format!("{}{brackets}", kind_of_type(kind)),
            }
        }
    }
}

/// The numbers of the columns of a relation that may be read; none where it may not.
pub(crate) fn shown_columns(source: &GroundingSource<'_>, id: RelationId) -> Option<Vec<i16>> {
    let catalog = source.catalog;
    let relation = catalog.relation(id);
    let schema = catalog.schema(relation.schema);
    let is_covered = source.mask.is_some_and(|mask| mask.covers(id));
    let is_readable =
        stands_in_from(relation.kind) && (!is_covered || source.covered.contains_key(&id));
    let names = catalog.names();
    let is_named = !is_kept(names.text(relation.name)) && !is_kept(names.text(schema.name));
    if schema.kind != SchemaKind::Ordinary
        || !is_readable
        || !is_named
        || !source.privileges.sees_relation(id)
    {
        return None;
    }
    let is_shown = |column: &&Column| {
        source.privileges.may_read_column(id, column) && !is_kept(names.text(column.name))
    };
    let columns: Vec<&Column> = catalog.columns_of(id).iter().filter(is_shown).collect();
    let named: Vec<&str> = columns
        .iter()
        .map(|column| names.text(column.name))
        .collect();
    let is_read = !columns.is_empty() && (source.is_read)(id, &named);
    is_read.then(|| columns.iter().map(|column| column.number).collect())
}

fn kind_of_type(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Enum => "enum",
        TypeKind::Composite(_) => "record",
        TypeKind::Range { .. } | TypeKind::Multirange { .. } => "range",
        TypeKind::Base | TypeKind::Domain { .. } | TypeKind::Pseudo => "unknown",
    }
}

fn stands_in_from(kind: RelationKind) -> bool {
    match kind {
        RelationKind::Table
        | RelationKind::PartitionedTable
        | RelationKind::View
        | RelationKind::MaterializedView
        | RelationKind::ForeignTable => true,
        RelationKind::Sequence | RelationKind::CompositeType => false,
    }
}
