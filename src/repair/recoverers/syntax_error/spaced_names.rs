//! Names that are no words, written bare: `Free Meal Count (K-12)`, `"Order" Items`; and names with
//! underscores, written with blanks.
//!
//! Only names of relations that the text names, of their columns, and those that the text has in
//! quotes elsewhere; the longest first.

use std::collections::HashSet;

use super::edited_text::EditedText;
use super::mentioned_names::{MentionedNames, is_plain};
use super::token_repair::{TokenRepair, edit, token_repair};
use crate::names::letter_case::{folded, in_quotes};
use catalog::quote::quoted;
use ground::limits;
use sql::edit::TextEdit;
use sql::lexer::{Token, TokenKind};

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    // What the text itself calls so is a name as well.
    let own: Vec<String> = edited.quoted_names().collect();
    let names = odd_names(known.names().chain(own.iter().map(String::as_str)));
    let odd = quoted_names(edited, &names);
    odd.or_else(|| underscored_names(edited, known))
}

/// Names that have to be quoted.
fn quoted_names(edited: &EditedText, names: &[&str]) -> Option<TokenRepair> {
    let comparisons = names.len().saturating_mul(edited.tokens.len());
    if names.is_empty() || comparisons > limits::SYNTAX_COMPARISONS_MAX {
        return None;
    }
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut passed = 0_usize;
    for (place, token) in edited.tokens.iter().enumerate() {
        if token.span.start < passed || !can_begin(token) || is_whole(edited, place, names) {
            continue;
        }
        if let Some((end, name)) = longest(&edited.text, &edited.tokens, place, names) {
            edits.push(edit(token.span.start..end, in_quotes(name)));
            passed = end;
        }
    }
    token_repair(
        edits,
        "names that are no words are quoted as the database spells them",
    )
}

/// Names of words with underscores between them, written with blanks: `Unit Price`.
fn underscored_names(edited: &EditedText, known: &MentionedNames<'_>) -> Option<TokenRepair> {
    let spelled = known.names().filter_map(|name| {
        let words: Vec<&str> = name.split('_').collect();
        let ends = [words.first(), words.last()];
        let is_clause = ends
            .into_iter()
            .flatten()
            .any(|word| CLAUSES.iter().any(|one| one.eq_ignore_ascii_case(word)));
        let are_names = words.iter().all(|word| known.has(word));
        let is_plain = words.len() > 1 && words.iter().all(|word| !word.is_empty());
        (is_plain && !is_clause && !are_names).then(|| (words.join(" "), name))
    });
    let mut spelled: Vec<(String, &str)> = spelled.collect();
    spelled.sort();
    spelled.dedup();
    let blank: Vec<&str> = spelled.iter().map(|(blank, _)| blank.as_str()).collect();
    if blank.is_empty()
        || blank.len().saturating_mul(edited.tokens.len()) > limits::SYNTAX_COMPARISONS_MAX
    {
        return None;
    }
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut passed = 0_usize;
    for (place, token) in edited.tokens.iter().enumerate() {
        if token.span.start < passed || token.kind != TokenKind::Word {
            continue;
        }
        if let Some((end, found)) = longest(&edited.text, &edited.tokens, place, &blank)
            && let Some((_, name)) = spelled.iter().find(|(blank, _)| blank == found)
        {
            edits.push(edit(token.span.start..end, quoted(name).into_owned()));
            passed = end;
        }
    }
    token_repair(
        edits,
        "names are written with the underscores that they have",
    )
}

/// The names among these that have to be quoted for more than their case, longest first. One that
/// could be an expression over the others is left out.
pub(crate) fn odd_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let names: Vec<&str> = names.collect();
    let lower: HashSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let mut odd: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !is_plain(&folded(name)) && name.chars().any(char::is_alphanumeric))
        .filter(|name| {
            let mut words = name
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty());
            !words.all(|word| lower.contains(&word.to_lowercase()))
        })
        .collect();
    odd.sort_by_key(|name| std::cmp::Reverse(name.len()));
    odd.dedup();
    odd
}

/// The longest name that the text has at a token, and where it ends there.
pub(crate) fn longest<'n>(
    text: &str,
    tokens: &[Token],
    place: usize,
    names: &[&'n str],
) -> Option<(usize, &'n str)> {
    let start = tokens.get(place)?.span.start;
    let rest = text.get(start..)?;
    let mut found: Option<(usize, &'n str)> = None;
    for name in names {
        let Some(taken) = spelled_at(rest, name) else {
            continue;
        };
        let end = start.saturating_add(taken);
        // It ends where a token ends: `Free Meals` is not there in `Free MealsServed`.
        let after = tokens.partition_point(|token| token.span.end < end);
        let ends = tokens.get(after).is_some_and(|token| token.span.end == end);
        if !ends {
            continue;
        }
        match found {
            None => found = Some((end, name)),
            // The same name in two cases: the one that is written, or none.
            Some((known, other)) if known == end && other != *name => {
                let written = rest.get(..taken).unwrap_or_default();
                if *name == written {
                    found = Some((end, name));
                } else if other != written {
                    return None;
                }
            }
            Some((known, _)) if known < end => found = Some((end, name)),
            Some(_) => {}
        }
    }
    found
}

/// How many bytes of a text spell a name, if it begins with it: whatever the case, the space
/// between words, and quotes around some of them.
fn spelled_at(text: &str, name: &str) -> Option<usize> {
    let mut letters = text.char_indices().peekable();
    let mut wanted = name.chars().peekable();
    let (mut end, mut quotes) = (0_usize, 0_usize);
    while let Some(want) = wanted.next() {
        while letters.next_if(|(_, letter)| *letter == '"').is_some() {
            quotes = quotes.saturating_add(1);
        }
        if want.is_whitespace() {
            while wanted.next_if(|letter| letter.is_whitespace()).is_some() {}
            let mut passed = 0_usize;
            while letters
                .next_if(|(_, letter)| letter.is_whitespace())
                .is_some()
            {
                passed = passed.saturating_add(1);
            }
            if passed == 0 {
                return None;
            }
            continue;
        }
        let (at, letter) = letters.next()?;
        if !letter.to_lowercase().eq(want.to_lowercase()) {
            return None;
        }
        end = at.saturating_add(letter.len_utf8());
    }
    if !quotes.is_multiple_of(2) {
        let (at, _) = letters.next_if(|(_, letter)| *letter == '"')?;
        end = at.saturating_add(1);
    }
    Some(end)
}

fn can_begin(token: &Token) -> bool {
    matches!(
        token.kind,
        TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::Number
            | TokenKind::JunkNumber
            | TokenKind::Operator
    )
}

/// Words of clauses: a name that begins or ends with one may be a clause beside another name.
#[rustfmt::skip]
const CLAUSES: &[&str] = &[
    "select", "from", "where", "group", "order", "by", "having", "limit", "offset", "union", "join",
    "left", "right", "inner", "outer", "full", "cross", "on", "using", "as", "and", "or", "not", "is",
    "null", "in", "like", "between", "case", "when", "then", "else", "end", "all", "any", "distinct",
    "asc", "desc", "over", "with", "exists", "true", "false", "interval", "date", "time", "timestamp",
];

/// Whether a token is one of the names already, in its quotes.
fn is_whole(edited: &EditedText, place: usize, names: &[&str]) -> bool {
    edited.kind(place) == Some(TokenKind::QuotedName)
        && names
            .iter()
            .any(|name| in_quotes(name) == edited.word(place))
}
