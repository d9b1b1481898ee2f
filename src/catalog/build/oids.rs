//! Which object an oid means. The rows are put into the order of their oids first, so that the
//! places of the objects are known before any is made.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::BuildError;
use crate::catalog_rows::CatalogRows;
use crate::{
    FunctionId, ObjectKind, Oid, OperatorId, RelationId, RoleId, SchemaId, SchemaKind, TypeId,
};

/// From oids to the places that the objects will have.
pub struct OidIndex {
    pub schemas: HashMap<Oid, SchemaId, RandomState>,
    pub roles: HashMap<Oid, RoleId, RandomState>,
    pub relations: HashMap<Oid, RelationId, RandomState>,
    pub types: HashMap<Oid, TypeId, RandomState>,
    pub functions: HashMap<Oid, FunctionId, RandomState>,
    pub operators: HashMap<Oid, OperatorId, RandomState>,
    /// Relations that are left out.
    unreadable: HashSet<u32, RandomState>,
    /// Schemas of toast tables and temporary ones.
    aside: HashSet<u32, RandomState>,
}

/// The object that is being made, for what is said when it cannot be.
#[derive(Clone, Copy)]
pub struct BuiltObject {
    pub kind: ObjectKind,
    pub oid: u32,
}

impl OidIndex {
    /// The places of all rows, which are sorted for it. Relations that no statement can read are
    /// taken away.
    ///
    /// # Errors
    /// Two objects of a kind have one oid.
    pub fn of(rows: &mut CatalogRows) -> Result<Self, BuildError> {
        let mut unreadable = HashSet::default();
        rows.relations.retain(|row| {
            let readable = !matches!(row.kind, b'i' | b'I' | b't');
            if !readable {
                unreadable.insert(row.oid);
            }
            readable
        });
        let aside = rows.schemas.iter().filter(|row| {
            matches!(
                SchemaKind::of(&row.name, Oid(row.oid)),
                SchemaKind::Toast | SchemaKind::Temporary
            )
        });
        let aside = aside.map(|row| row.oid).collect();
        Ok(Self {
            schemas: places(
                &mut rows.schemas,
                ObjectKind::Schema,
                |row| row.oid,
                SchemaId,
            )?,
            roles: places(&mut rows.roles, ObjectKind::Role, |row| row.oid, RoleId)?,
            relations: places(
                &mut rows.relations,
                ObjectKind::Relation,
                |row| row.oid,
                RelationId,
            )?,
            types: places(&mut rows.types, ObjectKind::Type, |row| row.oid, TypeId)?,
            functions: places(
                &mut rows.functions,
                ObjectKind::Function,
                |row| row.oid,
                FunctionId,
            )?,
            operators: places(
                &mut rows.operators,
                ObjectKind::Operator,
                |row| row.oid,
                OperatorId,
            )?,
            unreadable,
            aside,
        })
    }

    /// The schema of an oid.
    pub fn schema(&self, oid: u32) -> Option<SchemaId> {
        self.schemas.get(&Oid(oid)).copied()
    }

    /// The role of an oid.
    pub fn role(&self, oid: u32) -> Option<RoleId> {
        self.roles.get(&Oid(oid)).copied()
    }

    /// The relation of an oid.
    pub fn relation(&self, oid: u32) -> Option<RelationId> {
        self.relations.get(&Oid(oid)).copied()
    }

    /// Whether the relation of this oid was left out because no statement can read it.
    pub fn is_unreadable(&self, relation: u32) -> bool {
        self.unreadable.contains(&relation)
    }

    /// Whether a relation may be missing: no statement can read it, or it is in a schema of toast
    /// tables or of what one session made for itself.
    pub fn is_out_of_reach(&self, schema: u32, relation: u32) -> bool {
        self.is_unreadable(relation) || self.aside.contains(&schema)
    }

    /// The type that an object cannot be without.
    ///
    /// # Errors
    /// The object refers to one that was not read.
    pub fn data_type(&self, of: BuiltObject, oid: u32) -> Result<TypeId, BuildError> {
        of.needs(ObjectKind::Type, oid, self.types.get(&Oid(oid)).copied())
    }

    /// The type that an object may have; zero is none.
    ///
    /// # Errors
    /// It is not zero, and was not read.
    pub fn data_type_or_none(
        &self,
        of: BuiltObject,
        oid: u32,
    ) -> Result<Option<TypeId>, BuildError> {
        (oid != 0).then(|| self.data_type(of, oid)).transpose()
    }

    /// The function that an object cannot be without.
    ///
    /// # Errors
    /// The object refers to one that was not read.
    pub fn function(&self, of: BuiltObject, oid: u32) -> Result<FunctionId, BuildError> {
        let found = self.functions.get(&Oid(oid)).copied();
        of.needs(ObjectKind::Function, oid, found)
    }

    /// The function that an object may have; zero is none.
    ///
    /// # Errors
    /// It is not zero, and was not read.
    pub fn function_or_none(
        &self,
        of: BuiltObject,
        oid: u32,
    ) -> Result<Option<FunctionId>, BuildError> {
        (oid != 0).then(|| self.function(of, oid)).transpose()
    }

    /// The operator that an object may have; zero is none.
    ///
    /// # Errors
    /// It is not zero, and was not read.
    pub fn operator_or_none(
        &self,
        of: BuiltObject,
        oid: u32,
    ) -> Result<Option<OperatorId>, BuildError> {
        let found = self.operators.get(&Oid(oid)).copied();
        (oid != 0)
            .then(|| of.needs(ObjectKind::Operator, oid, found))
            .transpose()
    }

    /// Several functions, each once, in the order of their oids.
    ///
    /// # Errors
    /// One of them was not read.
    pub fn functions(
        &self,
        of: BuiltObject,
        oids: &[u32],
    ) -> Result<Box<[FunctionId]>, BuildError> {
        let found = oids.iter().filter(|oid| **oid != 0);
        let found: Result<Vec<FunctionId>, BuildError> =
            found.map(|oid| self.function(of, *oid)).collect();
        let mut found = found?;
        found.sort_unstable();
        found.dedup();
        Ok(found.into())
    }
}

impl BuiltObject {
    /// What it refers to, or that this was not read.
    ///
    /// # Errors
    /// It was not read.
    pub fn needs<Id>(
        self,
        wanted: ObjectKind,
        missing: u32,
        found: Option<Id>,
    ) -> Result<Id, BuildError> {
        found.ok_or(BuildError::Dangling {
            kind: self.kind,
            oid: Oid(self.oid),
            wanted,
            missing: Oid(missing),
        })
    }

    /// That its row has a letter that means nothing.
    pub fn has_letter(self, letter: u8) -> BuildError {
        BuildError::Letter {
            kind: self.kind,
            oid: Oid(self.oid),
            letter,
        }
    }
}

fn places<Row, Id>(
    rows: &mut [Row],
    kind: ObjectKind,
    oid: fn(&Row) -> u32,
    id: fn(u32) -> Id,
) -> Result<HashMap<Oid, Id, RandomState>, BuildError> {
    rows.sort_unstable_by_key(oid);
    let mut places = HashMap::with_capacity_and_hasher(rows.len(), RandomState::default());
    for (place, row) in (0..).zip(rows.iter()) {
        let oid = Oid(oid(row));
        if places.insert(oid, id(place)).is_some() {
            return Err(BuildError::Twice { kind, oid });
        }
    }
    Ok(places)
}
