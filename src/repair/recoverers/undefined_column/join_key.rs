//! A join that names a key of the other side wrongly, where a foreign key says which one it is.

use super::declared_key;
use crate::Confidence;
use crate::names::context::{MissingColumn, NameRepairContext, VisibleItem};
use crate::names::name_repair::NameFix;
use crate::names::similarity::{NameWords, Similarity, SimilarityKind, is_generic};
use catalog::{KeyKind, RelationId};
use sql::tree::Node;

/// `orders.customer_id = customers.customer_id` where the foreign key leads to `customers.id`.
pub(crate) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    seen: &VisibleItem<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let other = missing.place.role.equal_column()?;
    let own = seen.item.relation?;
    let fields: Vec<&str> = other.fields().iter().filter_map(Node::as_str).collect();
    let [.., qualifier, name] = fields.as_slice() else {
        return None;
    };
    let mut others = all.iter().filter(|seen| seen.item.is_called(qualifier));
    let beside = others.next().filter(|_| others.next().is_none())?;
    if std::ptr::eq(beside.item, seen.item) {
        return None;
    }
    let (relation, number) = beside.column(name)?.origin?;
    let mut partners = partners(name_context, own, relation, number);
    partners.sort_unstable();
    partners.dedup();
    let [(partner, is_known)] = partners.as_slice() else {
        return None;
    };
    let mut columns = seen.item.columns.iter();
    let column = columns.find(|column| column.origin == Some((own, *partner)))?;
    if !name_context.may_show_column(column) {
        return None;
    }
    let right = column.name.as_str();
    let mut words = name_context.own_words(seen.item);
    words.extend(name_context.own_words(beside.item));
    words.push(NameWords::of(name_context.name_of(relation)));
    let likeness = Similarity::of(missing.name, right, &words);
    // The two share a word, or the wrong name is the very name of the other side.
    if likeness.similarity_kind > SimilarityKind::Contained && missing.name != *name {
        return None;
    }
    // The very name of the other side, and nothing else that is like it: one reading.
    let has_rival = seen.item.columns.iter().any(|own| {
        let near = Similarity::of(missing.name, own.name.as_str(), &words);
        own.name.as_str() != right && near.similarity_kind <= SimilarityKind::Contained
    });
    let is_telling = missing.name == *name && !is_generic(&NameWords::of(name));
    let sure = match is_telling && !has_rival {
        true => Confidence::Exact,
        false => Confidence::Likely,
    };
    declared_key::stands_for_key(missing, seen, right, (sure, *is_known))
}

/// The columns of a relation that a foreign key of one column ties to a column of another, and
/// whether that key is only known.
fn partners(
    name_context: &NameRepairContext<'_>,
    own: RelationId,
    other: RelationId,
    number: i16,
) -> Vec<(i16, bool)> {
    let mut found = Vec::new();
    let database = name_context.database;
    for key in database.joining_keys() {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            continue;
        };
        let ([from_column], [to_column]) = (&*key.columns, &**to_columns) else {
            continue;
        };
        if key.relation == other && *from_column == number && *to == own {
            found.push((*to_column, database.is_known(key)));
        }
        if key.relation == own && *to == other && *to_column == number {
            found.push((*from_column, database.is_known(key)));
        }
    }
    found
}
