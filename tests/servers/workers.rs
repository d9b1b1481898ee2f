//! Sessions that go on with another worker thread notice nothing of it.

use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use pgsieve::demo::supervisor::ChildSignal;

use crate::support::raw::{kinds, values};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// So many threads, whatever the machine has.
const TWO: (&str, &str) = ("PGSIEVE_WORKERS", "2");

/// With and without io_uring, where the system has that.
const BACKENDS: [&str; 2] = ["epoll", "auto"];

fn stack(pooled: Option<usize>) -> Stack {
    stack_with(pooled, "epoll")
}

fn stack_with(pooled: Option<usize>, backend: &'static str) -> Stack {
    Stack::start(Options {
        pooled,
        environment: vec![TWO, ("PGSIEVE_IO_BACKEND", backend)],
        ..Options::default()
    })
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn together(stack: &Stack) -> f64 {
    stack.metric("pgsieve_worker_moves_total{reason=\"together\"}")
}

/// Clients that have said nothing yet keep others away from the worker that they are with.
fn silent(stack: &Stack) -> Vec<TcpStream> {
    let address = stack.proxied_address();
    let silent = (0..4).map(|_| TcpStream::connect(address).unwrap());
    silent.collect()
}

/// Two clients on two workers.
fn apart(stack: &Stack) -> [RawClient; 2] {
    let one = login(stack);
    let waiting = silent(stack);
    let clients = [one, login(stack)];
    drop(waiting);
    clients
}

/// Lets both do little until one of them has moved.
fn move_one(stack: &Stack, mut use_both: impl FnMut()) {
    let moved = until(|| {
        for _ in 0..20 {
            use_both();
            thread::sleep(Duration::from_millis(5));
        }
        (together(stack) > 0.0).then_some(())
    });
    assert!(moved.is_some(), "{}", stack.stderr());
}

/// All that a session can have made is where it was, with connections of its own and with shared
/// ones.
fn moves_with_all_that_it_has(pooled: Option<usize>, backend: &'static str) {
    let stack = stack_with(pooled, backend);
    let mut clients = apart(&stack);
    for (number, client) in clients.iter_mut().enumerate() {
        let set = format!("SET work_mem = '{}kB'", 100 + number);
        assert_eq!(kinds(&client.query(&set)), "CZ");
        let parse = frames::parse("mine", "SELECT current_setting('work_mem'), $1::int");
        client.send(&[parse, frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
    }
    let check = |clients: &mut [RawClient; 2]| {
        for (number, client) in clients.iter_mut().enumerate() {
            let bind = frames::bind("", "mine", &[Some("5")], false);
            client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
            let expected = format!("{}kB", 100 + number);
            assert_eq!(values(&client.until_ready()), [[&expected, "5"]]);
        }
    };
    move_one(&stack, || check(&mut clients));
    for _ in 0..20 {
        check(&mut clients);
    }
}

#[test]
fn a_session_moves_with_its_connection_and_all_that_it_has() {
    for backend in BACKENDS {
        moves_with_all_that_it_has(None, backend);
    }
}

#[test]
fn a_session_that_shares_connections_moves_with_all_that_it_has() {
    for backend in BACKENDS {
        moves_with_all_that_it_has(Some(4), backend);
    }
}

/// An open transaction keeps its session where it is; no row of a cursor is lost.
#[test]
fn an_open_transaction_stays() {
    for pooled in [None, Some(4)] {
        let stack = stack(pooled);
        let mut clients = apart(&stack);
        for client in &mut clients {
            assert_eq!(kinds(&client.query("BEGIN")), "CZ");
            let declare = "DECLARE mine CURSOR FOR SELECT generate_series(1, 1000000)";
            assert_eq!(kinds(&client.query(declare)), "CZ");
        }
        for number in 1..=100 {
            for client in &mut clients {
                assert_eq!(values(&client.query("FETCH mine")), [[number.to_string()]]);
            }
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(together(&stack), 0.0);
        for client in &mut clients {
            assert_eq!(kinds(&client.query("COMMIT")), "CZ");
        }
        move_one(&stack, || {
            for client in &mut clients {
                assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
            }
        });
    }
}

/// Whoever has moved is still found: by a cancel, by an end, and by the end of pgsieve.
#[test]
fn who_has_moved_is_still_reached() {
    let mut stack = stack(None);
    let mut clients = apart(&stack);
    move_one(&stack, || {
        for client in &mut clients {
            assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
        }
    });
    // Every sixteenth wait of a worker is counted, and there were dozens.
    assert!(stack.metric("pgsieve_worker_ready_sessions_count") >= 1.0);
    for client in &mut clients {
        client.send(&frames::query(
            "SELECT count(*) FROM generate_series(1, 1000000000000)",
        ));
        let answer = client.cancelled(stack.proxied_address());
        // The description is there only where the statement had begun.
        let (said, ends) = answer.split_at(answer.len() - 2);
        assert!(["", "T"].contains(&&*kinds(said)), "{answer:?}");
        assert_eq!(kinds(ends), "EZ", "{answer:?}");
        assert_eq!(ends[0].sqlstate(), "57014");
    }
    let idle = |stack: &Stack| stack.metric_sum("pgsieve_sessions", &[("state", "idle")]);
    assert_eq!(idle(&stack), 2.0);
    let [mut stays, goes] = clients;
    drop(goes);
    let is_gone = until(|| (idle(&stack) == 1.0).then_some(()));
    assert!(is_gone.is_some());
    stack.signal(ChildSignal::Terminate);
    let last = stays.until_closed();
    assert_eq!(last.last().unwrap().sqlstate(), "57P01", "{last:?}");
    assert_eq!(stack.wait_exit(Duration::from_secs(240)), Some(0));
}
