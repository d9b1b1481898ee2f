//! What the names in FROM of a statement mean to the models, where every search_path says the same.

use super::FromNameMeaning;
use super::from_names::FromName;
use super::with_names::{FromNameKinds, WithOrRelation};
use crate::Refusal;
use crate::effects::graph::EffectGraph;
use crate::rules::model;
use catalog::SearchPath;
use resolve::{KnownParameters, LookupContext};
use sql::tree::Node;

/// What each name means, in their order; `paths` are none where they are not known.
pub(super) fn of(
    node: Node<'_>,
    marked: &[FromName<'_>],
    effect_graph: &EffectGraph,
    paths: Option<&[SearchPath]>,
) -> Result<Vec<FromNameMeaning>, Box<Refusal>> {
    let nowhere = [effect_graph.catalog().search_path::<&str>(&[], None)];
    let known = paths.is_some();
    let paths = paths.unwrap_or(&nowhere);
    let mut agreed: Option<Vec<FromNameMeaning>> = None;
    for path in paths {
        let own = on_path((path, known), node, marked, effect_graph)?;
        match &agreed {
            None => agreed = Some(own),
            Some(others) if *others == own => {}
            Some(_) => return Err(model::not_resolved(None)),
        }
    }
    agreed.ok_or_else(|| model::not_resolved(None))
}

fn on_path(
    (path, known): (&SearchPath, bool),
    node: Node<'_>,
    marked: &[FromName<'_>],
    effect_graph: &EffectGraph,
) -> Result<Vec<FromNameMeaning>, Box<Refusal>> {
    let catalog = effect_graph.catalog();
    let lookup = LookupContext {
        catalog,
        path,
        parameters: KnownParameters::Unclear,
    };
    if matches!(node, Node::ExecuteStmt(_)) {
        return Err(model::not_resolved(None));
    }
    let resolution = resolve::statement(node, &lookup).map_err(|_| model::not_resolved(None))?;
    let stands = FromNameKinds::of(&resolution);
    let meaning = |table: &FromName<'_>| match stands.kind_at(table) {
        Some(WithOrRelation::Common) => Ok(FromNameMeaning::Plain),
        Some(WithOrRelation::Relation) if known => {
            Ok(effect_graph.models().meaning(table.node, catalog, path))
        }
        Some(WithOrRelation::Relation) | None => Err(model::not_resolved(table.node.relname())),
    };
    marked.iter().map(meaning).collect()
}
