//! The limits of a policy that act on users and sessions: how much at a time, how fast, how many
//! connections, and how long one may do nothing.

use std::time::{Duration, Instant};

use crate::support::raw::Frame;
use crate::support::sql::{assert_running, cancel_running};
use crate::support::{APP, Options, READER, RawClient, Stack, frames, until};

fn stack(edits: &'static [(&'static str, &'static str)]) -> Stack {
    Stack::start(Options {
        policy: Some("bi"),
        policy_edits: edits,
        ..Options::default()
    })
}

fn login(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

/// The code of the error that a statement is answered with; empty where it has succeeded.
fn code(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error.map(Frame::sqlstate).unwrap_or_default()
}

#[track_caller]
fn check(client: &mut RawClient, sql: &str, expected: &str) {
    assert_eq!(code(&client.query(sql)), expected, "{sql}");
}

/// A statement that runs until its client's `statement_timeout`.
const ENDLESS: &str = "SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s";

/// More time than any test takes.
const LONG: Duration = Duration::from_secs(60);

/// Sends it.
fn run_for(client: &mut RawClient, time: Duration) {
    check(
        client,
        &format!("SET statement_timeout = {}", time.as_millis()),
        "",
    );
    client.send(&frames::query(ENDLESS));
}

fn hint(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error
        .and_then(|error| error.field(b'H'))
        .unwrap_or_default()
}

#[test]
fn statements_of_a_user_at_a_time() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  concurrency_per_user: 2\n")]);
    let mut clients: Vec<RawClient> = (0..4).map(|_| login(&stack, APP)).collect();
    for client in &mut clients[..2] {
        run_for(client, LONG);
    }
    assert_running(&stack, 2);
    let refused = clients[2].query("SELECT 1");
    assert_eq!(code(&refused), "53400");
    assert!(hint(&refused).contains("second"), "{}", hint(&refused));
    clients[2].send(&frames::extended("SELECT 1", &[], false));
    assert_eq!(code(&clients[2].until_ready()), "53400");
    // Housekeeping always passes, other users are others.
    check(&mut clients[3], "BEGIN", "");
    check(&mut clients[3], "SELECT 1", "53400");
    check(&mut clients[3], "ROLLBACK", "");
    check(&mut login(&stack, READER), "SELECT 1", "");
    cancel_running(&stack);
    for client in &mut clients[..2] {
        assert_eq!(code(&client.until_ready()), "57014");
    }
    check(&mut clients[2], "SELECT 1", "");
    // A pipeline is one session at work, and an error gives its place back.
    let pipeline: Vec<Vec<u8>> = (0..20).map(|_| frames::query("SELECT 1")).collect();
    for client in &mut clients {
        client.send(&pipeline.concat());
        for _ in 0..20 {
            assert_eq!(code(&client.until_ready()), "");
        }
        check(client, "SELECT 1 / 0", "22012");
    }
}

#[test]
fn a_place_comes_back_whatever_becomes_of_its_statement() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  concurrency_per_user: 1\n")]);
    for _ in 0..3 {
        let mut gone = login(&stack, APP);
        run_for(&mut gone, LONG);
        assert_running(&stack, 1);
        drop(gone);
        let mut next = login(&stack, APP);
        let passed = until(|| (code(&next.query("SELECT 1")).is_empty()).then_some(()));
        assert!(passed.is_some(), "the place of a client that left is taken");
        check(&mut next, "SELECT nothing_of_this_name", "42703");
        check(&mut next, "DELETE FROM t", "25006");
        run_for(&mut next, Duration::from_millis(100));
        assert_eq!(code(&next.until_ready()), "57014");
        check(&mut next, "SELECT 1", "");
    }
}

