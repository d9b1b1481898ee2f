//! Schemas.

use super::{AclId, NameId, Oid, RoleId};

/// One schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The server's number.
    pub oid: Oid,
    /// Its name.
    pub name: NameId,
    /// What it holds.
    pub kind: SchemaKind,
    /// Who owns it.
    pub owner: Option<RoleId>,
    /// Who may use it; the default rights where none are written (the owner alone).
    pub acl: Option<AclId>,
}

/// What a schema holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaKind {
    /// `pg_catalog`.
    Catalog,
    /// `information_schema`.
    InformationSchema,
    /// `pg_toast` and the like.
    Toast,
    /// `pg_temp_N` and `pg_toast_temp_N`: what one session made for itself.
    Temporary,
    /// Any other.
    Ordinary,
}

/// Whether a name is that of a schema of what a session makes for itself: `pg_temp` for the own
/// one, and those of all by their numbers. No user can make another schema of such a name.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with("pg_temp") || name.starts_with("pg_toast_temp")
}

/// The same of a schema that another session's things may stand in.
pub fn is_of_another_session(name: &str) -> bool {
    is_temporary(name) && name != "pg_temp"
}

impl SchemaKind {
    /// What a schema holds: names that begin with `pg_` are the server's, and an information_schema
    /// that somebody made later is like any other.
    pub(crate) fn of(name: &str, oid: Oid) -> Self {
        match name {
            "pg_catalog" => Self::Catalog,
            "information_schema" if oid.is_built_in() => Self::InformationSchema,
            "pg_toast" => Self::Toast,
            _ if is_temporary(name) => Self::Temporary,
            _ => Self::Ordinary,
        }
    }
}
