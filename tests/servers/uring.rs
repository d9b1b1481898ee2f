//! With `io.backend: uring` clients are told what they are told with epoll, byte for byte; where
//! the system has no io_uring for this process, nothing of it can be tried.

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use pgsieve::net::uring::IoBackend;

use crate::support::raw::{kinds, values};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const URING: (&str, &str) = ("PGSIEVE_IO_BACKEND", "uring");
const EPOLL: (&str, &str) = ("PGSIEVE_IO_BACKEND", "epoll");

fn is_forbidden() -> bool {
    let probed = IoBackend::Uring.wants_rings();
    if let Err(error) = &probed {
        eprintln!("not tried: {error}");
    }
    probed.is_err()
}

fn stack(pooled: Option<usize>, backend: (&'static str, &'static str)) -> Stack {
    Stack::start(Options {
        pooled,
        environment: vec![("PGSIEVE_WORKERS", "2"), backend],
        ..Options::default()
    })
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

/// What a client says: texts of every size, results of every size, batches, errors.
fn sayings() -> Vec<Vec<u8>> {
    let long = format!("SELECT '{}'", "x".repeat(1_000_000));
    let texts = [
        "SELECT 1",
        "SELECT generate_series(1, 100000)",
        "SELECT repeat('wide', 1000000), 2",
        "SELECT 1/0",
        "DELETE FROM pg_class",
        "SELECT 4096, repeat('y', 4096 - 30)",
        &long,
    ];
    let mut all: Vec<_> = texts.iter().map(|text| frames::query(text)).collect();
    let one = |text| {
        let parse = frames::parse("", text);
        let bind = frames::bind("", "", &[], false);
        [parse, bind, frames::execute("", 0), frames::sync()].concat()
    };
    all.extend(texts.map(one));
    all.push(frames::query("SELECT 'the end'"));
    all
}

fn answers(stack: &Stack) -> Vec<Vec<u8>> {
    let mut client = login(stack);
    let answer = |said: Vec<u8>| {
        client.send(&said);
        let answer = client.until_ready();
        answer
            .into_iter()
            .flat_map(|frame| [&[frame.kind], &frame.body[..]].concat())
            .collect()
    };
    sayings().into_iter().map(answer).collect()
}

#[test]
fn clients_are_told_the_same() {
    if is_forbidden() {
        return;
    }
    for pooled in [None, Some(4)] {
        let stacks = [URING, EPOLL].map(|backend| stack(pooled, backend));
        let [rung, polled] = stacks.each_ref().map(answers);
        assert_eq!(rung.len(), polled.len());
        for (number, (rung, polled)) in rung.iter().zip(&polled).enumerate() {
            assert!(rung == polled, "saying {number} with {pooled:?}");
        }
    }
}

/// More clients than shared connections, of which some leave in the middle of an answer.
#[test]
fn many_clients_at_once_get_their_own_answers() {
    if is_forbidden() {
        return;
    }
    for pooled in [None, Some(4)] {
        let stack = stack(pooled, URING);
        thread::scope(|scope| {
            for number in 0..24 {
                let stack = &stack;
                scope.spawn(move || {
                    let mut client = login(stack);
                    for turn in 0..60 {
                        let sum = number * 1000 + turn;
                        let text = format!("SELECT {number} * 1000 + {turn}, repeat('z', {sum})");
                        let expected = [[sum.to_string(), "z".repeat(sum)]];
                        assert_eq!(values(&client.query(&text)), expected);
                    }
                    if number % 3 == 0 {
                        let large = "SELECT repeat('w', 1000000) FROM generate_series(1, 500)";
                        client.send(&frames::query(large));
                        let mut some = [0; 5000];
                        client.stream().read_exact(&mut some).unwrap();
                    }
                });
            }
        });
        let mut client = login(&stack);
        assert_eq!(
            values(&client.query("SELECT 'still here'")),
            [["still here"]]
        );
        let left = until(|| (stack.metric("pgsieve_connections_open") <= 1.0).then_some(()));
        assert!(left.is_some(), "{}", stack.stderr());
    }
}

/// A client that reads nothing holds up nobody else, and gets all of it when it reads.
#[test]
fn who_reads_slowly_is_waited_for() {
    if is_forbidden() {
        return;
    }
    let stack = stack(None, URING);
    let mut slow = login(&stack);
    slow.send(&frames::query(
        "SELECT repeat('s', 1000000) FROM generate_series(1, 8)",
    ));
    let mut other = login(&stack);
    for _ in 0..50 {
        assert_eq!(kinds(&other.query("SELECT 1")), "TDCZ");
        thread::sleep(Duration::from_millis(5));
    }
    let answer = values(&slow.until_ready());
    assert_eq!(answer.len(), 8);
    assert!(
        answer
            .iter()
            .flatten()
            .all(|value| value.len() == 1_000_000)
    );
}

/// The end of a client is seen behind what it sent, and a cancel reaches what runs.
#[test]
fn a_statement_is_cancelled_and_a_client_that_leaves_is_seen() {
    if is_forbidden() {
        return;
    }
    for pooled in [None, Some(4)] {
        let stack = stack(pooled, URING);
        let mut client = login(&stack);
        client.send(&frames::query(
            "SELECT count(*) FROM generate_series(1, 100000000000)",
        ));
        thread::sleep(Duration::from_millis(300));
        let answer = client.cancelled(stack.proxied_address());
        assert!(
            answer
                .iter()
                .any(|frame| frame.kind == b'E' && frame.sqlstate() == "57014")
        );
        client
            .stream()
            .write_all(&frames::query("SELECT 1"))
            .unwrap();
        drop(client);
        let left = until(|| (stack.metric("pgsieve_connections_open") <= 0.0).then_some(()));
        assert!(left.is_some(), "{}", stack.stderr());
    }
}

/// Who runs pgsieve is told which it is, where that was left to the system.
#[test]
fn the_log_says_what_reads_and_writes() {
    let stack = stack(None, ("PGSIEVE_IO_BACKEND", "auto"));
    let expected = match is_forbidden() {
        false => "io_backend: io_uring reads and writes",
        true => "io_backend: epoll is used",
    };
    assert!(stack.stderr().contains(expected), "{}", stack.stderr());
}
