//! What is read from a server to make a snapshot: rows as the catalogs have them, with the server's
//! oids, before anything refers to anything. Zero is the server's oid of nothing.

#![expect(
    missing_docs,
    reason = "a field without a line means what the catalogs say of the column of its name"
)]

/// All rows of one reading, taken in one transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CatalogRows {
    /// The major version of the server.
    pub server_major: u16,
    /// Whether the database keeps text in another encoding than UTF-8.
    pub other_encoding: bool,
    /// The search_path that sessions of this database begin with where nothing else is set for the
    /// role (`ALTER DATABASE … SET`, or the server's own); empty where that cannot be told.
    pub search_path: String,
    /// `pg_namespace`.
    pub schemas: Vec<SchemaRow>,
    /// `pg_class`: what can stand in FROM, and composite types.
    pub relations: Vec<RelationRow>,
    /// `pg_attribute`: columns with positive numbers that are not dropped, by relation and number.
    pub columns: Vec<ColumnRow>,
    /// `pg_constraint`: primary, unique and foreign keys.
    pub keys: Vec<KeyRow>,
    /// `pg_inherits`: (child, parent).
    pub inheritance: Vec<(u32, u32)>,
    /// `pg_policy`, for tables with row security on, commands SELECT and ALL.
    pub policies: Vec<PolicyRow>,
    /// `pg_type`, all of it: functions may take the rows of temporary tables.
    pub types: Vec<TypeRow>,
    /// `pg_proc`, with `pg_aggregate`.
    pub functions: Vec<FunctionRow>,
    /// `pg_operator`.
    pub operators: Vec<OperatorRow>,
    /// `pg_cast`.
    pub casts: Vec<CastRow>,
    /// Functions of users that are run unasked.
    pub supports: Vec<SupportRow>,
    /// `pg_roles`.
    pub roles: Vec<RoleRow>,
    /// `pg_auth_members`: (member, role, inherits), and the owner of the database as a member of
    /// `pg_database_owner`.
    pub members: Vec<(u32, u32, bool)>,
}

/// A schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaRow {
    pub oid: u32,
    pub name: String,
    pub owner: u32,
    /// The grants, or none where the column is NULL.
    pub acl: Option<Vec<GrantRow>>,
}

/// One grant of an ACL, as `aclexplode` gives it, without grant options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrantRow {
    /// Zero for PUBLIC.
    pub to: u32,
    pub select: bool,
    pub usage: bool,
    pub execute: bool,
}

/// A relation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelationRow {
    pub oid: u32,
    pub schema: u32,
    pub name: String,
    /// `relkind`.
    pub kind: u8,
    pub row_type: u32,
    pub owner: u32,
    pub acl: Option<Vec<GrantRow>>,
    /// `pg_rewrite.ev_action` of a view's SELECT rule.
    pub view: Option<String>,
    /// `pg_attrdef.adbin` of virtual generated columns.
    pub computed: Vec<String>,
    /// What the planner may work out while it plans a read: `pg_index.indexprs` and `indpred`,
    /// `pg_constraint.conbin` of checks, `pg_partitioned_table.partexprs`,
    /// `pg_statistic_ext.stxexprs` (14 and later).
    pub planned: Vec<String>,
    /// `pg_foreign_server.srvname` of a foreign table.
    pub server: Option<String>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnRow {
    pub relation: u32,
    pub number: i16,
    pub name: String,
    pub type_oid: u32,
    pub type_modifier: i32,
    pub not_null: bool,
    /// `attgenerated`: zero, `s` or `v`.
    pub generated: u8,
    pub acl: Option<Vec<GrantRow>>,
}

/// A key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRow {
    pub relation: u32,
    /// `contype`: `p`, `u` or `f`.
    pub kind: u8,
    pub columns: Vec<i16>,
    /// The relation that a foreign key points to.
    pub to: u32,
    pub to_columns: Vec<i16>,
    /// Not `convalidated`: rows may break it.
    pub not_validated: bool,
}

/// A row-security policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRow {
    pub relation: u32,
    pub name: String,
    /// `polqual`.
    pub using: Option<String>,
}

