//! `time_zone_mix`: moments with and without a time zone beside each other.
//!
//! # Sees
//! A timestamp without time zone that is compared with, or subtracted from, one with a time zone;
//! `now()` and CURRENT_TIMESTAMP have one. The same of times of day, and of `age`.
//!
//! # Why
//! The one without is read in the time zone of the session: the same statement has other rows for
//! another client, and in the hour that summer time takes.
//!
//! # Before
//! - `SELECT id FROM orders WHERE shipped_at > placed_at`
//! - `SELECT id FROM payments WHERE paid_at < now()`
//!
//! # After
//! - `SELECT id FROM orders WHERE shipped_at AT TIME ZONE 'UTC' > placed_at`
//! - `SELECT id FROM payments WHERE paid_at < LOCALTIMESTAMP`
//!
//! # When not
//! Literals without a type, which become what stands beside them. Dates. Types that are not known.

use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use catalog::type_oid;
use sql::node_access::{last_name, place};
use sql::tree::{A_Expr_Kind, Node, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        let (at, sides) = match visited.node {
            Node::A_Expr(operation) => (operation.location, compared(operation)),
            Node::FuncCall(call) if last_name(call.funcname()) == Some("age") => {
                (call.location, call.args().iter().collect())
            }
            _ => continue,
        };
        let types: Vec<_> = sides
            .iter()
            .filter_map(|side| statement.type_oid(*side))
            .collect();
        let mixed = PAIRS
            .iter()
            .any(|pair| pair.iter().all(|oid| types.contains(oid)));
        if mixed {
            findings.push(LintFinding {
                rule: LintRule::TimeZoneMix,
                level: LintLevel::Warning,
                at: place(at),
                message: "one side has a time zone and the other has none, which is read in the \
                          time zone of the session: say which with AT TIME ZONE"
                    .into(),
            });
        }
    }
}

/// What an operation compares or subtracts.
fn compared(operation: &nodes::A_Expr) -> Vec<Node<'_>> {
    let name = last_name(operation.name()).unwrap_or_default();
    let is_wanted = match operation.kind {
        A_Expr_Kind::AEXPR_OP => OPERATORS.contains(&name),
        A_Expr_Kind::AEXPR_IN
        | A_Expr_Kind::AEXPR_DISTINCT
        | A_Expr_Kind::AEXPR_NOT_DISTINCT
        | A_Expr_Kind::AEXPR_BETWEEN
        | A_Expr_Kind::AEXPR_NOT_BETWEEN
        | A_Expr_Kind::AEXPR_BETWEEN_SYM
        | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM => true,
        _ => false,
    };
    if !is_wanted {
        return Vec::new();
    }
    let mut sides = vec![operation.lexpr()];
    match operation.rexpr() {
        Node::NodeList(list) => sides.extend(list.iter()),
        one => sides.push(one),
    }
    sides
}

const OPERATORS: &[&str] = &["=", "<>", "<", ">", "<=", ">=", "-"];

const PAIRS: [[catalog::Oid; 2]; 2] = [
    [type_oid::TIMESTAMP, type_oid::TIMESTAMPTZ],
    [type_oid::TIME, type_oid::TIMETZ],
];
