//! Values that exist nowhere else, by every path that a text can take.

use std::thread;
use std::time::Duration;

use crate::support::raw::{Login, kinds};
use crate::support::sql::assert_running;
use crate::support::{APP, RawClient, Stack, frames, until};

/// What the statements need in their database.
pub const TABLES: &[&str] = &[
    "CREATE TABLE canary_rows AS SELECT 'canary of a row' AS canary_column",
    "CREATE TABLE \"Schools\" AS SELECT 'canary' AS \"Name\", 'canary' AS \"City\"",
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.customers AS SELECT 1 AS id, 'canary tenant' AS tenant, 'canary' AS email",
    "CREATE TABLE shop.breaking (id int)",
    "GRANT USAGE ON SCHEMA shop TO app",
    "GRANT SELECT ON canary_rows, \"Schools\", shop.customers, shop.breaking TO app",
];

/// What the policy has more than the built-in one: models, and bounds that bite.
pub const EDITS: &[(&str, &str)] = &[
    (
        "\n  statement_bytes: ",
        "\n  max_plan_rows: 1000000000000\n  result_rows: 1000\n  statement_bytes: ",
    ),
    (
        "    application_name: any\n",
        "    application_name: any\n    app.tenant: any\n",
    ),
    (
        "\ncatalog: required\n",
        "
catalog: required
models:
  shop.customers:
    sql: SELECT id, tenant, 'canary of a model' AS email FROM customers WHERE tenant = :app.tenant
  shop.breaking:
    sql: SELECT id, 'canary of a model', no_such_column FROM breaking
",
    ),
];

/// All of it.
pub fn everything(stack: &Stack) {
    statements(stack);
    prepared_and_bound(stack);
    repaired(stack);
    modelled(stack);
    traced(stack);
    bounded(stack);
    logins(stack);
    broken_frames(stack);
    cancelled(stack);
}

/// Every way to be permitted, clamped, refused, to fail, and not to be SQL; by both protocols.
fn statements(stack: &Stack) {
    let oversized = format!("SELECT '{}canary'", "x".repeat(2_000_000));
    let deep = format!("SELECT {}'canary'{}", "(".repeat(3000), ")".repeat(3000));
    let texts = [
        "SELECT 'canary permitted'",
        "SELECT * FROM canary_rows",
        "SELECT canary_column AS canary_alias FROM canary_rows AS canary_name WHERE canary_column <> $$canary dollar$$",
        "SELECT /* canary comment */ 1 -- canary comment",
        "SELECT 'canary invalid'::int",
        "SELECT canary_no_column",
        "SELECT * FROM canary_no_table",
        "SELECT canary_no_function('canary argument')",
        "SELECT 'P0001' !!!> 'canary raised'",
        "SELECT 'notice' ~~~> 'canary notice'",
        "SELECT 'canary'::mood",
        "SELECT '{canary'::json",
        "SELECT 'a' ~ '(canary'",
        "DELETE FROM canary_table WHERE a = 'canary refused'",
        "INSERT INTO item VALUES (1, 'canary refused')",
        "WITH canary_cte AS (DELETE FROM item WHERE name = 'canary' RETURNING 1) SELECT * FROM canary_cte",
        "SELECT pg_read_file('/canary')",
        "SELECT query_to_xml('SELECT ''canary''', true, true, '')",
        "SELECT set_config('canary.setting', 'canary value', false)",
        "SET canary.setting = 'canary value'",
        "SET search_path = canary_schema, public",
        "SET TimeZone = 'canary/zone'",
        "SET default_transaction_read_only = 'canary'",
        "SET statement_timeout = '99999h /* canary */'",
        "SET lc_messages = 'canary'",
        "SHOW canary.setting",
        "RESET canary.setting",
        "COPY (SELECT 'canary copied') TO STDOUT",
        "COPY (SELECT 'canary'::int) TO STDOUT",
        "COPY canary_table FROM '/canary'",
        "COPY (SELECT 1) TO PROGRAM 'echo canary'",
        "EXPLAIN SELECT * FROM item WHERE name = 'canary explained'",
        "EXPLAIN ANALYZE SELECT 'canary explained'",
        "PREPARE canary_statement AS SELECT 'canary prepared', $1",
        "EXECUTE canary_statement('canary argument')",
        "EXECUTE canary_unknown('canary argument')",
        "PREPARE canary_refused AS DELETE FROM item WHERE name = 'canary'",
        "DEALLOCATE canary_statement",
        "DEALLOCATE canary_unknown",
        "DECLARE canary_cursor CURSOR FOR SELECT 'canary'",
        "FETCH 1 FROM canary_cursor",
        "CLOSE canary_cursor",
        "SAVEPOINT canary_savepoint",
        "LISTEN canary_channel",
        "NOTIFY canary_channel, 'canary payload'",
        "DO $$ BEGIN RAISE NOTICE 'canary'; END $$",
        "CREATE ROLE canary PASSWORD 'canary password'",
        "ALTER ROLE app PASSWORD 'canary password'",
        "COMMENT ON TABLE item IS 'canary comment'",
        "CREATE FUNCTION canary_f() RETURNS text LANGUAGE sql AS 'SELECT ''canary'''",
        "SELECT 'canary'; DELETE FROM item WHERE name = 'canary'",
        "canary is not SQL",
        "SELECT 'canary unterminated",
        "SELECT \"canary unterminated",
        "SELECT $canary$ unterminated",
        "SELECT /* canary unterminated",
        "SELECT E'canary \\u00zz'",
        "SELECT U&'canary \\zzzz'",
        "SELECT U&\"\\0063anary\"",
        "SELECT 1 FROM FROM canary",
        "\u{1F424} canary",
        &oversized,
        &deep,
    ];
    let mut client = login(stack);
    for text in texts {
        let simple = client.query(text);
        assert_eq!(kinds(&simple).pop(), Some('Z'), "{text:.80}");
        client.send(&frames::extended(text, &[], true));
        client.until_ready();
        client.send(
            &[
                frames::query("BEGIN"),
                frames::query(text),
                frames::query("ROLLBACK"),
            ]
            .concat(),
        );
        for _ in 0..3 {
            client.until_ready();
        }
    }
    for bad in [&b"SELECT 'canary \xff'\0"[..], b"\xfecanary\0"] {
        client.send(&frames::message(b'Q', bad));
        client.until_ready();
    }
}

