//! What a user has open and under way at a moment, over all copies.

use pgsieve::demo::supervisor::ChildSignal;

use super::{Edits, assert_lost, copy, exchanged, login};
use crate::support::raw::Frame;
use crate::support::redis_server::RedisServer;
use crate::support::sql::{assert_running, cancel_running};
use crate::support::{APP, RawClient, Stack, frames, until};

/// A statement that runs until it is cancelled.
const ENDLESS: &str = "SELECT count(*) FROM (SELECT generate_series(1, 1000000000000)) AS s";

fn code(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error.map(Frame::sqlstate).unwrap_or_default()
}

fn passes(client: &mut RawClient) {
    let passed = until(|| code(&client.query("SELECT 1")).is_empty().then_some(()));
    assert!(passed.is_some());
}

/// How a login of the user ends: the code of its error, if it has one.
fn login_ends(stack: &Stack) -> String {
    match RawClient::try_login(stack.proxied_address(), &stack.login(APP)) {
        Ok(_client) => String::new(),
        Err(error) => error.sqlstate(),
    }
}

#[test]
fn statements_at_a_time_are_counted_over_all_copies() {
    let mut store = RedisServer::start();
    let edits: Edits = &[("\nlimits:\n", "\nlimits:\n  concurrency_per_user: 2\n")];
    let [one, other] = [(); 2].map(|()| copy(&store, edits, &[]));
    let mut running = [login(&one), login(&one)];
    let mut client = login(&other);
    assert_eq!(code(&client.query("SELECT 1")), "");
    for client in &mut running {
        client.send(&frames::query(ENDLESS));
    }
    assert_running(&one, 2);
    exchanged(&[&one, &other]);
    assert_eq!(code(&client.query("SELECT 1")), "53400");
    // What nobody confirms any more takes no place.
    store.stop();
    assert_lost(&other, true);
    passes(&mut client);
    store.start_again();
    let refused = until(|| (code(&client.query("SELECT 1")) == "53400").then_some(()));
    assert!(refused.is_some());
    cancel_running(&one);
    for client in &mut running {
        assert_eq!(code(&client.until_ready()), "57014");
    }
    passes(&mut client);
}

#[test]
fn connections_are_counted_over_all_copies_and_those_of_a_dead_one_no_more() {
    let store = RedisServer::start();
    let edits: Edits = &[("\nlimits:\n", "\nlimits:\n  connections_per_user: 3\n")];
    let [mut one, other] = [(); 2].map(|()| copy(&store, edits, &[]));
    let first = login(&other);
    let _open = [login(&one), login(&one)];
    exchanged(&[&one, &other]);
    assert_eq!(login_ends(&other), "53300");
    one.signal(ChildSignal::Kill);
    let passed = until(|| login_ends(&other).is_empty().then_some(()));
    assert!(passed.is_some());
    drop(first);
}
