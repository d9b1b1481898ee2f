//! Words about a name that does not exist: what is there, as far as the client may see it.

use super::context::{MissingColumn, NameRepairContext, VisibleItem, spelled};
use super::name_repair::{NameAdvice, NameFix};
use super::reference_position::ExpressionRole;
use super::similarity::{NameWords, Similarity};
use crate::NameGate;
use catalog::{RelationId, quote::quoted};
use ground::edit_distance::with_swaps;

/// A column that does not exist.
pub(crate) fn column(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
    failed: &[NameGate],
) -> NameFix {
    let mut found: Vec<(f64, String)> = Vec::new();
    for seen in all {
        for column in seen
            .item
            .columns
            .iter()
            .filter(|own| name_context.may_show_column(own))
        {
            let name = column.name.as_str();
            let near = nearness(missing.name, name, &name_context.own_words(seen.item));
            found.push((near, spelled(seen.qualifier, name)));
        }
    }
    let beside = elsewhere(name_context, missing.name, all);
    let whole = match missing.qualifier {
        Some(qualifier) => spelled(Some(qualifier), missing.name),
        None => quoted(missing.name).into_owned(),
    };
    let mut advice = match (best(found), all) {
        (names, _) if !names.is_empty() => format!(
            "There is no column {whole}; the nearest are {}.",
            names.join(", ")
        ),
        (_, [only]) if only.item.columns.len() <= LISTED_MAX => {
            let columns = only
                .item
                .columns
                .iter()
                .filter(|own| name_context.may_show_column(own));
            let names: Vec<String> = columns
                .map(|own| spelled(None, own.name.as_str()))
                .collect();
            match names.is_empty() {
                true => format!("There is no column {whole}."),
                false => format!(
                    "There is no column {whole}; the columns there are {}.",
                    names.join(", ")
                ),
            }
        }
        _ => format!("There is no column {whole}."),
    };
    if !beside.is_empty() {
        advice.push_str(&format!(
            " One join away there is {}.",
            beside.join(" and ")
        ));
    }
    let is_compared = matches!(
        missing.place.role,
        ExpressionRole::Compared { .. } | ExpressionRole::Listed { .. }
    );
    if name_context.in_quotes(missing).is_some() || (is_compared && missing.qualifier.is_none()) {
        advice.push_str(" A text is written in single quotes.");
    }
    NameFix::Advised(NameAdvice {
        advice,
        failed: failed.to_vec(),
        absent: true,
    })
}

/// A qualifier that names nothing.
pub(crate) fn entry(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
    failed: Vec<NameGate>,
) -> NameFix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let there: Vec<String> = all
        .iter()
        .filter_map(|seen| {
            let name = quoted(seen.qualifier?);
            let relation = seen.item.relation.map(|id| name_context.name_of(id));
            Some(match relation.filter(|own| Some(*own) != seen.qualifier) {
                Some(relation) => format!("{name} (of {})", quoted(relation)),
                None => name.into_owned(),
            })
        })
        .take(LISTED_MAX)
        .collect();
    let catalog = name_context.catalog();
    let relations = catalog
        .names()
        .find(qualifier)
        .map(|name| catalog.index().relations(name))
        .unwrap_or_default();
    let table = relations
        .iter()
        .find(|relation| name_context.may_show_relation(**relation));
    let is_common = name_context.is_cte_name(qualifier);
    let advice = match (table, there.is_empty()) {
        _ if is_common => format!(
            "{0} is a query of WITH, and has to stand in FROM where its columns are used: JOIN {0} \
             ON a column of it.",
            quoted(qualifier)
        ),
        (Some(table), _) => format!(
            "{} is not in FROM: join {} to use its columns.",
            quoted(qualifier),
            catalog.relation_name(*table)
        ),
        (None, true) => format!("{} is not in FROM.", quoted(qualifier)),
        (None, false) => format!(
            "{} is not in FROM, which has {}.",
            quoted(qualifier),
            there.join(", ")
        ),
    };
    NameFix::Advised(NameAdvice {
        advice,
        failed,
        absent: true,
    })
}

/// The columns of this name, or nearly so, of the relations one step away.
fn elsewhere(
    name_context: &NameRepairContext<'_>,
    name: &str,
    all: &[VisibleItem<'_>],
) -> Vec<String> {
    let own: Vec<RelationId> = all.iter().filter_map(|seen| seen.item.relation).collect();
    let mut near: Vec<RelationId> = Vec::new();
    for relation in &own {
        near.extend(name_context.neighbours(*relation));
    }
    near.sort_unstable();
    near.dedup();
    let catalog = name_context.catalog();
    let like = |relation: &RelationId| {
        let words = [NameWords::of(name_context.name_of(*relation))];
        let columns = catalog.columns_of(*relation).iter();
        let seen = columns.filter(|column| name_context.may_show_column_of(*relation, column));
        let names = seen.map(|column| catalog.names().text(column.name));
        let best = names
            .map(|own| (Similarity::of(name, own, &words).score, own))
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        let (_, column) = best.filter(|(score, _)| *score >= SAME_MIN)?;
        Some(format!(
            "{} of {}",
            quoted(column),
            catalog.relation_name(*relation)
        ))
    };
    near.iter()
        .filter(|relation| !own.contains(relation))
        .filter_map(like)
        .take(NEAREST_MAX)
        .collect()
}

/// How near a name is, for people: also by its letters.
pub(crate) fn nearness(wanted: &str, name: &str, own: &[NameWords]) -> f64 {
    let letters = |name: &str| -> Vec<char> { name.to_lowercase().chars().take(64).collect() };
    let (left, right) = (letters(wanted), letters(name));
    let count = |number: usize| u32::try_from(number).map_or(1.0, f64::from);
    let longer = count(left.len().max(right.len()).max(1));
    let by_letters = 1.0 - count(with_swaps(&left, &right)) / longer;
    Similarity::of(wanted, name, own)
        .score
        .max(0.9 * by_letters)
}

/// The nearest of all, nearest first.
pub(crate) fn best(mut found: Vec<(f64, String)>) -> Vec<String> {
    found.retain(|(near, _)| *near >= NEAR_MIN);
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found {
        if names.len() < NEAREST_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What is further away is not worth a word.
const NEAR_MIN: f64 = 0.45;

/// From here on a name is nearly the same.
const SAME_MIN: f64 = 0.9;

/// More names are not read.
const NEAREST_MAX: usize = 4;

/// The columns of something are listed up to so many.
pub(crate) const LISTED_MAX: usize = 12;
