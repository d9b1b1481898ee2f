//! Statements that are stopped by a process id: by CancelRequest, `pg_cancel_backend` and
//! `pg_terminate_backend`; and nobody else's. `cancel_by_pid_answers`: in the server's own words.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::random_name;

use crate::support::installed::{installed, run, text};
use crate::support::raw::{Frame, kinds};
use crate::support::sql::{assert_running, block_on};
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, frames, until};

/// A statement that does not end by itself.
pub const ENDLESS: &str = "SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s";

/// No server gives a process so high a number.
pub const NOBODY: i32 = i32::MAX;

#[test]
fn the_pid_is_the_one_of_the_upstream() {
    let stack = Stack::shared();
    let mut clients = [(); 5].map(|()| login(stack));
    for client in &mut clients {
        let known = pid(client);
        assert_eq!(
            value(&client.query("SELECT pg_backend_pid()")),
            known.to_string()
        );
        let seen = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {known}");
        assert_eq!(value(&client.query(&seen)), "1");
    }
}

#[test]
fn a_cancel_request_needs_the_secret_of_its_session() {
    let stack = Stack::start(Options::default());
    let [mut one, mut other] = [(); 2].map(|()| login(&stack));
    let [(own, secret), (_, strange)] = [one.key.clone(), other.key.clone()].map(Option::unwrap);
    one.send(&frames::query(ENDLESS));
    assert_running(&stack, 1);
    for (pid, secret) in [(own, &strange), (NOBODY, &secret), (own, &vec![0; 4])] {
        request_cancel(&stack, pid, secret);
    }
    assert_running(&stack, 1);
    request_cancel(&stack, own, &secret);
    assert_eq!(code(&one.until_ready()), "57014");
    assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
}

#[test]
fn a_session_stops_another_one_of_its_user() {
    for policy in ["agent", "bi"] {
        let stack = Stack::start(Options {
            policy: Some(policy),
            ..Options::default()
        });
        let [mut one, mut other] = [(); 2].map(|()| login(&stack));
        let pid = pid(&other);
        for cancel in [
            frames::query(&format!("SELECT pg_cancel_backend({pid})")),
            frames::query(&format!(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid='{pid}'"
            )),
            frames::extended(
                "SELECT pg_cancel_backend($1);",
                &[Some(&pid.to_string())],
                true,
            ),
        ] {
            other.send(&frames::query(ENDLESS));
            assert_running(&stack, 1);
            one.send(&cancel);
            let answer = one.until_ready();
            let row = answer
                .iter()
                .find(|frame| frame.kind == b'D')
                .expect("a row");
            assert!([b't', 1].contains(&row.body[6]), "{answer:?}");
            assert!(!kinds(&answer).contains(['E', 'N']), "{answer:?}");
            assert_eq!(code(&other.until_ready()), "57014");
        }
        // Nothing runs: nothing is stopped, and the signal was sent.
        let idle = one.query(&format!("SELECT pg_cancel_backend({pid})"));
        assert_eq!(
            (kinds(&idle).as_str(), value(&idle).as_str()),
            ("TDCZ", "t")
        );
        assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
        let sent = stack.metric_sum("pgsieve_signals_total", &[("outcome", "sent")]);
        assert!((sent - 4.0).abs() < 0.1, "{sent}");
        let line = stack.audited(|line| line["event"] == "backend_signalled");
        assert_eq!(line["function"], "pg_cancel_backend");
        assert_eq!(line["outcome"], "sent");
        assert_eq!(line["user"], APP);
        assert!(!line.to_string().contains(&pid.to_string()), "{line}");
    }
}

#[test]
fn a_session_ends_another_one_of_its_user() {
    let stack = Stack::start(Options::default());
    let mut one = login(&stack);
    for is_running in [false, true] {
        for call in ["pg_terminate_backend({})", "pg_terminate_backend({}, 5000)"] {
            let mut other = login(&stack);
            if is_running {
                other.send(&frames::query(ENDLESS));
                assert_running(&stack, 1);
            }
            let since = Instant::now();
            let call = call.replace("{}", &pid(&other).to_string());
            let answer = one.query(&format!("SELECT {call}"));
            assert_eq!(
                (kinds(&answer).as_str(), value(&answer).as_str()),
                ("TDCZ", "t")
            );
            let last = other.until_closed();
            assert_eq!(kinds(&last), "E", "{last:?}");
            assert_eq!(last[0].sqlstate(), "57P01");
            assert_eq!(last[0].field(b'S').as_deref(), Some("FATAL"));
            let words = "terminating connection due to administrator command";
            assert_eq!(last[0].field(b'M').as_deref(), Some(words));
            assert!(since.elapsed() < Duration::from_secs(5));
            assert_running(&stack, 0);
        }
    }
    let closed = stack.audited(|line| line["event"] == "connection_closed");
    assert_eq!(closed["reason"], "terminated");
    // As Superset stops a query.
    let mut other = login(&stack);
    let (stopped, seen) = (pid(&other), "FROM pg_stat_activity WHERE pid");
    let stop = format!("SELECT pg_terminate_backend(pid) {seen}='{stopped}'");
    assert_eq!(value(&one.query(&stop)), "t");
    assert_eq!(other.until_closed()[0].sqlstate(), "57P01");
}

