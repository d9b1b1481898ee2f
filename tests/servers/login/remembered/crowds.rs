//! Many clients at once, and many passwords.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use super::{Sieve, Wish, cluster, role, who};
use crate::support::switch::Switch;
use crate::support::{RawClient, frames, until};

const CROWD: usize = 100;

#[test]
fn a_hundred_clients_that_come_at_once_take_no_more_connections_than_the_pool_has() {
    let sieve = Arc::new(Sieve::start(&Wish {
        size: 4,
        ..Wish::default()
    }));
    let ann = role("");
    let (start, ends) = (
        Arc::new(Barrier::new(CROWD)),
        Arc::new(AtomicBool::new(false)),
    );
    let watcher = {
        let (sieve, ann, ends) = (Arc::clone(&sieve), ann.clone(), Arc::clone(&ends));
        thread::spawn(move || {
            let mut most = 0;
            while !ends.load(Ordering::Relaxed) {
                most = most.max(sieve.connections(&ann));
            }
            most
        })
    };
    let crowd: Vec<_> = (0..CROWD)
        .map(|_| {
            let (sieve, ann, start) = (Arc::clone(&sieve), ann.clone(), Arc::clone(&start));
            thread::spawn(move || {
                start.wait();
                let mut client = sieve.login(&ann, &ann);
                for _ in 0..20 {
                    assert_eq!(who(&mut client).0, ann);
                }
            })
        })
        .collect();
    for one in crowd {
        one.join().unwrap();
    }
    ends.store(true, Ordering::Relaxed);
    let most = watcher.join().unwrap();
    assert!((1..=4).contains(&most), "{most}");
}

/// While the server says nothing, everybody comes; then it is asked once.
#[test]
fn a_hundred_that_come_with_one_password_have_it_asked_once() {
    let network = Switch::to(&[cluster().port()]);
    let sieve = Sieve::start(&Wish {
        size: 4,
        address: Some(network.address().to_string()),
        ..Wish::default()
    });
    for is_right in [true, false] {
        let ann = role("");
        let password = if is_right { ann.as_str() } else { "wrong" };
        network.hold(true);
        let mut crowd: Vec<_> = (0..CROWD).map(|_| come(&sieve, &ann, password)).collect();
        thread::sleep(Duration::from_secs(1));
        network.hold(false);
        for client in &mut crowd {
            let answer = loop {
                let frame = client.read().unwrap();
                if matches!(frame.kind, b'E' | b'Z') {
                    break frame;
                }
            };
            match is_right {
                true => assert_eq!(who(client).0, ann),
                false => assert_eq!(answer.sqlstate(), "28P01"),
            }
        }
        let asked = sieve.logins(&ann) + logins_that_failed(&ann);
        // Few at most: the pool may open more, and not everybody has been heard in time.
        assert!((1..=8).contains(&asked), "{asked}");
    }
}

/// A client that has given its password.
pub(super) fn come(sieve: &Sieve, user: &str, password: &str) -> RawClient {
    let mut client = RawClient::connect(sieve.stack.proxied_address());
    let database = sieve.stack.database();
    client.send(&frames::startup(
        0,
        &[("user", user), ("database", database)],
    ));
    let asked = client.read().unwrap();
    assert_eq!(
        (asked.kind, asked.body.get(..4)),
        (b'R', Some(&[0, 0, 0, 3][..]))
    );
    client.send(&frames::message(b'p', &frames::zero_ended(password)));
    client
}

fn logins_that_failed(user: &str) -> usize {
    let words = format!("password authentication failed for user \"{user}\"");
    let log = cluster().log();
    log.lines().filter(|line| line.contains(&words)).count()
}

#[test]
fn whoever_tries_passwords_takes_no_room_and_locks_nobody_out() {
    let sieve = Arc::new(Sieve::start(&Wish::default()));
    let ann = role("");
    let mut open = sieve.login(&ann, &ann);
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let (sieve, ann) = (Arc::clone(&sieve), ann.clone());
            thread::spawn(move || {
                for number in 0..60 {
                    let user = match number % 2 {
                        0 => ann.clone(),
                        _ => format!("made_up_{thread}_{number}"),
                    };
                    sieve.refuses(&user, &format!("wrong {thread} {number}"));
                }
            })
        })
        .collect();
    while threads.iter().any(|one| !one.is_finished()) {
        assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
        assert_eq!(who(&mut open).0, ann);
    }
    for one in threads {
        one.join().unwrap();
    }
    let settled = until(|| {
        let pooled = sieve.stack.metric_sum("pgsieve_pool_connections", &[]);
        (pooled <= 2.0).then_some(())
    });
    assert!(settled.is_some(), "{}", sieve.stack.get("/metrics").1);
    assert!(sieve.logins(&ann) <= 3, "{}", sieve.logins(&ann));
}
