//! What a database contains, as one snapshot showed it: names, types, functions, operators, casts,
//! keys and rights. A plain data model: it is filled elsewhere and never changes afterwards.
//!
//! * [`catalog_rows`]: what is read from a server, row by row, with its own oids; [`build`] makes
//!   the snapshot of it
//! * [`name_table`]: every name once, [`unreadable_names`] ones too; [`index`]: from names and oids
//!   to objects
//! * [`schema`], [`relation`], [`data_type`], [`function`], [`operator`], [`cast`], [`role`]: the
//!   objects; [`support_function`]: functions that are run for them unasked
//! * [`node_tree`]: what an expression that the server keeps (a view, a row policy, a domain's
//!   check, a function's body) runs
//! * [`search_path`]: where unqualified names are looked up; [`privileges`]: who may see what;
//!   [`mask`]: what nobody may
//! * `display`, [`quote`]: what objects are called
//! * `version`, written with `canonical`: the hash of it all; [`drift`]: what differs between two
//!   snapshots, by [`object_kind`]; `size`: what one takes
//!
//! Ids are places in the lists of one snapshot and mean nothing in another; [`Oid`]s are the
//! server's.
//!
//! <https://www.postgresql.org/docs/current/catalogs.html>

pub mod build;
pub mod cast;
pub mod catalog_rows;
pub mod data_type;
mod display;
pub mod drift;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod function;
pub mod index;
pub mod mask;
mod memory_size;
pub mod name_table;
pub mod node_tree;
pub mod object_kind;
pub mod operator;
pub mod privileges;
pub mod quote;
pub mod relation;
pub mod role;
pub mod schema;
pub mod search_path;
pub mod support_function;
#[cfg(test)]
mod tests;
pub mod type_oid;
pub mod unreadable_names;
mod version;

use std::fmt;

pub use self::build::BuildError;
pub use self::cast::{Cast, CastContext, CastMethod};
pub use self::data_type::{Type, TypeKind};
pub use self::function::{Function, FunctionKind, FunctionLanguage, LibraryCode, Volatility};
pub use self::mask::Mask;
pub use self::name_table::{NameId, NameTable};
pub use self::node_tree::StoredReferences;
pub use self::object_kind::ObjectKind;
pub use self::operator::Operator;
pub use self::privileges::RolePrivileges;
pub use self::quote::quoted;
pub use self::relation::{
    Column, GeneratedKind, KeyKind, Relation, RelationKey, RelationKind, RowPolicy,
};
pub use self::role::{Acl, AclItem, DatabaseRole};
pub use self::schema::{Schema, SchemaKind};
pub use self::search_path::SearchPath;
pub use self::support_function::{SupportFunction, SupportTarget};

use self::index::CatalogIndex;

/// One snapshot of one database.
pub struct Catalog {
    pub(crate) version: CatalogVersion,
    pub(crate) server_major: u16,
    pub(crate) other_encoding: bool,
    pub(crate) search_path: Box<str>,
    pub(crate) names: NameTable,
    pub(crate) schemas: Vec<Schema>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) columns: Vec<Column>,
    pub(crate) keys: Vec<RelationKey>,
    pub(crate) types: Vec<Type>,
    pub(crate) functions: Vec<Function>,
    pub(crate) operators: Vec<Operator>,
    pub(crate) casts: Vec<Cast>,
    pub(crate) supports: Vec<SupportFunction>,
    pub(crate) roles: Vec<DatabaseRole>,
    pub(crate) acls: Vec<Acl>,
    pub(crate) index: CatalogIndex,
    /// A short hash of each object, for [`drift`].
    pub(crate) prints: Box<[drift::ObjectPrint]>,
}

/// The server's own number of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Oid(pub u32);

impl Oid {
    /// Whether the object came with the server and not later (FirstNormalObjectId in
    /// access/transam.h).
    pub fn is_built_in(self) -> bool {
        self.0 < FIRST_NORMAL_OBJECT_ID
    }
}

/// The hash of everything in a snapshot: equal versions mean equal catalogs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CatalogVersion(pub [u8; 32]);

impl CatalogVersion {
    /// The beginning of it, for cache keys.
    pub fn number(&self) -> u64 {
        let mut short = [0; 8];
        for (to, from) in short.iter_mut().zip(self.0) {
            *to = from;
        }
        u64::from_be_bytes(short)
    }
}

