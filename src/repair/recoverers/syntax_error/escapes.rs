//! Backslashes that Markdown or a programming language put before signs: `client\_id`, `\"x\"`.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits = Vec::new();
    for (place, token) in edited.tokens.iter().enumerate() {
        let end = token.span.end;
        let next = edited.text.get(end..).and_then(|rest| rest.chars().next());
        if token.kind == TokenKind::QuotedName {
            edits.extend(in_name(edited, known, place));
            continue;
        }
        let escapes = next.is_some_and(|next| next.is_ascii_punctuation());
        if !(token.kind == TokenKind::Other && edited.word(place) == "\\" && escapes) {
            continue;
        }
        edits.push(edit(token.span.clone(), ""));
        // What it was to open ends with an escaped sign as well.
        let following = place.saturating_add(1);
        let literal = edited.span(following);
        let word = edited.word(following);
        let closing = literal.end.saturating_sub(2);
        let is_quote = literal.start == end && word.starts_with(['"', '\'']) && word.len() > 2;
        if is_quote && (word.ends_with("\\\"") || word.ends_with("\\'")) {
            edits.push(edit(closing..closing.saturating_add(1), ""));
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    token_repair(edits, "backslashes before signs are taken away")
}

/// Backslashes in a quoted name that the catalog knows without them.
fn in_name(
    edited: &EditedText,
    known: &MentionedNames<'_>,
    place: usize,
) -> Vec<sql::edit::TextEdit> {
    let word = edited.word(place);
    let plain = word.replace('\\', "");
    if plain == word || !known.has(plain.trim_matches('"')) {
        return Vec::new();
    }
    let start = edited.span(place).start;
    let signs = word
        .match_indices('\\')
        .map(|(at, _)| start.saturating_add(at));
    signs.map(|at| edit(at..at.saturating_add(1), "")).collect()
}
