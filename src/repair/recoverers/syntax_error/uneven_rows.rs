//! Rows of VALUES, and sides of UNION, that are not of one length: nobody can say what is missing.

use crate::predict::width;
use crate::{FailureClass, RepairContext};
use sql::node_access;
use sql::tree::{Node, SetOperation, nodes};

/// Words that name both lengths.
pub(in crate::recoverers::syntax_error) fn advice(context: &RepairContext<'_>) -> Option<String> {
    if context.failure.class != FailureClass::SyntaxError {
        return None;
    }
    let all = node_access::all(context.statement()?)?;
    all.iter().find_map(|node| match node {
        Node::SelectStmt(select) => of_values(select).or_else(|| of_set_operation(select)),
        _ => None,
    })
}

fn of_values(select: &nodes::SelectStmt) -> Option<String> {
    let rows = select.values_lists().iter().filter_map(|row| match row {
        Node::NodeList(row) => Some(row.len()),
        _ => None,
    });
    let (first, other) = first_unequal(rows)?;
    Some(format!(
        "Every row of VALUES has the same number of values: here one has {first} and another one \
         {other}. Write NULL for a value that is missing."
    ))
}

fn of_set_operation(select: &nodes::SelectStmt) -> Option<String> {
    let word = match select.op {
        SetOperation::SETOP_UNION => "UNION",
        SetOperation::SETOP_INTERSECT => "INTERSECT",
        SetOperation::SETOP_EXCEPT => "EXCEPT",
        // Also where there is none.
        _ => return None,
    };
    let sides = [select.larg(), select.rarg()].into_iter().flatten();
    let (left, right) = first_unequal(sides.filter_map(columns))?;
    Some(format!(
        "All sides of {word} return the same number of columns: here one has {left} and another \
         one {right}. Write NULL AS x for a column that is missing."
    ))
}

/// How many columns a query has, its first side where it has several.
fn columns(mut select: &nodes::SelectStmt) -> Option<usize> {
    while select.op != SetOperation::SETOP_NONE {
        select = select.larg()?;
    }
    width(select)
}

/// The first of some numbers, and the first other one.
fn first_unequal(numbers: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    let mut numbers = numbers;
    let first = numbers.next()?;
    let other = numbers.find(|number| *number != first)?;
    Some((first, other))
}
