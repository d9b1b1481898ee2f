//! Names that are no text: in a database of the encoding SQL_ASCII anything may be called by any
//! bytes, roles are shared with every other database, and in an encoding of single bytes there are
//! some that UTF-8 has no letter for. The catalog loads, what else is there is judged as before,
//! and what hides behind such a name is seen.

use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::gate::effects::judge::{Judge, Outcome};
use crate::gate::effects::servers::{Database, Server, block_on, servers};
use crate::support::sql::connected;

#[test]
fn whatever_is_called_by_bytes_that_are_no_text_the_rest_is_judged_as_before() {
    for server in servers() {
        block_on(async {
            let database = create(server, "bytes", "SQL_ASCII").await;
            for (kind, statement) in OBJECTS {
                make(&database.admin, statement).await;
                let judge = database.judge(server).await;
                for text in CLEAN {
                    assert_eq!(judge.judge(text), Outcome::Permitted, "{kind}: {text}");
                }
                refused(&judge, kind, "SELECT * FROM locks");
            }
            // What is shared is there in every database.
            let other = connected(&server.shop.url).await;
            let rows = snapshot::load(&other).await.unwrap();
            assert!(Catalog::build(rows).is_ok());
            snapshot::marker(&other).await.unwrap();
            make(&database.admin, "DROP ROLE \"BAD\"").await;
        });
    }
}

#[test]
fn what_hides_behind_bytes_that_are_no_text_is_seen() {
    for server in servers() {
        block_on(async {
            let database = create(server, "hiding", "SQL_ASCII").await;
            let admin = &database.admin;
            for statement in HIDING {
                make(admin, statement).await;
            }
            let judge = database.judge(server).await;
            for text in HIDDEN {
                let text = &text.replace("LONGNAME", &"a".repeat(62));
                // What the server says of a name that it cuts is no text either.
                let begin = "SELECT pg_advisory_unlock_all(); SET client_min_messages = error; \
                     BEGIN";
                admin.batch_execute(begin).await.unwrap();
                admin.batch_execute(text).await.unwrap();
                let held = admin.query_one(HELD, &[]).await.unwrap();
                assert!(held.get::<_, i64>(0) > 0, "{text} has no effect");
                let end = "ROLLBACK; SELECT pg_advisory_unlock_all()";
                admin.batch_execute(end).await.unwrap();
                refused(&judge, "hidden", text);
            }
            for text in CLEAN.iter().chain(BESIDE) {
                assert_eq!(judge.judge(text), Outcome::Permitted, "{text}");
            }
        });
    }
}

#[test]
fn letters_that_utf8_does_not_have_leave_the_rest_of_a_database_readable() {
    for server in servers() {
        block_on(async {
            let database = create(server, "letters", "WIN1252").await;
            let admin = &database.admin;
            let before = database.judge(server).await;
            refused(&before, "before", "SELECT * FROM größe");
            assert_eq!(before.judge("SELECT * FROM \"maß\""), Outcome::Permitted);
            make(admin, "CREATE TABLE \"BAD\" (id int, \"BAD\" int)").await;
            make(
                admin,
                "CREATE VIEW via AS SELECT \"LOCKS\"(id) AS x FROM plain",
            )
            .await;
            let judge = database.judge(server).await;
            for text in CLEAN {
                assert_eq!(judge.judge(text), Outcome::Permitted, "{text}");
            }
            for text in ["SELECT * FROM größe", "TABLE locks", "TABLE via"] {
                refused(&judge, "letters", text);
            }
            assert_eq!(
                judge.judge("SELECT 'größe', \"é\" FROM plain AS x (\"é\")"),
                { Outcome::Permitted }
            );
        });
    }
}

/// A database of an encoding, with a superuser's session.
struct Scene {
    admin: Client,
    url: String,
}

async fn create(server: &Server, name: &str, encoding: &str) -> Scene {
    let first = connected(&server.shop.url).await;
    let create = format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
    );
    first.batch_execute(&create).await.unwrap();
    let url = server.shop.url.replace("/shop", &format!("/{name}"));
    assert_ne!(url, server.shop.url);
    let admin = connected(&url).await;
    for statement in READABLE {
        make(&admin, statement).await;
    }
    Scene { admin, url }
}