#[test]
fn statements_in_a_time() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  statements_per_second: 0.2\n")]);
    let (mut one, mut two) = (login(&stack, APP), login(&stack, APP));
    // Two may come at once, then one in five seconds.
    check(&mut one, "SELECT 1", "");
    two.send(&frames::extended("SELECT 1", &[], false));
    assert_eq!(code(&two.until_ready()), "");
    let refused = two.query("SELECT 1");
    assert_eq!(code(&refused), "53400");
    let hint = hint(&refused);
    let seconds = hint.strip_prefix("Try again in ").unwrap();
    assert!(
        [
            "5 seconds.",
            "4 seconds.",
            "3 seconds.",
            "2 seconds.",
            "1 second."
        ]
        .contains(&seconds),
        "{hint}"
    );
    check(&mut one, "SELECT 1", "53400");
    // In order with what is pipelined, and a transaction fails.
    one.send(
        &[
            frames::query("BEGIN"),
            frames::query("SELECT 1"),
            frames::query("ROLLBACK"),
        ]
        .concat(),
    );
    assert_eq!(code(&one.until_ready()), "");
    assert_eq!(code(&one.until_ready()), "53400");
    assert_eq!(code(&one.until_ready()), "");
    check(&mut login(&stack, READER), "SELECT 1", "");
    for client in [&mut one, &mut two] {
        check(client, "BEGIN", "");
        check(client, "SET LOCAL TimeZone = 'UTC'", "");
        check(client, "SHOW TimeZone", "");
        check(client, "COMMIT", "");
    }
    let again = until(|| code(&two.query("SELECT 1")).is_empty().then_some(()));
    assert!(again.is_some(), "the time is over");
    check(&mut one, "SELECT 1", "53400");
}

#[test]
fn statements_in_a_day_outlive_a_connection() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  statements_per_day: 5\n")]);
    for _ in 0..2 {
        let mut client = login(&stack, APP);
        check(&mut client, "SELECT 1; SELECT 2", "");
    }
    let mut client = login(&stack, APP);
    // Two are more than the one that is left.
    check(&mut client, "SELECT 1; SELECT 2", "53400");
    check(&mut client, "SELECT 1", "");
    let refused = client.query("SELECT 1");
    assert_eq!(code(&refused), "53400");
    assert!(
        hint(&refused).starts_with("Try again in 17"),
        "{}",
        hint(&refused)
    );
    check(&mut client, "COMMIT", "");
}

#[test]
fn slices_of_a_portal_are_one_statement() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  statements_per_day: 1\n")]);
    let mut client = login(&stack, APP);
    check(&mut client, "BEGIN", "");
    let begin = [
        frames::parse("", "SELECT generate_series(1, 10)"),
        frames::bind("", "", &[], false),
    ];
    client.send(&[begin.concat(), frames::execute("", 4), frames::sync()].concat());
    assert_eq!(code(&client.until_ready()), "");
    for _ in 0..2 {
        client.send(&[frames::execute("", 4), frames::sync()].concat());
        assert_eq!(code(&client.until_ready()), "");
    }
    client.send(&[begin.concat(), frames::execute("", 4), frames::sync()].concat());
    assert_eq!(code(&client.until_ready()), "53400");
    check(&mut client, "ROLLBACK", "");
}

#[test]
fn connections_of_a_user() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  connections_per_user: 2\n")]);
    let address = stack.proxied_address();
    let first = login(&stack, APP);
    let _second = login(&stack, APP);
    let Err(error) = RawClient::try_login(address, &stack.login(APP)) else {
        panic!("a third connection");
    };
    assert_eq!(error.field(b'S').unwrap(), "FATAL");
    assert_eq!(error.sqlstate(), "53300");
    assert_eq!(
        error.field(b'M').unwrap(),
        "too many connections for role \"app\""
    );
    // Who does not prove to be that user learns nothing, and takes no place.
    let wrong = crate::support::raw::Login {
        password: "wrong",
        ..stack.login(READER)
    };
    for _ in 0..3 {
        let Err(error) = RawClient::try_login(address, &wrong) else {
            panic!("a wrong password");
        };
        assert_eq!(error.sqlstate(), "28P01");
    }
    let _other = (login(&stack, READER), login(&stack, READER));
    drop(first);
    let again = until(|| RawClient::try_login(address, &stack.login(APP)).ok());
    assert!(again.is_some(), "the place of a closed connection is free");
    assert!(stack.metric(CONNECTIONS) >= 1.0);
}

const CONNECTIONS: &str = "pgsieve_limits_total{mode=\"enforce\",rule=\"connections_per_user\"}";

