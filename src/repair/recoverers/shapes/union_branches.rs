//! A branch of UNION with an ORDER BY or LIMIT of its own: it stands in parentheses.

use super::query_clauses::{ClauseKind, QueryClauses, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::token_repair::{TokenRepair, edit};

/// What can be said of the branches of a text.
pub(in crate::recoverers) enum BranchRepair {
    /// Each that has one is put in parentheses.
    Enclosed(TokenRepair),
    /// It cannot be told whose the last LIMIT is.
    Doubtful,
}

/// Looks at the set operations of a text that does not parse.
pub(in crate::recoverers) fn find(edited: &EditedText) -> Option<BranchRepair> {
    let all = queries(edited);
    let mut chain: Vec<&QueryClauses> = Vec::new();
    for query in &all {
        let is_next = chain.last().is_none_or(|last| follows(edited, last, query));
        if is_next && (query.continues || !chain.is_empty()) {
            chain.push(query);
        }
    }
    let (last, before) = chain.split_last()?;
    let is_cut = |query: &QueryClauses| {
        let has = |kind| query.clauses.iter().any(|clause| clause.kind == kind);
        (
            has(ClauseKind::OrderBy),
            has(ClauseKind::Limit) || has(ClauseKind::Fetch),
        )
    };
    let mut enclosed: Vec<&QueryClauses> = Vec::new();
    enclosed.extend(
        before
            .iter()
            .filter(|query| is_cut(query) != (false, false)),
    );
    if enclosed.is_empty() {
        return None;
    }
    let are_limited = before.iter().all(|query| is_cut(query).1);
    match is_cut(last) {
        // Of each branch some rows are meant.
        (_, true) if are_limited => enclosed.push(last),
        (_, true) => return Some(BranchRepair::Doubtful),
        (_, false) => {}
    }
    let mut edits = Vec::new();
    for query in enclosed {
        let (start, end) = (edited.span(query.first).start, edited.span(query.last).end);
        edits.push(edit(start..start, "("));
        edits.push(edit(end..end, ")"));
    }
    edited.parse_with(&edits)?;
    Some(BranchRepair::Enclosed(TokenRepair {
        edits,
        change: "a branch with an ORDER BY or LIMIT of its own stands in parentheses".to_owned(),
    }))
}

/// Whether a query begins right behind the UNION that ends another.
fn follows(edited: &EditedText, before: &QueryClauses, query: &QueryClauses) -> bool {
    let operation = before.last.saturating_add(1);
    let next = operation.saturating_add(1);
    let start = match edited.is_any(next, &["all", "distinct"]) {
        true => next.saturating_add(1),
        false => next,
    };
    before.continues && query.first == start
}
