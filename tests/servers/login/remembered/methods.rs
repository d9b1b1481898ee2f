//! Servers that ask for passwords in other ways, or for none.

use std::collections::BTreeSet;

use super::{Sieve, Wish, pids, role, run, who};

#[test]
fn passwords_in_clear_and_as_md5_share_as_others_do() {
    let sieve = Sieve::start(&Wish::default());
    run(
        sieve.cluster,
        &[
            "CREATE ROLE asked_in_clear LOGIN PASSWORD 'one'",
            "SET password_encryption = 'md5'; CREATE ROLE asked_for_md5 LOGIN PASSWORD 'one'",
        ],
    );
    for user in ["asked_in_clear", "asked_for_md5"] {
        let mut clients: Vec<_> = (0..6)
            .map(|_| (user.to_owned(), sieve.login(user, "one")))
            .collect();
        assert!(pids(&mut clients).len() <= 2);
        assert!(sieve.connections(user) <= 2);
        sieve.refuses(user, "two");
    }
}

#[test]
fn whom_the_server_asks_for_nothing_shares_with_nobody() {
    let sieve = Sieve::start(&Wish::default());
    run(
        sieve.cluster,
        &["CREATE ROLE let_in LOGIN PASSWORD 'right'"],
    );
    let given = ["right", "right", "wrong", "other", "wrong"];
    let mut clients: Vec<_> = given
        .iter()
        .map(|password| ("let_in".to_owned(), sieve.login("let_in", password)))
        .collect();
    let seen: BTreeSet<_> = pids(&mut clients);
    assert_eq!(seen.len(), given.len(), "{seen:?}");
    let pooled = sieve.stack.metric_sum("pgsieve_pool_connections", &[]);
    assert_eq!(pooled, 0.0);
    drop(clients);
}

#[test]
fn whom_the_server_keeps_out_hears_its_own_words() {
    let sieve = Sieve::start(&Wish::default());
    run(sieve.cluster, &["CREATE ROLE kept_out LOGIN PASSWORD 'x'"]);
    let (code, words) = sieve.refusal("kept_out", "x");
    assert_eq!(code, "28000");
    assert!(words.contains("pg_hba.conf rejects connection"), "{words}");
    let ann = role("CONNECTION LIMIT 0");
    let (code, words) = sieve.refusal(&ann, &ann);
    assert_eq!(code, "53300");
    assert!(words.contains("too many connections for role"), "{words}");
    let bob = role("");
    assert_eq!(who(&mut sieve.login(&bob, &bob)).0, bob);
}
