//! The queries that tell what there is, over pg_catalog: what the role may read and the policy does
//! not hide, and nothing of the system's own.
//!
//! In them `c` is a relation, `n` its schema, `a` a column and `d` its default.

use super::lookup::{FoundRelation, Lookup, literal};

/// A list of relations, or of what they stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// SHOW TABLES.
    Tables,
    /// SHOW FULL TABLES.
    FullTables,
    /// SHOW VIEWS.
    Views,
    /// PRAGMA table_list.
    SqliteTables,
    /// sp_tables.
    ServerTables,
    /// sp_help.
    ServerObjects,
    /// `\d`, `\dt`, `\dv`, `\dm`.
    Psql(&'static str),
    /// `\dt *.*`.
    PsqlEverywhere(&'static str),
    /// SHOW SCHEMAS.
    Schemas,
    /// `\dn`.
    PsqlSchemas,
    /// SHOW DATABASES.
    Databases,
    /// `\l`.
    PsqlDatabases,
    /// PRAGMA database_list.
    SqliteDatabases,
}

/// What is told of one relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelationForm {
    /// DESCRIBE, SHOW COLUMNS.
    Describe,
    /// SHOW FULL COLUMNS.
    FullColumns,
    /// SHOW INDEX.
    Indexes,
    /// PRAGMA table_info.
    TableInfo,
    /// PRAGMA table_xinfo.
    TableXinfo,
    /// PRAGMA index_list.
    IndexList,
    /// PRAGMA foreign_key_list.
    ForeignKeyList,
    /// sp_help.
    Help,
    /// sp_columns.
    ServerColumns,
    /// `\d`.
    Psql,
}

/// What a list is narrowed to.
#[derive(Default)]
pub(super) struct ListingFilter<'f> {
    /// A schema.
    pub(super) schema: Option<&'f str>,
    /// A pattern of LIKE, for names.
    pub(super) like: Option<String>,
}

/// The query of a list.
pub(super) fn of_listing(
    listing: Listing,
    filter: &ListingFilter<'_>,
    lookup: &Lookup<'_>,
) -> String {
    let (name, schema) = ("c.relname", filter.schema);
    let like = |name: &str| match &filter.like {
        Some(pattern) => format!(" AND {name} ILIKE {}", literal(pattern)),
        None => String::new(),
    };
    let relations = |list: &str, kinds: &str, more: &str| {
        let schema = schema.map(|schema| format!(" AND n.nspname = {}", literal(schema)));
        let shown = shown(lookup);
        let (schema, like) = (schema.unwrap_or_default(), like(name));
        format!(
            "SELECT {list} FROM {RELATIONS} WHERE c.relkind IN ({kinds}) AND \
             {shown}{schema}{like}{more} ORDER BY n.nspname, c.relname"
        )
    };
    let title = format!(
        "\"Tables_in_{}\"",
        schema.unwrap_or(lookup.first_schema()).replace('"', "\"\"")
    );
    let listed = match schema {
        Some(_) => "c.relname",
        None => SPELLED,
    };
    match listing {
        Listing::Tables => relations(&format!("{listed} AS {title}"), READ, ""),
        Listing::FullTables => relations(
            &format!("{listed} AS {title}, {TABLE_TYPE} AS \"Table_type\""),
            READ,
            "",
        ),
        Listing::Views => relations(&format!("{listed} AS {title}"), VIEWS, ""),
        Listing::SqliteTables => relations(SQLITE_TABLES, READ, ""),
        Listing::ServerTables => relations(SERVER_TABLES, READ, ""),
        Listing::ServerObjects => relations(SERVER_OBJECTS, READ, ""),
        Listing::PsqlEverywhere(kinds) => relations(PSQL_RELATIONS, kinds, ""),
        Listing::Psql(kinds) => {
            let visible = match schema {
                Some(_) => "",
                None => " AND pg_catalog.pg_table_is_visible(c.oid)",
            };
            relations(PSQL_RELATIONS, kinds, visible)
        }
        Listing::Schemas | Listing::PsqlSchemas => {
            let list = match listing {
                Listing::Schemas => "n.nspname AS schema_name",
                _ => "n.nspname AS \"Name\", pg_catalog.pg_get_userbyid(n.nspowner) AS \"Owner\"",
            };
            let like = like("n.nspname");
            format!(
                "SELECT {list} FROM pg_catalog.pg_namespace n WHERE {USABLE}{like} ORDER BY n.nspname"
            )
        }
        Listing::Databases | Listing::PsqlDatabases => {
            let list = match listing {
                Listing::Databases => "b.datname AS \"Database\"",
                _ => PSQL_DATABASES,
            };
            let like = like("b.datname");
            format!(
                "SELECT {list} FROM pg_catalog.pg_database b WHERE b.datallowconn AND NOT \
                 b.datistemplate{like} ORDER BY b.datname"
            )
        }
        Listing::SqliteDatabases => SQLITE_DATABASES.to_owned(),
    }
}

