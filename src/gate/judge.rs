//! The judgement of statements by their kind.
//!
//! A kind either carries another statement (EXPLAIN, COPY, PREPARE, DECLARE), which is judged as
//! one, or expressions, which are walked, or neither. The match over kinds is closed: a new kind
//! does not compile until someone has decided about it.

use crate::statement_kind;
use std::sync::Arc;

use super::context::JudgeContext;
use super::effects::missing_objects;
use super::effects::resolve_effects;
use super::effects::resolve_effects::CheckSubject;
use super::prepared::cursor_steps;
use super::recognized::single_call::SingleCall;
use super::rules::{self, RuleResult};
use super::settings::transaction_end::TransactionEndKind;
use super::settings::{search_path, tracked};
use super::{
    ParameterTypes, SessionEffect, StatementKind, access, catalog_view, function_bodies, walk,
};
use sql::tree::{CURSOR_OPT_HOLD, DiscardMode, Node, SyntaxTree, nodes};

/// Judges all statements of a text, in order.
pub(super) fn judge_message(tree: &SyntaxTree, context: &mut JudgeContext<'_>) -> RuleResult {
    let count = tree.statements().count();
    context.statements = u32::try_from(count).unwrap_or(u32::MAX);
    if count > 1 {
        rules::several_statements::check(tree, count, context)?;
    }
    for (index, statement) in tree.statements().enumerate() {
        context.statement = statement.span();
        context.index = u32::try_from(index).unwrap_or(u32::MAX);
        judge(statement.node, context)?;
        cursor_steps::note(statement.node, context);
        context.end_statement();
    }
    Ok(())
}

/// Judges one statement. Statements nest three deep at most (EXPLAIN, DECLARE, SELECT), by the
/// grammar.
pub(super) fn judge(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let kind = statement_kind::of(node);
    rules::check_statement(node, kind, context)?;
    rules::statement_denied::check(kind, context)?;
    match kind {
        StatementKind::Select | StatementKind::Values | StatementKind::Table => {
            let subject = CheckSubject::Statement(node);
            judge_query(node, context)
                .map_err(|refused| missing_objects::or_refused(refused, subject, context))
        }
        StatementKind::Explain
        | StatementKind::Copy
        | StatementKind::Prepare
        | StatementKind::Declare => judge_inner(node, context),
        StatementKind::Execute => match node {
            Node::ExecuteStmt(execute) => {
                let subject = CheckSubject::Arguments(execute.params());
                arguments(execute, context)
                    .map_err(|refused| missing_objects::or_refused(refused, subject, context))
            }
            _ => Err(rules::node_unknown::refusal(node)),
        },
        StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Deallocate
        | StatementKind::Close
        | StatementKind::Discard => note_effect(node, context),
        StatementKind::Commit | StatementKind::Rollback => match TransactionEndKind::of(node) {
            Some(end) if context.statements > 1 => {
                context.end_transaction(end);
                Ok(())
            }
            Some(_) => Ok(()),
            None => Err(rules::node_unknown::refusal(node)),
        },
        StatementKind::Show
        | StatementKind::Begin
        | StatementKind::SetConstraints
        | StatementKind::Savepoint
        | StatementKind::Release
        | StatementKind::Fetch
        | StatementKind::Move
        | StatementKind::Lock
        | StatementKind::Unlisten => Ok(()),
        // Refused by a rule above. Should one of them ever let its kind through, it ends here.
        StatementKind::Listen if rules::listen_notify::is_lowered(context) => Ok(()),
        StatementKind::PreparedTransaction
        | StatementKind::Listen
        | StatementKind::Notify
        | StatementKind::Load
        | StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge
        | StatementKind::Do
        | StatementKind::Call
        | StatementKind::Ddl
        | StatementKind::Maintenance
        | StatementKind::Several
        | StatementKind::Empty
        | StatementKind::Unparsed
        | StatementKind::Unknown => Err(rules::node_unknown::refusal(node)),
    }
}

fn judge_query(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    context.single_call = SingleCall::of(node, context);
    rules::temp_schema::check_paths(context)?;
    search_path::note_call_certainty(node, context);
    walk::expressions(node, context)?;
    rules::catalog_missing::check(node, context)?;
    rules::nesting::check(node, context)?;
    resolve_effects::check_resolved(CheckSubject::Statement(node), context)?;
    context.single_call = SingleCall::None;
    function_bodies::check_resolved(CheckSubject::Statement(node), context)?;
    access::check_resolved(CheckSubject::Statement(node), context)?;
    catalog_view::check::check_resolved(CheckSubject::Statement(node), context)
}

