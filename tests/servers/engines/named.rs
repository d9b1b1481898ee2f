//! `upstream.engine`: an engine that is named is held to it, and one that is exchanged is noticed.

use super::{READ, before, before_url, log_in, told};
use crate::support::command::pgsieve;
use crate::support::raw::rows;
use crate::support::recorded_peer::RecordedPeer;
use crate::support::{APP, Options, RawClient, Stack, until};

#[test]
fn another_engine_than_the_one_that_is_named_is_refused_with_both_names() {
    for (file, named, found) in [
        ("cockroachdb.txt", "postgres", "CockroachDB"),
        ("yugabytedb.txt", "cockroachdb", "YugabyteDB"),
        ("aurora_writer.txt", "citus", "Amazon Aurora"),
    ] {
        let peer = RecordedPeer::start(file);
        let stack = before(
            &[&peer],
            &format!("  engine: {named}\n"),
            "policy:\n  file: bi\n",
        );
        let (code, message) = told(&log_in(&stack).err().expect("no session"));
        assert_eq!(code, "08004", "{message}");
        assert!(message.contains(found), "{message}");
        let log = stack.stderr();
        let words = format!("upstream.engine is {named}, and the server is {found}");
        assert!(log.contains(&words), "{log}");
        peer.check_answered();
    }
}

#[test]
fn the_engine_that_is_named_is_served() {
    for (file, named) in [
        ("cockroachdb.txt", "cockroachdb"),
        ("yugabytedb.txt", "yugabytedb"),
        ("aurora_writer.txt", "aurora"),
    ] {
        let peer = RecordedPeer::start(file);
        let catalog = "catalog:\n  mode: \"off\"\n";
        let stack = before(&[&peer], &format!("  engine: {named}\n"), catalog);
        let mut client = log_in(&stack).expect("a session");
        assert_eq!(rows(&client.query(READ)).len(), 1, "{file}");
        peer.check_answered();
    }
}

#[test]
fn a_postgres_is_none_of_the_others() {
    for named in ["citus", "cockroachdb", "yugabytedb", "aurora"] {
        let config = format!(
            "upstream:\n  url: {{upstream}}\n  engine: {named}\nlisten: {{listen}}\n\
             admin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\npolicy:\n  file: bi\n"
        );
        let stack = Stack::start(Options {
            config: Some(config),
            ..Options::default()
        });
        let error = RawClient::try_login(stack.proxied_address(), &stack.login(APP));
        let (code, message) = told(&error.err().expect("no session"));
        assert_eq!(code, "08004", "{message}");
        assert!(message.contains("the database is PostgreSQL"), "{message}");
    }
}

/// What a balancer leads to is found out anew by what each login reports.
#[test]
fn a_server_that_is_exchanged_is_judged_by_what_it_is_now() {
    let peer = RecordedPeer::start("yugabytedb.txt");
    let stack = before(&[&peer], "", "");
    let bits = "SELECT b'1'";
    let mut earlier = log_in(&stack).expect("a session");
    assert_eq!(rows(&earlier.query(bits)), ["1"]);
    peer.becomes("cockroachdb.txt", &[]);
    let mut client = log_in(&stack).expect("a session");
    let refused = client.query(bits);
    let error = refused
        .iter()
        .find(|frame| frame.kind == b'E')
        .expect("an error");
    assert_eq!(told(error).0, "0A000");
    // The session that was there before is where it was.
    assert_eq!(rows(&earlier.query(bits)), ["1"]);
    let words = "is CockroachDB, engine cockroachdb";
    assert!(until(|| stack.stderr().contains(words).then_some(())).is_some());
    peer.check_answered();
}

#[test]
fn a_server_that_is_exchanged_for_another_engine_than_is_named_is_refused() {
    let peer = RecordedPeer::start("yugabytedb.txt");
    let stack = before(&[&peer], "  engine: yugabytedb\n", "");
    log_in(&stack).expect("a session");
    peer.becomes("cockroachdb.txt", &[]);
    let (_, message) = told(&log_in(&stack).err().expect("no session"));
    assert!(
        message.contains("CockroachDB") && message.contains("YugabyteDB"),
        "{message}"
    );
    peer.becomes("yugabytedb.txt", &[]);
    log_in(&stack).expect("a session again");
}

