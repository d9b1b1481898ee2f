//! `limit_without_order`: LIMIT over rows in no order.
//!
//! # Sees
//! LIMIT or FETCH FIRST of a query that reads a table and has no ORDER BY.
//!
//! # Why
//! Which rows come back is the server's choice, and may be another one tomorrow: "the first ten"
//! and "the latest" are not it.
//!
//! # Before
//! - `SELECT id FROM orders LIMIT 10`
//!
//! # After
//! - `SELECT id FROM orders ORDER BY placed_at DESC LIMIT 10`
//!
//! # When not
//! Queries of one row: aggregates without GROUP BY, keys that are given. EXISTS. A sub-select in
//! FROM that has an order. LIMIT 0.

use crate::query::{ItemSource, Query, QueryId, QueryRole, first_place};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use sql::node_access::constant_integer;
use sql::tree::{Node, SubLinkType};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for (id, query) in statement.queries() {
        let count = query.select.limit_count();
        let is_limited = match count {
            Node::None => false,
            Node::A_Const(constant) if constant.isnull => false,
            count => constant_integer(count) != Some(0),
        };
        let is_ordered = !query.select.sort_clause().is_empty();
        if !is_limited || is_ordered || !reads_in_no_order(statement, id, query) {
            continue;
        }
        if query.role == QueryRole::Expression(SubLinkType::EXISTS_SUBLINK) {
            continue;
        }
        findings.push(LintFinding {
            rule: LintRule::LimitWithoutOrder,
            level: LintLevel::Warning,
            at: first_place(count),
            message: "no ORDER BY says which rows the limit leaves, so that they may be others \
                      each time"
                .into(),
        });
    }
}

/// Whether a query has several rows in the order in which the server happens to find them.
fn reads_in_no_order(statement: &LintedStatement<'_>, id: QueryId, query: &Query<'_>) -> bool {
    if query.is_set_operation() {
        return true;
    }
    let is_table = |source: ItemSource<'_>| match source {
        ItemSource::Relation => true,
        ItemSource::Query(select) => {
            select.sort_clause().is_empty() && select.values_lists().is_empty()
        }
        ItemSource::Other => false,
    };
    let reads = query.items.iter().any(|item| is_table(item.source));
    let grouped = !query.select.group_clause().is_empty();
    let aggregates = statement
        .calls_of(id)
        .any(|call| statement.is_aggregate(call));
    let is_one_row = aggregates && !grouped
        || (0..query.items.len()).all(|place| statement.is_pinned(id, place));
    reads && !is_one_row
}
