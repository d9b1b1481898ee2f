//! A server dies while it works for a client that has heard nothing of it yet: that runs once more
//! at another server. What the client has heard a part of does not.

use super::{ServerSignal, Servers, login, port_of, signal};
use crate::support::raw::{Frame, kinds, values};
use crate::support::{RawClient, Stack, frames, sql, until};

/// Each session has a connection for a transaction, and everything is recorded.
const SHARED: &str = "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 8\n\
                      audit:\n  to: {audit}\n";

/// A standby is at it for hours; a primary answers at once.
const SLOW: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN (SELECT count(*) FROM pg_class a, \
                    pg_class b, pg_class c, pg_class d) ELSE 3 END AS slow_read";

/// How many sessions of a server run the slow read.
const RUNNING: &str = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE \
                       '%slow_read%' AND pid <> pg_backend_pid()";

fn stack(servers: &Servers, upstream: &str) -> Stack {
    servers.stack_as("postgres:postgres@", upstream, SHARED)
}

/// Waits until a standby is at work for so many clients.
fn work(servers: &Servers, standby: usize, clients: usize) {
    let url = servers.standbys[standby].url("postgres", "postgres", "postgres");
    let running = until(|| {
        let told = sql::block_on(async { sql::rows(&sql::connected(&url).await, RUNNING).await });
        (told[0][0] == clients.to_string()).then_some(())
    });
    let all = "SELECT state, left(query, 90) FROM pg_stat_activity WHERE datname IS NOT NULL";
    let all = || sql::block_on(async { sql::rows(&sql::connected(&url).await, all).await });
    assert!(running.is_some(), "they do not run: {:#?}", all());
}

fn lost(stack: &Stack) -> f64 {
    stack.metric("pgsieve_pool_moves_total{reason=\"lost\"}")
}

/// An answer without what is reported of another server.
fn answered(answer: &[Frame]) -> (String, Vec<Vec<String>>) {
    (kinds(answer).replace('S', ""), values(answer))
}

fn value(text: &str) -> Vec<Vec<String>> {
    vec![vec![text.to_owned()]]
}

