//! How many connections there are, who waits for one, and for how long.

use std::thread;
use std::time::{Duration, Instant};

use super::client;
use crate::support::raw::rows;
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames, until};

pub(super) fn stack_with(size: usize, environment: &[(&'static str, &'static str)]) -> Stack {
    Stack::start(Options {
        policy: Some("bi"),
        pooled: Some(size),
        environment: environment.to_vec(),
        ..Options::default()
    })
}

/// Sessions of clients at the database, by their process ids.
fn backends(stack: &Stack, client: &mut RawClient) -> Vec<String> {
    let asked = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND application_name NOT LIKE \
         'pgsieve%' AND backend_type = 'client backend'",
        stack.database()
    );
    rows(&client.query(&asked))
}

/// The same, asked past pgsieve.
pub(super) fn backends_of(stack: &Stack) -> Vec<String> {
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let asked = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND usename = '{APP}' AND \
         application_name NOT LIKE 'pgsieve%' AND backend_type = 'client backend'",
        stack.database()
    );
    rows(&direct.query(&asked))
}

#[test]
fn many_clients_have_few_connections() {
    let stack = stack_with(3, &[]);
    let mut clients: Vec<RawClient> = (0..40).map(|_| client(&stack)).collect();
    for client in &mut clients {
        assert_eq!(rows(&client.query("SELECT 7")), ["7"]);
    }
    let open = backends(&stack, &mut clients[0]);
    assert!(open.len() <= 3, "{open:?}");
    let threads: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            thread::spawn(move || {
                for _ in 0..50 {
                    assert_eq!(rows(&client.query("SELECT 7")), ["7"]);
                }
                client
            })
        })
        .collect();
    let mut clients: Vec<RawClient> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let open = backends(&stack, &mut clients[0]);
    assert!(open.len() <= 3, "{open:?}");
    assert_eq!(stack.metric("pgsieve_pool_waiting"), 0.0);
    assert!(stack.metric("pgsieve_pool_wait_seconds_count") > 2000.0);
}

#[test]
fn who_waits_too_long_is_told_what_for() {
    let stack = stack_with(1, &[("PGSIEVE_POOL_QUERY_WAIT", "1s")]);
    let (mut holds, mut waits) = (client(&stack), client(&stack));
    holds.query("BEGIN");
    let since = Instant::now();
    waits.send(&frames::query("SELECT 1"));
    let told = waits.until_closed();
    assert!(since.elapsed() >= Duration::from_millis(900));
    assert_eq!(told[0].sqlstate(), "53300");
    let message = told[0].field(b'M').unwrap();
    assert!(
        message.contains("all 1 of this account are busy"),
        "{message}"
    );
    let login = stack.login(APP);
    let refused = RawClient::try_login(stack.proxied_address(), &login)
        .err()
        .unwrap();
    assert_eq!(refused.sqlstate(), "53300");
    holds.query("COMMIT");
    assert_eq!(rows(&client(&stack).query("SELECT 1")), ["1"]);
    let name = "pgsieve_pool_checkouts_total{outcome=\"timed_out\"}";
    assert_eq!(stack.metric(name), 2.0);
}

/// However long a session may wait: a login takes no longer than a login may.
#[test]
fn a_login_that_waits_too_long_is_told_what_for() {
    let stack = stack_with(1, &[("PGSIEVE_POOL_QUERY_WAIT", "10min")]);
    let mut holds = client(&stack);
    holds.query("BEGIN");
    let refused = RawClient::try_login(stack.proxied_address(), &stack.login(APP));
    let refused = refused.err().unwrap();
    assert_eq!(refused.sqlstate(), "53300");
    let message = refused.field(b'M').unwrap();
    assert!(
        message.contains("all 1 of this account are busy"),
        "{message}"
    );
}

#[test]
fn a_client_that_waits_and_leaves_takes_nothing_with_it() {
    let stack = stack_with(1, &[]);
    let (mut holds, mut waits) = (client(&stack), client(&stack));
    holds.query("BEGIN");
    waits.send(&frames::query("SELECT 1"));
    until(|| (stack.metric("pgsieve_pool_waiting") == 1.0).then_some(())).unwrap();
    drop(waits);
    until(|| (stack.metric("pgsieve_pool_waiting") == 0.0).then_some(())).unwrap();
    holds.query("COMMIT");
    assert_eq!(rows(&client(&stack).query("SELECT 1")), ["1"]);
    assert_eq!(rows(&holds.query("SELECT 1")), ["1"]);
}

