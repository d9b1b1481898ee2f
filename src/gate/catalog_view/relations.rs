//! What is read in the place of each catalog: which of its rows are shown, and which of its columns
//! only on a condition. A catalog that is not in these lists is not served.
//!
//! Columns of the types that show an object by its name (regproc, regtype) need no word here: they
//! are shown where what they name is.
//!
//! <https://www.postgresql.org/docs/current/catalogs.html>,
//! <https://www.postgresql.org/docs/current/information-schema.html>

use super::conditions;
use super::masked::MaskedColumnTypes;
use catalog::{Catalog, Column, Mask, RelationId, TypeId, TypeKind};

/// A row of a list: a catalog, which of its rows are shown, and columns that are NULL where a
/// condition does not hold.
struct ServedCatalog {
    name: &'static str,
    rows: &'static str,
    columns: &'static [(&'static str, &'static str)],
}

/// What is read in the place of a catalog.
pub(super) enum ServedForm {
    /// The catalog as it is.
    Whole,
    /// A SELECT, with the markers of lists in it.
    Select(String),
    /// Nothing: it is refused.
    Refused,
}

/// What is read in the place of a relation of the server.
pub(super) fn served(
    (catalog, mask): (&Catalog, &Mask),
    masked: &MaskedColumnTypes,
    id: RelationId,
) -> ServedForm {
    let relation = catalog.relation(id);
    let schema = catalog.names().text(catalog.schema(relation.schema).name);
    let name = catalog.names().text(relation.name);
    let list = match schema {
        "pg_catalog" => PG_CATALOG,
        "information_schema" => INFORMATION_SCHEMA,
        _ => return ServedForm::Refused,
    };
    let Some(row) = list.iter().find(|row| row.name == name) else {
        return ServedForm::Refused;
    };
    let mut is_whole = row.rows == ALL;
    let columns = catalog.columns_of(id).iter().map(|column| {
        let own = catalog.names().text(column.name);
        let quoted = format!("\"{}\"", own.replace('"', "\"\""));
        let read_as = masked.read_as((schema, name), own).map(conditions::sql);
        let condition = condition_of(catalog, mask, id, column, row);
        match (condition, read_as) {
            (Some(condition), read_as) => {
                is_whole = false;
                let value = read_as.unwrap_or_else(|| format!("x.{quoted}"));
                let condition = conditions::sql(&condition);
                format!("(SELECT {value} WHERE {condition}) AS {quoted}")
            }
            (None, Some(value)) => {
                is_whole = false;
                format!("{value} AS {quoted}")
            }
            (None, None) => format!("x.{quoted}"),
        }
    });
    let columns: Vec<String> = columns.collect();
    if is_whole {
        return ServedForm::Whole;
    }
    let rows = match row.rows {
        ALL => String::new(),
        rows => format!(" WHERE {}", conditions::sql(rows)),
    };
    let columns = columns.join(", ");
    let lists = conditions::lists(&format!("{columns}{rows}"));
    let lists = lists.map_or_else(String::new, |lists| format!(" CROSS JOIN {lists}"));
    ServedForm::Select(format!(
        "SELECT {columns} FROM \"{schema}\".\"{name}\" AS x{lists}{rows}"
    ))
}

/// On which condition a column is shown; none where it always is.
fn condition_of(
    catalog: &Catalog,
    mask: &Mask,
    id: RelationId,
    column: &Column,
    row: &ServedCatalog,
) -> Option<String> {
    let name = catalog.names().text(column.name);
    if mask.hides_column(id, column.number) {
        return Some("false".into());
    }
    if let Some((_, condition)) = row.columns.iter().find(|(own, _)| *own == name) {
        return Some((*condition).into());
    }
    let column_type = catalog.names().text(catalog.data_type(column.type_id).name);
    match column_type {
        "regproc" | "regprocedure" => Some(format!("@function(x.{name})")),
        "regtype" => Some(format!("@type(x.{name})")),
        _ if shows_names(catalog, column.type_id) => Some("false".into()),
        _ => None,
    }
}

/// Whether a value of a type shows an object of the database by its name, or holds one that does.
pub(crate) fn shows_names(catalog: &Catalog, id: TypeId) -> bool {
    let mut waiting = vec![id];
    let mut seen = Vec::new();
    while let Some(id) = waiting.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let own = catalog.data_type(id);
        let name = catalog.names().text(own.name);
        if own.oid.is_built_in() && OBJECT_TYPES.contains(&name) {
            return true;
        }
        waiting.extend(own.element);
        match own.kind {
            TypeKind::Domain { base, .. } => waiting.push(base),
            TypeKind::Range { subtype } => waiting.push(subtype),
            TypeKind::Multirange { range } => waiting.push(range),
            TypeKind::Composite(Some(relation)) => {
                let columns = catalog.columns_of(relation).iter();
                waiting.extend(columns.map(|column| column.type_id));
            }
            TypeKind::Composite(None) | TypeKind::Base | TypeKind::Enum | TypeKind::Pseudo => {}
        }
    }
    false
}

