//! Relations, their columns and their keys.

use std::ops::Range;

use super::node_tree::StoredReferences;
use super::{AclId, NameId, Oid, RelationId, RoleId, SchemaId, TypeId};

/// One relation that a statement can name in FROM. Indexes and toast tables are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The server's number.
    pub oid: Oid,
    /// Its schema.
    pub schema: SchemaId,
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: RelationKind,
    /// The type of its rows.
    pub row_type: Option<TypeId>,
    /// Its columns, as places in the snapshot's list: see [`super::Catalog::columns_of`].
    pub columns: Range<usize>,
    /// Partitions and inheritance children, one level down.
    pub children: Box<[RelationId]>,
    /// Who owns it.
    pub owner: Option<RoleId>,
    /// Who may read it; the default rights where none are written (the owner alone).
    pub acl: Option<AclId>,
    /// The query of a view, which a read of it runs, or of a materialized view, which a read does
    /// not run; nothing for others.
    pub view: Option<Box<StoredReferences>>,
    /// Its row-security policies for reads, where row security is on.
    pub policies: Box<[RowPolicy]>,
    /// What its virtual generated columns run.
    pub computed: Option<Box<StoredReferences>>,
    /// What the expressions of its indexes, checks, partition keys and statistics name. A read runs
    /// those that are IMMUTABLE while it is planned, where their arguments are constants.
    pub planned: Option<Box<StoredReferences>>,
    /// The server of a foreign table.
    pub server: Option<NameId>,
}

/// What a relation is, as `pg_class.relkind` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationKind {
    /// An ordinary table (`r`).
    Table,
    /// A partitioned table (`p`).
    PartitionedTable,
    /// A view (`v`).
    View,
    /// A materialized view (`m`).
    MaterializedView,
    /// A foreign table (`f`).
    ForeignTable,
    /// A sequence (`S`).
    Sequence,
    /// A composite type (`c`): no statement can read from it, but rows of it have its columns.
    CompositeType,
}

/// A row-security policy that applies to SELECT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPolicy {
    /// Its name.
    pub name: NameId,
    /// What its USING expression runs.
    pub using: StoredReferences,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: NameId,
    /// Its number in the relation (`attnum`); dropped columns leave gaps.
    pub number: i16,
    /// Its type.
    pub type_id: TypeId,
    /// The type's modifier (a length, say), or -1.
    pub type_modifier: i32,
    /// Whether it is declared NOT NULL.
    pub not_null: bool,
    /// Whether and how it is computed.
    pub generated: GeneratedKind,
    /// Rights on this column alone.
    pub acl: Option<AclId>,
}

/// Whether a column is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeneratedKind {
    /// It is not.
    Not,
    /// When a row is written.
    Stored,
    /// When a row is read.
    Virtual,
}

/// A key of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationKey {
    /// The relation that has it.
    pub relation: RelationId,
    /// Its column numbers, in the order of the key.
    pub columns: Box<[i16]>,
    /// What it promises.
    pub kind: KeyKind,
}

/// What a key promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// PRIMARY KEY.
    Primary,
    /// UNIQUE.
    Unique,
    /// FOREIGN KEY.
    Foreign {
        /// The relation that it points to.
        to: RelationId,
        /// The column numbers there, in the same order.
        to_columns: Box<[i16]>,
    },
    /// FOREIGN KEY that was added NOT VALID (or is NOT ENFORCED): rows may break it, so that
    /// nothing follows from it but what somebody may have meant.
    Unvalidated {
        /// The relation that it points to.
        to: RelationId,
        /// The column numbers there, in the same order.
        to_columns: Box<[i16]>,
    },
}
