//! `tableoid` of a catalog that a SELECT stands for: tools join comments by it.
//!
//! <https://www.postgresql.org/docs/current/ddl-system-columns.html>

use std::collections::HashSet;

use crate::catalog::Oid;
use crate::gate::Refusal;
use crate::gate::rules::model;
use crate::sql::tree::{self, Node};

/// Whether a statement that reads these catalogs names the column.
///
/// # Errors
/// It does, and something else in it would see one column more than a catalog has.
pub(super) fn needs_tableoid(node: Node<'_>, catalogs: Vec<&str>) -> Result<bool, Box<Refusal>> {
    if catalogs.is_empty() {
        return Ok(false);
    }
    let mut needed = false;
    let mut shows_all = false;
    let mut whole: HashSet<&str> = HashSet::new();
    let mut rows: HashSet<&str> = catalogs.into_iter().collect();
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        match next {
            Node::ColumnRef(column) => {
                let mut fields = column.fields().iter();
                match fields.next_back() {
                    Some(Node::A_Star(_)) => shows_all = true,
                    Some(last) if last.as_str() == Some(COLUMN) => needed = true,
                    Some(last) => whole.extend(last.as_str()),
                    None => {}
                }
            }
            Node::JoinExpr(join) => shows_all |= join.is_natural,
            Node::Alias(alias) => rows.extend(alias.aliasname()),
            _ => {}
        }
        tree::children(next, &mut waiting).map_err(|_| model::not_resolved(None))?;
    }
    let shows_all = shows_all || !rows.is_disjoint(&whole);
    match needed && shows_all {
        true => Err(model::form(
            "tableoid of a catalog is not supported in a statement with *, NATURAL JOIN or a whole row",
            "Name the columns that you want.",
        )),
        false => Ok(needed),
    }
}

/// What stands before and behind the SELECT of a catalog to give it the column.
pub(super) fn with_tableoid(catalog: Oid) -> (String, &'static str) {
    let number = catalog.0;
    let before = format!("(SELECT v.*, CAST('{number}' AS pg_catalog.oid) AS {COLUMN} FROM ");
    (before, " AS v)")
}

const COLUMN: &str = "tableoid";
