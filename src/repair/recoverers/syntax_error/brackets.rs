//! Names in brackets, as SQL Server and SQLite write them. A bracket after a value is a subscript,
//! and after ARRAY the beginning of a list: those are left.

use super::edited_text::EditedText;
use super::mentioned_names::{MentionedNames, is_plain};
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut passed = 0_usize;
    for place in 0..edited.tokens.len() {
        let opening = edited.span(place);
        if !edited.is_sign(place, "[") || opening.start < passed || !begins_name(edited, place) {
            continue;
        }
        let Some((name, _)) = edited.text.get(opening.end..)?.split_once(']') else {
            continue;
        };
        let is_name = name.split([' ', '-', '.', '#']).all(|word| {
            word.is_empty() || is_plain(word) || word.chars().all(char::is_alphanumeric)
        });
        let is_number = name.trim().chars().all(|c| c.is_ascii_digit() || c == ':');
        if is_number || !(is_name || known.has(name)) {
            continue;
        }
        let end = opening.end.saturating_add(name.len()).saturating_add(1);
        edits.push(edit(opening.start..end, known.spelled(name)));
        passed = end;
    }
    token_repair(edits, "names in brackets are written as names of Postgres")
}

/// Whether a name can begin after the token before.
fn begins_name(edited: &EditedText, place: usize) -> bool {
    let Some(before) = place.checked_sub(1) else {
        return false;
    };
    match edited.kind(before) {
        Some(TokenKind::Word) => edited.is_any(before, BEFORE_NAMES),
        Some(TokenKind::Operator) => true,
        Some(TokenKind::Punctuation) => matches!(edited.word(before), "," | "(" | "."),
        _ => false,
    }
}

/// Words after which a name or a value begins.
const BEFORE_NAMES: &[&str] = &[
    "select", "distinct", "from", "join", "where", "and", "or", "not", "on", "by", "as", "having",
    "in", "between", "when", "then", "else", "case", "like", "is", "with", "all", "into", "using",
    "over",
];
