//! The relations that have a column which is missing, for a HINT.

use crate::dependencies::key_ties::{CalledRelation, key_path};
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, visible_items};
use crate::names::name_repair::{NameAdvice, NameFix};
use crate::names::readable_relations::is_of_users;
use crate::names::reference_position::JoinSide;
use catalog::quote::quoted;
use catalog::{Column, RelationId};
use sql::tree::Node;

/// Words about what is missing, with how declared keys lead from one side of a join to the other,
/// and with the relations that have the column.
pub(super) fn with_owners(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    fix: NameFix,
) -> NameFix {
    let NameFix::Advised(NameAdvice {
        mut advice,
        failed,
        absent,
    }) = fix
    else {
        return fix;
    };
    let all = visible_items(&name_context.visible_scopes(missing.place));
    let path = path_of_join(name_context, missing, &all);
    advice.push_str(path.as_deref().unwrap_or_default());
    if absent || is_joined_by(missing) && path.is_none() {
        advice.push_str(&words(name_context, missing, &advice));
    }
    NameFix::Advised(NameAdvice {
        advice,
        failed,
        absent,
    })
}

/// Words that name the relations which have a column, those aside that the advice names already.
pub(super) fn words(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    advice: &str,
) -> String {
    let mut found = owners(name_context, missing);
    let here = name_context.relations();
    found.retain(|relation| !here.contains(relation));
    let catalog = name_context.catalog();
    let names: Vec<String> = (found.iter())
        .map(|relation| catalog.relation_name(*relation))
        .collect();
    if names.len() > OWNERS_MAX || names.iter().all(|name| advice.contains(name.as_str())) {
        return String::new();
    }
    let Some((last, before)) = names.split_last() else {
        return String::new();
    };
    let joined = match before.is_empty() {
        true => last.clone(),
        false => format!("{} and {last}", before.join(", ")),
    };
    format!(" {} is a column of {joined}.", quoted(missing.name))
}

/// The relations that have a column of the name, as far as the client may see them.
pub(super) fn owners(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
) -> Vec<RelationId> {
    let catalog = name_context.catalog();
    let of = |is_it: &dyn Fn(&Column) -> bool| -> Vec<RelationId> {
        let all = catalog.relations().map(|(id, _)| id);
        let found = all.filter(|id| {
            let mut columns = catalog.columns_of(*id).iter();
            columns.any(|column| is_it(column) && name_context.may_show_column_of(*id, column))
                && is_of_users(catalog, *id)
        });
        found.collect()
    };
    let found = match catalog.names().find(missing.name) {
        Some(name) => of(&|column| column.name == name),
        None => Vec::new(),
    };
    match found.is_empty() && !name_context.ends_in_quotes(missing) {
        true => of(&|column| {
            let name = catalog.names().text(column.name);
            name.eq_ignore_ascii_case(missing.name)
        }),
        false => found,
    }
}

/// Whether a column stands beside another one that it is to equal.
fn is_joined_by(missing: &MissingColumn<'_>) -> bool {
    missing.place.role.equal_column().is_some()
}

/// How declared keys lead from what a missing column is compared with to what it was looked for in.
fn path_of_join(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<String> {
    let other = missing.place.role.equal_column()?;
    let names: Vec<&str> = other.fields().iter().filter_map(Node::as_str).collect();
    let [.., beside, _] = names.as_slice() else {
        return None;
    };
    let called = |name: &str| {
        let seen = all.iter().find(|seen| seen.qualifier == Some(name))?;
        Some(CalledRelation {
            called: quoted(name).into_owned(),
            relation: seen.item.relation?,
        })
    };
    let (one, other) = (called(missing.qualifier?)?, called(beside)?);
    match one.relation == other.relation {
        true => None,
        false => key_path(name_context, &one, &other),
    }
}

/// How declared keys lead from one side of a join to the other, where its USING has a name that one
/// of them does not have.
pub(super) fn path_of_using(name_context: &NameRepairContext<'_>, name: &str) -> Option<String> {
    let mut scopes = name_context.places.reference_scopes.iter();
    let sides = scopes.find_map(|scope| {
        let place = scope.joins.iter().position(|join| {
            let mut names = join.using_clause().iter().filter_map(|own| own.sval());
            names.any(|own| own == name)
        })?;
        let of = |side: JoinSide| -> Vec<CalledRelation> {
            let entries = scope.entries.iter();
            let own = entries.filter(|entry| entry.joins.contains(&(place, side)));
            own.filter_map(|entry| called_relation(name_context, entry.name?))
                .collect()
        };
        Some((of(JoinSide::Left), of(JoinSide::Right)))
    });
    let (left, right) = sides?;
    let [right] = right.as_slice() else {
        return None;
    };
    let mut paths = left
        .iter()
        .filter_map(|left| key_path(name_context, left, right));
    paths.next().filter(|_| paths.next().is_none())
}

/// The relation that is called so in some FROM of the text.
fn called_relation(name_context: &NameRepairContext<'_>, name: &str) -> Option<CalledRelation> {
    let mut views = name_context.resolution.scopes.iter();
    let item = views.find_map(|view| {
        let mut items = view.items.iter().filter(|item| item.is_called(name));
        items.next().filter(|_| items.next().is_none())
    });
    Some(CalledRelation {
        called: quoted(name).into_owned(),
        relation: item?.relation?,
    })
}

/// More relations than these are no help.
const OWNERS_MAX: usize = 3;
