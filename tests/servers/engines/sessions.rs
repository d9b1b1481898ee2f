//! A client's session before each engine: it logs in, reads, and is refused what it may not.

use super::{READ, before, log_in, told};
use crate::support::raw::{kinds, rows};
use crate::support::recorded_peer::RecordedPeer;
use crate::support::{frames, until};

/// What no session may have sent.
const WRITES: [&str; 6] = [
    "DELETE FROM accounts",
    "SELECT nextval('s')",
    "UPSERT INTO accounts VALUES (1)",
    "SET default_transaction_read_only = off; DELETE FROM accounts",
    "SELECT crdb_internal.force_retry('1s')",
    "SELECT yb_cancel_transaction('x')",
];

fn check_session(file: &str) {
    let peer = RecordedPeer::start(file);
    let stack = before(&[&peer], "", "");
    let mut client = log_in(&stack).expect("a session");
    assert_eq!(rows(&client.query(READ)).len(), 1, "{file}");
    // The same by the extended protocol.
    client.send(&frames::extended(READ, &[], false));
    assert!(kinds(&client.until_ready()).contains('D'), "{file}");
    for sql in WRITES {
        let answer = client.query(sql);
        let is_error = answer.iter().any(|frame| frame.kind == b'E');
        assert!(is_error, "{file}: {sql}: {}", kinds(&answer));
    }
    // A write that is asked for in a block is refused there too, and the session goes on.
    client.query("BEGIN READ WRITE");
    client.query("ROLLBACK");
    assert_eq!(rows(&client.query(READ)).len(), 1, "{file}");
    let asked = peer.asked();
    let written = |asked: &&String| {
        [
            "DELETE",
            "nextval",
            "UPSERT",
            "crdb_internal",
            "yb_cancel",
            " off",
        ]
        .iter()
        .any(|word| asked.contains(word))
    };
    assert_eq!(asked.iter().find(written), None, "{file}");
    assert_eq!(stack.metric_sum("pgsieve_tripwires_total", &[]), 0.0);
    peer.check_answered();
}

#[test]
fn cockroachdb() {
    check_session("cockroachdb.txt");
}

#[test]
fn yugabytedb() {
    check_session("yugabytedb.txt");
}

#[test]
fn a_session_is_read_only_from_its_startup_packet_or_is_none() {
    for file in ["cockroachdb.txt", "yugabytedb.txt", "aurora_writer.txt"] {
        // Something between drops the parameter, or the server does not mean it.
        let peer = RecordedPeer::start(file);
        peer.becomes(file, &["ask\tSHOW transaction_read_only\trow\toff"]);
        let stack = before(&[&peer], "", "");
        let error = log_in(&stack).err().expect("no session");
        let (code, message) = told(&error);
        assert_eq!(code, "08004", "{file}");
        assert!(message.contains("not read-only"), "{file}: {message}");
        peer.check_answered();
    }
}

#[test]
fn what_the_engine_would_read_otherwise_is_not_sent() {
    let peer = RecordedPeer::start("cockroachdb.txt");
    let stack = before(&[&peer], "", "");
    let mut client = log_in(&stack).expect("a session");
    let before = peer.asked().len();
    for sql in [
        "SELECT b'\\', '; DELETE FROM t; --'",
        "SELECT 1 --\r + length('\n ; DELETE FROM t; --')",
        "SELECT a #-- - 1; DELETE FROM t;\n(SELECT 1) FROM t",
        "SHOW jobs",
        "RESET ALL",
    ] {
        let answer = client.query(sql);
        let error = answer.iter().find(|frame| frame.kind == b'E').expect(sql);
        let (code, message) = told(error);
        assert_eq!(code, "0A000", "{sql}");
        assert!(message.contains("CockroachDB"), "{message}");
    }
    assert_eq!(peer.asked().len(), before);
    // Its tags are not those of writes.
    for sql in [
        "EXPLAIN SELECT 1",
        "SET TRANSACTION READ ONLY",
        "SHOW crdb_version",
    ] {
        assert!(!kinds(&client.query(sql)).contains('E'), "{sql}");
    }
    assert!(!client.query(READ).is_empty());
    assert_eq!(stack.metric_sum("pgsieve_tripwires_total", &[]), 0.0);
    peer.check_answered();
}

#[test]
fn an_engine_made_of_postgres_is_sent_what_postgres_reads() {
    let peer = RecordedPeer::start("yugabytedb.txt");
    let stack = before(&[&peer], "", "");
    let mut client = log_in(&stack).expect("a session");
    assert_eq!(rows(&client.query("SELECT b'1'")), ["1"]);
    peer.check_answered();
}

#[test]
fn what_cannot_be_read_only_is_not_served_and_not_ready() {
    let peer = RecordedPeer::start("redshift.txt");
    let stack = before(&[&peer], "", "");
    for _ in 0..2 {
        let error = log_in(&stack).err().expect("no session");
        let (code, message) = told(&error);
        assert_eq!(code, "0A000", "{message}");
        assert!(message.contains("Amazon Redshift"), "{message}");
    }
    assert!(peer.asked().is_empty(), "{:?}", peer.asked());
    let unready = until(|| (stack.get("/readyz").0 == 503).then_some(()));
    assert!(unready.is_some());
    let log = stack.stderr();
    assert!(log.contains("Amazon Redshift is not served"), "{log}");
}

#[test]
fn it_is_logged_which_engine_it_is_and_what_differs() {
    for (file, words) in [
        ("cockroachdb.txt", "is CockroachDB, engine cockroachdb: "),
        ("yugabytedb.txt", "names: not seen"),
        ("aurora_writer.txt", "aurora_replica_status()"),
    ] {
        let peer = RecordedPeer::start(file);
        let stack = before(&[&peer], "", "");
        let _session = log_in(&stack).expect("a session");
        let told = until(|| stack.stderr().contains(words).then_some(()));
        assert!(told.is_some(), "{file}: {}", stack.stderr());
        assert_eq!(stack.get("/readyz").0, 200, "{file}");
    }
}
