//! A check for tests: the laws of what a refusal says (the head of `session::reply` lists them),
//! checked on every statement that a test has a rule refuse, the examples in the rules' docs among
//! them.

use crate::{Refusal, Rule, settings};
use ground::limits::FIRST_LINE_CHARACTERS_MAX;
use sql::lexer::{TokenKind, tokens};

/// Checks the words of a refusal of a statement.
pub(super) fn check(sql: &str, refusal: &Refusal) {
    let shown = || format!("{}\n  {}\n  {}", sql, refusal.message, refusal.hint);
    assert!(!refusal.message.is_empty() && !refusal.hint.is_empty());
    if refusal.rule != Rule::SyntaxError {
        assert!(names_something(sql, refusal), "names nothing: {}", shown());
        assert_eq!(quoted_literal(sql, refusal), None, "a literal: {}", shown());
    }
    let length = refusal.message.chars().count();
    let longest = tokens(sql).map(|token| token.span.len()).max();
    if longest.is_some_and(|longest| longest <= ORDINARY_NAME_BYTES_MAX) {
        assert!(length <= FIRST_LINE_CHARACTERS_MAX, "{length}: {}", shown());
    }
    let first = refusal.message.chars().next();
    assert!(!refusal.message.ends_with('.'), "a full stop: {}", shown());
    assert!(!first.is_some_and(char::is_whitespace), "{}", shown());
    assert!(refusal.hint.ends_with('.'), "no full stop: {}", shown());
    let verb = refusal
        .hint
        .split([' ', ';', ':'])
        .next()
        .unwrap_or_default();
    assert!(ACTIONS.contains(&verb), "no action: {}", shown());
    for other in CHANGES_AN_ANSWER {
        assert!(!refusal.hint.contains(other), "another answer: {}", shown());
    }
}

/// Whether the first line has a word of the statement in it, or of what it may not do.
fn names_something(sql: &str, refusal: &Refusal) -> bool {
    let message = refusal.message.to_lowercase();
    let own: Vec<&str> = message
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .collect();
    // In set_config the name of a setting is a literal.
    let of_setting = matches!(
        refusal.rule,
        Rule::Settings | Rule::SetConfig | Rule::SettingDenied
    );
    let in_text = tokens(sql).any(|token| {
        let word = sql.get(token.span.clone()).unwrap_or_default();
        let word = word.trim_matches(['"', '\'']).to_lowercase();
        match token.kind {
            TokenKind::Operator => message.contains(&word),
            TokenKind::Word | TokenKind::QuotedName => word != "a" && own.contains(&&*word),
            TokenKind::String => of_setting && own.contains(&&*word),
            // It is spelled otherwise.
            TokenKind::UnicodeName => true,
            _ => false,
        }
    });
    // What they are about has no name in the statement, or another one there.
    let nameless = matches!(
        refusal.rule,
        Rule::TooLong
            | Rule::TooComplex
            | Rule::SeveralStatements
            | Rule::Nesting
            | Rule::NotResolved
            | Rule::Roles
            | Rule::FunctionDenied
            | Rule::CastEffects
            | Rule::ColumnDenied
            | Rule::NodeUnknown
            | Rule::NewerSyntax
            | Rule::Model
    );
    // A name that is a value may be anything, and is not told.
    let is_of_setting = message.contains("setting \"") || message.starts_with("a setting ");
    in_text || nameless || is_of_setting || message.contains("this connection")
}

/// The first literal of a statement that is in the words.
fn quoted_literal<'s>(sql: &'s str, refusal: &Refusal) -> Option<&'s str> {
    let said = format!("{} {} {}", refusal.message, refusal.detail, refusal.hint);
    let is_word = |inner: &str| {
        tokens(sql).any(|token| token.kind == TokenKind::Word && sql.get(token.span) == Some(inner))
    };
    let literals = tokens(sql).filter(|token| token.kind.is_constant());
    let mut texts = literals.filter_map(|token| sql.get(token.span));
    texts.find(|text| {
        let inner = text.trim_start_matches(['E', 'e', 'U', 'u', '&']);
        let inner = inner.trim_matches('\'');
        // In set_config the name of a setting is a literal.
        let is_setting = settings::is_known(&inner.to_ascii_lowercase());
        let is_plain = inner.chars().all(|letter| letter.is_alphanumeric());
        let is_said = match is_plain {
            true => {
                let mut words =
                    said.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                words.any(|word| word == inner)
            }
            false => said.contains(inner),
        };
        // Shorter ones may be a part of anything.
        inner.len() > 2 && !is_setting && !is_word(inner) && is_said
    })
}

/// Longer names make longer lines.
const ORDINARY_NAME_BYTES_MAX: usize = 20;

/// The words that a hint begins with: what a client or whoever it asks can do.
const ACTIONS: &[&str] = &[
    "Ask",
    "Check",
    "Close",
    "Use",
    "DEALLOCATE",
    "DECLARE",
    "Give",
    "Have",
    "It",
    "Leave",
    "Log",
    "Name",
    "Prepare",
    "Read",
    "RESET",
    "Select",
    "SELECT",
    "Send",
    "SET",
    "SHOW",
    "Split",
    "Try",
    "Write",
    "End",
    "EXPLAIN",
    "COPY",
    "EXECUTE",
    "TABLESAMPLE",
    "VERBOSE",
    "Set",
    "Connect",
];

/// Advice that would run, and give another answer than the one that was asked for.
const CHANGES_AN_ANSWER: &[&str] = &[
    "pg_catalog. in front",
    "with ONLY",
    "Read ONLY",
    "the type below",
];
