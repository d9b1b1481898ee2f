//! Connections that are kept ready (`pool.min`), and those beyond the size (`pool.reserve`).

use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::supervisor::ChildSignal;

use super::client;
use super::sizes::{backends_of, stack_with};
use crate::support::raw::rows;
use crate::support::{ADMIN, APP, RawClient, Stack, frames, until};

/// Longer than the pools look at their connections.
const A_WHILE: Duration = Duration::from_millis(2500);

fn ready(stack: &Stack, count: usize) -> Vec<String> {
    let found = until(|| Some(backends_of(stack)).filter(|found| found.len() == count));
    found.unwrap_or_else(|| panic!("{count} of {:?}", backends_of(stack)))
}

/// Those that run nothing.
fn idle(stack: &Stack) -> Vec<String> {
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let asked = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND usename = '{APP}' AND state = \
         'idle' AND application_name NOT LIKE 'pgsieve%'",
        stack.database()
    );
    rows(&direct.query(&asked))
}

fn end_all(stack: &Stack) {
    for pid in backends_of(stack) {
        stack.prepare(&[&format!("SELECT pg_terminate_backend({pid})")]);
    }
}

#[test]
fn connections_are_opened_before_anybody_wants_them_and_outlive_their_idleness() {
    let stack = stack_with(
        5,
        &[
            ("PGSIEVE_POOL_MIN", "3"),
            ("PGSIEVE_POOL_SERVER_IDLE_TIMEOUT", "1s"),
        ],
    );
    let mut one = client(&stack);
    let kept = ready(&stack, 3);
    // A crowd has more opened, and those beyond are closed again.
    let mut crowd: Vec<RawClient> = (0..5).map(|_| client(&stack)).collect();
    for client in &mut crowd {
        client.query("BEGIN");
    }
    ready(&stack, 5);
    for client in &mut crowd {
        client.query("COMMIT");
    }
    ready(&stack, 3);
    thread::sleep(A_WHILE);
    let left = backends_of(&stack);
    assert_eq!(left.len(), 3, "{kept:?} {left:?}");
    let opened = "pgsieve_pool_checkouts_total{outcome=\"opened\"}";
    let before = stack.metric(opened);
    assert_eq!(rows(&one.query("SELECT 1")), ["1"]);
    assert_eq!(stack.metric(opened), before, "it was there");
}

#[test]
fn no_more_are_opened_than_there_may_be() {
    let stack = stack_with(2, &[("PGSIEVE_POOL_MIN", "2")]);
    let mut clients: Vec<RawClient> = (0..6).map(|_| client(&stack)).collect();
    let end = Instant::now() + A_WHILE;
    while Instant::now() < end {
        for client in &mut clients {
            assert_eq!(rows(&client.query("SELECT 1")), ["1"]);
        }
        let open = backends_of(&stack);
        assert!(open.len() <= 2, "{open:?}");
    }
    ready(&stack, 2);
}

#[test]
fn dead_ones_are_replaced_and_a_server_that_refuses_is_asked_ever_less() {
    let stack = stack_with(4, &[("PGSIEVE_POOL_MIN", "3")]);
    let mut one = client(&stack);
    let before = ready(&stack, 3);
    end_all(&stack);
    let replaced = until(|| {
        let now = backends_of(&stack);
        (now.len() == 3 && now.iter().all(|pid| !before.contains(pid))).then_some(())
    });
    replaced.expect("others are there");
    let limit = |most: i32| {
        let name = stack.database();
        stack.prepare(&[&format!("ALTER DATABASE {name} CONNECTION LIMIT {most}")]);
    };
    limit(0);
    end_all(&stack);
    let tries = || stack.stderr().matches("upstream unreachable").count();
    until(|| (tries() > 0).then_some(())).expect("it is told");
    thread::sleep(Duration::from_secs(6));
    let tried = tries();
    assert!(tried <= 4, "{tried}");
    assert_eq!(backends_of(&stack), Vec::<String>::new());
    limit(-1);
    // A session that has one opened shows that the server is there again.
    assert_eq!(rows(&one.query("SELECT 1")), ["1"]);
    ready(&stack, 3);
}

#[test]
fn without_clients_nothing_is_opened() {
    let mut stack = stack_with(4, &[("PGSIEVE_POOL_MIN", "3")]);
    let leaves = client(&stack);
    ready(&stack, 3);
    drop(leaves);
    thread::sleep(A_WHILE);
    // They are there for whoever comes next, but not made anew.
    ready(&stack, 3);
    end_all(&stack);
    thread::sleep(A_WHILE);
    assert_eq!(backends_of(&stack), Vec::<String>::new());
    // Nor when the process ends while a statement runs.
    let mut stays = client(&stack);
    ready(&stack, 3);
    stays.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 200000000) AS g",
    ));
    until(|| (idle(&stack).len() == 2).then_some(())).expect("it runs");
    stack.signal(ChildSignal::Terminate);
    until(|| (stack.get("/readyz").0 == 503).then_some(())).expect("it drains");
    for pid in idle(&stack) {
        stack.prepare(&[&format!("SELECT pg_terminate_backend({pid})")]);
    }
    thread::sleep(A_WHILE);
    assert_eq!(idle(&stack), Vec::<String>::new());
    end_all(&stack);
}

#[test]
fn the_reserve_is_opened_for_who_has_waited_and_closed_first() {
    let stack = stack_with(
        1,
        &[
            ("PGSIEVE_POOL_RESERVE", "1"),
            ("PGSIEVE_POOL_RESERVE_WAIT", "700ms"),
        ],
    );
    let mut clients: Vec<RawClient> = (0..3).map(|_| client(&stack)).collect();
    let [holds, waits, third] = &mut clients[..] else {
        unreachable!()
    };
    holds.query("BEGIN");
    let since = Instant::now();
    waits.query("BEGIN");
    assert!(since.elapsed() >= Duration::from_millis(600));
    assert_eq!(backends_of(&stack).len(), 2);
    // There is no more than that.
    third.send(&frames::query("SELECT 3"));
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(stack.metric("pgsieve_pool_waiting"), 1.0);
    assert_eq!(backends_of(&stack).len(), 2);
    holds.query("COMMIT");
    assert_eq!(rows(&third.until_ready()), ["3"]);
    waits.query("COMMIT");
    ready(&stack, 1);
    // Who is served in time has none of it opened.
    holds.query("BEGIN");
    waits.send(&frames::query("SELECT 2"));
    until(|| (stack.metric("pgsieve_pool_waiting") == 1.0).then_some(())).unwrap();
    holds.query("COMMIT");
    assert_eq!(rows(&waits.until_ready()), ["2"]);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(backends_of(&stack).len(), 1);
}

#[test]
fn who_waits_in_vain_is_told_of_the_reserve_as_well() {
    let stack = stack_with(
        1,
        &[
            ("PGSIEVE_POOL_RESERVE", "2"),
            ("PGSIEVE_POOL_RESERVE_WAIT", "1ms"),
            ("PGSIEVE_POOL_QUERY_WAIT", "1s"),
        ],
    );
    let mut clients: Vec<RawClient> = (0..4).map(|_| client(&stack)).collect();
    let mut last = clients.pop().unwrap();
    for client in &mut clients {
        client.query("BEGIN");
    }
    last.send(&frames::query("SELECT 1"));
    let told = last.until_closed();
    assert_eq!(told[0].sqlstate(), "53300");
    let message = told[0].field(b'M').unwrap();
    assert!(
        message.contains("all 3 of this account are busy"),
        "{message}"
    );
}
