//! Comparisons in other spellings: `==`, `=<`, `=>`, `> =`.

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
    let mut joined = false;
    for place in 0..stage.tokens.len() {
        if stage.kind(place) != Some(TokenKind::Operator) || std::mem::take(&mut joined) {
            continue;
        }
        let next = place.saturating_add(1);
        let span = stage.span(place);
        let other = match (stage.word(place), stage.word(next)) {
            ("==", _) => "=",
            ("=<", _) => "<=",
            ("=>", _) if !names_argument(stage, place) => ">=",
            (first @ (">" | "<" | "!"), second @ ("=" | ">")) if (first, second) != (">", ">") => {
                joined = true;
                let whole = span.start..stage.span(next).end;
                edits.push(edit(whole, format!("{first}{second}")));
                continue;
            }
            _ => continue,
        };
        edits.push(edit(span, other));
    }
    mended(edits, "comparisons are spelled as Postgres spells them")
}

/// Whether `=>` stands after the name of an argument: `f(a => 1)`.
fn names_argument(stage: &Stage, place: usize) -> bool {
    let Some(opening) = place.checked_sub(2) else {
        return false;
    };
    if stage.is_sign(opening, ",") {
        return true;
    }
    let called = opening.checked_sub(1);
    stage.is_sign(opening, "(")
        && called.is_some_and(|called| {
            stage.kind(called) == Some(TokenKind::Word)
                && !stage.is_any(
                    called,
                    &["where", "and", "or", "not", "on", "having", "when"],
                )
        })
}
