//! Where the FROM of a query stands in the text: a tree says where names begin, and nothing of
//! where clauses end.

use std::ops::Range;

use crate::repair::RepairContext;
use crate::sql::lexer::TokenKind;

/// The item of a FROM's list that what is named at `at` stands in: from its first byte to the end
/// of its last token. None where the text cannot be followed.
pub(in crate::repair) fn item_around(
    context: &RepairContext<'_>,
    at: usize,
) -> Option<Range<usize>> {
    let from = from_before(context, context.token_at(at)?)?;
    let mut depth = 0_usize;
    let mut item: Option<Range<usize>> = None;
    let mut after_dot = false;
    for token in context.tokens.get(from.checked_add(1)?..)? {
        if token.kind.is_blank() {
            continue;
        }
        let word = context.word(token);
        let ends = match (token.kind, word) {
            (TokenKind::Punctuation, "(" | "[") => {
                depth = depth.checked_add(1)?;
                false
            }
            (TokenKind::Punctuation, ")" | "]") => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    false
                }
                None => true,
            },
            (TokenKind::Punctuation, ";") => true,
            (TokenKind::Punctuation, ",") => {
                if depth == 0 {
                    match &item {
                        Some(found) if found.contains(&at) => return item,
                        _ => item = None,
                    }
                    continue;
                }
                false
            }
            (TokenKind::Word, word) => depth == 0 && !after_dot && is_any(word, ENDS),
            _ => false,
        };
        if ends {
            break;
        }
        after_dot = word == ".";
        let start = item.as_ref().map_or(token.span.start, |item| item.start);
        item = Some(start..token.span.end);
    }
    item.filter(|item| item.contains(&at))
}

/// The end of the last key of the GROUP BY that what begins at `at` stands in.
pub(in crate::repair) fn end_of_group_by(context: &RepairContext<'_>, at: usize) -> Option<usize> {
    let by = group_by_before(context, context.token_at(at)?)?;
    let mut depth = 0_usize;
    let mut end = None;
    let mut after_dot = false;
    for token in context.tokens.get(by.checked_add(1)?..)? {
        if token.kind.is_blank() {
            continue;
        }
        let word = context.word(token);
        match (token.kind, word) {
            (TokenKind::Punctuation, "(" | "[") => depth = depth.checked_add(1)?,
            (TokenKind::Punctuation, ")" | "]") => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            (TokenKind::Punctuation, ";") => break,
            (TokenKind::Word, word) if depth == 0 && !after_dot && is_any(word, ENDS) => break,
            _ => {}
        }
        after_dot = word == ".";
        end = Some(token.span.end);
    }
    end
}

/// The word BY of the GROUP BY that a token stands in.
fn group_by_before(context: &RepairContext<'_>, token: usize) -> Option<usize> {
    let mut closed = 0_usize;
    for place in (0..token).rev() {
        let token = context.tokens.get(place)?;
        match (token.kind, context.word(token)) {
            (TokenKind::Punctuation, ")" | "]") => closed = closed.checked_add(1)?,
            (TokenKind::Punctuation, "(" | "[") => closed = closed.saturating_sub(1),
            (TokenKind::Word, word) if closed == 0 && word.eq_ignore_ascii_case("by") => {
                let before = word_before(context, place)?;
                return is_any(before, &["group"]).then_some(place);
            }
            _ => {}
        }
    }
    None
}

/// The word FROM of the clause that a token stands in.
fn from_before(context: &RepairContext<'_>, token: usize) -> Option<usize> {
    let mut closed = 0_usize;
    for place in (0..token).rev() {
        let token = context.tokens.get(place)?;
        match (token.kind, context.word(token)) {
            (TokenKind::Punctuation, ")" | "]") => closed = closed.checked_add(1)?,
            (TokenKind::Punctuation, "(" | "[") => closed = closed.saturating_sub(1),
            (TokenKind::Word, word) if closed == 0 && word.eq_ignore_ascii_case("from") => {
                // IS DISTINCT FROM compares.
                match word_before(context, place) {
                    Some(word) if is_any(word, &["distinct"]) => {}
                    _ => return Some(place),
                }
            }
            _ => {}
        }
    }
    None
}

fn word_before<'a>(context: &RepairContext<'a>, place: usize) -> Option<&'a str> {
    let before = context.tokens.get(..place)?.iter().rev();
    let token = before.into_iter().find(|token| !token.kind.is_blank())?;
    Some(context.word(token))
}

fn is_any(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// The words that end a FROM. All are reserved: none can be an alias without quotes.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "where", "group", "having", "window", "union", "intersect", "except", "order", "limit",
    "offset", "fetch", "for",
];
