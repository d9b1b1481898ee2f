//! What users may receive in a day: over all their sessions, in every protocol, and over restarts.

use std::path::PathBuf;
use std::time::Duration;

use pgsieve::demo::supervisor::ChildSignal;

use crate::limits::results::told;
use crate::support::raw::Frame;
use crate::support::{APP, Options, READER, RawClient, Stack, frames};

fn stack(edits: &'static [(&'static str, &'static str)]) -> Stack {
    Stack::start(Options {
        policy: Some("bi"),
        policy_edits: edits,
        ..Options::default()
    })
}

const TEN_ROWS: &[(&str, &str)] = &[("\nlimits:\n", "\nlimits:\n  rows_per_day: 10\n")];

fn login(stack: &Stack, user: &str) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(user))
}

#[track_caller]
fn check(client: &mut RawClient, sql: &str, expected: &str) {
    assert_eq!(told(&client.query(sql)), expected, "{sql}");
}

fn error(answer: &[Frame]) -> &Frame {
    answer.iter().find(|frame| frame.kind == b'E').unwrap()
}

#[test]
fn rows_of_all_sessions_of_a_user_count_together() {
    let stack = stack(TEN_ROWS);
    let (mut one, mut two) = (login(&stack, APP), login(&stack, APP));
    check(
        &mut one,
        "SELECT generate_series(1, 4)",
        "T D4 C[SELECT 4] ZI",
    );
    check(
        &mut two,
        "SELECT generate_series(1, 3)",
        "T D3 C[SELECT 3] ZI",
    );
    // What fails and what gives nothing costs nothing.
    check(&mut one, "SELECT 1 / 0", "E22012 ZI");
    check(&mut one, "SELECT 1 WHERE false", "T C[SELECT 0] ZI");
    check(
        &mut one,
        "COPY (SELECT generate_series(1, 2)) TO STDOUT",
        "H d2 c C[COPY 2] ZI",
    );
    // The last one passes, and the next is in the middle of its result.
    let answer = two.query("SELECT generate_series(1, 5)");
    assert_eq!(told(&answer), "T D1 E53400 ZI");
    let error = error(&answer);
    let field = |code| error.field(code).unwrap();
    assert_eq!(
        field(b'M'),
        "this user has received all rows that a day gives"
    );
    assert!(
        field(b'D').contains("rule: daily_budget (rows_per_day of policy bi is 10"),
        "{}",
        field(b'D')
    );
    assert!(
        field(b'H').starts_with("The next day begins at 00:00 UTC, in "),
        "{}",
        field(b'H')
    );
    for client in [&mut one, &mut two, &mut login(&stack, APP)] {
        check(client, "SELECT 1", "E53400 ZI");
        client.send(&frames::extended("SELECT 1", &[], false));
        assert_eq!(told(&client.until_ready()), "1 2 T E53400 ZI");
        // Housekeeping goes on, and a transaction can be ended.
        check(client, "BEGIN", "C[BEGIN] ZT");
        check(client, "SHOW geqo", "T D1 C[SHOW] ZT");
        check(client, "SELECT 1", "E53400 ZE");
        check(client, "ROLLBACK", "C[ROLLBACK] ZI");
    }
    check(
        &mut login(&stack, READER),
        "SELECT generate_series(1, 9)",
        "T D9 C[SELECT 9] ZI",
    );
    assert!(stack.metric("pgsieve_limits_total{mode=\"enforce\",rule=\"daily_budget\"}") >= 10.0);
    let line = stack.audited(|line| line["event"] == "limit_reached");
    assert_eq!(line["rule"], "daily_budget");
}

