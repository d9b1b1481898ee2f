//! `LIMIT 20, 10`: the offset first, as MySQL and SQLite read it.

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
    for place in 0..edited.tokens.len() {
        let at = |more: usize| place.saturating_add(more);
        let is_number = |place| {
            matches!(
                edited.kind(place),
                Some(TokenKind::Number | TokenKind::Parameter)
            )
        };
        let is_pair = edited.is(place, "limit")
            && is_number(at(1))
            && edited.is_sign(at(2), ",")
            && is_number(at(3))
            && !edited.is(at(4), "offset");
        if is_pair {
            let both = format!("{} OFFSET {}", edited.word(at(3)), edited.word(at(1)));
            edits.push(edit(edited.span(at(1)).start..edited.span(at(3)).end, both));
        }
    }
    token_repair(
        edits,
        "LIMIT offset, count is written as LIMIT count OFFSET offset",
    )
}