/// The types that show an object by its name. Names of roles are hidden from nobody.
#[rustfmt::skip]
pub(super) const OBJECT_TYPES: &[&str] = &[
    "regclass", "regproc", "regprocedure", "regtype", "regoper", "regoperator", "regnamespace",
    "regconfig", "regdictionary", "regcollation", "regdatabase",
];

const fn all(name: &'static str) -> ServedCatalog {
    rows(name, ALL)
}

const fn rows(name: &'static str, rows: &'static str) -> ServedCatalog {
    kept(name, rows, &[])
}

const fn kept(
    name: &'static str,
    rows: &'static str,
    columns: &'static [(&'static str, &'static str)],
) -> ServedCatalog {
    ServedCatalog {
        name,
        rows,
        columns,
    }
}

/// Every row.
const ALL: &str = "true";

/// What is shown of nothing but the server's own.
const NEVER: &str = "false";

#[rustfmt::skip]
const PG_CATALOG: &[ServedCatalog] = &[
    rows("pg_aggregate", "@function(x.aggfnoid) AND @refs('1255', CAST(x.aggfnoid AS pg_catalog.oid))"),
    rows("pg_am", "@refs('2601', x.oid)"),
    rows("pg_amop", "@refs('2602', x.oid)"),
    rows("pg_amproc", "@refs('2603', x.oid)"),
    rows("pg_attrdef", "@default(x)"),
    kept("pg_attribute", "@attribute(x.attrelid, x.attnum)", &[("attmissingval", NEVER), ("attfdwoptions", NEVER)]),
    all("pg_auth_members"),
    all("pg_authid"),
    all("pg_available_extension_versions"),
    all("pg_available_extensions"),
    rows("pg_cast", "@refs('2605', x.oid) AND @type(x.castsource) AND @type(x.casttarget)"),
    rows("pg_class", "@class(x.oid)"),
    rows("pg_collation", "@refs('3456', x.oid)"),
    rows("pg_constraint", "@constraint(x)"),
    rows("pg_conversion", "@refs('2607', x.oid)"),
    all("pg_cursors"),
    all("pg_database"),
    kept("pg_db_role_setting", ALL, &[("setconfig", NEVER)]),
    rows("pg_default_acl", "x.defaclnamespace = '0' OR @schema(x.defaclnamespace)"),
    all("pg_depend"),
    rows("pg_description", "@object(x.classoid, x.objoid, x.objsubid)"),
    rows("pg_enum", "@type(x.enumtypid)"),
    rows("pg_event_trigger", "@refs('3466', x.oid)"),
    kept("pg_extension", ALL, &[("extcondition", NEVER)]),
    kept("pg_foreign_data_wrapper", "@refs('2328', x.oid)", &[("fdwoptions", NEVER)]),
    kept("pg_foreign_server", ALL, &[("srvoptions", NEVER)]),
    kept("pg_foreign_table", "@class(x.ftrelid)", &[("ftoptions", NEVER)]),
    all("pg_group"),
    rows("pg_index", "@class(x.indexrelid)"),
    rows("pg_indexes", "@named(x.schemaname, x.indexname)"),
    rows("pg_inherits", "@class(x.inhrelid) AND @class(x.inhparent)"),
    all("pg_init_privs"),
    rows("pg_language", "@refs('2612', x.oid)"),
    all("pg_largeobject_metadata"),
    all("pg_locks"),
    kept("pg_matviews", "@named(x.schemaname, x.matviewname)", &[("definition", "@named_view(x.schemaname, x.matviewname)")]),
    rows("pg_namespace", "@schema(x.oid)"),
    rows("pg_opclass", "@refs('2616', x.oid)"),
    rows("pg_operator", "@refs('2617', x.oid)"),
    rows("pg_opfamily", "@refs('2753', x.oid)"),
    all("pg_parameter_acl"),
    rows("pg_partitioned_table", "@class(x.partrelid) AND @refs('1259', x.partrelid)"),
    rows("pg_policies", "EXISTS (SELECT FROM pg_catalog.pg_policy np JOIN pg_catalog.pg_class nc ON nc.oid = np.polrelid JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace WHERE nn.nspname = x.schemaname AND nc.relname = x.tablename AND np.polname = x.policyname AND @class(nc.oid) AND @wholly('3256', np.oid) OFFSET 0)"),
    rows("pg_policy", "@class(x.polrelid) AND @wholly('3256', x.oid)"),
    all("pg_prepared_statements"),
    all("pg_prepared_xacts"),
    kept("pg_proc", "@function(x.oid) AND @refs('1255', x.oid)", &[("prosrc", "@own(x.oid)"), ("probin", "@own(x.oid)"), ("prosqlbody", "@own(x.oid)"), ("proconfig", "@own(x.oid)")]),
    rows("pg_publication", "@refs('6104', x.oid)"),
    rows("pg_publication_namespace", "@schema(x.pnnspid)"),
    rows("pg_publication_rel", "@class(x.prrelid) AND @refs('6106', x.oid)"),
    kept("pg_publication_tables", "@named(x.schemaname, x.tablename)", &[("attnames", NEVER), ("rowfilter", NEVER)]),
    rows("pg_range", "@type(x.rngtypid)"),
    all("pg_replication_origin"),
    all("pg_replication_slots"),
    kept("pg_rewrite", "@class(x.ev_class) AND @refs('2618', x.oid)", &[("ev_qual", "@own(x.oid)"), ("ev_action", "@own(x.oid)")]),
    kept("pg_roles", ALL, &[("rolconfig", NEVER)]),
    kept("pg_rules", "EXISTS (SELECT FROM pg_catalog.pg_rewrite nw JOIN pg_catalog.pg_class nc ON nc.oid = nw.ev_class JOIN pg_catalog.pg_namespace nn ON nn.oid = nc.relnamespace WHERE nn.nspname = x.schemaname AND nc.relname = x.tablename AND nw.rulename = x.rulename AND @class(nc.oid) AND @refs('2618', nw.oid) OFFSET 0)", &[("definition", "@named_view(x.schemaname, x.tablename)")]),
    rows("pg_seclabel", "@object(x.classoid, x.objoid, x.objsubid)"),
    rows("pg_sequence", "@class(x.seqrelid)"),
    rows("pg_sequences", "@named(x.schemaname, x.sequencename)"),
    all("pg_settings"),
    kept("pg_shadow", ALL, &[("useconfig", NEVER)]),
    all("pg_shdepend"),
    all("pg_shdescription"),
    all("pg_shseclabel"),
    all("pg_stat_activity"),
    rows("pg_stat_all_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_stat_all_tables", "@class(x.relid)"),
    all("pg_stat_archiver"),
    all("pg_stat_bgwriter"),
    all("pg_stat_checkpointer"),
    all("pg_stat_database"),
    all("pg_stat_database_conflicts"),
    all("pg_stat_gssapi"),
    all("pg_stat_io"),
    all("pg_stat_progress_analyze"),
    all("pg_stat_progress_basebackup"),
    all("pg_stat_progress_cluster"),
    all("pg_stat_progress_copy"),
    all("pg_stat_progress_create_index"),
    all("pg_stat_progress_vacuum"),
    all("pg_stat_replication"),
    all("pg_stat_slru"),
    all("pg_stat_ssl"),
    rows("pg_stat_sys_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_stat_sys_tables", "@class(x.relid)"),
    rows("pg_stat_user_functions", "@function(x.funcid)"),
    rows("pg_stat_user_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_stat_user_tables", "@class(x.relid)"),
    all("pg_stat_wal"),
    all("pg_stat_wal_receiver"),
    rows("pg_stat_xact_all_tables", "@class(x.relid)"),
    rows("pg_stat_xact_sys_tables", "@class(x.relid)"),
    rows("pg_stat_xact_user_functions", "@function(x.funcid)"),
    rows("pg_stat_xact_user_tables", "@class(x.relid)"),
    rows("pg_statio_all_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_statio_all_sequences", "@class(x.relid)"),
    rows("pg_statio_all_tables", "@class(x.relid)"),
    rows("pg_statio_sys_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_statio_sys_sequences", "@class(x.relid)"),
    rows("pg_statio_sys_tables", "@class(x.relid)"),
    rows("pg_statio_user_indexes", "@class(x.relid) AND @class(x.indexrelid)"),
    rows("pg_statio_user_sequences", "@class(x.relid)"),
    rows("pg_statio_user_tables", "@class(x.relid)"),
    rows("pg_statistic_ext", "@class(x.stxrelid) AND @refs('3381', x.oid)"),
    all("pg_subscription"),
    rows("pg_subscription_rel", "@class(x.srrelid)"),
    rows("pg_tables", "@named(x.schemaname, x.tablename)"),
    all("pg_tablespace"),
    all("pg_timezone_abbrevs"),
    all("pg_timezone_names"),
    rows("pg_transform", "@type(x.trftype)"),
    rows("pg_trigger", "@trigger(x.oid)"),
    rows("pg_ts_config", "@refs('3602', x.oid)"),
    all("pg_ts_config_map"),
    kept("pg_ts_dict", "@refs('3600', x.oid)", &[("dictinitoption", "@own(x.oid)")]),
    rows("pg_ts_parser", "@refs('3601', x.oid)"),
    rows("pg_ts_template", "@refs('3764', x.oid)"),
    kept("pg_type", "@type(x.oid)", &[("typdefault", "@refs('1247', x.oid)"), ("typdefaultbin", "@refs('1247', x.oid)")]),
    kept("pg_user", ALL, &[("useconfig", NEVER)]),
    all("pg_user_mapping"),
    all("pg_user_mappings"),
    kept("pg_views", "@named(x.schemaname, x.viewname)", &[("definition", "@named_view(x.schemaname, x.viewname)")]),
];

