//! WITH before each of its queries: `WITH a AS (…), WITH b AS (…)`.

use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::mentioned_names::MentionedNames;
use crate::recoverers::syntax_error::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(in crate::recoverers) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    if !edited.is(0, "with") {
        return None;
    }
    let at = |place: usize, more: usize| place.saturating_add(more);
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut depth = 0_usize;
    for place in 0..edited.tokens.len() {
        if edited.is_sign(place, "(") {
            depth = depth.saturating_add(1);
        } else if depth == 0 && edited.is(place, "select") {
            // Behind it, WITH has other meanings.
            break;
        } else if edited.is_sign(place, ")") {
            depth = depth.saturating_sub(1);
            let next = at(place, usize::from(edited.is_sign(at(place, 1), ",")));
            let is_named = matches!(
                edited.kind(at(next, 2)),
                Some(TokenKind::Word | TokenKind::QuotedName)
            );
            let begins = edited.is(at(next, 3), "as") && edited.is_sign(at(next, 4), "(")
                || edited.is_sign(at(next, 3), "(");
            if depth == 0 && edited.is(at(next, 1), "with") && is_named && begins {
                let span = edited.span(place).end..edited.span(at(next, 2)).start;
                edits.push(edit(span, ", "));
            }
        }
    }
    token_repair(edits, "WITH stands once, before its queries")
}
