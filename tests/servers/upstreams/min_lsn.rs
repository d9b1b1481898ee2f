//! Reads see what was written elsewhere before, where their client names that in `pgsieve.min_lsn`:
//! they wait for their standby, go to a server that has it, or are refused.

use std::thread;
use std::time::Duration;

use super::{Servers, asked, login, port_of};
use crate::support::raw::{Frame, kinds, values};
use crate::support::{RawClient, Stack, frames, sql, until};

const SHARED: &str = "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 8\n";

const OWN: &str = "client:\n  auth:\n    method: trust\npool:\n  mode: session\n\
                   audit:\n  to: {audit}\n";

const READ: &str = "SELECT max(n) AS newest FROM written";

/// Writes beside pgsieve, and says where that stands. Commits are not flushed at once there.
fn write(servers: &Servers, stack: &Stack, number: u32) -> String {
    let url = servers
        .primary
        .url("postgres", "postgres", stack.database());
    let insert = format!("INSERT INTO written VALUES ({number})");
    sql::run_blocking(
        &url,
        &["CREATE TABLE IF NOT EXISTS written (n int)", &insert],
    );
    let position = "SELECT pg_current_wal_insert_lsn()::text";
    sql::block_on(async { sql::rows(&sql::connected(&url).await, position).await })[0][0].clone()
}

/// Waits until a standby has that row, which is not paused.
fn follows(servers: &Servers, stack: &Stack, standby: usize, number: u32) {
    let url = servers.standbys[standby].url("postgres", "postgres", stack.database());
    let has_it = || {
        let found = sql::block_on(async {
            let client = sql::connect(&url).await.ok()?;
            let _table = client.simple_query(READ).await.ok()?;
            Some(sql::rows(&client, READ).await)
        });
        (found?[0][0] == number.to_string()).then_some(())
    };
    until(has_it).expect("it follows");
}

fn pause(servers: &Servers, standby: usize) {
    servers.at(standby, "SELECT pg_wal_replay_pause()");
    let url = servers.standbys[standby].url("postgres", "postgres", "postgres");
    let paused = "SELECT pg_get_wal_replay_pause_state()";
    let is_paused = || {
        let told = sql::block_on(async { sql::rows(&sql::connected(&url).await, paused).await });
        (told[0][0] == "paused").then_some(())
    };
    until(is_paused).expect("it pauses");
}

fn resume(servers: &Servers, standby: usize) {
    servers.at(standby, "SELECT pg_wal_replay_resume()");
}

fn name(client: &mut RawClient, lsn: &str) {
    let answer = client.query(&format!("SET pgsieve.min_lsn = '{lsn}'"));
    assert_eq!(kinds(&answer).replace('S', ""), "CZ", "{answer:?}");
}

fn number(answer: &[Frame]) -> String {
    let rows = values(answer);
    let first = rows.first().and_then(|row| row.first()).cloned();
    first.unwrap_or_else(|| panic!("{answer:?}"))
}

fn refused(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("not refused: {answer:?}"));
    assert_eq!(error.sqlstate(), "57014", "{answer:?}");
    error.field(b'M').unwrap()
}

/// A session on shared connections: first it waits, then it goes where it is.
#[test]
fn a_read_goes_to_a_server_that_has_what_its_client_names() {
    let servers = Servers::start(2);
    let upstream = "  min_lsn_wait: 300ms\n";
    let stack = servers.stack_as("postgres:postgres@", upstream, SHARED);
    asked(&stack, &servers.addresses());
    write(&servers, &stack, 1);
    follows(&servers, &stack, 0, 1);
    follows(&servers, &stack, 1, 1);
    // One standby has it and the other has not.
    pause(&servers, 0);
    let lsn = write(&servers, &stack, 2);
    follows(&servers, &stack, 1, 2);
    let mut clients: Vec<RawClient> = (0..6).map(|_| login(&stack).unwrap()).collect();
    for (at, client) in clients.iter_mut().enumerate() {
        client.send(&[frames::parse("mine", READ), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()).replace('S', ""), "1Z");
        name(client, &lsn);
        match at % 3 {
            0 => client.send(&frames::query(READ)),
            1 => client.send(&frames::extended(READ, &[], false)),
            _ => {
                let bind = frames::bind("", "mine", &[], false);
                client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
            }
        }
        assert_eq!(number(&client.until_ready()), "2");
        assert_eq!(port_of(client), servers.port(1));
    }
    // Neither has it: the primary has, as long as that is so.
    pause(&servers, 1);
    let lsn = write(&servers, &stack, 3);
    for client in &mut clients {
        name(client, &lsn);
        assert_eq!(number(&client.query(READ)), "3");
        assert_eq!(port_of(client), servers.primary.port());
    }
    // Who names nothing stays at a standby.
    let mut careless = login(&stack).unwrap();
    assert_ne!(port_of(&mut careless), servers.primary.port());
    assert_eq!(
        kinds(&clients[0].query("RESET pgsieve.min_lsn")).replace('S', ""),
        "CZ"
    );
    let back = until(|| (port_of(&mut clients[0]) != servers.primary.port()).then_some(()));
    assert!(back.is_some());
    resume(&servers, 1);
    for client in &mut clients[1..] {
        let back = until(|| (port_of(client) == servers.port(1)).then_some(()));
        assert!(back.is_some(), "{}", stack.stderr());
        assert_eq!(number(&client.query(READ)), "3");
    }
    // What is being set is not known yet, and no reason for an older answer.
    let client = &mut clients[0];
    let pipeline = [
        frames::query(&format!("SET pgsieve.min_lsn = '{lsn}'")),
        frames::query(READ),
    ];
    client.send(&pipeline.concat());
    assert_eq!(kinds(&client.until_ready()).replace('S', ""), "CZ");
    let answer = client.until_ready();
    // Unless it was known by then.
    if kinds(&answer).contains('E') {
        assert!(refused(&answer).contains("is being set"));
    } else {
        assert_eq!(number(&answer), "3");
    }
    assert_eq!(number(&client.query(READ)), "3");
    for wrong in ["'1'", "'1/x'", "1.5", "'0/1', '0/2'"] {
        let answer = client.query(&format!("SET pgsieve.min_lsn = {wrong}"));
        assert_eq!(answer[0].sqlstate(), "22023", "{wrong}");
    }
}

