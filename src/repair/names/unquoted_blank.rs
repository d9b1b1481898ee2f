//! A name with a blank in it, without its quotes: `FROM invoice lines` reads as a relation with an
//! alias. A keyword that is misspelt reads in the same way: `SELECT DISTNCT city`.

use std::ops::Range;

use super::context::{MissingColumn, NameRepairContext, VisibleItem, spelled};
use super::name_repair::NameFix;
use super::reference_position::{ExpressionRole, ReferenceClause};
use super::similarity::{Similarity, SimilarityKind, is_slip};
use crate::Confidence;

/// The bytes of a word and of the alias right behind it.
pub(crate) fn with_alias(
    name_context: &NameRepairContext<'_>,
    word: &Range<usize>,
) -> Option<Range<usize>> {
    let first = name_context.context.token_at(word.start)?;
    let rest = name_context.context.tokens.get(first.checked_add(1)?..)?;
    let next = rest.iter().find(|token| !token.kind.is_blank())?;
    let is_blank = name_context
        .text(&(word.end..next.span.start))
        .chars()
        .all(char::is_whitespace);
    let is_as = name_context.text(&next.span).eq_ignore_ascii_case("as");
    let is_word = next.kind == sql::lexer::TokenKind::Word;
    (is_blank && is_word && !is_as).then_some(word.start..next.span.end)
}

/// A result that is written as a word and an alias, where both are one name, or the word is
/// DISTINCT.
pub(crate) fn repair(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<NameFix> {
    let (ReferenceClause::Target(number), ExpressionRole::Whole) =
        (missing.place.clause, missing.place.role)
    else {
        return None;
    };
    let scope = name_context.places.frame(missing.place.scope)?;
    let target = scope.select.target_list().iter().nth(number)?;
    let alias = target.name()?;
    let word = missing.parts.last()?;
    let both = with_alias(name_context, word)?;
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    if number == 0
        && missing.qualifier.is_none()
        && is_slip(missing.name, "distinct", DISTINCT_LETTERS)
        && columns.any(|column| column.name.as_str() == alias)
    {
        let change = format!("{} is a slip for DISTINCT", name_context.text(word));
        let distinct = "DISTINCT".to_owned();
        return Some(NameFix::text(
            Confidence::Exact,
            word.clone(),
            distinct,
            change,
        ));
    }
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    let mut same = columns.by_ref().filter(|column| {
        let likeness = Similarity::of(name_context.text(&both), column.name.as_str(), &[]);
        likeness.similarity_kind <= SimilarityKind::Separators && column.name.as_str().contains(' ')
    });
    let column = same.next().filter(|_| same.next().is_none())?;
    let right = spelled(None, column.name.as_str());
    let change = format!("{} is one name, {right}", name_context.text(&both));
    Some(NameFix::text(Confidence::Exact, both, right, change))
}

/// The letters of DISTINCT.
const DISTINCT_LETTERS: usize = 7;