#[test]
fn pieces_and_truncation_are_taken_out_of_the_same_budget() {
    let stack = stack(&[(
        "\nlimits:\n",
        "\nlimits:\n  rows_per_day: 10\n  result_rows: 3\n  on_limit: truncate\n",
    )]);
    let mut client = login(&stack, APP);
    check(
        &mut client,
        "SELECT generate_series(1, 9)",
        "T D3 N C[SELECT 3] ZI",
    );
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    check(
        &mut client,
        "DECLARE c CURSOR FOR SELECT generate_series(1, 9)",
        "C[DECLARE CURSOR] ZT",
    );
    check(&mut client, "FETCH 2 c", "T D2 C[FETCH 2] ZT");
    check(&mut client, "MOVE 1 c", "C[MOVE 1] ZT");
    check(&mut client, "FETCH 2 c", "T D1 N C[FETCH 1] ZT");
    client.send(
        &[
            frames::parse("", "SELECT generate_series(1, 9)"),
            frames::bind("", "", &[], false),
            frames::execute("", 2),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(told(&client.until_ready()), "1 2 D2 s ZT");
    check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZT");
    // Nine are gone. A budget is never taken for the end of a result.
    check(
        &mut client,
        "SELECT generate_series(1, 3)",
        "T D1 E53400 ZE",
    );
}

#[test]
fn bytes_of_a_day_are_never_more_than_it_has() {
    let stack = stack(&[("\nlimits:\n", "\nlimits:\n  bytes_per_day: 1MB\n")]);
    let mut clients: Vec<RawClient> = (0..4).map(|_| login(&stack, APP)).collect();
    for client in &mut clients {
        client.send(&frames::query(
            "SELECT repeat('x', 1000) FROM generate_series(1, 600)",
        ));
    }
    let answers: Vec<Vec<Frame>> = clients.iter_mut().map(RawClient::until_ready).collect();
    let rows = answers.iter().flatten().filter(|frame| frame.kind == b'D');
    let bytes: usize = rows.map(|frame| frame.body.len() + 5).sum();
    assert!(bytes <= 1 << 20, "{bytes}");
    assert!(bytes > (1 << 20) - 2048, "{bytes}");
    assert!(answers.iter().any(|answer| told(answer).contains("E53400")));
    check(&mut clients[0], "SELECT repeat('x', 3000)", "T E53400 ZI");
}

#[test]
fn what_is_only_observed_passes_and_is_counted() {
    let stack = stack(&[(
        "\nlimits:\n",
        "\nrules: {daily_budget: observe}\nlimits:\n  rows_per_day: 5\n",
    )]);
    let mut client = login(&stack, APP);
    for _ in 0..3 {
        check(
            &mut client,
            "SELECT generate_series(1, 4)",
            "T D4 C[SELECT 4] ZI",
        );
    }
    let line = "pgsieve_limits_total{mode=\"observe\",rule=\"daily_budget\"}";
    assert!(stack.metric(line) >= 2.0);
}

/// A file of its own, for as long as the tests run.
fn file(name: &str) -> (PathBuf, &'static str) {
    let name = format!("pgsieve-{name}-{}.json", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let text = path.to_str().unwrap().to_owned();
    (path, text.leak())
}

#[test]
fn a_restart_gives_nothing_once_more() {
    let (path, text) = file("budget");
    let start = || {
        Stack::start(Options {
            policy: Some("bi"),
            policy_edits: TEN_ROWS,
            environment: vec![("PGSIEVE_LIMITS_BUDGET_FILE", text)],
            ..Options::default()
        })
    };
    let mut first = start();
    check(
        &mut login(&first, APP),
        "SELECT generate_series(1, 7)",
        "T D7 C[SELECT 7] ZI",
    );
    first.signal(ChildSignal::Terminate);
    assert_eq!(first.wait_exit(Duration::from_secs(30)), Some(0));
    let second = start();
    check(
        &mut login(&second, APP),
        "SELECT generate_series(1, 7)",
        "T D3 E53400 ZI",
    );
    check(
        &mut login(&second, READER),
        "SELECT 1",
        "T D1 C[SELECT 1] ZI",
    );
    // Not only at its end.
    let written = crate::support::until(|| {
        let text = std::fs::read_to_string(&path).ok()?;
        (text.contains("\"rows\":10") && text.contains("\"rows\":1,")).then_some(())
    });
    assert!(written.is_some(), "{:?}", std::fs::read_to_string(&path));
    assert!(
        !second.stderr().contains("budgets_forgotten"),
        "{}",
        second.stderr()
    );
    std::fs::remove_file(path).unwrap();
}

#[test]
fn budgets_without_a_file_are_warned_of() {
    let stack = stack(TEN_ROWS);
    let warned = "budgets_forgotten: limits.budget_file: ";
    assert!(stack.stderr().contains(warned), "{}", stack.stderr());
}
