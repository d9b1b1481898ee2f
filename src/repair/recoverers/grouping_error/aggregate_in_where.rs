//! Conditions on aggregates in the WHERE of a query that groups: their place is HAVING.

use super::aggregate_query::aggregate_queries;
use crate::context::tree_of;
use crate::recoverers::shapes::clause_order::AGGREGATES;
use crate::recoverers::shapes::query_clauses::{Clause, ClauseKind, QueryClauses, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::scopes::query_scopes::QueryScopes;
use crate::{RepairContext, SessionDatabase};
use sql::edit::{self, TextEdit};
use sql::node_access::last_name;
use sql::tree::{Node, nodes};

/// The edits that move them, where the query means the same then beyond doubt.
pub(super) fn moved(
    context: &RepairContext<'_>,
    select: &nodes::SelectStmt,
) -> Option<Vec<TextEdit>> {
    let database = context.database?;
    let edited = EditedText::new(context.text);
    let all = queries(&edited);
    let mut misplaced = all.iter().filter_map(|query| {
        let clause = only(query, ClauseKind::Where)?;
        let conditions = conditions(&edited, clause);
        let is_any = conditions.iter().any(|one| one.is_of_groups);
        is_any.then_some((query, clause, conditions))
    });
    let (query, clause, conditions) = misplaced.next().filter(|_| misplaced.next().is_none())?;
    let is_grouped = only(query, ClauseKind::GroupBy).is_some();
    if !is_grouped && !has_only_aggregates(select) {
        return None;
    }
    let edits = edits(&edited, query, clause, &conditions)?;
    let text = edit::apply(context.text, edits.clone()).ok()?;
    groups_well(&text, database).then_some(edits)
}

/// A condition among those that AND joins in a WHERE.
struct WhereCondition {
    first: usize,
    last: usize,
    /// Whether an aggregate stands in it.
    is_of_groups: bool,
}

fn only(query: &QueryClauses, kind: ClauseKind) -> Option<&Clause> {
    let mut all = query.clauses.iter().filter(|clause| clause.kind == kind);
    all.next().filter(|_| all.next().is_none())
}

/// The conditions of a WHERE; one where OR joins them.
fn conditions(edited: &EditedText, clause: &Clause) -> Vec<WhereCondition> {
    let (mut depth, mut cases, mut betweens) = (0_usize, 0_usize, 0_usize);
    let mut found = Vec::new();
    let mut first = clause.first.saturating_add(1);
    let mut is_or = false;
    for place in clause.first.saturating_add(1)..=clause.last {
        if edited.is_sign(place, "(") {
            depth = depth.saturating_add(1);
        } else if edited.is_sign(place, ")") {
            depth = depth.saturating_sub(1);
        } else if edited.is(place, "case") {
            cases = cases.saturating_add(1);
        } else if edited.is(place, "end") {
            cases = cases.saturating_sub(1);
        }
        if depth > 0 || cases > 0 {
            continue;
        }
        is_or = is_or || edited.is(place, "or");
        if edited.is(place, "between") {
            betweens = betweens.saturating_add(1);
        } else if edited.is(place, "and") && betweens > 0 {
            betweens = betweens.saturating_sub(1);
        } else if edited.is(place, "and") {
            found.push((first, place.saturating_sub(1)));
            first = place.saturating_add(1);
        }
    }
    found.push((first, clause.last));
    if is_or {
        found = vec![(clause.first.saturating_add(1), clause.last)];
    }
    let has_aggregate = |first: usize, last: usize| {
        (first..last).any(|place| {
            edited.is_any(place, AGGREGATES) && edited.is_sign(place.saturating_add(1), "(")
        })
    };
    found
        .into_iter()
        .map(|(first, last)| WhereCondition {
            first,
            last,
            // What a sub-select aggregates is its own.
            is_of_groups: has_aggregate(first, last)
                && !(first..last).any(|place| edited.is(place, "select")),
        })
        .collect()
}

fn edits(
    edited: &EditedText,
    query: &QueryClauses,
    clause: &Clause,
    conditions: &[WhereCondition],
) -> Option<Vec<TextEdit>> {
    let text = |one: &WhereCondition| {
        let span = edited.span(one.first).start..edited.span(one.last).end;
        edited.text.get(span).unwrap_or_default()
    };
    let (of_groups, of_rows): (Vec<&WhereCondition>, Vec<&WhereCondition>) =
        conditions.iter().partition(|one| one.is_of_groups);
    let joined = |all: &[&WhereCondition]| {
        let texts: Vec<&str> = all.iter().map(|one| text(one)).collect();
        texts.join(" AND ")
    };
    let before = edited.span(clause.first.checked_sub(1)?).end;
    let end = edited.span(clause.last).end;
    let kept = match of_rows.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", joined(&of_rows)),
    };
    let having = joined(&of_groups);
    let replace = |span, replacement| TextEdit { span, replacement };
    if let Some(own) = only(query, ClauseKind::Having) {
        let start = edited.span(own.first.checked_add(1)?).start;
        let stop = edited.span(own.last).end;
        let condition = edited.text.get(start..stop)?;
        return Some(vec![
            replace(before..end, kept),
            replace(start..stop, format!("({condition}) AND {having}")),
        ]);
    }
    Some(match only(query, ClauseKind::GroupBy) {
        Some(keys) => {
            let stop = edited.span(keys.last).end;
            vec![
                replace(before..end, kept),
                replace(stop..stop, format!(" HAVING {having}")),
            ]
        }
        None => vec![replace(before..end, format!("{kept} HAVING {having}"))],
    })
}

/// Whether every column of the result is an aggregate.
fn has_only_aggregates(select: &nodes::SelectStmt) -> bool {
    let targets = select.target_list();
    !targets.is_empty()
        && targets.iter().all(|target| match target.val() {
            Node::FuncCall(call) => {
                let name = last_name(call.funcname()).unwrap_or_default();
                call.over().is_none() && AGGREGATES.contains(&name)
            }
            _ => false,
        })
}

/// Whether a text groups as Postgres wants it to.
pub(crate) fn groups_well(text: &str, database: &SessionDatabase<'_>) -> bool {
    let Some(tree) = tree_of(text) else {
        return false;
    };
    let (Some(resolution), Some(statement)) = (
        database.resolve(&tree),
        tree.statements().next().map(|statement| statement.node),
    ) else {
        return false;
    };
    let scopes = QueryScopes::of(statement, &resolution, database.catalog, database.mask);
    scopes.is_some_and(|scopes| {
        let all = aggregate_queries(&scopes);
        all.iter()
            .all(|grouped| grouped.misplaced.is_none() && grouped.open.is_empty())
    })
}
