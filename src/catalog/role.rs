//! Roles and rights.

use super::{NameId, Oid, RoleId};

/// One role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRole {
    /// The server's number.
    pub oid: Oid,
    /// Its name.
    pub name: NameId,
    /// Whether no right is asked of it.
    pub superuser: bool,
    /// The roles that it is a direct member of, and whether it has their rights without SET ROLE.
    pub member_of: Box<[(RoleId, bool)]>,
    /// Its search_path in this database, where one is set for it.
    pub search_path: Option<Box<str>>,
}

/// The rights that are written at an object.
pub type Acl = Box<[AclItem]>;

/// What one role, or everybody, may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AclItem {
    /// Who; everybody if none.
    pub to: Option<RoleId>,
    /// Whether SELECT is among the rights.
    pub select: bool,
    /// Whether USAGE is.
    pub usage: bool,
    /// Whether EXECUTE is.
    pub execute: bool,
}