#[rustfmt::skip]
const INFORMATION_SCHEMA: &[ServedCatalog] = &[
    all("administrable_role_authorizations"),
    all("applicable_roles"),
    rows("attributes", "@named_column(x.udt_schema, x.udt_name, x.attribute_name) AND @named_type(x.attribute_udt_schema, x.attribute_udt_name)"),
    all("character_sets"),
    // Those of NOT NULL stand in no catalog before 18.
    rows("check_constraints", "@constraints(x.constraint_schema, x.constraint_name) AND EXISTS (SELECT FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = CAST(x.constraint_schema AS pg_catalog.name) AND c.conname = CAST(x.constraint_name AS pg_catalog.name) OFFSET 0)"),
    rows("collations", "@named_schema(x.collation_schema)"),
    rows("column_privileges", "@named_column(x.table_schema, x.table_name, x.column_name)"),
    kept("columns", "@named_column(x.table_schema, x.table_name, x.column_name)", &[
        ("column_default", "@column_default(x.table_schema, x.table_name, x.column_name)"),
        ("generation_expression", "@column_default(x.table_schema, x.table_name, x.column_name)"),
        ("domain_name", "@named_type(x.domain_schema, x.domain_name)"), ("domain_schema", "@named_type(x.domain_schema, x.domain_name)"),
        ("udt_name", "@named_type(x.udt_schema, x.udt_name)"), ("udt_schema", "@named_type(x.udt_schema, x.udt_name)"),
        ("collation_name", "@named_schema(x.collation_schema)"), ("collation_schema", "@named_schema(x.collation_schema)")]),
    rows("constraint_column_usage", "@named_column(x.table_schema, x.table_name, x.column_name) AND @constraints(x.constraint_schema, x.constraint_name)"),
    rows("constraint_table_usage", "@named(x.table_schema, x.table_name) AND @constraints(x.constraint_schema, x.constraint_name)"),
    all("enabled_roles"),
    all("information_schema_catalog_name"),
    rows("key_column_usage", "@named_column(x.table_schema, x.table_name, x.column_name) AND @constraints(x.constraint_schema, x.constraint_name)"),
    rows("referential_constraints", "@constraints(x.constraint_schema, x.constraint_name) AND @constraints(x.unique_constraint_schema, x.unique_constraint_name)"),
    rows("role_column_grants", "@named_column(x.table_schema, x.table_name, x.column_name)"),
    rows("role_table_grants", "@named(x.table_schema, x.table_name)"),
    rows("schemata", "@named_schema(x.schema_name)"),
    rows("sequences", "@named(x.sequence_schema, x.sequence_name)"),
    all("sql_features"),
    all("sql_implementation_info"),
    all("sql_parts"),
    all("sql_sizing"),
    rows("table_constraints", "@named(x.table_schema, x.table_name) AND @constraints(x.constraint_schema, x.constraint_name)"),
    rows("table_privileges", "@named(x.table_schema, x.table_name)"),
    rows("tables", "@named(x.table_schema, x.table_name)"),
    kept("views", "@named(x.table_schema, x.table_name)", &[("view_definition", "@named_view(x.table_schema, x.table_name)")]),
    kept("routines", "@specific(x.specific_schema, x.specific_name)", &[("routine_definition", NEVER), ("external_name", NEVER)]),
    rows("parameters", "@specific(x.specific_schema, x.specific_name)"),
    rows("domains", "@named_type(x.domain_schema, x.domain_name) AND @named_type(x.udt_schema, x.udt_name)"),
    rows("domain_constraints", "@named_type(x.domain_schema, x.domain_name) AND @constraints(x.constraint_schema, x.constraint_name)"),
    rows("user_defined_types", "@named_type(x.user_defined_type_schema, x.user_defined_type_name)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_name_nothing_twice() {
        for list in [PG_CATALOG, INFORMATION_SCHEMA] {
            let mut names: Vec<&str> = list.iter().map(|row| row.name).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
