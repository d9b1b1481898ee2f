//! Commas after the last item of a list, twice in one, and none between the queries of WITH.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use ground::limits;
use sql::edit::TextEdit;
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    for place in 1..edited.tokens.len() {
        let next = place.saturating_add(1);
        let has_item = !edited.is_sign(place.saturating_sub(1), "(")
            && !edited.follows(place, &["select", "from", "by", "distinct"]);
        if !edited.is_sign(place, ",") || !has_item {
            continue;
        }
        let ends = edited.is_sign(next, ",")
            || next >= edited.tokens.len()
            || edited.is_sign(next, ";")
            || edited.is_any(next, AFTER_LISTS)
            || edited.is(next, "select") && is_after_with(edited, place)
            || edited.is_sign(next, ")") && closes_list(edited, next);
        if ends {
            edits.push(edit(edited.span(place), ""));
        }
    }
    if edits.is_empty() {
        return between_tables(edited);
    }
    token_repair(edits, "commas without an item after them are taken away")
}

/// `WITH a AS (…) b AS (…)`.
fn between_tables(edited: &EditedText) -> Option<TokenRepair> {
    if !edited.is(0, "with") {
        return None;
    }
    let at = |place: usize, more: usize| place.saturating_add(more);
    let places = (0..edited.tokens.len()).filter(|place| {
        edited.is_sign(*place, ")")
            && matches!(
                edited.kind(at(*place, 1)),
                Some(TokenKind::Word | TokenKind::QuotedName)
            )
            && edited.is(at(*place, 2), "as")
            && edited.is_sign(at(*place, 3), "(")
            && edited.is_any(at(*place, 4), &["select", "with", "values"])
    });
    let edits = places.map(|place| {
        let end = edited.span(place).end;
        edit(end..end, ",")
    });
    token_repair(
        edits.collect(),
        "a comma stands between the queries of WITH",
    )
}

/// Whether the parenthesis closed here holds a list of values, or a query: in a call, an argument
/// could be missing.
fn closes_list(edited: &EditedText, closing: usize) -> bool {
    let mut depth = 0_usize;
    for place in (0..closing).rev().take(limits::SYNTAX_TOKENS_BACK_MAX) {
        match edited.word(place) {
            ")" => depth = depth.saturating_add(1),
            "(" if depth == 0 => {
                let first = place.saturating_add(1);
                let before = place.checked_sub(1);
                let called = before.is_some_and(|before| {
                    matches!(
                        edited.kind(before),
                        Some(TokenKind::Word | TokenKind::QuotedName)
                    ) && !edited.is_any(before, &["in", "any", "all", "by", "using", "on"])
                });
                return !called || edited.is_any(first, &["select", "with"]);
            }
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Whether a comma stands after a query of WITH.
fn is_after_with(edited: &EditedText, comma: usize) -> bool {
    let before = comma.saturating_sub(1);
    let mut places = (0..comma).rev().take(limits::SYNTAX_TOKENS_BACK_MAX);
    edited.is_sign(before, ")") && places.any(|place| edited.is(place, "with"))
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
