//! Types.

use super::node_tree::StoredReferences;
use super::{AclId, FunctionId, NameId, Oid, RelationId, RoleId, SchemaId, TypeId};

/// One type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// The server's number.
    pub oid: Oid,
    /// Its schema.
    pub schema: SchemaId,
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: TypeKind,
    /// `typcategory`: which types compete when Postgres chooses between overloads.
    pub category: u8,
    /// `typispreferred`: whether it wins in its category.
    pub preferred: bool,
    /// What a subscript of a value of it has (`typelem`), for arrays and some fixed-length types.
    pub element: Option<TypeId>,
    /// Whether it is an array in the full sense: of any length, its elements are of the type in
    /// `element`. The element's `array` is this type, but for `int2vector` and `oidvector`.
    pub is_array: bool,
    /// The type of arrays of it.
    pub array: Option<TypeId>,
    /// Functions of users that run whenever a value of it is made from text or binary: input,
    /// receive, modifiers.
    pub makers: Box<[FunctionId]>,
    /// Functions of users that run when a value of it is printed, sent, compared, hashed, sorted or
    /// put into JSON.
    pub users: Box<[FunctionId]>,
    /// Who owns it.
    pub owner: Option<RoleId>,
    /// Who may use it; the default rights where none are written (everybody).
    pub acl: Option<AclId>,
}

/// What a type is, as `pg_type.typtype` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A base type, arrays among them (`b`).
    Base,
    /// The rows of a relation, or a type made by CREATE TYPE … AS (`c`). Of a relation that is not
    /// in the snapshot (a temporary or toast table) the columns are unknown.
    Composite(Option<RelationId>),
    /// A domain (`d`).
    Domain {
        /// The type below it.
        base: TypeId,
        /// The modifier that it adds, or -1.
        base_modifier: i32,
        /// What its CHECK constraints run.
        checks: StoredReferences,
        /// Whether it has any constraint, NOT NULL included.
        constrained: bool,
    },
    /// An enumeration (`e`).
    Enum,
    /// A range (`r`).
    Range {
        /// The type of its bounds.
        subtype: TypeId,
    },
    /// A multirange (`m`).
    Multirange {
        /// The type of its ranges.
        range: TypeId,
    },
    /// A pseudo-type (`p`): polymorphic and internal ones.
    Pseudo,
}
