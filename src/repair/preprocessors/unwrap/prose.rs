//! Prose before or after the only statement.

use super::{BoundedParser, PeeledLayer};
use ground::edit_distance::with_swaps;
use ground::limits;
use sql::lexer::{self, TokenKind};

/// Semicolons, backticks and the like after the statement.
pub(in crate::preprocessors) fn ends(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || "`;\\\"*".contains(c));
    if !text.get(bare.len()..).is_some_and(is_noise) {
        return None;
    }
    // What ends a statement for a client program stands in a line of its own.
    let batch = bare.rsplit_once('\n').filter(|(_, last)| {
        let last = last.trim();
        last.eq_ignore_ascii_case("go") || last == "/"
    });
    let bare = batch.map_or(bare, |(statement, _)| statement);
    let cut = bare.len() < text.trim_end().len();
    let is_whole = words(bare).take(2).count() == 2;
    (cut && is_whole && begins_statement(bare) && reader.is_one(bare))
        .then(|| PeeledLayer::inside(bare, "signs after the end"))?
}

/// Whether signs after a statement mean nothing: they stand behind its semicolon, or it is a single
/// one. A pair of quotes may be an empty name or string, and an asterisk multiplies.
fn is_noise(signs: &str) -> bool {
    let mut signs = signs.chars().filter(|sign| !sign.is_whitespace());
    match signs.next() {
        None | Some(';') => true,
        Some('*') => false,
        Some(_) => signs.all(|sign| sign == ';'),
    }
}

/// The statement, where nothing but prose follows.
pub(in crate::preprocessors) fn after(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    let head = head_of(text, reader)?;
    PeeledLayer::inside(head, AFTER)
}

/// The statement, where nothing but prose stands before it.
pub(in crate::preprocessors) fn before(
    text: &str,
    reader: &mut BoundedParser,
) -> Option<PeeledLayer> {
    if begins_statement(text) {
        return None;
    }
    let mut found: Option<&str> = None;
    let mut places = 0_usize;
    for (place, _) in starts(text).take(limits::UNWRAP_PLACES_MAX) {
        let (Some(prose), Some(rest)) = (text.get(..place), text.get(place..)) else {
            continue;
        };
        places = places.saturating_add(1);
        if !is_prose(prose) {
            continue;
        }
        let statement = match reader.is_one(rest) {
            true => Some(rest),
            false => head_of(rest, reader),
        };
        // A part of the statement reads as one as well: a sub-select in a line of its own.
        let is_part = |found: &str| found.contains(rest);
        match (statement, found) {
            (Some(statement), None) => found = Some(statement),
            (Some(_), Some(found)) if !is_part(found) => return None,
            _ => {}
        }
    }
    // A foreign statement reads as nothing: the only place where one can begin is it.
    let foreign = || {
        let (place, _) = starts(text).next().filter(|_| places == 1)?;
        let prose = text.get(..place)?;
        (is_prose(prose) && prose.trim_end().ends_with(':')).then(|| text.get(place..))?
    };
    PeeledLayer::inside(found.or_else(foreign)?, BEFORE)
}

/// Whether a statement may begin here.
pub(in crate::preprocessors) fn begins_statement(text: &str) -> bool {
    let near = text.floor_char_boundary(BEGINNING_BYTES.min(text.len()));
    let text = text.get(..near).unwrap_or_default();
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let word = first_word(text);
    STARTERS.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether a text begins as a statement does, but for a letter or two: what it would do is not
/// known, so it is no prose.
fn begins_misspelt(text: &str) -> bool {
    let letters = |word: &str| -> Vec<char> { word.to_lowercase().chars().collect() };
    let first = first_word(text);
    if first.len() < MISSPELT_BYTES_MIN || first.len() > BEGINNING_BYTES {
        return false;
    }
    let first = letters(first);
    STARTERS.iter().any(|one| {
        let most = one.len().saturating_sub(MISSPELT_BYTES_MIN);
        let most = most.min(MISSPELT_LETTERS_MAX);
        most > 0
            && one.len().abs_diff(first.len()) <= most
            && with_swaps(&first, &letters(one)) <= most
    })
}

/// Whether what follows a statement may belong to it.
pub(in crate::preprocessors) fn continues_statement(text: &str) -> bool {
    let text = text.trim_start();
    let word = first_word(text);
    text.starts_with(['(', ')', ',', '=', '<', '+', '\'', '"', '[', ']'])
        || CONTINUES.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// The beginning of a text that is one statement, with prose after it.
fn head_of<'t>(text: &'t str, reader: &mut BoundedParser) -> Option<&'t str> {
    let semicolon = lexer::tokens(text).find(|token| {
        token.kind == TokenKind::Punctuation && text.get(token.span.clone()) == Some(";")
    });
    if let Some(semicolon) = semicolon {
        let head = text.get(..semicolon.span.start)?;
        let tail = text.get(semicolon.span.end..)?.trim();
        let is_other = !tail.is_empty() && !begins_statement(tail) && !continues_statement(tail);
        let is_told = is_labelled(tail) || is_prose(tail);
        return (is_other && is_told && reader.is_one(head)).then_some(head);
    }
    let breaks = text.match_indices("\n").take(limits::UNWRAP_LINES_MAX);
    let mut tries = 0_usize;
    for (at, _) in breaks {
        let (head, tail) = (text.get(..at)?, text.get(at..)?);
        let blank = tail.get(1..).is_some_and(|rest| {
            rest.lines()
                .next()
                .is_some_and(|line| line.trim().is_empty())
        });
        let tail = tail.trim();
        let labelled = is_labelled(tail);
        if tail.is_empty() || !(blank || labelled) {
            continue;
        }
        if begins_statement(tail) || continues_statement(tail) || !(labelled || is_prose(tail)) {
            continue;
        }
        tries = tries.saturating_add(1);
        if tries > limits::UNWRAP_PLACES_MAX {
            return None;
        }
        if reader.is_one(head) {
            return Some(head);
        }
    }
    None
}

