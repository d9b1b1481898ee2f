//! `tableoid` of a catalog that a SELECT stands for: tools join comments by it.
//!
//! <https://www.postgresql.org/docs/current/ddl-system-columns.html>

use std::collections::HashSet;

use crate::Refusal;
use crate::effects::graph::EffectGraph;
use crate::rules::model;
use catalog::{Oid, RelationKind};
use sql::tree::{self, Node};

/// Whether a statement that reads these models names the column of one.
///
/// # Errors
/// It does, and something else in it would see one column more than a catalog has.
pub(super) fn needs_tableoid(
    node: Node<'_>,
    models: impl Iterator<Item = usize>,
    effect_graph: &EffectGraph,
) -> Result<bool, Box<Refusal>> {
    let catalogs = models.filter(|place| catalog_table(*place, effect_graph).is_some());
    let models = catalogs.filter_map(|place| effect_graph.models().get(place));
    let mut rows: HashSet<&str> = models.map(|model| &*model.name).collect();
    if rows.is_empty() {
        return Ok(false);
    }
    let mut needed = false;
    let mut shows_all = false;
    let mut whole: HashSet<&str> = HashSet::new();
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

/// What stands before and behind a SELECT to give it the column, where it stands for a catalog.
pub(super) fn with_tableoid(model: usize, effect_graph: &EffectGraph) -> (String, &'static str) {
    let Some(Oid(number)) = catalog_table(model, effect_graph) else {
        return (String::new(), "");
    };
    let before = format!("(SELECT v.*, CAST('{number}' AS pg_catalog.oid) AS {COLUMN} FROM ");
    (before, " AS v)")
}

/// The number of the table of the server's that a model stands for. Views have no such columns.
fn catalog_table(model: usize, effect_graph: &EffectGraph) -> Option<Oid> {
    let model = effect_graph.models().get(model)?;
    let relation = effect_graph.catalog().relation(model.covers?);
    let is_table = model.is_catalog() && relation.kind == RelationKind::Table;
    is_table.then_some(relation.oid)
}

const COLUMN: &str = "tableoid";