/// The query about a relation; `like` narrows its columns.
pub(super) fn of_relation(
    form: RelationForm,
    relation: FoundRelation,
    like: Option<&str>,
    lookup: &Lookup<'_>,
) -> String {
    let regclass = lookup.regclass(relation.id);
    let unhidden = lookup.unhidden_columns(Some(relation.id));
    let others = match form {
        RelationForm::ForeignKeyList => lookup.unhidden_columns(None).replace("a.att", "o.att"),
        _ => String::new(),
    };
    let columns = |list: &str| {
        let like = like.map(|pattern| format!(" AND a.attname ILIKE {}", literal(pattern)));
        let like = like.unwrap_or_default();
        format!(
            "SELECT {list} FROM {COLUMNS} WHERE c.oid = {regclass}{unhidden}{like} ORDER BY a.attnum"
        )
    };
    let filled = |query: &str| {
        query
            .replace("{relation}", &regclass)
            .replace("{unhidden}", &unhidden)
            .replace("{other_unhidden}", &others)
            .replace("{shown}", &shown(lookup))
    };
    match form {
        RelationForm::Describe => columns(&format!("{MYSQL_TYPE}, {MYSQL_KEY}")),
        RelationForm::FullColumns => columns(&format!(
            "{MYSQL_TYPE}, {COLLATION}, {MYSQL_KEY}, {MYSQL_COMMENT}"
        )),
        RelationForm::Indexes => filled(INDEXES),
        RelationForm::TableInfo => columns(TABLE_INFO),
        RelationForm::TableXinfo => columns(&format!("{TABLE_INFO}, 0 AS hidden")),
        RelationForm::IndexList => filled(INDEX_LIST),
        RelationForm::ForeignKeyList => filled(FOREIGN_KEY_LIST),
        RelationForm::Help => columns(&format!("{HELP}, {COLLATION}")),
        RelationForm::ServerColumns => columns(SERVER_COLUMNS),
        RelationForm::Psql => columns(PSQL_COLUMNS),
    }
}

/// The condition by which a relation is shown.
pub(super) fn shown(lookup: &Lookup<'_>) -> String {
    format!(
        "{USABLE} AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'){}",
        lookup.unhidden_relations()
    )
}

/// Relations and their schemas.
pub(super) const RELATIONS: &str =
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace";

/// Columns, too.
pub(super) const COLUMNS: &str = "pg_catalog.pg_class c \
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum";

const USABLE: &str = "n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' \
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')";

/// The kinds of what can be read.
pub(super) const READ: &str = "'r', 'p', 'v', 'm', 'f'";
/// Those of tables.
pub(super) const TABLES: &str = "'r', 'p', 'f'";
/// Those of views.
pub(super) const VIEWS: &str = "'v', 'm'";

/// A relation as a statement can name it.
pub(super) const SPELLED: &str = "CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN \
    c.relname::pg_catalog.text ELSE n.nspname || '.' || c.relname END";

const TABLE_TYPE: &str = "CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'BASE TABLE' END";

const SQLITE_TABLES: &str = "n.nspname AS schema, c.relname AS name, \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS type, c.relnatts AS ncol, \
    0 AS wr, 1 AS strict";

const SERVER_TABLES: &str = "pg_catalog.current_database() AS \"TABLE_QUALIFIER\", \
    n.nspname AS \"TABLE_OWNER\", c.relname AS \"TABLE_NAME\", \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'TABLE' END AS \"TABLE_TYPE\", \
    NULL::pg_catalog.text AS \"REMARKS\"";

const SERVER_OBJECTS: &str = "c.relname AS \"Name\", n.nspname AS \"Owner\", \
    CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'user table' END AS \"Object_type\"";

const PSQL_RELATIONS: &str = "n.nspname AS \"Schema\", c.relname AS \"Name\", \
    CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' \
    WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' END AS \"Type\", \
    pg_catalog.pg_get_userbyid(c.relowner) AS \"Owner\"";

const PSQL_DATABASES: &str = "b.datname AS \"Name\", \
    pg_catalog.pg_get_userbyid(b.datdba) AS \"Owner\", \
    pg_catalog.pg_encoding_to_char(b.encoding) AS \"Encoding\", b.datcollate AS \"Collate\", \
    b.datctype AS \"Ctype\"";

const SQLITE_DATABASES: &str =
    "SELECT 0 AS seq, pg_catalog.current_database() AS name, ''::pg_catalog.text AS file";

const MYSQL_TYPE: &str = "a.attname AS \"Field\", \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS \"Type\"";

const COLLATION: &str = "(SELECT l.collname FROM pg_catalog.pg_collation l \
    WHERE l.oid = a.attcollation) AS \"Collation\"";

const MYSQL_KEY: &str = "CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS \"Null\", \
    CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid \
    AND i.indisprimary AND a.attnum = ANY (i.indkey)) THEN 'PRI' \
    WHEN EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid \
    AND i.indisunique AND i.indnkeyatts = 1 AND a.attnum = i.indkey[0]) THEN 'UNI' \
    WHEN EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid \
    AND a.attnum = i.indkey[0]) THEN 'MUL' ELSE '' END AS \"Key\", \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS \"Default\", \
    CASE WHEN a.attidentity <> '' OR \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%' THEN 'auto_increment' \
    WHEN a.attgenerated <> '' THEN 'STORED GENERATED' ELSE '' END AS \"Extra\"";

