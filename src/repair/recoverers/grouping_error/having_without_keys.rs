//! HAVING without GROUP BY, beside columns in the select list: a condition on aggregates chooses
//! groups, and the columns say which groups were meant.

use super::aggregate_query::{AggregateQuery, GroupingKeys};
use super::one_row_of_group::OneRowOfGroup;
use crate::RepairContext;
use crate::recoverers::shapes::clause_order::AGGREGATES;
use crate::recoverers::shapes::query_clauses::{Clause, ClauseKind, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::scopes::qualifier;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use catalog::quote::quoted;
use sql::edit::TextEdit;
use sql::tree::Node;

/// The query with GROUP BY of its plain columns (likely); none where HAVING asks nothing of
/// groups, a column stands in an expression alone, or the text was written for a system that
/// takes it as it is.
pub(super) fn grouped_by_columns(
    context: &RepairContext<'_>,
    query_scopes: &QueryScopes<'_>,
    grouped: &AggregateQuery<'_>,
) -> Option<OneRowOfGroup> {
    let is_foreign = context.foreign_text.is_some();
    if grouped.keys != GroupingKeys::Absent || is_foreign {
        return None;
    }
    let level = query_scopes.scope(grouped.level)?;
    if matches!(level.select.having_clause(), Node::None) {
        return None;
    }
    let targets = level.select.target_list().iter();
    let columns: Vec<ColumnIndex> = targets
        .filter_map(|target| match target.val() {
            Node::ColumnRef(column) => query_scopes.column_at(column.location),
            _ => None,
        })
        .collect();
    let mut open = grouped.open.iter();
    if !open.all(|one| !one.by_star && columns.contains(&one.column_index)) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for one in columns {
        let column = query_scopes.column(one)?;
        let relation = qualifier(query_scopes, grouped.level, one)?;
        let name = format!("{}.{}", quoted(relation), quoted(column.name.as_str()));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let at = having_of_groups(context.text)?;
    let names = names.join(", ");
    Some(OneRowOfGroup {
        edits: vec![TextEdit {
            span: at..at,
            replacement: format!("GROUP BY {names} "),
        }],
        change: format!("HAVING chooses groups, which are those of {names}"),
    })
}

/// The place of the only HAVING of a text, where it is of a query without GROUP BY and compares
/// aggregates.
fn having_of_groups(text: &str) -> Option<usize> {
    let edited = EditedText::new(text);
    let all = queries(&edited);
    let of_kind = |wanted: ClauseKind| {
        let clauses = all.iter().flat_map(|query| query.clauses.iter());
        clauses.filter(move |clause| clause.kind == wanted)
    };
    let mut havings = of_kind(ClauseKind::Having);
    let having: &Clause = havings.next().filter(|_| havings.next().is_none())?;
    let query = all.iter().find(|query| {
        let mut clauses = query.clauses.iter();
        clauses.any(|clause| clause.first == having.first)
    })?;
    let is_grouped = (query.clauses.iter()).any(|clause| clause.kind == ClauseKind::GroupBy);
    let mut places = having.first..having.last;
    let has_aggregate = places.any(|place| {
        edited.is_any(place, AGGREGATES) && edited.is_sign(place.saturating_add(1), "(")
    });
    let has_query = (having.first..having.last).any(|place| edited.is(place, "select"));
    (!is_grouped && has_aggregate && !has_query).then(|| edited.span(having.first).start)
}
