//! Whatever changes what a snapshot would hold changes the marker, and nothing else does.

use std::time::Duration;

use pgsieve::upstream::snapshot::{self, ChangeMarker};

use tokio_postgres::Client;

use crate::catalog::snapshot::support::{Database, READER, VERSIONS};
use crate::support::sql::rows;

/// What is there before the changes. Unqualified names are in public.
const BEFORE: &str = "
    CREATE SCHEMA shop;
    CREATE TABLE shop.orders (id int PRIMARY KEY, total numeric, note text);
    CREATE TABLE shop.parent (id int);
    CREATE TABLE shop.child (id int);
    CREATE VIEW shop.v AS SELECT id FROM shop.orders;
    CREATE FUNCTION shop.f(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a';
    CREATE FUNCTION shop.same(a shop.orders, b int) RETURNS bool LANGUAGE sql AS 'SELECT true';
    CREATE DOMAIN shop.positive AS int;
    CREATE TYPE shop.pair AS (a int, b int);
    CREATE POLICY old ON shop.orders USING (id > 0);
    INSERT INTO shop.orders SELECT n, n, 'x' FROM generate_series(1, 10) n;";

/// Each changes the marker.
const CHANGES: &[&str] = &[
    "CREATE FUNCTION shop.g() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE OR REPLACE FUNCTION shop.f(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + 1'",
    "ALTER FUNCTION shop.f(int) VOLATILE",
    "ALTER FUNCTION shop.f(int) SECURITY DEFINER",
    "ALTER FUNCTION shop.f(int) SET search_path TO shop",
    "ALTER FUNCTION shop.g() RENAME TO h",
    "ALTER FUNCTION shop.h() SET SCHEMA public",
    "DROP FUNCTION public.h()",
    "CREATE VIEW shop.w AS SELECT id FROM shop.v",
    "CREATE OR REPLACE VIEW shop.w AS SELECT shop.f(id) AS id FROM shop.v",
    "ALTER VIEW shop.w RENAME TO w2",
    "CREATE MATERIALIZED VIEW shop.m AS SELECT 1 AS one",
    "GRANT SELECT ON shop.orders TO reader",
    "GRANT SELECT (id) ON shop.parent TO reader",
    "GRANT USAGE ON SCHEMA shop TO reader",
    "REVOKE EXECUTE ON FUNCTION shop.f(int) FROM PUBLIC",
    "REVOKE SELECT ON shop.orders FROM reader",
    "ALTER TABLE shop.orders RENAME COLUMN note TO remark",
    "ALTER TABLE shop.orders ADD COLUMN more int",
    "ALTER TABLE shop.orders ALTER COLUMN more TYPE bigint",
    "ALTER TABLE shop.orders ALTER COLUMN total SET NOT NULL",
    "ALTER TABLE shop.orders DROP COLUMN more",
    "ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY new ON shop.orders FOR SELECT USING (total > 0)",
    "ALTER POLICY new ON shop.orders USING (total > 1)",
    "DROP POLICY new ON shop.orders",
    "ALTER TABLE shop.child INHERIT shop.parent",
    "ALTER TABLE shop.child NO INHERIT shop.parent",
    "ALTER TABLE shop.child ADD UNIQUE (id)",
    "ALTER TABLE shop.child OWNER TO reader",
    "ALTER TABLE shop.child SET SCHEMA public",
    "ALTER DOMAIN shop.positive ADD CONSTRAINT c CHECK (shop.f(VALUE) > 0)",
    "ALTER DOMAIN shop.positive DROP CONSTRAINT c",
    "ALTER DOMAIN shop.positive SET NOT NULL",
    "ALTER TYPE shop.pair ADD ATTRIBUTE c int",
    "CREATE TYPE shop.mood AS ENUM ('well')",
    "CREATE FUNCTION shop.pair_of(int) RETURNS shop.pair LANGUAGE sql AS 'SELECT $1, $1, $1'",
    "CREATE CAST (int AS shop.pair) WITH FUNCTION shop.pair_of(int)",
    "DROP CAST (int AS shop.pair)",
    "CREATE OPERATOR shop.=== (LEFTARG = shop.orders, RIGHTARG = int, FUNCTION = shop.same)",
    "CREATE AGGREGATE shop.total(int) (SFUNC = int4pl, STYPE = int)",
    "CREATE TYPE shop.span AS RANGE (SUBTYPE = int)",
    "CREATE FOREIGN DATA WRAPPER far; CREATE SERVER one FOREIGN DATA WRAPPER far",
    "CREATE FOREIGN TABLE shop.away (id int) SERVER one",
    "ALTER SERVER one RENAME TO two",
    "CREATE OPERATOR FAMILY shop.odd USING btree; \
     CREATE OPERATOR CLASS shop.odd_ops FOR TYPE int USING btree FAMILY shop.odd AS \
       OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, \
       FUNCTION 1 btint4cmp(int, int)",
    "CREATE ACCESS METHOD odd TYPE INDEX HANDLER bthandler",
    "CREATE DEFAULT CONVERSION shop.own FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8",
    "CREATE FOREIGN DATA WRAPPER near",
    "CREATE TRANSFORM FOR int LANGUAGE sql (FROM SQL WITH FUNCTION prsd_lextype(internal))",
    "CREATE TEXT SEARCH PARSER shop.own (START = prsd_start, GETTOKEN = prsd_nexttoken, \
       END = prsd_end, LEXTYPES = prsd_lextype)",
    "CREATE TEXT SEARCH TEMPLATE shop.own (LEXIZE = dsimple_lexize)",
    "CREATE INDEX ON shop.parent (id)",
    "CREATE TABLE shop.split (id int) PARTITION BY RANGE (id)",
    "ALTER SCHEMA shop RENAME TO market",
    "ALTER SCHEMA market RENAME TO shop",
    "CREATE SCHEMA empty",
    "CREATE EXTENSION IF NOT EXISTS plpgsql; ALTER EXTENSION plpgsql ADD FUNCTION shop.f(int)",
    "CREATE ROLE settled",
    "GRANT reader TO settled",
    "ALTER ROLE settled SUPERUSER",
    "ALTER ROLE settled SET search_path TO shop",
    "ALTER ROLE settled RESET search_path",
    "ALTER ROLE settled RENAME TO resettled",
    "DROP ROLE resettled",
    "DO $$ BEGIN \
        EXECUTE format('ALTER DATABASE %I SET search_path TO shop', current_database()); END $$",
    "DO $$BEGIN EXECUTE format('ALTER DATABASE %I RESET search_path', current_database()); END$$",
    // The same names again, in one transaction.
    "BEGIN; DROP VIEW shop.w2; CREATE VIEW shop.w2 AS SELECT pg_backend_pid() AS id; COMMIT",
    "DROP TABLE shop.parent",
    "CREATE TABLE shop.parent (id int)",
];

/// None changes it.
const NO_CHANGES: &[&str] = &[
    "SELECT count(*) FROM shop.orders, shop.v",
    "INSERT INTO shop.orders VALUES (100, 1, 'y')",
    "UPDATE shop.orders SET total = total + 1",
    "DELETE FROM shop.orders WHERE id > 5",
    "ANALYZE shop.orders",
    "VACUUM FREEZE pg_class",
    "VACUUM FREEZE pg_proc",
    "BEGIN; CREATE VIEW shop.never AS SELECT 1; ROLLBACK",
    "CREATE TEMP TABLE passing AS SELECT 1 AS one",
    "CREATE TEMP VIEW passing_by AS SELECT one FROM passing",
    "DROP TABLE passing CASCADE",
    "SET work_mem TO '5MB'",
    "ALTER DATABASE template1 SET search_path TO shop",
    "ALTER DATABASE template1 RESET search_path",
];

/// On servers of its own, since the roles of a server belong to all of its databases.
#[tokio::test]
async fn every_change_of_the_catalogs_changes_it_and_nothing_else_does() {
    for version in VERSIONS {
        let Some(database) = Database::alone(version).await else {
            continue;
        };
        let (admin, client) = (database.admin().await, database.catalog().await);
        admin.batch_execute(BEFORE).await.unwrap();
        // The first temporary object of a session makes its schema.
        let first = "CREATE TEMP TABLE first (id int)";
        admin.batch_execute(first).await.unwrap();
        let mut last = snapshot::marker(&client).await.unwrap();
        for change in NO_CHANGES {
            run(&admin, change).await;
            let now = last.again(&client).await.unwrap();
            assert_eq!(now, last, "{version}: {change}");
        }
        for change in CHANGES {
            run(&admin, change).await;
            let now = last.again(&client).await.unwrap();
            assert_ne!(now, last, "{version}: {change}");
            assert_eq!(now, snapshot::marker(&client).await.unwrap(), "{version}");
            last = now;
        }
    }
}

/// A batch is one transaction, in which VACUUM cannot be.
async fn run(admin: &Client, text: &str) {
    let done = admin.batch_execute(text).await;
    done.unwrap_or_else(|error| panic!("{text}: {error:?}"));
}

/// A transaction that is older than one that has ended before it: the sum of two rows of 9 and 11
/// is the sum of two rows of 10.
#[tokio::test]
async fn older_transactions_that_end_later_are_seen() {
    let Some(database) = Database::alone(15).await else {
        return;
    };
    let (one, two, client) = (
        database.admin().await,
        database.admin().await,
        database.catalog().await,
    );
    let function = |name: &str, value: u8| {
        format!("CREATE OR REPLACE FUNCTION {name}() RETURNS int LANGUAGE sql AS 'SELECT {value}'")
    };
    let mut kept: Option<ChangeMarker> = None;
    for round in 0..20 {
        two.batch_execute(&function("a", round)).await.unwrap();
        one.batch_execute("BEGIN; SELECT pg_current_xact_id()")
            .await
            .unwrap();
        two.batch_execute(&function("b", round)).await.unwrap();
        let before = snapshot::marker(&client).await.unwrap();
        let both = [function("a", 100 + round), function("b", 100 + round)].join(";");
        one.batch_execute(&format!("{both}; COMMIT")).await.unwrap();
        let after = before.again(&client).await.unwrap();
        assert_ne!(before, after);
        assert_ne!(kept, Some(after.clone()));
        kept = Some(after);
    }
}

#[tokio::test]
async fn it_leaves_no_trace_on_the_server() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let client = database.catalog().await;
    let first = snapshot::marker(&client).await.unwrap();
    first.again(&client).await.unwrap();
    snapshot::load(&client).await.unwrap();
    let path = rows(&client, "SHOW search_path").await;
    assert_eq!(path, [["pg_catalog"]]);
    let log = database.cluster.log();
    assert!(
        !log.contains("SET LOCAL") && !log.contains("no transaction"),
        "{log}"
    );
}

