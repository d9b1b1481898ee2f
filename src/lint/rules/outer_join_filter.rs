//! `outer_join_filter`: conditions that make an outer join an inner one.
//!
//! # Sees
//! A condition in WHERE, or in the ON of a later inner join, that never holds for the rows that an
//! outer join keeps without a partner: their columns of the other side are NULL.
//!
//! # Why
//! Customers without orders were to stay, and are gone.
//!
//! # Before
//! - `SELECT o.id FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE p.amount > 9`
//!
//! # After
//! - `SELECT o.id FROM orders o LEFT JOIN payments p ON p.order_id = o.id AND p.amount > 9`
//! - `SELECT o.id FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE p.id IS NULL`
//!
//! # When not
//! Conditions that NULL can meet: IS NULL, coalesce, CASE, an OR with one of these. HAVING.

use crate::query::{ConditionClause, NullAnalysis, NullTarget, Query, QueryId, first_place};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for (id, query) in statement.queries() {
        if let Some(finding) = of_query(statement, id, query) {
            findings.push(finding);
        }
    }
}

/// The first such condition of a query: the others do nothing more.
fn of_query(
    statement: &LintedStatement<'_>,
    id: QueryId,
    query: &Query<'_>,
) -> Option<LintFinding> {
    for condition in &query.conditions {
        match condition.clause {
            ConditionClause::Where | ConditionClause::InnerOn => {}
            ConditionClause::Having | ConditionClause::OuterOn => continue,
        }
        let rejects = |item: &usize| {
            NullAnalysis(&statement.tree).rejects_null(
                id,
                condition.node,
                NullTarget::Item(id, *item),
            )
        };
        let rejected = condition.may_be_empty.iter().copied().find(rejects);
        let Some(item) = rejected.and_then(|place| query.items.get(place)) else {
            continue;
        };
        let name = LintedStatement::item_name(item);
        return Some(LintFinding {
            rule: LintRule::OuterJoinFilter,
            level: LintLevel::Warning,
            at: first_place(condition.node),
            message: format!(
                "the outer join keeps rows without a partner in {name}, and this condition takes \
                 them away again"
            ),
        });
    }
    None
}
