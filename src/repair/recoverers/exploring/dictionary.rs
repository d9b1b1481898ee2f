//! Relations in which other systems keep what there is, and what has their columns in Postgres.
//!
//! Each is a SELECT in which `c` is a relation, `n` its schema, `a` a column and `d` its default.

use super::listings::{COLUMNS, READ, RELATIONS, SPELLED, TABLES, VIEWS, shown};
use super::lookup::Lookup;

/// A system whose dictionary a relation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DictionaryOwner {
    /// SQLite.
    Sqlite,
    /// SQL Server.
    Server,
    /// Oracle, which keeps names in capitals.
    Oracle,
}

/// A relation of a dictionary.
pub(super) struct DictionaryRelation {
    /// Whose it is.
    pub(super) owner: DictionaryOwner,
    /// Its schema, where it has one that is written.
    schema: Option<&'static str>,
    name: &'static str,
    body: DictionaryBody,
}

/// What stands for a relation of a dictionary.
enum DictionaryBody {
    /// The kinds of relations, the SELECT list, and a further condition.
    Relations(&'static str, &'static str, &'static str),
    /// The SELECT list of columns, and a further condition.
    Columns(&'static str, &'static str),
    /// The same behind the schema, as `owner`.
    OwnedColumns(&'static str),
    /// A query as it is, with `{relations}` and `{shown}` in it.
    Query(&'static str),
}

/// The relation of a dictionary that has a name; names are compared in any case.
pub(super) fn find(schema: Option<&str>, name: &str) -> Option<&'static DictionaryRelation> {
    DICTIONARY.iter().find(|own| {
        let is_schema = match (own.schema, schema) {
            (None, None) => true,
            (Some(one), Some(other)) => other.eq_ignore_ascii_case(one),
            // Its own schema may be written, too.
            (None, Some(written)) => {
                let own_schema = match own.owner {
                    DictionaryOwner::Sqlite => "main",
                    DictionaryOwner::Oracle | DictionaryOwner::Server => "sys",
                };
                written.eq_ignore_ascii_case(own_schema)
            }
            (Some(_), None) => false,
        };
        is_schema && name.eq_ignore_ascii_case(own.name)
    })
}

impl DictionaryRelation {
    /// The query that stands for it.
    pub(super) fn query(&self, lookup: &Lookup<'_>) -> String {
        let shown = shown(lookup);
        match self.body {
            DictionaryBody::Relations(kinds, list, more) => format!(
                "SELECT {list} FROM {RELATIONS} WHERE c.relkind IN ({kinds}) AND {shown}{more}"
            ),
            DictionaryBody::Columns(list, more) => format!(
                "SELECT {list} FROM {COLUMNS} WHERE c.relkind IN ({READ}) AND {shown}{}{more}",
                lookup.unhidden_columns(None)
            ),
            DictionaryBody::OwnedColumns(list) => format!(
                "SELECT {OWNER}, {list} FROM {COLUMNS} WHERE c.relkind IN ({READ}) AND {shown}{}",
                lookup.unhidden_columns(None)
            ),
            DictionaryBody::Query(query) => (query.replace("{relations}", RELATIONS))
                .replace("{read}", READ)
                .replace("{spelled}", SPELLED)
                .replace("{shown}", &shown),
        }
    }
}

const fn row(
    owner: DictionaryOwner,
    schema: Option<&'static str>,
    name: &'static str,
    body: DictionaryBody,
) -> DictionaryRelation {
    DictionaryRelation {
        owner,
        schema,
        name,
        body,
    }
}

use DictionaryBody::{Columns, OwnedColumns, Query, Relations};
use DictionaryOwner::{Oracle, Server, Sqlite};

#[rustfmt::skip]
const DICTIONARY: &[DictionaryRelation] = &[
    row(Sqlite, None, "sqlite_master", Query(SQLITE_MASTER)),
    row(Sqlite, None, "sqlite_schema", Query(SQLITE_MASTER)),
    row(Server, Some("sys"), "tables", Relations(TABLES, SERVER_OBJECTS, "")),
    row(Server, Some("sys"), "views", Relations(VIEWS, SERVER_OBJECTS, "")),
    row(Server, Some("sys"), "objects", Relations(READ, SERVER_OBJECTS, "")),
    row(Server, Some("sys"), "all_objects", Relations(READ, SERVER_OBJECTS, "")),
    row(Server, Some("sys"), "columns", Columns(SERVER_COLUMNS, "")),
    row(Server, Some("sys"), "all_columns", Columns(SERVER_COLUMNS, "")),
    row(Server, Some("sys"), "schemas", Query(SERVER_SCHEMAS)),
    row(Server, Some("sys"), "types", Query(SERVER_TYPES)),
    row(Server, Some("sys"), "databases", Query(SERVER_DATABASES)),
    row(Oracle, None, "user_tables", Relations(TABLES, USER_TABLES, ON_PATH)),
    row(Oracle, None, "all_tables", Relations(TABLES, ALL_TABLES, "")),
    row(Oracle, None, "dba_tables", Relations(TABLES, ALL_TABLES, "")),
    row(Oracle, None, "user_views", Relations(VIEWS, "c.relname::pg_catalog.text AS view_name", ON_PATH)),
    row(Oracle, None, "all_views", Relations(VIEWS, "n.nspname::pg_catalog.text AS owner, c.relname::pg_catalog.text AS view_name", "")),
    row(Oracle, None, "user_objects", Relations(READ, USER_OBJECTS, ON_PATH)),
    row(Oracle, None, "all_objects", Relations(READ, ALL_OBJECTS, "")),
    row(Oracle, None, "user_tab_columns", Columns(USER_COLUMNS, ON_PATH)),
    row(Oracle, None, "user_tab_cols", Columns(USER_COLUMNS, ON_PATH)),
    row(Oracle, None, "all_tab_columns", OwnedColumns(USER_COLUMNS)),
    row(Oracle, None, "all_tab_cols", OwnedColumns(USER_COLUMNS)),
    row(Oracle, None, "dba_tab_columns", OwnedColumns(USER_COLUMNS)),
];

const OWNER: &str = "n.nspname::pg_catalog.text AS owner";

const ON_PATH: &str = " AND pg_catalog.pg_table_is_visible(c.oid)";

const SQLITE_MASTER: &str = "SELECT \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS type, \
    {spelled} AS name, {spelled} AS tbl_name FROM {relations} \
    WHERE c.relkind IN ({read}) AND {shown} \
    UNION ALL SELECT 'index', i.relname::pg_catalog.text, {spelled} FROM {relations} \
    JOIN pg_catalog.pg_index x ON x.indrelid = c.oid \
    JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid WHERE c.relkind IN ({read}) AND {shown}";

const SERVER_OBJECTS: &str = "c.relname::pg_catalog.text AS name, \
    c.oid::pg_catalog.int8 AS object_id, n.oid::pg_catalog.int8 AS schema_id, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'V' ELSE 'U' END AS type, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'USER_TABLE' END AS type_desc, \
    0 AS is_ms_shipped";

const SERVER_COLUMNS: &str = "c.oid::pg_catalog.int8 AS object_id, \
    a.attname::pg_catalog.text AS name, a.attnum::pg_catalog.int4 AS column_id, \
    a.atttypid::pg_catalog.int8 AS system_type_id, a.atttypid::pg_catalog.int8 AS user_type_id, \
    CASE WHEN a.atttypid IN (1042, 1043) AND a.atttypmod > 4 THEN a.atttypmod - 4 \
    ELSE a.attlen END AS max_length, \
    CASE WHEN a.atttypid = 1700 AND a.atttypmod > 4 THEN (a.atttypmod - 4) / 65536 \
    ELSE 0 END AS \"precision\", \
    CASE WHEN a.atttypid = 1700 AND a.atttypmod > 4 THEN (a.atttypmod - 4) % 65536 \
    ELSE 0 END AS scale, CASE WHEN a.attnotnull THEN 0 ELSE 1 END AS is_nullable, \
    CASE WHEN a.attidentity <> '' THEN 1 ELSE 0 END AS is_identity, \
    CASE WHEN a.attgenerated <> '' THEN 1 ELSE 0 END AS is_computed";

const SERVER_SCHEMAS: &str = "SELECT n.nspname::pg_catalog.text AS name, \
    n.oid::pg_catalog.int8 AS schema_id, n.nspowner::pg_catalog.int8 AS principal_id \
    FROM pg_catalog.pg_namespace n WHERE n.nspname NOT LIKE 'pg\\_%' \
    AND n.nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')";

const SERVER_TYPES: &str = "SELECT pg_catalog.format_type(y.oid, NULL) AS name, \
    y.oid::pg_catalog.int8 AS system_type_id, y.oid::pg_catalog.int8 AS user_type_id \
    FROM pg_catalog.pg_type y WHERE y.typtype <> 'c'";

const SERVER_DATABASES: &str = "SELECT b.datname::pg_catalog.text AS name, \
    b.oid::pg_catalog.int8 AS database_id FROM pg_catalog.pg_database b \
    WHERE b.datallowconn AND NOT b.datistemplate";

const USER_TABLES: &str = "c.relname::pg_catalog.text AS table_name, \
    NULLIF(c.reltuples, -1)::pg_catalog.int8 AS num_rows";

const ALL_TABLES: &str = "n.nspname::pg_catalog.text AS owner, \
    c.relname::pg_catalog.text AS table_name, \
    NULLIF(c.reltuples, -1)::pg_catalog.int8 AS num_rows";

const USER_OBJECTS: &str = "c.relname::pg_catalog.text AS object_name, \
    c.oid::pg_catalog.int8 AS object_id, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'TABLE' END AS object_type";

const ALL_OBJECTS: &str = "n.nspname::pg_catalog.text AS owner, \
    c.relname::pg_catalog.text AS object_name, c.oid::pg_catalog.int8 AS object_id, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'TABLE' END AS object_type";

const USER_COLUMNS: &str = "c.relname::pg_catalog.text AS table_name, \
    a.attname::pg_catalog.text AS column_name, \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS data_type, \
    CASE WHEN a.atttypid IN (1042, 1043) AND a.atttypmod > 4 \
    THEN a.atttypmod - 4 END AS data_length, \
    CASE WHEN a.atttypid = 1700 AND a.atttypmod > 4 \
    THEN (a.atttypmod - 4) / 65536 END AS data_precision, \
    CASE WHEN a.atttypid = 1700 AND a.atttypmod > 4 \
    THEN (a.atttypmod - 4) % 65536 END AS data_scale, \
    CASE WHEN a.attnotnull THEN 'N' ELSE 'Y' END AS nullable, \
    a.attnum::pg_catalog.int4 AS column_id, \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS data_default";
