//! Aliases in single quotes: `count(*) AS 'Total'`, as MySQL and SQLite take them.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use crate::names::letter_case::in_quotes;
use ground::limits;
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for place in 1..edited.tokens.len() {
        let before = place.saturating_sub(1);
        let next = place.saturating_add(1);
        let ends = edited.is_sign(next, ",")
            || edited.is_sign(next, ")")
            || edited.is(next, "from")
            || next >= edited.tokens.len()
            || edited.is_sign(next, ";");
        let is_alias = edited.kind(place) == Some(TokenKind::String)
            && (edited.is(before, "as") || edited.is_sign(before, ")") && edited.is(next, "from"))
            && ends
            && !is_cast(edited, before);
        let word = edited.word(place);
        let name = word
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        if let Some(name) = name.filter(|name| is_alias && !name.is_empty() && !name.contains('\n'))
        {
            edits.push(edit(
                edited.span(place),
                in_quotes(&name.replace("''", "'")),
            ));
        }
    }
    token_repair(edits, "aliases in single quotes are written as names")
}

/// Whether an AS stands in a CAST.
fn is_cast(edited: &EditedText, place: usize) -> bool {
    let mut depth = 0_usize;
    for before in (0..place).rev().take(limits::SYNTAX_TOKENS_BACK_MAX) {
        match edited.word(before) {
            ")" => depth = depth.saturating_add(1),
            "(" if depth == 0 => {
                return edited.follows(before, &["cast", "try_cast", "xmlserialize"]);
            }
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
