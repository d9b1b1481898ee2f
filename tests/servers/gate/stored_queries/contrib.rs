//! Every function of every extension of contrib has a verdict, and those that are said to read
//! leave nothing behind.

use std::sync::Arc;

use pgsieve::catalog::{Catalog, Function};
use pgsieve::gate::extensions::{self, ExtensionVerdict};
use pgsieve::upstream::snapshot;

use crate::catalog::snapshot::support::Database;
use crate::support::sql::rows;

/// Extensions of contrib that are languages or need another program: their functions are for the
/// server alone.
const LANGUAGES: &[&str] = &[
    "plperl",
    "plpython",
    "pltcl",
    "jsonb_pl",
    "bool_pl",
    "hstore_pl",
    "ltree_pl",
];

#[tokio::test]
async fn no_function_of_contrib_is_without_a_verdict() {
    for major in [15, 18] {
        let Some(database) = Database::new(major).await else {
            continue;
        };
        let admin = database.admin().await;
        let mut created = 0;
        for row in rows(&admin, CONTRIB).await {
            let create = format!("CREATE EXTENSION IF NOT EXISTS \"{}\" CASCADE", row[0]);
            match admin.batch_execute(&create).await {
                Ok(()) => created += 1,
                Err(error) => eprintln!("SKIPPED on {major}: {}: {error}", row[0]),
            }
        }
        assert!(created > 10, "{created} extensions on {major}");
        let rows = snapshot::load(&admin).await.unwrap();
        let catalog = Catalog::build(rows).unwrap();
        let mut without = Vec::new();
        let mut counted = 0;
        for (id, function) in catalog.functions() {
            let Some(extension) = function.extension.as_deref() else {
                continue;
            };
            let is_language = LANGUAGES.iter().any(|begin| extension.starts_with(begin));
            if function.oid.is_built_in() || is_language || is_for_the_server(&catalog, function) {
                continue;
            }
            counted += 1;
            let is_code = function.code.is_some();
            if is_code && extensions::verdict(&catalog, function).is_none() {
                let code = function.code.as_deref().unwrap();
                let signature = catalog.function_signature(id);
                without.push(format!(
                    "{extension} {} {}: {signature}",
                    code.library, code.symbol
                ));
            }
        }
        assert!(without.is_empty(), "on {major}:\n{}", without.join("\n"));
        assert!(counted > 200, "{counted} on {major}");
    }
}

#[tokio::test]
async fn what_is_said_to_read_leaves_nothing_behind() {
    for major in [15, 18] {
        let Some(database) = Database::new(major).await else {
            continue;
        };
        let admin = database.admin().await;
        for row in rows(&admin, CONTRIB).await {
            let create = format!("CREATE EXTENSION IF NOT EXISTS \"{}\" CASCADE", row[0]);
            let _ = admin.batch_execute(&create).await;
        }
        let all = snapshot::load(&admin).await.unwrap();
        let catalog = Arc::new(Catalog::build(all).unwrap());
        let mut wrong = Vec::new();
        let (mut called, mut failed) = (0, 0);
        for (id, function) in catalog.functions() {
            let verdict = extensions::verdict(&catalog, function);
            if !matches!(verdict, Some(ExtensionVerdict::Allowed { .. })) {
                continue;
            }
            let call = rows(&admin, &format!("{CALL} WHERE p.oid = {}", function.oid.0)).await;
            let Some(call) = call.first().map(|row| row[0].clone()) else {
                continue;
            };
            called += 1;
            // Whatever it says, or whether it fails.
            admin.batch_execute("BEGIN READ ONLY").await.unwrap();
            let before = rows(&admin, TRACE).await;
            admin.batch_execute("SAVEPOINT a").await.unwrap();
            if admin.simple_query(&call).await.is_err() {
                failed += 1;
                admin.batch_execute("ROLLBACK TO a").await.unwrap();
            }
            let after = rows(&admin, TRACE).await;
            admin.batch_execute("ROLLBACK").await.unwrap();
            if before != after {
                wrong.push(format!(
                    "{}: {before:?} {after:?}",
                    catalog.function_signature(id)
                ));
            }
        }
        assert!(wrong.is_empty(), "on {major}:\n{}", wrong.join("\n"));
        println!("Postgres {major}: {called} called, {failed} of them without a result");
        assert!(called - failed > 150, "{called} {failed} on {major}");
    }
}

