//! The settings of clients that share connections by their own passwords.

use std::time::Duration;

use pgsieve::auth::settings::AuthSettings;
use pgsieve::upstream::pool::PoolMode;

use super::{bad, file, good};

fn text(auth: &str, others: &str) -> String {
    format!("upstream: {{ url: 'postgres://h/d' }}\nclient: {{ auth: {{ {auth} }} }}\n{others}")
}

#[test]
fn a_time_for_passwords_has_their_sessions_share_connections() {
    let read = good(&file(&text("passthrough: { cache_age: 30s }", "")));
    let AuthSettings::Passthrough { cache_age, .. } = read.auth else {
        panic!("passthrough is the default");
    };
    assert_eq!(cache_age, Some(Duration::from_secs(30)));
    assert_eq!(read.pool.size, 20);
    // Whoever wants a connection for each session has it.
    let session = "pool: { mode: session }";
    let read = good(&file(&text("passthrough: { cache_age: 30s }", session)));
    assert_eq!(read.pool.mode, PoolMode::Session);
    let transaction = "pool: { mode: transaction, size: 3 }";
    let read = good(&file(&text("passthrough: { cache_age: 1s }", transaction)));
    assert_eq!(read.pool.size, 3);
    let alone = good(&file(&text("method: passthrough", "")));
    assert_eq!(alone.pool.mode, PoolMode::Session);
}

#[test]
fn without_it_nothing_is_shared_and_it_is_nothing_to_other_methods() {
    for (auth, others, wanted) in [
        (
            "method: passthrough",
            "pool: { mode: transaction }",
            "pool.mode: under client.auth.method passthrough, transaction needs \
             client.auth.passthrough.cache_age",
        ),
        (
            "method: trust, passthrough: { cache_age: 10s }",
            "",
            "client.auth.passthrough.cache_age: is only for client.auth.method passthrough",
        ),
        (
            "passthrough: { cache_age: 0s }",
            "",
            "client.auth.passthrough.cache_age: ",
        ),
        (
            "passthrough: { cache_age: 6min }",
            "",
            "client.auth.passthrough.cache_age: ",
        ),
        ("passthrough: { cache_age: 10 }", "", "the unit is missing"),
        (
            "passthrough: { cache_age: off }",
            "",
            "client.auth.passthrough.cache_age: ",
        ),
        ("passthrough: { age: 10s }", "", "unknown key"),
    ] {
        let problems = bad(&file(&text(auth, others)));
        assert!(problems.contains(wanted), "{auth} {others}: {problems}");
        assert_eq!(problems.trim_end().lines().count(), 1, "{problems}");
    }
}