/// A statement that carries another one, judged as if it stood alone.
fn judge_inner(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    match node {
        Node::ExplainStmt(explain) => {
            if let Node::ExecuteStmt(execute) = explain.query() {
                rules::prepared_name::check_explained(execute, context)?;
            }
            let mark = context.mark();
            judge(explain.query(), context)?;
            // EXPLAIN of DECLARE makes no cursor; EXPLAIN of set_config touches nothing.
            if !rules::explain_analyze::runs(explain) {
                context.take_back(mark);
            }
            Ok(())
        }
        Node::CopyStmt(copy) if copy.relation().is_some() => {
            rules::copy::check_relation(copy, context)
        }
        Node::CopyStmt(copy) => judge(copy.query(), context),
        Node::PrepareStmt(prepare) => {
            rules::too_many_names::check(context)?;
            for parameter in prepare.argtypes() {
                walk::expressions(parameter.into(), context)?;
                rules::catalog_missing::check(parameter.into(), context)?;
            }
            resolve_effects::check_resolved(CheckSubject::Types, context)?;
            function_bodies::check_types(prepare.argtypes().iter(), context)?;
            access::check_types(prepare.argtypes().iter(), context)?;
            catalog_view::check::check_types(prepare.argtypes().iter(), context)?;
            let mark = context.mark();
            let outer = std::mem::replace(&mut context.parameters, parameters_of(prepare));
            judge(prepare.query(), context)?;
            context.parameters = outer;
            let inner = context.inner_facts(statement_kind::of(prepare.query()), mark);
            let name = prepare.name().unwrap_or_default().into();
            context.effects.push(SessionEffect::Prepare {
                name,
                inner: Arc::new(inner),
                text: context.statement_text(),
            });
            Ok(())
        }
        Node::DeclareCursorStmt(declare) => {
            rules::too_many_names::check(context)?;
            let mark = context.mark();
            judge(declare.query(), context)?;
            let inner = context.inner_facts(statement_kind::of(declare.query()), mark);
            let name = declare.portalname().unwrap_or_default().into();
            let hold = holds(declare);
            if hold {
                rules::with_hold::check_inner(&inner)?;
            }
            context.effects.push(SessionEffect::DeclareCursor {
                name,
                hold,
                inner: Arc::new(inner),
                text: context.statement_text(),
            });
            Ok(())
        }
        _ => Err(rules::node_unknown::refusal(node)),
    }
}

/// The types of the parameters of a statement that is prepared in SQL: those that are given have
/// names, of which it is not said here what they stand for.
pub(super) fn parameters_of(prepare: &nodes::PrepareStmt) -> ParameterTypes {
    if prepare.argtypes().is_empty() {
        ParameterTypes::none_given()
    } else {
        ParameterTypes::Unknown
    }
}

fn arguments(execute: &nodes::ExecuteStmt, context: &mut JudgeContext<'_>) -> RuleResult {
    if !execute.params().is_empty() {
        rules::temp_schema::check_paths(context)?;
    }
    for argument in execute.params() {
        walk::expressions(argument, context)?;
        rules::catalog_missing::check(argument, context)?;
    }
    resolve_effects::check_resolved(CheckSubject::Arguments(execute.params()), context)?;
    function_bodies::check_resolved(CheckSubject::Arguments(execute.params()), context)?;
    access::check_resolved(CheckSubject::Arguments(execute.params()), context)?;
    catalog_view::check::check_resolved(CheckSubject::Arguments(execute.params()), context)
}

fn note_effect(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let effect = match node {
        Node::VariableSetStmt(set) => {
            context.effects.push(SessionEffect::SettingsTouched);
            search_path::note_set(set, context);
            tracked::note_set(set, context);
            return Ok(());
        }
        Node::DeallocateStmt(deallocate) => match deallocate.name() {
            Some(name) if !deallocate.isall => SessionEffect::Deallocate { name: name.into() },
            _ => SessionEffect::DeallocateAll,
        },
        Node::ClosePortalStmt(close) => match close.portalname() {
            Some(name) => SessionEffect::CloseCursor { name: name.into() },
            None => SessionEffect::CloseAllCursors,
        },
        Node::DiscardStmt(discard) => match discard.target {
            DiscardMode::DISCARD_ALL => {
                context.effects.push(SessionEffect::DiscardAll);
                search_path::note_reset(context);
                return Ok(());
            }
            // Plans, temporary tables and sequence caches have no names that a session knows.
            _ => return Ok(()),
        },
        _ => return Err(rules::node_unknown::refusal(node)),
    };
    context.effects.push(effect);
    Ok(())
}

/// Whether a cursor outlives its transaction.
pub(super) fn holds(declare: &nodes::DeclareCursorStmt) -> bool {
    let hold = i32::try_from(CURSOR_OPT_HOLD).unwrap_or(i32::MAX);
    declare.options & hold != 0
}
