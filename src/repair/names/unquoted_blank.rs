//! A name with a blank in it, without its quotes: `FROM invoice lines` reads as a relation with an
//! alias. A keyword that is misspelt reads in the same way: `SELECT DISTNCT city`.

use std::ops::Range;

use super::context::{Ground, Missing, Seen, spelled};
use super::name_repair::Fix;
use super::reference_scopes::{Clause, Role};
use super::similarity::{Kinship, Likeness, is_slip};
use crate::repair::Confidence;

/// The bytes of a word and of the alias right behind it.
pub(in crate::repair) fn with_alias(ground: &Ground<'_>, word: &Range<usize>) -> Option<Range<usize>> {
    let first = ground.scene.token_at(word.start)?;
    let rest = ground.scene.tokens.get(first.checked_add(1)?..)?;
    let next = rest.iter().find(|token| !token.kind.is_blank())?;
    let is_blank = ground
        .text(&(word.end..next.span.start))
        .chars()
        .all(char::is_whitespace);
    let is_as = ground.text(&next.span).eq_ignore_ascii_case("as");
    let is_word = next.kind == crate::sql::lexer::TokenKind::Word;
    (is_blank && is_word && !is_as).then_some(word.start..next.span.end)
}

/// A result that is written as a word and an alias, where both are one name, or the word is
/// DISTINCT.
pub(in crate::repair) fn mend(ground: &Ground<'_>, missing: &Missing<'_>, all: &[Seen<'_>]) -> Option<Fix> {
    let (Clause::Target(number), Role::Whole) = (missing.place.clause, missing.place.role) else {
        return None;
    };
    let frame = ground.places.frame(missing.place.frame)?;
    let target = frame.select.target_list().iter().nth(number)?;
    let alias = target.name()?;
    let word = missing.parts.last()?;
    let both = with_alias(ground, word)?;
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    if number == 0
        && missing.qualifier.is_none()
        && is_slip(missing.name, "distinct", DISTINCT_LETTERS)
        && columns.any(|column| column.name.as_str() == alias)
    {
        let change = format!("{} is a slip for DISTINCT", ground.text(word));
        let distinct = "DISTINCT".to_owned();
        return Some(Fix::text(Confidence::Exact, word.clone(), distinct, change));
    }
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    let mut same = columns.by_ref().filter(|column| {
        let likeness = Likeness::of(ground.text(&both), column.name.as_str(), &[]);
        likeness.kinship <= Kinship::Joints && column.name.as_str().contains(' ')
    });
    let column = same.next().filter(|_| same.next().is_none())?;
    let right = spelled(None, column.name.as_str());
    let change = format!("{} is one name, {right}", ground.text(&both));
    Some(Fix::text(Confidence::Exact, both, right, change))
}

/// The letters of DISTINCT.
const DISTINCT_LETTERS: usize = 7;
