//! To which of several servers sessions go.

use std::time::{Duration, Instant};

use super::moves::SHARED;
use super::{ServerSignal, Servers, asked, goes_to, login, port_of, ports, signal};
use crate::support::raw::kinds;
use crate::support::{APP, RawClient, frames, sql, until};

/// Runs until it is cancelled.
pub(super) const LONG: &str = "SELECT count(*) FROM generate_series(1, 1000000000000)";

/// How many of those run.
const RUNNING: &str = "SELECT count(*) FROM pg_stat_activity \
                       WHERE state = 'active' AND query LIKE 'SELECT count(*) FROM generate%'";

/// Standbys first, as evenly as two draws make it, and the primary only where none is left; those
/// that come back are used again.
#[test]
fn standbys_serve_and_the_primary_where_none_is_left() {
    let mut servers = Servers::start(2);
    let stack = servers.stack("", "");
    let (primary, one, other) = (servers.primary.port(), servers.port(0), servers.port(1));
    let shares = |ports: &[u16], port: u16| ports.iter().filter(|own| **own == port).count();
    let at_first = ports(&stack, 24);
    assert_eq!(shares(&at_first, primary), 0, "{at_first:?}");
    assert!(
        shares(&at_first, one).abs_diff(shares(&at_first, other)) <= 8,
        "{at_first:?}"
    );

    let mut held = login(&stack).unwrap();
    let (gone, left) = match port_of(&mut held) == one {
        true => (0, other),
        false => (1, one),
    };
    servers.standbys[gone].crash();
    assert_eq!(
        ports(&stack, 8),
        [left; 8],
        "nobody is told that one is gone"
    );
    servers.standbys[1 - gone].crash();
    assert_eq!(ports(&stack, 3), [primary; 3]);
    assert_eq!(stack.get("/readyz").0, 200);

    servers.standbys[gone].restart().unwrap();
    let back = until(|| goes_to(login(&stack), servers.port(gone)));
    assert!(back.is_some(), "it is used again: {}", stack.stderr());
    assert!(
        stack.stderr().contains(&format!("127.0.0.1:{left}: ")),
        "{}",
        stack.stderr()
    );
}

/// A server that is stuck with slow statements gets no more of the new sessions while another one
/// is idle, however many sessions do nothing there.
#[test]
fn a_server_that_is_busy_gets_fewer_of_the_new_sessions() {
    let servers = Servers::start(2);
    for others in ["", SHARED] {
        let stack = servers.stack_as("postgres:postgres@", "", others);
        asked(&stack, &servers.addresses());
        let (stuck, free) = (servers.port(0), servers.port(1));
        let both = until(|| {
            let seen = ports(&stack, 8);
            (seen.contains(&stuck) && seen.contains(&free)).then_some(())
        });
        assert!(both.is_some(), "{others}: {}", stack.stderr());
        let (mut busy, mut idle) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let mut client = login(&stack).expect("a login");
            match port_of(&mut client) == stuck {
                true => busy.push(client),
                false => idle.push(client),
            }
        }
        assert!(busy.len() >= 3 && idle.len() >= 3, "{}", busy.len());
        for client in &mut busy {
            client.send(&frames::query(LONG));
        }
        let url = servers.standbys[0].url("postgres", "postgres", "postgres");
        let wanted = format!("{}", busy.len());
        let runs = until(|| {
            let rows = sql::block_on(async {
                sql::rows(&sql::connect(&url).await.unwrap(), RUNNING).await
            });
            (rows == [[wanted.clone()]]).then_some(())
        });
        assert!(runs.is_some(), "{others}");
        let next = ports(&stack, 12);
        assert_eq!(next, [free; 12], "{others}");
        // Those that are over count no longer: then the one with fewer sessions is next.
        drop(busy);
        let back = until(|| goes_to(login(&stack), stuck));
        assert!(back.is_some(), "{others}: {}", stack.stderr());
    }
}

/// What a standby shows may be so old and no older.
#[test]
fn a_standby_that_is_far_behind_is_left_until_it_has_caught_up() {
    let servers = Servers::start(1);
    let stack = servers.stack("  lag_max: 500ms\n", "");
    assert_eq!(ports(&stack, 2), [servers.port(0); 2]);
    servers.at(0, "SELECT pg_wal_replay_pause()");
    stack.prepare(&["CREATE TABLE behind (id int)"]);
    let left = until(|| goes_to(login(&stack), servers.primary.port()));
    assert!(left.is_some(), "it is behind");
    servers.at(0, "SELECT pg_wal_replay_resume()");
    let back = until(|| goes_to(login(&stack), servers.port(0)));
    assert!(back.is_some(), "it has caught up");
}

