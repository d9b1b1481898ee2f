//! A column after a name: the name is wrong, or the column is.

use super::missing_join::leads_to;
use super::strategies::case_fix;
use super::{join_key, misspelling, wrong_relation};
use crate::catalog::quote::quoted;
use crate::repair::Confidence;
use crate::repair::names::context::{Ground, Level, Missing, Seen, spelled};
use crate::repair::names::gates::{Existing, Judged, Wanted, judge};
use crate::repair::names::name_repair::Fix;
use crate::repair::names::reference_scopes::{Clause, Role};
use crate::repair::names::similarity::{Kinship, Likeness, Words};
use crate::repair::names::suggestions;
use crate::sql::tree::Node;

/// Mends a reference with a qualifier, or says what stands against it.
pub(in crate::repair) fn mend(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    levels: &[Level<'_>],
    all: &[Seen<'_>],
) -> Fix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let mut called = all.iter().filter(|seen| seen.item.is_called(qualifier));
    match (called.next(), called.next()) {
        (Some(seen), None) => in_known(ground, missing, seen, all),
        (Some(_), Some(_)) => Fix::told(format!(
            "{} stands for several things in FROM: give each its own alias.",
            quoted(qualifier)
        )),
        (None, _) => of_unknown(ground, missing, levels, all),
    }
}

/// The qualifier is right, or names another thing than it should.
fn in_known(ground: &Ground<'_>, missing: &Missing<'_>, seen: &Seen<'_>, all: &[Seen<'_>]) -> Fix {
    if let Some(column) = seen.column_in_any_case(missing.name)
        && let Some(part) = missing.parts.last()
    {
        return case_fix(ground, part, column.name.as_str());
    }
    if let Some(fix) = join_key::mend(ground, missing, seen, all) {
        return fix;
    }
    let own_words = ground.own_words(seen.item);
    let plausible = seen.item.columns.iter().find(|column| {
        let likeness = Likeness::of(missing.name, column.name.as_str(), &own_words);
        let is_part = likeness.kinship == Kinship::Contained && !likeness.lost.is_empty();
        likeness.kinship <= Kinship::Contained
            && likeness.score >= PLAUSIBLE_MIN
            && !is_part
            && !leads_to(ground, column.origin, missing.name)
    });
    let in_case = ground.ends_in_quotes(missing);
    let others: Vec<(&Seen<'_>, &str)> = all
        .iter()
        .filter(|other| !std::ptr::eq(other.item, seen.item))
        .filter_map(|other| Some((other, other.qualifier?)))
        .filter(|(other, _)| match in_case {
            true => other.column(missing.name).is_some(),
            false => other.column_in_any_case(missing.name).is_some(),
        })
        .collect();
    match (others.as_slice(), plausible) {
        ([(other, name)], None) => match wrong_relation::objection(ground, missing, seen, other) {
            None => match other.column_in_any_case(missing.name) {
                Some(column) if column.name.as_str() != missing.name => both(
                    ground,
                    missing,
                    name,
                    column.name.as_str(),
                    Confidence::Likely,
                ),
                _ => moved(ground, missing, name, Confidence::Likely),
            },
            Some(advice) => Fix::told(advice),
        },
        ([], _) => misspelling::of_item(ground, missing, seen)
            .unwrap_or_else(|| suggestions::column(ground, missing, all, &[])),
        (several, _) => {
            let spelled: Vec<String> = several
                .iter()
                .map(|(_, name)| spelled(Some(name), missing.name))
                .chain(
                    plausible
                        .zip(seen.qualifier)
                        .map(|(column, name)| spelled(Some(name), column.name.as_str())),
                )
                .collect();
            Fix::told(format!(
                "{} has no column {}; it may be {}.",
                quoted(missing.qualifier.unwrap_or_default()),
                quoted(missing.name),
                spelled.join(" or ")
            ))
        }
    }
}

/// The same column after another name.
fn moved(ground: &Ground<'_>, missing: &Missing<'_>, name: &str, sure: Confidence) -> Fix {
    let (Some(first), Some(last)) = (missing.parts.first(), missing.parts.iter().rev().nth(1))
    else {
        return suggestions::column(ground, missing, &[], &[]);
    };
    let span = first.start..last.end;
    let whole = first.start..missing.parts.last().map_or(last.end, |part| part.end);
    let change = format!(
        "{} stands for {}",
        spelled(Some(name), missing.name),
        ground.text(&whole)
    );
    Fix::text(sure, span, quoted(name).into_owned(), change)
}

/// The qualifier names nothing that can be referred to.
fn of_unknown(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    levels: &[Level<'_>],
    all: &[Seen<'_>],
) -> Fix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let beyond = levels.iter().any(|level| {
        let mut items = level.view.items.iter();
        items.any(|item| item.is_called(qualifier))
    });
    if beyond {
        return Fix::told(match missing.place.clause {
            Clause::On(_) => format!(
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
    let has = |seen: &&Seen<'_>| missing.name == "*" || seen.column(missing.name).is_some();
    let named: Vec<(&Seen<'_>, &str)> = all
        .iter()
        .filter_map(|seen| Some((seen, seen.qualifier?)))
        .collect();
    let only = |is: &dyn Fn(&Seen<'_>, &str) -> bool| {
        let mut found = named.iter().filter(|(seen, name)| is(seen, name));
        found.next().filter(|_| found.next().is_none()).copied()
    };
    let table = only(&|seen, _| {
        let relation = seen.item.relation.map(|relation| ground.name_of(relation));
        relation.is_some_and(|own| own == qualifier)
    });
    let in_case = only(&|_, name| name.to_lowercase() == qualifier.to_lowercase());
    if let Some((seen, name)) = table.or(in_case) {
        return match (has(&seen), seen.column_in_any_case(missing.name)) {
            (true, _) => moved(ground, missing, name, schema_agrees(ground, missing, seen)),
            (false, Some(column)) => both(
                ground,
                missing,
                name,
                column.name.as_str(),
                Confidence::Exact,
            ),
            (false, None) => suggestions::column(ground, missing, &[*seen], &[]),
        };
    }
    if let Some((_, name)) = inner_alias(ground, missing, &named) {
        return moved(ground, missing, name, Confidence::Likely);
    }
    if is_alias_elsewhere(ground, qualifier) {
        return Fix::told(format!(
            "{} is the alias of something inside a sub-select and is not known outside of it: \
             refer to the sub-select's own alias and columns.",
            quoted(qualifier)
        ));
    }
    match alias_typo(ground, qualifier, &named) {
        Ok((seen, name)) if has(&seen) => moved(ground, missing, name, Confidence::Likely),
        Ok((seen, _)) => suggestions::column(ground, missing, &[*seen], &[]),
        Err(failed) => suggestions::entry(ground, missing, all, failed),
    }
}

/// Where a schema is written before the table's name, it has to be the table's.
fn schema_agrees(ground: &Ground<'_>, missing: &Missing<'_>, seen: &Seen<'_>) -> Confidence {
    let [.., schema, _, _] = missing.parts.as_slice() else {
        return Confidence::Exact;
    };
    let schema = ground.text(schema).trim_matches('"').to_lowercase();
    let own = seen.item.relation.map(|relation| {
        let catalog = ground.catalog();
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
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    name: &str,
    column: &str,
    sure: Confidence,
) -> Fix {
    let (Some(first), Some(last)) = (missing.parts.first(), missing.parts.last()) else {
        return suggestions::column(ground, missing, &[], &[]);
    };
    let span = first.start..last.end;
    let right = spelled(Some(name), column);
    let change = format!("{right} stands for {}", ground.text(&span));
    Fix::name(sure, span, right, change, column)
}

/// The only thing here that passes on the very column that an alias inside of it stands for.
fn inner_alias<'s, 'g>(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    named: &[(&'s Seen<'g>, &'g str)],
) -> Option<(&'s Seen<'g>, &'g str)> {
    let qualifier = missing.qualifier?;
    let views = ground.resolution.scopes.iter();
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

fn is_alias_elsewhere(ground: &Ground<'_>, qualifier: &str) -> bool {
    let mut entries = ground.places.frames.iter().flat_map(|frame| &frame.entries);
    entries.any(|entry| entry.name == Some(qualifier))
}

/// The one thing in FROM that is called nearly so.
fn alias_typo<'s, 'g>(
    ground: &Ground<'_>,
    qualifier: &str,
    named: &[(&'s Seen<'g>, &'g str)],
) -> Result<(&'s Seen<'g>, &'g str), Vec<crate::repair::NameGate>> {
    let mut candidates: Vec<Existing<'_>> = Vec::new();
    let mut of: Vec<usize> = Vec::new();
    for (place, (seen, name)) in named.iter().enumerate() {
        let relation = seen.item.relation.map(|relation| ground.name_of(relation));
        let mut names = vec![*name];
        names.extend(relation.filter(|own| own != name));
        // Of an alias and the relation behind it the nearer one counts.
        names.sort_by(|one, other| {
            let of = |name: &str| Likeness::of(qualifier, name, &[]).score;
            of(other).total_cmp(&of(one))
        });
        candidates.extend(names.first().map(|name| Existing {
            name,
            own: Vec::new(),
            in_reach: true,
        }));
        of.push(place);
    }
    let wanted = Wanted {
        name: qualifier,
        bare: false,
        one_relation: true,
        cheaper_tried: true,
    };
    match judge(&wanted, &candidates, false, ground.scene.settings) {
        Judged::Passed { place, kinship } if kinship <= Kinship::Aligned => {
            named.get(place).copied().ok_or_else(Vec::new)
        }
        Judged::Passed { .. } => Err(vec![crate::repair::NameGate::Containment]),
        Judged::Failed { failed } => match by_initials(ground, qualifier, named) {
            Some(found) => Ok(found),
            None => Err(failed),
        },
    }
}

/// The one thing in FROM without an alias whose initials, or first letters, are the qualifier.
fn by_initials<'s, 'g>(
    ground: &Ground<'_>,
    qualifier: &str,
    named: &[(&'s Seen<'g>, &'g str)],
) -> Option<(&'s Seen<'g>, &'g str)> {
    let fits = |name: &str| {
        let words = Words::of(name);
        let initials: String = words
            .list()
            .iter()
            .filter_map(|word| word.chars().next())
            .collect();
        initials == qualifier || words.joined().starts_with(qualifier)
    };
    let [(seen, name)] = named else {
        return None;
    };
    let relation = ground.name_of(seen.item.relation?);
    let is_unaliased = relation == *name && !qualifier.is_empty() && !ground.is_common(qualifier);
    (is_unaliased && (fits(name) || is_forgotten(ground, qualifier))).then_some((*seen, *name))
}

/// Whether a qualifier looks like an alias that was never given: short, the only one that is
/// unknown, and nothing else in the whole text has one.
fn is_forgotten(ground: &Ground<'_>, qualifier: &str) -> bool {
    let mut refs = ground.places.refs.iter();
    let is_only = refs.all(|place| {
        let fields = place.reference.fields();
        let first = fields.iter().next().and_then(Node::as_str);
        fields.len() == 1 || !ground.is_missing(place.at) || first == Some(qualifier)
    });
    let mut entries = ground.places.frames.iter().flat_map(|frame| &frame.entries);
    let none_has_one =
        entries.all(|entry| entry.table.is_some_and(|table| table.alias().is_none()));
    qualifier.len() <= ALIAS_LETTERS_MAX && is_only && none_has_one
}

/// Aliases are this short, and names of tables hardly ever.
const ALIAS_LETTERS_MAX: usize = 3;

/// From here on a column of the named relation may be the one that is meant.
const PLAUSIBLE_MIN: f64 = 0.5;

/// Whether a reference is part of something whose result depends on what is NULL.
pub(in crate::repair) fn is_delicate(role: Role<'_>) -> bool {
    matches!(role, Role::Test | Role::Argument { .. })
}
