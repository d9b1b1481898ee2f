//! Sentences in one line with the statement: behind it, or between a SELECT and the statement that
//! the sentence speaks of.
//!
//! Whoever has a model go on from the word SELECT, and joins the lines of its answer, sends these.

use super::prose::begins_statement;
use super::{BoundedParser, PeeledLayer};
use ground::limits;
use sql::lexer::{self, TokenKind};

/// The statement, where a sentence follows it in the same line.
pub(in crate::preprocessors) fn behind(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    PeeledLayer::inside(head(text, reader)?, AFTER)
}

/// The statement behind a SELECT that is followed by a sentence.
pub(in crate::preprocessors) fn before(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    let text = text.trim_start();
    let word = lexer::tokens(text).next()?;
    let first = text.get(word.span.clone())?;
    let said = text.get(word.span.end..)?;
    if !first.eq_ignore_ascii_case("select") || !goes_on_as_sentence(said) {
        return None;
    }
    let mut starts = Vec::new();
    for (place, _) in text.match_indices(is_capital).skip(1) {
        let (Some(prose), Some(rest)) = (text.get(word.span.end..place), text.get(place..)) else {
            continue;
        };
        if starts.len() < limits::UNWRAP_PLACES_MAX
            && (rest.starts_with("SELECT ") || rest.starts_with("WITH "))
            && ends_sentence(prose)
            && common_words(prose, SENTENCE_WORDS) >= COMMON_WORDS_MIN
        {
            starts.push((prose, rest));
        }
    }
    let found = starts
        .iter()
        .find_map(|(_, rest)| match reader.is_one(rest) {
            true => Some(*rest),
            false => head(rest, reader),
        });
    // A foreign statement reads as nothing: behind a colon, the only place is where it begins.
    let foreign = || match starts.as_slice() {
        [(prose, rest)] if without_tag(prose).ends_with(':') && !prose.contains('=') => Some(*rest),
        _ => None,
    };
    PeeledLayer::inside(found.or_else(foreign)?, BEFORE)
}

/// Whether a sentence follows a SELECT, and no list of what it returns.
fn goes_on_as_sentence(text: &str) -> bool {
    let near = text.floor_char_boundary(BEGINNING_BYTES.min(text.len()));
    let mut words = text.get(..near).unwrap_or_default().split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_clause = |word: &str| {
        ["from", "as"]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(word))
    };
    common_words(first, 1) == 1 && !first.contains(',') && !words.next().is_some_and(is_clause)
}

/// The beginning of a text that is one statement, with a sentence after it.
fn head<'t>(text: &'t str, reader: &mut BoundedParser) -> Option<&'t str> {
    if !begins_statement(text) {
        return None;
    }
    let mut tries = 0_usize;
    // No sentence begins in a literal or a comment.
    for token in lexer::tokens(text).filter(|token| token.kind == TokenKind::Word) {
        let (Some(head), Some(tail)) = (text.get(..token.span.start), text.get(token.span.start..))
        else {
            continue;
        };
        // SELECT alone reads as a statement.
        if !begins_sentence(tail) || head.split_whitespace().nth(1).is_none() {
            continue;
        }
        tries = tries.saturating_add(1);
        if tries > limits::UNWRAP_PLACES_MAX {
            return None;
        }
        if reader.is_one(head) {
            return (!holds_statement(tail)).then_some(head);
        }
    }
    None
}

/// Whether a sentence begins here: with a word that sentences begin with, or with a label, and
/// with words near it that no clause of SQL has.
fn begins_sentence(text: &str) -> bool {
    if !text.starts_with(is_capital) {
        return false;
    }
    let near = text.floor_char_boundary(BEGINNING_BYTES.min(text.len()));
    let text = text.get(..near).unwrap_or_default();
    let first = text.split_whitespace().next().unwrap_or_default();
    let label = first.strip_suffix(':').unwrap_or_default();
    let is_label = !label.is_empty() && label.chars().all(char::is_alphabetic);
    let begins = |opener: &&str| {
        let (head, rest) = text.split_at_checked(opener.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(opener)
            && rest.starts_with(|c: char| c.is_whitespace() || c == ',')
    };
    (is_label || OPENERS.iter().any(begins)) && common_words(text, FIRST_WORDS) >= COMMON_WORDS_MIN
}

/// Whether what is said of a statement has another one in it.
fn holds_statement(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_read = words.any(|word| word == "SELECT") && words.any(|word| word == "FROM");
    is_read || text.split(';').skip(1).any(begins_statement)
}

/// Whether a text ends as a sentence does, before a statement.
fn ends_sentence(text: &str) -> bool {
    without_tag(text).ends_with([':', '.', '!'])
}

/// A text without the tag of a statement that is to follow.
fn without_tag(text: &str) -> &str {
    let text = text.trim_end();
    let bare = text.strip_suffix("sql").unwrap_or(text);
    bare.trim_end_matches(|c: char| c.is_whitespace() || c == '`')
}

/// How many of the first words are words of sentences alone.
fn common_words(text: &str, first: usize) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words = words.filter(|word| !word.is_empty()).take(first);
    let known = words.filter(|word| COMMON.iter().any(|one| one.eq_ignore_ascii_case(word)));
    known.count()
}

fn is_capital(letter: char) -> bool {
    letter.is_ascii_uppercase()
}

const AFTER: &str = "text after the statement";
const BEFORE: &str = "text before the statement";

/// A sentence is known by so much of it.
const BEGINNING_BYTES: usize = 300;

/// So many words of sentences make one.
const COMMON_WORDS_MIN: usize = 3;

/// They stand among so many words at its beginning.
const FIRST_WORDS: usize = 12;

/// They stand among so many words before a statement.
const SENTENCE_WORDS: usize = 60;

/// What sentences about a statement begin with.
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "this", "the", "it", "here", "these", "note that", "in this query", "in the query", "i will",
    "i have", "i am", "we", "you", "please", "to get", "to find", "if you", "first", "explanation",
];

/// Words that are common in sentences, and that no clause of SQL is likely to have.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "the", "this", "that", "to", "of", "is", "are", "it", "an", "query", "statement", "which",
    "returns", "return", "will", "would", "can", "uses", "use", "using", "we", "you", "i", "need",
    "answer", "question", "result", "here", "here's", "following", "find", "finds", "selects",
    "first", "then", "only", "your", "these", "each", "for", "gives", "lists", "shows", "above",
    "retrieves", "selecting", "select",
];
