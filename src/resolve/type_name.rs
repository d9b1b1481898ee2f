//! Names of types.
//!
//! The grammar has turned the standard's names (`integer`, `character varying`) into names of
//! pg_catalog already.

use super::coerce::TypeRules;
use super::inferred::InferredType;
use super::{Analysis, UsedObject};
use catalog::{NameId, SchemaId, TypeId};
use sql::tree::nodes;

/// The parts of a name that may say its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QualifiedName<'n> {
    /// In the first schema of the search_path that has it.
    Path(&'n str),
    /// In this one.
    Schema(&'n str, &'n str),
}

impl<'n> QualifiedName<'n> {
    /// Reads `name`, `schema.name` or `database.schema.name`.
    pub(super) fn of(parts: &[&'n str]) -> Option<Self> {
        match parts {
            [name] => Some(Self::Path(name)),
            [schema, name] | [_, schema, name] => Some(Self::Schema(schema, name)),
            _ => None,
        }
    }
}

/// The schemas in which a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchemaSearch<'a> {
    pub(super) name: NameId,
    schemas: SearchedSchemas<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchedSchemas<'a> {
    One(SchemaId),
    Path(&'a [SchemaId]),
}

impl SchemaSearch<'_> {
    /// Where in the order of the search a schema stands; none if it is not searched.
    pub(super) fn position(&self, schema: SchemaId) -> Option<usize> {
        match self.schemas {
            SearchedSchemas::One(one) => (one == schema).then_some(0),
            SearchedSchemas::Path(path) => path.iter().position(|searched| *searched == schema),
        }
    }
}

impl<'a> TypeRules<'a> {
    /// What a name can be looked up with; none where the snapshot knows no such name at all.
    pub(super) fn named(self, place: QualifiedName<'_>) -> Option<SchemaSearch<'a>> {
        let names = self.catalog.names();
        match place {
            QualifiedName::Path(name) => Some(SchemaSearch {
                name: names.find(name)?,
                schemas: SearchedSchemas::Path(self.path.schemas()),
            }),
            QualifiedName::Schema(schema, name) => Some(SchemaSearch {
                name: names.find(name)?,
                schemas: SearchedSchemas::One(self.catalog.index().schema(names.find(schema)?)?),
            }),
        }
    }

    /// The type of a name.
    pub(super) fn type_named(self, place: QualifiedName<'_>) -> Option<TypeId> {
        let named = self.named(place)?;
        let types = self.catalog.index().types(named.name).iter().copied();
        let placed = types.filter_map(|id| {
            let position = named.position(self.data_type(id).schema)?;
            Some((position, id))
        });
        placed.min().map(|(_, id)| id)
    }

    /// The type that is written, `[]` included.
    pub(super) fn type_written(self, name: &nodes::TypeName) -> Option<TypeId> {
        let parts: Vec<&str> = name.names().iter().filter_map(|part| part.sval()).collect();
        if name.pct_type || parts.len() != name.names().len() {
            return None;
        }
        let id = self.type_named(QualifiedName::of(&parts)?)?;
        if name.array_bounds().is_empty() {
            Some(id)
        } else {
            self.array_of(id)
        }
    }
}

impl<'a> Analysis<'a> {
    /// The type that is written, noted unless it came with the server.
    pub fn type_name(&mut self, name: &'a nodes::TypeName) -> InferredType {
        match self.typing().type_written(name) {
            Some(id) => {
                self.note_type(id, name.location);
                InferredType::Known(id)
            }
            None => {
                self.note_missing_type(name);
                self.note_at(name.location, UsedObject::Unclear);
                InferredType::Unclear
            }
        }
    }
}
