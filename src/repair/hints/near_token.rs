//! What can be said of the place that the grammar stopped at, for a text in which no known mistake
//! was found.

use crate::context::tokens_of;
use catalog::quote::quoted;
use ground::edit_distance::with_swaps;
use sql::extent::word;
use sql::lexer::{Token, TokenKind};

/// What stands around the place.
struct ErrorPlace<'t> {
    /// The token that the grammar did not expect; none at the end.
    near: Option<&'t str>,
    /// The ones before it, the nearest first.
    before: Vec<&'t str>,
    /// The first of all.
    first: &'t str,
}

/// What to do about a syntax error at a byte of a text.
pub(super) fn advice(text: &str, position: Option<usize>) -> Option<String> {
    let tokens = tokens_of(text);
    let solid: Vec<&Token> = tokens.iter().filter(|one| !one.kind.is_blank()).collect();
    let place = position.unwrap_or(text.len());
    let at = solid.partition_point(|token| token.span.end <= place);
    let of = |number: Option<usize>| {
        let token = number.and_then(|number| solid.get(number))?;
        (token.span.len() <= SHOWN_BYTES_MAX).then(|| word(text, token))
    };
    let place = ErrorPlace {
        near: of(Some(at)),
        before: (1..=BEFORE_MAX)
            .map_while(|back| of(at.checked_sub(back)))
            .collect(),
        first: of(Some(0)).unwrap_or_default(),
    };
    let is_literal = solid.get(at).is_some_and(|token| is_value(token.kind));
    Some(place.advice(is_literal))
}

impl ErrorPlace<'_> {
    fn advice(&self, is_literal: bool) -> String {
        let last = self.before.first().copied().unwrap_or_default();
        let mut begins = rows().filter(|(before, ..)| *before == BEGINNING);
        if let Some((.., advice)) = begins.find(|(_, first, _)| is(self.first, first)) {
            return advice.to_owned();
        }
        let Some(near) = self.near else {
            return self.unfinished(last);
        };
        if self.before.is_empty() {
            return format!(
                "A statement begins with SELECT, WITH, VALUES or EXPLAIN, and not with {}: send the \
                 SQL alone, without any text around it.",
                shown(near, is_literal)
            );
        }
        let found = rows().find(|(before, own, _)| {
            (before.is_empty() || is(last, before)) && (own.is_empty() || is(near, own))
        });
        if let Some((.., advice)) = found {
            return advice.to_owned();
        }
        if let Some(keyword) = self.misspelt(near, last) {
            return keyword;
        }
        if let Some(advice) = self.of_name(near, last) {
            return advice;
        }
        format!(
            "The grammar stops at {}, behind {}: look for a comma, operator, keyword or quote that is \
             missing between them, or one too many.",
            shown(near, is_literal),
            shown(last, last.starts_with('\''))
        )
    }

    /// The end of the text, where something has to follow.
    fn unfinished(&self, last: &str) -> String {
        let mut rows = ENDS.iter();
        let found = rows.find(|(word, _)| is(last, word));
        let is_joined = self.before.iter().any(|word| is(word, "join"));
        match found {
            _ if ["?", "#", "%"].contains(&last) => PLACEHOLDER.to_owned(),
            Some((_, what)) => format!("The statement ends behind {last}, where {what} follows."),
            None if self.before.iter().any(|word| is(word, "between")) => {
                "BETWEEN takes two values: x BETWEEN a AND b.".to_owned()
            }
            None if is_joined => {
                "Every JOIN but CROSS JOIN has a condition: ON a.x = b.y, or USING (x).".to_owned()
            }
            None => format!(
                "The statement ends in the middle, behind {}: write the rest of it.",
                shown(last, last.starts_with('\''))
            ),
        }
    }

    /// A word that is nearly a keyword, and stands where one is missing.
    fn misspelt(&self, near: &str, last: &str) -> Option<String> {
        let own = [Some(near), Some(last), self.before.get(1).copied()];
        own.into_iter().enumerate().find_map(|(place, word)| {
            let word = word?;
            let before = self.before.get(place).copied().unwrap_or_default();
            let is_name = NAMES_BEHIND.iter().any(|own| is(before, own));
            if is_name || is_reserved(&word.to_ascii_lowercase()) {
                return None;
            }
            let keyword = KEYWORDS.iter().find(|keyword| is_nearly(word, keyword))?;
            Some(format!(
                "{word} looks like the keyword {}: write that, or, if it is a name, put a comma or an \
                 operator beside it.",
                keyword.to_ascii_uppercase()
            ))
        })
    }

    /// A keyword where a name stands, or a name where none does.
    fn of_name(&self, near: &str, last: &str) -> Option<String> {
        let expects_name = NAME_EXPECTED.iter().any(|word| is(last, word));
        if is_reserved(&near.to_ascii_lowercase()) && expects_name {
            let name = quoted(&near.to_ascii_lowercase()).into_owned();
            return Some(match CLAUSES.iter().any(|clause| is(near, clause)) {
                true => format!(
                    "Something is missing between {last} and {near}, or {last} is one too many; as a \
                     name it is written {name}."
                ),
                false => format!(
                    "{near} is a reserved word: as a name it is written in double quotes, {name}."
                ),
            });
        }
        if is_reserved(&last.to_ascii_lowercase()) && !CLAUSES.iter().any(|clause| is(last, clause))
        {
            let name = quoted(&last.to_ascii_lowercase()).into_owned();
            return Some(format!(
                "{last} is a reserved word, and {} does not follow it: as a name it is written in \
                 double quotes, {name}.",
                shown(near, false)
            ));
        }
        let is_word = |word: &str| word.starts_with(|letter: char| letter.is_alphabetic());
        (is_word(near) && is_word(last) && !is_reserved(&near.to_ascii_lowercase())).then(|| {
            format!(
                "{near} cannot follow {last}: write a comma or an operator between them, AS before a \
                 new name, or double quotes around a name with a blank, \"{last} {near}\"."
            )
        })
    }
}

