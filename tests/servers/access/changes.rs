//! The gate keeps up with what changes: a database under its sessions, the search_path of a
//! session. And with nothing to keep up with, it is strict.

use std::time::{Duration, Instant};

use crate::gate::hidden::{BOUND, assert_no_trace, hidden_stack, newest, refused};
use crate::support::raw::{Login, kinds};
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, frames, until};

/// A function that was fine is replaced while sessions hold prepared statements and a cursor of it.
#[test]
fn a_function_that_is_replaced_is_refused_within_the_bound() {
    let stack = Stack::start(Options::default());
    stack.prepare(&[
        "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
        "CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2), (3)",
        "GRANT SELECT ON t TO reader",
    ]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    until(|| (!refused(&client.query("SELECT f(1)"))).then_some(())).unwrap();
    client.send(&[frames::parse("p", "SELECT f(id) FROM t"), frames::sync()].concat());
    assert_eq!(kinds(&client.until_ready()), "1Z");
    assert_eq!(
        kinds(&client.query("PREPARE q AS SELECT f(id) FROM t")),
        "CZ"
    );
    assert_eq!(kinds(&client.query("BEGIN")), "CZ");
    assert_eq!(
        kinds(&client.query("DECLARE c CURSOR FOR SELECT f(id) FROM t")),
        "CZ"
    );
    assert_eq!(kinds(&client.query("FETCH 1 FROM c")), "TDCZ");

    stack.prepare(&[
        "CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE plpgsql VOLATILE AS
        'BEGIN PERFORM pg_advisory_lock(1); RETURN $1; END'",
    ]);
    let changed = Instant::now();
    let mut other = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let bound = [
        frames::bind("", "p", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ]
    .concat();
    loop {
        let asked = changed.elapsed();
        if refused(&other.query("EXPLAIN SELECT f(id) FROM t")) {
            break;
        }
        assert!(asked < BOUND, "still unseen after the bound");
        std::thread::sleep(Duration::from_millis(20));
    }
    println!("seen after {:?}", changed.elapsed());
    assert!(refused(&client.query("FETCH 1 FROM c")));
    client.query("ROLLBACK");
    client.send(&bound);
    assert!(refused(&client.until_ready()));
    assert!(refused(&client.query("EXECUTE q")));
    assert!(refused(&client.query("SELECT f(1)")));
    // What needs nothing of it still runs.
    assert_eq!(
        kinds(&client.query("SELECT id FROM t WHERE id = 1")),
        "TDCZ"
    );
    assert_no_lock(&stack);

    // And the way back.
    stack.prepare(&[
        "CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'",
    ]);
    until(|| (!refused(&client.query("SELECT f(1)"))).then_some(())).unwrap();
    client.send(&bound);
    assert_eq!(kinds(&client.until_ready()), "2DDDCZ");
}

#[test]
fn whatever_is_new_is_seen_within_the_bound() {
    let stack = Stack::start(Options::default());
    stack.prepare(&["CREATE TABLE t (id int)", "GRANT SELECT ON t TO reader"]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (change, question) in CHANGES {
        stack.prepare(change);
        let changed = Instant::now();
        // EXPLAIN, so that what is not seen yet takes no lock.
        let explained = format!("EXPLAIN {question}");
        loop {
            let asked = changed.elapsed();
            if refused(&client.query(&explained)) {
                break;
            }
            assert!(asked < BOUND, "{question}: unseen after the bound");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(refused(&client.query(question)), "{question}");
    }
    assert_no_lock(&stack);
}

/// Where names are looked up decides what they stand for, and a session may change that.
#[test]
fn every_change_of_the_search_path_is_followed() {
    let Some(stack) = hidden_stack(newest()) else {
        return;
    };
    let bad = "SELECT * FROM v_lock";
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut check = |before: &[&str], expected: bool| {
        for text in before {
            assert!(!refused(&client.query(text)), "{text}");
        }
        let answer = client.query(bad);
        assert_eq!(refused(&answer), expected, "after {before:?}: {answer:?}");
    };
    check(&[], true);
    check(&["SET search_path = calm"], false);
    check(&["SET search_path = calm, hidden"], false);
    check(&["SET search_path = hidden, calm"], true);
    check(&["SET search_path = \"$user\", nothing, calm"], false);
    check(&["RESET search_path"], true);
    check(&["SELECT set_config('search_path', 'calm', false)"], false);
    check(
        &["SELECT pg_catalog.set_config('search_path', 'hidden', false)"],
        true,
    );
    check(
        &[
            "SET search_path TO calm",
            "SET SESSION search_path TO DEFAULT",
        ],
        true,
    );
    check(
        &[
            "SET search_path = calm",
            "BEGIN",
            "SET LOCAL search_path = hidden",
        ],
        true,
    );
    check(&["ROLLBACK"], false);
    check(&["BEGIN", "SET search_path = hidden"], true);
    check(&["ROLLBACK"], false);
    check(&["BEGIN", "SET search_path = hidden", "COMMIT"], true);
    check(
        &[
            "BEGIN",
            "SET search_path = calm",
            "SAVEPOINT a",
            "SET search_path = hidden",
        ],
        true,
    );
    // Of what a savepoint took back nobody is sure where the server does not report the path, as
    // it does from 18 on: each path that may hold is asked.
    check(&["ROLLBACK TO a", "COMMIT"], newest() < 18);
    check(
        &[
            "SET search_path = calm",
            "SELECT set_config('search_path', 'hidden', true)",
        ],
        false,
    );
    check(&["DISCARD ALL"], true);
    check(&["SET search_path = calm", "RESET ALL"], true);
    check(&["SET search_path = ''"], true);
    // Pipelined: what was sent before counts before it is answered.
    client.send(&frames::query("ROLLBACK"));
    client.until_ready();
    assert!(!refused(&client.query("SET search_path = calm")));
    client.send(
        &[
            frames::query("SET search_path = hidden"),
            frames::query(bad),
        ]
        .concat(),
    );
    assert!(!refused(&client.until_ready()));
    assert!(refused(&client.until_ready()));
    // A failed change is none; whether the gate may be sure of that is its own affair.
    client.query("BEGIN");
    client.query("SET search_path = calm");
    client.query("SELECT 1/0");
    client.query("ROLLBACK");
    assert!(refused(&client.query(bad)));
    assert_no_trace(&stack);
}

/// The startup packet, and what the database sets for a role, decide where a session begins.
#[test]
fn where_a_session_begins_to_look_up_names_is_known() {
    let stack = hidden_stack(newest()).unwrap();
    let bad = "SELECT * FROM v_lock";
    let check = |parameters: &[(&str, &str)], role: &str, expected: bool| {
        let login = Login {
            parameters,
            ..stack.login(role)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        let answer = client.query(bad);
        assert_eq!(refused(&answer), expected, "{parameters:?}: {answer:?}");
        client.query("SET search_path = public");
        client.query("RESET search_path");
        assert_eq!(
            refused(&client.query(bad)),
            expected,
            "{parameters:?} after RESET"
        );
    };
    check(&[], READER, true);
    check(&[("search_path", "calm")], READER, false);
    check(&[("search_path", "hidden")], READER, true);
    check(&[("options", "-c search_path=calm")], READER, false);
    check(&[("options", "--search_path=hidden,calm")], READER, true);
    let of_role = format!(
        "ALTER ROLE {APP} IN DATABASE {} SET search_path = calm",
        stack.database()
    );
    stack.prepare(&[&of_role]);
    check(&[], APP, false);
    check(&[("search_path", "hidden")], APP, true);
    let of_role = format!(
        "ALTER ROLE {APP} IN DATABASE {} SET search_path = hidden",
        stack.database()
    );
    stack.prepare(&[&of_role]);
    check(&[], APP, true);
    assert_no_trace(&stack);
}

/// Where the policy requires a catalog and nobody can read one, only built-ins are sure.
#[test]
fn without_a_catalog_only_built_ins_pass() {
    let config = "upstream:\n  url: {upstream}\nlisten: {listen}\nadmin:\n  listen: {admin}\n\
                  catalog:\n  user: nobody_at_all\npolicy:\n  file: agent\n";
    let stack = Stack::start_unready(Options {
        config: Some(config.into()),
        ..Options::default()
    });
    stack.prepare(&["CREATE TABLE t (id int)", "GRANT SELECT ON t TO reader"]);
    until(|| (stack.get("/healthz").0 == 200).then_some(())).unwrap();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for text in [
        "SELECT 1",
        "SELECT count(*), max(relname) FROM pg_class WHERE relkind = 'r'",
        "SELECT table_name FROM information_schema.tables",
        "SELECT lower('A'), now(), '{1}'::int[] || 2",
        "SHOW server_version",
        "BEGIN",
        "COMMIT",
    ] {
        let answer = client.query(text);
        assert!(!refused(&answer), "{text}: {answer:?}");
    }
    for text in [
        "SELECT * FROM t",
        "SELECT f(1)",
        "SELECT 1 === 2",
        "SELECT 'x'::mood",
    ] {
        let answer = client.query(text);
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        let detail = error.field(b'D').unwrap_or_default();
        assert!(detail.contains("catalog_missing"), "{text}: {answer:?}");
    }
}

fn assert_no_lock(stack: &Stack) {
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let held = admin.query(
        "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND d.datname = current_database()",
    );
    assert_eq!(kinds(&held), "TCZ");
}

/// What is done to a database, and a statement that must be refused from then on.
const CHANGES: [(&[&str], &str); 8] = [
    (
        &[
            "CREATE VIEW v AS SELECT pg_try_advisory_lock(id) FROM t",
            "GRANT SELECT ON v TO reader",
        ],
        "SELECT * FROM v",
    ),
    (
        &[
            "CREATE FUNCTION g(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN $1; END'",
        ],
        "SELECT g(1)",
    ),
    (
        &["CREATE OPERATOR === (FUNCTION = g, RIGHTARG = int)"],
        "SELECT === 1",
    ),
    (
        &["CREATE DOMAIN d AS int CHECK (g(VALUE) > 0)"],
        "SELECT 1::d",
    ),
    (
        &[
            "CREATE POLICY p ON t USING (g(id) > 0)",
            "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        ],
        "SELECT * FROM t",
    ),
    (
        &[
            "CREATE FUNCTION lower(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); RETURN $1; END'",
        ],
        "SELECT lower(1)",
    ),
    (
        &[
            "CREATE TABLE u (id int)",
            "GRANT SELECT ON u TO reader",
            "CREATE TABLE u1 () INHERITS (u)",
            "CREATE FOREIGN DATA WRAPPER w",
            "CREATE SERVER s FOREIGN DATA WRAPPER w",
            "CREATE FOREIGN TABLE u2 () INHERITS (u) SERVER s",
        ],
        "SELECT * FROM u",
    ),
    (
        &[
            "CREATE VIEW w AS SELECT 1 AS x",
            "GRANT SELECT ON w TO reader",
            "CREATE OR REPLACE VIEW w AS SELECT g(1) AS x",
        ],
        "SELECT * FROM w",
    ),
];