fn prepared_and_bound(stack: &Stack) {
    let mut client = login(stack);
    let script = [
        frames::parse("canary name", "SELECT $1::text"),
        frames::bind(
            "canary portal",
            "canary name",
            &[Some("canary bound")],
            false,
        ),
        frames::describe(b'P', "canary portal"),
        frames::execute("canary portal", 0),
        frames::close(b'P', "canary portal"),
        frames::sync(),
        frames::extended("SELECT $1::int", &[Some("canary is no number")], false),
        frames::bind("", "canary unknown", &[Some("canary bound")], false),
        frames::sync(),
        frames::execute("canary unknown", 0),
        frames::sync(),
        frames::describe(b'S', "canary unknown"),
        frames::sync(),
        frames::parse("canary refused", "DELETE FROM item WHERE name = $1"),
        frames::bind("", "canary refused", &[Some("canary bound")], false),
        frames::sync(),
        frames::message(b'F', b"\0\0\x08\x1e\0\0\0\x01\0\0\0\x06canary\0\0"),
    ];
    client.send(&script.concat());
    for _ in 0..7 {
        client.until_ready();
    }
    let copy = [
        frames::query("COPY item FROM STDIN"),
        frames::message(b'd', b"canary data\n"),
        frames::message(b'f', b"canary reason\0"),
    ];
    client.send(&copy.concat());
    client.until_ready();
}

/// Texts that are mended, that are mended almost, and those for which a hint is given.
fn repaired(stack: &Stack) {
    let mut client = login(stack);
    for (text, succeeds) in [
        ("SELECT Name FROM Schools WHERE City = 'canary'", true),
        ("```sql\nSELECT 'canary fenced'\n```", true),
        ("{\"sql\": \"SELECT 'canary enveloped'\"}", true),
        ("SELECT `Name`, 'canary' FROM `Schools`", true),
        ("SELECT Nmae, 'canary' FROM \"Schools\"", false),
        (
            "SELECT \"Name\" FROM \"Schools\" WHERE \"City\" = \"canary\"",
            false,
        ),
        ("SELECT ifnull(canary, 'canary') FROM canary_rows", false),
        (
            "SELECT TOP 5 'canary', canary_colunm FROM canary_rows",
            false,
        ),
    ] {
        // A repair has its time, which a busy machine may take away from it.
        let ran = until(|| {
            let answer = kinds(&client.query(text));
            (!succeeds || answer.contains('D')).then_some(())
        });
        assert!(ran.is_some(), "{text}");
        client.send(&frames::extended(text, &[], true));
        client.until_ready();
    }
    let repairs = stack.get("/metrics").1;
    assert!(repairs.contains("\npgsieve_repairs_total{"), "{repairs}");
}

/// Under a model, whose own text and whose values are nobody's business either.
fn modelled(stack: &Stack) {
    let parameters = [("app.tenant", "canary tenant at startup")];
    let login = Login {
        parameters: &parameters,
        ..stack.login(APP)
    };
    let mut client = RawClient::login(stack.proxied_address(), &login);
    client.query("SELECT * FROM shop.customers");
    client.query("SET app.tenant = 'canary tenant'");
    let seen = kinds(&client.query("SELECT tenant FROM shop.customers WHERE email > 'canary'"));
    assert_eq!(seen, "TDCZ");
    for text in [
        "SELECT id FROM shop.customers WHERE email = 'canary'::int",
        "SELECT canary_no_column FROM shop.customers",
        "SELECT id FROM shop.breaking WHERE id = 'canary'",
        "EXPLAIN SELECT id FROM shop.customers WHERE email = 'canary'",
    ] {
        client.query(text);
        client.send(&frames::extended(text, &[], true));
        client.until_ready();
    }
}

