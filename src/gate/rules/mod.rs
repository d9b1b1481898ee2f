//! The rules, one per file, and the order in which a text meets them.
//!
//! 1. Before parsing: [`too_long`], [`too_complex`]. They bound what every later step may cost.
//! 2. The parse itself: [`syntax_error`].
//! 3. The message: [`several_statements`], before any statement, because a driver must learn that
//!    its *message* is the problem and not some statement of it.
//! 4. Each statement by its kind ([`look_at_statement`]): one rule answers for each kind, so their
//!    order among each other is without meaning; [`roles`] stands before [`settings`] because SET
//!    ROLE is a SET.
//! 5. Each node under it ([`look_at`]), from the statement downwards. A call is answered for by one
//!    rule, chosen by what the function does; [`temp_schema`] comes first because such a name is
//!    never the built-in's.
//! 6. What the policy says beyond that, when the gate itself has nothing against a statement: its
//!    kind ([`statement_denied`]), its depth ([`nesting`]), what it sets ([`setting_denied`]),
//!    calls ([`function_denied`]) and reads ([`relation_denied`], [`column_denied`],
//!    [`not_resolved`]). Only these can be observed in place of enforced.
//! 7. What no rule knows: [`node_unknown`].
//!
//! Every rule's file says what it Sees, Why, an example Before and After it, and When it does not
//! apply. The examples are run as tests: each Before is refused by exactly that rule, each After is
//! permitted.

pub mod cast_effects;
pub mod catalog_missing;
pub mod column_denied;
pub mod copy;
pub mod cursor_name;
pub mod ddl;
pub mod do_and_call;
pub mod docs;
pub mod explain_analyze;
pub mod foreign_table;
pub mod function_denied;
pub mod function_effects;
pub mod function_path;
pub mod hidden_function;
pub mod listen_notify;
pub mod load;
pub mod lock;
pub mod locking_clause;
pub mod maintenance;
pub mod model;
pub mod modifying_cte;
pub mod nesting;
pub mod newer_syntax;
pub mod node_unknown;
pub mod not_resolved;
pub mod operator_effects;
pub mod operator_schema;
pub mod overloaded_builtin;
pub mod prepared_name;
pub mod prepared_transaction;
pub mod relation_denied;
pub mod roles;
pub mod row_policy_effects;
pub mod select_into;
pub mod set_config;
pub mod setting_denied;
pub mod settings;
pub mod several_statements;
pub mod sql_in_string;
pub mod statement_denied;
pub mod syntax_error;
pub mod tablesample_method;
pub mod temp_schema;
pub mod too_complex;
pub mod too_long;
pub mod too_many_names;
pub mod type_effects;
pub mod unknown_function;
pub mod view_effects;
pub mod with_hold;
pub mod write_statement;

#[cfg(test)]
pub(super) mod check;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod refusal_words;

use super::context::Case;
use super::effects;
use super::functions::{self, FunctionVerdict, Why};
use super::sql_literal;
use super::{Refusal, StatementKind};
use crate::sql::prescan::ScanError;
use crate::sql::tree::{Node, list::NodeList, nodes};

/// What a rule says: nothing, or a refusal.
pub(super) type Found = Result<(), Box<Refusal>>;

/// What the pre-scan found, as a refusal.
pub(super) fn before_parsing(error: &ScanError) -> Box<Refusal> {
    match error {
        ScanError::TooLong { .. } => too_long::refusal(),
        ScanError::Nul { .. } | ScanError::OperatorRun { .. } => {
            too_complex::refusal_by_scan(error)
        }
    }
}