/// Where a statement may begin: at the beginning of a line, or after a colon.
fn starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fresh = true;
    text.char_indices().filter_map(move |(at, letter)| {
        let here = fresh && !letter.is_whitespace();
        fresh = letter == '\n' || letter == ':' || fresh && letter.is_whitespace();
        let rest = text.get(at..)?;
        (here && begins_statement(rest)).then_some((at, rest))
    })
}

/// Whether a text is prose: it begins with no word of SQL and has words of a sentence.
fn is_prose(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    if begins_statement(text) || continues_statement(text) || begins_misspelt(text) {
        return false;
    }
    let is_of_sentences = |word: &&str| {
        let mut known = SENTENCES.iter();
        known.any(|one| one.eq_ignore_ascii_case(word))
    };
    let first = words(text).next().filter(is_of_sentences);
    let sentence = words(text).take(WORDS_LOOKED_AT).filter(is_of_sentences);
    first.is_some() || sentence.take(2).count() == 2
}

/// Whether a text begins with a label as chains of prompts have it.
fn is_labelled(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '#', ' ', '\n', '\r']);
    let word = first_word(text);
    let rest = text.get(word.len()..).unwrap_or_default();
    let rest = rest.trim_start_matches('*');
    rest.starts_with(':')
        && !rest.starts_with("::")
        && LABELS.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| !word.is_empty())
}

const AFTER: &str = "text after the statement";
const BEFORE: &str = "text before the statement";

/// How far a statement's first word can stand behind spaces and parentheses.
const BEGINNING_BYTES: usize = 1_000;

/// Words shorter than that are too near to others.
const MISSPELT_BYTES_MIN: usize = 4;

/// Letters in which a misspelt word differs.
const MISSPELT_LETTERS_MAX: usize = 2;

/// How much of a text is read to know whether it is prose.
const WORDS_LOOKED_AT: usize = 40;

/// The words that statements begin with, of Postgres and of others.
const STARTERS: &[&str] = &[
    "select",
    "with",
    "values",
    "table",
    "explain",
    "show",
    "insert",
    "update",
    "delete",
    "merge",
    "create",
    "alter",
    "drop",
    "truncate",
    "grant",
    "revoke",
    "copy",
    "begin",
    "commit",
    "rollback",
    "declare",
    "fetch",
    "set",
    "reset",
    "prepare",
    "execute",
    "call",
    "do",
    "lock",
    "vacuum",
    "analyze",
    "analyse",
    "describe",
    "desc",
    "pragma",
    "use",
    "replace",
    "upsert",
    "from",
    "exec",
    "start",
    "end",
    "savepoint",
    "release",
    "listen",
    "notify",
    "unlisten",
    "discard",
    "deallocate",
    "refresh",
    "reindex",
    "cluster",
    "comment",
    "security",
    "import",
    "load",
    "checkpoint",
    "move",
    "close",
    "reassign",
    "abort",
];

/// The words that a statement can go on with.
const CONTINUES: &[&str] = &[
    "where",
    "and",
    "or",
    "not",
    "limit",
    "offset",
    "fetch",
    "union",
    "intersect",
    "except",
    "order",
    "group",
    "having",
    "join",
    "left",
    "right",
    "full",
    "inner",
    "outer",
    "cross",
    "natural",
    "on",
    "using",
    "from",
    "as",
    "window",
    "for",
    "into",
    "returning",
    "qualify",
    "top",
    "between",
    "like",
    "ilike",
    "in",
    "is",
    "then",
    "else",
    "when",
    "end",
    "case",
    "over",
    "filter",
    "within",
    "partition",
    "rows",
    "range",
    "desc",
    "asc",
    "nulls",
    "lateral",
    "select",
    "minus",
    "collate",
    "tablesample",
    "only",
    "with",
    "all",
    "distinct",
    "exists",
    "null",
];

/// Words of sentences, which no part of a statement is likely to be.
#[rustfmt::skip]
const SENTENCES: &[&str] = &[
    "here", "here's", "this", "the", "following", "query", "sql", "answer", "you", "can", "we",
    "i'll", "i've", "below", "result", "results", "sure", "certainly", "let's", "note", "that",
    "explanation", "will", "returns", "based", "hope", "please", "these", "statement", "would",
    "should", "assuming", "your",
];

/// Labels of what follows a statement.
const LABELS: &[&str] = &[
    "sqlresult",
    "result",
    "results",
    "answer",
    "explanation",
    "note",
    "notes",
    "output",
    "question",
    "observation",
    "thought",
    "reasoning",
    "assumptions",
    "confidence",
    "rationale",
];
