//! From rows to a snapshot.
//!
//! What refers to nothing is an error where it could hide an effect: then the reading was not
//! whole, and there is no snapshot. Relations that no statement can read (indexes, toast tables)
//! are left out, with all that hangs on them.
//!
//! * [`oids`]: which object an oid means, decided before any object is made
//! * [`privileges`]: grants, equal lists kept once
//! * [`relations`], [`data_types`], [`functions`], [`support_function`]: the objects
//! * [`error`]: why there is no snapshot

mod data_types;
mod error;
mod functions;
mod oids;
mod privileges;
mod relations;
mod support_function;

pub use self::error::BuildError;

use std::collections::HashMap;

use foldhash::fast::RandomState;

use self::oids::{BuiltObject, OidIndex};
use self::privileges::AclTable;
use super::catalog_rows::{CatalogRows, RoleRow, SchemaRow};
use super::index::{CatalogIndex, IdsByName};
use super::{
    Catalog, CatalogVersion, DatabaseRole, NameId, NameTable, ObjectKind, Oid, RoleId, Schema,
    SchemaId, SchemaKind, version,
};

impl Catalog {
    /// The snapshot that these rows show.
    ///
    /// # Errors
    /// Where the rows do not fit together, or have letters that no known server writes.
    pub fn build(mut rows: CatalogRows) -> Result<Self, BuildError> {
        let mut builder = CatalogBuilder {
            oids: OidIndex::of(&mut rows)?,
            names: NameTable::default(),
            rights: AclTable::default(),
        };
        let roles = builder.roles(rows.roles, &rows.members);
        let schemas = builder.schemas(rows.schemas);
        let (columns, places) = builder.columns(rows.columns)?;
        let mut relations = builder.relations(rows.relations, places)?;
        builder.inherit(&mut relations, &rows.inheritance)?;
        builder.policies(&mut relations, rows.policies)?;
        let keys = builder.keys(rows.keys);
        let types = builder.data_types(rows.types)?;
        let functions = builder.functions(rows.functions)?;
        let operators = builder.operators(rows.operators)?;
        let casts = builder.casts(&rows.casts)?;
        let supports = builder.supports(&rows.supports)?;
        let mut catalog = Self {
            version: CatalogVersion([0; 32]),
            server_major: rows.server_major,
            other_encoding: rows.other_encoding,
            search_path: rows.search_path.into(),
            names: builder.names,
            schemas,
            relations,
            columns,
            keys,
            types,
            functions,
            operators,
            casts,
            supports,
            roles,
            acls: builder.rights.lists,
            index: CatalogIndex::default(),
            prints: Box::default(),
        };
        catalog.index = index(&catalog, builder.oids);
        (catalog.version, catalog.prints) = version::of(&catalog);
        Ok(catalog)
    }
}

/// What the objects are made with.
struct CatalogBuilder {
    oids: OidIndex,
    names: NameTable,
    rights: AclTable,
}

impl CatalogBuilder {
    fn roles(&mut self, rows: Vec<RoleRow>, members: &[(u32, u32, bool)]) -> Vec<DatabaseRole> {
        let mut of: HashMap<RoleId, Vec<(RoleId, bool)>, RandomState> = HashMap::default();
        for &(member, role, inherits) in members {
            // A role of this name may be gone since: roles are shared by all databases.
            if let (Some(member), Some(role)) = (self.oids.role(member), self.oids.role(role)) {
                of.entry(member).or_default().push((role, inherits));
            }
        }
        let make = |row: RoleRow| {
            let id = self.oids.role(row.oid);
            let mut member_of = id.and_then(|id| of.remove(&id)).unwrap_or_default();
            // Several grants of one membership count together.
            member_of.sort_unstable_by_key(|(role, inherits)| (*role, !inherits));
            member_of.dedup_by_key(|(role, _)| *role);
            DatabaseRole {
                oid: Oid(row.oid),
                name: self.names.keep(&row.name),
                superuser: row.superuser,
                member_of: member_of.into(),
                search_path: row.search_path.map(Into::into),
            }
        };
        rows.into_iter().map(make).collect()
    }

    fn schemas(&mut self, rows: Vec<SchemaRow>) -> Vec<Schema> {
        let make = |row: SchemaRow| Schema {
            oid: Oid(row.oid),
            name: self.names.keep(&row.name),
            kind: SchemaKind::of(&row.name, Oid(row.oid)),
            owner: self.oids.role(row.owner),
            acl: self.rights.keep(&self.oids, row.acl),
        };
        rows.into_iter().map(make).collect()
    }

    /// The schema that an object says it is in.
    fn schema(&self, of: BuiltObject, oid: u32) -> Result<SchemaId, BuildError> {
        of.needs(ObjectKind::Schema, oid, self.oids.schema(oid))
    }
}

/// The ways into the finished lists.
fn index(catalog: &Catalog, oids: OidIndex) -> CatalogIndex {
    CatalogIndex {
        schemas: catalog
            .schemas()
            .map(|(id, schema)| (schema.name, id))
            .collect(),
        roles: catalog.roles().map(|(id, role)| (role.name, id)).collect(),
        relations: by_name(catalog.relations().map(|(id, object)| (object.name, id))),
        types: by_name(catalog.data_types().map(|(id, object)| (object.name, id))),
        functions: by_name(catalog.functions().map(|(id, object)| (object.name, id))),
        operators: by_name(catalog.operators().map(|(id, object)| (object.name, id))),
        casts: catalog
            .casts()
            .map(|(id, cast)| ((cast.source, cast.target), id))
            .collect(),
        relation_oids: oids.relations,
        type_oids: oids.types,
        function_oids: oids.functions,
        operator_oids: oids.operators,
    }
}

fn by_name<Id: Ord>(objects: impl Iterator<Item = (NameId, Id)>) -> IdsByName<Id> {
    let mut objects: Vec<(NameId, Id)> = objects.collect();
    objects.sort_unstable();
    let mut list = IdsByName {
        parts: HashMap::default(),
        ids: Vec::with_capacity(objects.len()),
    };
    for (name, id) in objects {
        let end = list.ids.len();
        list.parts.entry(name).or_insert(end..end).end = end + 1;
        list.ids.push(id);
    }
    list
}