/// Whoever hears that it was ended is not at the server any more: as there, the answer of who has
/// asked for it comes first. Superset takes the end for an error otherwise.
#[test]
fn who_is_ended_hears_of_it_when_it_is_over() {
    let stack = Stack::start(Options::default());
    let mut one = login(&stack);
    let mut past = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    // What runs reads, or fills a socket that nobody empties.
    for text in [
        ENDLESS,
        "SELECT repeat('x', 9999) FROM generate_series(1, 1000000)",
    ] {
        for _ in 0..5 {
            let mut other = login(&stack);
            let ended = pid(&other);
            other.send(&frames::query(text));
            assert_running(&stack, 1);
            let stop = format!("SELECT pg_terminate_backend({ended})");
            assert_eq!(value(&one.query(&stop)), "t");
            let last = other.until_closed();
            let there = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {ended}");
            assert_eq!(value(&past.query(&there)), "0", "{text}");
            let ends_whole = last.last().is_some_and(|frame| frame.kind == b'E');
            assert!(ends_whole || text != ENDLESS, "{text}");
        }
    }
}

#[test]
fn others_are_not_reached_and_not_shown() {
    let stack = Stack::start(Options::default());
    let mut one = login(&stack);
    let mut reader = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut past = RawClient::login(stack.direct_address(), &stack.login(APP));
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    for other in [&mut reader, &mut past, &mut admin] {
        other.send(&frames::query("SELECT pg_sleep(0)"));
        other.until_ready();
        let pid = pid(other);
        for name in ["pg_cancel_backend", "pg_terminate_backend"] {
            let answer = answer_of_nobody(&mut one, name, pid);
            assert_eq!(value(&answer), "f");
            let words = answer[1].field(b'M').unwrap_or_default();
            assert_eq!(
                words,
                format!("PID {pid} is not a PostgreSQL backend process")
            );
        }
        assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
    }
}

/// What somebody hears of a process id: the same as of one that nobody has.
pub fn answer_of_nobody(client: &mut RawClient, name: &str, pid: i32) -> Vec<Frame> {
    let unknown = client.query(&format!("SELECT {name}({NOBODY})"));
    let answer = client.query(&format!("SELECT {name}({pid})"));
    assert_eq!(kinds(&answer), "TNDCZ", "{answer:?}");
    let words = answer[1].field(b'M').unwrap_or_default();
    let replaced = words.replace(&pid.to_string(), &NOBODY.to_string());
    assert_eq!(unknown[1].field(b'M'), Some(replaced));
    assert_eq!((&answer[0], &answer[2..]), (&unknown[0], &unknown[2..]));
    answer
}

/// The same user under two policies: what one of them may do is not what the other one may.
#[test]
fn sessions_under_another_policy_are_others() {
    let name = format!("pgsieve-it-{}", random_name().unwrap());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir(&folder).unwrap();
    let bi = include_str!("../../../policies/bi.yaml");
    let matched = format!("{bi}\nmatch: {{application_name: dashboard}}\n");
    fs::write(folder.join("bi.yaml"), matched).unwrap();
    let agent = include_str!("../../../policies/agent.yaml");
    fs::write(folder.join("agent.yaml"), agent).unwrap();
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), folder.to_string_lossy().into_owned()],
        ..Options::default()
    });
    fs::remove_dir_all(&folder).unwrap();
    let mut one = login(&stack);
    let mut named = stack.login(APP);
    named.parameters = &[("application_name", "dashboard")];
    let mut other = RawClient::login(stack.proxied_address(), &named);
    let mut third = RawClient::login(stack.proxied_address(), &named);
    let stop = format!("SELECT pg_terminate_backend({})", pid(&other));
    assert_eq!(kinds(&one.query(&stop)), "TNDCZ");
    assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
    assert_eq!(value(&third.query(&stop)), "t");
    assert_eq!(other.until_closed()[0].sqlstate(), "57P01");
}