/// Whatever protocol it came by, with what the session had made before.
#[test]
fn what_nobody_has_heard_of_runs_at_another_server() {
    let mut servers = Servers::start(1);
    let stack = stack(&servers, "");
    let named = format!("{SLOW}, current_setting('work_mem')");
    let sent: [(&str, Vec<u8>, &str); 6] = [
        ("simple", frames::query(SLOW), "TDCZ"),
        ("extended", frames::extended(SLOW, &[], false), "12TDCZ"),
        (
            "prepared before",
            [
                frames::bind("", "mine", &[], false),
                frames::execute("", 0),
                frames::sync(),
            ]
            .concat(),
            "2DCZ",
        ),
        (
            "prepared by it",
            [
                frames::parse("own", SLOW),
                frames::describe(b'S', "own"),
                frames::bind("p", "own", &[], false),
                frames::execute("p", 0),
                frames::close(b'P', "p"),
                frames::sync(),
            ]
            .concat(),
            "1tT2DC3Z",
        ),
        (
            "without its Sync",
            [
                frames::parse("", SLOW),
                frames::bind("", "", &[], false),
                frames::execute("", 0),
                frames::flush(),
            ]
            .concat(),
            "12DCZ",
        ),
        (
            "a pipeline",
            [
                frames::extended("SELECT 6 * 7", &[], false),
                frames::query(SLOW),
            ]
            .concat(),
            "",
        ),
    ];
    let mut clients: Vec<RawClient> = Vec::new();
    for (number, _) in sent.iter().enumerate() {
        let mut client = login(&stack).unwrap();
        assert_eq!(port_of(&mut client), servers.port(0));
        let set = format!("SET work_mem = '{}kB'", 100 + number);
        assert_eq!(kinds(&client.query(&set)), "CZ");
        client.send(&[frames::parse("mine", &named), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
        clients.push(client);
    }
    for ((_, messages, _), client) in sent.iter().zip(&mut clients) {
        client.send(messages);
    }
    work(&servers, 0, sent.len());
    signal(&servers.standbys[0], ServerSignal::Kill);
    for (number, ((form, _, wanted), client)) in sent.iter().zip(&mut clients).enumerate() {
        // Of a pipeline the client has heard the beginning.
        if wanted.is_empty() {
            let answer = client.until_closed();
            let last = answer.last().unwrap_or_else(|| panic!("{form}: nothing"));
            assert_eq!(last.sqlstate(), "08006", "{form}: {answer:?}");
            continue;
        }
        let mut answer = Vec::new();
        if *form == "without its Sync" {
            while answer.last().is_none_or(|last: &Frame| last.kind != b'C') {
                answer.push(client.read().unwrap());
            }
            client.send(&frames::sync());
        }
        answer.extend(client.until_ready());
        let (kinds, rows) = answered(&answer);
        assert_eq!(kinds, *wanted, "{form}: {answer:?}");
        let own = format!("{}kB", 100 + number);
        let first: Vec<String> = match *form {
            "prepared before" => vec!["3".to_owned(), own.clone()],
            _ => vec!["3".to_owned()],
        };
        assert_eq!(rows, [first], "{form}");
        // The session is whole.
        assert_eq!(port_of(client), servers.primary.port(), "{form}");
        assert_eq!(answered(&client.query("SHOW work_mem")).1, value(&own));
        let again = [
            frames::bind("", "mine", &[], false),
            frames::execute("", 0),
            frames::sync(),
        ];
        client.send(&again.concat());
        let answer = client.until_ready();
        assert_eq!(answered(&answer).0, "2DCZ", "{form}: {answer:?}");
    }
    assert!(lost(&stack) >= 5.0);
    // Both are in the record: the one that failed, and the one that ran.
    let of_slow = |event: &serde_json::Value, sqlstate: Option<&str>| {
        event["event"] == "statement"
            && event["path"] == "query"
            && event["sqlstate"].as_str() == sqlstate
    };
    let failed = stack.audited(|event| of_slow(event, Some("08006")));
    stack.audited(|event| of_slow(event, None) && event["fingerprint"] == failed["fingerprint"]);
    servers.standbys.clear();
}

/// One backend is killed: its session and those that the server ends for it go on elsewhere, and
/// hear no word of it.
#[test]
fn a_crash_of_one_backend_is_felt_by_nobody() {
    let servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut clients: Vec<RawClient> = (0..3).map(|_| login(&stack).unwrap()).collect();
    for client in &mut clients {
        client.send(&frames::query(SLOW));
    }
    work(&servers, 0, clients.len());
    let url = servers.standbys[0].url("postgres", "postgres", "postgres");
    let found = sql::block_on(async {
        let pid = RUNNING.replace("count(*)", "min(pid)");
        sql::rows(&sql::connected(&url).await, &pid).await
    });
    let killed = std::process::Command::new("kill")
        .args(["-KILL", &found[0][0]])
        .status();
    assert!(killed.unwrap().success());
    for client in &mut clients {
        let answer = client.until_ready();
        assert_eq!(
            answered(&answer),
            ("TDCZ".to_owned(), value("3")),
            "{answer:?}"
        );
    }
    assert!(lost(&stack) >= 3.0);
}

/// A server that is stopped ends its sessions by itself, in words that an administrator's order has
/// as well. What was under way goes on elsewhere, but for transactions.
#[test]
fn a_planned_stop_is_felt_by_transactions_alone() {
    let mut servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut clients: Vec<RawClient> = (0..4).map(|_| login(&stack).unwrap()).collect();
    let mut resting = login(&stack).unwrap();
    let mut inside = login(&stack).unwrap();
    assert_eq!(kinds(&inside.query("BEGIN")), "CZ");
    inside.send(&frames::query(SLOW));
    for (number, client) in clients.iter_mut().enumerate() {
        client.send(&match number % 2 {
            0 => frames::query(SLOW),
            _ => frames::extended(SLOW, &[], false),
        });
    }
    work(&servers, 0, clients.len() + 1);
    servers.standbys[0].halt();
    for client in &mut clients {
        let answer = client.until_ready();
        let (kinds, rows) = answered(&answer);
        assert!(["TDCZ", "12TDCZ"].contains(&&*kinds), "{answer:?}");
        assert_eq!(rows, value("3"));
        assert_eq!(port_of(client), servers.primary.port());
    }
    let answer = inside.until_closed();
    let told = answer.last().map(Frame::sqlstate);
    assert_eq!(told, Some("57P01".to_owned()), "{answer:?}");
    assert_eq!(answered(&resting.query("SELECT 42")).1, value("42"));
    assert!(lost(&stack) >= 4.0);
    // It comes back, and is wanted again.
    servers.standbys[0].restart().unwrap();
    let back = until(|| (port_of(&mut resting) == servers.port(0)).then_some(()));
    assert!(back.is_some(), "{}", stack.stderr());
}

/// Who is ended by an administrator hears of it: the statement was to stop.
#[test]
fn what_an_administrator_ends_does_not_run_again() {
    let servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut client = login(&stack).unwrap();
    client.send(&frames::query(SLOW));
    work(&servers, 0, 1);
    servers.at(0, &RUNNING.replace("count(*)", "pg_terminate_backend(pid)"));
    let answer = client.until_closed();
    assert_eq!(
        answer.last().map(Frame::sqlstate),
        Some("57P01".to_owned()),
        "{answer:?}"
    );
    assert_eq!(lost(&stack), 0.0);
    // Nor is the server passed over for it.
    assert_eq!(port_of(&mut login(&stack).unwrap()), servers.port(0));
}

/// What kills a server kills no more than two.
#[test]
fn nothing_runs_a_third_time() {
    let servers = Servers::start(2);
    let stack = stack(&servers, "  targets: standby\n");
    let mut client = login(&stack).unwrap();
    let port = port_of(&mut client);
    let first = usize::from(port != servers.port(0));
    client.send(&frames::query(SLOW));
    work(&servers, first, 1);
    signal(&servers.standbys[first], ServerSignal::Kill);
    work(&servers, 1 - first, 1);
    signal(&servers.standbys[1 - first], ServerSignal::Kill);
    let answer = client.until_closed();
    assert_eq!(
        answer.last().map(Frame::sqlstate),
        Some("08006".to_owned()),
        "{answer:?}"
    );
    assert_eq!(lost(&stack), 1.0);
}

/// A part of it was heard, refused or open, or it is too long to be kept.
#[test]
fn what_cannot_run_again_as_a_whole_is_lost() {
    let servers = Servers::start(1);
    let stack = stack(&servers, "");
    let long = format!("{SLOW} /* {} */", "x".repeat(70_000));
    let cases: [(&str, &[u8], Vec<u8>); 3] = [
        (
            "in a transaction",
            &frames::query("BEGIN"),
            frames::query(SLOW),
        ),
        (
            "with a refusal behind it",
            b"",
            [frames::query(SLOW), frames::query("DELETE FROM nothing")].concat(),
        ),
        ("too long", b"", frames::query(&long)),
    ];
    let mut clients: Vec<RawClient> = Vec::new();
    for (_, before, messages) in &cases {
        let mut client = login(&stack).unwrap();
        if !before.is_empty() {
            client.send(before);
            client.until_ready();
        }
        client.send(messages);
        clients.push(client);
    }
    work(&servers, 0, cases.len());
    signal(&servers.standbys[0], ServerSignal::Kill);
    for ((form, ..), client) in cases.iter().zip(&mut clients) {
        let answer = client.until_closed();
        let told: Vec<String> = answer.iter().map(Frame::sqlstate).collect();
        assert!(told.contains(&"08006".to_owned()), "{form}: {answer:?}");
    }
    assert_eq!(lost(&stack), 0.0);
}
