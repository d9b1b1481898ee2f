//! A column that is called as foreign keys to it are: `customer.customer_id`, where
//! `orders.customer_id` leads to `customer.id`.

use crate::Confidence;
use crate::dependencies::equalities::{
    ColumnEqualities, ConditionExtent, EqualityKind, ServerComparisons,
};
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem, spelled};
use crate::names::name_repair::NameFix;
use crate::names::reference_position::ExpressionRole;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use catalog::quote::quoted;
use catalog::{KeyKind, RelationId};
use sql::edit::{self, TextEdit};
use sql::tree::{self, Node, nodes};

/// The key that declared foreign keys of this name lead to.
pub(super) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let own = seen.item.relation?;
    let (number, is_known) = only_target(name_context, own, missing.name)?;
    let mut columns = seen.item.columns.iter();
    let column = columns.find(|column| column.origin == Some((own, number)))?;
    if !name_context.may_show_column(column) {
        return None;
    }
    let right = column.name.as_str();
    let beside: Vec<&VisibleItem<'_>> = (all.iter())
        .filter(|other| !std::ptr::eq(other.item, seen.item))
        .filter(|other| other.column(missing.name).is_some())
        .collect();
    let sure = match beside.as_slice() {
        [] => Confidence::Likely,
        [other] => match between(name_context, missing, (seen, right), other) {
            EqualityKind::Inner => Confidence::Exact,
            EqualityKind::Preserved => Confidence::Likely,
            EqualityKind::No => return None,
        },
        _ => return None,
    };
    stands_for_key(missing, seen, right, (sure, is_known))
}

/// A repair that names the key: of a join that is only known it is no more than likely.
pub(super) fn stands_for_key(
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
    right: &str,
    (sure, is_known): (Confidence, bool),
) -> Option<NameFix> {
    let part = missing.parts.last()?;
    let (sure, key) = match is_known {
        true => (Confidence::Likely, "a known relationship"),
        false => (sure, "the foreign key"),
    };
    let change = format!(
        "{} stands for {}, to which {key} leads",
        spelled(seen.qualifier, right),
        spelled(seen.qualifier, missing.name),
    );
    let text = spelled(None, right);
    Some(NameFix::name(sure, part.clone(), text, change, right))
}

/// The column of a relation that all foreign keys lead to which are of this one column; none where
/// one of them leads elsewhere. And whether it is only known of one of them.
fn only_target(
    name_context: &NameRepairContext<'_>,
    own: RelationId,
    name: &str,
) -> Option<(i16, bool)> {
    let (catalog, database) = (name_context.catalog(), name_context.database);
    let mut found: Option<(i16, bool)> = None;
    for key in database.joining_keys() {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            continue;
        };
        let ([from], [target]) = (&*key.columns, &**to_columns) else {
            continue;
        };
        let mut columns = catalog.columns_of(key.relation).iter();
        let is_called = columns.any(|column| {
            column.number == *from
                && catalog.names().text(column.name) == name
                && name_context.may_show_column_of(key.relation, column)
        });
        if !is_called {
            continue;
        }
        if *to != own || found.is_some_and(|(other, _)| other != *target) {
            return None;
        }
        let is_known = found.is_some_and(|(_, is_known)| is_known) || database.is_known(key);
        found = Some((*target, is_known));
    }
    found
}

/// How the column of the name beside relates to the key, by what the statement itself joins: with
/// the key in the place of the name where the two are compared.
fn between(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    (seen, key): (&VisibleItem<'_>, &str),
    other: &VisibleItem<'_>,
) -> EqualityKind {
    let found = || {
        let (one, beside) = (seen.qualifier?, other.qualifier?);
        let edits = joins_by_key(name_context, missing, key)?;
        let text = edit::apply(name_context.context.text, edits).ok()?;
        let tree = tree::parse(&text).ok()?;
        let resolution = name_context.database.resolve(&tree)?;
        let statement = tree.statements().next()?.node;
        let (catalog, mask) = (name_context.catalog(), name_context.database.mask);
        let query_scopes = QueryScopes::of(statement, &resolution, catalog, mask)?;
        let of_scope = |level: usize| {
            let one = column_index(&query_scopes, level, one, key)?;
            let other = column_index(&query_scopes, level, beside, missing.name)?;
            Some((level, one, other))
        };
        let mut scopes = (0..query_scopes.scopes.len()).filter_map(of_scope);
        let (level, one, other) = scopes.next().filter(|_| scopes.next().is_none())?;
        let comparisons = ServerComparisons::of(&resolution);
        let extent = ConditionExtent::Whole;
        let equalities = ColumnEqualities::of(&query_scopes, &comparisons, level, extent);
        Some(match equalities.between(one, other) {
            EqualityKind::No => equalities.between(other, one),
            known => known,
        })
    };
    found().unwrap_or(EqualityKind::No)
}

/// The key in the place of the name wherever that is compared with a column.
fn joins_by_key(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    key: &str,
) -> Option<Vec<TextEdit>> {
    let refs = &name_context.places.refs;
    let names = |reference: &nodes::ColumnRef| -> Vec<String> {
        let parts = reference.fields().iter().filter_map(Node::as_str);
        parts.map(str::to_owned).collect()
    };
    let own = names(missing.place.reference);
    if refs.len() > REFERENCES_MAX {
        return None;
    }
    let compared = refs.iter().filter(|place| {
        let is_compared = matches!(
            place.role,
            ExpressionRole::Compared {
                other: Node::ColumnRef(_),
                equal: true
            }
        );
        is_compared && names(place.reference) == own
    });
    let edits = compared.map(|place| {
        let parts = name_context.parts(place.at, own.len())?;
        Some(TextEdit {
            span: parts.last()?.clone(),
            replacement: quoted(key).into_owned(),
        })
    });
    edits.collect()
}

/// A column of what a name qualifies in a query.
fn column_index(
    query_scopes: &QueryScopes<'_>,
    level: usize,
    qualifier: &str,
    name: &str,
) -> Option<ColumnIndex> {
    let scope = query_scopes.scope(level)?;
    let from_item = scope.item_named(qualifier)?;
    let columns = scope.from_items.get(from_item)?.columns.iter();
    let column = columns
        .map(|column| column.name.as_str())
        .position(|own| own == name)?;
    Some(ColumnIndex {
        level,
        from_item,
        column,
    })
}

/// In a longer statement no other reading of it is made for each name.
const REFERENCES_MAX: usize = 256;
