//! The server's own relations: clean, but for those whose functions the table of built-ins refuses.

use pgsieve::gate::effects::graph::NameFlags;
use pgsieve::gate::functions::{self, FunctionVerdict};
use pgsieve::policy::Policy;

use crate::catalog::snapshot::support::{Database, VERSIONS};
use crate::gate::stored_queries::seen;

/// The relations that are not, and the first version that has them: their functions read files,
/// belong to replication, or touch all shared memory.
const UNCLEAN: &[(u32, &str)] = &[
    (13, "pg_file_settings"),
    (13, "pg_hba_file_rules"),
    (15, "pg_ident_file_mappings"),
    (13, "pg_replication_origin_status"),
    (18, "pg_shmem_allocations_numa"),
];

#[tokio::test]
async fn system_views_are_clean_but_for_those_whose_functions_are_refused() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let rows = seen::rows(&database).await;
        for policy in [Policy::agent(), Policy::bi(), Policy::strict()] {
            let effect_graph = seen::effect_graph(&rows, &policy);
            let found = seen::unclean_relations(&effect_graph, true);
            let wanted = UNCLEAN.iter().filter(|(since, _)| *since <= version);
            let wanted: Vec<&str> = wanted.map(|(_, name)| *name).collect();
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, wanted, "{version}: {found:#?}");
        }
    }
}

#[tokio::test]
async fn a_bare_server_hides_nothing_behind_operators_casts_and_types() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let effect_graph = seen::effect_graph(&seen::rows(&database).await, &Policy::strict());
        let catalog = effect_graph.catalog();
        let operators = catalog.operators().map(|(_, operator)| operator.name);
        let types = catalog.data_types().map(|(_, data_type)| data_type.name);
        for name in operators.chain(types) {
            let hides = effect_graph
                .flags(name)
                .any_of(NameFlags::OPERATOR.with(NameFlags::TYPE));
            assert!(!hides, "{version}: {}", catalog.names().text(name));
        }
        assert!(
            catalog
                .casts()
                .all(|(id, _)| effect_graph.cast(id).is_none()),
            "{version}"
        );
        assert!(
            effect_graph.implicit_casts().is_empty() && !effect_graph.making_any_type_has_effects()
        );
        // What the gate refuses by the table of built-ins is refused here, and nothing else.
        for (id, function) in catalog.functions() {
            let schema = catalog.names().text(catalog.schema(function.schema).name);
            let name = catalog.names().text(function.name);
            let verdict = functions::verdict(Some(schema), name, function.arguments.len());
            let allowed = verdict == FunctionVerdict::Allowed;
            assert_eq!(
                effect_graph.called_by_name(id).is_none(),
                allowed,
                "{version}: {name}"
            );
        }
    }
}
