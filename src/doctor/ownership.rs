//! What the role owns, and the tables whose row security does not hold it back.

use tokio_postgres::types::Type;

use super::check::{self, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, Finding, FixScope};
use super::sql_names::{qualified, sql_name, types};

/// Looks. Says whether the role itself owns anything.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<bool, ExamineFailure> {
    let owns = ownership(context, findings).await?;
    row_security(context, findings).await?;
    policies(context, findings).await?;
    Ok(owns)
}

async fn ownership(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<bool, ExamineFailure> {
    let text = format!("SELECT * FROM ({}) o ORDER BY 1, 2, 3, 4", of_tables());
    let check = check::OWNERSHIP;
    let Some(rows) = context.rows_of_reach(&text).await? else {
        findings.unseen(check);
        return Ok(false);
    };
    let (mut names, mut itself) = (Vec::new(), false);
    for row in &rows {
        let (kind, schema): (&str, Option<&str>) = (field(row, 0)?, field(row, 1)?);
        let (name, arguments): (&str, Option<&str>) = (field(row, 2)?, field(row, 3)?);
        let owner = field(row, 4)?;
        let mut line = match schema {
            Some(schema) => format!("{kind} {}", qualified(schema, name)),
            None => format!("{kind} {}", sql_name(name)),
        };
        if let Some(arguments) = arguments {
            line.push_str(&format!("({})", types(arguments)));
        }
        if owner == context.own.id {
            itself = true;
        } else {
            findings.through.insert(owner);
            line.push_str(&format!(" (through {})", context.grantee(owner)));
        }
        names.push(line);
    }
    findings.names(check, FindingSeverity::Danger, names);
    Ok(itself)
}

/// An owner is held back only where that is forced; a superuser and who bypasses never are.
async fn row_security(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let everywhere = context.own.superuser || context.own.bypassrls;
    let ids = context.reach_ids();
    let rows = context
        .rows(
            ROW_SECURITY,
            &[(&ids, Type::OID_ARRAY), (&everywhere, Type::BOOL)],
        )
        .await?;
    let check = check::ROW_SECURITY_BYPASSED;
    let Some(rows) = rows else {
        findings.unseen(check);
        return Ok(());
    };
    let names = rows
        .iter()
        .map(|row| Ok(qualified(field(row, 0)?, field(row, 1)?)));
    let names = names.collect::<Result<Vec<_>, ExamineFailure>>()?;
    if names.is_empty() {
        findings.ok(check);
        return Ok(());
    }
    let mut finding = Finding::new(check, FindingSeverity::Warning, names.clone());
    for name in names {
        let statement = format!("ALTER TABLE {name} FORCE ROW LEVEL SECURITY");
        finding = finding.with_fix(FixScope::Choice, statement);
    }
    findings.note(finding);
    Ok(())
}

async fn policies(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let check = check::ROW_SECURITY_OFF;
    let Some(rows) = context.rows(POLICIES, &[]).await? else {
        findings.unseen(check);
        return Ok(());
    };
    let name = |row| Ok(qualified(field(row, 0)?, field(row, 1)?));
    let names = rows
        .iter()
        .map(name)
        .collect::<Result<Vec<_>, ExamineFailure>>()?;
    findings.names(check, FindingSeverity::Warning, names.clone());
    for name in names {
        let statement = format!("ALTER TABLE {name} ENABLE ROW LEVEL SECURITY");
        findings.add_fix(FixScope::Choice, statement);
    }
    Ok(())
}

fn of_tables() -> String {
    let parts = OWNED.iter().map(|(kind, schema, name, arguments, rest)| {
        format!(
            "SELECT {kind} AS kind, {schema}::text AS schema, {name}::text AS name, \
               {arguments}::text AS arguments, {rest}"
        )
    });
    parts.collect::<Vec<_>>().join(" UNION ALL ")
}

/// What it is, its schema, its name, its arguments, its owner and where it is found. Parts of other
/// things (indexes, row types, arrays) are left out, and what came with the server.
const OWNED: &[(&str, &str, &str, &str, &str)] = &[
    (
        "CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' \
           WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' ELSE 'table' END",
        "n.nspname",
        "c.relname",
        "NULL",
        "c.relowner AS owner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND c.oid >= 16384 \
           AND c.relpersistence <> 't' AND c.relowner = ANY($1)",
    ),
    (
        "CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END",
        "n.nspname",
        "p.proname",
        "oidvectortypes(p.proargtypes)",
        "p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE p.oid >= 16384 AND p.proowner = ANY($1)",
    ),
    (
        "'type'",
        "n.nspname",
        "t.typname",
        "NULL",
        "t.typowner FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace \
         WHERE t.typtype IN ('d', 'e', 'r') AND t.oid >= 16384 AND t.typowner = ANY($1)",
    ),
    (
        "'schema'",
        "NULL",
        "n.nspname",
        "NULL",
        "n.nspowner FROM pg_namespace n WHERE n.nspname !~ '^(pg_|information_schema$)' \
           AND n.nspowner = ANY($1)",
    ),
    (
        "'database'",
        "NULL",
        "d.datname",
        "NULL",
        "d.datdba FROM pg_database d WHERE d.datdba = ANY($1)",
    ),
    (
        "'tablespace'",
        "NULL",
        "t.spcname",
        "NULL",
        "t.spcowner FROM pg_tablespace t WHERE t.oid >= 16384 AND t.spcowner = ANY($1)",
    ),
    (
        "'extension'",
        "NULL",
        "e.extname",
        "NULL",
        "e.extowner FROM pg_extension e WHERE e.oid >= 16384 AND e.extowner = ANY($1)",
    ),
    (
        "'foreign server'",
        "NULL",
        "s.srvname",
        "NULL",
        "s.srvowner FROM pg_foreign_server s WHERE s.srvowner = ANY($1)",
    ),
    (
        "'foreign data wrapper'",
        "NULL",
        "w.fdwname",
        "NULL",
        "w.fdwowner FROM pg_foreign_data_wrapper w WHERE w.fdwowner = ANY($1)",
    ),
    (
        "'large object'",
        "NULL",
        "l.oid",
        "NULL",
        "l.lomowner FROM pg_largeobject_metadata l WHERE l.lomowner = ANY($1)",
    ),
    (
        "'publication'",
        "NULL",
        "p.pubname",
        "NULL",
        "p.pubowner FROM pg_publication p WHERE p.pubowner = ANY($1)",
    ),
    (
        "'event trigger'",
        "NULL",
        "t.evtname",
        "NULL",
        "t.evtowner FROM pg_event_trigger t WHERE t.evtowner = ANY($1)",
    ),
];

const ROW_SECURITY: &str = "SELECT n.nspname::text, c.relname::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relrowsecurity \
      AND ($2 OR c.relowner = ANY($1) AND NOT c.relforcerowsecurity) ORDER BY 1, 2";

/// Only tables that the role can read: what it cannot read, no policy has to hide.
const POLICIES: &str = "SELECT n.nspname::text, c.relname::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE NOT c.relrowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid) \
      AND has_any_column_privilege(c.oid, 'SELECT') ORDER BY 1, 2";
