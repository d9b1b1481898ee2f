//! Whether policies fit what the databases contain that are known, and whether their own examples
//! pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::offline::{catalog_fit, known_examples};
use crate::policy::access::{ColumnPattern, RelationPattern};
use crate::policy::{Policy, PolicyProblem, PolicySet};
use crate::upstream::catalog_cache::policy_effects::KnownDatabase;

/// The models of policies that cannot be put into statements, and the masks and conditions that
/// name nothing. Each counts as wrong where it does not fit the database that the settings name, or
/// none that is known: clients can name databases that a policy was not written for.
pub fn problems(coming: &PolicySet, seen: &[KnownDatabase]) -> Vec<PolicyProblem> {
    let of = |policy: &Arc<Policy>| {
        let known: Vec<&KnownDatabase> = known_to(policy, seen).collect();
        let mut wrong: BTreeMap<String, PolicyMisfit> = BTreeMap::new();
        for one in &known {
            let effect_graph = one.policy_effects.effects(policy.version_number());
            for (model, what) in effect_graph
                .iter()
                .flat_map(|effect_graph| effect_graph.model_problems())
            {
                let misfit = wrong.entry(model).or_default();
                misfit.databases += 1;
                misfit.is_in_named |= one.is_named;
                misfit.what = what.into_owned();
            }
        }
        let examples = known_examples::refused(policy, None).into_iter();
        let examples = examples.map(|wrong| (wrong.place, PolicyMisfit::everywhere(wrong.what)));
        wrong.extend(examples);
        for one in known.iter().filter(|one| one.is_named) {
            let effect_graph = one.policy_effects.effects(policy.version_number());
            let examples = known_examples::refused(policy, effect_graph).into_iter();
            wrong.extend(examples.map(|wrong| (wrong.place, PolicyMisfit::everywhere(wrong.what))));
        }
        wrong.retain(|_, misfit| misfit.is_in_named || misfit.databases == known.len());
        wrong
            .into_iter()
            .map(|(model, misfit)| PolicyProblem {
                place: format!("policy {}, {model}", policy.name()),
                what: misfit.what,
            })
            .collect::<Vec<_>>()
    };
    coming.all().iter().flat_map(of).collect()
}

/// Records of knowledge that speak of what is not there, or not there any more, in the database
/// that the settings name, or in none that is known. They take nothing away, and a policy with them
/// is taken.
pub fn stale_records(policies: &PolicySet, seen: &[KnownDatabase]) -> Vec<PolicyProblem> {
    let of = |policy: &Arc<Policy>| {
        let known: Vec<&KnownDatabase> = known_to(policy, seen).collect();
        let mut stale: BTreeMap<(String, String), PolicyMisfit> = BTreeMap::new();
        for one in &known {
            let catalog = one.policy_effects.catalog();
            for (path, what) in catalog_fit::stale_records(policy, catalog) {
                let misfit = stale.entry((path, what)).or_default();
                misfit.databases += 1;
                misfit.is_in_named |= one.is_named;
            }
        }
        stale.retain(|_, misfit| misfit.is_in_named || misfit.databases == known.len());
        let stale = stale.into_keys();
        let problem = |(path, what)| PolicyProblem {
            place: format!("policy {}, {path}", policy.name()),
            what,
        };
        stale.map(problem).collect::<Vec<_>>()
    };
    policies.all().iter().flat_map(of).collect()
}

/// How many patterns of the policies stand for nothing in any database that is known and that they
/// are for. Zero where none is known.
pub fn unmatched_patterns(coming: &PolicySet, seen: &[KnownDatabase]) -> usize {
    let of = |policy: &Arc<Policy>| {
        let known = known_to(policy, seen);
        let known: Vec<&Catalog> = known
            .map(|one| one.policy_effects.catalog().as_ref())
            .collect();
        match known.is_empty() {
            true => 0,
            false => idle_patterns(policy, &known),
        }
    };
    coming.all().iter().map(of).sum()
}

/// Where something of a policy does not fit.
#[derive(Default)]
struct PolicyMisfit {
    databases: usize,
    is_in_named: bool,
    what: String,
}

impl PolicyMisfit {
    /// What is wrong whatever databases there are.
    fn everywhere(what: String) -> Self {
        Self {
            databases: 0,
            is_in_named: true,
            what,
        }
    }
}

/// The databases whose sessions can be under a policy.
fn known_to<'s>(
    policy: &'s Policy,
    seen: &'s [KnownDatabase],
) -> impl Iterator<Item = &'s KnownDatabase> {
    seen.iter().filter(|one| one.name_under(policy).is_some())
}

fn idle_patterns(policy: &Policy, known: &[&Catalog]) -> usize {
    let access = policy.access();
    let relations = access.relations_allowed.iter().flatten();
    let relations = relations.chain(&access.relations_denied);
    let columns = access.columns_allowed.iter().chain(&access.columns_denied);
    let is_idle = |pattern: &&RelationPattern| !known.iter().any(|own| names_any(pattern, own));
    let shows_nothing =
        |pattern: &&ColumnPattern| !known.iter().any(|own| names_any_column(pattern, own));
    let stale = known
        .iter()
        .map(|catalog| catalog_fit::stale_records(policy, catalog).len());
    relations.filter(is_idle).count()
        + columns.filter(shows_nothing).count()
        + stale.min().unwrap_or_default()
}

fn names_any(pattern: &RelationPattern, catalog: &Catalog) -> bool {
    let names = catalog.names();
    let mut relations = catalog.relations();
    relations.any(|(_, relation)| {
        let schema = names.text(catalog.schema(relation.schema).name);
        pattern.names(schema, names.text(relation.name))
    })
}

fn names_any_column(pattern: &ColumnPattern, catalog: &Catalog) -> bool {
    let names = catalog.names();
    let mut relations = catalog.relations();
    relations.any(|(id, relation)| {
        let schema = names.text(catalog.schema(relation.schema).name);
        pattern.relation.names(schema, names.text(relation.name))
            && catalog
                .columns_of(id)
                .iter()
                .any(|column| pattern.column.matches(names.text(column.name)))
    })
}