/// With what a tracing library writes behind its statements, true and false.
fn traced(stack: &Stack) {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let comments = [
        format!("traceparent='{parent}',tracestate='canary%3Dcanary',db_driver='canary'"),
        format!("action='canary',traceparent='{parent}'"),
        "traceparent='00-canarycanarycanarycanarycanaryca-canarycanarycana-01'".into(),
        "traceparent='canary'".into(),
        format!("traceparent='{parent}-canary'"),
        "route='%63anary',tracestate='canary'".into(),
    ];
    let mut client = login(stack);
    for comment in &comments {
        for text in [
            "SELECT 'canary'",
            "DELETE FROM canary_rows",
            "SELECT canary_none",
        ] {
            let text = format!("{text} /*{comment}*/");
            client.query(&text);
            client.send(&frames::extended(&text, &[], false));
            client.until_ready();
        }
    }
    client.query(&format!(
        "SET application_name = 'canary traceparent={parent}'"
    ));
    assert_eq!(kinds(&client.query("SELECT 'canary'")), "TDCZ");
}

/// What is too much: for the policy's plan, and for its result.
fn bounded(stack: &Stack) {
    let mut client = login(stack);
    for (text, answer) in [
        (
            "SELECT 'canary' FROM generate_series(1, 1000000000000000) g",
            "EZ",
        ),
        ("SELECT 'canary' FROM generate_series(1, 2000) g", "EZ"),
    ] {
        let got = kinds(&client.query(text));
        assert!(got.ends_with(answer), "{text}: {} frames", got.len());
        client.send(&frames::extended(text, &[], false));
        client.until_ready();
    }
}

fn logins(stack: &Stack) {
    let settings: [&[(&str, &str)]; 9] = [
        &[("search_path", "canary_schema")],
        &[("options", "-c search_path=canary_schema -c TimeZone=canary")],
        &[("options", "-c canary.setting=canary")],
        &[("options", "--canary=canary")],
        &[("options", "canary")],
        &[("canary", "canary")],
        &[("TimeZone", "canary/zone")],
        &[("_pq_.canary", "canary")],
        &[("replication", "canary")],
    ];
    for parameters in settings {
        drop(RawClient::try_login(
            stack.proxied_address(),
            &Login {
                parameters,
                ..stack.login(APP)
            },
        ));
    }
    let wrong = Login {
        password: "canary password",
        ..stack.login(APP)
    };
    assert!(RawClient::try_login(stack.proxied_address(), &wrong).is_err());
    let mut client = RawClient::connect(stack.proxied_address());
    client.send(&frames::untyped(b"\0\x03\0\0user\0app\0canary without end"));
    client.until_closed();
    let mut client = RawClient::connect(stack.proxied_address());
    client.send(b"GET /canary HTTP/1.1\r\n\r\n");
    client.until_closed();
}

fn broken_frames(stack: &Stack) {
    for frame in [
        frames::message(b'Q', b"SELECT 'canary without end'"),
        frames::message(b'Q', b"SELECT 'canary'\0canary behind\0"),
        frames::message(b'P', b"canary"),
        frames::message(b'z', b"canary"),
        frames::message(b'd', b"canary"),
        frames::message(b'p', b"canary\0"),
    ] {
        let mut client = login(stack);
        client.send(&frame);
        assert_eq!(kinds(&client.until_closed()), "E");
    }
    // Half a statement, and then nothing more.
    let mut client = login(stack);
    client.send(&frames::query("SELECT 'canary, half of it'")[..20]);
}

fn cancelled(stack: &Stack) {
    let mut client = login(stack);
    let (pid, secret) = client.key.clone().unwrap();
    client.send(&frames::query(
        "SELECT count(*), 'canary' FROM generate_series(1, 100000000000)",
    ));
    assert_running(stack, 1);
    RawClient::connect(stack.proxied_address()).send(&frames::cancel_request(pid, &secret));
    client.until_ready();
    client.query("SET statement_timeout = 20");
    client.query("SELECT count(*), 'canary' FROM generate_series(1, 100000000000)");
    // Gone in the middle of a statement.
    client.query("RESET statement_timeout");
    client.send(&frames::query(
        "SELECT count(*), 'canary' FROM generate_series(1, 100000000000)",
    ));
    thread::sleep(Duration::from_millis(50));
    drop(client);
    until(|| (stack.metric("pgsieve_connections_open") == 0.0).then_some(()));
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}
