//! Aggregates with a WHERE of their own, `count(x WHERE y)` and `sum(x) WHERE y AS z`, whose place
//! is FILTER; and an aggregate with a FROM that lacks its SELECT, `> (avg(x) FROM t)`.

use super::clause_order::AGGREGATES;
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::mentioned_names::MentionedNames;
use crate::recoverers::syntax_error::token_repair::{TokenRepair, edit};
use sql::edit::TextEdit;

pub(in crate::recoverers) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    for (edits, change) in [
        (inside(edited), FILTER),
        (behind(edited), FILTER),
        (without_select(edited), SELECT),
    ] {
        if !edits.is_empty() && edited.parse_with(&edits).is_some() {
            return Some(TokenRepair {
                edits,
                change: change.to_owned(),
            });
        }
    }
    None
}

/// `count(x WHERE y)`.
fn inside(edited: &EditedText) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for open in aggregates(edited) {
        let Some(close) = closing(edited, open) else {
            continue;
        };
        let mut places = level(edited, open.saturating_add(1), close);
        let is_plain = !edited.is_any(open.saturating_add(1), &["select", "where"]);
        let Some(at) = places
            .find(|place| edited.is(*place, "where"))
            .filter(|_| is_plain)
        else {
            continue;
        };
        let before = edited.span(at.saturating_sub(1)).end;
        edits.push(edit(before..edited.span(at).start, ") FILTER ("));
    }
    edits
}

/// `sum(x) WHERE y AS z, …` before the FROM of the query.
fn behind(edited: &EditedText) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for open in aggregates(edited) {
        let Some(close) = closing(edited, open) else {
            continue;
        };
        let at = close.saturating_add(1);
        if !edited.is(at, "where") {
            continue;
        }
        let end = edited.tokens.len();
        let mut places = level(edited, at, end);
        let ends = places.find(|place| {
            edited.is_any(*place, &["as", "from", "group", "order", "limit"])
                || edited.is_sign(*place, ",")
        });
        // What ends it has to be of the SELECT list, with a FROM behind it.
        let is_listed = ends.is_some_and(|ends| {
            level(edited, ends, end).any(|place| edited.is(place, "from"))
                && !edited.is_any(ends, &["group", "order", "limit"])
        });
        if let Some(ends) = ends.filter(|_| is_listed) {
            let start = edited.span(at).start;
            let last = edited.span(ends.saturating_sub(1)).end;
            edits.push(edit(start..start, "FILTER ("));
            edits.push(edit(last..last, ")"));
        }
    }
    edits
}

/// `> (avg(x) FROM t)`.
fn without_select(edited: &EditedText) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for open in aggregates(edited) {
        let name = open.saturating_sub(1);
        let Some(close) = closing(edited, open) else {
            continue;
        };
        let is_first = name
            .checked_sub(1)
            .is_some_and(|before| edited.is_sign(before, "("));
        if is_first && edited.is(close.saturating_add(1), "from") {
            let start = edited.span(name).start;
            edits.push(edit(start..start, "SELECT "));
        }
    }
    edits
}

/// The parentheses that the arguments of aggregates stand in.
fn aggregates(edited: &EditedText) -> impl Iterator<Item = usize> + '_ {
    (1..edited.tokens.len()).filter(|place| {
        edited.is_sign(*place, "(") && edited.is_any(place.saturating_sub(1), AGGREGATES)
    })
}

/// The places between two tokens that stand in no deeper parentheses, up to the end of theirs.
fn level(edited: &EditedText, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0_usize;
    let mut is_over = false;
    (from..to).filter(move |place| {
        if edited.is_sign(*place, "(") {
            depth = depth.saturating_add(1);
            return false;
        }
        if edited.is_sign(*place, ")") {
            is_over = is_over || depth == 0;
            depth = depth.saturating_sub(1);
            return false;
        }
        depth == 0 && !is_over
    })
}

/// The parenthesis that closes one.
fn closing(edited: &EditedText, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    (open..edited.tokens.len()).find(|place| {
        if edited.is_sign(*place, "(") {
            depth = depth.saturating_add(1);
        } else if edited.is_sign(*place, ")") {
            depth = depth.saturating_sub(1);
            return depth == 0;
        }
        false
    })
}

const FILTER: &str = "the condition of an aggregate stands in FILTER";

const SELECT: &str = "a sub-select begins with SELECT";
