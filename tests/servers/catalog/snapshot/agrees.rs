//! What a snapshot says of names, rights and search paths is what the server says.

use std::collections::HashMap;

use pgsieve::catalog::{Catalog, Oid, search_path};
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::catalog::snapshot::support::Database;

/// The versions that differ most: before and after memberships that inherit by themselves.
const ASKED: [u32; 2] = [15, 18];

#[tokio::test]
async fn names_are_what_the_server_writes() {
    for version in ASKED {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let (catalog, admin, _other) = snapshot_of_odd(&database).await;
        // With no path but pg_catalog the server qualifies what the snapshot does.
        admin
            .batch_execute("SET search_path = pg_catalog")
            .await
            .unwrap();
        // What is temporary has another name in the session whose it is, and any may become that.
        let names = "WITH lasting AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_temp') \
             SELECT 'f', oid, oid::regprocedure::text FROM pg_proc \
             WHERE pronamespace IN (SELECT oid FROM lasting) \
             UNION ALL SELECT 't', oid, format_type(oid, NULL) FROM pg_type \
             WHERE typnamespace IN (SELECT oid FROM lasting) \
             UNION ALL SELECT 'o', oid, oid::regoperator::text FROM pg_operator \
             UNION ALL SELECT 'r', oid, oid::regclass::text FROM pg_class \
             WHERE relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND relpersistence <> 't'";
        for row in admin.query(names, &[]).await.unwrap() {
            let (kind, oid, wanted): (&str, u32, String) = (row.get(0), row.get(1), row.get(2));
            let (index, oid) = (catalog.index(), Oid(oid));
            let found = match kind {
                "f" => index
                    .function_of_oid(oid)
                    .map(|id| catalog.function_signature(id)),
                "t" => index.type_of_oid(oid).map(|id| catalog.type_name(id)),
                "o" => index
                    .operator_of_oid(oid)
                    .map(|id| catalog.operator_signature(id)),
                _ => index
                    .relation_of_oid(oid)
                    .map(|id| catalog.relation_name(id)),
            };
            // Version 15 does not know what became a keyword later.
            let found = found
                .unwrap_or_default()
                .replace("\"json_object\"", "json_object");
            let wanted = wanted.replace("\"json_object\"", "json_object");
            assert_eq!(
                found.replace(", ", ","),
                wanted.replace(", ", ","),
                "{version} {oid:?}"
            );
        }
    }
}

#[tokio::test]
async fn rights_are_what_the_server_grants() {
    for version in ASKED {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let (catalog, admin, _other) = snapshot_of_odd(&database).await;
        // Other tests make roles meanwhile, for databases of their own.
        let roles = "SELECT rolname::text FROM pg_roles \
             WHERE rolsuper OR starts_with(rolname, 'pg_') OR starts_with(rolname, $1 || '_')";
        for role in admin.query(roles, &[&database.name]).await.unwrap() {
            let role: String = role.get(0);
            let rights = catalog.rights_of(catalog.role_named(&role));
            let schemas: HashMap<Oid, _> = catalog
                .schemas()
                .map(|(id, schema)| (schema.oid, id))
                .collect();
            let wanted = "SELECT 's', oid, has_schema_privilege($1, oid, 'usage') \
                   FROM pg_namespace \
                 UNION ALL SELECT 'r', oid, has_table_privilege($1, oid, 'select') \
                   OR has_any_column_privilege($1, oid, 'select') FROM pg_class \
                   WHERE relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND relpersistence <> 't' \
                 UNION ALL SELECT 'f', oid, has_function_privilege($1, oid, 'execute') \
                   FROM pg_proc \
                 UNION ALL SELECT 't', oid, has_type_privilege($1, oid, 'usage') FROM pg_type";
            for row in admin.query(wanted, &[&role]).await.unwrap() {
                let (kind, oid, wanted): (&str, u32, bool) = (row.get(0), row.get(1), row.get(2));
                let (index, oid) = (catalog.index(), Oid(oid));
                let found = match kind {
                    "s" => schemas.get(&oid).map(|id| rights.may_use_schema(*id)),
                    "r" => index.relation_of_oid(oid).map(|id| rights.may_read(id)),
                    "f" => index.function_of_oid(oid).map(|id| rights.may_call(id)),
                    _ => index.type_of_oid(oid).map(|id| rights.may_use_type(id)),
                };
                assert_eq!(found, Some(wanted), "{version} {role} {kind} {oid:?}");
            }
        }
    }
}

