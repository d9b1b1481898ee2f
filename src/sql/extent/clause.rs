//! Where the items of a FROM and the keys of a GROUP BY stand: a tree says where names begin, and
//! nothing of where clauses end.

use std::ops::Range;

use super::{token_at, word};
use crate::lexer::{Token, TokenKind};

/// The item of a FROM's list that what is named at `at` stands in: from its first byte to the end
/// of its last token. None where the text cannot be followed.
pub fn item_around(text: &str, tokens: &[Token], at: usize) -> Option<Range<usize>> {
    // IS DISTINCT FROM compares.
    let from = keyword_before(text, tokens, token_at(tokens, at)?, "from", |before| {
        (!before.is_some_and(|word| word.eq_ignore_ascii_case("distinct"))).then_some(true)
    })?;
    let mut item: Option<Range<usize>> = None;
    for (depth, token) in clause_after(text, tokens, from)? {
        if depth == 0 && token.kind == TokenKind::Punctuation && word(text, token) == "," {
            match &item {
                Some(found) if found.contains(&at) => return item,
                _ => item = None,
            }
            continue;
        }
        let start = item.as_ref().map_or(token.span.start, |item| item.start);
        item = Some(start..token.span.end);
    }
    item.filter(|item| item.contains(&at))
}

/// The end of the last key of the GROUP BY that what begins at `at` stands in.
pub fn end_of_group_by(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let by = keyword_before(text, tokens, token_at(tokens, at)?, "by", |before| {
        Some(before.is_some_and(|word| word.eq_ignore_ascii_case("group")))
    })?;
    let last = clause_after(text, tokens, by)?.pop();
    last.map(|(_, token)| token.span.end)
}

/// The tokens of a clause behind its keyword, each with how many parentheses are open before it.
fn clause_after<'t>(
    text: &str,
    tokens: &'t [Token],
    keyword: usize,
) -> Option<Vec<(usize, &'t Token)>> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut after_dot = false;
    let behind = tokens.get(keyword.checked_add(1)?..)?;
    for token in behind.iter().filter(|token| !token.kind.is_blank()) {
        let before = depth;
        let word = word(text, token);
        match (token.kind, word) {
            (TokenKind::Punctuation, "(" | "[") => depth = depth.checked_add(1)?,
            (TokenKind::Punctuation, ")" | "]") => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            (TokenKind::Punctuation, ";") => break,
            (TokenKind::Word, word) if depth == 0 && !after_dot && ends_clause(word) => break,
            _ => {}
        }
        after_dot = word == ".";
        found.push((before, token));
    }
    Some(found)
}

/// The nearest keyword before a token, outside of the parentheses that are closed by then.
/// `decide` is told the word before one, and says whether it is the one, ends the search, or is
/// passed over.
fn keyword_before(
    text: &str,
    tokens: &[Token],
    token: usize,
    keyword: &str,
    decide: impl Fn(Option<&str>) -> Option<bool>,
) -> Option<usize> {
    let mut closed = 0_usize;
    for place in (0..token).rev() {
        let token = tokens.get(place)?;
        match (token.kind, word(text, token)) {
            (TokenKind::Punctuation, ")" | "]") => closed = closed.checked_add(1)?,
            (TokenKind::Punctuation, "(" | "[") => closed = closed.saturating_sub(1),
            (TokenKind::Word, word) if closed == 0 && word.eq_ignore_ascii_case(keyword) => {
                if let Some(is_it) = decide(word_before(text, tokens, place)) {
                    return is_it.then_some(place);
                }
            }
            _ => {}
        }
    }
    None
}

fn word_before<'t>(text: &'t str, tokens: &[Token], place: usize) -> Option<&'t str> {
    let mut before = tokens.get(..place)?.iter().rev();
    let token = before.find(|token| !token.kind.is_blank())?;
    Some(word(text, token))
}

fn ends_clause(word: &str) -> bool {
    ENDS.iter().any(|end| word.eq_ignore_ascii_case(end))
}

/// The words that end a FROM. All are reserved: none can be an alias without quotes.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "where", "group", "having", "window", "union", "intersect", "except", "order", "limit",
    "offset", "fetch", "for",
];
