//! Several copies with one store: what users do by way of one counts at the others.

use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::supervisor::ChildSignal;

use super::{Edits, assert_lost, check, copy, exchanged, login};
use crate::limits::results::told;
use crate::support::redis_server::{PASSWORD, RedisServer};
use crate::support::{APP, Options, READER, RawClient, Stack};

const HUNDRED_ROWS: Edits = &[("\nlimits:\n", "\nlimits:\n  rows_per_day: 100\n")];

#[test]
fn a_budget_of_a_day_is_used_up_over_all_copies() {
    let store = RedisServer::start();
    let [one, other] = [(); 2].map(|()| copy(&store, HUNDRED_ROWS, &[]));
    let apart = copy(
        &store,
        HUNDRED_ROWS,
        &[("PGSIEVE_LIMITS_STORE_PREFIX", "apart:")],
    );
    let (mut first, mut second) = (login(&one), login(&other));
    let mut third = login(&apart);
    let rows = |count| format!("SELECT generate_series(1, {count})");
    check(&mut first, &rows(60), "T D60 C[SELECT 60] ZI");
    exchanged(&[&one, &other, &apart]);
    // Those that others have received are no longer there, and what is left is.
    check(&mut second, &rows(60), "T D40 E53400 ZI");
    exchanged(&[&other, &one, &apart]);
    for client in [&mut first, &mut second, &mut login(&one)] {
        check(client, "SELECT 1", "E53400 ZI");
        check(client, "SHOW geqo", "T D1 C[SHOW] ZI");
    }
    // Another user, and copies that count elsewhere.
    let mut reader = RawClient::login(other.proxied_address(), &other.login(READER));
    check(&mut reader, &rows(9), "T D9 C[SELECT 9] ZI");
    check(&mut third, &rows(60), "T D60 C[SELECT 60] ZI");
    exchanged(&[&apart]);
    // Nobody's name is in the store, and what is there ends by itself.
    let keys = store.ask(&["KEYS", "*"]);
    assert!(
        keys.contains("pgsieve:") && keys.contains("apart:"),
        "{keys}"
    );
    assert!(!keys.contains(APP) && !keys.contains(READER), "{keys}");
    for key in keys.lines() {
        let left: i64 = store.ask(&["TTL", key]).trim().parse().unwrap();
        assert!((1..=2 * 86_400).contains(&left), "{key}: {left}");
    }
    assert!(!one.everything_said().contains(PASSWORD));
    assert!(one.metric("pgsieve_limits_store_exchange_seconds_count") >= 2.0);
    assert!(
        !one.stderr().contains("budgets_forgotten"),
        "{}",
        one.stderr()
    );
}

/// The last counts are told at the end, not only once in a window.
#[test]
fn a_restart_finds_what_was_counted() {
    let store = RedisServer::start();
    let edits: Edits = &[(
        "\nlimits:\n",
        "\nlimits:\n  rows_per_day: 100\n  statements_per_day: 5\n",
    )];
    let start = || copy(&store, edits, &[("PGSIEVE_LIMITS_STORE_WINDOW", "60s")]);
    let mut first = start();
    let mut client = login(&first);
    for _ in 0..3 {
        check(
            &mut client,
            "SELECT generate_series(1, 30)",
            "T D30 C[SELECT 30] ZI",
        );
    }
    drop(client);
    first.signal(ChildSignal::Terminate);
    assert_eq!(first.wait_exit(Duration::from_secs(60)), Some(0));
    let second = copy(&store, edits, &[]);
    let mut client = login(&second);
    exchanged(&[&second]);
    check(
        &mut client,
        "SELECT generate_series(1, 30)",
        "T D10 E53400 ZI",
    );
    check(&mut client, "SELECT 1", "E53400 ZI");
    // Of five statements in a day one is left, and the budget's refusal has taken it.
    let mut reader = RawClient::login(second.proxied_address(), &second.login(READER));
    for _ in 0..5 {
        check(&mut reader, "SELECT 1", "T D1 C[SELECT 1] ZI");
    }
    check(&mut reader, "SELECT 1", "E53400 ZI");
    let third = copy(&store, edits, &[]);
    let mut reader = RawClient::login(third.proxied_address(), &third.login(READER));
    exchanged(&[&second, &third]);
    let answer = reader.query("SELECT 1");
    assert_eq!(told(&answer), "E53400 ZI");
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    let detail = error.field(b'D').unwrap();
    assert!(
        detail.contains("statements_per_day of policy bi"),
        "{detail}"
    );
}

