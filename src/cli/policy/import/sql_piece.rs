//! Pieces of SQL as a manifest has them. Postgres's grammar says what they are.

use crate::limits::MODEL_SQL_BYTES_MAX;
use crate::policy::columns_of_expression;
use crate::sql::prescan::prescan;
use crate::sql::tree::{self, Node, SetOperation, SyntaxTree, nodes};

/// The schema and name of a relation that is written with one, as the catalog has them.
pub(super) fn relation(written: &str) -> Option<(String, String)> {
    let parsed = parsed("TABLE ", written)?;
    let select = select(&parsed)?;
    let mut from = select.from_clause().iter();
    let (Some(Node::RangeVar(table)), None) = (from.next(), from.next()) else {
        return None;
    };
    let is_bare = select.op == SetOperation::SETOP_NONE
        && select.sort_clause().is_empty()
        && table.inh
        && table.alias().is_none();
    let names = table.schemaname().zip(table.relname());
    let (schema, name) = names.filter(|_| is_bare)?;
    Some((schema.to_owned(), name.to_owned()))
}

/// The name of a column, where a piece is nothing else.
pub(super) fn bare_column(written: &str) -> Option<String> {
    columns_of_expression(written).ok()?;
    let parsed = parsed("SELECT ", written)?;
    let mut targets = select(&parsed)?.target_list().iter();
    let (Some(target), None) = (targets.next(), targets.next()) else {
        return None;
    };
    let Node::ColumnRef(column) = target.val() else {
        return None;
    };
    let mut fields = column.fields().iter();
    let (Some(name), None) = (fields.next(), fields.next()) else {
        return None;
    };
    name.as_str().map(str::to_owned)
}

/// An expression over the columns of one relation, as it can stand in SQL.
///
/// # Errors
/// What it is instead.
pub(super) fn expression(written: &str) -> Result<&str, String> {
    if written.contains("{{") || written.contains("{%") {
        return Err("it has Jinja in it".into());
    }
    let columns = columns_of_expression(written)?;
    match columns.iter().any(|(qualifier, _)| qualifier.is_some()) {
        true => Err("it names a column with its table".into()),
        false => Ok(written.trim()),
    }
}

fn parsed(opens: &str, piece: &str) -> Option<SyntaxTree> {
    let text = format!("{opens}{piece}");
    prescan(&text, MODEL_SQL_BYTES_MAX).ok()?;
    tree::parse(&text).ok()
}

fn select(parsed: &SyntaxTree) -> Option<&nodes::SelectStmt> {
    let mut statements = parsed.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return None;
    };
    match only.node {
        Node::SelectStmt(select) => Some(select),
        _ => None,
    }
}
