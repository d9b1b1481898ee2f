//! A text that was judged before, judged again because it runs on other grounds: the snapshot of
//! the database is another one, or search_path leads elsewhere.
//!
//! A prepared statement is planned anew where names mean something else, so it is judged where they
//! are looked up now. A cursor keeps the plan that it was opened with.

use std::sync::Arc;

use crate::gate::context::{Case, Nesting};
use crate::gate::models::substitution;
use crate::gate::rules::Found;
use crate::gate::{
    Cursor, Instead, Parameters, Prepared, Refusal, Rule, SearchPaths, StatementKind, effects,
    judge, rules,
};
use crate::sql::tree::{Node, Tree};
use crate::sqlstate;

/// A prepared statement that is about to run.
pub(in crate::gate) fn prepared(prepared: &Prepared, case: &mut Case<'_>) -> Found {
    if case.holds(&prepared.facts) {
        return Ok(());
    }
    if let Parameters::Given(types) = &prepared.parameters {
        effects::parameters::look(types.iter().copied(), case)?;
    }
    let what = (&prepared.parameters, prepared.facts.instead.as_deref());
    let observed = run(&prepared.text, what, None, case)?;
    case.observe(&observed);
    Ok(())
}

/// A cursor or portal that is about to run on.
pub(in crate::gate) fn cursor(cursor: &Cursor, case: &Case<'_>) -> Found {
    let (facts, now) = (&cursor.facts, case.grounds());
    if facts.runs_by_path && is_planned(facts.kind) && !runs_where_opened(cursor, case) {
        return Err(rules::function_path::of_cursor());
    }
    if facts.cacheable && facts.grounds.with_paths_of(now) == now {
        return Ok(());
    }
    // Neither the snapshot nor the policy nor a value moves a plan that is made.
    let same_paths = {
        let moved = facts.grounds.with_sight_of(now).with_values_of(now);
        moved.with_policy_of(now) == now
    };
    let planned_here = facts.cacheable && same_paths && !case.has_moved();
    let paths = (!planned_here && is_planned(facts.kind)).then_some(SearchPaths::Unknown);
    let what = (&cursor.parameters, facts.instead.as_deref());
    run(&cursor.text, what, paths, case).map(drop)
}

/// Whether names are looked up where they may have been when the cursor was opened: its functions
/// look theirs up each time that they run, and were judged there.
fn runs_where_opened(cursor: &Cursor, case: &Case<'_>) -> bool {
    let list = |paths: &SearchPaths| match paths {
        SearchPaths::Known(paths) | SearchPaths::Unsure(paths) => Some(paths.clone()),
        SearchPaths::Unknown => None,
    };
    match (cursor.opened.as_ref().and_then(list), list(case.paths())) {
        (Some(opened), Some(now)) if cursor.facts.cacheable => {
            now.iter().all(|path| opened.contains(path))
        }
        _ => false,
    }
}

/// A text of a client's own, as [`crate::gate::Gate::still_permits`] judges it. `instead` is what runs.
pub(in crate::gate) fn own(tree: &Tree, instead: Option<&Instead>, case: &mut Case<'_>) -> Found {
    let found = substitution::of(tree, case)?;
    if found.as_ref().map(|found| &found.text) != instead.map(|instead| &instead.text) {
        return Err(rules::model::changed());
    }
    match found.map(Arc::new) {
        None => only(tree, case),
        Some(found) => {
            let mut changed = case.with_models(&found);
            let tree = crate::gate::parse_with_models(&found.text, case.policy)?;
            substitution::leaves_none(&tree, &changed)?;
            only(&tree, &mut changed)?;
            case.observed = changed.observed;
            Ok(())
        }
    }
}

fn only(tree: &Tree, case: &mut Case<'_>) -> Found {
    let mut statements = tree.statements();
    let node = match (statements.next(), statements.next()) {
        (None, _) => return Ok(()),
        (Some(only), None) => only.node,
        (Some(_), Some(_)) => return Err(too_deep()),
    };
    judge::judge(
        match node {
            Node::PrepareStmt(prepare) => {
                case.parameters = judge::parameters_of(prepare);
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

/// Judges a text that another one runs, and says which rules were only observed.
fn run(
    text: &str,
    (parameters, instead): (&Parameters, Option<&Instead>),
    paths: Option<SearchPaths>,
    case: &Case<'_>,
) -> Result<Vec<Rule>, Box<Refusal>> {
    if case.nesting == Nesting::Run {
        return Err(too_deep());
    }
    let tree = crate::gate::parse(text, case.policy)?;
    let mut inner = case.run(text, paths);
    inner.parameters = parameters.clone();
    own(&tree, instead, &mut inner).map_err(|mut refusal| {
        // It would be a place in another text.
        refusal.position = None;
        refusal
    })?;
    Ok(inner.observed)
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
