//! Each construct that runs something is found in the tree of a view that has it, on every version.

use pgsieve::catalog::catalog_rows::CatalogRows;
use pgsieve::catalog::{Oid, StoredReferences};
use pgsieve::policy::Policy;

use crate::catalog::snapshot::support::{Database, VERSIONS};
use crate::gate::stored_queries::seen;

/// One line of `views.sql` that makes a view.
struct View<'t> {
    name: &'t str,
    /// What must be found in its tree.
    items: Vec<&'t str>,
}

#[tokio::test]
async fn every_construct_that_runs_a_function_is_found() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let admin = database.admin().await;
        admin.batch_execute("CREATE SCHEMA s").await.unwrap();
        let mut views = Vec::new();
        for (since, line) in lines() {
            if since > version {
                continue;
            }
            let (statement, note) = line.split_once("; -- ").unwrap_or((line, ""));
            if let Err(error) = admin.batch_execute(statement).await {
                panic!("{version}: {error:?} at {statement}");
            }
            if let Some(rest) = statement.strip_prefix("CREATE VIEW s.") {
                let items = note.split(", ").filter(|item| !item.is_empty()).collect();
                let name = rest.split(' ').next().unwrap();
                views.push(View { name, items });
            }
        }
        check(version, &seen::rows(&database).await, &views);
    }
}

/// The statements with the first version that has them.
fn lines() -> impl Iterator<Item = (u32, &'static str)> {
    let mut since = 0;
    include_str!("../../../data/schemas/stored/views.sql")
        .lines()
        .filter_map(move |line| {
            if let Some(version) = line.strip_prefix("-- since ") {
                since = version.parse().unwrap();
            }
            (!line.starts_with("--")).then_some((since, line))
        })
}

fn check(version: u32, rows: &CatalogRows, views: &[View<'_>]) {
    let mut wrong = Vec::new();
    let effect_graph = seen::effect_graph(rows, &Policy::agent());
    let unclean = seen::unclean_relations(&effect_graph, false);
    for View { name, items } in views {
        let row = rows.relations.iter().find(|row| row.name == *name).unwrap();
        let stored = StoredReferences::read(row.view.as_deref().unwrap());
        for item in items {
            if !has(rows, &stored, item) {
                wrong.push(format!("{version}: {item} is not found in {name}"));
            }
        }
        let told = unclean.iter().find(|(unclean, _)| unclean == name);
        if told.is_some() == items.is_empty() {
            wrong.push(format!("{version}: {name} is taken for {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a tree names something of the schema `s`.
fn has(rows: &CatalogRows, stored: &StoredReferences, item: &str) -> bool {
    let schema = rows.schemas.iter().find(|row| row.name == "s").unwrap().oid;
    let (what, name) = item.split_once(' ').unwrap_or((item, item));
    let types = || {
        let found = rows
            .types
            .iter()
            .find(|row| row.name == name && row.schema == schema);
        Oid(found.unwrap().oid)
    };
    match what {
        "writes" => stored.writes,
        "reads" => {
            let found = rows.relations.iter().find(|row| row.name == name);
            stored.relations.contains(&Oid(found.unwrap().oid))
        }
        "operator" => {
            let found = rows.operators.iter().find(|row| row.name == name);
            stored.operators.contains(&Oid(found.unwrap().oid))
        }
        "type" => stored.types.contains(&types()),
        "made" => stored.made_types.contains(&types()) && stored.types.contains(&types()),
        _ => {
            let mut found = rows.functions.iter();
            let found = found.find(|row| row.name == name && row.schema == schema);
            stored.functions.contains(&Oid(found.unwrap().oid))
        }
    }
}
