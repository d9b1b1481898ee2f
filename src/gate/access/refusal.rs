//! What a client is told of what it may not read: what it wrote itself, and what it may read.

use std::borrow::Cow;

use super::{AccessDenial, UnmatchedEntry};
use crate::Refusal;
use crate::context::JudgeContext;
use crate::effects::graph::{EffectGraph, is_written};
use crate::effects::refusal::position;
use crate::rules::{column_denied, function_denied, not_resolved, relation_denied};
use catalog::quote::quoted;
use catalog::{FunctionId, RelationId};
use ground::limits::ACCESS_HINT_COLUMNS_MAX;
use policy::{CatalogView, PolicyRule, RuleMode};

pub(super) fn relation(
    id: RelationId,
    why: AccessDenial,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let (_, own) = super::patterns::names_of(effect_graph.catalog(), id);
    let name = relation_known(id, effect_graph, context).unwrap_or_else(|| own.to_owned());
    let refusal = match why {
        AccessDenial::Unguarded(place) => unguarded(&name, place, effect_graph, context),
        _ => relation_denied::refusal(&name, why, context.policy.name()),
    };
    at_place(refusal.of(recorded(id, effect_graph)), at, context)
}

/// For a relation that an entry of the policy may be meant for, which names none. What it was
/// probably meant for is told where the client may know of it.
fn unguarded(
    name: &str,
    place: usize,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let entry = effect_graph
        .access()
        .and_then(|table| table.unmatched().get(place));
    let near = entry.and_then(UnmatchedEntry::near);
    let is_shown = |id: &RelationId| match context.policy.catalog_view() {
        CatalogView::Open => true,
        CatalogView::Policy => {
            let catalog = effect_graph.catalog();
            is_written(
                catalog.names().text(catalog.relation(*id).name),
                context.text,
            )
        }
    };
    let near = near.filter(is_shown);
    let near = near.and_then(|id| relation_known(id, effect_graph, context));
    let key = entry.map_or("models", UnmatchedEntry::key);
    relation_denied::unguarded(name, key, near.as_deref(), context.policy.name())
}

pub(super) fn column(
    id: RelationId,
    number: i16,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let column = catalog.columns_of(id).iter();
    let column = column.clone().find(|column| column.number == number);
    let name = column.map_or("", |column| catalog.names().text(column.name));
    // A name that the client did not write is none of its business.
    let name = is_written(name, context.text).then_some(name);
    let relation = relation_known(id, effect_graph, context);
    let shown = shown(id, effect_graph, context);
    let policy = context.policy.name();
    let refusal = column_denied::refusal(name, relation.as_deref(), &shown, policy);
    at_place(refusal.of(recorded(id, effect_graph)), at, context)
}

pub(super) fn whole_row(
    id: RelationId,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let relation = relation_known(id, effect_graph, context);
    let shown = shown(id, effect_graph, context);
    let refusal = column_denied::refusal(None, relation.as_deref(), &shown, context.policy.name());
    at_place(refusal.of(recorded(id, effect_graph)), at, context)
}

pub(super) fn function(
    id: FunctionId,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let seen = catalog.sees_function(catalog.role_named(context.role()), id);
    let name = seen.then(|| catalog.function_signature(id));
    let refusal = function_denied::refusal(name.as_deref(), context.policy.name());
    let subject = format!("function {}", catalog.function_signature(id));
    at_place(refusal.of(Some(subject)), at, context)
}

pub(super) fn unknown_name(
    name: &str,
    at: Option<usize>,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    at_place(
        not_resolved::of_name(name, context.policy.name()),
        at,
        context,
    )
}

/// `function` is what reads, where it is one.
pub(super) fn reads_anything(
    function: Option<FunctionId>,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let role = catalog.role_named(context.role());
    let seen = function.filter(|id| catalog.sees_function(role, *id));
    let name = seen.map(|id| catalog.function_signature(id));
    at_place(
        not_resolved::of_call(name.as_deref(), &holder(context)),
        at,
        context,
    )
}

pub(super) fn unclear(at: Option<usize>, context: &JudgeContext<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_statement(&holder(context)), at, context)
}

/// The policy, and why it refuses where it observes: what nobody can follow reads past models.
fn holder(context: &JudgeContext<'_>) -> String {
    let policy = context.policy;
    let is_observed = policy.mode_of(PolicyRule::NotResolved) == RuleMode::Observe;
    match is_observed && super::rule_of_unknown_reads(policy) == PolicyRule::Model {
        true => format!("{}, whose models hold while it observes", policy.name()),
        false => policy.name().to_owned(),
    }
}

/// A relation as it is recorded.
fn recorded(id: RelationId, effect_graph: &EffectGraph) -> Option<String> {
    Some(format!(
        "relation {}",
        effect_graph.catalog().relation_name(id)
    ))
}

/// The name of a relation, where the role may see it or the client wrote it.
fn relation_known(
    id: RelationId,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Option<String> {
    let catalog = effect_graph.catalog();
    if catalog.sees_relation(catalog.role_named(context.role()), id) {
        return Some(catalog.relation_name(id));
    }
    let name = catalog.names().text(catalog.relation(id).name);
    is_written(name, context.text).then(|| quoted(name).into_owned())
}

fn at_place(
    mut refusal: Box<Refusal>,
    at: Option<usize>,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    refusal.position = position(at, context);
    refusal
}

/// The columns of a relation that the client may read, as they are written.
fn shown<'s>(
    id: RelationId,
    effect_graph: &'s EffectGraph,
    context: &JudgeContext<'_>,
) -> Vec<Cow<'s, str>> {
    let catalog = effect_graph.catalog();
    let rights = catalog.rights_of(catalog.role_named(context.role()));
    let rights = rights.masked_by(effect_graph.mask());
    let columns = catalog.columns_of(id).iter();
    let columns = columns.filter(|column| rights.may_read_column(id, column));
    let names = columns.map(|column| quoted(catalog.names().text(column.name)));
    names.take(ACCESS_HINT_COLUMNS_MAX).collect()
}
