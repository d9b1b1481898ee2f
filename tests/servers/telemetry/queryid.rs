//! `audit.queryid: on`: what the server calls a statement is what pg_stat_statements knows it by.

use std::collections::BTreeMap;

use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};

use crate::support::raw::kinds;
use crate::support::{
    ADMIN, Options, READER, RawClient, Stack, frames, own_cluster, shared, sql, until,
};

/// Statements, each with a word of its own in it, and the values of its parameters.
const SEEN: &[(&str, &str, &[Option<&str>])] = &[
    ("m01", "SELECT id AS m01 FROM things WHERE id = 5", &[]),
    (
        "m01",
        "SELECT id AS m01 FROM things WHERE id = 3000000000",
        &[],
    ),
    (
        "m02",
        "SELECT count(*) AS m02 FROM things WHERE id IN (1, 2)",
        &[],
    ),
    (
        "m02",
        "SELECT count(*) AS m02 FROM things WHERE id IN (1, 2, 3, 4)",
        &[],
    ),
    (
        "m03",
        "SELECT id AS m03 FROM things WHERE id = $1",
        &[Some("1")],
    ),
    (
        "m03",
        "SELECT id AS m03 FROM things WHERE name = $1",
        &[Some("x")],
    ),
    ("m04", "SELECT name AS m04, id FROM things ORDER BY 1", &[]),
    ("m04", "SELECT name AS m04, id FROM things ORDER BY 2", &[]),
    (
        "m05",
        "SELECT 'it''s' AS m05, E'\\n', $$x$$, 1.5, true, NULL",
        &[],
    ),
    (
        "m06",
        "/* before */ SELECT m06.id -- behind\n FROM things m06 LIMIT 3",
        &[],
    ),
    (
        "m07",
        "WITH m07 AS (SELECT id FROM things) SELECT max(id) FROM m07",
        &[],
    ),
    ("m08", "SELECT n FROM tenants m08", &[]),
];

/// The same in a search_path of the session's own.
const ELSEWHERE: (&str, &str) = ("m01", "SELECT id AS m01 FROM things WHERE id = 5");

/// Statements that were written down when all of this was done.
const UNSEEN: &[(&str, &str, &[Option<&str>])] = &[
    (
        "u01",
        "SELECT row_number() OVER (ORDER BY id) AS u01 FROM things",
        &[],
    ),
    (
        "u02",
        "SELECT 1 AS u02 UNION ALL SELECT id FROM things WHERE id < 10",
        &[],
    ),
    (
        "u03",
        "SELECT DISTINCT ON (1) id AS u03, name FROM things",
        &[],
    ),
    (
        "u04",
        "SELECT count(*) FILTER (WHERE id > 1) AS u04 FROM things",
        &[],
    ),
    (
        "u05",
        "SELECT DATE '2020-01-01' + INTERVAL '1 day' AS u05",
        &[],
    ),
    (
        "u06",
        "SELECT id AS u06 FROM things WHERE id = ANY ($1::int[])",
        &[Some("{1}")],
    ),
];

/// A private server that counts statements, for as long as this process lives.
fn server(version: u32, setting: &str) -> Option<&'static PrivateCluster> {
    let builder = own_cluster()
        .auth(PasswordMethod::Scram)
        .conf("shared_preload_libraries = 'pg_stat_statements'")
        .conf(format!("compute_query_id = {setting}"))
        .version(version);
    let cluster = match builder.start() {
        Ok(cluster) => cluster,
        Err(ClusterError::Unavailable { .. }) => return None,
        Err(other) => panic!("{other}"),
    };
    shared::prepare(&cluster);
    Some(Box::leak(Box::new(cluster)))
}

