//! A text that was judged before, judged again because it runs on other grounds: the snapshot of
//! the database is another one, or search_path leads elsewhere.
//!
//! A prepared statement is planned anew where names mean something else, so it is judged where they
//! are looked up now. A cursor keeps the plan that it was opened with.

use super::case::{Case, Nesting};
use super::rules::Found;
use super::{
    Cursor, Parameters, Prepared, Refusal, Rule, SearchPaths, StatementKind, hidden, rules,
    statement,
};
use crate::sql::tree::{Node, Tree};
use crate::sqlstate;

/// A prepared statement that is about to run.
pub(super) fn prepared(prepared: &Prepared, case: &Case<'_>) -> Found {
    if case.holds(&prepared.facts) {
        return Ok(());
    }
    if let Parameters::Given(types) = &prepared.parameters {
        hidden::parameters::look(types.iter().copied(), case)?;
    }
    run(&prepared.text, &prepared.parameters, None, case)
}

/// A cursor or portal that is about to run on.
pub(super) fn cursor(cursor: &Cursor, case: &Case<'_>) -> Found {
    let facts = &cursor.facts;
    if facts.cacheable && facts.grounds.with_paths_of(case.grounds()) == case.grounds() {
        return Ok(());
    }
    let same_paths = facts.grounds.with_sight_of(case.grounds()) == case.grounds();
    let planned_here = facts.cacheable && same_paths && !case.has_moved();
    let paths = (!planned_here && is_planned(facts.kind)).then_some(SearchPaths::Unknown);
    run(&cursor.text, &cursor.parameters, paths, case)
}

/// A text of a client's own, as [`super::Gate::still_permits`] judges it.
pub(super) fn own(tree: &Tree, case: &mut Case<'_>) -> Found {
    let mut statements = tree.statements();
    let node = match (statements.next(), statements.next()) {
        (None, _) => return Ok(()),
        (Some(only), None) => only.node,
        (Some(_), Some(_)) => return Err(too_deep()),
    };
    statement::judge(
        match node {
            Node::PrepareStmt(prepare) => {
                case.parameters = statement::parameters_of(prepare);
                prepare.query()
            }
            Node::DeclareCursorStmt(declare) => declare.query(),
            other => other,
        },
        case,
    )?;
    if case.edits.is_empty() {
        Ok(())
    } else {
        Err(rules::settings::not_lowerable())
    }
}

fn run(text: &str, parameters: &Parameters, paths: Option<SearchPaths>, case: &Case<'_>) -> Found {
    if case.nesting == Nesting::Run {
        return Err(too_deep());
    }
    let tree = super::parse(text, case.policy)?;
    let mut inner = case.run(text, paths);
    inner.parameters = parameters.clone();
    own(&tree, &mut inner).map_err(|mut refusal| {
        // It would be a place in another text.
        refusal.position = None;
        refusal
    })
}

/// Whether a portal of such a statement has a plan. Others (EXECUTE, FETCH) look names up when they
/// run.
fn is_planned(kind: StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Select | StatementKind::Values | StatementKind::Table
    )
}

fn too_deep() -> Box<Refusal> {
    Refusal::new(
        Rule::PreparedName,
        sqlstate::FEATURE_NOT_SUPPORTED,
        "an EXECUTE that runs another EXECUTE or FETCH is not carried",
        "EXECUTE the statement itself.",
    )
}
