//! Functions whose names are looked up when they run: by the search_path of the session, which is
//! the client's to choose.
//!
//! A body that is a string means something else under another path. One that is SQL is read here
//! and judged under the path that it would run under, as if the client had sent it; the same holds
//! of what it calls, and of functions behind views, operators, casts, aggregates, types and row
//! policies. One that cannot be read (PL/pgSQL and other languages) is what its owner says, but
//! only under the path that sessions of the role begin with, or under one of its own. So is a body
//! of SQL in which something cannot be told.
//!
//! * [`check_resolved`]: one statement, after its own names are looked into
//! * [`path_context`]: where names may be looked up, and what that is to the functions that are run
//! * [`uses`]: what the names of a statement or of a body run
//! * [`call_walk`]: from there through the graph of all that runs something
//! * [`sql_body`]: one body in one place
//! * [`memo`]: what was thought of bodies before
//!
//! What has such a function behind it is known beforehand
//! ([`super::effects::graph::PathDependents`]): a statement that names nothing of the kind costs
//! nothing here.

mod call_walk;
mod memo;
mod path_context;
mod sql_body;
mod uses;

pub(super) use self::memo::BodyMemo;

use super::Refusal;
use super::basis::SearchPaths;
use super::context::{JudgeContext, TextOrigin};
use super::effects::graph::{
    EffectCause, EffectGraph, EffectReason, GraphNode, NameFlags, PathDependents,
};
use super::effects::resolve_effects::CheckSubject;
use super::effects::{coercion, lookup, refusal};
use super::rules::{RuleResult, function_path, hidden_function};
use catalog::{NameId, Oid};
use sql::tree::nodes;

use self::call_walk::CallWalk;
use self::path_context::PathOrigin;

/// Notes a name that may stand for something that runs such a function.
pub(super) fn note(
    name: NameId,
    flag: NameFlags,
    effect_graph: &EffectGraph,
    judge_context: &mut JudgeContext<'_>,
) {
    if !judge_context.names_path_dependent
        && let Some(path_dependents) = path_dependents(effect_graph, judge_context)
        && path_dependents.flags(name).any_of(flag)
    {
        judge_context.names_path_dependent = true;
    }
}

/// Notes a name that is perhaps read otherwise by the server than here, so that it may stand for
/// anything.
pub(super) fn note_folded(effect_graph: &EffectGraph, judge_context: &mut JudgeContext<'_>) {
    if effect_graph.catalog().other_encoding()
        && path_dependents(effect_graph, judge_context).is_some()
    {
        judge_context.names_path_dependent = true;
    }
}

/// Judges what the statement at hand runs by the session's search_path.
pub(super) fn check_resolved(
    subject: CheckSubject<'_>,
    judge_context: &mut JudgeContext<'_>,
) -> RuleResult {
    if judge_context.text_origin == TextOrigin::Body {
        return Ok(());
    }
    let is_named = std::mem::take(&mut judge_context.names_path_dependent);
    let Some(effect_graph) = judge_context.effect_graph() else {
        return Ok(());
    };
    // A name before the call that sets the path was looked at as if nothing were shadowed.
    let is_named = is_named || effect_graph.may_shadow() && !judge_context.within.is_empty();
    let Some(path_dependents) = path_dependents(effect_graph, judge_context) else {
        return Ok(());
    };
    if !is_named {
        let is_unasked =
            !(path_dependents.casts().is_empty() && path_dependents.types().is_empty());
        if !is_unasked || casts_nothing(subject) {
            return Ok(());
        }
    }
    judge_context.runs_by_path = true;
    let Some(contexts) = path_context::of(effect_graph, judge_context) else {
        return Err(unknown(judge_context));
    };
    let mut walk = CallWalk::new(effect_graph, path_dependents, judge_context, contexts);
    if !is_named && walk.allows_implicit_uses() {
        return observed(walk.observed, judge_context);
    }
    check_statement(subject, effect_graph, &mut walk, judge_context)?;
    observed(walk.observed, judge_context)
}

/// The types of a PREPARE: any type of such a name, in whatever schema.
pub(super) fn check_types<'t>(
    types: impl Iterator<Item = &'t nodes::TypeName>,
    judge_context: &mut JudgeContext<'_>,
) -> RuleResult {
    if !std::mem::take(&mut judge_context.names_path_dependent) {
        return Ok(());
    }
    let Some(effect_graph) = judge_context.effect_graph() else {
        return Ok(());
    };
    let catalog = effect_graph.catalog();
    let names = types.filter_map(|name| name.names().iter().next_back()?.sval());
    let ids = names.filter_map(|name| catalog.names().find(name));
    let types = ids.flat_map(|name| catalog.index().types(name).iter().copied());
    let places: Vec<GraphNode> = types
        .flat_map(|id| [GraphNode::Making(id), GraphNode::Using(id)])
        .collect();
    judge_context.runs_by_path = true;
    check_graph_nodes(&places, effect_graph, judge_context)
}