#[test]
fn a_call_runs_where_its_statement_does() {
    let stack = Stack::start(Options::default());
    let [mut one, mut other] = [(); 2].map(|()| login(&stack));
    let pid = pid(&other);
    let stop = format!("SELECT pg_terminate_backend({pid})");
    // In a transaction that has failed.
    one.query("BEGIN");
    one.query("SELECT 1/0");
    for batch in [frames::query(&stop), frames::extended(&stop, &[], false)] {
        one.send(&batch);
        let answer = one.until_ready();
        assert_eq!(answer[0].sqlstate(), "25P02", "{answer:?}");
    }
    one.query("ROLLBACK");
    // Behind an error in the same batch.
    let failing = frames::extended("SELECT 1/0", &[], false);
    let failing = &failing[..failing.len() - frames::sync().len()];
    one.send(&[failing, &frames::extended(&stop, &[], false)].concat());
    let answer = one.until_ready();
    assert!(kinds(&answer).ends_with("EZ"), "{answer:?}");
    // Prepared, described and never run; bound, and never executed.
    let batch = [
        frames::parse("s", &stop),
        frames::bind("p", "s", &[], false),
        frames::describe(b'P', "p"),
        frames::sync(),
    ];
    one.send(&batch.concat());
    assert_eq!(kinds(&one.until_ready()), "12TZ");
    assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
    // In a block, behind other statements of the same batch, and with some behind it.
    one.query("BEGIN");
    let select = |sql: &str| {
        let bind = frames::bind("", "", &[], false);
        [frames::parse("", sql), bind, frames::execute("", 0)].concat()
    };
    let batch = [
        select("SELECT 1"),
        select(&stop),
        select("SELECT 2"),
        frames::sync(),
    ];
    one.send(&batch.concat());
    let answer = one.until_ready();
    assert_eq!(kinds(&answer), "12DC12DC12DCZ");
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    let values: Vec<u8> = rows.map(|row| row.body[6]).collect();
    assert_eq!(values, b"1t2");
    assert_eq!(answer.last().unwrap().body, b"T");
    assert_eq!(other.until_closed()[0].sqlstate(), "57P01");
    // A statement that stays prepared looks anew each time.
    one.query("ROLLBACK");
    let again = [
        frames::bind("", "s", &[], true),
        frames::execute("", 0),
        frames::sync(),
    ];
    // Whose connection is closed may be there for a moment more.
    let answer = until(|| {
        one.send(&again.concat());
        let answer = one.until_ready();
        (kinds(&answer) == "2NDCZ").then_some(answer)
    });
    let answer = answer.expect("nobody has that process id any more");
    assert_eq!(answer[2].body, [0, 1, 0, 0, 0, 1, 0]);
}

