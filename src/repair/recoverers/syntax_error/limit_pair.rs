//! `LIMIT 20, 10`: the offset first, as MySQL and SQLite read it.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for place in 0..stage.tokens.len() {
        let at = |more: usize| place.saturating_add(more);
        let is_number = |place| {
            matches!(
                stage.kind(place),
                Some(TokenKind::Number | TokenKind::Parameter)
            )
        };
        let is_pair = stage.is(place, "limit")
            && is_number(at(1))
            && stage.is_sign(at(2), ",")
            && is_number(at(3))
            && !stage.is(at(4), "offset");
        if is_pair {
            let both = format!("{} OFFSET {}", stage.word(at(3)), stage.word(at(1)));
            edits.push(edit(stage.span(at(1)).start..stage.span(at(3)).end, both));
        }
    }
    mended(
        edits,
        "LIMIT offset, count is written as LIMIT count OFFSET offset",
    )
}
