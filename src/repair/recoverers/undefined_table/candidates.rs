//! A relation that does not exist: another schema has it, or it is spelled otherwise.

use super::hint::hint;
use super::missing_relation::{MissingRelation, RelationTarget, visible_ctes};
use super::relation_replacement::replace_relation;
use crate::names::context::NameRepairContext;
use crate::names::gates::{CandidateName, NameGateResult, UnknownName, check_gates};
use crate::names::name_repair::{NameFix, together};
use crate::names::similarity::{NameWords, Similarity, SimilarityKind};
use crate::recoverers::undefined_column::strategies;
use crate::{Confidence, NameGate, RecovererAnswer};
use catalog::RelationId;
use catalog::quote::quoted;
use ground::limits::{NAMES_MISSING_MAX, NAMES_RELATIONS_MAX};
use resolve::UsedObject;
use sql::tree::Node;

/// Repairs every relation that does not exist; where all do, every column.
pub(crate) fn recover(name_context: &NameRepairContext<'_>) -> RecovererAnswer {
    let absent = missing_relations(name_context);
    if absent.is_empty() {
        return strategies::recover(name_context);
    }
    let position = name_context.context.failure.position;
    if position.is_some_and(|at| absent.iter().all(|one| one.at != at)) {
        // The server means a name before a column: those are repaired when the relations are.
        return match name_context.missing_columns() {
            Some(missing) if missing.iter().any(|one| Some(one.place.at) == position) => {
                strategies::recover(name_context)
            }
            _ => RecovererAnswer::Silent,
        };
    }
    if absent.len() > NAMES_MISSING_MAX {
        return RecovererAnswer::Silent;
    }
    let fixes = absent
        .iter()
        .map(|one| repair_relation(name_context, one))
        .collect();
    together(name_context.context.text, fixes)
}

fn missing_relations<'g>(name_context: &'g NameRepairContext<'_>) -> Vec<MissingRelation<'g>> {
    let missing: Vec<usize> = name_context
        .resolution
        .uses
        .iter()
        .filter(|used| matches!(used.what, UsedObject::MissingRelation { .. }))
        .filter_map(|used| used.at)
        .collect();
    let mut found = Vec::new();
    for scope in &name_context.places.reference_scopes {
        for table in scope.entries.iter().filter_map(|entry| entry.table) {
            if let (Ok(at), Some(name)) = (usize::try_from(table.location), table.relname())
                && (missing.contains(&at) || table.catalogname().is_some())
            {
                found.push(MissingRelation {
                    table,
                    scope,
                    at,
                    name,
                });
            }
        }
    }
    found
}

fn repair_relation(name_context: &NameRepairContext<'_>, absent: &MissingRelation<'_>) -> NameFix {
    if let Some(fix) = two_words(name_context, absent) {
        return fix;
    }
    let (target, confidence) = match find_target(name_context, absent) {
        Ok(found) => found,
        Err(failed) => return hint(name_context, absent, failed),
    };
    replace_relation(name_context, absent, target, confidence)
        .unwrap_or_else(|| hint(name_context, absent, Vec::new()))
}

/// `FROM invoice lines`, where there is a relation of this name.
fn two_words(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
) -> Option<NameFix> {
    let table = absent.table;
    let alias = table.alias()?.aliasname()?;
    let count = 1 + usize::from(table.schemaname().is_some());
    let parts = name_context.parts(absent.at, count)?;
    let both = crate::names::unquoted_blank::with_alias(name_context, parts.last()?)?;
    let named = format!("{} {alias}", absent.name);
    let path = name_context.database.path.schemas();
    let schema_of = |id: RelationId| name_context.catalog().relation(id).schema;
    let mut same = name_context.readable_relations().into_iter().filter(|id| {
        let likeness = Similarity::of(&named, name_context.name_of(*id), &[]);
        path.contains(&schema_of(*id)) && likeness.similarity_kind <= SimilarityKind::Separators
    });
    let relation = same.next().filter(|_| same.next().is_none())?;
    let is_used = name_context.places.refs.iter().any(|place| {
        let fields = place.reference.fields();
        fields.len() > 1 && fields.iter().next().and_then(Node::as_str) == Some(alias)
    });
    if is_used || table.schemaname().is_some() {
        return Some(NameFix::advised(format!(
            "{named} may be the relation {}: a name with a blank stands in double quotes.",
            name_context.catalog().relation_name(relation)
        )));
    }
    let right = quoted(name_context.name_of(relation)).into_owned();
    let change = format!("{} is one name, {right}", name_context.text(&both));
    let sure = match name_context.name_of(relation).contains(' ') {
        true => Confidence::Exact,
        false => Confidence::Likely,
    };
    Some(NameFix::text(sure, both, right, change))
}

