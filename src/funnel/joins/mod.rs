//! Keys, equalities and functional dependency: what a join can and cannot change.
//!
//! * [`outline`], with `from` and [`reference`]: the queries of a statement, what they join, and
//!   what each reference means
//! * [`keys`]: which keys hold; [`clause`]: where a FROM or a GROUP BY stands in the text
//! * [`equal`]: what the conditions of a query make equal; [`determined`]: what its columns decide
//! * [`grouped`], with `alike`: what an aggregate query neither groups nor aggregates
//! * [`step`], with `added`: a column that one more join would bring

mod added;
mod alike;
pub(in crate::funnel) mod clause;
pub(in crate::funnel) mod determined;
pub(in crate::funnel) mod equal;
mod from;
pub(in crate::funnel) mod grouped;
pub(in crate::funnel) mod keys;
pub(in crate::funnel) mod outline;
pub(in crate::funnel) mod reference;
mod step;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(in crate::funnel) use self::step::{Missing, Step, step};

use self::outline::{Outline, Spot};
use crate::funnel::Scene;
use crate::sql::lexer::TokenKind;

/// The bytes of a reference to a column: names with dots between them.
pub(in crate::funnel) fn span_of(scene: &Scene<'_>, at: usize) -> Option<Range<usize>> {
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
pub(in crate::funnel) fn qualifier<'a>(
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
