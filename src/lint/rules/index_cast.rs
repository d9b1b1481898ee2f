//! `index_cast`: casts that nobody wrote and that keep an index from being used.
//!
//! # Sees
//! A column that is the first of an index, compared with a value of a type to which the server
//! casts the column: an integer beside a number with a fraction, a numeric beside a float, a
//! character(n) beside a text.
//!
//! # Why
//! The index has the column and not the cast of it: every row of the table is read.
//!
//! # Before
//! - `SELECT total FROM orders WHERE id = 5.0`
//! - `SELECT name FROM customers WHERE country = 'NO'::text`
//!
//! # After
//! - `SELECT total FROM orders WHERE id = 5`
//! - `SELECT name FROM customers WHERE country = 'NO'`
//!
//! # When not
//! Integers of different sizes, and dates beside timestamps: indexes compare these. A cast that is
//! written. Columns without an index.

use crate::query::QueryId;
use crate::statement::LintedStatement;
use crate::{LintFinding, LintLevel, LintRule};
use catalog::{KeyKind, Oid, type_oid};
use sql::node_access::{last_name, place};
use sql::tree::{A_Expr_Kind, Node, nodes};

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    for visited in statement.tree.nodes() {
        let (Node::A_Expr(comparison), Some(query)) = (visited.node, visited.query) else {
            continue;
        };
        if let Some(name) = cast_column(statement, query, comparison) {
            findings.push(LintFinding {
                rule: LintRule::IndexCast,
                level: LintLevel::Warning,
                at: place(comparison.location),
                message: format!(
                    "the server casts {name} to the type beside it, so that no index on {name} is \
                     used: cast the other side to the column's type"
                ),
            });
        }
    }
}

/// The column of a comparison that is cast although an index begins with it.
fn cast_column<'a>(
    statement: &LintedStatement<'a>,
    query: QueryId,
    comparison: &'a nodes::A_Expr,
) -> Option<String> {
    let name = last_name(comparison.name())?;
    let (left, right) = (comparison.lexpr(), comparison.rexpr());
    let is_wanted = match comparison.kind {
        A_Expr_Kind::AEXPR_OP => matches!(name, "=" | "<" | ">" | "<=" | ">="),
        A_Expr_Kind::AEXPR_IN => name == "=",
        A_Expr_Kind::AEXPR_BETWEEN => true,
        _ => false,
    };
    if !is_wanted {
        return None;
    }
    let others: Vec<Node<'a>> = match right {
        Node::NodeList(list) => list.iter().collect(),
        one => vec![one],
    };
    let is_cast = |column: Node<'a>, others: &[Node<'a>]| {
        let at = statement.plain_column(query, column)?;
        let own = statement.type_oid(column)?;
        let mut types = others.iter().filter_map(|other| statement.type_oid(*other));
        let cast = types.any(|other| is_cast_to(own, other));
        (cast && is_indexed(statement, &at)).then(|| statement.column_name(&at))
    };
    is_cast(left, &others).or_else(|| is_cast(right, &[left]))
}

/// Whether the server casts the first type where it is compared with the second.
fn is_cast_to(own: Oid, other: Oid) -> bool {
    let is_float = matches!(other, type_oid::FLOAT4 | type_oid::FLOAT8);
    match own {
        type_oid::INT2 | type_oid::INT4 | type_oid::INT8 => is_float || other == type_oid::NUMERIC,
        type_oid::NUMERIC => is_float,
        type_oid::BPCHAR => matches!(other, type_oid::TEXT | type_oid::VARCHAR),
        _ => false,
    }
}

/// Whether a column is the first of a key or an index of its table.
fn is_indexed<'a>(statement: &LintedStatement<'a>, at: &crate::query::ColumnAt<'a>) -> bool {
    let (Some(catalog), Some(column)) = (statement.catalog, statement.table_column(at)) else {
        return false;
    };
    let number = column.column.number;
    let mut keys = catalog.keys_of(column.relation).iter();
    let is_key = keys.any(|key| {
        matches!(key.kind, KeyKind::Primary | KeyKind::Unique)
            && key.columns.first() == Some(&number)
    });
    let indexed = statement.facts.map(|facts| &facts.indexed_columns);
    is_key || indexed.is_some_and(|all| all.contains(&(column.oid, number)))
}