/// A type that a Bind makes values of.
pub(super) fn check_parameter(
    oid: Oid,
    effect_graph: &EffectGraph,
    judge_context: &JudgeContext<'_>,
) -> RuleResult {
    let Some(id) = effect_graph.catalog().index().type_of_oid(oid) else {
        return Ok(());
    };
    check_graph_nodes(
        &[GraphNode::Making(id), GraphNode::Using(id)],
        effect_graph,
        judge_context,
    )
}

fn casts_nothing(subject: CheckSubject<'_>) -> bool {
    match subject {
        CheckSubject::Statement(node) => coercion::has_nothing_to_cast(node),
        CheckSubject::Arguments(_) | CheckSubject::Types => false,
    }
}

/// What runs such a function, as the statement at hand has names looked up.
fn path_dependents<'s>(
    effect_graph: &'s EffectGraph,
    judge_context: &JudgeContext<'_>,
) -> Option<&'s PathDependents> {
    effect_graph.path_dependents(|| match judge_context.paths() {
        SearchPaths::Unknown => true,
        SearchPaths::Known(paths) | SearchPaths::Unsure(paths) => {
            let late = |path: &[Box<str>]| path.iter().skip(1).any(|name| **name == *"pg_catalog");
            paths.iter().any(|path| late(path)) || !judge_context.within.is_empty()
        }
    })
}

fn check_graph_nodes(
    places: &[GraphNode],
    effect_graph: &EffectGraph,
    judge_context: &JudgeContext<'_>,
) -> RuleResult {
    let Some(path_dependents) = path_dependents(effect_graph, judge_context) else {
        return Ok(());
    };
    if places
        .iter()
        .all(|place| path_dependents.place(*place).is_none())
    {
        return Ok(());
    }
    let Some(contexts) = path_context::of(effect_graph, judge_context) else {
        return Err(unknown(judge_context));
    };
    let mut walk = CallWalk::new(effect_graph, path_dependents, judge_context, contexts);
    for at in walk.beginnings() {
        let run = walk.all(places, at);
        run.map_err(|cause| refused(&cause, None, effect_graph, judge_context))?;
    }
    Ok(())
}

fn check_statement(
    subject: CheckSubject<'_>,
    effect_graph: &EffectGraph,
    walk: &mut CallWalk<'_, '_>,
    judge_context: &JudgeContext<'_>,
) -> RuleResult {
    let given = lookup::parameters(effect_graph, judge_context);
    let parameters = lookup::types(given.as_deref(), judge_context);
    for at in walk.beginnings() {
        let Some(context) = walk.context(at) else {
            continue;
        };
        let (path, kind) = (context.path.clone(), context.kind);
        let is_open = kind == PathOrigin::Foreign;
        if is_open && lookup::may_be_read_otherwise(effect_graph, judge_context) {
            return Err(unknown(judge_context));
        }
        let Ok(resolution) = lookup::resolve(subject, effect_graph, &path, parameters) else {
            match is_open {
                true => return Err(unknown(judge_context)),
                false => continue,
            }
        };
        for used in &resolution.uses {
            let Some(places) =
                uses::run(used, walk.path_dependents(), effect_graph.catalog(), kind)
            else {
                return Err(unknown(judge_context));
            };
            let run = walk.all(&places, at);
            run.map_err(|cause| refused(&cause, used.at, effect_graph, judge_context))?;
        }
    }
    Ok(())
}

fn observed(rules: Vec<super::Rule>, judge_context: &mut JudgeContext<'_>) -> RuleResult {
    judge_context.observe(&rules);
    Ok(())
}

/// The refusal of what could not be told.
fn unknown(judge_context: &JudgeContext<'_>) -> Box<Refusal> {
    match judge_context.paths() {
        SearchPaths::Unknown => function_path::without_path(Some(NO_PATH)),
        SearchPaths::Known(_) | SearchPaths::Unsure(_) => function_path::without_path(None),
    }
}

fn refused(
    cause: &EffectCause,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    judge_context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let mut told = cause.describe(
        catalog,
        catalog.role_named(judge_context.role()),
        judge_context.text,
    );
    let mut told = match cause.reason() {
        EffectReason::Refused(rule) => {
            let sentence = told.sentence.as_mut();
            if let Some(sentence) = sentence {
                sentence.push_str(": rule ");
                sentence.push_str(rule.name());
            }
            function_path::refusal(&told)
        }
        EffectReason::Opaque | EffectReason::PathDependent => function_path::refusal(&told),
        _ => hidden_function::refusal(&told),
    };
    told.position = refusal::position(at, judge_context);
    told
}

const NO_PATH: &str = "what the session's search_path is cannot be told";

#[cfg(test)]
mod tests;
