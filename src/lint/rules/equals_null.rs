//! `equals_null`: comparisons with NULL.
//!
//! # Sees
//! `=`, `<>`, `<`, `>`, `<=` and `>=` with NULL on one side, `IN` whose list has it, and CASE that
//! compares with it. A list with other values beside it is a warning, all else an error.
//!
//! # Why
//! Nothing is equal to NULL, and nothing is unequal to it: the condition never holds.
//!
//! # Before
//! - `SELECT id FROM orders WHERE employee_id = NULL`
//! - `SELECT CASE note WHEN NULL THEN 'none' ELSE note END FROM orders`
//!
//! # After
//! - `SELECT id FROM orders WHERE employee_id IS NULL`
//! - `SELECT coalesce(note, 'none') FROM orders`
//!
//! # When not
//! IS DISTINCT FROM compares NULL as a value. NOT IN with NULL in its list is `not_in_nullable`.
//! A filter that is left out where its value is NULL: `(NULL IS NULL OR x = NULL)`, as drivers
//! write it that put values into texts.

use crate::database_facts::uncast;
use crate::query::{VisitedNode, first_place};
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use sql::node_access::{last_name, place};
use sql::tree::{A_Expr_Kind, BoolExprType, Node, NullTestType, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        if is_optional(statement, visited) {
            continue;
        }
        let found = match visited.node {
            Node::A_Expr(comparison) => of_comparison(comparison),
            Node::CaseExpr(case) if !matches!(case.arg(), Node::None) => of_case(case),
            _ => None,
        };
        findings.extend(found);
    }
}

/// Whether something stands beside `NULL IS NULL` in an OR: a filter that is left out where nothing
/// is given for it.
fn is_optional<'a>(statement: &LintedStatement<'a>, visited: &VisitedNode<'a>) -> bool {
    let around = statement.tree.parents(visited).map(|parent| parent.node);
    let mut around = around.take_while(|node| matches!(node, Node::BoolExpr(_)));
    around.any(|node| match node {
        Node::BoolExpr(parts) if parts.boolop == BoolExprType::OR_EXPR => {
            parts.args().iter().any(is_left_out)
        }
        _ => false,
    })
}

/// `NULL IS NULL`.
fn is_left_out(node: Node<'_>) -> bool {
    match node {
        Node::NullTest(test) => test.nulltesttype == NullTestType::IS_NULL && is_null(test.arg()),
        _ => false,
    }
}

fn of_comparison(comparison: &nodes::A_Expr) -> Option<LintFinding> {
    let name = last_name(comparison.name())?;
    let at = place(comparison.location);
    match comparison.kind {
        A_Expr_Kind::AEXPR_OP if COMPARISONS.contains(&name) => {
            let sides = [comparison.lexpr(), comparison.rexpr()];
            sides
                .into_iter()
                .any(is_null)
                .then(|| finding(LintLevel::Error, at))
        }
        A_Expr_Kind::AEXPR_IN if name == "=" => {
            let Node::NodeList(list) = comparison.rexpr() else {
                return None;
            };
            let nulls = list.iter().filter(|one| is_null(*one)).count();
            let level = match nulls == list.len() {
                true => LintLevel::Error,
                false => LintLevel::Warning,
            };
            (nulls > 0).then(|| finding(level, at))
        }
        _ => None,
    }
}

fn of_case(case: &nodes::CaseExpr) -> Option<LintFinding> {
    let mut whens = case.args().iter().filter_map(|when| match when {
        Node::CaseWhen(when) => Some(when),
        _ => None,
    });
    let when = whens.find(|when| is_null(when.expr()))?;
    let at = first_place(when.expr()).or(place(when.location));
    Some(finding(LintLevel::Error, at))
}

fn finding(level: LintLevel, at: Option<usize>) -> LintFinding {
    LintFinding {
        rule: LintRule::EqualsNull,
        level,
        at,
        message: "nothing is equal or unequal to NULL, so that this comparison never holds: IS \
                  NULL and IS NOT NULL ask for it"
            .into(),
    }
}

/// NULL as it is written, or cast.
pub(super) fn is_null(node: Node<'_>) -> bool {
    matches!(uncast(node), Node::A_Const(constant) if constant.isnull)
}

const COMPARISONS: &[&str] = &["=", "<>", "<", ">", "<=", ">="];