#[tokio::test]
async fn search_paths_are_what_the_server_searches() {
    for version in ASKED {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let (catalog, admin, _other) = snapshot_of_odd(&database).await;
        let name = &database.name;
        for role in ["app", "reads", "deep", "apart", "everything", "owner"]
            .map(|role| format!("{name}_{role}"))
        {
            admin
                .batch_execute(&format!("RESET ROLE; SET ROLE {role}"))
                .await
                .unwrap();
            for setting in PATHS {
                let setting = setting.replace("app", &format!("{name}_app"));
                check_path(&catalog, &admin, &role, &setting).await;
            }
        }
    }
}

const PATHS: &[&str] = &[
    "\"$user\", public",
    "",
    "odd,S2,\"S2\",\"S 3\", public",
    "public, pg_catalog, odd",
    "odd, \"$user\", odd, nowhere",
    "app,\"$user\"",
    "secret, odd",
    "information_schema, pg_toast, ODD",
    "a b",
    "odd,",
    "\"odd",
    " odd , public ",
];

/// The server takes the setting, and searches what the snapshot says, or neither.
async fn check_path(catalog: &Catalog, admin: &Client, role: &str, setting: &str) {
    let set = "SELECT pg_catalog.set_config('search_path', $1, false)";
    let set = admin.query_one(set, &[&setting]).await;
    let names = search_path::split(setting);
    assert_eq!(set.is_ok(), names.is_some(), "{setting}");
    let Some(names) = names else { return };
    let schemas = "SELECT pg_catalog.current_schemas(true)";
    let wanted: Vec<String> = admin.query_one(schemas, &[]).await.unwrap().get(0);
    let found = catalog.search_path(&names, catalog.role_named(role));
    let found = found.schemas().iter();
    let found = found.map(|id| catalog.names().text(catalog.schema(*id).name));
    assert_eq!(found.collect::<Vec<_>>(), wanted, "{role} {setting}");
}

/// A database with rights and names of every kind, its snapshot, and a session of the superuser.
/// Another session has temporary objects: they are gone some time after it is dropped.
async fn snapshot_of_odd(database: &Database) -> (Catalog, Client, Client) {
    let (admin, other) = (database.admin().await, database.admin().await);
    let text = include_str!("../../../data/schemas/snapshot/odd.sql")
        .replace("DATABASE_", &format!("{}_", database.name));
    admin.batch_execute(&text).await.unwrap();
    admin
        .batch_execute(&format!(
            "ALTER DATABASE {0} OWNER TO {0}_owner",
            database.name
        ))
        .await
        .unwrap();
    other.batch_execute(TEMPORARY).await.unwrap();
    let rows = snapshot::load(&database.catalog().await).await.unwrap();
    (Catalog::build(rows).unwrap(), admin, other)
}

const TEMPORARY: &str = "CREATE TEMP TABLE mine (id int, pair odd.pair); \
    CREATE TEMP TABLE child () INHERITS (odd.orders); \
    CREATE TEMP VIEW seen AS SELECT * FROM mine; \
    CREATE DOMAIN pg_temp.positive AS int CHECK (VALUE > 1); \
    CREATE TYPE pg_temp.pair AS (a pg_temp.positive); \
    CREATE FUNCTION pg_temp.of(mine) RETURNS int LANGUAGE sql AS 'SELECT 1'";
