//! Commas after the last item of a list, twice in one, and none between the queries of WITH.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::limits;
use crate::sql::edit::Edit;
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    let mut edits: Vec<Edit> = Vec::new();
    for place in 1..stage.tokens.len() {
        let next = place.saturating_add(1);
        let has_item = !stage.is_sign(place.saturating_sub(1), "(")
            && !stage.follows(place, &["select", "from", "by", "distinct"]);
        if !stage.is_sign(place, ",") || !has_item {
            continue;
        }
        let ends = stage.is_sign(next, ",")
            || next >= stage.tokens.len()
            || stage.is_sign(next, ";")
            || stage.is_any(next, AFTER_LISTS)
            || stage.is(next, "select") && is_after_with(stage, place)
            || stage.is_sign(next, ")") && closes_list(stage, next);
        if ends {
            edits.push(edit(stage.span(place), ""));
        }
    }
    if edits.is_empty() {
        return between_tables(stage);
    }
    mended(edits, "commas without an item after them are taken away")
}

/// `WITH a AS (…) b AS (…)`.
fn between_tables(stage: &Stage) -> Option<Mend> {
    if !stage.is(0, "with") {
        return None;
    }
    let at = |place: usize, more: usize| place.saturating_add(more);
    let places = (0..stage.tokens.len()).filter(|place| {
        stage.is_sign(*place, ")")
            && matches!(
                stage.kind(at(*place, 1)),
                Some(TokenKind::Word | TokenKind::QuotedName)
            )
            && stage.is(at(*place, 2), "as")
            && stage.is_sign(at(*place, 3), "(")
            && stage.is_any(at(*place, 4), &["select", "with", "values"])
    });
    let edits = places.map(|place| {
        let end = stage.span(place).end;
        edit(end..end, ",")
    });
    mended(
        edits.collect(),
        "a comma stands between the queries of WITH",
    )
}

/// Whether the parenthesis closed here holds a list of values, or a query: in a call, an argument
/// could be missing.
fn closes_list(stage: &Stage, closing: usize) -> bool {
    let mut depth = 0_usize;
    for place in (0..closing).rev().take(limits::MEND_TOKENS_BACK_MAX) {
        match stage.word(place) {
            ")" => depth = depth.saturating_add(1),
            "(" if depth == 0 => {
                let first = place.saturating_add(1);
                let before = place.checked_sub(1);
                let called = before.is_some_and(|before| {
                    matches!(
                        stage.kind(before),
                        Some(TokenKind::Word | TokenKind::QuotedName)
                    ) && !stage.is_any(before, &["in", "any", "all", "by", "using", "on"])
                });
                return !called || stage.is_any(first, &["select", "with"]);
            }
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Whether a comma stands after a query of WITH.
fn is_after_with(stage: &Stage, comma: usize) -> bool {
    let before = comma.saturating_sub(1);
    let mut places = (0..comma).rev().take(limits::MEND_TOKENS_BACK_MAX);
    stage.is_sign(before, ")") && places.any(|place| stage.is(place, "with"))
}

/// Words that begin what follows a list.
const AFTER_LISTS: &[&str] = &[
    "from",
    "where",
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "union",
    "intersect",
    "except",
    "fetch",
];
