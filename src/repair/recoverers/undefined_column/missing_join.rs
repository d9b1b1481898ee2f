//! Columns that are nowhere here and one foreign key away: the join is added, where it can be.

use super::foreign_key_join::{JoinProposal, MissingReference, propose_joins};
use super::wrong_relation::are_synonyms;
use crate::Confidence;
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, visible_items};
use crate::names::name_repair::{NameAdvice, NameFix, NameRepair, NameReplacement};
use crate::names::similarity::{NameWords, Similarity, SimilarityKind};
use catalog::{KeyKind, RelationId};
use ground::edit_distance::with_swaps;

/// What was found for a missing column.
type FoundFix<'m, 'g> = (&'m MissingColumn<'g>, NameFix);

/// Replaces words about columns that are not here by the joins that bring them, all at once.
pub(crate) fn add_missing_joins<'m, 'g>(
    name_context: &'m NameRepairContext<'_>,
    fixes: Vec<FoundFix<'m, 'g>>,
) -> Vec<FoundFix<'m, 'g>> {
    let absent: Vec<(&'m MissingColumn<'g>, MissingReference<'_>)> = fixes
        .iter()
        .filter(|(one, fix)| is_absent(fix) && !may_be_visible(name_context, one))
        .filter(|(one, _)| !key_names_role(name_context, one) && !has_rival_key(name_context, one))
        .map(|(one, _)| {
            let reference = MissingReference {
                at: one.place.at,
                qualifier: one.qualifier,
                name: as_spelled(name_context, one),
            };
            (*one, reference)
        })
        .collect();
    let Some((first, _)) = absent.first() else {
        return fixes;
    };
    let first = *first;
    let references: Vec<MissingReference<'_>> = absent.iter().map(|(_, own)| *own).collect();
    match propose_joins(name_context.context, &references) {
        JoinProposal::Nothing => fixes,
        JoinProposal::Hinted(advice) => advice_of(&references, fixes, advice),
        JoinProposal::Joined { edits, change } => {
            let stepped =
                |one: &MissingColumn<'_>| references.iter().any(|own| own.at == one.place.at);
            let mut all: Vec<FoundFix<'m, 'g>> = fixes;
            all.retain(|(one, _)| !stepped(one));
            let meets = |repair: &NameRepair| {
                edits.iter().any(|edit| {
                    edit.span.start < repair.span.end && repair.span.start < edit.span.end
                })
            };
            let clash = all
                .iter()
                .any(|(_, fix)| matches!(fix, NameFix::Repaired(repair) if meets(repair)));
            if clash {
                return vec![(first, NameFix::advised(change))];
            }
            all.extend(edits.into_iter().map(|edit| {
                let fix = NameFix::Repaired(NameRepair {
                    confidence: Confidence::Likely,
                    span: edit.span,
                    with: NameReplacement::Text(edit.replacement),
                    beside: Vec::new(),
                    change: change.clone(),
                    renamed: None,
                });
                (first, fix)
            }));
            all
        }
    }
}

/// The name of a column as the only one near has it: without quotes its case is not written.
fn as_spelled<'g>(name_context: &'g NameRepairContext<'_>, missing: &MissingColumn<'g>) -> &'g str {
    if name_context.ends_in_quotes(missing) {
        return missing.name;
    }
    let catalog = name_context.catalog();
    let mut near: Vec<RelationId> = name_context.relations();
    for _step in 0..2 {
        let more: Vec<RelationId> = near
            .iter()
            .flat_map(|one| name_context.neighbours(*one))
            .collect();
        near.extend(more);
        near.sort_unstable();
        near.dedup();
    }
    let columns = near.iter().flat_map(|one| {
        let columns = catalog.columns_of(*one).iter();
        columns.filter(|column| name_context.may_show_column_of(*one, column))
    });
    let mut names: Vec<&str> = columns
        .map(|column| catalog.names().text(column.name))
        .filter(|name| name.to_lowercase() == missing.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [only] => only,
        _ => missing.name,
    }
}

