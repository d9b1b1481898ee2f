//! What ties two columns to each other: declared foreign keys; and which columns are the surrogate
//! key of their relation, so that they equal nothing which no foreign key ties to them.

use super::keys;
use crate::SessionDatabase;
use crate::names::context::NameRepairContext;
use crate::names::similarity::NameWords;
use catalog::quote::quoted;
use catalog::{Catalog, KeyKind, RelationId};

/// A column, by its relation and its number there.
pub(crate) type ColumnOrigin = (RelationId, i16);

/// How two relations are called, or how one of them is.
pub(crate) struct CalledRelation {
    /// What qualifies its columns.
    pub called: String,
    /// It.
    pub relation: RelationId,
}

/// Whether a declared foreign key, or a known join, joins just these two columns.
pub(crate) fn are_tied(
    database: &SessionDatabase<'_>,
    one: ColumnOrigin,
    other: ColumnOrigin,
) -> bool {
    parents(database, one).contains(&other) || parents(database, other).contains(&one)
}

/// Whether two columns cannot be the same thing: each identifies something, and no declared key
/// leads from one to the other, nor from both to a third.
pub(crate) fn are_apart(
    database: &SessionDatabase<'_>,
    one: ColumnOrigin,
    other: ColumnOrigin,
) -> bool {
    if are_tied(database, one, other) {
        return false;
    }
    let (of_one, of_other) = (parents(database, one), parents(database, other));
    let keys = [one, other].map(|column| is_surrogate(database.catalog, column));
    match keys {
        [true, true] => true,
        [one_is_key, other_is_key] => {
            let identify =
                (one_is_key || !of_one.is_empty()) && (other_is_key || !of_other.is_empty());
            identify && !of_one.iter().any(|parent| of_other.contains(parent))
        }
    }
}

/// The columns that declared foreign keys and known joins lead to from a column.
fn parents(database: &SessionDatabase<'_>, (relation, number): ColumnOrigin) -> Vec<ColumnOrigin> {
    let mut found = Vec::new();
    for key in database.joining_keys_of(relation) {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            continue;
        };
        let pairs = key.columns.iter().zip(to_columns.iter());
        let own = pairs.filter(|(from, _)| **from == number);
        found.extend(own.map(|(_, parent)| (*to, *parent)));
    }
    found
}

/// Whether a column by itself identifies the rows of its relation: its primary key, a unique
/// number; or, where no primary key is declared, what is called so.
pub(crate) fn is_surrogate(catalog: &Catalog, (relation, number): ColumnOrigin) -> bool {
    let own = catalog.keys_of(relation);
    let alone = |kind: &KeyKind| {
        own.iter()
            .any(|key| key.kind == *kind && *key.columns == [number])
    };
    if alone(&KeyKind::Primary) {
        return true;
    }
    let has_primary = own.iter().any(|key| key.kind == KeyKind::Primary);
    let is_named = || {
        let column = keys::column(catalog, relation, number);
        let names = catalog.names();
        column.is_some_and(|column| {
            names_a_key(
                &NameWords::of(names.text(column.name)),
                &NameWords::of(names.text(catalog.relation(relation).name)),
            )
        })
    };
    (alone(&KeyKind::Unique) || !has_primary) && is_named()
}

/// `id`, or the last word of a relation and `id`.
fn names_a_key(column: &NameWords, relation: &NameWords) -> bool {
    let Some((last, before)) = column.list().split_last() else {
        return false;
    };
    let is_own = |word: &String| relation.has(word);
    let names_it = match (before.last(), relation.noun()) {
        (None, _) => true,
        (Some(word), Some(noun)) => NameWords::of(noun).has(word) && before.iter().all(is_own),
        (Some(_), None) => false,
    };
    KEY_WORDS.contains(&last.as_str()) && names_it
}

/// Words about how declared keys lead from one relation to another.
pub(crate) fn key_path(
    name_context: &NameRepairContext<'_>,
    one: &CalledRelation,
    other: &CalledRelation,
) -> Option<String> {
    if let Some(tie) = direct(name_context, one, other) {
        let key = match tie.is_known {
            true => "A known relationship",
            false => "The declared key",
        };
        return Some(format!(" {key} joins them ON {}.", tie.condition));
    }
    let beyond = name_context.neighbours(other.relation);
    let mut middle: Vec<RelationId> = name_context.neighbours(one.relation);
    middle.retain(|relation| beyond.contains(relation));
    let [between] = middle.as_slice() else {
        return None;
    };
    let link = CalledRelation {
        called: quoted(name_context.name_of(*between)).into_owned(),
        relation: *between,
    };
    let first = direct(name_context, &link, one)?.condition;
    let second = direct(name_context, &link, other)?.condition;
    let name = name_context.catalog().relation_name(*between);
    Some(format!(" {name} lies between them: {first} and {second}."))
}

/// How a key joins two relations.
struct TieWords {
    condition: String,
    is_known: bool,
}

/// The condition of the foreign key between two relations; of one that was not validated with the
/// word of it.
fn direct(
    name_context: &NameRepairContext<'_>,
    one: &CalledRelation,
    other: &CalledRelation,
) -> Option<TieWords> {
    let database = name_context.database;
    let mut found = Vec::new();
    for (child, parent) in [(one, other), (other, one)] {
        for key in database.joining_keys_of(child.relation) {
            let (to, to_columns, after) = match &key.kind {
                KeyKind::Foreign { to, to_columns } => (to, to_columns, ""),
                KeyKind::Unvalidated { to, to_columns } => (to, to_columns, NOT_VALIDATED),
                KeyKind::Primary | KeyKind::Unique => continue,
            };
            let pairs = key.columns.iter().zip(to_columns.iter());
            let shown = pairs.map(|(from, to)| {
                let from = spelled(name_context, child, *from)?;
                Some(format!("{from} = {}", spelled(name_context, parent, *to)?))
            });
            if let (true, Some(shown)) = (*to == parent.relation, shown.collect::<Option<Vec<_>>>())
            {
                found.push(TieWords {
                    condition: format!("{}{after}", shown.join(" AND ")),
                    is_known: database.is_known(key),
                });
            }
        }
    }
    let only = found.pop()?;
    found.is_empty().then_some(only)
}

fn spelled(
    name_context: &NameRepairContext<'_>,
    of: &CalledRelation,
    number: i16,
) -> Option<String> {
    let catalog = name_context.catalog();
    let column = keys::column(catalog, of.relation, number)?;
    let name = quoted(catalog.names().text(column.name));
    name_context
        .may_show_column_of(of.relation, column)
        .then(|| format!("{}.{name}", of.called))
}

/// The last words of names of keys.
const KEY_WORDS: [&str; 5] = ["id", "key", "uuid", "guid", "pk"];

/// What is said of a key that rows may break.
pub(crate) const NOT_VALIDATED: &str = " (by a key that was not validated)";