impl fmt::Display for CatalogVersion {
    /// Sixteen hex digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.number())
    }
}

impl fmt::Debug for CatalogVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Version({self})")
    }
}

/// Declares the ids of a kind of object, and the ways from them to the object.
macro_rules! ids {
    ($($id:ident $one:ident $all:ident $list:ident $object:ident: $doc:literal;)+) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(pub(crate) u32);

            impl $id {
                /// Its place in the list, for tables beside the catalog.
                pub fn place(self) -> usize {
                    usize::try_from(self.0).unwrap_or(usize::MAX)
                }
            }

            impl Catalog {
                /// The object of an id of this snapshot.
                ///
                /// # Panics
                /// Never for ids of this snapshot, which are made only with it.
                #[expect(
                    clippy::indexing_slicing,
                    reason = "ids are made together with the lists that they are places in"
                )]
                pub fn $one(&self, id: $id) -> &$object {
                    &self.$list[id.place()]
                }

                /// All of them with their ids, in the order of their oids.
                pub fn $all(&self) -> impl ExactSizeIterator<Item = ($id, &$object)> {
                    // More objects than a u32 counts do not fit a server, whose oids are u32s.
                    self.$list.iter().enumerate().map(|(place, object)| {
                        ($id(u32::try_from(place).unwrap_or(u32::MAX)), object)
                    })
                }
            }
        )+
    };
}

ids! {
    SchemaId schema schemas schemas Schema: "A schema.";
    RelationId relation relations relations Relation: "A relation.";
    TypeId data_type data_types types Type: "A type.";
    FunctionId function functions functions Function: "A function.";
    OperatorId operator operators operators Operator: "An operator.";
    CastId cast casts casts Cast: "A cast.";
    RoleId role roles roles DatabaseRole: "A role.";
    AclId acl acls acls Acl: "A list of grants; equal lists are kept once.";
}

impl Catalog {
    /// The hash of its canonical form.
    pub fn version(&self) -> CatalogVersion {
        self.version
    }

    /// The search_path that sessions of this database begin with, as it is written, where their
    /// role has none of its own ([`DatabaseRole::search_path`]).
    pub fn usual_search_path(&self) -> &str {
        &self.search_path
    }

    /// The major version of the server that it was read from.
    pub fn server_major(&self) -> u16 {
        self.server_major
    }

    /// Whether the database keeps text in another encoding than UTF-8. It then folds letters beyond
    /// ASCII in names and cuts names at another character than this program does.
    pub fn other_encoding(&self) -> bool {
        self.other_encoding
    }

    /// All names.
    pub fn names(&self) -> &NameTable {
        &self.names
    }

    /// From names and oids to objects.
    pub fn index(&self) -> &CatalogIndex {
        &self.index
    }

    /// The relation of a name in the schema of a name.
    pub fn relation_named(&self, schema: &str, name: &str) -> Option<RelationId> {
        let schema = self.index().schema(self.names().find(schema)?)?;
        let called = self.index().relations(self.names().find(name)?);
        let mut called = called.iter().copied();
        called.find(|id| self.relation(*id).schema == schema)
    }

    /// The columns of a relation, in their order, without dropped ones.
    pub fn columns_of(&self, relation: RelationId) -> &[Column] {
        let columns = self.relation(relation).columns.clone();
        self.columns.get(columns).unwrap_or_default()
    }

    /// Functions of users that are run unasked, in order.
    pub fn supports(&self) -> &[SupportFunction] {
        &self.supports
    }

    /// All keys, by the relation that has them.
    pub fn keys(&self) -> &[RelationKey] {
        &self.keys
    }

    /// The keys of a relation.
    pub fn keys_of(&self, relation: RelationId) -> &[RelationKey] {
        let start = self.keys.partition_point(|key| key.relation < relation);
        let end = self.keys.partition_point(|key| key.relation <= relation);
        self.keys.get(start..end).unwrap_or_default()
    }
}

impl fmt::Debug for Catalog {
    /// Without any name of the database.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Catalog")
            .field("version", &self.version)
            .field("relations", &self.relations.len())
            .finish_non_exhaustive()
    }
}

const FIRST_NORMAL_OBJECT_ID: u32 = 16_384;