/// Whether a word is a name only in double quotes.
fn is_reserved(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_alphabetic()) && quoted(word).starts_with('"')
}

/// A token for a sentence: what is in literals is not shown.
fn shown(token: &str, is_literal: bool) -> String {
    match is_literal {
        true => "a literal".to_owned(),
        false => token.to_owned(),
    }
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn is_value(kind: TokenKind) -> bool {
    !matches!(
        kind,
        TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::Operator
            | TokenKind::Punctuation
            | TokenKind::Number
            | TokenKind::Parameter
    )
}

/// Whether a word differs from a keyword in one letter, or in two that changed places.
fn is_nearly(word: &str, keyword: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if word.len().abs_diff(keyword.len()) > 1 || word.len() < LETTERS_MIN {
        return false;
    }
    let letters = |text: &str| -> Vec<char> { text.chars().collect() };
    with_swaps(&letters(&word), &letters(keyword)) == 1
}

/// The rows of `near_token.txt`.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("near_token.txt").lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with("# "));
    rows.filter_map(|line| {
        let mut parts = line.splitn(3, '\t');
        Some((parts.next()?, parts.next()?, parts.next()?))
    })
}

/// What stands for the word before the first.
const BEGINNING: &str = "^";

const PLACEHOLDER: &str = "Postgres has $1, $2 for parameters: send the values with the statement, or \
     write them into it as literals.";

/// What follows a word that a text ends with.
const ENDS: &[(&str, &str)] = &[
    ("select", "a list of columns"),
    ("from", "a table"),
    ("join", "a table and its condition"),
    ("on", "a condition"),
    ("where", "a condition"),
    ("and", "a condition"),
    ("or", "a condition"),
    ("not", "a condition"),
    ("having", "a condition"),
    ("by", "a column"),
    ("limit", "a number"),
    ("offset", "a number"),
    ("like", "a pattern"),
    ("union", "a SELECT"),
    ("all", "a SELECT"),
    ("intersect", "a SELECT"),
    ("except", "a SELECT"),
    ("with", "a query, name AS (SELECT …),"),
    ("as", "a name or a query in parentheses"),
    ("in", "a list in parentheses"),
    ("(", "the rest and a closing parenthesis"),
    (",", "one more item"),
    ("=", "a value"),
    ("<", "a value"),
    (">", "a value"),
    ("escape", "a character such as '!'"),
];

/// Words that a name or an expression follows.
const NAME_EXPECTED: &[&str] = &[
    "select", "from", "join", "where", "and", "or", "on", "by", "as", ",", "(", ".", "=", "<", ">",
    "+", "-", "*", "/", "having", "distinct", "not", "||",
];

/// Words that a name follows, and nothing else.
const NAMES_BEHIND: &[&str] = &["from", "join", "as", ",", "."];

/// Words that begin a clause.
const CLAUSES: &[&str] = &[
    "select", "from", "where", "group", "having", "order", "limit", "offset", "union", "join",
    "on", "and", "or", "as", "by", "with", "when", "then", "else", "case",
];

/// What is misspelt most.
const KEYWORDS: &[&str] = &[
    "select",
    "from",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "union",
    "distinct",
    "between",
    "join",
    "inner",
    "outer",
    "left",
    "right",
    "cross",
    "like",
    "ilike",
    "case",
    "when",
    "then",
    "else",
    "over",
    "partition",
    "with",
    "exists",
    "null",
    "desc",
    "fetch",
    "intersect",
    "except",
    "values",
    "interval",
    "and",
    "not",
    "in",
    "is",
    "as",
    "by",
    "on",
];

/// How many tokens before the place are looked at.
const BEFORE_MAX: usize = 12;

/// Longer tokens are not shown.
const SHOWN_BYTES_MAX: usize = 63;

/// Shorter words are near to too many.
const LETTERS_MIN: usize = 4;
