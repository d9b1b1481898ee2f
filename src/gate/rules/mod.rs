//! The rules, one per file, and the order in which a text meets them.
//!
//! 1. Before parsing: [`too_long`], [`too_complex`]. They bound what every later step may cost.
//! 2. The parse itself: [`syntax_error`].
//! 3. The message: [`engine_syntax`], where the engine behind may read it otherwise; then
//!    [`several_statements`], before any statement, because a driver must learn that its *message*
//!    is the problem and not some statement of it.
//! 4. Each statement by its kind ([`check_statement`]): one rule answers for each kind, so their
//!    order among each other is without meaning; [`roles`] stands before [`settings`] because SET
//!    ROLE is a SET.
//! 5. Each node under it ([`check_node`]), from the statement downwards. A call is answered for by
//!    one rule, chosen by what the function does; [`temp_schema`] comes first because such a name
//!    is never the built-in's.
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
pub mod engine_syntax;
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
mod refusal_laws;

use super::context::JudgeContext;
use super::effects;
use super::functions::{self, BuiltinEffect, FunctionVerdict};
use super::sql_literal;
use super::{Refusal, StatementKind};
use sql::prescan::ScanError;
use sql::tree::{Node, list::NodeList, nodes};

/// What a rule says: nothing, or a refusal.
pub(super) type RuleResult = Result<(), Box<Refusal>>;

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
pub(super) fn check_statement(
    node: Node<'_>,
    kind: StatementKind,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    match kind {
        StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge => Err(write_statement::refusal(node, kind, context)),
        StatementKind::Ddl => Err(ddl::refusal(node, context)),
        StatementKind::Maintenance => Err(maintenance::refusal(node, context)),
        StatementKind::Do | StatementKind::Call => Err(do_and_call::refusal(node, kind)),
        StatementKind::Listen => listen_notify::check(node, context),
        StatementKind::Notify => Err(listen_notify::refusal(node, kind)),
        StatementKind::Load => Err(load::refusal()),
        StatementKind::PreparedTransaction => Err(prepared_transaction::refusal(node)),
        StatementKind::Copy => copy::check(node),
        StatementKind::Explain => explain_analyze::check(node, context),
        StatementKind::Set | StatementKind::Reset => match roles::check(node, context)? {
            roles::RoleRequest::WhatIs => Ok(()),
            roles::RoleRequest::Nothing => settings::check(node, context),
        },
        StatementKind::Begin => settings::check_begin(node, context),
        StatementKind::Show => settings::check_show(node, context),
        StatementKind::Execute => prepared_name::check(node, context),
        StatementKind::Fetch | StatementKind::Move => cursor_name::check(node, context),
        StatementKind::Declare => with_hold::check(node, context),
        StatementKind::Lock => lock::check(node, context),
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
pub(super) fn check_node(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    if let Some(effect_graph) = context.effect_graph() {
        effects::suspect_names::check_names(node, effect_graph, context);
    }
    match node {
        Node::FuncCall(call) => check_call(call, context),
        Node::ColumnRef(column) => check_fields(column.fields().iter().skip(1), context),
        Node::A_Indirection(indirection) => check_fields(indirection.indirection().iter(), context),
        Node::A_Expr(operator) => check_operator(operator.name(), context),
        Node::SelectStmt(select) => {
            select_into::check(select)?;
            locking_clause::check(select)
        }
        Node::SubLink(link) => check_operator(link.oper_name(), context),
        Node::SortBy(sort) => check_operator(sort.use_op(), context),
        Node::RangeVar(table) => {
            engine_syntax::check_relation(table, context)?;
            temp_schema::check_relation(table)
        }
        Node::TypeName(name) => temp_schema::check_type(name),
        Node::CollateClause(collate) => temp_schema::check_name(collate.collname(), "collation"),
        Node::RangeTableSample(sample) => tablesample_method::check(sample, context),
        Node::InsertStmt(_) | Node::UpdateStmt(_) | Node::DeleteStmt(_) | Node::MergeStmt(_) => {
            Err(modifying_cte::refusal(node, context))
        }
        Node::IntoClause(into) => Err(select_into::refusal(into)),
        Node::LockingClause(clause) => Err(locking_clause::refusal(clause)),
        // merge_action(): outside of MERGE a server before 17 reads a call of a user's function.
        Node::MergeSupportFunc(_) => Err(node_unknown::refusal(node)),
        _ => newer_syntax::check(node, context),
    }
}

fn check_call(call: &nodes::FuncCall, context: &mut JudgeContext<'_>) -> RuleResult {
    let called = CalledName::of(call.funcname());
    temp_schema::check_call(called)?;
    set_config::look_at_read(called, call, context)?;
    match functions::verdict(called.schema, called.name, call.args().len()) {
        FunctionVerdict::Allowed if is_missing(called, context) => {
            unknown_function::check(called, context)
        }
        FunctionVerdict::Allowed => {
            if let Some(effect_graph) = context.effect_graph() {
                effects::suspect_names::call(called, effect_graph, context);
            }
            type_effects::check_call(called, call, context)
        }
        FunctionVerdict::Housekeeping => {
            note_overloads(called, context);
            Ok(())
        }
        FunctionVerdict::SetConfig => {
            note_overloads(called, context);
            set_config::check(call, context)
        }
        FunctionVerdict::RunsSql => Err(sql_in_string::refusal(
            called,
            &shown(called, call.args().len(), context),
        )),
        FunctionVerdict::Effects {
            why: BuiltinEffect::Snapshot,
        } if context.exports_snapshot() => {
            note_overloads(called, context);
            Ok(())
        }
        FunctionVerdict::Effects { why }
            if why.is_allowed_by(context.policy) && is_missing(called, context) =>
        {
            unknown_function::check(called, context)
        }
        FunctionVerdict::Effects { why } if why.is_allowed_by(context.policy) => {
            note_overloads(called, context);
            Ok(())
        }
        FunctionVerdict::Effects { why } => {
            let shown = shown(called, call.args().len(), context);
            Err(function_effects::refusal_of_call(
                called, &shown, why, context,
            ))
        }
        FunctionVerdict::Unknown => {
            unknown_function::check(called, context)?;
            sql_literal::check_literals(called, call, context);
            Ok(())
        }
    }
}

fn check_operator(name: &NodeList, context: &JudgeContext<'_>) -> RuleResult {
    temp_schema::check_name(name, "operator")?;
    operator_schema::check(name, context)
}

fn note_overloads(called: CalledName<'_>, context: &mut JudgeContext<'_>) {
    if let Some(effect_graph) = context.effect_graph() {
        effects::suspect_names::call_of_ruled(called, effect_graph, context);
    }
}

/// Whether the upstream is known to be of a version without this built-in: it would look for a
/// function of a user's, unless the name says pg_catalog, as those do that the grammar itself
/// writes.
fn is_missing(called: CalledName<'_>, context: &JudgeContext<'_>) -> bool {
    called.schema.is_none()
        && functions::versions(called.name).is_some_and(|versions| {
            let major = context.server_major();
            major.is_some_and(|major| !versions.contains(&major))
        })
}

/// `x.f` and `(x).f` call a function of one argument where `x` has no such column, scalars
/// included. A name that is a built-in with effects is taken for the call. What the server itself
/// cannot be asked for that way ([`BuiltinEffect::Internal`]) has ordinary words among its names
/// and is left alone.
///
/// Only where there is no snapshot: with one, it shows whether the name is a column's. What reads a
/// setting is seen with one, too.
fn check_fields<'n>(
    fields: impl Iterator<Item = Node<'n>>,
    context: &JudgeContext<'_>,
) -> RuleResult {
    for name in fields.filter_map(|field| field.as_str()) {
        set_config::look_at_field(name, context)?;
        if context.effect_graph().is_some() {
            continue;
        }
        let called = CalledName { schema: None, name };
        match functions::verdict(None, name, 1) {
            FunctionVerdict::Allowed
            | FunctionVerdict::Effects {
                why: BuiltinEffect::Internal,
            }
            | FunctionVerdict::Housekeeping
            | FunctionVerdict::SetConfig
            | FunctionVerdict::Unknown => {}
            FunctionVerdict::RunsSql => return Err(sql_in_string::refusal(called, name)),
            FunctionVerdict::Effects { why } if why.is_allowed_by(context.policy) => {}
            FunctionVerdict::Effects { why } => {
                return Err(function_effects::refusal_of_call(
                    called, name, why, context,
                ));
            }
        }
    }
    Ok(())
}

/// A built-in as a refusal names it: with the types of its arguments, where the catalog has just
/// one of this name that takes so many.
fn shown(called: CalledName<'_>, count: usize, context: &JudgeContext<'_>) -> String {
    let signature = context.effect_graph().and_then(|effect_graph| {
        let catalog = effect_graph.catalog();
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
pub(super) struct CalledName<'n> {
    pub(super) schema: Option<&'n str>,
    pub(super) name: &'n str,
}

impl<'n> CalledName<'n> {
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

impl std::fmt::Display for CalledName<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.schema {
            Some(schema) => write!(formatter, "{schema}.{}", self.name),
            None => formatter.write_str(self.name),
        }
    }
}