/// Whether no statement can call it.
fn is_for_the_server(catalog: &Catalog, function: &Function) -> bool {
    let name = |id| catalog.names().text(catalog.data_type(id).name);
    function.arguments.iter().any(|id| name(*id) == "internal")
}

/// All that comes with Postgres, from 13 to 18, as far as it can be had: a server may have others
/// installed.
/// <https://www.postgresql.org/docs/current/contrib.html>
const CONTRIB: &str = "SELECT name::text FROM pg_available_extensions WHERE name = ANY ('{ \
     adminpack, amcheck, autoinc, bloom, btree_gin, btree_gist, citext, cube, dblink, \
     dict_int, dict_xsyn, earthdistance, file_fdw, fuzzystrmatch, hstore, insert_username, \
     intagg, intarray, isn, lo, ltree, moddatetime, old_snapshot, pageinspect, \
     pg_buffercache, pg_freespacemap, pg_logicalinspect, pg_prewarm, pg_stat_statements, \
     pg_surgery, pg_trgm, pg_visibility, pg_walinspect, pgcrypto, pgrowlocks, pgstattuple, \
     plpgsql, postgres_fdw, refint, seg, sslinfo, tablefunc, tcn, timetravel, \
     tsm_system_rows, tsm_system_time, unaccent, uuid-ossp, xml2, bool_plperl, bool_plperlu, \
     hstore_plperl, hstore_plperlu, hstore_plpython3u, jsonb_plperl, jsonb_plperlu, \
     jsonb_plpython3u, ltree_plpython3u \
     }') ORDER BY 1";

/// A call with a value for each argument.
const CALL: &str = "SELECT 'SELECT ' || p.oid::regproc || '(' || coalesce((SELECT string_agg(
    CASE WHEN t.typname = 'cstring' THEN '''1''::cstring'
      WHEN t.typtype = 'p' THEN 'NULL'
      WHEN t.typname = 'regclass' THEN '''pg_class''::regclass'
      WHEN t.typname = 'bool' THEN 'true'
      WHEN t.typcategory = 'N' THEN '1::' || t.oid::regtype
      WHEN t.typcategory = 'D' THEN '''2024-01-01''::' || t.oid::regtype
      WHEN t.typcategory = 'A' THEN '''{}''::' || t.oid::regtype
      WHEN t.typcategory = 'T' THEN '''1 s''::' || t.oid::regtype
      ELSE '''1''::' || t.oid::regtype END, ', ' ORDER BY a.place)
    FROM unnest(p.proargtypes) WITH ORDINALITY AS a(type, place)
      JOIN pg_type t ON t.oid = a.type), '')
  || ')'
  FROM pg_proc p";

/// What a call may leave: locks that writers would wait for, a transaction's number, settings,
/// files, connections, statistics.
const TRACE: &str = "SELECT
  (SELECT count(*)::text FROM pg_locks WHERE pid = pg_backend_pid()
     AND (locktype = 'advisory' OR mode NOT IN ('AccessShareLock', 'ExclusiveLock'))),
  coalesce(pg_current_xact_id_if_assigned()::text, ''),
  (SELECT md5(string_agg(name || setting, ',' ORDER BY name)) FROM pg_settings
     WHERE name NOT IN ('transaction_read_only')),
  (SELECT count(*)::text FROM pg_ls_dir('.')),
  (SELECT count(*)::text FROM pg_stat_activity WHERE backend_type = 'client backend')";
