//! Clients that share connections to the upstream, each for a transaction.

mod by_database;
mod carried;
mod console;
mod database_bound;
mod evicted;
mod kept_ready;
mod named;
mod plans;
mod shared;
mod sizes;
mod walk;

use crate::support::{APP, Options, RawClient, Stack};

/// A pgsieve whose clients share so many connections.
fn stack(size: usize) -> Stack {
    Stack::start(Options {
        policy: Some("bi"),
        pooled: Some(size),
        ..Options::default()
    })
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}
