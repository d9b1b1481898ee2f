//! Comparisons in other spellings: `==`, `=<`, `=>`, `> =`.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut joined = false;
    for place in 0..edited.tokens.len() {
        if edited.kind(place) != Some(TokenKind::Operator) || std::mem::take(&mut joined) {
            continue;
        }
        let next = place.saturating_add(1);
        let span = edited.span(place);
        let other = match (edited.word(place), edited.word(next)) {
            ("==", _) => "=",
            ("=<", _) => "<=",
            ("=>", _) if !names_argument(edited, place) => ">=",
            (first @ (">" | "<" | "!"), second @ ("=" | ">")) if (first, second) != (">", ">") => {
                joined = true;
                let whole = span.start..edited.span(next).end;
                edits.push(edit(whole, format!("{first}{second}")));
                continue;
            }
            _ => continue,
        };
        edits.push(edit(span, other));
    }
    token_repair(edits, "comparisons are spelled as Postgres spells them")
}

/// Whether `=>` stands after the name of an argument: `f(a => 1)`.
fn names_argument(edited: &EditedText, place: usize) -> bool {
    let Some(opening) = place.checked_sub(2) else {
        return false;
    };
    if edited.is_sign(opening, ",") {
        return true;
    }
    let called = opening.checked_sub(1);
    edited.is_sign(opening, "(")
        && called.is_some_and(|called| {
            edited.kind(called) == Some(TokenKind::Word)
                && !edited.is_any(
                    called,
                    &["where", "and", "or", "not", "on", "having", "when"],
                )
        })
}
