//! An alias that was never given to what stands in FROM: `SELECT o.total FROM orders`.

use crate::Confidence;
use crate::dependencies::key_ties::are_tied;
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, VisibleScope, spelled};
use crate::names::name_repair::NameFix;
use crate::names::readable_relations::is_of_users;
use crate::names::reference_scopes::PlacedReference;
use crate::names::similarity::{NameWords, is_generic};
use crate::names::suggestions;
use catalog::RelationId;
use catalog::quote::quoted;
use resolve::UsedObject;
use sql::tree::Node;

/// What stands in FROM in the place of an alias that nothing there has.
pub(super) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    levels: &[VisibleScope<'_>],
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let qualifier = missing.qualifier?;
    if name_context.is_cte_name(qualifier) || is_relation_name(name_context, qualifier) {
        return None;
    }
    let columns = columns_after(name_context, qualifier);
    let has_all = |seen: &&VisibleItem<'_>| {
        columns
            .iter()
            .all(|name| *name == "*" || has_column(seen, name))
    };
    let fitting: Vec<&VisibleItem<'_>> = (all.iter())
        .filter(|seen| seen.qualifier.is_some() && fits(name_context, seen, qualifier))
        .collect();
    let alone = only_of_scope(name_context, qualifier, levels, all);
    let (seen, sure) = match (fitting.as_slice(), alone) {
        ([fit], Some(only)) if std::ptr::eq(fit.item, only.item) => {
            let is_called = is_written(name_context, only.qualifier?);
            let sure = match is_called {
                true => Confidence::Likely,
                false => Confidence::Exact,
            };
            (only, sure)
        }
        ([fit], _) => (*fit, Confidence::Likely),
        ([], Some(only)) if !may_be_another(name_context, only, qualifier) => {
            let mut named = columns.iter().filter(|name| **name != "*");
            let telling = named.any(|name| !is_generic(&NameWords::of(name)));
            let sure = match telling && !is_written(name_context, only.qualifier?) {
                true => Confidence::Exact,
                false => Confidence::Likely,
            };
            (only, sure)
        }
        ([], None) if !all.iter().any(|seen| is_of_series(seen, qualifier)) => {
            (only_owner(name_context, all, &columns)?, Confidence::Likely)
        }
        _ => return None,
    };
    if !has_all(&seen) {
        return None;
    }
    if fitting.is_empty()
        && let Some(rival) = rival(name_context, seen, qualifier, &columns)
    {
        return Some(NameFix::advised(format!(
            "{} is not in FROM, which has {}; it may stand for {}, which is not joined.",
            quoted(qualifier),
            quoted(seen.qualifier?),
            name_context.catalog().relation_name(rival)
        )));
    }
    // Whoever writes two names that are not there means two things, as far as both may be this one.
    let others = unknown_qualifiers(name_context, qualifier);
    let disputed =
        (others.iter()).any(|other| fitting.is_empty() || fits(name_context, seen, other));
    if disputed {
        return None;
    }
    let sure = match others.is_empty() {
        true => sure,
        false => Confidence::Likely,
    };
    Some(moved(name_context, missing, seen.qualifier?, sure))
}

/// The same column after another name.
pub(super) fn moved(
    names: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    name: &str,
    sure: Confidence,
) -> NameFix {
    let (Some(first), Some(last)) = (missing.parts.first(), missing.parts.iter().rev().nth(1))
    else {
        return suggestions::column(names, missing, &[], &[]);
    };
    let span = first.start..last.end;
    let whole = first.start..missing.parts.last().map_or(last.end, |part| part.end);
    let change = format!(
        "{} stands for {}",
        spelled(Some(name), missing.name),
        names.text(&whole)
    );
    NameFix::text(sure, span, quoted(name).into_owned(), change)
}

