//! Cases that were written first and run last.

use super::*;

/// A session that keeps its connection (SQL's PREPARE) keeps its place until it leaves.
#[test]
fn a_connection_that_is_kept_counts() {
    let accounts = Accounts::start(2, "size: 5, query_wait: 1s, max_db_connections: 1", "");
    let mut keeps = accounts.client(0);
    assert_eq!(kinds(&keeps.query("PREPARE p AS SELECT 1")), "CZ");
    let refused = accounts.try_in(1, accounts.rig.stack.database());
    assert_eq!(refused.err().expect("refused").sqlstate(), "53300");
    assert_eq!(kinds(&keeps.query("EXECUTE p")), "TDCZ");
    drop(keeps);
    assert!(!pid(&mut accounts.client(1)).is_empty());
}

/// Whoever waits and leaves takes no turn and no place away.
#[test]
fn clients_that_wait_and_leave_take_nothing_with_them() {
    let accounts = Accounts::start(3, "size: 5, max_db_connections: 2", "");
    let mut holds: Vec<_> = (0..2).map(|_| accounts.client(0)).collect();
    let mut waits: Vec<_> = (0..6).map(|at| accounts.client(1 + at % 2)).collect();
    for client in &mut holds {
        assert_eq!(kinds(&client.query("BEGIN")), "CZ");
        pid(client);
    }
    waits
        .iter_mut()
        .for_each(|client| client.send(&frames::query(PID)));
    let waiting = |count: f64| {
        let seen = || accounts.rig.stack.metric("pgsieve_pool_waiting") == count;
        assert!(until(|| seen().then_some(())).is_some(), "{count}");
    };
    waiting(6.0);
    let mut left = waits.split_off(5);
    drop(waits);
    waiting(1.0);
    for client in &mut holds {
        assert_eq!(kinds(&client.query("COMMIT")), "CZ");
    }
    assert_eq!(kinds(&left[0].until_ready()), "TDCZ");
    let mut both = [accounts.client(1), accounts.client(2)];
    for client in &mut both {
        assert_eq!(kinds(&client.query("BEGIN")), "CZ");
        pid(client);
    }
    let mut watch = accounts.watch_own();
    assert!(until(|| (watch.pids().len() == 2).then_some(())).is_some());
}

/// Transactions that their clients leave free their places, and are at no time beside others.
#[test]
fn abandoned_transactions_are_over_before_others_begin() {
    let accounts = Accounts::start(3, "size: 5, max_db_connections: 2", "");
    let watch = accounts.watch_own();
    let most = watch.most_during(|| {
        for turn in 0..12 {
            let mut client = accounts.client(turn % 3);
            assert_eq!(kinds(&client.query("BEGIN")), "CZ");
            pid(&mut client);
            drop(client);
        }
    });
    assert!(most <= 2, "{most}");
}

/// The catalog is read on connections that are not counted: what is new is seen while all are busy.
#[test]
fn a_full_database_still_tells_what_it_contains() {
    let accounts = Accounts::start(1, "size: 1, max_db_connections: 1", "");
    let mut holds = accounts.client(0);
    assert_eq!(kinds(&holds.query("BEGIN")), "CZ");
    pid(&mut holds);
    let stack = &accounts.rig.stack;
    stack.prepare(&[
        "CREATE VIEW of_late AS SELECT 1 AS one",
        "GRANT SELECT ON of_late TO PUBLIC",
    ]);
    assert_eq!(kinds(&holds.query("COMMIT")), "CZ");
    assert_eq!(kinds(&holds.query("BEGIN")), "CZ");
    let seen = || kinds(&holds.query("SELECT one FROM of_late")) == "TDCZ";
    let mut seen = seen;
    assert!(until(|| seen().then_some(())).is_some());
}

/// Connections that are kept ready do not go beyond the bound, and take nobody's place.
#[test]
fn what_is_kept_ready_keeps_within_the_bound() {
    let accounts = Accounts::start(3, "size: 3, min: 2, max_db_connections: 3", "");
    let watch = accounts.watch_own();
    let most = watch.most_during(|| {
        let mut clients: Vec<_> = (0..3).map(|at| accounts.client(at)).collect();
        let until = Instant::now() + Duration::from_secs(4);
        while Instant::now() < until {
            for client in &mut clients {
                pid(client);
            }
            thread::sleep(Duration::from_millis(50));
        }
    });
    assert_eq!(most, 3);
}
