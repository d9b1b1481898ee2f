//! What the functions of common extensions are taken for: by what they say, but for those that are
//! known to do more.

use pgsieve::catalog::TypeId;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::policy::Policy;

use crate::catalog::snapshot::support::Database;
use crate::gate::stored_queries::seen;
use crate::support::sql::rows;

/// Extensions, and those of their functions that a statement may not call.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("btree_gist", &[]),
    // Most of them have the names of built-in functions.
    ("citext", &[]),
    ("cube", &[]),
    ("earthdistance", &[]),
    ("fuzzystrmatch", &[]),
    ("hstore", &[]),
    ("isn", &["isn_weak"]),
    ("ltree", &[]),
    ("pg_stat_statements", &["pg_stat_statements_reset"]),
    ("pg_trgm", &["set_limit"]),
    ("pgcrypto", &[]),
    ("seg", &[]),
    (
        "tablefunc",
        &[
            "connectby",
            "crosstab",
            "crosstab2",
            "crosstab3",
            "crosstab4",
        ],
    ),
    ("unaccent", &[]),
    ("xml2", &["xpath_table"]),
];

#[tokio::test]
async fn extensions_are_what_they_say_but_for_those_that_are_not() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let available = "SELECT name FROM pg_available_extensions";
    let available = rows(&database.admin().await, available).await;
    for (extension, wanted) in EXTENSIONS {
        if !available.iter().any(|row| row[0] == *extension) {
            eprintln!("SKIPPED: there is no {extension} on this machine");
            continue;
        }
        let database = Database::new(15).await.unwrap();
        let text = format!("CREATE EXTENSION {extension} CASCADE");
        database.admin().await.batch_execute(&text).await.unwrap();
        let rows = seen::rows(&database).await;
        let effect_graph = seen::effect_graph(&rows, &Policy::agent());
        assert_eq!(unclean_functions(&effect_graph), *wanted, "{extension}");
        let machinery = operators_casts_and_types(&effect_graph);
        assert!(machinery.is_empty(), "{extension}: {machinery:?}");
        // Where nobody is trusted, all of it must be named.
        let strict = seen::effect_graph(&rows, &Policy::strict());
        let all = strict.catalog().functions();
        let mut of_users = all.filter(|(_, function)| !function.oid.is_built_in());
        assert!(
            of_users.all(|(id, _)| strict.called_by_name(id).is_some()),
            "{extension}"
        );
    }
}

/// The names of the functions of users that a statement could call, and may not, each once.
fn unclean_functions(effect_graph: &EffectGraph) -> Vec<&str> {
    let catalog = effect_graph.catalog();
    let internal = |id: &TypeId| catalog.names().text(catalog.data_type(*id).name) == "internal";
    let of_users = catalog.functions().filter(|(id, function)| {
        !function.oid.is_built_in()
            && !function.arguments.iter().any(internal)
            && effect_graph.called_by_name(*id).is_some()
    });
    let mut names: Vec<&str> = of_users
        .map(|(_, function)| catalog.names().text(function.name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn operators_casts_and_types(effect_graph: &EffectGraph) -> Vec<String> {
    let catalog = effect_graph.catalog();
    let operators = catalog
        .operators()
        .filter_map(|(id, _)| effect_graph.operator(id));
    let casts = catalog.casts().filter_map(|(id, _)| effect_graph.cast(id));
    let making = catalog
        .data_types()
        .filter_map(|(id, _)| effect_graph.making(id));
    let using = catalog
        .data_types()
        .filter_map(|(id, _)| effect_graph.using(id));
    let hidden = operators.chain(casts).chain(making).chain(using);
    let superuser = catalog.role_named("postgres");
    hidden
        .filter_map(|hidden| hidden.sentence(catalog, superuser))
        .collect()
}