/// A type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeRow {
    pub oid: u32,
    pub schema: u32,
    pub name: String,
    /// `typtype`.
    pub kind: u8,
    pub category: u8,
    pub preferred: bool,
    /// `typrelid`.
    pub relation: u32,
    /// `typelem`.
    pub element: u32,
    /// Whether it is an array in the full sense: its `typsubscript` (14 and later) or the way its
    /// element names it (13) says so.
    pub is_array: bool,
    /// `typarray`.
    pub array: u32,
    /// `typbasetype` and `typtypmod` of a domain.
    pub base: u32,
    pub base_modifier: i32,
    pub not_null: bool,
    /// `pg_constraint.conbin` of a domain's checks.
    pub checks: Vec<String>,
    /// `rngsubtype` of a range, the range of a multirange.
    pub range_of: u32,
    /// Functions with oids of users that run when a value is made: input, receive, typmodin.
    pub makers: Vec<u32>,
    /// Functions of users that run when a value is used: output, send, typmodout, a range's
    /// canonical and subdiff functions, analysis aside; and what users have put into its default
    /// operator classes, functions of the server among it.
    pub users: Vec<u32>,
    pub owner: u32,
    pub acl: Option<Vec<GrantRow>>,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionRow {
    pub oid: u32,
    pub schema: u32,
    pub name: String,
    /// `prokind`.
    pub kind: u8,
    /// `provolatile`.
    pub volatility: u8,
    pub security_definer: bool,
    /// `pg_language.lanname`.
    pub language: String,
    /// The extension that it is a member of (`pg_depend`), by name.
    pub extension: Option<String>,
    /// `probin` and `prosrc` of what users have added in C.
    pub code: Option<(String, String)>,
    /// `proargtypes`.
    pub arguments: Vec<u32>,
    /// `proallargtypes`, or nothing where the column is NULL.
    pub all_arguments: Vec<u32>,
    /// `proargmodes`.
    pub modes: Vec<u8>,
    /// `proargnames`.
    pub names: Vec<String>,
    pub defaults: u16,
    pub variadic: u32,
    pub returns: u32,
    pub returns_set: bool,
    /// The names before the `=` in `proconfig`.
    pub settings: Vec<String>,
    /// `prosqlbody` (14 and later) and `proargdefaults`.
    pub bodies: Vec<String>,
    /// `prosrc` of what is written in SQL and has no `prosqlbody`.
    pub text: Option<String>,
    /// What `proconfig` sets search_path to.
    pub search_path: Option<String>,
    /// Of an aggregate: all its functions, `aggsortop`, `aggkind`, `aggnumdirectargs`.
    pub parts: Vec<u32>,
    pub sort_operator: u32,
    pub aggregate_kind: u8,
    pub direct_arguments: u16,
    pub owner: u32,
    pub acl: Option<Vec<GrantRow>>,
}

/// An operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorRow {
    pub oid: u32,
    pub schema: u32,
    pub name: String,
    pub left: u32,
    pub right: u32,
    pub result: u32,
    pub function: u32,
    pub commutator: u32,
    pub negator: u32,
    /// `proleakproof`, `proisstrict` and an immutable `provolatile` of the function.
    pub leakproof: bool,
    /// Functions with oids of users in the families of operator classes that it belongs to, those
    /// of other operators there included: an index, a partition, a sort or a join by such a class
    /// runs them for it.
    pub support: Vec<u32>,
}

/// A cast.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CastRow {
    pub source: u32,
    pub target: u32,
    pub function: u32,
    /// `castcontext`.
    pub context: u8,
    /// `castmethod`.
    pub method: u8,
}

/// A function of a user that is run unasked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SupportRow {
    pub of: SupportRowOf,
    /// What it is run for, where that is one object; else zero.
    pub oid: u32,
    pub function: u32,
}

/// What a support function is run for: see [`super::support_function::SupportTarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SupportRowOf {
    Relation,
    PartitionKey,
    Operator,
    Function,
    TypeModifier,
    Printing,
    TextSearch,
    Conversion,
    ForeignDataWrapper,
    AccessMethod,
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleRow {
    pub oid: u32,
    pub name: String,
    pub superuser: bool,
    /// Its search_path in this database (`pg_db_role_setting`).
    pub search_path: Option<String>,
}
