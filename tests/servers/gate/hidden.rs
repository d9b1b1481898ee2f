//! What no parse tree shows, over the wire: through a real pgsieve, by each way that a statement
//! can travel, before two versions of Postgres.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use pgsieve::sql::tree;
use tokio_postgres::Client;

use crate::support::raw::{Frame, kinds};
use crate::support::{
    ADMIN, Options, READER, RawClient, Stack, frames, shared_cluster, sql, until,
};

/// How long a change in the database may stay unseen: two seconds, but a pgsieve that is built for
/// tests takes several times as long to load a catalog, and shares the machine with other tests. It
/// has the time that no pgsieve may exceed.
pub const BOUND: Duration = Duration::from_secs(10);

#[test]
fn what_hides_an_effect_is_refused_by_every_way() {
    for version in BTreeSet::from([newest(), 18]) {
        let Some(stack) = hidden_stack(version) else {
            println!("SKIPPED: there is no Postgres {version} to be had");
            continue;
        };
        let sent = send_all(&stack, version);
        println!("Postgres {version}: {sent} statements refused by three ways");
        assert!(sent > 400);
        assert_no_trace(&stack);
    }
}

#[test]
fn what_stands_beside_hidden_effects_is_answered_as_by_the_database() {
    let stack = hidden_stack(newest()).unwrap();
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut wrong = Vec::new();
    for (notes, text) in cases(HARMLESS, newest()) {
        if notes.contains("strict") {
            continue;
        }
        let (expected, given) = (direct.query(text), proxied.query(text));
        if kinds(&expected) != kinds(&given) {
            wrong.push(format!("{text}: {given:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_no_trace(&stack);
}

/// A parameter is made by the input function and the checks of its type, which no text shows.
#[test]
fn parameters_of_types_with_effects_are_refused() {
    let stack = hidden_stack(newest()).unwrap();
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for name in [
        "hidden.d_int",
        "hidden.d_int[]",
        "hidden.with_domain",
        "hidden.locking",
    ] {
        for text in [
            "SELECT $1",
            "SELECT $1 IS NULL",
            "SELECT id FROM things WHERE $1 IS NOT NULL",
        ] {
            let parse = parse_with_type(text, oid_of(&mut admin, name));
            let bind = frames::bind("", "", &[Some("1")], false);
            client.send(&[parse, bind, frames::execute("", 0), frames::sync()].concat());
            let answer = client.until_ready();
            assert!(refused(&answer), "{text} with {name}: {answer:?}");
        }
        let text = format!("PREPARE p({name}) AS SELECT $1");
        let answer = client.query(&text);
        assert!(refused(&answer), "{text}: {answer:?}");
    }
    for text in [
        "SELECT takes_domain($1)",
        "SELECT $1::d_int",
        "SELECT d_text($1)",
        "SELECT $1::regtype",
        "SELECT to_regtype($1)",
        "SELECT has_type_privilege($1, 'usage')",
        "SELECT CASE WHEN id > 0 THEN $1 ELSE pg_typeof(id) END FROM things",
    ] {
        client.send(&[frames::parse("", text), frames::sync()].concat());
        let answer = client.until_ready();
        assert!(refused(&answer), "{text}: {answer:?}");
    }
    let text = "SELECT id FROM things WHERE name = $1";
    client.send(&frames::extended(text, &[Some("one")], false));
    assert_eq!(kinds(&client.until_ready()), "12TDCZ");
    assert_no_trace(&stack);
}

/// The type that a Parse message or a PREPARE gives a parameter decides what the text stands for.
#[test]
fn the_type_of_a_parameter_makes_no_way_around() {
    let stack = hidden_stack(newest()).unwrap();
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (name, value, text) in PARAMETERS {
        let oid = oid_of(&mut admin, name);
        let parse = parse_with_type(text, oid);
        let bind = frames::bind("", "", &[Some(value)], false);
        let asked = [parse, bind, frames::execute("", 0), frames::sync()].concat();
        direct.send(&asked);
        let answer = direct.until_ready();
        let held = admin.query(HELD);
        assert_eq!(
            kinds(&held),
            "TDCZ",
            "{text} as {name} has no effect: {answer:?}"
        );
        direct.query("SELECT pg_advisory_unlock_all()");
        proxied.send(&asked);
        let answer = proxied.until_ready();
        assert!(refused(&answer), "{text} as {name}: {answer:?}");
        let prepare = format!("PREPARE p({name}) AS {text}");
        let answer = proxied.query(&prepare);
        assert!(refused(&answer), "{prepare}: {answer:?}");
    }
    assert_no_trace(&stack);
}

/// A refusal says what it is about, but only to those who may see it.
#[tokio::test]
async fn a_refusal_names_what_the_role_may_see_and_nothing_else() {
    let stack = Stack::start(Options::default());
    stack.prepare(&[
        "CREATE SCHEMA seen; CREATE SCHEMA unseen; GRANT USAGE ON SCHEMA seen TO reader",
        "CREATE FUNCTION unseen.cAnArY() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'",
        "CREATE VIEW seen.plain AS SELECT pg_advisory_lock(1) IS NULL AS x",
        "CREATE VIEW seen.mixed AS SELECT unseen.cAnArY() AS x",
        "CREATE VIEW unseen.plain AS SELECT pg_advisory_lock(2) IS NULL AS x",
        "GRANT SELECT ON seen.plain, seen.mixed, unseen.plain TO reader",
    ]);
    let client = stack.proxied(READER).await;
    refreshed(&client, "SELECT * FROM seen.plain").await;
    let plain = sql::refusal(&client, "SELECT * FROM seen.plain").await;
    let expected = "view seen.plain calls pg_advisory_lock";
    assert!(plain.detail().unwrap().contains(expected), "{plain:?}");
    for text in ["SELECT * FROM seen.mixed", "SELECT * FROM unseen.plain"] {
        let told = sql::refusal(&client, text).await;
        assert_eq!(told.code().code(), "42501", "{told:?}");
        assert_eq!(told.detail(), Some("rule: view_effects"), "{told:?}");
        assert!(!format!("{told:?}").to_lowercase().contains("canary"));
    }
    // Its owner may see everything.
    let owner = stack.proxied(ADMIN).await;
    let told = sql::refusal(&owner, "SELECT * FROM seen.mixed").await;
    assert!(
        told.detail().unwrap().contains("unseen.canary()"),
        "{told:?}"
    );
    // The record is the operator's: it names what was refused, and not by what it was found out.
    for subject in ["view seen.plain", "view seen.mixed", "view unseen.plain"] {
        stack.audited(|line| line["subject"] == subject);
    }
    let said = stack.everything_said().to_lowercase();
    assert!(!said.contains("canary"), "{said}");
    let stderr = stack.stderr();
    assert!(!stderr.contains("seen."), "{stderr}");
}

/// The same question, asked with `pgsieve check`.
#[test]
fn check_judges_with_the_catalog() {
    let stack = hidden_stack(newest()).unwrap();
    let url = stack.direct_url(READER);
    let check = |arguments: &[&str], input: &str, status: i32| {
        let (code, out, said) = run_check(&url, arguments, input);
        assert_eq!(code, status, "{arguments:?} {input}: {out} {said}");
        let shown = format!("{out}{said}").to_lowercase();
        assert!(
            !shown.contains("canary") && !shown.contains("reader:"),
            "{shown}"
        );
        out
    };
    let refused = check(&[], "SELECT 'cAnArY'; SELECT * FROM v_lock", 1);
    assert!(refused.contains("view_effects"), "{refused}");
    check(&[], "SELECT * FROM calm.v_lock; SELECT lower('A')", 0);
    check(&[], "SET search_path = calm; SELECT * FROM v_lock", 0);
    check(&["--search-path", "calm"], "SELECT * FROM v_lock", 0);
    check(
        &["--search-path", "calm, hidden", "--role", "app"],
        "SELECT * FROM v_lock",
        0,
    );
    check(&["--search-path", "hidden"], "SELECT * FROM v_lock", 1);
    check(&["--role", "cAnArY"], "SELECT 1", 2);
    let line = check(
        &["--jsonl"],
        "{\"id\": 7, \"sql\": \"SELECT 1 === 1\"}\n",
        1,
    );
    assert!(
        line.starts_with("{\"id\":7,\"verdict\":\"refuse\",\"rule\":\"operator_effects\""),
        "{line}"
    );
    let all: Vec<_> = cases(HIDDEN, newest()).map(|(_, text)| text).collect();
    let lines: String = all
        .iter()
        .map(|text| format!("{}\n", serde_json::json!({ "id": 0, "sql": text })))
        .collect();
    let answer = check(&["--jsonl"], &lines, 1);
    let refused = answer
        .lines()
        .filter(|line| line.contains("\"refuse\""))
        .count();
    assert_eq!(refused, all.len());
    assert_no_trace(&stack);
}

/// The version of the shared Postgres.
pub fn newest() -> u16 {
    shared_cluster().version().try_into().unwrap()
}

/// A database with everything in it, before a version of Postgres.
pub fn hidden_stack(version: u16) -> Option<Stack> {
    let stack = match version {
        version if version == newest() => Stack::start(Options::default()),
        other => Stack::on_version(other.into())?,
    };
    let path = format!(
        "ALTER DATABASE {} SET search_path = hidden, public",
        stack.database()
    );
    stack.prepare(&[SCHEMA, FOREIGN, &path]);
    // The account of the catalog is that of the first client; the next one knows all of it.
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    until(|| refused(&client.query("EXPLAIN SELECT * FROM hidden.v_lock")).then_some(()))?;
    Some(stack)
}

/// Sends every statement by each way; how many.
fn send_all(stack: &Stack, version: u16) -> usize {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut passed = Vec::new();
    let mut sent = 0;
    for (_, text) in cases(HIDDEN, version) {
        let prepare = format!("PREPARE p AS {text}");
        let mut ways = vec![frames::query(text), frames::extended(text, &[], false)];
        if tree::parse(&prepare).is_ok() {
            ways.push(frames::query(&prepare));
        }
        for way in ways {
            client.send(&way);
            let answer = client.until_ready();
            if !refused(&answer) {
                passed.push(format!("{text}: {answer:?}"));
            }
        }
        sent += 1;
    }
    assert!(
        passed.is_empty(),
        "{} passed:\n{}",
        passed.len(),
        passed.join("\n")
    );
    sent
}

/// Whether pgsieve has refused: the answers of Postgres tell no rule.
pub fn refused(answer: &[Frame]) -> bool {
    let told = |frame: &Frame| {
        frame
            .field(b'D')
            .is_some_and(|detail| detail.starts_with("rule: "))
    };
    answer.iter().any(|frame| frame.kind == b'E' && told(frame))
}

/// Nothing that any of the statements would have left is there.
pub fn assert_no_trace(stack: &Stack) {
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let answer = admin.query(TRACE);
    let row = answer.iter().find(|frame| frame.kind == b'D').unwrap();
    assert_eq!(row.body, [0, 1, 0, 0, 0, 0], "{answer:?}");
}

/// Waits until a statement is refused.
async fn refreshed(client: &Client, text: &str) {
    let end = Instant::now() + BOUND;
    loop {
        let asked = Instant::now();
        let answer = client.simple_query(&format!("EXPLAIN {text}")).await;
        if answer.is_err() {
            break;
        }
        assert!(asked < end, "{text}: unseen after the bound");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub fn oid_of(admin: &mut RawClient, name: &str) -> u32 {
    let answer = admin.query(&format!("SELECT '{name}'::regtype::oid"));
    let digits = answer.iter().find(|frame| frame.kind == b'D').unwrap();
    String::from_utf8_lossy(&digits.body[6..]).parse().unwrap()
}

pub fn parse_with_type(text: &str, oid: u32) -> Vec<u8> {
    let name = frames::zero_ended("");
    let count = 1_u16.to_be_bytes();
    let body = [
        &name[..],
        &frames::zero_ended(text),
        &count,
        &oid.to_be_bytes(),
    ]
    .concat();
    frames::message(b'P', &body)
}

fn run_check(url: &str, arguments: &[&str], input: &str) -> (i32, String, String) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["check", "--upstream", url])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status.code().unwrap();
    (status, text(&output.stdout), text(&output.stderr))
}

/// The statements of a corpus that a version knows, each with its notes.
fn cases(corpus: &str, version: u16) -> impl Iterator<Item = (&str, &str)> {
    let number = |notes: &str, name: &str| -> Option<u16> {
        notes
            .split_whitespace()
            .find_map(|word| word.strip_prefix(name)?.parse().ok())
    };
    corpus.split("----\n").skip(1).filter_map(move |chunk| {
        let at = chunk
            .lines()
            .take_while(|line| line.starts_with("--!"))
            .map(|line| line.len() + 1)
            .sum();
        let (notes, text) = chunk.split_at(at);
        let known = number(notes, "since=").is_none_or(|first| first <= version)
            && number(notes, "until=").is_none_or(|last| last >= version);
        known.then(|| (notes, text.trim_end()))
    })
}

/// A type for a parameter, a value of it, and what is hidden from a text alone.
const PARAMETERS: [(&str, &str, &str); 31] = [
    ("regtype", "hidden.measured(5)", "SELECT $1"),
    ("regtype[]", "{hidden.measured(5)}", "SELECT $1 IS NULL"),
    ("regprocedure", "lower(hidden.measured(5))", "SELECT $1"),
    (
        "regoperator",
        "+(hidden.measured(5),integer)",
        "SELECT 1 WHERE $1 IS NULL",
    ),
    ("text", "hidden.measured(5)", "SELECT $1::regtype"),
    ("integer", "1", "SELECT lower($1)"),
    ("integer", "1", "SELECT upper($1)"),
    ("boolean", "t", "SELECT length($1)"),
    ("text", "1", "SELECT abs($1)"),
    ("text", "1", "SELECT abs(n => $1::text::integer)"),
    ("text", "a", "SELECT sum($1)"),
    ("text", "a", "SELECT generate_series($1, 'b')"),
    ("integer", "1", "SELECT $1 = '1'::text"),
    ("text", "1", "SELECT id = $1 FROM things"),
    (
        "text",
        "1",
        "SELECT id FROM things WHERE id IN ($1, 'x'::text)",
    ),
    (
        "text",
        "1",
        "SELECT id FROM things WHERE id BETWEEN $1 AND 'z'::text",
    ),
    ("text", "1", "SELECT NULLIF(id, $1) FROM things"),
    ("integer", "1", "SELECT $1 === 1"),
    ("text", "a", "SELECT $1 + 1"),
    ("text", "a", "SELECT $1 || 1"),
    ("integer", "1", "SELECT $1::uuid"),
    ("integer", "1", "SELECT takes_uuid($1)"),
    ("point", "(1,2)", "SELECT $1 || 'a'::text"),
    ("point", "(1,2)", "SELECT $1::text"),
    ("point", "(1,2)", "SELECT quote_literal($1)"),
    ("hidden.chip", "(1)", "SELECT $1::integer"),
    ("hidden.chip", "(1)", "SELECT takes_int($1)"),
    ("hidden.chip", "(1)", "SELECT $1 + 1"),
    ("hidden.flag", "(t)", "SELECT 1 WHERE $1"),
    ("hidden.pair", "(1,2)", "SELECT ($1).pair_effect"),
    ("integer", "1", "SELECT ($1).int_effect"),
];

const HELD: &str = "SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
 WHERE l.locktype = 'advisory' AND d.datname = current_database()";
const HIDDEN: &str = include_str!("../../data/corpus/hidden.sql");
const HARMLESS: &str = include_str!("../../data/corpus/hidden_harmless.sql");
const SCHEMA: &str = include_str!("../../data/corpus/hidden_schema.sql");
const FOREIGN: &str = include_str!("../../data/corpus/hidden_foreign.sql");
const TRACE: &str = include_str!("../../data/corpus/hidden_trace.sql");
