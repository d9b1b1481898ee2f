//! Ways out of the database: extensions, languages, foreign servers.

use super::check::{self, Check, Severity};
use super::context::{Ground, Trouble, field};
use super::finding::{Ledger, Scope};
use super::functions::routines;
use super::grants::{self, Rights};
use super::sql_names::{qualified, written};

/// Looks.
pub async fn examine(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let list: Vec<String> = REACHING.iter().map(|name| format!("'{name}'")).collect();
    let list = list.join(", ");
    let of_them = format!(
        "EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid \
           AND d.refclassid = 'pg_extension'::regclass \
         WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' \
           AND e.extname IN ({list})) AND p.proowner <> ALL($1)"
    );
    routines(&of_them)
        .note(ground, ledger, check::OUTREACH_FUNCTIONS, Severity::Warning)
        .await?;
    let installed = format!(
        "SELECT extname::text FROM pg_extension \
         WHERE extname IN ({list}) AND $1::oid[] IS NOT NULL ORDER BY 1"
    );
    listed(ground, ledger, check::OUTREACH_INSTALLED, &installed).await?;
    let available = format!(
        "SELECT name::text FROM pg_available_extensions WHERE name IN ({list}) \
         AND installed_version IS NULL AND $1::oid[] IS NOT NULL ORDER BY 1"
    );
    listed(ground, ledger, check::OUTREACH_AVAILABLE, &available).await?;
    languages(ground, ledger).await?;
    foreign_rights(ground, ledger).await?;
    foreign_tables(ground, ledger).await?;
    mappings(ground, ledger).await
}

async fn listed(
    ground: &Ground<'_>,
    ledger: &mut Ledger,
    check: &'static Check,
    text: &str,
) -> Result<(), Trouble> {
    match ground.texts(text).await? {
        None => ledger.unseen(check),
        Some(names) => {
            let names = names.iter().map(|name| written(name)).collect();
            ledger.names(check, Severity::Note, names);
        }
    }
    Ok(())
}

async fn languages(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let names = ground.texts(LANGUAGES).await?;
    let Some(names) = names else {
        ledger.unseen(check::LANGUAGE_USAGE);
        return Ok(());
    };
    let names: Vec<String> = names.iter().map(|name| written(name)).collect();
    ledger.names(check::LANGUAGE_USAGE, Severity::Note, names.clone());
    for name in names {
        let statement = format!("REVOKE USAGE ON LANGUAGE {name} FROM PUBLIC");
        ledger.cure(Scope::Choice, statement);
    }
    Ok(())
}

async fn foreign_tables(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let Some(rows) = ground.rows(FOREIGN_TABLES, &[]).await? else {
        ledger.unseen(check::FOREIGN_TABLES);
        return Ok(());
    };
    let name = |row| Ok(qualified(field(row, 0)?, field(row, 1)?));
    let names = rows.iter().map(name).collect::<Result<Vec<_>, Trouble>>()?;
    ledger.names(check::FOREIGN_TABLES, Severity::Note, names);
    Ok(())
}

async fn mappings(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let Some(rows) = ground.rows_of_reach(MAPPINGS).await? else {
        ledger.unseen(check::USER_MAPPINGS);
        return Ok(());
    };
    let mut names = Vec::new();
    for row in &rows {
        let (server, user): (&str, u32) = (field(row, 0)?, field(row, 1)?);
        let user = ground.grantee(user);
        names.push(format!("{} for {user}", written(server)));
    }
    ledger.names(check::USER_MAPPINGS, Severity::Note, names);
    Ok(())
}

/// USAGE of a server is enough for an account there, of a wrapper for a server.
async fn foreign_rights(ground: &Ground<'_>, ledger: &mut Ledger) -> Result<(), Trouble> {
    let table = |kind, name: &str, acl: &str, owner: &str, from: &str| Rights {
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
    let read = (servers.read(ground).await?, wrappers.read(ground).await?);
    let (Some(mut found), Some(more)) = read else {
        ledger.unseen(check);
        return Ok(());
    };
    found.extend(more);
    grants::note(ground, ledger, check, Severity::Warning, &found);
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
