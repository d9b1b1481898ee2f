//! A parenthesis too few or too many, and a CASE without END.
//!
//! What is missing is looked for where a clause or an item ends, an extra one among all that close.
//! Where it could be at two places that mean different things, nothing is done.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit};
use ground::limits;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let count = |is: &dyn Fn(usize) -> bool| (0..edited.tokens.len()).filter(|at| is(*at)).count();
    let opened = count(&|place| edited.is_sign(place, "("));
    let closed = count(&|place| edited.is_sign(place, ")"));
    let begun = count(&|place| edited.is(place, "case"));
    let ended = count(&|place| edited.is(place, "end"));
    let tries: Vec<TokenRepair> = if opened == closed.saturating_add(1) {
        missing(edited, ")", "the parenthesis that was left open is closed")
    } else if closed == opened.saturating_add(1) {
        extra(edited)
    } else if opened == closed && begun == ended.saturating_add(1) {
        missing(edited, " END", "the CASE that was left open is closed")
    } else {
        return None;
    };
    if tries.len() > limits::SYNTAX_PARENTHESES_MAX {
        return None;
    }
    edited.only_parsed_shape(tries)
}

fn missing(edited: &EditedText, sign: &str, change: &str) -> Vec<TokenRepair> {
    let ends = (0..=edited.tokens.len()).filter(|place| {
        *place == edited.tokens.len()
            || edited.is_any(*place, BOUNDARIES)
            || [",", ";", ")"]
                .iter()
                .any(|sign| edited.is_sign(*place, sign))
    });
    let ends = ends.filter_map(|place| place.checked_sub(1));
    let repair = |place| {
        let end = edited.span(place).end;
        TokenRepair {
            edits: vec![edit(end..end, sign)],
            change: change.to_owned(),
        }
    };
    ends.map(repair).collect()
}

fn extra(edited: &EditedText) -> Vec<TokenRepair> {
    let closing = (0..edited.tokens.len()).filter(|place| edited.is_sign(*place, ")"));
    let repair = |place| TokenRepair {
        edits: vec![edit(edited.span(place), "")],
        change: "a parenthesis that closes nothing is taken away".to_owned(),
    };
    closing.map(repair).collect()
}

/// Words before which an item or a clause ends.
const BOUNDARIES: &[&str] = &[
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
    "and",
    "or",
    "as",
    "then",
    "else",
    "end",
    "when",
    "join",
    "left",
    "right",
    "inner",
    "full",
    "cross",
    "on",
    "asc",
    "desc",
    "between",
    "is",
    "in",
    "like",
    "over",
    "filter",
];