/// What is meant, the surest way first.
fn find_target<'g>(
    name_context: &'g NameRepairContext<'_>,
    absent: &MissingRelation<'g>,
) -> Result<(RelationTarget<'g>, Confidence), Vec<NameGate>> {
    let relations = name_context.readable_relations();
    let path = name_context.database.path.schemas();
    let schema_of = |id: RelationId| name_context.catalog().relation(id).schema;
    let named = |id: &RelationId| name_context.name_of(*id) == absent.name;
    let schema = absent.table.schemaname().and_then(|name| {
        let catalog = name_context.catalog();
        catalog.index().schema(catalog.names().find(name)?)
    });
    let in_place = |id: &RelationId| match absent.table.schemaname() {
        Some(_) => Some(schema_of(*id)) == schema,
        None => path.contains(&schema_of(*id)),
    };
    let folded = absent.name.to_lowercase();
    let in_case: Vec<RelationId> = relations
        .iter()
        .copied()
        .filter(|id| in_place(id) && name_context.name_of(*id).to_lowercase() == folded)
        .collect();
    let is_foreign = absent.table.catalogname().is_some();
    if let [only] = in_case.as_slice() {
        let confidence = match is_foreign {
            true => Confidence::Likely,
            false => Confidence::Exact,
        };
        return Ok((RelationTarget::Relation(*only), confidence));
    }
    let commons = visible_ctes(name_context, absent);
    if absent.table.schemaname().is_none() {
        let mut same = commons
            .iter()
            .filter(|common| common.to_lowercase() == folded);
        if let (Some(common), None) = (same.next(), same.next()) {
            return Ok((RelationTarget::Common(common), Confidence::Exact));
        }
    }
    if let Some(whole) = in_one_pair_of_quotes(name_context, absent, &relations) {
        return Ok((RelationTarget::Relation(whole), Confidence::Exact));
    }
    let elsewhere: Vec<RelationId> = relations.iter().copied().filter(named).collect();
    if absent.table.schemaname().is_none() && !elsewhere.is_empty() {
        // What the path leads to is nearer than what another schema has.
        let near: Vec<RelationId> = relations.iter().copied().filter(&in_place).collect();
        if let Ok(found) = misspelt(name_context, absent, &near, &commons, in_place) {
            return Ok(found);
        }
    }
    let mut led_to = elsewhere
        .iter()
        .filter(|id| path.contains(&schema_of(**id)));
    match (elsewhere.as_slice(), led_to.next(), led_to.next()) {
        ([], _, _) => {}
        ([only], _, _) if has_all_columns(name_context, absent, *only) => {
            return Ok((RelationTarget::Relation(*only), Confidence::Likely));
        }
        ([_, _, ..], Some(only), None) => {
            return Ok((RelationTarget::Relation(*only), Confidence::Likely));
        }
        _ => return Err(vec![NameGate::OneRelation]),
    }
    let wide: Vec<RelationId> = match schema {
        Some(_) => relations.into_iter().filter(|id| in_place(id)).collect(),
        None => relations,
    };
    misspelt(name_context, absent, &wide, &commons, in_place)
}