/// The rules that see a statement as a whole.
pub(super) fn look_at_statement(node: Node<'_>, kind: StatementKind, case: &mut Case<'_>) -> Found {
    match kind {
        StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge => Err(write_statement::refusal(node, kind, case)),
        StatementKind::Ddl => Err(ddl::refusal(node, case)),
        StatementKind::Maintenance => Err(maintenance::refusal(node, case)),
        StatementKind::Do | StatementKind::Call => Err(do_and_call::refusal(node, kind)),
        StatementKind::Listen => listen_notify::look(node, case),
        StatementKind::Notify => Err(listen_notify::refusal(node, kind)),
        StatementKind::Load => Err(load::refusal()),
        StatementKind::PreparedTransaction => Err(prepared_transaction::refusal(node)),
        StatementKind::Copy => copy::look(node),
        StatementKind::Explain => explain_analyze::look(node, case),
        StatementKind::Set | StatementKind::Reset => match roles::look(node, case)? {
            roles::Asked::WhatIs => Ok(()),
            roles::Asked::Nothing => settings::look(node, case),
        },
        StatementKind::Begin => settings::look_at_begin(node, case),
        StatementKind::Show => settings::look_at_show(node),
        StatementKind::Execute => prepared_name::look(node, case),
        StatementKind::Fetch | StatementKind::Move => cursor_name::look(node, case),
        StatementKind::Declare => with_hold::look(node, case),
        StatementKind::Lock => lock::look(node, case),
        StatementKind::Select
        | StatementKind::Values
        | StatementKind::Table
        | StatementKind::Commit
        | StatementKind::Rollback
        | StatementKind::SetConstraints
        | StatementKind::Savepoint
        | StatementKind::Release
        | StatementKind::Prepare
        | StatementKind::Deallocate
        | StatementKind::Close
        | StatementKind::Discard
        | StatementKind::Unlisten => Ok(()),
        StatementKind::Several
        | StatementKind::Empty
        | StatementKind::Unparsed
        | StatementKind::Unknown => Err(node_unknown::refusal(node)),
    }
}

/// The rules that see one node under a statement. Kinds without a rule only have children.
pub(super) fn look_at(node: Node<'_>, case: &mut Case<'_>) -> Found {
    if let Some(sight) = case.sight() {
        effects::suspect_names::look(node, sight, case);
    }
    match node {
        Node::FuncCall(call) => look_at_call(call, case),
        Node::ColumnRef(column) => look_at_fields(column.fields().iter().skip(1), case),
        Node::A_Indirection(indirection) => look_at_fields(indirection.indirection().iter(), case),
        Node::A_Expr(operator) => look_at_operator(operator.name(), case),
        Node::SelectStmt(select) => {
            select_into::look(select)?;
            locking_clause::look(select)
        }
        Node::SubLink(link) => look_at_operator(link.oper_name(), case),
        Node::SortBy(sort) => look_at_operator(sort.use_op(), case),
        Node::RangeVar(table) => temp_schema::look_at_relation(table),
        Node::TypeName(name) => temp_schema::look_at_type(name),
        Node::CollateClause(collate) => temp_schema::look_at_name(collate.collname(), "collation"),
        Node::RangeTableSample(sample) => tablesample_method::look(sample, case),
        Node::InsertStmt(_) | Node::UpdateStmt(_) | Node::DeleteStmt(_) | Node::MergeStmt(_) => {
            Err(modifying_cte::refusal(node, case))
        }
        Node::IntoClause(into) => Err(select_into::refusal(into)),
        Node::LockingClause(clause) => Err(locking_clause::refusal(clause)),
        // merge_action(): outside of MERGE a server before 17 reads a call of a user's function.
        Node::MergeSupportFunc(_) => Err(node_unknown::refusal(node)),
        _ => newer_syntax::look(node, case),
    }
}

fn look_at_call(call: &nodes::FuncCall, case: &mut Case<'_>) -> Found {
    let called = Called::of(call.funcname());
    temp_schema::look_at_call(called)?;
    set_config::look_at_read(called, call, case)?;
    match functions::verdict(called.schema, called.name, call.args().len()) {
        FunctionVerdict::Allowed if is_missing(called, case) => {
            unknown_function::look(called, case)
        }
        FunctionVerdict::Allowed => {
            if let Some(sight) = case.sight() {
                effects::suspect_names::call(called, sight, case);
            }
            type_effects::look_at_call(called, call, case)
        }
        FunctionVerdict::Housekeeping => {
            look_for_overloads(called, case);
            Ok(())
        }
        FunctionVerdict::SetConfig => {
            look_for_overloads(called, case);
            set_config::look(call, case)
        }
        FunctionVerdict::RunsSql => Err(sql_in_string::refusal(
            called,
            &shown(called, call.args().len(), case),
        )),
        FunctionVerdict::Effects { why: Why::Snapshot } if case.exports_snapshot() => {
            look_for_overloads(called, case);
            Ok(())
        }
        FunctionVerdict::Effects { why }
            if why.is_allowed_by(case.policy) && is_missing(called, case) =>
        {
            unknown_function::look(called, case)
        }
        FunctionVerdict::Effects { why } if why.is_allowed_by(case.policy) => {
            look_for_overloads(called, case);
            Ok(())
        }
        FunctionVerdict::Effects { why } => {
            let shown = shown(called, call.args().len(), case);
            Err(function_effects::refusal_of_call(called, &shown, why, case))
        }
        FunctionVerdict::Unknown => {
            unknown_function::look(called, case)?;
            sql_literal::look(called, call, case);
            Ok(())
        }
    }
}