/// The only thing in the FROM of the query that all references after the alias stand in.
fn only_of_scope<'v, 'g>(
    name_context: &NameRepairContext<'_>,
    qualifier: &str,
    levels: &[VisibleScope<'g>],
    all: &'v [VisibleItem<'g>],
) -> Option<&'v VisibleItem<'g>> {
    let refs = name_context.places.refs.iter();
    let mut scopes: Vec<usize> = (refs.filter(|place| qualifier_of(place) == Some(qualifier)))
        .map(|place| place.scope)
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    // Queries come before those inside of them: all the others have to stand in the first.
    let (outermost, inner) = scopes.split_first()?;
    let around = name_context.places.frame(*outermost)?;
    let is_within = |scope: &usize| {
        let mut chain = name_context.places.scope_chain(*scope);
        chain.any(|own| std::ptr::eq(own.select, around.select))
    };
    if !inner.iter().all(is_within) {
        return None;
    }
    let [entry] = around.entries.as_slice() else {
        return None;
    };
    let name = entry.name?;
    let mut found = all.iter().filter(|seen| seen.qualifier == Some(name));
    let only = found.next().filter(|_| found.next().is_none())?;
    let level = levels.get(only.level)?;
    (level.items().count() == 1).then_some(only)
}

/// Whether a thing has a column of a name, whatever the case.
fn has_column(seen: &VisibleItem<'_>, name: &str) -> bool {
    let mut own = seen.item.columns.iter();
    own.any(|column| column.name.as_str().to_lowercase() == name.to_lowercase())
}

/// The only thing in FROM that has the columns, where no other relation has them all, but for keys
/// that a declared key says to be the same.
fn only_owner<'v, 'g>(
    name_context: &NameRepairContext<'_>,
    all: &'v [VisibleItem<'g>],
    columns: &[&str],
) -> Option<&'v VisibleItem<'g>> {
    let telling = |name: &&str| *name != "*" && !is_generic(&NameWords::of(name));
    if !columns.iter().all(telling) {
        return None;
    }
    let mut owners = (all.iter()).filter(|seen| columns.iter().any(|name| has_column(seen, name)));
    let only = owners.next().filter(|_| owners.next().is_none())?;
    let own = only
        .item
        .relation
        .filter(|_| only.qualifier.is_some() && only.level == 0)?;
    let catalog = name_context.catalog();
    let origin = |relation: RelationId, name: &str| {
        let named = |text: &str| text.to_lowercase() == name.to_lowercase();
        let mut columns = catalog.columns_of(relation).iter();
        let column = columns.find(|column| named(catalog.names().text(column.name)))?;
        Some((relation, column.number))
    };
    let is_same = |other: RelationId, name: &str| {
        let both = origin(own, name).zip(origin(other, name));
        both.is_some_and(|(own, other)| are_tied(name_context.database, own, other))
    };
    let is_rival = |other: &RelationId| {
        *other != own
            && columns.iter().all(|name| origin(*other, name).is_some())
            && !columns.iter().all(|name| is_same(*other, name))
    };
    let mut rivals = catalog.relations().map(|(id, _)| id).filter(is_rival);
    let disputed = rivals.any(|id| is_of_users(catalog, id) && name_context.may_show_relation(id));
    (!disputed).then_some(only)
}

/// Whether an alias that is like nothing in FROM may stand for something else: the thing in FROM
/// has another one, which is used beside it, or is of the same letters and another number.
fn may_be_another(
    name_context: &NameRepairContext<'_>,
    only: &VisibleItem<'_>,
    qualifier: &str,
) -> bool {
    let Some(own) = only.qualifier else {
        return true;
    };
    let relation = only
        .item
        .relation
        .map(|relation| name_context.name_of(relation));
    let has_alias = relation != Some(own);
    has_alias && (is_written(name_context, own) || is_of_series(only, qualifier))
}

/// Whether an alias differs from that of a thing in its number: `t3` beside `t1`.
fn is_of_series(seen: &VisibleItem<'_>, qualifier: &str) -> bool {
    let stem = |name: &str| {
        name.trim_end_matches(|letter: char| letter.is_numeric())
            .to_owned()
    };
    seen.qualifier
        .is_some_and(|own| stem(own) == stem(qualifier))
}