/// Whether a relation has every column that the text takes from it: otherwise only the name is the
/// same, and another schema's relation is another thing.
fn has_all_columns(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
    relation: RelationId,
) -> bool {
    let catalog = name_context.catalog();
    let called = (absent.table.alias()).and_then(|alias| alias.aliasname());
    let called = called.unwrap_or(absent.name);
    let is_alone = absent.scope.entries.len() == 1;
    let has = |name: &str| {
        let mut columns = catalog.columns_of(relation).iter();
        columns.any(|column| catalog.names().text(column.name) == name)
    };
    let results: Vec<&str> = (absent.scope.select.target_list().iter())
        .filter_map(|target| target.name())
        .collect();
    name_context.places.refs.iter().all(|place| {
        let here = name_context.places.frame(place.scope);
        let is_here = here.is_some_and(|scope| std::ptr::eq(scope, absent.scope));
        let fields = place.reference.fields();
        let names: Vec<&str> = fields.iter().filter_map(Node::as_str).collect();
        match names.as_slice() {
            [.., qualifier, name] if *qualifier == called => has(name),
            [name] if is_here && is_alone => has(name) || results.contains(name),
            _ => true,
        }
    })
}

/// `"public.orders"`: the quotes stand around both names where they should stand around each.
fn in_one_pair_of_quotes(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
    relations: &[RelationId],
) -> Option<RelationId> {
    if absent.table.schemaname().is_some() {
        return None;
    }
    let (schema, name) = absent.name.split_once('.')?;
    let catalog = name_context.catalog();
    let is_it = |id: &RelationId| {
        let own = catalog.schema(catalog.relation(*id).schema).name;
        name_context.name_of(*id) == name && catalog.names().text(own) == schema
    };
    relations.iter().copied().find(is_it)
}

fn misspelt<'g>(
    name_context: &'g NameRepairContext<'_>,
    absent: &MissingRelation<'g>,
    relations: &[RelationId],
    commons: &[&'g str],
    in_place: impl Fn(&RelationId) -> bool,
) -> Result<(RelationTarget<'g>, Confidence), Vec<NameGate>> {
    let affixes = vec![NameWords::of(AFFIXES)];
    let mut targets: Vec<RelationTarget<'g>> = Vec::new();
    let mut candidates: Vec<CandidateName<'_>> = Vec::new();
    let mut add = |target: RelationTarget<'g>, name: &'g str, in_reach: bool| {
        targets.push(target);
        candidates.push(CandidateName {
            name,
            own: affixes.clone(),
            in_reach,
        });
    };
    if absent.table.schemaname().is_none() {
        for common in commons {
            add(RelationTarget::Common(common), common, true);
        }
    }
    for id in relations.iter().take(NAMES_RELATIONS_MAX) {
        let in_reach = in_place(id) || absent.table.schemaname().is_some();
        add(
            RelationTarget::Relation(*id),
            name_context.name_of(*id),
            in_reach,
        );
    }
    let wanted = UnknownName {
        name: absent.name,
        bare: false,
        one_relation: true,
        cheaper_tried: true,
    };
    let too_many = relations.len() > NAMES_RELATIONS_MAX;
    match check_gates(
        &wanted,
        &candidates,
        too_many,
        name_context.context.settings,
    ) {
        NameGateResult::Passed {
            place,
            similarity_kind,
        } if similarity_kind <= SimilarityKind::Own => {
            // What stands between the words of a name says nothing of what is meant.
            let sure = match similarity_kind <= SimilarityKind::Separators {
                true => Confidence::Exact,
                false => Confidence::Likely,
            };
            let target = targets.get(place).ok_or_else(Vec::new)?;
            Ok((*target, sure))
        }
        NameGateResult::Passed { .. } => Err(vec![NameGate::Containment]),
        NameGateResult::Failed { failed } => Err(failed),
    }
}

/// What names of tables begin or end with in some databases and not in others.
const AFFIXES: &str = "tbl_tb_table_dim_fact_stg_raw_view_vw_dbo";
