//! A store that is away: what holds meanwhile, and what is known when it is back.

use std::time::{Duration, Instant};

use super::{Edits, assert_lost, check, copy, environment, exchanged, login};
use crate::limits::results::told;
use crate::support::redis_server::RedisServer;
use crate::support::{Options, Stack, until};

const HUNDRED_ROWS: Edits = &[("\nlimits:\n", "\nlimits:\n  rows_per_day: 100\n")];

const NO_ROW: &str = "SELECT 1 WHERE false";

const REFUSE: &[(&str, &str)] = &[("PGSIEVE_LIMITS_ON_STORE_LOSS", "refuse")];

/// It comes back empty, and copies tell everything of the day once more.
#[test]
fn copies_count_on_and_tell_it_when_the_store_is_back() {
    let mut store = RedisServer::start();
    let [one, other] = [(); 2].map(|()| copy(&store, HUNDRED_ROWS, &[]));
    let (mut first, mut second) = (login(&one), login(&other));
    check(
        &mut first,
        "SELECT generate_series(1, 40)",
        "T D40 C[SELECT 40] ZI",
    );
    exchanged(&[&one, &other]);
    store.stop();
    assert_lost(&one, true);
    assert_lost(&other, true);
    // With the last sums that were known.
    check(
        &mut second,
        "SELECT generate_series(1, 30)",
        "T D30 C[SELECT 30] ZI",
    );
    check(
        &mut second,
        "SELECT generate_series(1, 31)",
        "T D30 E53400 ZI",
    );
    check(
        &mut first,
        "SELECT generate_series(1, 20)",
        "T D20 C[SELECT 20] ZI",
    );
    store.start_again();
    assert_lost(&one, false);
    assert_lost(&other, false);
    exchanged(&[&one, &other]);
    for client in [&mut first, &mut second] {
        check(client, "SELECT 1", "E53400 ZI");
    }
    for stack in [&one, &other] {
        let said = stack.stderr();
        // Once each, however often it was tried; a machine that stood still may have had one more.
        let count = |event: &str| said.matches(event).count();
        let (lost, reached) = (count("limits_store_lost"), count("limits_store_reached"));
        assert!((1..4).contains(&lost) && lost == reached, "{said}");
    }
}

#[test]
fn what_cannot_be_counted_is_refused_where_that_is_wanted() {
    let mut store = RedisServer::start();
    let stack = copy(&store, HUNDRED_ROWS, REFUSE);
    let unlimited = copy(&store, &[], REFUSE);
    let mut client = login(&stack);
    // From the first one on: the store was asked before anybody was let in.
    check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
    store.stop();
    // However often it is asked, it uses up nothing of the limit.
    let refused = until(|| {
        let answer = client.query(NO_ROW);
        (told(&answer) == "E58000 ZI").then_some(answer)
    });
    let refused = refused.expect("it is refused within the bound");
    let error = refused.iter().find(|frame| frame.kind == b'E').unwrap();
    let field = |code| error.field(code).unwrap();
    assert_eq!(
        field(b'M'),
        "the limits of this user cannot be counted: their store does not answer"
    );
    assert!(
        field(b'D').contains("limits.on_store_loss is refuse"),
        "{}",
        field(b'D')
    );
    // Housekeeping goes on, and a transaction can be ended.
    check(&mut client, "BEGIN", "C[BEGIN] ZT");
    check(&mut client, "SET statement_timeout = 1000", "C[SET] ZT");
    check(&mut client, "SELECT 1", "E58000 ZE");
    check(&mut client, "ROLLBACK", "C[ROLLBACK] ZI");
    // Nothing of it concerns who has no limits.
    assert_lost(&unlimited, true);
    check(&mut login(&unlimited), "SELECT 1", "T D1 C[SELECT 1] ZI");
    // A copy that starts meanwhile starts, and refuses from the first statement on.
    let late = copy(&store, HUNDRED_ROWS, REFUSE);
    let mut waiting = login(&late);
    check(&mut waiting, "SELECT 1", "E58000 ZI");
    store.start_again();
    for client in [&mut client, &mut waiting] {
        let passed = until(|| {
            let answer = told(&client.query(NO_ROW));
            (answer == "T C[SELECT 0] ZI").then_some(())
        });
        assert!(passed.is_some(), "{}", stack.stderr());
    }
}

/// One that takes connections and answers nothing holds no statement up.
#[test]
fn nobody_waits_for_a_store_that_stands_still() {
    let mut store = RedisServer::start();
    let stack = copy(&store, HUNDRED_ROWS, &[]);
    let mut client = login(&stack);
    exchanged(&[&stack]);
    store.stand_still(true);
    assert_lost(&stack, true);
    assert!(
        stack.stderr().contains("no answer in time"),
        "{}",
        stack.stderr()
    );
    let began = Instant::now();
    for _ in 0..50 {
        check(&mut client, "SELECT 1", "T D1 C[SELECT 1] ZI");
    }
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    store.stand_still(false);
    assert_lost(&stack, false);
    exchanged(&[&stack]);
    check(
        &mut client,
        "SELECT generate_series(1, 60)",
        "T D50 E53400 ZI",
    );
}

#[test]
fn a_check_says_that_the_store_is_away() {
    let mut store = RedisServer::start();
    let run = |store: &RedisServer| {
        let checked = Stack::start_unready(Options {
            arguments: vec!["--check".into()],
            environment: environment(store, &[]),
            ..Options::default()
        });
        let status = checked.wait_exit(Duration::from_secs(60));
        (status, checked.everything_said())
    };
    let (status, said) = run(&store);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("the store of limits answers"), "{said}");
    store.stop();
    let (status, said) = run(&store);
    assert_eq!(status, Some(1), "{said}");
    let wanted = "(limits.store): the store does not answer: nobody answers: ";
    assert!(said.contains(wanted), "{said}");
}
