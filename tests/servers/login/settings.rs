//! What a startup packet asks for besides user and database.

use std::io::{Read, Write};

use crate::login::raw::{check_fatal, connect, message, rest, session, startup};
use crate::login::support::{Setup, Sieve, text};

fn with<'a>(pairs: &[(&'a str, &'a str)]) -> Vec<u8> {
    let who = [("user", "trusty"), ("database", "postgres")];
    startup(3, 0, &[&who[..], pairs].concat())
}

#[test]
fn who_asks_for_a_session_that_writes_gets_one_that_reads() {
    let sieve = Sieve::start(Setup::plain());
    for pairs in [
        [("default_transaction_read_only", "off")],
        [("options", "-c default_transaction_read_only=off")],
        [("options", "-cdefault_transaction_read_only=off")],
        [("options", "--default-transaction-read-only=off")],
        [("options", "-c default_transaction_read_only=o\\ff")],
        [("DEFAULT_TRANSACTION_READ_ONLY", "off")],
        [("transaction_read_only", "off")],
    ] {
        let mut stream = connect(&sieve);
        stream.write_all(&with(&pairs)).unwrap();
        session(&mut stream);
        for setting in ["default_transaction_read_only", "transaction_read_only"] {
            assert_eq!(shown(&mut stream, setting), "on", "{pairs:?}: {setting}");
        }
    }
}

#[test]
fn nothing_makes_the_session_misread() {
    let sieve = Sieve::start(Setup::plain());
    for pairs in [
        [("options", "-c\\ default_transaction_read_only=off")],
        [("role", "postgres")],
        [("session_authorization", "postgres")],
        [("row_security", "off")],
        [("session_replication_role", "replica")],
        [("client_encoding", "SJIS")],
        [("standard_conforming_strings", "off")],
        [("replication", "true")],
        [("replication", "database")],
    ] {
        let mut stream = connect(&sieve);
        stream.write_all(&with(&pairs)).unwrap();
        let answer = rest(&mut stream);
        let shown = String::from_utf8_lossy(&answer);
        assert!(
            answer.starts_with(b"E") && shown.contains("FATAL"),
            "{pairs:?}: {shown:?}"
        );
        assert!(shown.contains("\0Drule: "), "{pairs:?}: {shown:?}");
    }
    sieve.check_metric(&["logins", "refused_settings"], 9.0);
}

#[test]
fn what_drivers_ask_for_is_given() {
    let sieve = Sieve::start(Setup::plain());
    let pairs = [
        ("client_encoding", "'utf-8'"),
        ("DateStyle", "ISO"),
        ("TimeZone", "Europe/Berlin"),
        ("extra_float_digits", "2"),
        ("application_name", "t"),
        ("options", "-c statement_timeout=1000 -c jit=on"),
    ];
    let mut stream = connect(&sieve);
    stream.write_all(&with(&pairs)).unwrap();
    let messages = session(&mut stream);
    let reported: Vec<String> = messages.iter().map(|(_, body)| text(body)).collect();
    for expected in [
        "TimeZone\0Europe/Berlin",
        "application_name\0t",
        "client_encoding\0UTF8",
    ] {
        assert!(
            reported.iter().any(|one| one.starts_with(expected)),
            "{expected}: {reported:?}"
        );
    }
    for (setting, value) in [
        ("statement_timeout", "1s"),
        ("jit", "on"),
        ("extra_float_digits", "2"),
        ("default_transaction_read_only", "on"),
    ] {
        assert_eq!(shown(&mut stream, setting), value, "{setting}");
    }
}

#[test]
fn a_timeout_beyond_the_policy_is_lowered_and_the_client_is_told() {
    let sieve = Sieve::start(Setup::plain());
    let mut stream = connect(&sieve);
    stream
        .write_all(&with(&[("statement_timeout", "0")]))
        .unwrap();
    let mut notices = Vec::new();
    loop {
        let (kind, body) = message(&mut stream);
        match kind {
            b'Z' => break,
            b'N' => notices.push(text(&body)),
            b'E' => panic!("{}", text(&body)),
            _ => {}
        }
    }
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("SNOTICE"), "{notices:?}");
    assert!(notices[0].contains("statement_timeout is set to the most that the policy allows"));
}

#[test]
fn a_startup_without_a_user() {
    let sieve = Sieve::start(Setup::plain());
    let mut stream = connect(&sieve);
    stream
        .write_all(&startup(3, 0, &[("database", "postgres")]))
        .unwrap();
    check_fatal(&rest(&mut stream), "28000");
}

/// What a session shows of a setting.
fn shown(stream: &mut (impl Read + Write), setting: &str) -> String {
    let text_of = format!("SHOW {setting}\0");
    let length = u32::try_from(text_of.len() + 4).unwrap();
    stream
        .write_all(&[b"Q", &length.to_be_bytes()[..], text_of.as_bytes()].concat())
        .unwrap();
    let messages = session(stream);
    let row = messages.iter().find(|(kind, _)| *kind == b'D').unwrap();
    text(&row.1[6..])
}
