//! A column after a name: the name is wrong, or the column is.

use super::forgotten_alias::{self, moved};
use super::missing_join::leads_to;
use super::{declared_key, join_key, misspelling, wrong_relation};
use crate::Confidence;
use crate::dependencies::equalities::{
    ColumnEqualities, ConditionExtent, EqualityKind, ServerComparisons, is_same_type,
};
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, VisibleScope, spelled};
use crate::names::gates::{CandidateName, NameGateResult, UnknownName, check_gates};
use crate::names::name_repair::{NameFix, case_fix};
use crate::names::reference_position::ReferenceClause;
use crate::names::similarity::{Similarity, SimilarityKind};
use crate::names::suggestions;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use catalog::quote::quoted;
use resolve::ScopeColumn;

/// Repairs a reference with a qualifier, or says what stands against it.
pub(crate) fn repair(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    levels: &[VisibleScope<'_>],
    all: &[VisibleItem<'_>],
) -> NameFix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let mut called = all.iter().filter(|seen| seen.item.is_called(qualifier));
    match (called.next(), called.next()) {
        (Some(seen), None) => in_known(names, missing, seen, all),
        (Some(_), Some(_)) => NameFix::advised(format!(
            "{} stands for several things in FROM: give each its own alias.",
            quoted(qualifier)
        )),
        (None, _) => of_unknown(names, missing, levels, all),
    }
}

/// The qualifier is right, or names another thing than it should.
fn in_known(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
    all: &[VisibleItem<'_>],
) -> NameFix {
    if let Some(column) = seen.column_in_any_case(missing.name)
        && let Some(part) = missing.parts.last()
    {
        return case_fix(names, part, column.name.as_str());
    }
    if let Some(fix) = join_key::repair(names, missing, seen, all)
        .or_else(|| declared_key::repair(names, missing, seen, all))
    {
        return fix;
    }
    let plausible = plausible(names, missing, seen);
    let others: Vec<(&VisibleItem<'_>, &str)> = all
        .iter()
        .filter(|other| !std::ptr::eq(other.item, seen.item))
        .filter_map(|other| Some((other, other.qualifier?)))
        .filter(|(other, _)| {
            let column = match names.ends_in_quotes(missing) {
                true => other.column(missing.name),
                false => other.column_in_any_case(missing.name),
            };
            column.is_some_and(|column| names.may_show_column(column))
        })
        .collect();
    match (others.as_slice(), plausible) {
        ([(other, name)], None) => match wrong_relation::objection(names, missing, seen, other) {
            None => match other.column_in_any_case(missing.name) {
                Some(column) if column.name.as_str() != missing.name => both(
                    names,
                    missing,
                    name,
                    column.name.as_str(),
                    Confidence::Likely,
                ),
                _ => moved(names, missing, name, Confidence::Likely),
            },
            Some(advice) => NameFix::advised(advice),
        },
        ([], _) => misspelling::of_item(names, missing, seen)
            .unwrap_or_else(|| suggestions::column(names, missing, all, &[])),
        (several, _) => {
            let equal = plausible.is_none().then_some(several);
            let equal = equal.and_then(|several| equal_owner(names, missing, seen, several));
            if let Some(name) = equal {
                return moved(names, missing, name, Confidence::Likely);
            }
            let spelled: Vec<String> = several
                .iter()
                .map(|(_, name)| spelled(Some(name), missing.name))
                .chain(
                    plausible
                        .zip(seen.qualifier)
                        .map(|(column, name)| spelled(Some(name), column.name.as_str())),
                )
                .collect();
            NameFix::advised(format!(
                "{} has no column {}; it may be {}.",
                quoted(missing.qualifier.unwrap_or_default()),
                quoted(missing.name),
                spelled.join(" or ")
            ))
        }
    }
}

/// The first of several that have a column, where the joins make them equal in every row.
fn equal_owner<'g>(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    from: &VisibleItem<'_>,
    several: &[(&VisibleItem<'_>, &'g str)],
) -> Option<&'g str> {
    let (catalog, mask) = (names.catalog(), names.database.mask);
    let statement = names.context.statement()?;
    let scopes = QueryScopes::of(statement, names.resolution, catalog, mask)?;
    let level = scopes.reference_at(missing.place.at)?.level;
    let own = scopes.scope(level)?;
    let columns = several.iter().map(|(seen, name)| {
        let from_item = own.item_named(name).filter(|_| seen.level == 0)?;
        let mut columns = own.from_items.get(from_item)?.columns.iter();
        let column = columns.position(|column| column.name.as_str() == missing.name)?;
        Some(ColumnIndex {
            level,
            from_item,
            column,
        })
    });
    let columns = columns.collect::<Option<Vec<ColumnIndex>>>()?;
    let (first, rest) = columns.split_first()?;
    let comparisons = ServerComparisons::of(names.resolution);
    let extent = ConditionExtent::Whole;
    let equalities = ColumnEqualities::of(&scopes, &comparisons, level, extent);
    let is_same = rest.iter().all(|other| {
        is_same_type(&scopes, *first, *other)
            && equalities.between(*first, *other) == EqualityKind::Inner
    });
    let (to, name) = several.first()?;
    (is_same && wrong_relation::objection(names, missing, from, to).is_none()).then_some(*name)
}

/// A column of the named relation that may be the one that is meant.
fn plausible<'g>(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'g>,
) -> Option<&'g ScopeColumn<'g>> {
    let own_words = names.own_words(seen.item);
    seen.item.columns.iter().find(|column| {
        let likeness = Similarity::of(missing.name, column.name.as_str(), &own_words);
        let is_part =
            likeness.similarity_kind == SimilarityKind::Contained && !likeness.lost.is_empty();
        likeness.similarity_kind <= SimilarityKind::Contained
            && likeness.score >= PLAUSIBLE_MIN
            && !is_part
            && names.may_show_column(column)
            && !leads_to(names, column.origin, missing.name)
    })
}