fn is_absent(fix: &NameFix) -> bool {
    matches!(fix, NameFix::Advised(NameAdvice { absent: true, .. }))
}

/// The words about the join in the place of those about the first column that it would bring.
fn advice_of<'m, 'g>(
    absent: &[MissingReference<'_>],
    fixes: Vec<FoundFix<'m, 'g>>,
    advice: String,
) -> Vec<FoundFix<'m, 'g>> {
    let mut advice = Some(advice);
    let told = fixes.into_iter().map(|(one, fix)| match fix {
        NameFix::Advised(told) if absent.iter().any(|own| own.at == one.place.at) => {
            let told = NameAdvice {
                advice: advice.take().unwrap_or(told.advice),
                ..told
            };
            (one, NameFix::Advised(told))
        }
        other => (one, other),
    });
    told.collect()
}

/// Whether something that is here already may be what is meant: then nothing is joined.
fn may_be_visible(name_context: &NameRepairContext<'_>, missing: &MissingColumn<'_>) -> bool {
    if missing.name == "*" {
        return true;
    }
    let all = visible_items(&name_context.visible_scopes(missing.place));
    let named = |name: &str| all.iter().any(|seen| seen.item.is_called(name));
    let known = missing.qualifier.filter(|name| named(name));
    let mut meant = all.iter().filter(|seen| match (known, missing.qualifier) {
        (Some(name), _) => seen.item.is_called(name),
        (None, Some(_)) => false,
        (None, None) => true,
    });
    let is_brought = is_one_key_away(name_context, missing, &all);
    meant.any(|seen| {
        let words = name_context.own_words(seen.item);
        seen.item.columns.iter().any(|column| {
            let name = column.name.as_str();
            let likeness = Similarity::of(missing.name, name, &words);
            let is_slip = is_letters_away(missing.name, name);
            // `name` is no `breed_name`, and `race_id` leads to a `race`.
            let is_part =
                likeness.similarity_kind == SimilarityKind::Contained && !likeness.lost.is_empty();
            let is_near = likeness.similarity_kind <= SimilarityKind::Contained
                && likeness.score >= NEAR_MIN
                && !is_part
                && !(is_slip && is_brought)
                && !leads_to(
                    name_context,
                    column.origin,
                    as_spelled(name_context, missing),
                );
            is_near || are_synonyms(missing.name, name)
        })
    })
}

/// Whether a declared key of what can be seen leads to a relation that has the very column.
pub(crate) fn is_one_key_away(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> bool {
    let catalog = name_context.catalog();
    let here = all.iter().filter_map(|seen| seen.item.relation);
    let mut keys = here.flat_map(|relation| name_context.database.joining_keys_of(relation));
    keys.any(|key| match key.kind {
        KeyKind::Foreign { to, .. } => {
            let mut columns = catalog.columns_of(to).iter();
            columns.any(|column| {
                catalog.names().text(column.name) == missing.name
                    && name_context.may_show_column_of(to, column)
            })
        }
        KeyKind::Primary | KeyKind::Unique | KeyKind::Unvalidated { .. } => false,
    })
}

/// Whether two names are a few letters apart: beside the very name, the other is none.
fn is_letters_away(one: &str, other: &str) -> bool {
    let letters = |name: &str| -> Vec<char> { name.chars().take(NAME_LETTERS_MAX).collect() };
    with_swaps(&letters(one), &letters(other)) <= LETTERS_APART_MAX
}

/// Whether two keys lead to what may be meant: `age` of a student, and `pet_age` of a pet.
fn has_rival_key(name_context: &NameRepairContext<'_>, missing: &MissingColumn<'_>) -> bool {
    let catalog = name_context.catalog();
    let all = visible_items(&name_context.visible_scopes(missing.place));
    let here: Vec<RelationId> = (all.iter())
        .filter(|seen| {
            missing
                .qualifier
                .is_none_or(|name| seen.item.is_called(name))
        })
        .filter_map(|seen| seen.item.relation)
        .collect();
    let mut parents: Vec<RelationId> = Vec::new();
    for key in here
        .iter()
        .flat_map(|one| name_context.database.joining_keys_of(*one))
    {
        if let KeyKind::Foreign { to, .. } = key.kind
            && !parents.contains(&to)
            && !here.contains(&to)
        {
            parents.push(to);
        }
    }
    let wanted = as_spelled(name_context, missing);
    parents.iter().any(|parent| {
        let own = [NameWords::of(name_context.name_of(*parent))];
        let columns = || catalog.columns_of(*parent).iter();
        let mut names = columns().map(|column| catalog.names().text(column.name));
        let has_it = names.any(|name| name == wanted);
        !has_it
            && columns().any(|column| {
                let name = catalog.names().text(column.name);
                let likeness = Similarity::of(wanted, name, &own);
                name_context.may_show_column_of(*parent, column)
                    && likeness.similarity_kind <= SimilarityKind::Own
            })
    })
}

/// Whether a column is the key of something that has a column of a name.
pub(crate) fn leads_to(
    name_context: &NameRepairContext<'_>,
    origin: Option<(RelationId, i16)>,
    name: &str,
) -> bool {
    let Some((relation, number)) = origin else {
        return false;
    };
    let catalog = name_context.catalog();
    let mut keys = name_context.database.joining_keys_of(relation);
    keys.any(|key| match &key.kind {
        KeyKind::Foreign { to, .. } => {
            let mut columns = catalog.columns_of(*to).iter();
            *key.columns == [number]
                && columns.any(|column| catalog.names().text(column.name) == name)
        }
        _ => false,
    })
}

/// Whether the key that leads to a column says which part its row plays (`lead_id` to staff): the
/// column of somebody is then not the column of what refers to them.
fn key_names_role(name_context: &NameRepairContext<'_>, missing: &MissingColumn<'_>) -> bool {
    let catalog = name_context.catalog();
    let all = visible_items(&name_context.visible_scopes(missing.place));
    let here: Vec<RelationId> = all.iter().filter_map(|seen| seen.item.relation).collect();
    let names = |relation: RelationId, numbers: &[i16]| -> Vec<NameWords> {
        let columns = catalog.columns_of(relation).iter();
        columns
            .filter(|column| numbers.contains(&column.number))
            .map(|column| NameWords::of(catalog.names().text(column.name)))
            .collect()
    };
    let keys = here.iter().flat_map(|relation| catalog.keys_of(*relation));
    keys.into_iter().any(|key| {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            return false;
        };
        let mut columns = catalog.columns_of(*to).iter();
        let wanted = as_spelled(name_context, missing);
        let brings = columns.any(|column| catalog.names().text(column.name) == wanted);
        let mut known = names(*to, to_columns);
        known.push(NameWords::of(name_context.name_of(*to)));
        let own = names(key.relation, &key.columns);
        // Written as over there, or the child's own key: each of its rows goes with one of theirs.
        let is_same = own == names(*to, to_columns);
        let is_own = catalog.keys_of(key.relation).iter().any(|other| {
            matches!(other.kind, KeyKind::Primary | KeyKind::Unique) && other.columns == key.columns
        });
        let mut words = own.iter().flat_map(NameWords::list);
        let named = words.any(|word| {
            !KINDS.contains(&word.as_str()) && known.iter().any(|words| words.has(word))
        });
        brings
            && !named
            && !is_same
            && !is_own
            && missing
                .qualifier
                .is_none_or(|name| all.iter().any(|seen| seen.item.is_called(name)))
    })
}

/// Words of keys that say nothing of what they lead to.
const KINDS: [&str; 5] = ["id", "key", "code", "no", "number"];

/// From here on a column may be what is meant.
const NEAR_MIN: f64 = 0.5;

/// Postgres's names end here.
const NAME_LETTERS_MAX: usize = 63;

/// So many letters are a slip.
const LETTERS_APART_MAX: usize = 2;
