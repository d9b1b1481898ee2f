//! What an EXECUTE, a FETCH or a portal runs: a text that was judged when its name was given to it,
//! judged again where it stands on another basis by now. Where that text is itself an EXECUTE or a
//! FETCH it is refused, so no name leads to another.
//!
//! A prepared statement is planned anew where names mean something else, so it is judged where they
//! are looked up now. A cursor keeps the plan that it was opened with.

use crate::cache::rejudge::{check_client_text, too_deep};
use crate::context::{JudgeContext, TextOrigin};
use crate::rules::RuleResult;
use crate::{
    Cursor, ParameterTypes, PreparedStatement, Refusal, RewrittenText, Rule, SearchPaths,
    StatementKind, effects, rules,
};

/// A prepared statement that is about to run.
pub(crate) fn prepared(prepared: &PreparedStatement, context: &mut JudgeContext<'_>) -> RuleResult {
    if context.is_still_valid(&prepared.facts) {
        return Ok(());
    }
    if let ParameterTypes::Given(types) = &prepared.parameters {
        effects::parameters::check_parameters(types.iter().copied(), context)?;
    }
    let what = (&prepared.parameters, prepared.facts.rewritten.as_deref());
    let observed = check_inner_text(&prepared.text, what, None, context)?;
    context.observe(&observed);
    Ok(())
}

/// A cursor or portal that is about to run on.
pub(crate) fn cursor(cursor: &Cursor, context: &JudgeContext<'_>) -> RuleResult {
    let (facts, now) = (&cursor.facts, context.basis());
    if facts.runs_by_path && is_planned(facts.kind) && !runs_where_opened(cursor, context) {
        return Err(rules::function_path::of_cursor());
    }
    if facts.cacheable && facts.basis.with_paths_of(now) == now {
        return Ok(());
    }
    // Neither the snapshot nor the policy nor a value moves a plan that is made.
    let same_paths = {
        let moved = facts.basis.with_snapshot_of(now).with_values_of(now);
        moved.with_policy_of(now) == now
    };
    let planned_here = facts.cacheable && same_paths && !context.has_moved();
    let paths = (!planned_here && is_planned(facts.kind)).then_some(SearchPaths::Unknown);
    let what = (&cursor.parameters, facts.rewritten.as_deref());
    check_inner_text(&cursor.text, what, paths, context).map(drop)
}

/// Whether names are looked up where they may have been when the cursor was opened: its functions
/// look theirs up each time that they run, and were judged there.
fn runs_where_opened(cursor: &Cursor, context: &JudgeContext<'_>) -> bool {
    let list = |paths: &SearchPaths| match paths {
        SearchPaths::Known(paths) | SearchPaths::Unsure(paths) => Some(paths.clone()),
        SearchPaths::Unknown => None,
    };
    match (cursor.opened.as_ref().and_then(list), list(context.paths())) {
        (Some(opened), Some(now)) if cursor.facts.cacheable => {
            now.iter().all(|path| opened.contains(path))
        }
        _ => false,
    }
}

/// Judges a text that another one runs, and says which rules were only observed.
fn check_inner_text(
    text: &str,
    (parameters, rewritten): (&ParameterTypes, Option<&RewrittenText>),
    paths: Option<SearchPaths>,
    context: &JudgeContext<'_>,
) -> Result<Vec<Rule>, Box<Refusal>> {
    if context.text_origin == TextOrigin::Run {
        return Err(too_deep());
    }
    let tree = crate::parse(text, context.policy)?;
    let mut inner = context.run(text, paths);
    inner.parameters = parameters.clone();
    check_client_text(&tree, rewritten, &mut inner).map_err(|mut refusal| {
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
