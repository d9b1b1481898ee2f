//! From names and oids to objects.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use super::{CastId, FunctionId, NameId, Oid, OperatorId, RelationId, RoleId, SchemaId, TypeId};

/// The ways into a snapshot.
#[derive(Default)]
pub struct CatalogIndex {
    pub(crate) schemas: HashMap<NameId, SchemaId, RandomState>,
    pub(crate) roles: HashMap<NameId, RoleId, RandomState>,
    pub(crate) relations: IdsByName<RelationId>,
    pub(crate) types: IdsByName<TypeId>,
    pub(crate) functions: IdsByName<FunctionId>,
    pub(crate) operators: IdsByName<OperatorId>,
    pub(crate) casts: HashMap<(TypeId, TypeId), CastId, RandomState>,
    pub(crate) relation_oids: HashMap<Oid, RelationId, RandomState>,
    pub(crate) type_oids: HashMap<Oid, TypeId, RandomState>,
    pub(crate) function_oids: HashMap<Oid, FunctionId, RandomState>,
    pub(crate) operator_oids: HashMap<Oid, OperatorId, RandomState>,
}

impl CatalogIndex {
    /// The schema of a name.
    pub fn schema(&self, name: NameId) -> Option<SchemaId> {
        self.schemas.get(&name).copied()
    }

    /// The role of a name.
    pub fn role(&self, name: NameId) -> Option<RoleId> {
        self.roles.get(&name).copied()
    }

    /// All relations of a name, in any schema.
    pub fn relations(&self, name: NameId) -> &[RelationId] {
        self.relations.of(name)
    }

    /// All types of a name, in any schema.
    pub fn types(&self, name: NameId) -> &[TypeId] {
        self.types.of(name)
    }

    /// All functions of a name, in any schema.
    pub fn functions(&self, name: NameId) -> &[FunctionId] {
        self.functions.of(name)
    }

    /// All operators of a symbol, in any schema.
    pub fn operators(&self, name: NameId) -> &[OperatorId] {
        self.operators.of(name)
    }

    /// The cast that is listed from one type to another.
    pub fn cast(&self, source: TypeId, target: TypeId) -> Option<CastId> {
        self.casts.get(&(source, target)).copied()
    }

    /// The relation of a server's number.
    pub fn relation_of_oid(&self, oid: Oid) -> Option<RelationId> {
        self.relation_oids.get(&oid).copied()
    }

    /// The type of a server's number.
    pub fn type_of_oid(&self, oid: Oid) -> Option<TypeId> {
        self.type_oids.get(&oid).copied()
    }

    /// The function of a server's number.
    pub fn function_of_oid(&self, oid: Oid) -> Option<FunctionId> {
        self.function_oids.get(&oid).copied()
    }

    /// The operator of a server's number.
    pub fn operator_of_oid(&self, oid: Oid) -> Option<OperatorId> {
        self.operator_oids.get(&oid).copied()
    }
}

/// Lists of objects by name: one list of ids, and where each name's part of it is.
pub(crate) struct IdsByName<Id> {
    pub(crate) parts: HashMap<NameId, Range<usize>, RandomState>,
    pub(crate) ids: Vec<Id>,
}

impl<Id> IdsByName<Id> {
    fn of(&self, name: NameId) -> &[Id] {
        let part = self.parts.get(&name).cloned().unwrap_or_default();
        self.ids.get(part).unwrap_or_default()
    }
}

impl<Id> Default for IdsByName<Id> {
    fn default() -> Self {
        Self {
            parts: HashMap::default(),
            ids: Vec::new(),
        }
    }
}
