//! A parenthesis too few or too many, and a CASE without END.
//!
//! What is missing is looked for where a clause or an item ends, an extra one among all that close.
//! Where it could be at two places that mean different things, nothing is done.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit};
use crate::limits;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    let count = |is: &dyn Fn(usize) -> bool| (0..stage.tokens.len()).filter(|at| is(*at)).count();
    let opened = count(&|place| stage.is_sign(place, "("));
    let closed = count(&|place| stage.is_sign(place, ")"));
    let begun = count(&|place| stage.is(place, "case"));
    let ended = count(&|place| stage.is(place, "end"));
    let tries: Vec<Mend> = if opened == closed.saturating_add(1) {
        missing(stage, ")", "the parenthesis that was left open is closed")
    } else if closed == opened.saturating_add(1) {
        extra(stage)
    } else if opened == closed && begun == ended.saturating_add(1) {
        missing(stage, " END", "the CASE that was left open is closed")
    } else {
        return None;
    };
    if tries.len() > limits::MEND_PARENTHESES_MAX {
        return None;
    }
    stage.only_shape(tries)
}

fn missing(stage: &Stage, sign: &str, change: &str) -> Vec<Mend> {
    let ends = (0..=stage.tokens.len()).filter(|place| {
        *place == stage.tokens.len()
            || stage.is_any(*place, BOUNDARIES)
            || [",", ";", ")"]
                .iter()
                .any(|sign| stage.is_sign(*place, sign))
    });
    let ends = ends.filter_map(|place| place.checked_sub(1));
    let mend = |place| {
        let end = stage.span(place).end;
        Mend {
            edits: vec![edit(end..end, sign)],
            change: change.to_owned(),
        }
    };
    ends.map(mend).collect()
}

fn extra(stage: &Stage) -> Vec<Mend> {
    let closing = (0..stage.tokens.len()).filter(|place| stage.is_sign(*place, ")"));
    let mend = |place| Mend {
        edits: vec![edit(stage.span(place), "")],
        change: "a parenthesis that closes nothing is taken away".to_owned(),
    };
    closing.map(mend).collect()
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
