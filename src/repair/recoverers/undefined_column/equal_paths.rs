//! Steps to one row by several columns which the statement itself makes equal.

use super::foreign_key_path::{ForeignKeyPath, JoinFinder};
use crate::dependencies::equalities::{
    ColumnEqualities, ConditionExtent, EqualityKind, ServerComparisons,
};
use crate::scopes::query_scopes::ColumnIndex;

/// The only step; or, of steps that all lead to the same row, one from what is always there.
pub(super) fn one_of_equal<'p>(
    finder: &JoinFinder<'_, '_>,
    place: usize,
    paths: &'p [ForeignKeyPath],
) -> Option<&'p ForeignKeyPath> {
    if let [only] = paths {
        return Some(only);
    }
    let comparisons = ServerComparisons::of(finder.context.resolution?);
    let extent = ConditionExtent::Whole;
    let equalities = ColumnEqualities::of(finder.query_scopes, &comparisons, place, extent);
    let leads_alike = |one: &ForeignKeyPath, other: &ForeignKeyPath| {
        let to = |path: &ForeignKeyPath| -> Vec<i16> {
            path.columns.iter().map(|(_, parent)| *parent).collect()
        };
        let pairs = one.columns.iter().zip(&other.columns);
        one.parent == other.parent
            && to(one) == to(other)
            && pairs.into_iter().all(|((from, _), (beside, _))| {
                let ends = column_of(finder, one, *from).zip(column_of(finder, other, *beside));
                ends.is_some_and(|(from, beside)| {
                    equalities.between(from, beside) != EqualityKind::No
                })
            })
    };
    paths.iter().find(|one| {
        let mut others = paths.iter().filter(|other| other != one);
        others.all(|other| leads_alike(one, other))
    })
}

/// A column of the child of a step.
fn column_of(
    finder: &JoinFinder<'_, '_>,
    path: &ForeignKeyPath,
    number: i16,
) -> Option<ColumnIndex> {
    let from_item = finder
        .query_scopes
        .scope(path.level)?
        .from_items
        .get(path.from_item)?;
    Some(ColumnIndex {
        level: path.level,
        from_item: path.from_item,
        column: from_item.place_of(from_item.relation?, number)?,
    })
}