/// Forty may come at once and four in each second. Each copy has a bucket of its own and does not
/// wait for the others, but what passes too early at one is missing later at all.
#[test]
fn a_rate_holds_over_all_copies() {
    let store = RedisServer::start();
    let edits: Edits = &[("\nlimits:\n", "\nlimits:\n  statements_per_second: 4\n")];
    let [one, other] = [(); 2].map(|()| copy(&store, edits, &[]));
    let clients = [login(&one), login(&other)];
    let began = Instant::now();
    let end = began + Duration::from_secs(25);
    let asking = clients.map(|mut client| {
        thread::spawn(move || {
            let mut passed = 0_u32;
            while Instant::now() < end {
                match told(&client.query("SELECT 1")).as_str() {
                    "T D1 C[SELECT 1] ZI" => passed += 1,
                    refused => assert_eq!(refused, "E53400 ZI"),
                }
                thread::sleep(Duration::from_millis(20));
            }
            passed
        })
    });
    let [first, second] = asking.map(|asking| asking.join().unwrap());
    let passed = f64::from(first + second);
    let fair = 40.0 + 4.0 * began.elapsed().as_secs_f64();
    assert!(passed <= 1.25 * fair, "{first} and {second} of {fair}");
    // Copies that share nothing would let pass twice of it, and one alone that gives all to others
    // hardly anything.
    assert!(passed >= 0.6 * fair, "{first} and {second} of {fair}");
}

#[test]
fn a_store_proves_who_it_is() {
    let (store, stranger) = (RedisServer::start_tls(), RedisServer::start_tls());
    let authority = |of: &RedisServer| -> &'static str {
        let path = of.certificates().authority.to_string_lossy().into_owned();
        path.leak()
    };
    let trusting = copy(
        &store,
        HUNDRED_ROWS,
        &[("PGSIEVE_LIMITS_STORE_CA", authority(&store))],
    );
    let doubting = copy(
        &store,
        HUNDRED_ROWS,
        &[("PGSIEVE_LIMITS_STORE_CA", authority(&stranger))],
    );
    exchanged(&[&trusting]);
    assert_lost(&doubting, true);
    let said = doubting.stderr();
    assert!(
        said.contains("(limits.store): the store does not answer: "),
        "{said}"
    );
    assert!(said.contains("TLS handshake: "), "{said}");
    let answered = "pgsieve_limits_store_exchanges_total{result=\"answered\"}";
    assert_eq!(doubting.metric(answered), 0.0);
}

#[test]
fn a_password_that_does_not_fit_is_told_and_keeps_nobody_out() {
    let store = RedisServer::start();
    let (folder, name) = (std::env::temp_dir(), std::process::id());
    let wrong = folder.join(format!("pgsieve-store-wrong-{name}"));
    std::fs::write(&wrong, "cAnArY-that-is-wrong\n").unwrap();
    let file: &'static str = wrong.to_string_lossy().into_owned().leak();
    let stack: Stack = copy(
        &store,
        HUNDRED_ROWS,
        &[("PGSIEVE_LIMITS_STORE_PASSWORD_FILE", file)],
    );
    let mut client = login(&stack);
    check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
    assert_lost(&stack, true);
    let said = stack.everything_said();
    assert!(said.contains("it does not let pgsieve in"), "{said}");
    assert!(said.contains("this copy counts by itself"), "{said}");
    assert!(!said.contains("cAnArY"), "{said}");
    check(
        &mut client,
        "SELECT generate_series(1, 200)",
        "T D99 E53400 ZI",
    );
    let checked = Stack::start_unready(Options {
        arguments: vec!["--check".into()],
        environment: super::environment(&store, &[("PGSIEVE_LIMITS_STORE_PASSWORD_FILE", file)]),
        ..Options::default()
    });
    assert_eq!(checked.wait_exit(Duration::from_secs(60)), Some(1));
    let said = format!("{}{}", checked.stderr(), checked.everything_said());
    assert!(said.contains("it does not let pgsieve in"), "{said}");
    std::fs::remove_file(wrong).unwrap();
}