/// What a server does not report, it is asked once.
#[test]
fn an_engine_is_asked_for_until_it_is_known() {
    let peer = RecordedPeer::start("aurora_writer.txt");
    let stack = before(&[&peer], "", "");
    for _ in 0..4 {
        log_in(&stack).expect("a session");
    }
    let asked = peer.asked();
    let questions = asked
        .iter()
        .filter(|asked| asked.contains("rds.extensions"));
    assert_eq!(questions.count(), 1, "{asked:#?}");
}

#[test]
fn connections_that_do_not_tell_what_is_set_are_not_shared() {
    let peer = RecordedPeer::start("cockroachdb.txt");
    let url = format!("postgres://app@127.0.0.1:{}/bank", peer.port());
    let pool = "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 2\n";
    let stack = before_url(&url, "", pool);
    let (code, message) = told(&log_in(&stack).err().expect("no session"));
    assert_eq!(code, "0A000", "{message}");
    assert!(
        message.contains("cannot share connections to CockroachDB"),
        "{message}"
    );
}

/// What holds of the mode of all holds of that of one database.
#[test]
fn one_database_may_share_nothing_where_others_do_and_the_other_way() {
    for (all, own, is_served) in [
        ("transaction", "session", true),
        ("session", "transaction", false),
    ] {
        let peer = RecordedPeer::start("cockroachdb.txt");
        let there = format!("postgres://127.0.0.1:{}/?sslmode=disable", peer.port());
        let others = format!(
            "databases: [{{name: bank, url: '{there}', pool_mode: {own}}}]\n\
             client:\n  auth:\n    method: trust\npool:\n  mode: {all}\n  size: 2\n"
        );
        let elsewhere = format!("postgres://app@127.0.0.1:{}/x", peer.port());
        let stack = before_url(&elsewhere, "", &others);
        match log_in(&stack) {
            Ok(mut client) => assert_eq!((rows(&client.query(READ)).len(), is_served), (1, true)),
            Err(error) => {
                assert_eq!((told(&error).0.as_str(), is_served), ("0A000", false));
                let hint = error.field(b'H').unwrap_or_default();
                assert!(hint.contains("pool_mode of the database"), "{hint}");
            }
        }
        let config = stack.folder().join("pgsieve.yaml");
        let checked = pgsieve(
            &["serve", "--check", "--config", config.to_str().unwrap()],
            "",
        );
        let said = String::from_utf8_lossy(&checked.stderr);
        // The other database is at the same server, in the mode of all.
        let [at_url, at_entry] = ["upstream.url", "databases 127.0.0.1"].map(|key| {
            let mut lines = said.lines();
            lines.any(|line| line.contains(key) && line.contains("cannot share"))
        });
        assert_eq!((at_url, at_entry), (is_served, !is_served), "{said}");
    }
}

#[test]
fn the_doctor_says_what_holds_at_an_engine_that_it_cannot_examine() {
    for (file, words) in [
        (
            "cockroachdb.txt",
            ["it is CockroachDB (crdb_version", "rule engine_syntax"],
        ),
        (
            "yugabytedb.txt",
            ["it is YugabyteDB (-YB-", "Postgres's own lexer"],
        ),
    ] {
        let peer = RecordedPeer::start(file);
        let url = format!(
            "postgres://app@127.0.0.1:{}/bank?sslmode=disable",
            peer.port()
        );
        let told = pgsieve(&["doctor", "--upstream", &url], "");
        let text = String::from_utf8_lossy(&told.stderr);
        assert_eq!(told.status.code(), Some(2), "{text}");
        for words in words {
            assert!(text.contains(words), "{file}: {text}");
        }
        peer.check_answered();
    }
}
