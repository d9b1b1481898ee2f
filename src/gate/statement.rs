//! The judgement of statements by their kind.
//!
//! A kind either carries another statement (EXPLAIN, COPY, PREPARE, DECLARE), which is judged as
//! one, or expressions, which are walked, or neither. The match over kinds is closed: a new kind
//! does not compile until someone has decided about it.

use std::sync::Arc;

use super::case::Case;
use super::rules::{self, Found};
use super::{Effect, StatementKind, walk};
use crate::sql::tree::{CURSOR_OPT_HOLD, DiscardMode, Node, Tree, nodes};

/// Judges all statements of a text, in order.
pub(super) fn judge_message(tree: &Tree, case: &mut Case<'_>) -> Found {
    let count = tree.statements().count();
    case.statements = u32::try_from(count).unwrap_or(u32::MAX);
    if count > 1 {
        rules::several_statements::look(tree, count, case)?;
    }
    for statement in tree.statements() {
        judge(statement.node, case)?;
    }
    Ok(())
}

/// Judges one statement. Statements nest three deep at most (EXPLAIN, DECLARE, SELECT), by the
/// grammar.
fn judge(node: Node<'_>, case: &mut Case<'_>) -> Found {
    let kind = StatementKind::of(node);
    rules::look_at_statement(node, kind, case)?;
    match kind {
        StatementKind::Select | StatementKind::Values | StatementKind::Table => {
            walk::expressions(node, case)
        }
        StatementKind::Explain
        | StatementKind::Copy
        | StatementKind::Prepare
        | StatementKind::Declare => judge_inner(node, case),
        StatementKind::Execute => match node {
            Node::ExecuteStmt(execute) => arguments(execute, case),
            _ => Err(rules::node_unknown::refusal(node)),
        },
        StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Deallocate
        | StatementKind::Close
        | StatementKind::Discard => note_effect(node, case),
        StatementKind::Show
        | StatementKind::Begin
        | StatementKind::Commit
        | StatementKind::Rollback
        | StatementKind::Savepoint
        | StatementKind::Release
        | StatementKind::Fetch
        | StatementKind::Move
        | StatementKind::Lock
        | StatementKind::Unlisten => Ok(()),
        // Refused by a rule above. Should one of them ever let its kind through, it ends here.
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

/// A statement that carries another one, judged as if it stood alone.
fn judge_inner(node: Node<'_>, case: &mut Case<'_>) -> Found {
    match node {
        Node::ExplainStmt(explain) => {
            let first_effect = case.effects.len();
            judge(explain.query(), case)?;
            // EXPLAIN of DECLARE makes no cursor; EXPLAIN of set_config touches nothing.
            if !rules::explain_analyze::runs(explain) {
                case.effects.truncate(first_effect);
            }
            Ok(())
        }
        Node::CopyStmt(copy) => judge(copy.query(), case),
        Node::PrepareStmt(prepare) => {
            rules::too_many_names::look(case)?;
            for parameter in prepare.argtypes() {
                walk::expressions(parameter.into(), case)?;
            }
            let first_effect = case.effects.len();
            judge(prepare.query(), case)?;
            let inner = case.inner_facts(StatementKind::of(prepare.query()), first_effect);
            let name = prepare.name().unwrap_or_default().into();
            case.effects.push(Effect::Prepare {
                name,
                inner: Arc::new(inner),
            });
            Ok(())
        }
        Node::DeclareCursorStmt(declare) => {
            rules::too_many_names::look(case)?;
            let first_effect = case.effects.len();
            judge(declare.query(), case)?;
            let inner = case.inner_facts(StatementKind::of(declare.query()), first_effect);
            let name = declare.portalname().unwrap_or_default().into();
            let hold = holds(declare);
            case.effects.push(Effect::DeclareCursor {
                name,
                hold,
                inner: Arc::new(inner),
            });
            Ok(())
        }
        _ => Err(rules::node_unknown::refusal(node)),
    }
}

fn arguments(execute: &nodes::ExecuteStmt, case: &mut Case<'_>) -> Found {
    for argument in execute.params() {
        walk::expressions(argument, case)?;
    }
    Ok(())
}

fn note_effect(node: Node<'_>, case: &mut Case<'_>) -> Found {
    let effect = match node {
        Node::VariableSetStmt(_) => Effect::SettingsTouched,
        Node::DeallocateStmt(deallocate) => match deallocate.name() {
            Some(name) if !deallocate.isall => Effect::Deallocate { name: name.into() },
            _ => Effect::DeallocateAll,
        },
        Node::ClosePortalStmt(close) => match close.portalname() {
            Some(name) => Effect::CloseCursor { name: name.into() },
            None => Effect::CloseAllCursors,
        },
        Node::DiscardStmt(discard) => match discard.target {
            DiscardMode::DISCARD_ALL => Effect::DiscardAll,
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
