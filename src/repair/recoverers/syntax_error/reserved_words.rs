//! Reserved words that name something: a column or a relation of the database, or an alias.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit};
use crate::names::letter_case::{folded, in_quotes, is_same};
use catalog::quote::quoted;
use sql::lexer::TokenKind;

/// The word at which the grammar stops, or just before it, is quoted: one at a time, because the
/// same word can stand elsewhere as itself (`ORDER BY order`).
pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let offender = edited.error_token()?;
    let places = [Some(offender), offender.checked_sub(1)];
    let mut places = places.into_iter().flatten();
    places.find_map(|place| quote(edited, known, place, offender))
}

fn quote(
    edited: &EditedText,
    known: &MentionedNames<'_>,
    place: usize,
    offender: usize,
) -> Option<TokenRepair> {
    let word = edited.word(place);
    let name = folded(word);
    if edited.kind(place) != Some(TokenKind::Word) || quoted(&name) == name {
        return None;
    }
    let own = known.names().find(|own| *own == word || *own == name);
    let own = own.or_else(|| known.names().find(|own| is_same(own, word)));
    let is_alias = || {
        let mut places = 1..edited.tokens.len();
        places.any(|at| {
            let is_it = edited.is(at, word) || edited.word(at) == in_quotes(&name);
            is_it && edited.follows(at, &["as"])
        })
    };
    // `count(*) order FROM t`: nothing else can stand there.
    let is_bare_alias = || {
        let next = place.saturating_add(1);
        let before = place.checked_sub(1);
        before.is_some_and(|before| edited.is_sign(before, ")"))
            && (edited.is(next, "from") || edited.is_sign(next, ","))
    };
    let spelled = match own {
        Some(own) => in_quotes(own),
        None if is_alias() || is_bare_alias() => in_quotes(&name),
        None => return None,
    };
    let repair = TokenRepair {
        edits: vec![edit(edited.span(place), spelled)],
        change: format!("{name} is quoted, because it is a word of SQL"),
    };
    // It has to help: the grammar gets further than it did.
    let mut after = EditedText::new(&edited.text);
    after.apply(repair.edits.clone());
    let further = match after.error_token() {
        Some(next) => next > offender,
        None => after.parse().is_some(),
    };
    further.then_some(repair)
}
