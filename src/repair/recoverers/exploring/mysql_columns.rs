//! Columns that information_schema has in MySQL alone: `column_type`, `column_key`, `table_rows`.

use super::lookup::Lookup;
use super::query_text::INFORMATION_SCHEMA;
use crate::context::tokens_of;
use crate::{RecovererAnswer, RepairContext, SessionDatabase};
use resolve::UsedObject;
use sql::edit::TextEdit;
use sql::extent::name::dotted_name;
use sql::node_access;
use sql::tree::{Node, nodes};

/// Adds those that the text names to the relation that it reads.
pub(super) fn recover(
    context: &RepairContext<'_>,
    database: &SessionDatabase<'_>,
) -> RecovererAnswer {
    edits(context, &Lookup::new(database)).map_or(RecovererAnswer::Silent, |edits| {
        RecovererAnswer::exact(edits, ADDED.to_owned())
    })
}

fn edits(context: &RepairContext<'_>, lookup: &Lookup<'_>) -> Option<Vec<TextEdit>> {
    let missing: Vec<&str> = (context.resolution?.uses.iter())
        .filter_map(|used| match &used.what {
            UsedObject::MissingColumn { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    if missing.is_empty() {
        return None;
    }
    let tokens = tokens_of(context.text);
    let mut edits = Vec::new();
    for node in node_access::all(context.statement()?)? {
        let Node::RangeVar(table) = node else {
            continue;
        };
        let Some((relation, columns)) = relation(table) else {
            continue;
        };
        let mut added = String::new();
        for (name, value) in columns.iter().filter(|(name, _)| missing.contains(name)) {
            let value = (value.replace("{relations}", &lookup.unhidden_relations()))
                .replace("{columns}", &lookup.unhidden_columns(None));
            added.push_str(&format!(", {value} AS {name}"));
        }
        if added.is_empty() {
            continue;
        }
        let at = node_access::place(table.location)?;
        let span = dotted_name(context.text, &tokens, at)?;
        let alias = match table.alias() {
            Some(_) => String::new(),
            None => format!(" AS {relation}"),
        };
        edits.push(TextEdit {
            span,
            replacement: format!(
                "(SELECT i.*{added} FROM {INFORMATION_SCHEMA}.{relation} i){alias}"
            ),
        });
    }
    (!edits.is_empty()).then_some(edits)
}

/// A relation of information_schema, and what MySQL has in it.
fn relation(
    table: &nodes::RangeVar,
) -> Option<(&'static str, &'static [(&'static str, &'static str)])> {
    if table.schemaname()? != INFORMATION_SCHEMA || table.catalogname().is_some() {
        return None;
    }
    match table.relname()? {
        "columns" => Some(("columns", COLUMNS)),
        "tables" => Some(("tables", TABLES)),
        "key_column_usage" => Some(("key_column_usage", KEYS)),
        _ => None,
    }
}

const COLUMNS: &[(&str, &str)] = &[
    (
        "column_type",
        "CASE WHEN i.character_maximum_length IS NOT NULL \
         THEN i.data_type || '(' || i.character_maximum_length || ')' \
         WHEN i.data_type = 'numeric' AND i.numeric_precision IS NOT NULL \
         THEN 'numeric(' || i.numeric_precision || ',' || i.numeric_scale || ')' \
         ELSE i.data_type END",
    ),
    (
        "column_key",
        "CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_index x \
         JOIN pg_catalog.pg_class c ON c.oid = x.indrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name \
         AND a.attname = i.column_name AND x.indisprimary AND a.attnum = ANY (x.indkey)) \
         THEN 'PRI' WHEN EXISTS (SELECT FROM pg_catalog.pg_index x \
         JOIN pg_catalog.pg_class c ON c.oid = x.indrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name \
         AND a.attname = i.column_name AND x.indisunique AND x.indnkeyatts = 1 \
         AND a.attnum = x.indkey[0]) THEN 'UNI' \
         WHEN EXISTS (SELECT FROM pg_catalog.pg_index x \
         JOIN pg_catalog.pg_class c ON c.oid = x.indrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name \
         AND a.attname = i.column_name AND a.attnum = x.indkey[0]) THEN 'MUL' ELSE '' END",
    ),
    (
        "column_comment",
        "COALESCE((SELECT pg_catalog.col_description(c.oid, a.attnum) \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name \
         AND a.attname = i.column_name), '')",
    ),
    (
        "extra",
        "CASE WHEN i.is_identity = 'YES' OR i.column_default LIKE 'nextval(%' \
         THEN 'auto_increment' WHEN i.is_generated = 'ALWAYS' THEN 'STORED GENERATED' ELSE '' END",
    ),
];

/// What a foreign key leads to, where that may be read.
const KEYS: &[(&str, &str)] = &[
    (
        "referenced_table_schema",
        "(SELECT n.nspname FROM pg_catalog.pg_constraint f \
         JOIN pg_catalog.pg_class o ON o.oid = f.conrelid \
         JOIN pg_catalog.pg_namespace p ON p.oid = o.relnamespace \
         JOIN pg_catalog.pg_class c ON c.oid = f.confrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE p.nspname = i.table_schema AND o.relname = i.table_name AND f.contype = 'f' \
         AND f.conname = i.constraint_name \
         AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'){relations})",
    ),
    (
        "referenced_table_name",
        "(SELECT c.relname FROM pg_catalog.pg_constraint f \
         JOIN pg_catalog.pg_class o ON o.oid = f.conrelid \
         JOIN pg_catalog.pg_namespace p ON p.oid = o.relnamespace \
         JOIN pg_catalog.pg_class c ON c.oid = f.confrelid \
         WHERE p.nspname = i.table_schema AND o.relname = i.table_name AND f.contype = 'f' \
         AND f.conname = i.constraint_name \
         AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'){relations})",
    ),
    (
        "referenced_column_name",
        "(SELECT a.attname FROM pg_catalog.pg_constraint f \
         JOIN pg_catalog.pg_class o ON o.oid = f.conrelid \
         JOIN pg_catalog.pg_namespace p ON p.oid = o.relnamespace \
         JOIN pg_catalog.pg_class c ON c.oid = f.confrelid \
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
         AND a.attnum = f.confkey[i.ordinal_position::pg_catalog.int4] \
         WHERE p.nspname = i.table_schema AND o.relname = i.table_name AND f.contype = 'f' \
         AND f.conname = i.constraint_name \
         AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'){relations}{columns})",
    ),
];

const TABLES: &[(&str, &str)] = &[
    (
        "table_rows",
        "(SELECT NULLIF(c.reltuples, -1)::pg_catalog.int8 FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name)",
    ),
    (
        "table_comment",
        "COALESCE((SELECT pg_catalog.obj_description(c.oid, 'pg_class') \
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = i.table_schema AND c.relname = i.table_name), '')",
    ),
];

const ADDED: &str = "columns that MySQL has in information_schema are computed";