impl Scene {
    async fn judge(&self, server: &Server) -> Judge {
        snapshot::marker(&self.admin).await.unwrap();
        let rows = snapshot::load(&self.admin).await.unwrap();
        let catalog = Arc::new(Catalog::build(rows.clone()).unwrap());
        let database = Database {
            url: self.url.clone(),
            rows,
            catalog: Arc::clone(&catalog),
            role: "reader",
            path: &["public"],
            extensions: Vec::new(),
        };
        Judge::seeing(&catalog, &database, "agent", server.major)
    }
}

/// Runs a statement with bytes that no client sends in the place of BAD, LOCKS and CUT.
async fn make(admin: &Client, statement: &str) {
    let text = format!(
        "DO $do$ BEGIN EXECUTE replace(replace(replace($make${statement}$make$, \
           'BAD', convert_from('\\x42818d', getdatabaseencoding())), \
           'LOCKS', convert_from('\\x4c8181', getdatabaseencoding())), \
           'LONGNAME', repeat('a', 62) || convert_from('\\xc3', getdatabaseencoding())); END $do$"
    );
    let made = admin.batch_execute(&text).await;
    made.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
}

fn refused(judge: &Judge, kind: &str, text: &str) {
    let outcome = judge.judge(text);
    let refused = matches!(outcome, Outcome::Refused(..));
    assert!(refused, "{kind}: {text}: {outcome:?}");
}

const READABLE: &[&str] = &[
    "CREATE TABLE plain (id int PRIMARY KEY, name text); INSERT INTO plain VALUES (1, 'x');
     CREATE TABLE \"maß\" (id int); CREATE FUNCTION pure(int) RETURNS int LANGUAGE sql IMMUTABLE
       AS 'SELECT $1'; CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "CREATE FUNCTION locked() RETURNS bool LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_advisory_lock(1); RETURN true; END'",
    "CREATE FUNCTION \"LOCKS\"(int) RETURNS int LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_advisory_lock(1); RETURN 1; END'",
    "CREATE VIEW locks AS SELECT locked() AS x; CREATE VIEW \"größe\" AS SELECT locked() AS x;
     GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC",
];

/// What is clean whatever is added.
const CLEAN: &[&str] = &[
    "SELECT * FROM plain",
    "SELECT p.name, pure(p.id), 5::positive FROM plain AS p WHERE p.id = $1",
    "SELECT count(*) FROM plain JOIN \"maß\" USING (id)",
    "SELECT 'é' || name FROM plain",
];