/// A session with a connection of its own stays where it is.
#[test]
fn a_read_waits_for_its_standby_and_is_refused_in_the_end() {
    let servers = Servers::start(1);
    let upstream = "  targets: standby\n  min_lsn_wait: 1s\n";
    let stack = servers.stack_as("postgres:postgres@", upstream, OWN);
    asked(&stack, &servers.addresses());
    write(&servers, &stack, 1);
    follows(&servers, &stack, 0, 1);
    let mut client = login(&stack).unwrap();
    assert_eq!(port_of(&mut client), servers.port(0));
    pause(&servers, 0);
    let lsn = write(&servers, &stack, 2);
    name(&mut client, &lsn);
    let told = refused(&client.query(READ));
    assert!(
        told.contains("has not replayed") && told.contains(&lsn),
        "{told}"
    );
    client.send(&frames::extended(READ, &[], false));
    refused(&client.until_ready());
    // Nothing but reads waits, and a transaction fails as by any error.
    assert_eq!(kinds(&client.query("BEGIN")), "CZ");
    refused(&client.query(READ));
    let failed = client.query("SELECT 1");
    assert_eq!(failed[0].sqlstate(), "25P02", "{failed:?}");
    assert_eq!(kinds(&client.query("ROLLBACK")), "CZ");
    assert_eq!(kinds(&client.query("RESET pgsieve.min_lsn")), "CZ");
    assert_eq!(number(&client.query(READ)), "1");
    // The setting may be as long as the transaction.
    assert_eq!(kinds(&client.query("BEGIN")), "CZ");
    assert_eq!(
        kinds(&client.query(&format!("SET LOCAL pgsieve.min_lsn = '{lsn}'"))),
        "CZ"
    );
    refused(&client.query(READ));
    assert_eq!(kinds(&client.query("ROLLBACK")), "CZ");
    assert_eq!(number(&client.query(READ)), "1");
    stack.audited(|event| event["rule"] == "min_lsn");
    // It waits, and sees what it has waited for.
    name(&mut client, &lsn);
    thread::scope(|scope| {
        let resumed = scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            resume(&servers, 0);
        });
        let seen = until(|| {
            let answer = client.query(READ);
            (!kinds(&answer).contains('E')).then(|| number(&answer))
        });
        assert_eq!(seen.as_deref(), Some("2"));
        resumed.join().unwrap();
    });
    assert_eq!(port_of(&mut client), servers.port(0));
}

/// Behind one address pgsieve asks nobody: a primary has it, of a standby it is not known.
#[test]
fn one_server_alone_has_it_where_it_is_a_primary() {
    let servers = Servers::start(1);
    for (port, expected) in [(servers.primary.port(), true), (servers.port(0), false)] {
        let host = format!("127.0.0.1:{port}");
        let stack = servers.stack_of("postgres:postgres@", &host, "", SHARED);
        let lsn = write(&servers, &stack, 1);
        follows(&servers, &stack, 0, 1);
        let mut client = login(&stack).unwrap();
        name(&mut client, &lsn);
        let answer = client.query(READ);
        match expected {
            true => assert_eq!(number(&answer), "1"),
            false => assert!(refused(&answer).contains("not known"), "{answer:?}"),
        }
    }
}
