//! The functions and operators that a call in quotes may be made of: of dates, and of numbers.

use sql::node_access::{self, last_name};
use sql::tree::{Node, SQLValueFunctionOp, nodes};

/// Whether a node belongs to an expression of dates.
pub(super) fn is_of_dates(node: Node<'_>) -> bool {
    match node {
        Node::FuncCall(call) => {
            let name = last_name(call.funcname()).unwrap_or_default();
            call.funcname().len() == 1 && FUNCTIONS.contains(&name)
        }
        Node::A_Expr(operation) => {
            matches!(last_name(operation.name()), Some("+" | "-"))
        }
        // The units of DATEADD.
        Node::ColumnRef(column) => (column.fields().first())
            .and_then(Node::as_str)
            .is_some_and(|name| column.fields().len() == 1 && UNITS.contains(&name)),
        Node::SQLValueFunction(of) => matches!(
            of.op,
            SQLValueFunctionOp::SVFOP_CURRENT_DATE
                | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP
                | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP_N
                | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP
                | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP_N
        ),
        Node::A_Const(_)
        | Node::TypeCast(_)
        | Node::TypeName(_)
        | Node::String(_)
        | Node::Integer(_)
        | Node::NodeList(_) => true,
        _ => false,
    }
}

/// Whether a node belongs to an expression of numbers, some of which are taken out of dates.
pub(super) fn is_of_numbers(node: Node<'_>) -> bool {
    match node {
        Node::FuncCall(call) => gives_number(call) || is_of_dates(node),
        Node::A_Expr(operation) => is_arithmetic(operation),
        Node::MinMaxExpr(_) | Node::CoalesceExpr(_) => true,
        node => is_of_dates(node),
    }
}

/// Whether an expression is a number that is no literal alone.
pub(super) fn is_number(value: Node<'_>) -> bool {
    match value {
        Node::FuncCall(call) => gives_number(call),
        Node::A_Expr(operation) => {
            let sides = [operation.lexpr(), operation.rexpr()];
            is_arithmetic(operation)
                && sides.iter().all(|side| is_operand(*side))
                && sides.iter().any(|side| is_number(*side))
        }
        Node::MinMaxExpr(of) => of.args().iter().all(is_operand) && of.args().iter().any(is_number),
        Node::CoalesceExpr(of) => {
            of.args().iter().all(is_operand) && of.args().iter().any(is_number)
        }
        Node::TypeCast(cast) => is_number(cast.arg()),
        _ => false,
    }
}

fn is_operand(node: Node<'_>) -> bool {
    let is_literal = matches!(node, Node::A_Const(_)) && node_access::constant_text(node).is_none();
    is_literal || is_number(node)
}

fn is_arithmetic(operation: &nodes::A_Expr) -> bool {
    let signs = ["+", "-", "*", "/", "%"];
    last_name(operation.name()).is_some_and(|sign| signs.contains(&sign))
}

/// Whether a call gives a number. The grammar has a schema for EXTRACT.
fn gives_number(call: &nodes::FuncCall) -> bool {
    let name = last_name(call.funcname()).unwrap_or_default();
    match call.funcname().len() {
        1 => OF_NUMBERS.contains(&name),
        _ => name == "extract",
    }
}

/// Functions of dates, of Postgres and of others.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "now", "date_trunc", "make_date", "to_date", "to_timestamp", "clock_timestamp",
    "statement_timestamp", "transaction_timestamp", "age", "date", "date_add", "date_sub",
    "dateadd", "getdate", "sysdate", "curdate", "datetime", "adddate", "subdate", "last_day",
    "date_part", "timezone",
];

const UNITS: &[&str] = &[
    "year", "quarter", "month", "week", "day", "hour", "minute", "second",
];

/// Functions that give numbers, of Postgres and of others.
#[rustfmt::skip]
const OF_NUMBERS: &[&str] = &[
    "abs", "ceil", "ceiling", "cos", "date_part", "datediff", "datepart", "day", "dayofmonth",
    "dayofweek", "dayofyear", "exp", "floor", "hour", "ln", "log", "minute", "mod", "month", "pi",
    "pow", "power", "quarter", "round", "second", "sign", "sin", "sqrt", "tan", "trunc", "truncate",
    "week", "weekday", "year",
];
