//! Words about a relation that does not exist.

use super::missing_relation::{MissingRelation, visible_ctes};
use crate::NameGate;
use crate::names::context::NameRepairContext;
use crate::names::name_repair::{NameAdvice, NameFix};
use crate::names::suggestions::{LISTED_MAX, best, nearness};
use catalog::RelationId;
use catalog::quote::quoted;
use ground::limits::NAMES_RELATIONS_MAX;

/// What is there instead, as far as the client may see it.
pub(crate) fn hint(
    name_context: &NameRepairContext<'_>,
    absent: &MissingRelation<'_>,
    failed: Vec<NameGate>,
) -> NameFix {
    let told = |advice: String| {
        NameFix::Advised(NameAdvice {
            advice,
            failed: failed.clone(),
            absent: false,
        })
    };
    let whole = match absent.table.schemaname() {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(absent.name)),
        None => quoted(absent.name).into_owned(),
    };
    if name_context.is_cte_name(absent.name) && absent.table.schemaname().is_none() {
        return told(format!(
            "The query {whole} of WITH is not known here: write its WITH at the beginning of the \
             statement, before whatever reads it, and WITH RECURSIVE if it reads itself."
        ));
    }
    let all = name_context.readable_relations();
    let same: Vec<String> = all
        .iter()
        .filter(|id| name_context.name_of(**id) == absent.name)
        .take(LISTED_MAX)
        .map(|id| name_context.catalog().relation_name(*id))
        .collect();
    if !same.is_empty() {
        return told(format!(
            "There is no relation {whole}; it may be {}.",
            same.join(" or ")
        ));
    }
    let mut found: Vec<(f64, String)> = all
        .iter()
        .take(NAMES_RELATIONS_MAX)
        .map(|id| {
            let near = nearness(absent.name, name_context.name_of(*id), &[]);
            (near, called(name_context, *id))
        })
        .collect();
    found.extend(visible_ctes(name_context, absent).into_iter().map(|name| {
        let near = nearness(absent.name, name, &[]);
        (near, quoted(name).into_owned())
    }));
    let names = best(found);
    if !names.is_empty() {
        return told(format!(
            "There is no relation {whole}; the nearest are {}.",
            names.join(", ")
        ));
    }
    if !all.is_empty() && all.len() <= LISTED_MAX {
        let names: Vec<String> = all.iter().map(|id| called(name_context, *id)).collect();
        return told(format!(
            "There is no relation {whole}; there are {}.",
            names.join(", ")
        ));
    }
    told(format!("There is no relation {whole}."))
}

/// A relation as a statement may name it.
fn called(name_context: &NameRepairContext<'_>, id: RelationId) -> String {
    let schema = name_context.catalog().relation(id).schema;
    match name_context.database.path.schemas().contains(&schema) {
        true => quoted(name_context.name_of(id)).into_owned(),
        false => name_context.catalog().relation_name(id),
    }
}