fn look_at_operator(name: &NodeList, case: &Case<'_>) -> Found {
    temp_schema::look_at_name(name, "operator")?;
    operator_schema::look(name, case)
}

fn look_for_overloads(called: Called<'_>, case: &mut Case<'_>) {
    if let Some(sight) = case.sight() {
        effects::suspect_names::call_of_ruled(called, sight, case);
    }
}

/// Whether the upstream is known to be of a version without this built-in: it would look for a
/// function of a user's, unless the name says pg_catalog, as those do that the grammar itself
/// writes.
fn is_missing(called: Called<'_>, case: &Case<'_>) -> bool {
    called.schema.is_none()
        && functions::versions(called.name).is_some_and(|versions| {
            let major = case.server_major();
            major.is_some_and(|major| !versions.contains(&major))
        })
}

/// `x.f` and `(x).f` call a function of one argument where `x` has no such column, scalars
/// included. A name that is a built-in with effects is taken for the call. What the server itself
/// cannot be asked for that way ([`Why::Internal`]) has ordinary words among its names and is left
/// alone.
///
/// Only where there is no snapshot: with one, it shows whether the name is a column's. What reads a
/// setting is seen with one, too.
fn look_at_fields<'n>(fields: impl Iterator<Item = Node<'n>>, case: &Case<'_>) -> Found {
    for name in fields.filter_map(|field| field.as_str()) {
        set_config::look_at_field(name, case)?;
        if case.sight().is_some() {
            continue;
        }
        let called = Called { schema: None, name };
        match functions::verdict(None, name, 1) {
            FunctionVerdict::Allowed
            | FunctionVerdict::Effects { why: Why::Internal }
            | FunctionVerdict::Housekeeping
            | FunctionVerdict::SetConfig
            | FunctionVerdict::Unknown => {}
            FunctionVerdict::RunsSql => return Err(sql_in_string::refusal(called, name)),
            FunctionVerdict::Effects { why } if why.is_allowed_by(case.policy) => {}
            FunctionVerdict::Effects { why } => {
                return Err(function_effects::refusal_of_call(called, name, why, case));
            }
        }
    }
    Ok(())
}

/// A built-in as a refusal names it: with the types of its arguments, where the catalog has just
/// one of this name that takes so many.
fn shown(called: Called<'_>, count: usize, case: &Case<'_>) -> String {
    let signature = case.sight().and_then(|sight| {
        let catalog = sight.catalog();
        let name = catalog.names().find(called.name)?;
        let mut of_name = catalog.index().functions(name).iter().filter(|id| {
            let function = catalog.function(**id);
            function.oid.is_built_in() && function.arguments.len() == count
        });
        match (of_name.next(), of_name.next()) {
            (Some(only), None) => Some(catalog.function_signature(*only)),
            _ => None,
        }
    });
    signature.unwrap_or_else(|| called.to_string())
}

/// The name of a function or type as it is written, folded by the parser.
#[derive(Clone, Copy)]
pub(super) struct Called<'n> {
    pub(super) schema: Option<&'n str>,
    pub(super) name: &'n str,
}

impl<'n> Called<'n> {
    /// Reads `name`, `schema.name` or `database.schema.name`.
    pub(super) fn of(parts: &'n NodeList) -> Self {
        let mut names = parts.iter().rev().map(|part| part.as_str());
        let name = names.next().flatten().unwrap_or_default();
        // A part that is no name leaves the schema empty: of no schema of that name is anything
        // known.
        let schema = names.next().map(Option::unwrap_or_default);
        Self { schema, name }
    }
}

impl std::fmt::Display for Called<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.schema {
            Some(schema) => write!(formatter, "{schema}.{}", self.name),
            None => formatter.write_str(self.name),
        }
    }
}
