//! `SELECT DISTINCT status FROM orders ORDER BY lower(status)`: Postgres sorts distinct rows by
//! what is selected alone, word by word. Groups of the same columns are the same rows, and can be
//! sorted by all that the columns decide; by an aggregate, too, which nothing but groups can be
//! meant by (likely).
//!
//! Where GROUP BY is there and all its keys are selected, no two rows are the same, and DISTINCT
//! says nothing.

use crate::recoverers::grouping_error::aggregate_in_where::groups_well;
use crate::recoverers::shapes::clause_order::AGGREGATES;
use crate::recoverers::shapes::query_clauses::{Clause, ClauseKind, QueryClauses, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::scopes::column_reference::ReferenceMeaning;
use crate::scopes::query_scopes::{ColumnIndex, QueryScope, QueryScopes};
use crate::scopes::span_of;
use crate::{RecovererAnswer, RepairContext};
use sql::edit::{self, TextEdit};
use sql::node_access;
use sql::tree::{Node, nodes};

pub(super) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    regrouped(context).unwrap_or(RecovererAnswer::Silent)
}

fn regrouped(context: &RepairContext<'_>) -> Option<RecovererAnswer> {
    let (database, resolution) = (context.database?, context.resolution?);
    let (catalog, mask) = (database.catalog, database.mask);
    let scopes = QueryScopes::of(context.statement()?, resolution, catalog, mask)?;
    let mut levels = scopes
        .scopes
        .iter()
        .filter(|level| is_distinct(level.select) && !level.select.sort_clause().is_empty());
    let level = levels.next().filter(|_| levels.next().is_none())?;
    let edited = EditedText::new(context.text);
    let all = queries(&edited);
    let mut found = all.iter().filter_map(|query| {
        let is_plain = edited.is(query.first.checked_add(1)?, "distinct")
            && !edited.is(query.first.checked_add(2)?, "on")
            && !query.continues;
        let order = clause(query, ClauseKind::OrderBy).filter(|_| is_plain)?;
        Some((query, order))
    });
    let (query, order) = found.next().filter(|_| found.next().is_none())?;
    let distinct = edited.span(query.first.checked_add(1)?);
    let behind = edited.span(query.first.checked_add(2)?);
    let mut edits = vec![TextEdit {
        span: distinct.start..behind.start,
        replacement: String::new(),
    }];
    if clause(query, ClauseKind::GroupBy).is_some() {
        let change = "DISTINCT is left out: each group is one row already".to_owned();
        return selects_keys(&scopes, level).then(|| RecovererAnswer::exact(edits, change));
    }
    let keys = selected_columns(context, &scopes, level)?.join(", ");
    let at = edited.span(order.first).start;
    edits.push(TextEdit {
        span: at..at,
        replacement: format!("GROUP BY {keys} "),
    });
    let text = edit::apply(context.text, edits.clone()).ok()?;
    let change = format!("the distinct rows are groups of {keys}, so that they can be sorted");
    let mut places = order.first..order.last;
    let has_aggregate = places.any(|place| {
        edited.is_any(place, AGGREGATES) && edited.is_sign(place.saturating_add(1), "(")
    });
    groups_well(&text, database).then(|| match has_aggregate {
        true => RecovererAnswer::likely(edits, change),
        false => RecovererAnswer::exact(edits, change),
    })
}

fn clause(query: &QueryClauses, kind: ClauseKind) -> Option<&Clause> {
    query.clauses.iter().find(|clause| clause.kind == kind)
}

/// Whether DISTINCT stands without ON.
fn is_distinct(select: &nodes::SelectStmt) -> bool {
    let keys = select.distinct_clause();
    !keys.is_empty() && keys.iter().all(|key| matches!(key, Node::None))
}

/// The columns of a result, as they are written, where it has nothing else.
fn selected_columns<'t>(
    context: &RepairContext<'t>,
    scopes: &QueryScopes<'_>,
    level: &QueryScope<'_>,
) -> Option<Vec<&'t str>> {
    let is_grouped = !matches!(level.select.having_clause(), Node::None);
    let targets = level.select.target_list().iter();
    let columns = targets.map(|target| {
        let Node::ColumnRef(column) = target.val() else {
            return None;
        };
        scopes.column_at(column.location)?;
        let span = span_of(context, node_access::place(column.location)?)?;
        context.text.get(span)
    });
    columns
        .collect::<Option<Vec<&str>>>()
        .filter(|_| !is_grouped)
}

/// Whether every key of GROUP BY is a column of the result.
fn selects_keys(scopes: &QueryScopes<'_>, level: &QueryScope<'_>) -> bool {
    let targets = level.select.target_list().iter();
    let selected: Vec<ColumnIndex> = targets
        .filter_map(|target| match target.val() {
            Node::ColumnRef(column) => scopes.column_at(column.location),
            _ => None,
        })
        .collect();
    level.select.group_clause().iter().all(|key| match key {
        Node::ColumnRef(column) => {
            let at = node_access::place(column.location);
            match at
                .and_then(|at| scopes.reference_at(at))
                .map(|own| own.meaning)
            {
                Some(ReferenceMeaning::Column(own)) => selected.contains(&own),
                Some(ReferenceMeaning::Result) => true,
                _ => false,
            }
        }
        // A number is that of a column of the result.
        Node::A_Const(_) => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn distinct_rows_are_sorted_as_groups() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/distinct_order.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_distinct_order.txt"),
        ] {
            let recoverer = Recoverer::InvalidColumnReference;
            check_file(world(), recoverer, "42P10", OutputNameLaw::Kept, file);
        }
    }
}
