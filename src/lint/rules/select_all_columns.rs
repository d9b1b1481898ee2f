//! `select_all_columns`: statements that return all columns, whichever there are.
//!
//! # Sees
//! `*` or `t.*` of a table or view in what the statement returns; TABLE.
//!
//! # Why
//! What comes back changes with the table: a column that is added tomorrow is in the answer, and
//! large ones cost time that nobody asked for.
//!
//! # Before
//! - `SELECT * FROM orders`
//!
//! # After
//! - `SELECT id, status, total FROM orders`
//!
//! # When not
//! Stars over a sub-select or a query of WITH, whose list says the columns; in EXISTS; in
//! sub-selects.

use crate::query::{ItemSource, Query, QueryId, QueryRole, first_place, is_star};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use sql::tree::Node;

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for (id, query) in statement.queries() {
        if !is_returned(statement, id) {
            continue;
        }
        for target in query.select.target_list() {
            let node = target.val();
            if let Some(name) = is_star(node).then(|| starred(query, node)).flatten() {
                findings.push(LintFinding {
                    rule: LintRule::SelectAllColumns,
                    level: LintLevel::Warning,
                    at: first_place(node),
                    message: format!(
                        "all columns of {name} are returned, whichever it has: name \
                                      those that are needed"
                    ),
                });
            }
        }
    }
}

/// Whether the statement returns what a query does.
fn is_returned(statement: &LintedStatement<'_>, id: QueryId) -> bool {
    let mut chain = statement.tree.chain(id);
    chain.all(|(_, query)| matches!(query.role, QueryRole::Whole | QueryRole::SetArm))
}

/// The table or view whose columns a star stands for.
fn starred(query: &Query<'_>, star: Node<'_>) -> Option<String> {
    let Node::ColumnRef(reference) = star else {
        return None;
    };
    let names: Vec<&str> = reference.fields().iter().filter_map(Node::as_str).collect();
    let is_it = |name: Option<&str>| match names.last() {
        Some(qualifier) => name == Some(qualifier),
        None => true,
    };
    let mut items = query.items.iter().filter(|item| is_it(item.name));
    let table = items.find(|item| matches!(item.source, ItemSource::Relation))?;
    Some(LintedStatement::item_name(table))
}
