//! What the policy lets be read: relations and columns by what the catalog says they are, and what
//! may be called.
//!
//! * [`check_resolved`]: one statement, after the gate's own rules let it pass
//! * `overlay`: masks and conditions on rows that it lays over relations
//! * `table`: what a policy shows of a snapshot, with `patterns` and [`server_objects`]; it is made
//!   once and kept in a [`super::effects::graph::EffectGraph`]
//! * `check`: every use of a name, on every search_path that the session may have; `refusal`: what
//!   is said of what is found
//! * `unmatched`: entries of the policy about relations that are not there
//! * `unresolved`: where there is nothing to look names up in

mod check;
mod overlay;
mod patterns;
mod refusal;
pub(super) mod server_objects;
mod table;
mod unmatched;
mod unresolved;

pub(super) use self::overlay::RelationOverlay;
pub(super) use self::table::{AccessDenial, AccessTable};
pub(super) use self::unmatched::UnmatchedEntry;

use super::Refusal;
use super::context::JudgeContext;
use super::effects::graph::EffectGraph;
use super::effects::resolve_effects::CheckSubject;
use super::rules::{RuleResult, catalog_missing};
use catalog::{Oid, RelationId};
use policy::{Policy, PolicyRule, RuleMode};
use sql::tree::{Node, nodes};

/// Looks at everything that a statement reads and calls.
pub(super) fn check_resolved(
    subject: CheckSubject<'_>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let policy = context.policy;
    if !policy.hides() && !policy.denies_functions() && !context.records_names() {
        return Ok(());
    }
    let findings = match context.effect_graph() {
        Some(effect_graph) => check::check_statement(subject, effect_graph, context),
        None => {
            // Half of the names would be worse than none.
            context.name_collector = None;
            unresolved::check_without_catalog(subject, context)
        }
    };
    for (rule, refusal) in findings.list {
        context.enforce_or_observe(rule, refusal)?;
    }
    Ok(())
}

/// Looks at relations that a statement reads by what is laid over them.
pub(super) fn check_overlaid_relations(
    read: &[(RelationId, Option<usize>)],
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let Some(effect_graph) = context.effect_graph() else {
        return Ok(());
    };
    let Some(table) = effect_graph.access() else {
        return Ok(());
    };
    for (id, at) in read {
        if let Some(why) = table.denies(*id, false) {
            let refusal = refusal::relation(*id, why, *at, effect_graph, context);
            context.enforce_or_observe(rule_of(why), refusal)?;
        }
    }
    Ok(())
}

/// The rule whose mode decides: what leads around models holds where they do.
fn rule_of(why: AccessDenial) -> PolicyRule {
    match why {
        AccessDenial::Unguarded(_) | AccessDenial::AroundModel => PolicyRule::Model,
        AccessDenial::NotAllowed
        | AccessDenial::New
        | AccessDenial::Denied
        | AccessDenial::Child
        | AccessDenial::ThroughView
        | AccessDenial::ServerOwned => PolicyRule::RelationDenied,
    }
}

/// The rule whose mode decides on what may read anything: where models are enforced it would read
/// past them, whatever else is only observed.
pub(super) fn rule_of_unknown_reads(policy: &Policy) -> PolicyRule {
    match policy.has_models() && policy.mode_of(PolicyRule::Model) == RuleMode::Enforce {
        true => PolicyRule::Model,
        false => PolicyRule::NotResolved,
    }
}

/// Whether the policy has nothing against what a statement that is refused reads and names, what is
/// not there included.
pub(super) fn hides_nothing_of(
    subject: CheckSubject<'_>,
    effect_graph: &EffectGraph,
    context: &mut JudgeContext<'_>,
) -> bool {
    if !context.policy.hides() && !context.policy.denies_functions() {
        return true;
    }
    let met = context.name_collector.take();
    let findings = check::check_statement(subject, effect_graph, context);
    context.name_collector = met;
    findings.list.is_empty()
}

/// Looks at the types of a PREPARE: of any type of such a name, in whatever schema.
pub(super) fn check_types<'t>(
    types: impl Iterator<Item = &'t nodes::TypeName>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let Some(effect_graph) = context.effect_graph() else {
        let mut types = types.map(Node::from);
        let unknown = types.any(|one| catalog_missing::check_at_any_depth(one, context).is_err());
        let rule = rule_of_unknown_reads(context.policy);
        return match unknown && context.policy.hides() {
            true => context.enforce_or_observe(rule, refusal::unclear(None, context)),
            false => Ok(()),
        };
    };
    let Some(reads) = effect_graph.reads() else {
        return Ok(());
    };
    let catalog = effect_graph.catalog();
    let may = types
        .filter_map(|name| name.names().iter().next_back()?.sval())
        .filter_map(|name| catalog.names().find(name))
        .any(|name| {
            let mut of_name = catalog.index().types(name).iter();
            of_name.any(|id| reads.data_type(*id))
        });
    match may {
        true => context.enforce_or_observe(
            rule_of_unknown_reads(context.policy),
            refusal::reads_anything(None, None, effect_graph, context),
        ),
        false => Ok(()),
    }
}

/// Looks at a type that a Bind makes values of: what its checks run may read anything.
pub(super) fn check_parameter(
    oid: Oid,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> RuleResult {
    let id = effect_graph.catalog().index().type_of_oid(oid);
    let may = effect_graph.reads().zip(id);
    let may = may.is_some_and(|(reads, id)| reads.data_type(id));
    let rule = rule_of_unknown_reads(context.policy);
    if may && context.policy.mode_of(rule) == RuleMode::Enforce {
        return Err(refusal::reads_anything(None, None, effect_graph, context));
    }
    Ok(())
}

/// What was found, the first of each rule.
#[derive(Default)]
pub(super) struct AccessFindings {
    list: Vec<(PolicyRule, Box<Refusal>)>,
}

impl AccessFindings {
    fn add(&mut self, rule: PolicyRule, refusal: impl FnOnce() -> Box<Refusal>) {
        if !self.list.iter().any(|(found, _)| *found == rule) {
            self.list.push((rule, refusal()));
        }
    }
}

#[cfg(test)]
mod tests;
