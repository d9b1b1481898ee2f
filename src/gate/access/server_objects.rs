//! What the server itself holds of other people's data and texts: hidden as soon as a policy hides
//! anything, whatever it allows by name.
//!
//! Samples of rows (statistics, the value that ALTER TABLE gave to old rows), rows kept elsewhere
//! (TOAST, large objects, pages, WAL), where sequences stand, what other sessions run, and secrets.
//! What a session has prepared runs with the policy's models in it: the server would show their
//! texts. Definitions of objects (`pg_get_viewdef`, `pg_get_expr`, bounds of partitions) are no
//! rows.

use crate::extensions;
use catalog::{Catalog, Function, RelationId, SchemaKind};

/// How much of a relation is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenExtent {
    /// Nothing.
    Nothing,
    /// All of it.
    Whole,
    /// One column.
    Column(&'static str),
}

/// What is hidden of a relation.
pub(super) fn relation(catalog: &Catalog, id: RelationId) -> HiddenExtent {
    let relation = catalog.relation(id);
    let name = catalog.names().text(relation.name);
    let of = |list: &[(&str, HiddenExtent)]| {
        let found = list.iter().find(|(own, _)| *own == name);
        found.map_or(HiddenExtent::Nothing, |(_, hidden)| *hidden)
    };
    match catalog.schema(relation.schema).kind {
        SchemaKind::Catalog | SchemaKind::InformationSchema => of(RELATIONS),
        SchemaKind::Toast => HiddenExtent::Whole,
        SchemaKind::Temporary | SchemaKind::Ordinary => of(OF_EXTENSIONS),
    }
}

/// Whether a schema is the server's own.
pub(super) fn is_of_server(kind: SchemaKind) -> bool {
    matches!(kind, SchemaKind::Catalog | SchemaKind::InformationSchema)
}

/// Whether a relation that the snapshot does not have would be hidden: TOAST tables are in none.
pub(super) fn hides_unknown(schema: Option<&str>, name: &str) -> bool {
    let toast = schema.is_some_and(|schema| schema.starts_with("pg_toast"));
    let listed = || {
        let all = RELATIONS.iter().chain(OF_EXTENSIONS);
        all.into_iter().any(|(own, _)| *own == name)
    };
    toast || name.starts_with("pg_toast_") || listed()
}

/// Whether a function that came with the server reads what is hidden.
pub(crate) fn hides_built_in(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Whether a function of an extension does.
pub(crate) fn hides_of_extension(catalog: &Catalog, function: &Function) -> bool {
    let name = catalog.names().text(function.name);
    function.of_extension() && FUNCTIONS_OF_EXTENSIONS.contains(&name)
        || extensions::reads_anything(catalog, function)
}

/// Relations of pg_catalog and information_schema.
///
/// <https://www.postgresql.org/docs/current/catalogs.html>,
/// <https://www.postgresql.org/docs/current/views.html>
const RELATIONS: &[(&str, HiddenExtent)] = &[
    // Samples of the values in columns.
    ("pg_statistic", HiddenExtent::Whole),
    ("pg_statistic_ext_data", HiddenExtent::Whole),
    ("pg_stats", HiddenExtent::Whole),
    ("pg_stats_ext", HiddenExtent::Whole),
    ("pg_stats_ext_exprs", HiddenExtent::Whole),
    // The value that rows have which are older than the column.
    ("pg_attribute", HiddenExtent::Column("attmissingval")),
    // Rows that are kept elsewhere.
    ("pg_largeobject", HiddenExtent::Whole),
    // Where sequences stand.
    ("pg_sequences", HiddenExtent::Column("last_value")),
    // What other sessions run.
    ("pg_stat_activity", HiddenExtent::Column("query")),
    // What this one runs, with models in it.
    ("pg_prepared_statements", HiddenExtent::Column("statement")),
    ("pg_cursors", HiddenExtent::Column("statement")),
    ("pg_backend_memory_contexts", HiddenExtent::Column("ident")),
    // Secrets of roles and of other servers.
    ("pg_authid", HiddenExtent::Column("rolpassword")),
    ("pg_shadow", HiddenExtent::Column("passwd")),
    ("pg_subscription", HiddenExtent::Column("subconninfo")),
    ("pg_user_mapping", HiddenExtent::Column("umoptions")),
    ("pg_user_mappings", HiddenExtent::Column("umoptions")),
    ("_pg_user_mappings", HiddenExtent::Column("umoptions")),
    ("user_mapping_options", HiddenExtent::Column("option_value")),
];

/// Relations of well-known extensions, by name: they hold the texts of statements.
const OF_EXTENSIONS: &[(&str, HiddenExtent)] = &[
    ("pg_qualstats", HiddenExtent::Whole),
    ("pg_qualstats_all", HiddenExtent::Whole),
    ("pg_qualstats_by_query", HiddenExtent::Whole),
    ("pg_qualstats_pretty", HiddenExtent::Whole),
    ("pg_stat_monitor", HiddenExtent::Whole),
    ("pg_stat_statements", HiddenExtent::Column("query")),
    ("pg_store_plans", HiddenExtent::Whole),
];

/// Functions of the server that the gate lets be called otherwise.
const FUNCTIONS: &[&str] = &[
    // What this session runs, with models in it.
    "current_query",
    "pg_cursor",
    "pg_get_backend_memory_contexts",
    "pg_prepared_statement",
    // Where rows stand, of a table that is named in a text or by its number.
    "currtid",
    "currtid2",
    "pg_get_sequence_data",
    "pg_mcv_list_items",
    "pg_sequence_last_value",
    "pg_stat_get_activity",
    "pg_stat_get_backend_activity",
];

/// Functions of extensions, beside those that the table of [`extensions`] says it of, in case a
/// policy names them or they are not VOLATILE: those that read pages, WAL, indexes, statistics or
/// the texts of statements, or tables that a text names.
const FUNCTIONS_OF_EXTENSIONS: &[&str] = &[
    "_postgis_index_extent",
    "_postgis_join_selectivity",
    "_postgis_selectivity",
    "_postgis_stats",
    "bt_metap",
    "bt_multi_page_stats",
    "bt_page_items",
    "bt_page_stats",
    "get_raw_page",
    "getfacecontainingpoint",
    "pg_get_wal_block_info",
    "pg_get_wal_record_info",
    "pg_get_wal_records_info",
    "pg_get_wal_records_info_till_end_of_wal",
    "pg_qualstats",
    "pg_qualstats_example_queries",
    "pg_qualstats_example_query",
    "pg_show_plans",
    "pg_stat_monitor",
    "pg_stat_statements",
    "pg_store_plans",
    "pgrowlocks",
    "st_estimated_extent",
    "st_estimatedextent",
    "st_findextent",
    "topologysummary",
];