/// The qualifier names nothing that can be referred to.
fn of_unknown(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    levels: &[VisibleScope<'_>],
    all: &[VisibleItem<'_>],
) -> NameFix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let beyond = levels.iter().any(|level| {
        let mut items = level.view.items.iter();
        items.any(|item| item.is_called(qualifier))
    });
    if beyond {
        return NameFix::advised(match missing.place.clause {
            ReferenceClause::On(_) => format!(
                "{0} is in FROM, but ON of this join sees only what the join joins: join {0} \
                 before it, with JOIN and not with a comma.",
                quoted(qualifier)
            ),
            _ => format!(
                "{0} is in FROM, but what stands here does not see it: write LATERAL before the \
                 sub-select, or move the condition out.",
                quoted(qualifier)
            ),
        });
    }
    let has = |seen: &&VisibleItem<'_>| missing.name == "*" || seen.column(missing.name).is_some();
    let named: Vec<(&VisibleItem<'_>, &str)> = all
        .iter()
        .filter_map(|seen| Some((seen, seen.qualifier?)))
        .collect();
    let only = |is: &dyn Fn(&VisibleItem<'_>, &str) -> bool| {
        let mut found = named.iter().filter(|(seen, name)| is(seen, name));
        found.next().filter(|_| found.next().is_none()).copied()
    };
    let table = only(&|seen, _| {
        let relation = seen.item.relation.map(|relation| names.name_of(relation));
        relation.is_some_and(|own| own == qualifier)
    });
    let in_case = only(&|_, name| name.to_lowercase() == qualifier.to_lowercase());
    if let Some((seen, name)) = table.or(in_case) {
        return match (has(&seen), seen.column_in_any_case(missing.name)) {
            (true, _) => moved(names, missing, name, schema_agrees(names, missing, seen)),
            (false, Some(column)) => both(
                names,
                missing,
                name,
                column.name.as_str(),
                Confidence::Exact,
            ),
            (false, None) => suggestions::column(names, missing, &[*seen], &[]),
        };
    }
    if let Some((_, name)) = inner_alias(names, missing, &named) {
        return moved(names, missing, name, Confidence::Likely);
    }
    if is_alias_elsewhere(names, qualifier) {
        return NameFix::advised(format!(
            "{} is the alias of something inside a sub-select and is not known outside of it: \
             refer to the sub-select's own alias and columns.",
            quoted(qualifier)
        ));
    }
    if let Some(fix) = forgotten_alias::repair(names, missing, levels, all) {
        return fix;
    }
    match alias_typo(names, qualifier, &named) {
        Ok((seen, name)) if has(&seen) => moved(names, missing, name, Confidence::Likely),
        Ok((seen, _)) => suggestions::column(names, missing, &[*seen], &[]),
        Err(failed) => suggestions::entry(names, missing, all, failed),
    }
}

/// Where a schema is written before the table's name, it has to be the table's.
fn schema_agrees(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
) -> Confidence {
    let [.., schema, _, _] = missing.parts.as_slice() else {
        return Confidence::Exact;
    };
    let schema = names.text(schema).trim_matches('"').to_lowercase();
    let own = seen.item.relation.map(|relation| {
        let catalog = names.catalog();
        let schema = catalog.schema(catalog.relation(relation).schema).name;
        catalog.names().text(schema).to_lowercase()
    });
    match own == Some(schema) {
        true => Confidence::Exact,
        false => Confidence::Likely,
    }
}

/// Another qualifier, and the column in another case.
fn both(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    name: &str,
    column: &str,
    sure: Confidence,
) -> NameFix {
    let (Some(first), Some(last)) = (missing.parts.first(), missing.parts.last()) else {
        return suggestions::column(names, missing, &[], &[]);
    };
    let span = first.start..last.end;
    let right = spelled(Some(name), column);
    let change = format!("{right} stands for {}", names.text(&span));
    NameFix::name(sure, span, right, change, column)
}

/// The only thing here that passes on the very column that an alias inside of it stands for.
fn inner_alias<'s, 'g>(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    named: &[(&'s VisibleItem<'g>, &'g str)],
) -> Option<(&'s VisibleItem<'g>, &'g str)> {
    let qualifier = missing.qualifier?;
    let views = names.resolution.scopes.iter();
    let relations: Vec<_> = views
        .flat_map(|view| &view.items)
        .filter(|item| item.is_called(qualifier))
        .filter_map(|item| item.relation)
        .collect();
    let mut found = named.iter().filter(|(seen, _)| {
        let column = seen.column(missing.name);
        let origin = column.and_then(|column| column.origin);
        seen.item.relation.is_none()
            && origin.is_some_and(|(relation, _)| relations.contains(&relation))
    });
    let mut holders = named
        .iter()
        .filter(|(seen, _)| seen.column(missing.name).is_some());
    let one = found.next().filter(|_| found.next().is_none()).copied()?;
    holders.next()?;
    holders.next().is_none().then_some(one)
}

fn is_alias_elsewhere(names: &NameRepairContext<'_>, qualifier: &str) -> bool {
    let mut entries = names
        .places
        .reference_scopes
        .iter()
        .flat_map(|scope| &scope.entries);
    entries.any(|entry| entry.name == Some(qualifier))
}

/// The one thing in FROM that is called nearly so.
fn alias_typo<'s, 'g>(
    names: &NameRepairContext<'_>,
    qualifier: &str,
    named: &[(&'s VisibleItem<'g>, &'g str)],
) -> Result<(&'s VisibleItem<'g>, &'g str), Vec<crate::NameGate>> {
    let mut candidates: Vec<CandidateName<'_>> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    for (place, (seen, name)) in named.iter().enumerate() {
        let relation = seen.item.relation.map(|relation| names.name_of(relation));
        let mut spellings = vec![*name];
        spellings.extend(relation.filter(|own| own != name));
        // Of an alias and the relation behind it the nearer one counts.
        spellings.sort_by(|one, other| {
            let of = |name: &str| Similarity::of(qualifier, name, &[]).score;
            of(other).total_cmp(&of(one))
        });
        candidates.extend(spellings.first().map(|name| CandidateName {
            name,
            own: Vec::new(),
            in_reach: true,
        }));
        of.push(place);
    }
    let wanted = UnknownName {
        name: qualifier,
        bare: false,
        one_relation: true,
        cheaper_tried: true,
    };
    match check_gates(&wanted, &candidates, false, names.context.settings) {
        NameGateResult::Passed {
            place,
            similarity_kind,
        } if similarity_kind <= SimilarityKind::Aligned => {
            named.get(place).copied().ok_or_else(Vec::new)
        }
        NameGateResult::Passed { .. } => Err(vec![crate::NameGate::Containment]),
        NameGateResult::Failed { failed } => Err(failed),
    }
}

/// From here on a column of the named relation may be the one that is meant.
const PLAUSIBLE_MIN: f64 = 0.5;
