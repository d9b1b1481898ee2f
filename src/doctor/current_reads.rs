//! What the role reads today, as grants: so that nothing is lost when it gives up a membership, or
//! when another role takes its place.

use std::collections::{BTreeMap, BTreeSet};

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::context::{DoctorContext, ExamineFailure, field};
use super::sql_names::{qualified, sql_name};

/// The statements that let `reader` read what the examined role reads, but for what the roles in
/// `kept` give as well (0 is everybody).
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn grants(
    context: &DoctorContext<'_>,
    reader: &str,
    kept: &BTreeSet<u32>,
) -> Result<Option<Vec<String>>, ExamineFailure> {
    let kept: Vec<u32> = kept.iter().copied().collect();
    let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 1] =
        [(&kept, Type::OID_ARRAY)];
    let schemas = context.rows(SCHEMAS, &parameters).await?;
    let relations = context.rows(RELATIONS, &parameters).await?;
    let (Some(schemas), Some(relations)) = (schemas, relations) else {
        return Ok(None);
    };
    let mut statements = Vec::new();
    for row in &schemas {
        let schema = sql_name(field(row, 0)?);
        statements.push(format!("GRANT USAGE ON SCHEMA {schema} TO {reader}"));
    }
    let relations = relations.iter().map(relation);
    let relations = relations.collect::<Result<Vec<_>, _>>()?;
    let mut groups: BTreeMap<(&str, bool), Vec<&ReadableRelation>> = BTreeMap::new();
    for relation in &relations {
        let key = (relation.schema.as_str(), relation.is_sequence);
        groups.entry(key).or_default().push(relation);
    }
    for ((schema, is_sequence), relations) in groups {
        of_schema(schema, is_sequence, &relations, reader, &mut statements);
    }
    Ok(Some(statements))
}

struct ReadableRelation {
    schema: String,
    name: String,
    is_sequence: bool,
    reads: ReadColumns,
}

enum ReadColumns {
    /// All of it; by a grant that stays, or not.
    All {
        stays: bool,
    },
    /// These columns.
    Columns(Vec<String>),
    Nothing,
}

fn relation(row: &Row) -> Result<ReadableRelation, ExamineFailure> {
    let (all, stays): (bool, bool) = (field(row, 3)?, field(row, 4)?);
    let columns: Option<Vec<String>> = field(row, 5)?;
    Ok(ReadableRelation {
        schema: field(row, 0)?,
        name: field(row, 1)?,
        is_sequence: field(row, 2)?,
        reads: match (all, columns) {
            (true, _) => ReadColumns::All { stays },
            (false, Some(columns)) if !columns.is_empty() => ReadColumns::Columns(columns),
            (false, Some(_) | None) => ReadColumns::Nothing,
        },
    })
}

/// All of a schema at once where the role reads all of it.
fn of_schema(
    schema: &str,
    is_sequence: bool,
    relations: &[&ReadableRelation],
    reader: &str,
    statements: &mut Vec<String>,
) {
    let (one, all) = match is_sequence {
        true => ("SEQUENCE", "SEQUENCES"),
        false => ("TABLE", "TABLES"),
    };
    let goes =
        |relation: &&&ReadableRelation| matches!(relation.reads, ReadColumns::All { stays: false });
    let going = relations.iter().filter(goes).count();
    let reads_all =
        |relation: &&ReadableRelation| matches!(relation.reads, ReadColumns::All { .. });
    if going > 1 && relations.iter().all(reads_all) {
        let schema = sql_name(schema);
        statements.push(format!(
            "GRANT SELECT ON ALL {all} IN SCHEMA {schema} TO {reader}"
        ));
        return;
    }
    for relation in relations {
        let name = qualified(&relation.schema, &relation.name);
        match &relation.reads {
            ReadColumns::All { stays: false } => {
                statements.push(format!("GRANT SELECT ON {one} {name} TO {reader}"));
            }
            ReadColumns::Columns(columns) => {
                let columns: Vec<String> = columns.iter().map(|name| sql_name(name)).collect();
                let columns = columns.join(", ");
                statements.push(format!("GRANT SELECT ({columns}) ON {name} TO {reader}"));
            }
            ReadColumns::All { stays: true } | ReadColumns::Nothing => {}
        }
    }
}

const SCHEMAS: &str = "SELECT n.nspname::text FROM pg_namespace n \
    WHERE n.nspname !~ '^(pg_|information_schema$)' AND has_schema_privilege(n.oid, 'USAGE') \
      AND NOT EXISTS (SELECT FROM aclexplode(n.nspacl) g \
        WHERE g.grantee = ANY($1) AND g.privilege_type = 'USAGE') ORDER BY 1";

/// Columns are given again even where their grant stays: it does no harm.
const RELATIONS: &str = "SELECT n.nspname::text, c.relname::text, c.relkind = 'S', \
      has_table_privilege(c.oid, 'SELECT'), \
      EXISTS (SELECT FROM aclexplode(c.relacl) g \
        WHERE g.grantee = ANY($1) AND g.privilege_type = 'SELECT'), \
      CASE WHEN NOT has_table_privilege(c.oid, 'SELECT') \
          AND has_any_column_privilege(c.oid, 'SELECT') THEN \
        ARRAY(SELECT a.attname::text FROM pg_attribute a \
          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
            AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY a.attnum) END \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relpersistence <> 't' \
      AND n.nspname !~ '^(pg_|information_schema$)' ORDER BY 1, 2";
