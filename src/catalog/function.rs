//! Functions, aggregates, window functions and procedures.

use std::sync::Arc;

use super::node_tree::StoredReferences;
use super::{AclId, FunctionId, NameId, Oid, OperatorId, RoleId, SchemaId, TypeId};

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The server's number.
    pub oid: Oid,
    /// Its schema.
    pub schema: SchemaId,
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: FunctionKind,
    /// What its owner says of its effects.
    pub volatility: Volatility,
    /// Whether it runs with its owner's rights.
    pub security_definer: bool,
    /// What it is written in.
    pub language: FunctionLanguage,
    /// The extension that it is a member of, by name.
    pub extension: Option<Arc<str>>,
    /// What runs, where that is a loaded library and nothing of the server's own.
    pub code: Option<Box<LibraryCode>>,
    /// The types of its input arguments, in order (`proargtypes`). The last one of a variadic
    /// function is an array.
    pub arguments: Box<[TypeId]>,
    /// The names of its input arguments, in the same order; empty where none has one.
    pub argument_names: Box<[Option<NameId>]>,
    /// How many of the last arguments have defaults.
    pub defaults: u16,
    /// The type of the elements that the variadic argument collects (`provariadic`); VARIADIC "any"
    /// has the type "any".
    pub variadic: Option<TypeId>,
    /// What it returns.
    pub returns: TypeId,
    /// Whether it returns any number of rows.
    pub returns_set: bool,
    /// The columns of its result where OUT, INOUT or TABLE arguments name them.
    pub out_columns: Box<[(Option<NameId>, TypeId)]>,
    /// Settings that it changes while it runs, by name.
    pub settings: Box<[NameId]>,
    /// What is known of what it runs: the body of BEGIN ATOMIC and the defaults of arguments.
    pub body: Option<Box<StoredReferences>>,
    /// The body where it is SQL in a string: its names are looked up when it runs.
    pub text: Option<Box<str>>,
    /// The search_path that it sets for itself, as it is written.
    pub search_path: Option<Box<str>>,
    /// Who owns it.
    pub owner: Option<RoleId>,
    /// Who may call it; the default rights where none are written (everybody).
    pub acl: Option<AclId>,
}

/// A function of a loaded library. Only superusers can make functions of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryCode {
    /// The library, as it is written (`probin`): `$libdir/pg_trgm`.
    pub library: Arc<str>,
    /// The function in it (`prosrc`).
    pub symbol: Box<str>,
}

impl Function {
    /// Whether it is a member of an extension.
    pub fn of_extension(&self) -> bool {
        self.extension.is_some()
    }
}

/// What can be called, as `pg_proc.prokind` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A function (`f`).
    Plain,
    /// A window function (`w`).
    Window,
    /// A procedure (`p`).
    Procedure,
    /// An aggregate (`a`).
    Aggregate {
        /// The functions that it is made of.
        parts: Box<[FunctionId]>,
        /// The operator that may stand for it (`aggsortop`).
        sort_operator: Option<OperatorId>,
        /// Whether it takes WITHIN GROUP, and how many arguments come before that.
        direct_arguments: Option<u16>,
    },
}

/// What the owner of a function says of its effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Volatility {
    /// The same result for the same arguments, for ever.
    Immutable,
    /// The same result within one statement.
    Stable,
    /// Anything.
    Volatile,
}

/// What a function is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionLanguage {
    /// Part of the server.
    Internal,
    /// A loaded library.
    C,
    /// SQL.
    Sql,
    /// Any other, plpgsql first.
    Other(NameId),
}
