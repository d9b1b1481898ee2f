//! `integer_division`: division that cuts off what is behind the point.
//!
//! # Sees
//! `/` between two integers, counts among them, whose divisor is no constant (a warning). The same,
//! and with a constant, where what is done with the result wants the fraction: it is cast to a
//! number with one, rounded up or to places, multiplied by 100 or a fraction, or compared with one
//! (an error).
//!
//! # Why
//! `count(a) / count(b)` is 0 wherever less than all are counted.
//!
//! # Before
//! - `SELECT count(employee_id) / count(*) * 100 FROM orders`
//! - `SELECT count(employee_id) / count(*) FROM orders`
//!
//! # After
//! - `SELECT count(employee_id)::numeric / count(*) FROM orders`
//! - `SELECT count(employee_id) * 100.0 / count(*) FROM orders`
//!
//! # When not
//! A constant divisor alone (`extract(year FROM d)::int / 10 * 10`): that is how one cuts on
//! purpose. Types that are not known.

use crate::query::VisitedNode;
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use catalog::{Oid, type_oid};
use sql::node_access::{constant_integer, last_name, place};
use sql::tree::{A_Expr_Kind, ConstValue, Node, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        let Node::A_Expr(division) = visited.node else {
            continue;
        };
        if !is_operator(division, &["/"]) {
            continue;
        }
        let sides = [division.lexpr(), division.rexpr()];
        let are_integers = sides.iter().all(|side| is_integer(statement, *side));
        if !are_integers {
            continue;
        }
        let wants_fraction = statement
            .tree
            .parents(visited)
            .next()
            .is_some_and(|parent| wants_fraction(statement, parent, visited));
        let level = match (wants_fraction, is_constant(division.rexpr())) {
            (true, _) => LintLevel::Error,
            (false, false) => LintLevel::Warning,
            (false, true) => continue,
        };
        findings.push(LintFinding {
            rule: LintRule::IntegerDivision,
            level,
            at: place(division.location),
            message: "both sides are integers, so that the fraction is cut off: cast one of them \
                      to numeric"
                .into(),
        });
    }
}

/// Whether what a quotient stands in wants its fraction.
fn wants_fraction<'a>(
    statement: &LintedStatement<'a>,
    parent: &VisitedNode<'a>,
    quotient: &VisitedNode<'a>,
) -> bool {
    match parent.node {
        Node::TypeCast(_) => statement.type_oid(parent.node).is_some_and(has_fraction),
        Node::FuncCall(call) => {
            let places = call.args().len() > 1;
            match last_name(call.funcname()) {
                Some("round") => places,
                Some("ceil" | "ceiling") => true,
                _ => false,
            }
        }
        Node::A_Expr(around) if is_operator(around, &["*"]) => other_side(around, quotient)
            .is_some_and(|other| {
                let percent = constant_integer(other) == Some(100);
                percent || statement.type_oid(other).is_some_and(has_fraction)
            }),
        Node::A_Expr(around) if is_operator(around, &["<", ">", "<=", ">=", "=", "<>"]) => {
            other_side(around, quotient).is_some_and(is_fraction)
        }
        _ => false,
    }
}

/// The side of an operator that a quotient is not.
fn other_side<'a>(around: &'a nodes::A_Expr, quotient: &VisitedNode<'a>) -> Option<Node<'a>> {
    let is_it = |side: Node<'a>| match (side, quotient.node) {
        (Node::A_Expr(side), Node::A_Expr(own)) => std::ptr::eq(side, own),
        _ => false,
    };
    match (is_it(around.lexpr()), is_it(around.rexpr())) {
        (true, false) => Some(around.rexpr()),
        (false, true) => Some(around.lexpr()),
        _ => None,
    }
}

fn is_operator(operation: &nodes::A_Expr, names: &[&str]) -> bool {
    let name = last_name(operation.name()).unwrap_or_default();
    operation.kind == A_Expr_Kind::AEXPR_OP && names.contains(&name)
}

fn is_integer<'a>(statement: &LintedStatement<'a>, node: Node<'a>) -> bool {
    let own = statement.type_oid(node);
    own.is_some_and(|oid| matches!(oid, type_oid::INT2 | type_oid::INT4 | type_oid::INT8))
}

fn has_fraction(oid: Oid) -> bool {
    matches!(oid, type_oid::NUMERIC | type_oid::FLOAT4 | type_oid::FLOAT8)
}

fn is_constant(node: Node<'_>) -> bool {
    matches!(node, Node::A_Const(_))
}

/// A number that is written with a fraction other than nothing.
fn is_fraction(node: Node<'_>) -> bool {
    match node {
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::Float(digits)) => {
                let fraction = digits.split_once('.').map(|(_, fraction)| fraction);
                fraction
                    .is_some_and(|digits| digits.bytes().any(|digit| matches!(digit, b'1'..=b'9')))
            }
            _ => false,
        },
        _ => false,
    }
}
