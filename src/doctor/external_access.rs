//! Ways out of the database: extensions, languages, foreign servers.

use super::check::{self, DoctorCheck, FindingSeverity};
use super::context::{DoctorContext, ExamineFailure, field};
use super::finding::{DoctorFindings, FixScope};
use super::functions::routines;
use super::grants::{self, ObjectPrivileges};
use super::sql_names::{qualified, sql_name};

/// Looks.
///
/// # Errors
/// The server failed to answer, or answered in another form than it was asked for.
pub async fn examine(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let list: Vec<String> = REACHING.iter().map(|name| format!("'{name}'")).collect();
    let list = list.join(", ");
    let of_them = format!(
        "EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid \
           AND d.refclassid = 'pg_extension'::regclass \
         WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' \
           AND e.extname IN ({list})) AND p.proowner <> ALL($1)"
    );
    routines(&of_them)
        .note(
            context,
            findings,
            check::OUTREACH_FUNCTIONS,
            FindingSeverity::Warning,
        )
        .await?;
    let installed = format!(
        "SELECT extname::text FROM pg_extension \
         WHERE extname IN ({list}) AND $1::oid[] IS NOT NULL ORDER BY 1"
    );
    listed(context, findings, check::OUTREACH_INSTALLED, &installed).await?;
    let available = format!(
        "SELECT name::text FROM pg_available_extensions WHERE name IN ({list}) \
         AND installed_version IS NULL AND $1::oid[] IS NOT NULL ORDER BY 1"
    );
    listed(context, findings, check::OUTREACH_AVAILABLE, &available).await?;
    languages(context, findings).await?;
    foreign_rights(context, findings).await?;
    foreign_tables(context, findings).await?;
    mappings(context, findings).await
}

async fn listed(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
    check: &'static DoctorCheck,
    text: &str,
) -> Result<(), ExamineFailure> {
    match context.texts(text).await? {
        None => findings.unseen(check),
        Some(names) => {
            let names = names.iter().map(|name| sql_name(name)).collect();
            findings.names(check, FindingSeverity::Note, names);
        }
    }
    Ok(())
}

async fn languages(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let names = context.texts(LANGUAGES).await?;
    let Some(names) = names else {
        findings.unseen(check::LANGUAGE_USAGE);
        return Ok(());
    };
    let names: Vec<String> = names.iter().map(|name| sql_name(name)).collect();
    findings.names(check::LANGUAGE_USAGE, FindingSeverity::Note, names.clone());
    for name in names {
        let statement = format!("REVOKE USAGE ON LANGUAGE {name} FROM PUBLIC");
        findings.add_fix(FixScope::Choice, statement);
    }
    Ok(())
}

async fn foreign_tables(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let Some(rows) = context.rows(FOREIGN_TABLES, &[]).await? else {
        findings.unseen(check::FOREIGN_TABLES);
        return Ok(());
    };
    let name = |row| Ok(qualified(field(row, 0)?, field(row, 1)?));
    let names = rows
        .iter()
        .map(name)
        .collect::<Result<Vec<_>, ExamineFailure>>()?;
    findings.names(check::FOREIGN_TABLES, FindingSeverity::Note, names);
    Ok(())
}

async fn mappings(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let Some(rows) = context.rows_of_reach(MAPPINGS).await? else {
        findings.unseen(check::USER_MAPPINGS);
        return Ok(());
    };
    let mut names = Vec::new();
    for row in &rows {
        let (server, user): (&str, u32) = (field(row, 0)?, field(row, 1)?);
        let user = context.grantee(user);
        names.push(format!("{} for {user}", sql_name(server)));
    }
    findings.names(check::USER_MAPPINGS, FindingSeverity::Note, names);
    Ok(())
}

/// USAGE of a server is enough for an account there, of a wrapper for a server.
async fn foreign_rights(
    context: &DoctorContext<'_>,
    findings: &mut DoctorFindings,
) -> Result<(), ExamineFailure> {
    let table = |kind, name: &str, acl: &str, owner: &str, from: &str| ObjectPrivileges {
        kind,
        from: format!(
            "SELECT NULL::text AS schema, {name}::text AS name, NULL::text AS arguments, \
               NULL::text AS \"column\", {acl} AS acl, {owner} AS owner, \
               NULL::aclitem[] AS initial FROM {from}"
        ),
        rights: &["USAGE"],
    };
    let servers = table(
        "FOREIGN SERVER",
        "srvname",
        "srvacl",
        "srvowner",
        "pg_foreign_server",
    );
    let wrappers = table(
        "FOREIGN DATA WRAPPER",
        "fdwname",
        "fdwacl",
        "fdwowner",
        "pg_foreign_data_wrapper",
    );
    let check = check::FOREIGN_RIGHTS;
    let read = (servers.read(context).await?, wrappers.read(context).await?);
    let (Some(mut found), Some(more)) = read else {
        findings.unseen(check);
        return Ok(());
    };
    found.extend(more);
    grants::note(context, findings, check, FindingSeverity::Warning, &found);
    Ok(())
}

/// Extensions that reach files, programs, networks or other servers, or run such code.
const REACHING: &[&str] = &[
    "adminpack",
    "aws_lambda",
    "aws_s3",
    "azure_storage",
    "dblink",
    "file_fdw",
    "http",
    "mongo_fdw",
    "multicorn",
    "mysql_fdw",
    "odbc_fdw",
    "oracle_fdw",
    "pg_background",
    "pg_cron",
    "pg_net",
    "pgagent",
    "pljava",
    "pljavau",
    "plperlu",
    "plpython2u",
    "plpython3u",
    "plpythonu",
    "plr",
    "plsh",
    "pltclu",
    "postgres_fdw",
    "redis_fdw",
    "sqlite_fdw",
    "tds_fdw",
];

/// Untrusted ones can be used by superusers alone.
const LANGUAGES: &str = "SELECT l.lanname::text FROM pg_language l \
    WHERE l.lanispl AND l.lanpltrusted AND l.laninline <> 0 \
      AND has_language_privilege(l.oid, 'USAGE') AND $1::oid[] IS NOT NULL ORDER BY 1";

const FOREIGN_TABLES: &str = "SELECT n.nspname::text, c.relname::text \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind = 'f' AND has_table_privilege(c.oid, 'SELECT') ORDER BY 1, 2";

const MAPPINGS: &str = "SELECT m.srvname::text, m.umuser FROM pg_user_mappings m \
    WHERE m.umuser = 0 OR m.umuser = ANY($1) ORDER BY 1, 2";