/// A statement or portal of the protocol that SQL runs by its name would be answered by the text
/// in which the call is not.
#[test]
fn names_do_not_run_it_elsewhere() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        ..Options::default()
    });
    let [mut one, mut other] = [(); 2].map(|()| login(&stack));
    let pid = pid(&other);
    one.send(
        &[
            frames::parse("s", "SELECT pg_terminate_backend($1)"),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(kinds(&one.until_ready()), "1Z");
    for sql in [
        format!("EXECUTE s({pid})"),
        format!("EXPLAIN EXECUTE s({pid})"),
        format!("EXPLAIN ANALYZE EXECUTE s({pid})"),
        format!("PREPARE p AS SELECT pg_terminate_backend({pid})"),
    ] {
        let answer = one.query(&sql);
        assert_eq!(answer[0].sqlstate(), "42501", "{sql}: {answer:?}");
    }
    one.query("BEGIN");
    let batch = [
        frames::bind("p", "s", &[Some(&pid.to_string())], false),
        frames::sync(),
    ];
    one.send(&batch.concat());
    assert_eq!(kinds(&one.until_ready()), "2Z");
    assert_eq!(one.query("FETCH ALL FROM p")[0].sqlstate(), "42501");
    assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
}

#[test]
fn a_policy_refuses_it() {
    let stack = Stack::start(Options {
        policy: Some("strict"),
        ..Options::default()
    });
    let mut one = login(&stack);
    let answer = one.query("SELECT pg_cancel_backend(7)");
    assert_eq!(answer[0].sqlstate(), "42501");
    let message = answer[0].field(b'M').unwrap_or_default();
    assert!(
        message.starts_with("function pg_cancel_backend("),
        "{message}"
    );
    assert!(
        !answer[0]
            .field(b'H')
            .unwrap_or_default()
            .contains("by itself")
    );
}

#[test]
fn many_stop_each_other_at_once() {
    let stack = Stack::start(Options::default());
    let mut victims: Vec<RawClient> = (0..20).map(|_| login(&stack)).collect();
    let pids: Vec<i32> = victims.iter().map(pid).collect();
    std::thread::scope(|scope| {
        for part in pids.chunks(5) {
            let stack = &stack;
            scope.spawn(move || {
                let mut client = login(stack);
                for pid in part {
                    let answer = client.query(&format!("SELECT pg_terminate_backend({pid}, 5000)"));
                    assert_eq!(value(&answer), "t");
                }
            });
        }
    });
    for victim in &mut victims {
        assert_eq!(victim.until_closed()[0].sqlstate(), "57P01");
    }
    let open: i64 = block_on(async {
        let client = stack.direct(ADMIN).await;
        let count = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ($1)";
        client.query_one(count, &[&pids]).await.unwrap().get(0)
    });
    assert_eq!(open, 0);
}

/// knex sends `SELECT pg_cancel_backend($1);` over another connection of its pool, with the process
/// id that it was told at login; node-postgres is what it sends it by.
#[test]
fn node_stops_a_query_as_knex_does() {
    assert_stopped_by_knex(&Stack::start(Options::default()));
}

pub fn assert_stopped_by_knex(stack: &Stack) {
    let mut node = std::process::Command::new("node");
    node.env("PGSIEVE_URL", stack.proxied_url(APP));
    node.env("NODE_PATH", installed("clients-node/node_modules"));
    let ended = run(node.args(["-e", KNEX]));
    let said = format!("{}{}", text(&ended.stdout), text(&ended.stderr));
    assert_eq!(said.trim(), "true 57014 done", "{said}");
}

/// Superset asks for the process id with the cursor that runs the query, and stops it by another
/// one, with these words.
#[test]
fn psycopg2_stops_a_query_as_superset_does() {
    assert_stopped_by_superset(&Stack::start(Options::default()));
}

pub fn assert_stopped_by_superset(stack: &Stack) {
    let [direct, proxied] = [stack.direct_url(APP), stack.proxied_url(APP)].map(|url| {
        let mut python = std::process::Command::new(installed("clients-venv/bin/python"));
        let ended = run(python.env("PGSIEVE_URL", url).args(["-c", SUPERSET]));
        format!("{}{}", text(&ended.stdout), text(&ended.stderr))
    });
    assert!(direct.starts_with("True "), "{direct}");
    assert_eq!(direct, proxied);
}

const KNEX: &str = r#"
const { Client } = require('pg');
(async () => {
  const connection = () => new Client({ connectionString: process.env.PGSIEVE_URL });
  const [running, stopping] = [connection(), connection()];
  await running.connect();
  await stopping.connect();
  const endless = 'SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s';
  const stopped = running.query(endless).catch((error) => error.code);
  await new Promise((done) => setTimeout(done, 500));
  const { rows } = await stopping.query('SELECT pg_cancel_backend($1);', [running.processID]);
  const again = await running.query('SELECT 1').then(() => 'done', (error) => error.message);
  console.log(rows[0].pg_cancel_backend, await stopped, again);
  await running.end();
  await stopping.end();
})();
"#;

const SUPERSET: &str = r#"
import os, threading, time
import psycopg2
url = os.environ["PGSIEVE_URL"]
running = psycopg2.connect(url)
cursor = running.cursor()
cursor.execute("SELECT pg_backend_pid()")
cancel_query_id = cursor.fetchone()[0]
said = []
def work():
    try:
        cursor.execute("SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s")
    except psycopg2.Error as error:
        said.append((type(error).__name__, str(error)))
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.5)
stopping = psycopg2.connect(url)
stopper = stopping.cursor()
stopper.execute("SELECT pg_terminate_backend(pid) "
                "FROM pg_stat_activity "
                f"WHERE pid='{cancel_query_id}'")
done = stopper.fetchone()[0]
thread.join()
print(done, *said)
"#;

pub fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

pub fn pid(client: &RawClient) -> i32 {
    client.key.as_ref().expect("a key").0
}

/// The first value of the first row.
pub fn value(answer: &[Frame]) -> String {
    let row = answer.iter().find(|frame| frame.kind == b'D');
    let row = row.unwrap_or_else(|| panic!("no row: {answer:?}"));
    String::from_utf8_lossy(&row.body[6..]).into_owned()
}

/// The code of the error that an answer ends with.
pub fn code(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error
        .unwrap_or_else(|| panic!("no error: {answer:?}"))
        .sqlstate()
}

pub fn request_cancel(stack: &Stack, pid: i32, secret: &[u8]) {
    let mut client = RawClient::connect(stack.proxied_address());
    client.send(&frames::cancel_request(pid, secret));
    assert_eq!(client.until_closed(), []);
}
