//! Backslashes that Markdown or a programming language put before signs: `client\_id`, `\"x\"`.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    known: &Known<'_>,
) -> Option<Mend> {
    let mut edits = Vec::new();
    for (place, token) in stage.tokens.iter().enumerate() {
        let end = token.span.end;
        let next = stage.text.get(end..).and_then(|rest| rest.chars().next());
        if token.kind == TokenKind::QuotedName {
            edits.extend(in_name(stage, known, place));
            continue;
        }
        let escapes = next.is_some_and(|next| next.is_ascii_punctuation());
        if !(token.kind == TokenKind::Other && stage.word(place) == "\\" && escapes) {
            continue;
        }
        edits.push(edit(token.span.clone(), ""));
        // What it was to open ends with an escaped sign as well.
        let following = place.saturating_add(1);
        let literal = stage.span(following);
        let word = stage.word(following);
        let closing = literal.end.saturating_sub(2);
        let is_quote = literal.start == end && word.starts_with(['"', '\'']) && word.len() > 2;
        if is_quote && (word.ends_with("\\\"") || word.ends_with("\\'")) {
            edits.push(edit(closing..closing.saturating_add(1), ""));
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup();
    mended(edits, "backslashes before signs are taken away")
}

/// Backslashes in a quoted name that the catalog knows without them.
fn in_name(stage: &Stage, known: &Known<'_>, place: usize) -> Vec<crate::sql::edit::Edit> {
    let word = stage.word(place);
    let plain = word.replace('\\', "");
    if plain == word || !known.has(plain.trim_matches('"')) {
        return Vec::new();
    }
    let start = stage.span(place).start;
    let signs = word
        .match_indices('\\')
        .map(|(at, _)| start.saturating_add(at));
    signs.map(|at| edit(at..at.saturating_add(1), "")).collect()
}