/// Another relation that the alias is short for, and that has all the columns, too.
fn rival(
    name_context: &NameRepairContext<'_>,
    seen: &VisibleItem<'_>,
    qualifier: &str,
    columns: &[&str],
) -> Option<RelationId> {
    let catalog = name_context.catalog();
    let has_all = |relation: RelationId| {
        columns.iter().all(|name| {
            let mut all = catalog.columns_of(relation).iter();
            *name == "*" || all.any(|column| catalog.names().text(column.name) == *name)
        })
    };
    let is_rival = |relation: &RelationId| {
        seen.item.relation != Some(*relation)
            && is_short_for(name_context.name_of(*relation), qualifier)
            && has_all(*relation)
    };
    let all = catalog.relations().map(|(id, _)| id);
    let mut rivals = all.filter(is_rival);
    rivals.find(|id| is_of_users(catalog, *id) && name_context.may_show_relation(*id))
}

/// The other names before columns that nothing in FROM has.
fn unknown_qualifiers<'g>(
    name_context: &'g NameRepairContext<'_>,
    qualifier: &str,
) -> Vec<&'g str> {
    let uses = name_context.resolution.uses.iter();
    let others = uses.filter_map(|used| match &used.what {
        UsedObject::MissingColumn { qualifier, .. } => Some(qualifier.as_ref()?.as_str()),
        _ => None,
    });
    let mut others: Vec<&str> = others
        .filter(|other| *other != qualifier && !is_known(name_context, other))
        .collect();
    others.sort_unstable();
    others.dedup();
    others
}

/// Whether something in a FROM of the text is called so.
fn is_known(name_context: &NameRepairContext<'_>, name: &str) -> bool {
    let scopes = name_context.places.reference_scopes.iter();
    let mut entries = scopes.flat_map(|scope| &scope.entries);
    entries.any(|entry| entry.name == Some(name))
}

/// Whether an alias is short for what something in FROM is called.
fn fits(name_context: &NameRepairContext<'_>, seen: &VisibleItem<'_>, qualifier: &str) -> bool {
    let relation = seen
        .item
        .relation
        .map(|relation| name_context.name_of(relation));
    let names = seen.qualifier.into_iter().chain(relation);
    names.into_iter().any(|name| is_short_for(name, qualifier))
}

/// The initials of a name, or its first letters.
fn is_short_for(name: &str, qualifier: &str) -> bool {
    let words = NameWords::of(name);
    let initials: String = (words.list().iter())
        .filter_map(|word| word.chars().next())
        .collect();
    let short = qualifier.to_lowercase().replace('_', "");
    !short.is_empty() && (initials == short || words.joined().starts_with(&short))
}

/// The columns that are written after a qualifier, anywhere in the text, that is known nowhere.
fn columns_after<'g>(name_context: &'g NameRepairContext<'_>, qualifier: &str) -> Vec<&'g str> {
    let refs = name_context.places.refs.iter();
    let own = refs.filter(|place| qualifier_of(place) == Some(qualifier));
    let names = own.map(|place| {
        let last = place.reference.fields().iter().next_back();
        last.and_then(Node::as_str).unwrap_or("*")
    });
    names.collect()
}

/// What is written before the name of a column.
fn qualifier_of<'t>(place: &PlacedReference<'t>) -> Option<&'t str> {
    let fields = place.reference.fields();
    let before = fields.len().checked_sub(2)?;
    fields.iter().nth(before).and_then(Node::as_str)
}

/// Whether a column is written after a name anywhere.
fn is_written(name_context: &NameRepairContext<'_>, name: &str) -> bool {
    let mut refs = name_context.places.refs.iter();
    refs.any(|place| qualifier_of(place) == Some(name))
}

/// Whether the client may read a relation of this name, whatever the case.
fn is_relation_name(name_context: &NameRepairContext<'_>, name: &str) -> bool {
    let catalog = name_context.catalog();
    let wanted = name.to_lowercase();
    let is_called = |relation: RelationId| name_context.name_of(relation).to_lowercase() == wanted;
    let mut called = catalog
        .relations()
        .map(|(id, _)| id)
        .filter(|id| is_called(*id));
    called.any(|id| is_of_users(catalog, id) && name_context.may_show_relation(id))
}
