//! Process ids where clients share connections: each client has one of its own, and whoever is
//! stopped is who was meant, whichever connection the asker is given for its call.

use std::collections::BTreeSet;

use super::by_pid::{
    ENDLESS, answer_of_nobody, assert_stopped_by_knex, assert_stopped_by_superset, code, login,
    pid, request_cancel, value,
};
use crate::support::raw::kinds;
use crate::support::sql::assert_running;
use crate::support::{Options, READER, RawClient, Stack, frames, until};

/// No server on Linux gives so high a process id.
const PID_MAX: i32 = 4_194_304;

fn shared(size: usize) -> Stack {
    Stack::start(Options {
        pooled: Some(size),
        ..Options::default()
    })
}

/// The process of the connection that the client has now.
fn process(client: &mut RawClient) -> i32 {
    let told = value(&client.query("SELECT pg_backend_pid()"));
    told.parse().unwrap()
}

#[test]
fn nobody_is_told_what_another_one_is_told() {
    let stack = shared(2);
    let mut clients: Vec<RawClient> = (0..20).map(|_| login(&stack)).collect();
    let told: BTreeSet<i32> = clients.iter().map(pid).collect();
    assert_eq!(told.len(), clients.len());
    assert!(told.iter().all(|pid| *pid > PID_MAX), "{told:?}");
    assert!(process(&mut clients[0]) <= PID_MAX);
}

/// Each client logs in on the connection that the one before has left, so all of them were at one.
#[test]
fn who_is_told_to_stop_is_who_stops() {
    let stack = shared(8);
    let mut clients: Vec<RawClient> = (0..3).map(|_| login(&stack)).collect();
    for turn in 0..6 {
        let (meant, asker, third) = (turn % 3, (turn + 1) % 3, (turn + 2) % 3);
        let stopped = pid(&clients[meant]);
        for call in [
            frames::query(&format!("SELECT pg_cancel_backend({stopped})")),
            frames::extended(
                "SELECT pg_cancel_backend($1);",
                &[Some(&stopped.to_string())],
                false,
            ),
        ] {
            clients[meant].send(&frames::query(ENDLESS));
            clients[third].send(&frames::query(ENDLESS));
            assert_running(&stack, 2);
            clients[asker].send(&call);
            let answer = clients[asker].until_ready();
            assert_eq!(value(&answer), "t", "{answer:?}");
            assert!(!kinds(&answer).contains(['E', 'N']), "{answer:?}");
            assert_eq!(code(&clients[meant].until_ready()), "57014");
            assert_running(&stack, 1);
            let (pid, secret) = clients[third].key.clone().unwrap();
            request_cancel(&stack, pid, &secret);
            assert_eq!(code(&clients[third].until_ready()), "57014");
        }
    }
}

#[test]
fn who_is_told_to_end_is_who_ends() {
    let stack = shared(8);
    let mut asker = login(&stack);
    for is_running in [false, true] {
        for call in ["pg_terminate_backend({})", "pg_terminate_backend({}, 5000)"] {
            let [mut meant, mut third] = [(); 2].map(|()| login(&stack));
            if is_running {
                meant.send(&frames::query(ENDLESS));
                assert_running(&stack, 1);
            }
            let call = call.replace("{}", &pid(&meant).to_string());
            let answer = asker.query(&format!("SELECT {call}"));
            assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
            assert_eq!(value(&answer), "t");
            let last = meant.until_closed();
            assert_eq!(last.last().unwrap().sqlstate(), "57P01", "{last:?}");
            assert_eq!(kinds(&third.query("SELECT 1")), "TDCZ");
            assert_running(&stack, 0);
        }
    }
    // Oneself.
    let end = format!("SELECT pg_terminate_backend({})", pid(&asker));
    asker.send(&frames::query(&end));
    let last = asker.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "57P01", "{last:?}");
}

/// Whoever has a transaction open has its connection, and is found by it; and by its own.
#[test]
fn who_holds_a_connection_is_found_by_its_process() {
    let stack = shared(4);
    let [mut meant, mut asker] = [(); 2].map(|()| login(&stack));
    meant.query("BEGIN");
    for seen in [process(&mut meant), pid(&meant)] {
        let direct = format!("SELECT pg_cancel_backend({seen})");
        let listed = format!("{direct} FROM pg_stat_activity WHERE pid = {seen}");
        let listed = listed.replacen(&format!("({seen})"), "(pid)", 1);
        let calls = if seen > PID_MAX {
            vec![direct]
        } else {
            vec![direct, listed]
        };
        for call in calls {
            meant.query("SAVEPOINT before");
            meant.send(&frames::query(ENDLESS));
            assert_running(&stack, 1);
            assert_eq!(value(&asker.query(&call)), "t", "{call}");
            assert_eq!(code(&meant.until_ready()), "57014");
            assert_eq!(kinds(&meant.query("ROLLBACK TO before")), "CZ");
        }
    }
    let end = format!("SELECT pg_terminate_backend({})", process(&mut meant));
    assert_eq!(value(&asker.query(&end)), "t");
    assert_eq!(meant.until_closed()[0].sqlstate(), "57P01");
}

/// A process that a client saw once is whoever's connection it is now. The asker's own it is only
/// because of the call: nobody is stopped, least of all the asker.
#[test]
fn the_connection_of_the_call_is_not_meant() {
    let stack = shared(1);
    let mut asker = login(&stack);
    let seen = process(&mut asker);
    let mut other = login(&stack);
    assert_eq!(process(&mut other), seen);
    for name in ["pg_cancel_backend", "pg_terminate_backend"] {
        for client in [&mut asker, &mut other] {
            let answer = client.query(&format!("SELECT {name}({seen})"));
            assert_eq!(kinds(&answer), "TNDCZ", "{answer:?}");
            assert_eq!(value(&answer), "f");
        }
    }
    assert_eq!(kinds(&asker.query("SELECT 1")), "TDCZ");
    assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
}

/// A client at rest has no connection: there is nothing to stop, and the signal was sent.
#[test]
fn at_rest_nothing_is_stopped() {
    let stack = shared(4);
    let [mut meant, mut asker] = [(); 2].map(|()| login(&stack));
    let stop = format!("SELECT pg_cancel_backend({})", pid(&meant));
    for _ in 0..3 {
        let answer = asker.query(&stop);
        assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
        assert_eq!(value(&answer), "t");
        assert_eq!(kinds(&meant.query("SELECT 1")), "TDCZ");
    }
    // Oneself, in the words of a server.
    let own = format!("SELECT pg_cancel_backend({})", pid(&asker));
    assert_eq!(code(&asker.query(&own)), "57014");
    assert_eq!(kinds(&asker.query("SELECT 1")), "TDCZ");
    drop(meant);
    let is_gone = until(|| (value(&asker.query(&stop)) == "f").then_some(()));
    assert!(is_gone.is_some());
}

#[test]
fn others_stay_others() {
    let stack = shared(4);
    let mut one = login(&stack);
    let mut reader = RawClient::login(stack.proxied_address(), &stack.login(READER));
    reader.query("BEGIN");
    for theirs in [pid(&reader), process(&mut reader)] {
        for name in ["pg_cancel_backend", "pg_terminate_backend"] {
            answer_of_nobody(&mut one, name, theirs);
        }
    }
    assert_eq!(kinds(&reader.query("SELECT 1")), "TDCZ");
}

#[test]
fn node_stops_a_query_as_knex_does() {
    assert_stopped_by_knex(&shared(4));
}

#[test]
fn psycopg2_stops_a_query_as_superset_does() {
    assert_stopped_by_superset(&shared(4));
}
