//! The judgement of statements by their kind.
//!
//! A kind either carries another statement (EXPLAIN, COPY, PREPARE, DECLARE), which is judged as
//! one, or expressions, which are walked, or neither. The match over kinds is closed: a new kind
//! does not compile until someone has decided about it.

use std::sync::Arc;

use super::context::Case;
use super::effects::missing_objects;
use super::effects::resolve_effects;
use super::effects::resolve_effects::Subject;
use super::prepared::cursor_steps;
use super::recognized::single_call::SingleCall;
use super::rules::{self, Found};
use super::settings::transaction_end::End;
use super::settings::{search_path, tracked};
use super::{Effect, Parameters, StatementKind, access, function_bodies, walk};
use crate::sql::tree::{CURSOR_OPT_HOLD, DiscardMode, Node, Tree, nodes};

/// Judges all statements of a text, in order.
pub(super) fn judge_message(tree: &Tree, case: &mut Case<'_>) -> Found {
    let count = tree.statements().count();
    case.statements = u32::try_from(count).unwrap_or(u32::MAX);
    if count > 1 {
        rules::several_statements::look(tree, count, case)?;
    }
    for (index, statement) in tree.statements().enumerate() {
        case.statement = statement.span();
        case.index = u32::try_from(index).unwrap_or(u32::MAX);
        judge(statement.node, case)?;
        cursor_steps::note(statement.node, case);
        case.end_statement();
    }
    Ok(())
}

