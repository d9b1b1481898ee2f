//! LOCK TABLE, which has no SELECT to stand for.

use super::{FromNameMeaning, SnapshotModels};
use crate::command_label;
use crate::rules::{RuleResult, model};
use catalog::{Catalog, SearchPath};
use sql::tree::Node;

/// What it names is no model, wherever names are looked up.
pub(crate) fn check<'t>(
    nodes: impl Iterator<Item = Node<'t>>,
    (models, catalog): (&SnapshotModels, &Catalog),
    paths: Option<&[SearchPath]>,
) -> RuleResult {
    for node in nodes {
        let Node::RangeVar(table) = node else {
            return Err(model::not_resolved(None));
        };
        let Some(paths) = paths else {
            return Err(model::not_resolved(table.relname()));
        };
        let meaning = |path| models.meaning(table, catalog, path);
        if paths
            .iter()
            .any(|path| meaning(path) != FromNameMeaning::Plain)
        {
            return Err(model::form(
                &format!(
                    "LOCK TABLE {} is not allowed: it is a model",
                    command_label::relation(table)
                ),
                "Leave it out: a REPEATABLE READ transaction sees one state of all tables without \
                 locks.",
            ));
        }
    }
    Ok(())
}