/// One of each kind that can be called by a name, or holds one.
const OBJECTS: &[(&str, &str)] = &[
    (
        "schema",
        "CREATE SCHEMA \"BAD\"; CREATE TABLE \"BAD\".t (id int)",
    ),
    ("table", "CREATE TABLE \"BAD\" (id int)"),
    ("column", "ALTER TABLE plain ADD COLUMN \"BAD\" int"),
    (
        "default",
        "ALTER TABLE plain ALTER COLUMN name SET DEFAULT 'BAD'",
    ),
    (
        "check",
        "ALTER TABLE plain ADD CONSTRAINT \"BAD\" CHECK (name <> 'BAD')",
    ),
    ("index", "CREATE INDEX \"BADi\" ON plain ((name || 'BAD'))"),
    (
        "statistics",
        "CREATE STATISTICS \"BADs\" ON id, name FROM plain",
    ),
    ("sequence", "CREATE SEQUENCE \"BADq\""),
    ("row type", "CREATE TYPE \"BADr\" AS (\"BAD\" int)"),
    ("enum", "CREATE TYPE \"BADe\" AS ENUM ('BAD')"),
    ("label", "CREATE TYPE mood AS ENUM ('BAD')"),
    (
        "domain",
        "CREATE DOMAIN \"BADd\" AS text CONSTRAINT \"BAD\" CHECK (VALUE <> 'BAD')",
    ),
    (
        "constraint",
        "ALTER DOMAIN positive ADD CONSTRAINT \"BAD\" CHECK (VALUE > -1)",
    ),
    ("range", "CREATE TYPE \"BADn\" AS RANGE (SUBTYPE = int)"),
    (
        "function",
        "CREATE FUNCTION \"BADf\"(int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    (
        "argument",
        "CREATE FUNCTION named(\"BAD\" int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    (
        "result",
        "CREATE FUNCTION gives(OUT \"BAD\" int) LANGUAGE sql AS 'SELECT 1'",
    ),
    (
        "body",
        "CREATE FUNCTION quoting() RETURNS text LANGUAGE sql AS 'SELECT ''BAD''::text'",
    ),
    (
        "setting of a function",
        "ALTER FUNCTION quoting() SET search_path = \"BAD\"",
    ),
    (
        "aggregate",
        "CREATE AGGREGATE \"BADa\" (int) (SFUNC = int4pl, STYPE = int, INITCOND = '0')",
    ),
    (
        "operator",
        "CREATE OPERATOR \"BAD\".=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl)",
    ),
    ("cast", "CREATE CAST (\"BADe\" AS int) WITH INOUT"),
    (
        "operator class",
        "CREATE OPERATOR CLASS \"BAD\" FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=,
         OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int)",
    ),
    ("collation", "CREATE COLLATION \"BAD\" FROM \"C\""),
    ("view", "CREATE VIEW \"BADv\" AS SELECT id FROM plain"),
    (
        "column of a view",
        "CREATE VIEW shown AS SELECT id AS \"BAD\", 'BAD' AS x FROM plain",
    ),
    (
        "materialized view",
        "CREATE MATERIALIZED VIEW \"BADm\" AS SELECT 1 AS \"BAD\"",
    ),
    (
        "rule",
        "CREATE RULE \"BAD\" AS ON INSERT TO plain DO ALSO NOTHING",
    ),
    (
        "trigger",
        "CREATE TRIGGER \"BAD\" BEFORE UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION
         suppress_redundant_updates_trigger()",
    ),
    (
        "policy",
        "ALTER TABLE \"maß\" ENABLE ROW LEVEL SECURITY;
         CREATE POLICY \"BAD\" ON \"maß\" USING ('BAD' <> '')",
    ),
    ("comment", "COMMENT ON TABLE plain IS 'BAD'"),
    (
        "foreign",
        "CREATE FOREIGN DATA WRAPPER \"BAD\"; CREATE SERVER \"BAD\" FOREIGN DATA WRAPPER \"BAD\";
         CREATE FOREIGN TABLE away (\"BAD\" int) SERVER \"BAD\"",
    ),
    (
        "text search",
        "CREATE TEXT SEARCH CONFIGURATION \"BAD\" (PARSER = \"default\")",
    ),
    ("role", "CREATE ROLE \"BAD\""),
    (
        "owner",
        "ALTER TABLE plain OWNER TO \"BAD\"; GRANT SELECT ON plain TO PUBLIC",
    ),
    (
        "setting of a role",
        "ALTER ROLE \"BAD\" SET search_path = \"BAD\"",
    ),
    (
        "setting of the database",
        "ALTER DATABASE bytes SET application_name = 'BAD'",
    ),
    (
        "control characters",
        "CREATE TABLE \"\u{1}\n\t\u{7f}\\\" (\"\u{1b}[31m\" int)",
    ),
    ("long", "CREATE TABLE \"LONGNAME\" (\"LONGNAME\" int)"),
    (
        "owner again",
        "ALTER TABLE plain OWNER TO postgres; DROP OWNED BY \"BAD\"",
    ),
];

const HIDING: &[&str] = &[
    "CREATE VIEW via_function AS SELECT \"LOCKS\"(id) AS x FROM plain",
    "CREATE VIEW \"LONGNAME\" AS SELECT locked() AS x",
    "CREATE VIEW \"BADv\" AS SELECT locked() AS x; CREATE VIEW via_view AS SELECT * FROM \"BADv\"",
    "CREATE DOMAIN \"BADd\" AS int CHECK (\"LOCKS\"(VALUE) > 0);
     CREATE FUNCTION takes(\"BADd\") RETURNS int LANGUAGE plpgsql IMMUTABLE AS
       'BEGIN RETURN 1; END'",
    "CREATE TABLE held (\"BAD\" int); INSERT INTO held VALUES (1);
     CREATE VIEW via_column AS SELECT \"LOCKS\"(\"BAD\") AS \"BAD\" FROM held",
    "CREATE FUNCTION \"LOCKS\"(int, int) RETURNS bool LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_advisory_lock(1); RETURN true; END';
     CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = \"LOCKS\")",
];

const HIDDEN: &[&str] = &[
    "SELECT * FROM via_function",
    "SELECT * FROM LONGNAMEé",
    "SELECT * FROM \"LONGNAMEä\"",
    "SELECT * FROM via_view",
    "SELECT takes('1')",
    "SELECT x FROM via_column AS y (x)",
    "SELECT 1 === 2",
];

/// What only stands beside it.
const BESIDE: &[&str] = &[
    "SELECT * FROM held",
    "SELECT count(*) FROM held AS h",
    "SELECT id AS \"é\" FROM plain",
];

const HELD: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