/// Where no server of the wanted kind is there, nobody gets another one.
#[test]
fn a_wanted_kind_of_server_is_that_kind() {
    let mut servers = Servers::start(1);
    let stack = servers.stack("  targets: standby\n", "");
    assert_eq!(ports(&stack, 3), [servers.port(0); 3]);
    servers.standbys[0].crash();
    let refused = RawClient::try_login(stack.proxied_address(), &stack.login(APP));
    let refused = refused.err().expect("no standby is there");
    assert_eq!(refused.sqlstate(), "08001", "{refused:?}");
    assert_eq!(
        until(|| (stack.get("/readyz").0 == 503).then_some(())),
        Some(())
    );
    servers.standbys[0].restart().unwrap();
    assert!(until(|| login(&stack)).is_some());

    let stack = servers.stack("  targets: primary\n", "");
    assert_eq!(ports(&stack, 3), [servers.primary.port(); 3]);
    let stack = servers.stack("  targets: any\n", "");
    let seen = until(|| {
        let seen = ports(&stack, 8);
        (seen.contains(&servers.primary.port()) && seen.contains(&servers.port(0))).then_some(())
    });
    assert!(seen.is_some());
}

/// A server that is stopped takes connections and answers nothing: whoever meets it first waits for
/// a few seconds, and nobody else.
#[test]
fn a_server_that_says_nothing_is_passed_over() {
    let servers = Servers::start(2);
    let stack = servers.stack("", "");
    assert_eq!(ports(&stack, 1).len(), 1);
    signal(&servers.standbys[0], ServerSignal::Stop);
    let since = Instant::now();
    let met = ports(&stack, 6);
    assert_eq!(met, [servers.port(1); 6]);
    assert!(
        since.elapsed() < Duration::from_secs(30),
        "{:?}",
        since.elapsed()
    );
    signal(&servers.standbys[0], ServerSignal::Continue);
    let back = until(|| goes_to(login(&stack), servers.port(0)));
    assert!(back.is_some(), "it is used again");
}

/// After a failover the standby that was promoted is the primary.
#[test]
fn a_promotion_is_noticed() {
    let servers = Servers::start(1);
    let stack = servers.stack("  targets: primary\n", "");
    assert_eq!(ports(&stack, 2), [servers.primary.port(); 2]);
    signal(servers.primary, ServerSignal::Kill);
    servers.at(0, "SELECT pg_promote()");
    let moved = until(|| goes_to(login(&stack), servers.port(0)));
    assert!(moved.is_some(), "{}", stack.stderr());
}

/// Cancels, catalogs and compile connections are those of the session's own server.
#[test]
fn what_belongs_to_a_session_is_at_its_server() {
    let servers = Servers::start(2);
    let stack = servers.stack("", "");
    stack.prepare(&[
        "CREATE TABLE things (identity_number int)",
        "INSERT INTO things VALUES (7)",
    ]);
    for _ in 0..4 {
        let mut client = login(&stack).unwrap();
        let is_seen = until(|| {
            (kinds(&client.query("SELECT identity_number FROM things")) == "TDCZ").then_some(())
        });
        assert!(
            is_seen.is_some(),
            "{:?}",
            client.query("SELECT identity_number FROM things")
        );
        // A repair knows what is there, and is compiled where it runs.
        let repaired = until(|| {
            let answer = client.query("SELECT \"IDENTITY_NUMBER\" FROM things");
            (kinds(&answer) == "TDNCZ").then_some(())
        });
        assert!(repaired.is_some(), "{}", stack.stderr());
        client.send(&frames::query(LONG));
        std::thread::sleep(Duration::from_millis(500));
        let (pid, secret) = client.key.clone().unwrap();
        RawClient::connect(stack.proxied_address()).send(&frames::cancel_request(pid, &secret));
        let answer = client.until_ready();
        let last = &answer[answer.len() - 2];
        assert_eq!(last.sqlstate(), "57014", "{answer:?}");
    }
    let (_, text) = stack.get("/readyz");
    assert!(text.matches(": loaded, age ").count() >= 2, "{text}");
}

/// Without an account of pgsieve's own, what a server is, is heard from sessions.
#[test]
fn without_an_account_servers_are_known_by_their_sessions() {
    let servers = Servers::start(1);
    let stack = servers.stack_as("", "  targets: primary\n", "");
    for _ in 0..3 {
        assert_eq!(ports(&stack, 2), [servers.primary.port(); 2]);
    }
    let stack = servers.stack_as("", "", "");
    let seen = until(|| (ports(&stack, 4) == [servers.port(0); 4]).then_some(()));
    assert!(seen.is_some());
}

/// An account that is refused is not tried every second, and what a server is, is still known.
#[test]
fn a_server_that_refuses_the_account_is_not_asked_again_and_again() {
    let servers = Servers::start(1);
    let stack = servers.stack_as(
        "nobody_there:x@",
        "  targets: primary\n",
        "catalog: {mode: off}\n",
    );
    assert_eq!(ports(&stack, 2), [servers.primary.port(); 2]);
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(ports(&stack, 2), [servers.primary.port(); 2]);
    let log = servers.primary.log();
    let refused = log
        .matches("authentication failed for user \"nobody_there\"")
        .count();
    assert!((1..=2).contains(&refused), "{refused}: {log}");
}