#[tokio::test]
async fn a_standby_is_read_and_marked_as_well() {
    let started = pgsieve::demo::cluster::PrivateCluster::builder()
        .version(15)
        .start();
    let Ok(mut cluster) = started else {
        eprintln!("SKIPPED: there is no Postgres 15 to be had on this machine");
        return;
    };
    let signal = cluster.data().join("standby.signal");
    std::fs::write(&signal, "").unwrap();
    std::fs::set_permissions(&signal, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    cluster.restart().unwrap();
    let client =
        crate::catalog::snapshot::support::catalog(&cluster, cluster.admin(), "", "postgres").await;
    let recovering = rows(&client, "SELECT pg_is_in_recovery()").await;
    assert_eq!(recovering, [["t"]]);
    let marker = snapshot::marker(&client).await.unwrap();
    assert_eq!(marker, marker.again(&client).await.unwrap());
    assert!(!snapshot::load(&client).await.unwrap().types.is_empty());
}

#[tokio::test]
async fn a_reading_that_is_given_up_leaves_no_old_transaction_behind() {
    let Some(database) = Database::new(15).await else {
        return;
    };
    let (admin, client) = (database.admin().await, database.catalog().await);
    for _ in 0..5 {
        let given_up = tokio::time::timeout(Duration::from_millis(3), snapshot::load(&client));
        assert!(given_up.await.is_err(), "faster than that in a debug build");
        admin
            .batch_execute("CREATE TABLE later (id int)")
            .await
            .unwrap();
        let rows = snapshot::load(&client).await.unwrap();
        assert!(
            rows.relations
                .iter()
                .any(|relation| relation.name == "later")
        );
        admin.batch_execute("DROP TABLE later").await.unwrap();
    }
    let account = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = '{READER}' \
                           AND datname = '{}' AND state LIKE '%transaction%'",
        database.name
    );
    assert_eq!(rows(&admin, &account).await, [["0"]]);
}
