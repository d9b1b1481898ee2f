//! Limits of users that hold over all copies of pgsieve, counted in a real Redis.

mod copies;
mod loss;
mod model;
mod presence;

use crate::limits::results;
use crate::support::redis_server::RedisServer;
use crate::support::{APP, Options, RawClient, Stack, until};

/// What stands in the place of a line of the policy.
type Edits = &'static [(&'static str, &'static str)];

/// A copy of pgsieve, under the policy `bi` with these lines and with these variables beside those
/// of the store.
fn copy(store: &RedisServer, edits: Edits, more: &[(&'static str, &'static str)]) -> Stack {
    Stack::start(Options {
        policy: Some("bi"),
        policy_edits: edits,
        environment: environment(store, more),
        ..Options::default()
    })
}

fn environment(
    store: &RedisServer,
    more: &[(&'static str, &'static str)],
) -> Vec<(&'static str, &'static str)> {
    let mut all = vec![
        ("PGSIEVE_LIMITS_STORE", &*store.url().leak()),
        (
            "PGSIEVE_LIMITS_STORE_PASSWORD_FILE",
            store.password_file().leak(),
        ),
        ("PGSIEVE_LIMITS_STORE_WINDOW", "200ms"),
    ];
    for (name, value) in more {
        all.retain(|(known, _)| known != name);
        all.push((*name, *value));
    }
    all
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

#[track_caller]
fn check(client: &mut RawClient, sql: &str, expected: &str) {
    assert_eq!(results::told(&client.query(sql)), expected, "{sql}");
}

/// Waits until these have told what they have counted, one after the other, and then until each
/// has heard it.
fn exchanged(stacks: &[&Stack]) {
    for stack in stacks.iter().chain(stacks) {
        let count = || stack.metric("pgsieve_limits_store_exchanges_total{result=\"answered\"}");
        // One may be on its way that knows nothing of it yet.
        let wanted = count() + 2.0;
        let met = until(|| (count() >= wanted).then_some(()));
        assert!(met.is_some(), "{}", stack.stderr());
    }
}

/// Waits until a copy takes the store to be away, or not any more.
fn assert_lost(stack: &Stack, is_lost: bool) {
    let wanted = if is_lost { 1.0 } else { 0.0 };
    let met = until(|| (stack.metric("pgsieve_limits_store_lost") == wanted).then_some(()));
    assert!(met.is_some(), "{}", stack.stderr());
}
