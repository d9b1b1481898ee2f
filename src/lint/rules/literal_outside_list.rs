//! `literal_outside_list`: comparisons to a text that a column cannot have.
//!
//! # Sees
//! `=`, `<>`, IN or CASE with a literal that is no label of the column's enumeration, or none of
//! the texts that a check of the column lists.
//!
//! # Why
//! The server refuses a label that is not there. A text that no row can have is never found, and
//! nobody is told.
//!
//! # Before
//! - `SELECT id FROM payments WHERE method = 'Card'`
//! - `SELECT id FROM orders WHERE status IN ('paid', 'done')`
//!
//! # After
//! - `SELECT id FROM payments WHERE method = 'card'`
//!
//! # When not
//! Parameters, expressions, and columns of views whose checks are those of no table.

use std::ops::ControlFlow;

use crate::database_facts::uncast;
use crate::query::{QueryId, first_place};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use catalog::TypeKind;
use sql::node_access::{constant_text, last_name};
use sql::tree::{A_Expr_Kind, Node, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        let Some(query) = visited.query else { continue };
        let found = match visited.node {
            Node::A_Expr(comparison) => of_comparison(statement, query, comparison),
            Node::CaseExpr(case) => of_case(statement, query, case),
            _ => None,
        };
        findings.extend(found);
    }
}

fn of_comparison<'a>(
    statement: &LintedStatement<'a>,
    query: QueryId,
    comparison: &'a nodes::A_Expr,
) -> Option<LintFinding> {
    let name = last_name(comparison.name())?;
    if !matches!(name, "=" | "<>") {
        return None;
    }
    let (left, right) = (comparison.lexpr(), comparison.rexpr());
    match (comparison.kind, left, right) {
        (A_Expr_Kind::AEXPR_OP, Node::ColumnRef(_), value) => {
            outside(statement, query, left, [value])
        }
        (A_Expr_Kind::AEXPR_OP, value, Node::ColumnRef(_)) => {
            outside(statement, query, right, [value])
        }
        (A_Expr_Kind::AEXPR_IN, Node::ColumnRef(_), Node::NodeList(values)) => {
            outside(statement, query, left, values.iter())
        }
        _ => None,
    }
}

fn of_case<'a>(
    statement: &LintedStatement<'a>,
    query: QueryId,
    case: &'a nodes::CaseExpr,
) -> Option<LintFinding> {
    let whens = case.args().iter().filter_map(|when| match when {
        Node::CaseWhen(when) => Some(when.expr()),
        _ => None,
    });
    outside(statement, query, case.arg(), whens)
}

fn outside<'a>(
    statement: &LintedStatement<'a>,
    query: QueryId,
    column: Node<'a>,
    values: impl IntoIterator<Item = Node<'a>>,
) -> Option<LintFinding> {
    let at = statement.plain_column(query, column)?;
    let (list, what) = listed(statement, &at)?;
    let is_outside = |value: Node<'a>| match constant_text(uncast(value)) {
        Some(text) if !list.iter().any(|own| own == text) => ControlFlow::Break(value),
        Some(_) | None => ControlFlow::Continue(()),
    };
    let ControlFlow::Break(value) = values.into_iter().try_for_each(is_outside) else {
        return None;
    };
    let name = statement.column_name(&at);
    Some(LintFinding {
        rule: LintRule::LiteralOutsideList,
        level: LintLevel::Error,
        at: first_place(uncast(value)),
        message: format!("{name} never has this text: {what}, and it is none of them"),
    })
}

/// The texts that a column can have.
fn listed<'s, 'a>(
    statement: &'s LintedStatement<'a>,
    at: &crate::query::ColumnAt<'a>,
) -> Option<(&'s [String], &'static str)> {
    let (catalog, facts) = (statement.catalog?, statement.facts?);
    let column = statement.table_column(at)?;
    let own = catalog.data_type(column.column.type_id);
    if own.kind == TypeKind::Enum {
        let labels = facts.enum_labels.get(&own.oid)?;
        return Some((labels, "its enumeration has its own labels"));
    }
    // Blanks at the end of a character(n) count in no comparison.
    if !matches!(
        own.oid,
        catalog::type_oid::TEXT | catalog::type_oid::VARCHAR
    ) {
        return None;
    }
    let list = facts.value_lists.get(&(column.oid, column.column.number))?;
    Some((list, "a check lists its texts"))
}
