//! `not_in_nullable`: NOT IN over what may be NULL.
//!
//! # Sees
//! `NOT IN (SELECT …)` and `<> ALL (SELECT …)` whose column may be NULL: it is not declared NOT
//! NULL, or comes from the side of an outer join that may be empty, and no condition there leaves
//! NULL out (a warning). NULL in the list of NOT IN (an error).
//!
//! # Why
//! If one value is NULL, nobody knows that `x` is not it: the condition holds for no row at all.
//!
//! # Before
//! - `SELECT name FROM employees WHERE id NOT IN (SELECT manager_id FROM employees)`
//!
//! # After
//! - `SELECT id FROM customers c WHERE NOT EXISTS (SELECT 1 FROM logs WHERE customer_id = c.id)`
//! - `SELECT id FROM tags WHERE id NOT IN (SELECT tag_id FROM order_tags)`
//!
//! # When not
//! Columns of views, functions and expressions: nobody knows whether they may be NULL.

use super::equals_null::is_null;
use crate::query::{ColumnAt, NullAnalysis, first_place};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use catalog::RelationKind;
use sql::node_access::{last_name, place};
use sql::tree::{A_Expr_Kind, BoolExprType, Node, SubLinkType, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        let found = match visited.node {
            Node::SubLink(link) if link.sub_link_type == SubLinkType::ALL_SUBLINK => {
                let is_unequal = last_name(link.oper_name()) == Some("<>");
                is_unequal.then(|| of_link(statement, link)).flatten()
            }
            Node::BoolExpr(not) if not.boolop == BoolExprType::NOT_EXPR => {
                match not.args().iter().next() {
                    Some(Node::SubLink(link)) if is_in(link) => of_link(statement, link),
                    _ => None,
                }
            }
            Node::A_Expr(list) if list.kind == A_Expr_Kind::AEXPR_IN => of_list(list),
            _ => None,
        };
        findings.extend(found);
    }
}

/// `x IN (SELECT …)` or `x = ANY (SELECT …)`.
fn is_in(link: &nodes::SubLink) -> bool {
    let name = last_name(link.oper_name());
    link.sub_link_type == SubLinkType::ANY_SUBLINK && matches!(name, None | Some("="))
}

fn of_link<'a>(statement: &LintedStatement<'a>, link: &'a nodes::SubLink) -> Option<LintFinding> {
    let Node::SelectStmt(select) = link.subselect() else {
        return None;
    };
    let id = statement.tree.query_of(select)?;
    let is_nullable = |at: &ColumnAt<'a>| is_nullable(statement, at);
    let may_be_null = NullAnalysis(&statement.tree).may_return_null(id, 0, &is_nullable);
    may_be_null.then(|| LintFinding {
        rule: LintRule::NotInNullable,
        level: LintLevel::Warning,
        at: place(link.location).or_else(|| first_place(link.testexpr())),
        message:
            "the sub-select may return NULL, and NOT IN then holds for no row: leave NULL out \
                  there, or use NOT EXISTS"
                .into(),
    })
}

/// Whether a column of a table may be NULL.
fn is_nullable<'a>(statement: &LintedStatement<'a>, at: &ColumnAt<'a>) -> bool {
    let Some((catalog, column)) = statement.catalog.zip(statement.table_column(at)) else {
        return false;
    };
    let kind = catalog.relation(column.relation).kind;
    let is_table = matches!(
        kind,
        RelationKind::Table | RelationKind::PartitionedTable | RelationKind::ForeignTable
    );
    is_table && !column.column.not_null
}

fn of_list(list: &nodes::A_Expr) -> Option<LintFinding> {
    let Node::NodeList(values) = list.rexpr() else {
        return None;
    };
    let has_null = last_name(list.name()) == Some("<>") && values.iter().any(is_null);
    has_null.then(|| LintFinding {
        rule: LintRule::NotInNullable,
        level: LintLevel::Error,
        at: place(list.location),
        message: "the list of NOT IN has NULL, so that the condition holds for no row".into(),
    })
}
