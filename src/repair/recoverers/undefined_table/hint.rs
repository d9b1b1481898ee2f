//! Words about a relation that does not exist.

use super::candidates::{Absent, commons, relations};
use crate::catalog::RelationId;
use crate::catalog::quote::quoted;
use crate::limits::NAMES_RELATIONS_MAX;
use crate::repair::NameGate;
use crate::repair::names::context::Ground;
use crate::repair::names::name_repair::{Fix, Told};
use crate::repair::names::suggestions::{LISTED_MAX, best, nearness};

/// What is there instead, as far as the client may see it.
pub(in crate::repair) fn hint(
    ground: &Ground<'_>,
    absent: &Absent<'_>,
    failed: Vec<NameGate>,
) -> Fix {
    let told = |advice: String| {
        Fix::Told(Told {
            advice,
            failed: failed.clone(),
            absent: false,
        })
    };
    let whole = match absent.table.schemaname() {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(absent.name)),
        None => quoted(absent.name).into_owned(),
    };
    if ground.is_common(absent.name) && absent.table.schemaname().is_none() {
        return told(format!(
            "The query {whole} of WITH is not known here: write its WITH at the beginning of the \
             statement, before whatever reads it, and WITH RECURSIVE if it reads itself."
        ));
    }
    let all = relations(ground);
    let same: Vec<String> = all
        .iter()
        .filter(|id| ground.name_of(**id) == absent.name)
        .take(LISTED_MAX)
        .map(|id| ground.catalog().relation_name(*id))
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
            let near = nearness(absent.name, ground.name_of(*id), &[]);
            (near, called(ground, *id))
        })
        .collect();
    found.extend(commons(ground, absent).into_iter().map(|name| {
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
        let names: Vec<String> = all.iter().map(|id| called(ground, *id)).collect();
        return told(format!(
            "There is no relation {whole}; there are {}.",
            names.join(", ")
        ));
    }
    told(format!("There is no relation {whole}."))
}

/// A relation as a statement may name it.
fn called(ground: &Ground<'_>, id: RelationId) -> String {
    let schema = ground.catalog().relation(id).schema;
    match ground.database.path.schemas().contains(&schema) {
        true => quoted(ground.name_of(id)).into_owned(),
        false => ground.catalog().relation_name(id),
    }
}
