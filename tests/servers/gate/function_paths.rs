//! Functions whose names are looked up when they run, by a search_path that the client chooses: of
//! a body that is a string, behind each kind of thing that runs one, by each way to set the path
//! and each way to send the statement. Run past pgsieve each leaves a trace or prints a hidden row.

use std::io::Write;

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{Options, READER, RawClient, Stack, frames, until};
use crate::versions::on_every_version;

on_every_version!(no_function_runs_what_the_path_of_a_client_makes_of_it, run_by_path_on, from 14);

fn run_by_path_on(version: u32) {
    let Some(stack) = start(version, Options::default()) else {
        return;
    };
    let mut wrong = Vec::new();
    for text in RUN_BY_PATH {
        // It does what it should not, past pgsieve. In a session of its own: plans are kept.
        let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
        direct.query("SET search_path = bad, public");
        let answer = direct.query(text);
        assert!(leaves_trace(&answer), "{version}: {text}: {answer:?}");
        for (way, mut client) in sessions(&stack) {
            let answer = client.query(text);
            if leaves_trace(&answer) || rule(&answer) != Some("function_path") {
                wrong.push(format!("{version}, {way}: {text}: {answer:?}"));
            }
        }
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        for path in [
            "",
            "SET search_path = public",
            "SET search_path = good, public",
        ] {
            client.query(path);
            let answer = client.query(text);
            let ran = !kinds(&answer).contains('E') && !leaves_trace(&answer);
            // What is not read is trusted where sessions begin and nowhere else.
            if ran == (path.contains("good") && text.contains("opaque")) {
                wrong.push(format!("{version}, {path}: {text}: {answer:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn neighbours_run_under_any_path() {
    for version in VERSIONS {
        let Some(stack) = start(version, Options::default()) else {
            continue;
        };
        let mut wrong = Vec::new();
        for path in ["bad, public", "good", "", "\"$user\", public"] {
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
            client.query(&format!(
                "SELECT set_config('search_path', '{path}', false)"
            ));
            for text in NEIGHBOURS {
                let answer = client.query(text);
                if !kinds(&answer).contains('D') || leaves_trace(&answer) {
                    wrong.push(format!("{version}, {path}: {text}: {answer:?}"));
                }
            }
        }
        // One that has a view of effects behind its own path is none.
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        let answer = client.query("SELECT public.fixed_badly()");
        assert_eq!(rule(&answer), Some("hidden_function"), "{answer:?}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn however_it_is_sent_it_is_judged_where_it_runs() {
    for version in VERSIONS {
        let Some(stack) = start(version, Options::default()) else {
            continue;
        };
        let call = "SELECT public.total() FROM generate_series(1, 3)";
        let ways: [(&str, Vec<Vec<u8>>); 8] = [
            ("simple", vec![frames::query(SET), frames::query(call)]),
            (
                "extended",
                vec![frames::query(SET), frames::extended(call, &[], false)],
            ),
            (
                "prepared before",
                vec![
                    [frames::parse("p", call), frames::sync()].concat(),
                    frames::query(SET),
                    [
                        frames::bind("", "p", &[], false),
                        frames::execute("", 0),
                        frames::sync(),
                    ]
                    .concat(),
                ],
            ),
            (
                "a portal runs on",
                vec![
                    frames::query("BEGIN"),
                    [
                        frames::parse("p", call),
                        frames::bind("c", "p", &[], false),
                        frames::sync(),
                    ]
                    .concat(),
                    frames::query(SET_LOCAL),
                    [frames::execute("c", 1), frames::sync()].concat(),
                ],
            ),
            (
                "prepared in SQL",
                vec![
                    frames::query(&format!("PREPARE p AS {call}")),
                    frames::query(SET),
                    frames::query("EXECUTE p"),
                ],
            ),
            (
                "a cursor",
                vec![
                    frames::query("BEGIN"),
                    frames::query(&format!("DECLARE c CURSOR FOR {call}")),
                    frames::query(SET_LOCAL),
                    frames::query("FETCH c"),
                ],
            ),
            (
                "a pipeline",
                vec![
                    [
                        frames::parse("", SET),
                        frames::bind("", "", &[], false),
                        frames::execute("", 0),
                        frames::parse("", call),
                        frames::bind("", "", &[], false),
                        frames::execute("", 0),
                        frames::sync(),
                    ]
                    .concat(),
                ],
            ),
            (
                "one statement",
                vec![frames::query(
                    "SELECT set_config('search_path', 'bad, public', false), public.total()",
                )],
            ),
        ];
        for (way, messages) in ways {
            for (place, address) in [
                ("direct", stack.direct_address()),
                ("proxied", stack.proxied_address()),
            ] {
                let mut client = RawClient::login(address, &stack.login(READER));
                let mut last = Vec::new();
                let mut traces = false;
                for message in &messages {
                    client.send(message);
                    last = client.until_ready();
                    traces |= leaves_trace(&last);
                }
                assert_eq!(
                    traces,
                    place == "direct",
                    "{version}, {place}, {way}: {last:?}"
                );
                if place == "proxied" {
                    let told = rule(&last);
                    assert_eq!(told, Some("function_path"), "{version}, {way}: {last:?}");
                }
            }
        }
    }
}

#[test]
fn a_function_that_a_policy_names_prints_no_hidden_row() {
    let options = || Options {
        policy_edits: NAMES_LOOKUP,
        ..Options::default()
    };
    for version in VERSIONS {
        let Some(stack) = start(version, options()) else {
            continue;
        };
        let call = "SELECT plain.lookup(1)";
        let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
        direct.query("SET search_path = shop");
        let answer = direct.query(call);
        assert!(shows(&answer, "hidden"), "{answer:?}");
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        for (path, wanted) in [
            ("shop", Some("function_path")),
            ("shop, plain", Some("function_path")),
            ("plain", None),
        ] {
            client.query(&format!("SET search_path = {path}"));
            let answer = client.query(call);
            assert!(!shows(&answer, "hidden"), "{version}: {path}: {answer:?}");
            assert_eq!(rule(&answer), wanted, "{version}: {path}: {answer:?}");
            let answer = client.query("SELECT * FROM shop.secrets");
            assert_eq!(rule(&answer), Some("relation_denied"), "{answer:?}");
        }
        assert!(shows(&client.query(call), "shown"));
    }
}

#[test]
fn what_the_refusal_says_can_be_done_and_helps() {
    for version in VERSIONS {
        let Some(stack) = start(version, Options::default()) else {
            continue;
        };
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        client.query(SET);
        for text in ["SELECT public.total()", "SELECT public.opaque()"] {
            let answer = client.query(text);
            let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
            let hint = error.field(b'H').unwrap();
            assert!(hint.contains("ALTER FUNCTION"), "{hint}");
            let function = text.strip_prefix("SELECT ").unwrap();
            stack.prepare(&[&format!(
                "ALTER FUNCTION {function} SET search_path = public"
            )]);
            let ran = until(|| kinds(&client.query(text)).contains('D').then_some(()));
            assert!(ran.is_some(), "{version}: {text}: {:?}", client.query(text));
        }
    }
}

#[test]
fn a_role_that_begins_elsewhere_is_at_home_there() {
    for version in VERSIONS {
        let Some(stack) = start(version, Options::default()) else {
            continue;
        };
        let role = format!("wanderer_{}", stack.database());
        stack.prepare(&[
            &format!("CREATE ROLE {role} LOGIN PASSWORD '{role}' IN ROLE {READER}"),
            &format!(
                "ALTER ROLE {role} IN DATABASE {} SET search_path = good, public",
                stack.database()
            ),
        ]);
        let runs = until(|| {
            let mut client =
                RawClient::try_login(stack.proxied_address(), &stack.login(&role)).ok()?;
            let answer = client.query("SELECT public.opaque()");
            kinds(&answer).contains('D').then_some(client)
        });
        let mut client = runs.expect("it runs where its role begins");
        client.query("SET search_path = public");
        let answer = client.query("SELECT public.opaque()");
        assert_eq!(
            rule(&answer),
            Some("function_path"),
            "{version}: {answer:?}"
        );
        client.query("RESET search_path");
        assert!(kinds(&client.query("SELECT public.opaque()")).contains('D'));
    }
}

/// Sessions that look names up where a view stands before a table, by each way to come there.
fn sessions(stack: &Stack) -> Vec<(&'static str, RawClient)> {
    let address = stack.proxied_address();
    let plain = || RawClient::login(address, &stack.login(READER));
    let told = |text: &str| {
        let mut client = plain();
        for one in text.split(';') {
            client.query(one);
        }
        client
    };
    let with = |parameters| {
        let login = Login {
            parameters,
            ..stack.login(READER)
        };
        RawClient::login(address, &login)
    };
    let mut pipelined = plain();
    pipelined.stream().write_all(&frames::query(SET)).unwrap();
    pipelined.until_ready();
    vec![
        ("SET", told(SET)),
        (
            "SET LOCAL",
            told("BEGIN; SET LOCAL search_path = bad, public"),
        ),
        (
            "set_config",
            told("SELECT set_config('search_path', 'bad, public', false)"),
        ),
        ("startup", with(&[("search_path", "bad, public")])),
        ("options", with(&[("options", "-c search_path=bad,public")])),
        ("pipelined", pipelined),
        ("SET SCHEMA", told("SET SCHEMA 'bad'")),
        (
            "not there",
            told("SET search_path = nowhere, \"$user\", bad, public"),
        ),
    ]
}

fn start(version: u32, options: Options) -> Option<Stack> {
    let stack = Stack::on_version_with(version, options)?;
    stack.prepare(DATABASE);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let known = "SELECT count(*) FROM public.last";
    until(|| kinds(&client.query(known)).contains('D').then_some(())).expect("a snapshot");
    Some(stack)
}

fn leaves_trace(answer: &[Frame]) -> bool {
    shows(answer, "a trace")
}

fn shows(answer: &[Frame], what: &str) -> bool {
    let mut bodies = answer
        .iter()
        .map(|frame| String::from_utf8_lossy(&frame.body));
    bodies.any(|body| body.contains(what))
}

/// The rule that refused.
fn rule(answer: &[Frame]) -> Option<&'static str> {
    let error = answer.iter().find(|frame| frame.kind == b'E')?;
    let detail = error.field(b'D').unwrap_or_default();
    let rules = ["function_path", "hidden_function", "relation_denied"];
    Some(
        rules
            .into_iter()
            .find(|rule| detail.starts_with(&format!("rule: {rule}")))
            .unwrap_or("?"),
    )
}

/// Those that have BEGIN ATOMIC.
const VERSIONS: [u32; 5] = [14, 15, 16, 17, 18];

const SET: &str = "SET search_path = bad, public";
const SET_LOCAL: &str = "SET LOCAL search_path = bad, public";

const NAMES_LOOKUP: &[(&str, &str)] = &[
    ("\n  allow: []\n", "\n  allow: [plain.lookup]\n"),
    (
        "\nlimits:\n",
        "\nrelations: {deny: [shop.secrets]}\nlimits:\n",
    ),
];

/// Each reads `t`, which is another one under another path.
const RUN_BY_PATH: &[&str] = &[
    "SELECT public.total()",
    "SELECT public.outer_total()",
    "SELECT * FROM public.total() AS x",
    "SELECT * FROM public.v_total",
    "SELECT 1 WHERE public.total() > -1",
    "SELECT public.counted(g) FROM generate_series(1, 2) g",
    "SELECT 1::public.mood",
    "SELECT 1 OPERATOR(public.<~) 2",
    "SELECT 1::public.checked",
    "SELECT '1'::public.checked",
    "SELECT * FROM public.guarded",
    "SELECT public.with_default()",
    "SELECT * FROM public.indexed WHERE id = 1",
    "SELECT public.opaque()",
    "SELECT (SELECT max(public.total()) FROM public.t)",
    "COPY (SELECT public.total()) TO STDOUT",
];

const NEIGHBOURS: &[&str] = &[
    "SELECT public.fixed()",
    "SELECT public.whole()",
    "SELECT public.bound()",
    "SELECT public.opaque_fixed()",
    "SELECT public.same(1)",
    "SELECT count(*) FROM public.t",
    "SELECT count(*) FROM information_schema.key_column_usage",
    "SELECT (information_schema._pg_expandarray(ARRAY[1, 2])).n",
    "SELECT quote_literal(1), 'a' || 1, 1 || 'a'",
];

const DATABASE: &[&str] = &[
    "CREATE SCHEMA bad; CREATE SCHEMA good; CREATE SCHEMA shop; CREATE SCHEMA plain",
    "GRANT USAGE ON SCHEMA bad, good, shop, plain, public TO PUBLIC",
    "CREATE FUNCTION bad.trace() RETURNS int LANGUAGE plpgsql AS
     $$BEGIN RAISE WARNING 'a trace'; RETURN 1; END$$",
    "CREATE TABLE public.t AS SELECT 1 AS id, 'one' AS note",
    "CREATE TABLE good.t AS SELECT 2 AS id, 'two' AS note",
    "CREATE VIEW bad.t AS SELECT bad.trace() AS id, 'bad' AS note",
    "CREATE TABLE plain.secrets AS SELECT 1 AS id, 'shown' AS word",
    "CREATE TABLE shop.secrets AS SELECT 1 AS id, 'hidden' AS word",
    "CREATE FUNCTION public.total() RETURNS bigint LANGUAGE sql STABLE
     AS 'SELECT count(id) FROM t'",
    "CREATE FUNCTION public.outer_total() RETURNS bigint LANGUAGE sql STABLE
     AS 'SELECT public.total()'",
    "CREATE FUNCTION public.fixed() RETURNS bigint LANGUAGE sql STABLE SET search_path = public
     AS 'SELECT count(id) FROM t'",
    "CREATE FUNCTION public.fixed_badly() RETURNS bigint LANGUAGE sql STABLE SET search_path = bad
     AS 'SELECT count(id) FROM t'",
    "CREATE FUNCTION public.whole() RETURNS bigint LANGUAGE sql STABLE
     AS 'SELECT count(id) FROM public.t'",
    "CREATE FUNCTION public.bound() RETURNS bigint LANGUAGE sql STABLE
     BEGIN ATOMIC SELECT count(id) FROM public.t; END",
    "CREATE FUNCTION public.same(given int) RETURNS int LANGUAGE sql IMMUTABLE
     AS 'SELECT same.given + $1 - given'",
    "CREATE FUNCTION public.opaque() RETURNS bigint LANGUAGE plpgsql STABLE
     AS 'BEGIN RETURN (SELECT count(id) FROM t); END'",
    "CREATE FUNCTION public.opaque_fixed() RETURNS bigint LANGUAGE plpgsql STABLE
     SET search_path = public AS 'BEGIN RETURN (SELECT count(id) FROM t); END'",
    "CREATE VIEW public.v_total AS SELECT public.total() AS n",
    "CREATE FUNCTION public.counts(bigint, int) RETURNS bigint LANGUAGE sql STABLE
     AS 'SELECT $1 + $2 + (SELECT count(id) FROM t)'",
    "CREATE AGGREGATE public.counted(int)
     (SFUNC = public.counts, STYPE = bigint, INITCOND = '0')",
    "CREATE TYPE public.mood AS ENUM ('one')",
    "CREATE FUNCTION public.moody(int) RETURNS public.mood LANGUAGE sql STABLE
     AS $$SELECT CASE WHEN (SELECT count(id) FROM t) >= $1 THEN 'one'::public.mood END$$",
    "CREATE CAST (int AS public.mood) WITH FUNCTION public.moody(int)",
    "CREATE FUNCTION public.small(a int) RETURNS boolean LANGUAGE sql STABLE
     AS 'SELECT a < 100 + (SELECT count(id) FROM t)'",
    "CREATE FUNCTION public.less(int, b int) RETURNS boolean LANGUAGE sql STABLE
     AS 'SELECT $1 < b + (SELECT count(id) FROM t)'",
    "CREATE OPERATOR public.<~ (LEFTARG = int, RIGHTARG = int, FUNCTION = public.less)",
    "CREATE DOMAIN public.checked AS int CHECK (public.small(VALUE))",
    "CREATE TABLE public.guarded AS SELECT 1 AS id",
    "ALTER TABLE public.guarded ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON public.guarded USING (public.small(id))",
    "CREATE FUNCTION public.with_default(a bigint DEFAULT public.total()) RETURNS bigint
     LANGUAGE sql STABLE SET search_path = public AS 'SELECT a'",
    "CREATE FUNCTION public.flag(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 > 0'",
    "CREATE TABLE public.indexed AS SELECT 1 AS id",
    "CREATE INDEX ON public.indexed (id) WHERE public.flag(1)",
    "CREATE OR REPLACE FUNCTION public.flag(int) RETURNS boolean LANGUAGE sql IMMUTABLE
     AS 'SELECT $1 <= count(id) FROM t'",
    "SET search_path = plain",
    "CREATE FUNCTION plain.lookup(int) RETURNS text LANGUAGE sql STABLE
     AS 'SELECT word FROM secrets WHERE id = $1'",
    "RESET search_path",
    "CREATE TABLE public.last (id int)",
];
