//! The queries of a statement: what stands in FROM, and what each reference to a column means
//! there.
//!
//! * [`query_scopes`], with `from_clause`: the queries, their FROM items and joins
//! * [`column_reference`]: what a reference means, column by column
//! * [`clause_extent`]: where a FROM or a GROUP BY stands in the text

pub(in crate::repair) mod clause_extent;
pub(in crate::repair) mod column_reference;
mod from_clause;
pub(in crate::repair) mod query_scopes;

use std::ops::Range;

pub(in crate::repair) use super::recoverers::undefined_column::foreign_key_join::{
    Missing, Step, step,
};

use self::query_scopes::{Outline, Spot};
use crate::repair::Scene;
use crate::sql::lexer::TokenKind;

/// The bytes of a reference to a column: names with dots between them.
pub(in crate::repair) fn span_of(scene: &Scene<'_>, at: usize) -> Option<Range<usize>> {
    let first = scene.token_at(at)?;
    let mut end = None;
    let mut expects_name = true;
    for token in scene.tokens.get(first..)? {
        if token.kind.is_blank() {
            continue;
        }
        let is_name = matches!(
            token.kind,
            TokenKind::Word | TokenKind::QuotedName | TokenKind::UnicodeName
        );
        match (expects_name, scene.word(token)) {
            (true, _) if is_name => end = Some(token.span.end),
            (false, ".") => {}
            _ => break,
        }
        expects_name = !expects_name;
    }
    Some(at..end?)
}

/// A name that means just this column's relation in a query.
pub(in crate::repair) fn qualifier<'a>(
    outline: &Outline<'a>,
    level: usize,
    spot: Spot,
) -> Option<&'a str> {
    let name = outline.leaf(spot)?.name?;
    let seen = outline.seen_from(level);
    let nearest = seen.into_iter().find(|place| {
        let items = outline.level(*place).map(|level| &level.view.items);
        items.is_some_and(|items| items.iter().any(|item| item.is_called(name)))
    })?;
    let level = outline.level(nearest)?;
    let column = outline.column(spot)?.name.as_str();
    let leaf = outline.leaf(spot)?;
    let once = leaf
        .columns
        .iter()
        .filter(|own| own.name.as_str() == column);
    (nearest == spot.level && level.leaf_named(name) == Some(spot.leaf) && once.count() == 1)
        .then_some(name)
}
