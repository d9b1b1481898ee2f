//! The queries of a statement: what stands in FROM, and what each reference to a column means
//! there.
//!
//! * [`query_scopes`], with `from_clause`: the queries; [`from_item`]: their FROM items and joins
//! * [`column_reference`]: what a reference means, column by column

pub(crate) mod column_reference;
mod from_clause;
pub(crate) mod from_item;
pub(crate) mod query_scopes;

use std::ops::Range;

use self::query_scopes::{ColumnIndex, QueryScopes};
use crate::RepairContext;
use sql::extent::name::dotted_name;

/// The bytes of a reference to a column: names with dots between them.
pub(crate) fn span_of(context: &RepairContext<'_>, at: usize) -> Option<Range<usize>> {
    dotted_name(context.text, context.tokens, at)
}

/// A name that means just this column's relation in a query.
pub(crate) fn qualifier<'a>(
    query_scopes: &QueryScopes<'a>,
    level: usize,
    column_index: ColumnIndex,
) -> Option<&'a str> {
    let name = query_scopes.leaf(column_index)?.name?;
    let seen = query_scopes.visible_from(level);
    let nearest = seen.into_iter().find(|place| {
        let items = query_scopes.scope(*place).map(|level| &level.view.items);
        items.is_some_and(|items| items.iter().any(|item| item.is_called(name)))
    })?;
    let level = query_scopes.scope(nearest)?;
    let column = query_scopes.column(column_index)?.name.as_str();
    let from_item = query_scopes.leaf(column_index)?;
    let once = from_item
        .columns
        .iter()
        .filter(|own| own.name.as_str() == column);
    (nearest == column_index.level
        && level.item_named(name) == Some(column_index.from_item)
        && once.count() == 1)
        .then_some(name)
}
