//! Aliases in single quotes: `count(*) AS 'Total'`, as MySQL and SQLite take them.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::limits;
use crate::repair::names::letter_case::in_quotes;
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for place in 1..stage.tokens.len() {
        let before = place.saturating_sub(1);
        let next = place.saturating_add(1);
        let ends = stage.is_sign(next, ",")
            || stage.is_sign(next, ")")
            || stage.is(next, "from")
            || next >= stage.tokens.len()
            || stage.is_sign(next, ";");
        let is_alias = stage.kind(place) == Some(TokenKind::String)
            && (stage.is(before, "as") || stage.is_sign(before, ")") && stage.is(next, "from"))
            && ends
            && !is_cast(stage, before);
        let word = stage.word(place);
        let name = word
            .strip_prefix('\'')
            .and_then(|word| word.strip_suffix('\''));
        if let Some(name) = name.filter(|name| is_alias && !name.is_empty() && !name.contains('\n'))
        {
            edits.push(edit(stage.span(place), in_quotes(&name.replace("''", "'"))));
        }
    }
    mended(edits, "aliases in single quotes are written as names")
}

/// Whether an AS stands in a CAST.
fn is_cast(stage: &Stage, place: usize) -> bool {
    let mut depth = 0_usize;
    for before in (0..place).rev().take(limits::MEND_TOKENS_BACK_MAX) {
        match stage.word(before) {
            ")" => depth = depth.saturating_add(1),
            "(" if depth == 0 => {
                return stage.follows(before, &["cast", "try_cast", "xmlserialize"]);
            }
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