const MYSQL_COMMENT: &str = "'select' AS \"Privileges\", \
    COALESCE(pg_catalog.col_description(c.oid, a.attnum), '') AS \"Comment\"";

const INDEXES: &str = "SELECT c.relname AS \"Table\", \
    CASE WHEN x.indisunique THEN 0 ELSE 1 END AS \"Non_unique\", \
    CASE WHEN x.indisprimary THEN 'PRIMARY' ELSE i.relname::pg_catalog.text END AS \"Key_name\", \
    k.place + 1 AS \"Seq_in_index\", a.attname AS \"Column_name\", \
    CASE WHEN a.attnotnull THEN '' ELSE 'YES' END AS \"Null\", \
    pg_catalog.upper(m.amname::pg_catalog.text) AS \"Index_type\" \
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indrelid \
    JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid \
    JOIN pg_catalog.pg_am m ON m.oid = i.relam \
    CROSS JOIN LATERAL pg_catalog.generate_series(0, x.indnkeyatts - 1) AS k(place) \
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid \
    AND a.attnum = x.indkey[k.place]{unhidden} \
    WHERE x.indrelid = {relation} ORDER BY NOT x.indisprimary, i.relname, k.place";

const TABLE_INFO: &str = "a.attnum - 1 AS cid, a.attname AS name, \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, \
    CASE WHEN a.attnotnull THEN 1 ELSE 0 END AS \"notnull\", \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS dflt_value, \
    COALESCE((SELECT k.place + 1 FROM pg_catalog.pg_index i \
    CROSS JOIN LATERAL pg_catalog.generate_series(0, i.indnkeyatts - 1) AS k(place) \
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indkey[k.place] = a.attnum), 0) AS pk";

const INDEX_LIST: &str = "SELECT pg_catalog.row_number() OVER (ORDER BY i.relname) - 1 AS seq, \
    i.relname AS name, CASE WHEN x.indisunique THEN 1 ELSE 0 END AS \"unique\", \
    CASE WHEN x.indisprimary THEN 'pk' WHEN x.indisunique THEN 'u' ELSE 'c' END AS origin, \
    CASE WHEN x.indpred IS NULL THEN 0 ELSE 1 END AS partial \
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid \
    WHERE x.indrelid = {relation} ORDER BY 1";

const FOREIGN_KEY_LIST: &str = "SELECT pg_catalog.dense_rank() OVER (ORDER BY f.oid) - 1 AS id, \
    k.place - 1 AS seq, c.relname AS \"table\", a.attname AS \"from\", o.attname AS \"to\", \
    CASE f.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' \
    WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END AS on_update, \
    CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' \
    WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' \
    ELSE 'NO ACTION' END AS on_delete, 'NONE' AS match \
    FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class c ON c.oid = f.confrelid \
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    CROSS JOIN LATERAL pg_catalog.generate_subscripts(f.conkey, 1) AS k(place) \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid \
    AND a.attnum = f.conkey[k.place]{unhidden} \
    JOIN pg_catalog.pg_attribute o ON o.attrelid = f.confrelid \
    AND o.attnum = f.confkey[k.place]{other_unhidden} \
    WHERE f.contype = 'f' AND f.conrelid = {relation} AND {shown} ORDER BY 1, 2";

const HELP: &str = "a.attname AS \"Column_name\", \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS \"Type\", \
    CASE WHEN a.attgenerated <> '' THEN 'yes' ELSE 'no' END AS \"Computed\", \
    CASE WHEN a.attnotnull THEN 'no' ELSE 'yes' END AS \"Nullable\"";

const SERVER_COLUMNS: &str = "pg_catalog.current_database() AS \"TABLE_QUALIFIER\", \
    n.nspname AS \"TABLE_OWNER\", c.relname AS \"TABLE_NAME\", a.attname AS \"COLUMN_NAME\", \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS \"TYPE_NAME\", \
    CASE WHEN a.attnotnull THEN 0 ELSE 1 END AS \"NULLABLE\", \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS \"COLUMN_DEF\", \
    a.attnum AS \"ORDINAL_POSITION\", \
    CASE WHEN a.attnotnull THEN 'NO' ELSE 'YES' END AS \"IS_NULLABLE\"";

const PSQL_COLUMNS: &str = "a.attname AS \"Column\", \
    pg_catalog.format_type(a.atttypid, a.atttypmod) AS \"Type\", \
    (SELECT l.collname FROM pg_catalog.pg_collation l JOIN pg_catalog.pg_type y \
    ON y.oid = a.atttypid WHERE l.oid = a.attcollation AND l.oid <> y.typcollation) AS \"Collation\", \
    CASE WHEN a.attnotnull THEN 'not null' ELSE '' END AS \"Nullable\", \
    pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS \"Default\"";