/// Judges one statement. Statements nest three deep at most (EXPLAIN, DECLARE, SELECT), by the
/// grammar.
pub(super) fn judge(node: Node<'_>, case: &mut Case<'_>) -> Found {
    let kind = StatementKind::of(node);
    rules::look_at_statement(node, kind, case)?;
    rules::statement_denied::look(kind, case)?;
    match kind {
        StatementKind::Select | StatementKind::Values | StatementKind::Table => {
            let subject = Subject::Statement(node);
            judge_query(node, case)
                .map_err(|refused| missing_objects::or_refused(refused, subject, case))
        }
        StatementKind::Explain
        | StatementKind::Copy
        | StatementKind::Prepare
        | StatementKind::Declare => judge_inner(node, case),
        StatementKind::Execute => match node {
            Node::ExecuteStmt(execute) => {
                let subject = Subject::Arguments(execute.params());
                arguments(execute, case)
                    .map_err(|refused| missing_objects::or_refused(refused, subject, case))
            }
            _ => Err(rules::node_unknown::refusal(node)),
        },
        StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Deallocate
        | StatementKind::Close
        | StatementKind::Discard => note_effect(node, case),
        StatementKind::Commit | StatementKind::Rollback => match End::of(node) {
            Some(end) if case.statements > 1 => {
                case.end_transaction(end);
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
        StatementKind::Listen if rules::listen_notify::is_lowered(case) => Ok(()),
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

fn judge_query(node: Node<'_>, case: &mut Case<'_>) -> Found {
    case.single_call = SingleCall::of(node, case);
    rules::temp_schema::look_at_paths(case)?;
    search_path::look_ahead(node, case);
    walk::expressions(node, case)?;
    rules::catalog_missing::look(node, case)?;
    rules::nesting::look(node, case)?;
    resolve_effects::settle(Subject::Statement(node), case)?;
    case.single_call = SingleCall::None;
    function_bodies::settle(Subject::Statement(node), case)?;
    access::settle(Subject::Statement(node), case)
}

/// A statement that carries another one, judged as if it stood alone.
fn judge_inner(node: Node<'_>, case: &mut Case<'_>) -> Found {
    match node {
        Node::ExplainStmt(explain) => {
            if let Node::ExecuteStmt(execute) = explain.query() {
                rules::prepared_name::look_at_explained(execute, case)?;
            }
            let mark = case.mark();
            judge(explain.query(), case)?;
            // EXPLAIN of DECLARE makes no cursor; EXPLAIN of set_config touches nothing.
            if !rules::explain_analyze::runs(explain) {
                case.take_back(mark);
            }
            Ok(())
        }
        Node::CopyStmt(copy) if copy.relation().is_some() => {
            rules::copy::look_at_relation(copy, case)
        }
        Node::CopyStmt(copy) => judge(copy.query(), case),
        Node::PrepareStmt(prepare) => {
            rules::too_many_names::look(case)?;
            for parameter in prepare.argtypes() {
                walk::expressions(parameter.into(), case)?;
                rules::catalog_missing::look(parameter.into(), case)?;
            }
            resolve_effects::settle(Subject::Types, case)?;
            function_bodies::settle_types(prepare.argtypes().iter(), case)?;
            access::settle_types(prepare.argtypes().iter(), case)?;
            let mark = case.mark();
            let outer = std::mem::replace(&mut case.parameters, parameters_of(prepare));
            judge(prepare.query(), case)?;
            case.parameters = outer;
            let inner = case.inner_facts(StatementKind::of(prepare.query()), mark);
            let name = prepare.name().unwrap_or_default().into();
            case.effects.push(Effect::Prepare {
                name,
                inner: Arc::new(inner),
                text: case.statement_text(),
            });
            Ok(())
        }
        Node::DeclareCursorStmt(declare) => {
            rules::too_many_names::look(case)?;
            let mark = case.mark();
            judge(declare.query(), case)?;
            let inner = case.inner_facts(StatementKind::of(declare.query()), mark);
            let name = declare.portalname().unwrap_or_default().into();
            let hold = holds(declare);
            if hold {
                rules::with_hold::look_at_held(&inner)?;
            }
            case.effects.push(Effect::DeclareCursor {
                name,
                hold,
                inner: Arc::new(inner),
                text: case.statement_text(),
            });
            Ok(())
        }
        _ => Err(rules::node_unknown::refusal(node)),
    }
}

/// The types of the parameters of a statement that is prepared in SQL: those that are given have
/// names, of which it is not said here what they stand for.
pub(super) fn parameters_of(prepare: &nodes::PrepareStmt) -> Parameters {
    if prepare.argtypes().is_empty() {
        Parameters::open()
    } else {
        Parameters::Unknown
    }
}

fn arguments(execute: &nodes::ExecuteStmt, case: &mut Case<'_>) -> Found {
    if !execute.params().is_empty() {
        rules::temp_schema::look_at_paths(case)?;
    }
    for argument in execute.params() {
        walk::expressions(argument, case)?;
        rules::catalog_missing::look(argument, case)?;
    }
    resolve_effects::settle(Subject::Arguments(execute.params()), case)?;
    function_bodies::settle(Subject::Arguments(execute.params()), case)?;
    access::settle(Subject::Arguments(execute.params()), case)
}

fn note_effect(node: Node<'_>, case: &mut Case<'_>) -> Found {
    let effect = match node {
        Node::VariableSetStmt(set) => {
            case.effects.push(Effect::SettingsTouched);
            search_path::note_set(set, case);
            tracked::note_set(set, case);
            return Ok(());
        }
        Node::DeallocateStmt(deallocate) => match deallocate.name() {
            Some(name) if !deallocate.isall => Effect::Deallocate { name: name.into() },
            _ => Effect::DeallocateAll,
        },
        Node::ClosePortalStmt(close) => match close.portalname() {
            Some(name) => Effect::CloseCursor { name: name.into() },
            None => Effect::CloseAllCursors,
        },
        Node::DiscardStmt(discard) => match discard.target {
            DiscardMode::DISCARD_ALL => {
                case.effects.push(Effect::DiscardAll);
                search_path::note_reset(case);
                return Ok(());
            }
            // Plans, temporary tables and sequence caches have no names that a session knows.
            _ => return Ok(()),
        },
        _ => return Err(rules::node_unknown::refusal(node)),
    };
    case.effects.push(effect);
    Ok(())
}

/// Whether a cursor outlives its transaction.
pub(super) fn holds(declare: &nodes::DeclareCursorStmt) -> bool {
    let hold = i32::try_from(CURSOR_OPT_HOLD).unwrap_or(i32::MAX);
    declare.options & hold != 0
}