fn stack(cluster: Option<&'static PrivateCluster>, on: &'static str) -> Stack {
    let stack = Stack::start(Options {
        cluster,
        environment: vec![("PGSIEVE_AUDIT_QUERYID", on)],
        policy_edits: &[(
            "\ncatalog: preferred\n",
            "\ncatalog: required\nmodels:\n  public.tenants:\n    \
             sql: SELECT id AS n FROM tenants WHERE id > 1\n",
        )],
        policy: Some("bi"),
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE TABLE things AS SELECT i AS id, i::text AS name FROM generate_series(1, 20) i",
        "CREATE TABLE tenants AS SELECT i AS id FROM generate_series(1, 20) i",
        "CREATE SCHEMA elsewhere",
        "CREATE TABLE elsewhere.things AS SELECT 1::bigint AS id, 'x'::text AS name",
        "GRANT USAGE ON SCHEMA elsewhere TO PUBLIC",
        "GRANT SELECT ON things, tenants, elsewhere.things TO PUBLIC",
    ]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for name in ["things", "tenants", "elsewhere.things"] {
        let text = format!("EXPLAIN SELECT * FROM {name}");
        let is_known = until(|| (!kinds(&client.query(&text)).contains('E')).then_some(()));
        assert!(is_known.is_some(), "{name}: {}", stack.stderr());
    }
    stack
}

/// The lines of queries so far.
fn queries(stack: &Stack) -> Vec<serde_json::Value> {
    let mut lines = stack.audit();
    lines.retain(|line| line["event"] == "statement" && line["kind"] == "select");
    lines.retain(|line| line["path"] != "parse" && line["verdict"] == "permitted");
    lines
}

/// Runs a statement once and gives its line.
fn line_of(stack: &Stack, client: &mut RawClient, text: &str, values: &[Option<&str>]) -> Line {
    let before = queries(stack).len();
    let answer = if values.is_empty() {
        client.query(text)
    } else {
        client.send(&frames::extended(text, values, false));
        client.until_ready()
    };
    assert!(!kinds(&answer).contains('E'), "{text}: {answer:?}");
    let line = until(|| queries(stack).get(before).cloned());
    Line(line.unwrap_or_else(|| panic!("{text}: no line\n{}", stack.stderr())))
}

/// A line of the audit.
struct Line(serde_json::Value);

impl Line {
    fn queryid(&self) -> Option<String> {
        Some(self.0.get("queryid")?.as_str().unwrap().to_owned())
    }
}

/// How often statements with this word in them were called, by their queryids.
fn calls(stack: &Stack, word: &str) -> BTreeMap<String, i64> {
    let text = format!(
        "SELECT s.queryid, s.calls FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid \
         WHERE r.rolname = '{READER}' AND s.query LIKE '%{word}%'"
    );
    let rows = sql::block_on(async {
        let client = stack.direct(ADMIN).await;
        sql::rows(&client, &text).await
    });
    rows.into_iter()
        .map(|row| (row[0].clone(), row[1].parse().unwrap()))
        .collect()
}

/// The line has exactly that queryid whose count rises with the statement.
fn check(
    stack: &Stack,
    client: &mut RawClient,
    (word, text, values): (&str, &str, &[Option<&str>]),
) -> (String, String) {
    // A change of the catalog, as by the extension a moment ago, has it asked for anew.
    let found = until(|| {
        let before = calls(stack, word);
        let line = line_of(stack, client, text, values);
        let queryid = line.queryid()?;
        let mut after = calls(stack, word);
        after.retain(|id, calls| before.get(id) != Some(calls));
        let risen: Vec<String> = after.into_keys().collect();
        assert_eq!(risen, std::slice::from_ref(&queryid), "{text}");
        Some((queryid, line.0["fingerprint"].to_string()))
    });
    found.unwrap_or_else(|| panic!("{text}\n{}", stack.stderr()))
}

#[test]
fn fingerprints_lead_to_pg_stat_statements() {
    for (version, setting) in [(15, "regress"), (18, "auto")] {
        let Some(cluster) = server(version, setting) else {
            assert_ne!(version, 15, "it is installed for every test");
            continue;
        };
        let stack = stack(Some(cluster), "on");
        stack.prepare(&["CREATE EXTENSION pg_stat_statements"]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        let mut found = Vec::new();
        for one in SEEN.iter().chain(UNSEEN) {
            found.push(check(&stack, &mut client, *one));
        }
        // One fingerprint, two queryids: a line has that of its own text.
        let [two, four] = [&found[2], &found[3]];
        assert_eq!(two.1, four.1);
        assert_eq!(two.0 == four.0, version >= 18, "{two:?} {four:?}");
        client.query("SET search_path = elsewhere");
        let (word, text) = ELSEWHERE;
        let elsewhere = check(&stack, &mut client, (word, text, &[]));
        assert_eq!(elsewhere.1, found[0].1, "{text}");
        // Of a long text the server shows the beginning.
        let long = format!(
            "SELECT 'ä{}' AS m99, n FROM public.tenants",
            "ä".repeat(4_000)
        );
        check(&stack, &mut client, ("m99", &long, &[]));
        was_asked(&stack, setting);
        // What is no query is not asked for.
        let others = ["SHOW server_version", "EXPLAIN SELECT id FROM things"];
        for text in others {
            assert!(!kinds(&client.query(text)).contains('E'), "{text}");
        }
        let asked = stack.audit();
        let mut asked = asked.iter().filter(|line| line["event"] == "statement");
        assert!(asked.all(|line| line["kind"] == "select" || line.get("queryid").is_none()));
    }
}

/// `compute_query_id` as the database has it for its sessions; without a module that asks for
/// queryids, `auto` and `regress` mean none.
#[test]
fn where_the_server_computes_none_there_is_none() {
    for (setting, is_told) in [
        ("on", true),
        ("off", false),
        ("auto", false),
        ("regress", false),
    ] {
        let stack = stack(None, "on");
        let database = stack.database();
        let alter = format!("ALTER DATABASE {database} SET compute_query_id = '{setting}'");
        stack.prepare(&[&alter]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        let mut run = |at: i32| {
            let text = format!("SELECT id FROM things WHERE id = {at}");
            line_of(&stack, &mut client, &text, &[]).queryid()
        };
        if is_told {
            let told = until(|| run(1)).expect("it is told");
            assert_eq!(run(2), Some(told), "{setting}");
            continue;
        }
        for at in 0..10 {
            assert_eq!(run(at), None, "{setting}");
        }
        was_asked(&stack, setting);
    }
}

/// Nothing is asked where nobody has told it to.
#[test]
fn nothing_is_asked_for_where_it_is_off() {
    let stack = stack(None, "off");
    let alter = format!(
        "ALTER DATABASE {} SET compute_query_id = on",
        stack.database()
    );
    stack.prepare(&[&alter]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for at in 0..5 {
        let text = format!("SELECT id FROM things WHERE id = {at}");
        assert_eq!(line_of(&stack, &mut client, &text, &[]).queryid(), None);
    }
    assert_eq!(connections(&stack), "0");
}

/// The server was asked, over at most two connections: where it answers at once, one may do.
fn was_asked(stack: &Stack, setting: &str) {
    let asked = connections(stack);
    assert!(["1", "2"].contains(&asked.as_str()), "{setting}: {asked}");
}

/// How many connections of pgsieve's own compile texts in the database.
fn connections(stack: &Stack) -> String {
    let text = format!(
        "SELECT count(*) FROM pg_stat_activity \
         WHERE application_name = 'pgsieve repair' AND datname = '{}'",
        stack.database()
    );
    let rows = sql::block_on(async {
        let client = stack.direct(ADMIN).await;
        sql::rows(&client, &text).await
    });
    rows[0][0].clone()
}
