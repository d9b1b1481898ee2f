//! Cancels, errors and the end of the server, where connections are shared.

use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use super::{client, stack};
use crate::support::raw::{kinds, rows};
use crate::support::{RawClient, Stack, frames, until};

fn cancel(stack: &Stack, key: &(i32, Vec<u8>)) {
    let stream = TcpStream::connect(stack.proxied_address()).unwrap();
    let mut canceller = RawClient::over(stream);
    canceller.send(&frames::cancel_request(key.0, &key.1));
    canceller.until_closed();
}

/// A statement of some seconds.
const LONG: &str = "SELECT count(*) FROM generate_series(1, 100000000) AS g";

#[test]
fn a_cancel_reaches_its_own_client_s_statement_and_no_other() {
    let stack = stack(2);
    let (mut one, mut other) = (client(&stack), client(&stack));
    let (key, others) = (one.key.clone().unwrap(), other.key.clone().unwrap());
    for _ in 0..3 {
        one.send(&frames::query(LONG));
        other.send(&frames::query("SELECT pg_backend_pid()"));
        assert_eq!(kinds(&other.until_ready()), "TDCZ");
        let running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE \
                       '%100000000%' AND pid <> pg_backend_pid()";
        until(|| (rows(&other.query(running)) == ["1"]).then_some(())).unwrap();
        // That of a client that has no connection now is nobody's.
        cancel(&stack, &others);
        cancel(&stack, &key);
        let answer = one.until_ready();
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        assert_eq!(error.sqlstate(), "57014");
        assert_eq!(rows(&one.query("SELECT 1")), ["1"]);
        assert_eq!(rows(&other.query("SELECT 2")), ["2"]);
    }
}

/// Cancels that come when a statement is over never meet the next client's.
#[test]
fn late_cancels_meet_nobody() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    let key = one.key.clone().unwrap();
    let address = stack.proxied_address();
    let flood = thread::spawn(move || {
        for _ in 0..60 {
            let mut canceller = RawClient::over(TcpStream::connect(address).unwrap());
            canceller.send(&frames::cancel_request(key.0, &key.1));
            canceller.until_closed();
        }
    });
    let zones = ["Asia/Tokyo", "America/New_York"];
    for zone in zones.iter().cycle() {
        if flood.is_finished() {
            break;
        }
        // What was set is there, also where a cancel has cost the connection: unless it has met
        // the SET itself.
        let is_set = kinds(&one.query(&format!("SET timezone = '{zone}'"))).contains('C');
        let shown = one.query("SHOW timezone");
        assert!(
            !is_set || kinds(&shown).contains('E') || rows(&shown) == [*zone],
            "{shown:?}"
        );
        let answer = other.query("SELECT count(*) FROM generate_series(1, 20000) AS g");
        assert_eq!(rows(&answer), ["20000"], "{answer:?}");
    }
    flood.join().unwrap();
}

#[test]
fn an_error_leaves_nothing_to_the_next_client() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    for _ in 0..3 {
        assert_eq!(one.query("SELECT 1/0")[0].sqlstate(), "22012");
        assert_eq!(one.query("DELETE FROM pg_class")[0].sqlstate(), "25006");
        assert_eq!(rows(&other.query("SELECT 2")), ["2"]);
        one.send(&[frames::parse("", "SELECT 1/0"), frames::sync()].concat());
        one.until_ready();
        assert_eq!(rows(&other.query("SELECT 2")), ["2"]);
    }
}

#[test]
fn a_statement_that_waits_for_a_connection_is_answered() {
    let stack = stack(1);
    let mut holds = client(&stack);
    holds.query("BEGIN");
    let mut waits = client_later(&stack, &mut holds);
    waits.send(&frames::query("SELECT 3"));
    thread::sleep(Duration::from_millis(200));
    holds.query("BEGIN");
    thread::sleep(Duration::from_millis(200));
    holds.query("COMMIT");
    assert_eq!(rows(&waits.until_ready()), ["3"]);
}

/// A client that logs in while another one has no transaction open.
fn client_later(stack: &Stack, holds: &mut RawClient) -> RawClient {
    holds.query("COMMIT");
    client(stack)
}
