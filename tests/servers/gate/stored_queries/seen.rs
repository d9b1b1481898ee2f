//! A database with its snapshot, looked through.

use std::sync::Arc;

use pgsieve::catalog::catalog_rows::CatalogRows;
use pgsieve::catalog::{Catalog, RelationId, SchemaKind};
use pgsieve::gate::effects::graph::{EffectGraph, InheritanceReach};
use pgsieve::policy::Policy;
use pgsieve::upstream::snapshot;

use crate::catalog::snapshot::support::Database;

/// What a database contains.
pub async fn rows(database: &Database) -> CatalogRows {
    snapshot::load(&database.catalog().await).await.unwrap()
}

/// The same, looked through under a policy.
pub fn effect_graph(rows: &CatalogRows, policy: &Policy) -> EffectGraph {
    let catalog = Catalog::build(rows.clone()).unwrap();
    EffectGraph::new(Arc::new(catalog), policy)
}

/// All relations of the server's own schemas, or of the others, that are not clean, with why.
pub fn unclean_relations(effect_graph: &EffectGraph, of_server: bool) -> Vec<(String, String)> {
    let catalog = effect_graph.catalog();
    let mut found: Vec<(String, String)> = relations(catalog, of_server)
        .filter_map(|id| {
            let hidden = effect_graph.relation(id, InheritanceReach::WithChildren)?;
            let told = hidden.sentence(catalog, catalog.role_named("postgres"));
            let name = catalog.names().text(catalog.relation(id).name).to_owned();
            Some((
                name,
                told.unwrap_or_else(|| format!("{:?}", hidden.reason())),
            ))
        })
        .collect();
    found.sort();
    found
}

fn relations(catalog: &Catalog, of_server: bool) -> impl Iterator<Item = RelationId> {
    catalog.relations().filter_map(move |(id, relation)| {
        let kind = catalog.schema(relation.schema).kind;
        let own = matches!(kind, SchemaKind::Catalog | SchemaKind::InformationSchema);
        (own == of_server).then_some(id)
    })
}
