//! A server that nothing is heard of any more, with its connections open: it is stopped, or the
//! network is parted.

use std::time::{Duration, Instant};

use super::{ServerSignal, Servers, asked, login, port_of, signal};
use crate::support::raw::{kinds, values};
use crate::support::switch::Switch;
use crate::support::{RawClient, Stack, frames, until};

const SHARED: &str = "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 8\n";

/// Long at a standby, at once at the primary.
const SLOW: &str = "SELECT 42, CASE WHEN pg_is_in_recovery() THEN (SELECT count(*) FROM \
                    generate_series(1, 100000000)) END";

fn stack(servers: &Servers, standby: &str, settings: &str) -> Stack {
    let hosts = format!("127.0.0.1:{},{standby}", servers.primary.port());
    let stack = servers.stack_of("postgres:postgres@", &hosts, "", settings);
    asked(&stack, &[standby.to_owned()]);
    stack
}

/// Statements that were under way and statements that come are answered by another server, within
/// seconds; what arrives late is nobody's answer.
fn heals(stack: &Stack, servers: &Servers, part: impl FnOnce(), heal: impl FnOnce()) {
    let mut working: Vec<RawClient> = (0..3).map(|_| login(stack).unwrap()).collect();
    let mut resting: Vec<RawClient> = (0..3).map(|_| login(stack).unwrap()).collect();
    let mut inside = login(stack).unwrap();
    for client in working.iter_mut().chain(&mut resting).chain([&mut inside]) {
        assert_eq!(port_of(client), servers.port(0));
    }
    assert_eq!(kinds(&resting[0].query("SET work_mem = '321kB'")), "CZ");
    // What is set has to be known: it is read off the connection before the next statement.
    assert_eq!(values(&resting[0].query("SHOW work_mem")), [["321kB"]]);
    assert_eq!(kinds(&inside.query("BEGIN")), "CZ");
    working[0].send(&frames::query(SLOW));
    working[1].send(&frames::extended(SLOW, &[], false));
    part();
    // These are on their way when it happens.
    working[2].send(&frames::query("SELECT 42, 'late'"));
    inside.send(&frames::query("SELECT 1"));
    let since = Instant::now();
    for client in &mut resting {
        let answer = client.query("SELECT 42");
        assert_eq!(values(&answer), [["42"]], "{answer:?}");
        assert_eq!(port_of(client), servers.primary.port());
    }
    for client in &mut working {
        let answer = client.until_ready();
        assert_eq!(values(&answer)[0][0], "42", "{answer:?}");
        assert_eq!(port_of(client), servers.primary.port());
    }
    let took = since.elapsed();
    println!("healed after {took:?}");
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert_eq!(values(&resting[0].query("SHOW work_mem")), [["321kB"]]);
    heal();
    // A transaction has waited for its own.
    assert_eq!(values(&inside.until_ready()), [["1"]]);
    assert_eq!(kinds(&inside.query("COMMIT")), "CZ");
    for (number, client) in working.iter_mut().chain(&mut resting).enumerate() {
        let back = until(|| (port_of(client) == servers.port(0)).then_some(()));
        assert!(back.is_some(), "{}", stack.stderr());
        let answer = client.query(&format!("SELECT {number}"));
        assert_eq!(values(&answer), [[number.to_string()]]);
    }
}

#[test]
fn a_parted_network_is_healed_by_the_other_servers() {
    let servers = Servers::start(1);
    let switch = Switch::to(&[servers.port(0)]);
    let stack = stack(&servers, &switch.address().to_string(), SHARED);
    heals(
        &stack,
        &servers,
        || switch.hold(true),
        || switch.hold(false),
    );
}

#[test]
fn a_server_that_is_stopped_with_its_connections_is_left() {
    let servers = Servers::start(1);
    let address = format!("127.0.0.1:{}", servers.port(0));
    let stack = stack(&servers, &address, SHARED);
    let standby = &servers.standbys[0];
    let part = || signal(standby, ServerSignal::Stop);
    heals(&stack, &servers, part, || {
        signal(standby, ServerSignal::Continue)
    });
}

/// As long as the server answers, a statement may take its time.
#[test]
fn a_server_that_answers_others_is_not_left() {
    let servers = Servers::start(1);
    let address = format!("127.0.0.1:{}", servers.port(0));
    let stack = stack(&servers, &address, SHARED);
    let mut client = login(&stack).unwrap();
    let mut rows = 4_000_000;
    // Longer than a silent server is waited for.
    let long = until(|| {
        let since = Instant::now();
        let count = format!("SELECT pg_is_in_recovery(), count(*) FROM generate_series(1, {rows})");
        let answer = client.query(&count);
        assert_eq!(values(&answer), [["t".to_owned(), rows.to_string()]]);
        // Next time for so long, and not for as long as a statement may take at the most.
        let wanted = Duration::from_secs(14).as_millis() / since.elapsed().as_millis().max(1);
        rows *= u32::try_from(wanted).unwrap_or(4).clamp(2, 4);
        (since.elapsed() > Duration::from_secs(10)).then_some(())
    });
    assert!(long.is_some());
    assert_eq!(
        stack.metric("pgsieve_pool_moves_total{reason=\"lost\"}"),
        0.0
    );
}
