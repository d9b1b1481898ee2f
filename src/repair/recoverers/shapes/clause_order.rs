//! Clauses in another order than a SELECT has them: `ORDER BY … WHERE …`, `LIMIT … ORDER BY …`, a
//! JOIN behind WHERE. Where each stands once, there is one order that they can have.

use super::query_clauses::{Clause, ClauseKind, QueryClauses, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::recoverers::syntax_error::mentioned_names::MentionedNames;
use crate::recoverers::syntax_error::token_repair::{TokenRepair, edit};

pub(in crate::recoverers) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    for query in queries(edited) {
        if let Some(repair) = in_order(edited, &query) {
            return edited.parse_with(&repair.edits).map(|_| repair);
        }
    }
    None
}

/// The edit that puts the clauses of a query in order; none where they are, or where one stands
/// twice.
fn in_order(edited: &EditedText, query: &QueryClauses) -> Option<TokenRepair> {
    let mut clauses: Vec<(ClauseKind, &Clause)> = Vec::new();
    for clause in &query.clauses {
        let kind = match clause.kind {
            // Aggregates are known once rows are grouped.
            ClauseKind::Where if is_having(edited, query, clause) => ClauseKind::Having,
            kind => kind,
        };
        let is_twice = kind != ClauseKind::Join && clauses.iter().any(|(own, _)| *own == kind);
        if is_twice {
            return None;
        }
        clauses.push((kind, clause));
    }
    let has_from = clauses
        .first()
        .is_some_and(|(kind, _)| *kind == ClauseKind::From);
    let in_place = clauses.is_sorted_by_key(|(kind, _)| kind.rank());
    let is_same = clauses.iter().all(|(kind, clause)| *kind == clause.kind);
    if !has_from || in_place && is_same {
        return None;
    }
    let start = edited.span(clauses.first()?.1.first).start;
    let end = edited.span(clauses.last()?.1.last).end;
    let mut sorted = clauses;
    sorted.sort_by_key(|(kind, _)| kind.rank());
    let texts: Vec<String> = sorted
        .iter()
        .map(|(kind, clause)| {
            let text = clause.text(edited);
            match (*kind, clause.kind) {
                (ClauseKind::Having, ClauseKind::Where) => {
                    format!("HAVING{}", text.get("where".len()..).unwrap_or_default())
                }
                _ => text.to_owned(),
            }
        })
        .collect();
    Some(TokenRepair {
        edits: vec![edit(start..end, texts.join(" "))],
        change: "the clauses stand in the order that a SELECT has them in".to_owned(),
    })
}

/// Whether a WHERE behind GROUP BY has a condition on groups.
fn is_having(edited: &EditedText, query: &QueryClauses, clause: &Clause) -> bool {
    let is_before = |own: &&Clause| own.kind == ClauseKind::GroupBy && own.first < clause.first;
    let is_grouped = query.clauses.iter().any(|own| is_before(&own));
    let mut places = clause.first..clause.last;
    // What a sub-select aggregates is its own.
    let has_query = places.clone().any(|place| edited.is(place, "select"));
    is_grouped
        && !has_query
        && places.any(|place| {
            edited.is_any(place, AGGREGATES) && edited.is_sign(place.saturating_add(1), "(")
        })
}

/// The aggregates that models write.
pub(crate) const AGGREGATES: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "string_agg",
    "array_agg",
    "stddev",
    "variance",
    "bool_and",
    "bool_or",
];