/// Each pool with its server, its size and who has and wants its connections.
#[test]
fn the_live_page_shows_pools() {
    let stack = stack_with(2, &[]);
    let mut clients: Vec<RawClient> = (0..3).map(|_| client(&stack)).collect();
    let pool = || {
        let (_, state) = stack.get("/api/state");
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        let pools = state["now"]["pools"].clone();
        assert_eq!(pools["others"], 0, "{state}");
        pools["rows"][0].clone()
    };
    let numbers = |row: &serde_json::Value| {
        ["size", "used", "idle", "waiting"].map(|name| row[name].as_u64().unwrap())
    };
    clients[0].query("BEGIN");
    let has_one = |row: &serde_json::Value| numbers(row)[1] == 1 && numbers(row)[3] == 0;
    let row = until(|| Some(pool()).filter(has_one));
    let row = row.unwrap_or_else(|| panic!("{}", pool()));
    assert_eq!(row["size"], 2);
    assert_eq!(row["database"], stack.database());
    assert_eq!(row["user"], APP);
    assert_eq!(row["server"], stack.direct_address().to_string());
    assert!(row["longest_wait"].is_null() && row["paused"] == false);
    clients[1].query("BEGIN");
    clients[2].send(&frames::query("SELECT 1"));
    let row = until(|| Some(pool()).filter(|row| numbers(row) == [2, 2, 0, 1]));
    let row = row.unwrap_or_else(|| panic!("{}", pool()));
    assert!(row["longest_wait"].as_f64().unwrap() >= 0.0, "{row}");
    clients[0].query("COMMIT");
    assert_eq!(rows(&clients[2].until_ready()), ["1"]);
    clients[1].query("COMMIT");
    until(|| (numbers(&pool()) == [2, 0, 2, 0]).then_some(()))
        .unwrap_or_else(|| panic!("{}", pool()));
    let own = Stack::start(Options::default());
    let (_, state) = own.get("/api/state");
    assert!(state.contains("\"pools\":null"), "{state}");
}

#[test]
fn connections_end_with_their_time() {
    let stack = stack_with(
        2,
        &[
            ("PGSIEVE_POOL_SERVER_IDLE_TIMEOUT", "1s"),
            ("PGSIEVE_POOL_SERVER_LIFETIME", "1h"),
        ],
    );
    let mut client = client(&stack);
    assert_eq!(rows(&client.query("SELECT 1")), ["1"]);
    let open = "pgsieve_pool_connections{state=\"idle\"}";
    until(|| (stack.metric(open) == 0.0).then_some(())).expect("it is closed");
    assert_eq!(rows(&client.query("SELECT 1")), ["1"]);
}

#[test]
fn a_transaction_that_its_client_leaves_is_nobody_s() {
    let stack = stack_with(1, &[]);
    let mut leaves = client(&stack);
    leaves.query("BEGIN");
    leaves.query("SET LOCAL timezone = 'Asia/Tokyo'");
    leaves.send(&frames::terminate());
    drop(leaves);
    let mut next = client(&stack);
    let answer = next.query("SELECT current_setting('timezone') = 'Asia/Tokyo'");
    assert_eq!(rows(&answer), ["f"]);
    assert_eq!(answer.last().unwrap().body, b"I");
}

#[test]
fn a_connection_that_the_server_ends_while_it_is_idle_is_replaced() {
    let stack = stack_with(1, &[]);
    let mut client = client(&stack);
    let pid = rows(&client.query("SELECT pg_backend_pid()")).remove(0);
    stack.prepare(&[&format!("SELECT pg_terminate_backend({pid})")]);
    let gone = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    until(|| (rows(&admin.query(&gone)) == ["0"]).then_some(())).expect("it ends");
    assert_eq!(rows(&client.query(&gone)), ["0"], "the client goes on");
}
