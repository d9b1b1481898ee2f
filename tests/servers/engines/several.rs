//! Several servers of an engine: looks at them, which one a session goes to, and that they are of
//! one engine.

use std::time::Duration;

use super::{READ, before_url, log_in, told};
use crate::support::raw::rows;
use crate::support::recorded_peer::RecordedPeer;
use crate::support::{Stack, until};

fn with_account(peers: &[&RecordedPeer], upstream: &str) -> Stack {
    let hosts: Vec<String> = peers
        .iter()
        .map(|it| format!("127.0.0.1:{}", it.port()))
        .collect();
    let url = format!("postgres://app@{}/bank", hosts.join(","));
    // Each client is itself; the account looks.
    before_url(&url, upstream, "catalog:\n  mode: \"off\"\n")
}

/// How often it was asked something with these words in it.
fn count(peer: &RecordedPeer, words: &str) -> usize {
    peer.asked()
        .iter()
        .filter(|asked| asked.contains(words))
        .count()
}

/// Waits until it was asked that so often.
#[track_caller]
fn wait(peer: &RecordedPeer, words: &str, times: usize) {
    let asked = until(|| (count(peer, words) >= times).then_some(()));
    assert!(asked.is_some(), "{words}: {:#?}", peer.asked());
}

#[test]
fn nodes_of_cockroachdb_are_looked_at_without_a_login_for_each_look() {
    let (one, other) = (
        RecordedPeer::start("cockroachdb.txt"),
        RecordedPeer::start("cockroachdb.txt"),
    );
    let stack = with_account(&[&one, &other], "");
    for peer in [&one, &other] {
        wait(peer, "SELECT 'f', '0', NULL", 3);
        // One that looks, and one that has looked at the roles, in vain.
        assert!(peer.logins() <= 2, "{}", peer.logins());
        peer.check_answered();
    }
    let mut client = log_in(&stack).expect("a session");
    assert_eq!(rows(&client.query(READ)), ["7"]);
}

#[test]
fn a_reader_of_aurora_is_told_from_its_writer_and_preferred() {
    let (writer, reader) = (
        RecordedPeer::start("aurora_writer.txt"),
        RecordedPeer::start("aurora_reader.txt"),
    );
    let stack = with_account(&[&writer, &reader], "  engine: aurora\n");
    for peer in [&writer, &reader] {
        wait(peer, "aurora_replica_status()", 2);
        assert_eq!(count(peer, "pg_last_wal"), 0);
        peer.check_answered();
    }
    let behind = || stack.metric_sum("pgsieve_upstream_is_standby", &[]);
    assert!(until(|| (behind() > 0.0).then_some(())).is_some());
    let mut client = log_in(&stack).expect("a session");
    assert_eq!(rows(&client.query(READ)), ["reader"]);
}

/// A position in the log says nothing there: whoever names one goes to the writer.
#[test]
fn a_reader_of_aurora_has_replayed_nothing_that_is_named() {
    let (writer, reader) = (
        RecordedPeer::start("aurora_writer.txt"),
        RecordedPeer::start("aurora_reader.txt"),
    );
    let upstream = "  engine: aurora\n  targets: standby\n  min_lsn_wait: 100ms\n";
    let stack = with_account(&[&writer, &reader], upstream);
    wait(&reader, "aurora_replica_status()", 2);
    let mut client = log_in(&stack).expect("a session");
    assert_eq!(rows(&client.query(READ)), ["reader"]);
    client.query("SET pgsieve.min_lsn = '1/0'");
    let refused = client.query(READ);
    let error = refused.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("{refused:?}"));
    assert_eq!(told(error).0, "57014");
}

#[test]
fn servers_with_the_same_contents_are_of_one_engine() {
    let (one, other) = (
        RecordedPeer::start("yugabytedb.txt"),
        RecordedPeer::start("cockroachdb.txt"),
    );
    let stack = with_account(&[&one, &other], "");
    let mixed = || {
        std::thread::sleep(Duration::from_millis(100));
        let _one_of_both = log_in(&stack);
        stack.stderr().contains("are of one engine").then_some(())
    };
    assert!(until(mixed).is_some(), "{}", stack.stderr());
}