#[test]
fn a_session_that_does_nothing_is_ended() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  idle_time: 2s\n")]);
    let since = Instant::now();
    let mut idle = login(&stack, APP);
    let mut in_block = login(&stack, APP);
    check(&mut in_block, "BEGIN", "");
    // It has run long since, and nobody has asked for its answer.
    let mut silent = login(&stack, APP);
    let run = [
        frames::parse("", "SELECT 1"),
        frames::bind("", "", &[], false),
        frames::execute("", 0),
    ];
    silent.send(&run.concat());
    // Work is not idleness, however long it takes, and what is sent in time keeps a session.
    let mut busy = login(&stack, APP);
    run_for(&mut busy, Duration::from_millis(2500));
    assert_eq!(code(&busy.until_ready()), "57014");
    for client in [&mut idle, &mut in_block, &mut silent] {
        let said = client.until_closed();
        let last = said.last().unwrap();
        assert_eq!(last.sqlstate(), "57P05");
        assert_eq!(last.field(b'S').unwrap(), "FATAL");
    }
    assert!(since.elapsed() < Duration::from_secs(10));
    let mut last = Instant::now();
    let kept = last;
    while kept.elapsed() < Duration::from_millis(2500) {
        std::thread::sleep(Duration::from_millis(400));
        last = Instant::now();
        check(&mut busy, "SELECT 1", "");
    }
    assert_eq!(busy.until_closed()[0].sqlstate(), "57P05");
    let took = last.elapsed();
    assert!(
        took > Duration::from_millis(1900) && took < Duration::from_secs(8),
        "{took:?}"
    );
    stack.audited(|line| line["event"] == "connection_closed" && line["reason"] == "timed_out");
}

#[test]
fn a_session_is_idle_from_the_end_of_its_last_statement() {
    let stack = stack(&[(
        "\nlimits:\n",
        "\nlimits:\n  idle_time: 2s\n  result_rows: 3\n",
    )]);
    let slow = "SELECT count(*) FROM (SELECT generate_series(1, 4000000)) AS s";
    let cut = "SELECT generate_series(1, 4)";
    // A batch without its Sync: one that succeeds, one that fails, one that is cut.
    for (sql, timeout, last) in [(slow, 0, b'C'), (ENDLESS, 1000, b'E'), (cut, 0, b'E')] {
        let mut client = login(&stack, APP);
        check(
            &mut client,
            &format!("SET statement_timeout = {timeout}"),
            "",
        );
        std::thread::sleep(Duration::from_millis(1200));
        let batch = [
            frames::parse("", sql),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
            frames::flush(),
        ];
        client.send(&batch.concat());
        while client.read().unwrap().kind != last {}
        let ended = Instant::now();
        let said = client.until_closed();
        assert_eq!(said.last().unwrap().sqlstate(), "57P05", "{sql}");
        let rested = ended.elapsed();
        assert!(rested > Duration::from_millis(1800), "{sql}: {rested:?}");
    }
}

#[test]
fn what_is_only_observed_is_counted_and_refuses_nothing() {
    let stack = stack(&[(
        "\nlimits:\n",
        "\nmode: observe\nlimits:\n  idle_time: 1s\n  concurrency_per_user: 1\n  \
         statements_per_day: 2\n  connections_per_user: 1\n",
    )]);
    let (mut one, mut two) = (login(&stack, APP), login(&stack, APP));
    run_for(&mut one, LONG);
    assert_running(&stack, 1);
    check(&mut two, "SELECT 1", "");
    cancel_running(&stack);
    assert_eq!(code(&one.until_ready()), "57014");
    check(&mut two, "SELECT 1", "");
    std::thread::sleep(Duration::from_millis(1800));
    check(&mut one, "SELECT 1", "");
    for rule in [
        "idle_time",
        "concurrency",
        "statement_rate",
        "connections_per_user",
    ] {
        let line = format!("pgsieve_limits_total{{mode=\"observe\",rule=\"{rule}\"}}");
        assert!(stack.metric(&line) >= 1.0, "{rule}");
    }
    // The write is refused all the same.
    check(&mut one, "DELETE FROM t", "25006");
}
