//! Clients that share connections by their own passwords: what one server accepts is nothing to
//! another.

use super::{Servers, port_of};
use crate::support::raw::Login;
use crate::support::{RawClient, Stack, sql, until};

const SHARED: &str = "client:\n  auth:\n    passthrough:\n      cache_age: 5min\n";

fn login(stack: &Stack, password: &str) -> Result<RawClient, String> {
    let login = Login {
        user: "ann",
        password,
        database: stack.database(),
        parameters: &[],
    };
    RawClient::try_login(stack.proxied_address(), &login).map_err(|error| error.sqlstate())
}

/// A standby that replays nothing knows a password that holds no more, and the primary does not.
#[test]
fn a_standby_that_is_behind_lets_nobody_in_at_the_primary() {
    let mut servers = Servers::start(1);
    let primary = servers.primary.url("postgres", "postgres", "postgres");
    sql::run_blocking(&primary, &["CREATE ROLE ann LOGIN PASSWORD 'old'"]);
    let stack = servers.stack("  lag_max: 1h\n", SHARED);
    // Both know it.
    let mut at_standby = until(|| login(&stack, "old").ok()).unwrap();
    assert_eq!(port_of(&mut at_standby), servers.port(0));
    servers.at(0, "SELECT pg_wal_replay_pause()");
    sql::run_blocking(&primary, &["ALTER ROLE ann PASSWORD 'new'"]);
    let mut again = login(&stack, "old").unwrap();
    assert_eq!(port_of(&mut again), servers.port(0));
    servers.standbys[0].crash();
    let refused = until(|| login(&stack, "old").err());
    assert_eq!(refused.as_deref(), Some("28P01"), "{}", stack.stderr());
    assert_eq!(login(&stack, "old").err().as_deref(), Some("28P01"));
    let mut fresh = login(&stack, "new").unwrap();
    assert_eq!(port_of(&mut fresh), servers.primary.port());
}

/// What is known at a server that is gone is asked about at the next one, and nobody notices.
#[test]
fn sessions_and_logins_go_on_at_another_server() {
    let mut servers = Servers::start(1);
    let primary = servers.primary.url("postgres", "postgres", "postgres");
    sql::run_blocking(&primary, &["CREATE ROLE ann LOGIN PASSWORD 'old'"]);
    let stack = servers.stack("", SHARED);
    let mut open: Vec<RawClient> = (0..4)
        .map(|_| until(|| login(&stack, "old").ok()).unwrap())
        .collect();
    servers.standbys[0].crash();
    for client in &mut open {
        assert_eq!(port_of(client), servers.primary.port());
    }
    let mut more = login(&stack, "old").unwrap();
    assert_eq!(port_of(&mut more), servers.primary.port());
    assert_eq!(login(&stack, "wrong").err().as_deref(), Some("28P01"));
}
