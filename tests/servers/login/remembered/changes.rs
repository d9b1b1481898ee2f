//! Passwords and roles that change while they are known.

use std::thread;
use std::time::{Duration, Instant};

use super::{Sieve, Wish, role, run, who};
use crate::support::raw::kinds;
use crate::support::until;

/// As long as a password is known, and some more.
const SHORT: Wish<'static> = Wish {
    cache_age: "1s",
    mode: "transaction",
    size: 2,
    others: "",
    address: None,
    cluster: None,
};

#[test]
fn a_changed_password_lets_in_at_once_and_the_old_one_no_more() {
    let sieve = Sieve::start(&Wish::default());
    let ann = role("");
    let mut old = sieve.login(&ann, &ann);
    let (_, pid) = who(&mut old);
    run(
        sieve.cluster,
        &[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")],
    );
    let mut fresh = sieve.login(&ann, "fresh");
    assert_ne!(who(&mut fresh).1, pid);
    // That somebody has come with another one is reason enough to ask about the one before.
    sieve.refuses(&ann, &ann);
    // Sessions that are open go on, on connections of their own password.
    for _ in 0..3 {
        assert_eq!(who(&mut old), (ann.clone(), pid.clone()));
        assert_ne!(who(&mut fresh).1, pid);
        assert_ne!(who(&mut sieve.login(&ann, "fresh")).1, pid);
    }
    drop(old);
    assert!(until(|| (!sieve.has(&pid)).then_some(())).is_some());
    assert_eq!(who(&mut fresh).0, ann);
}

#[test]
fn an_old_password_is_let_in_no_longer_than_it_may_be() {
    let sieve = Sieve::start(&SHORT);
    let ann = role("");
    let mut open = sieve.login(&ann, &ann);
    run(
        sieve.cluster,
        &[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")],
    );
    let changed = Instant::now();
    loop {
        let came = Instant::now();
        match sieve.try_login(&ann, &ann) {
            Ok(_) => assert!(came - changed <= Duration::from_secs(1)),
            Err(error) => {
                assert_eq!(error.sqlstate(), "28P01");
                break;
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
    sieve.refuses(&ann, &ann);
    assert_eq!(who(&mut open).0, ann);
    assert_eq!(who(&mut sieve.login(&ann, "fresh")).0, ann);
}

#[test]
fn what_keeps_a_role_out_holds_at_the_latest_then_and_in_the_words_of_the_database() {
    let sieve = Sieve::start(&SHORT);
    for (change, code, words) in [
        (
            "ALTER ROLE {} NOLOGIN",
            "28000",
            "is not permitted to log in",
        ),
        (
            "ALTER ROLE {} VALID UNTIL '2001-01-01'",
            "28P01",
            "password authentication failed",
        ),
        (
            "ALTER ROLE {} PASSWORD NULL",
            "28P01",
            "password authentication failed",
        ),
        ("DROP ROLE {}", "28P01", "password authentication failed"),
        (
            "ALTER ROLE {} RENAME TO {}x",
            "28P01",
            "password authentication failed",
        ),
    ] {
        let ann = role("");
        let mut open = sieve.login(&ann, &ann);
        assert_eq!(who(&mut open).0, ann);
        let change = change.replace("{}", &ann);
        run(sieve.cluster, &[&change]);
        thread::sleep(Duration::from_millis(1050));
        let (told, message) = sieve.refusal(&ann, &ann);
        assert_eq!(told, code, "{change}: {message}");
        assert!(message.contains(words), "{change}: {message}");
        // As at the database, sessions that are open stay.
        assert_eq!(kinds(&open.query("SELECT 1")), "TDCZ", "{change}");
        run(
            sieve.cluster,
            &[&format!("DROP ROLE IF EXISTS {ann}, {ann}x")],
        );
    }
}

#[test]
fn a_password_that_holds_is_asked_about_again_and_again() {
    let sieve = Sieve::start(&SHORT);
    let ann = role("");
    let mut open = sieve.login(&ann, &ann);
    let first = sieve.logins(&ann);
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(1050));
        assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
        assert_eq!(who(&mut open).0, ann);
    }
    assert!(sieve.logins(&ann) >= first + 3, "{}", sieve.logins(&ann));
    assert!(sieve.connections(&ann) <= 2);
}

/// A login that needs a connection of its own meets what has changed before its time is over.
#[test]
fn a_refused_connection_is_the_end_of_what_was_known() {
    let sieve = Sieve::start(&Wish {
        size: 3,
        ..Wish::default()
    });
    let ann = role("");
    let mut busy = sieve.login(&ann, &ann);
    assert_eq!(kinds(&busy.query("BEGIN")), "CZ");
    assert_eq!(who(&mut busy).0, ann);
    run(
        sieve.cluster,
        &[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")],
    );
    sieve.refuses(&ann, &ann);
    assert_eq!(kinds(&busy.query("COMMIT")), "CZ");
    // There is a connection now, and nobody may have it who comes.
    sieve.refuses(&ann, &ann);
    assert_eq!(who(&mut busy).0, ann);
}
