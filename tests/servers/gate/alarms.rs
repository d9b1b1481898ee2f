//! Alarms: an upstream that says, or shows by what it answers, that it is not read-only gets no
//! further byte of a client's. Postgres does not do that on request, so the upstream is a fake.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::support::raw::{Frame, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

use crate::login::sessions::assert_fatal;

#[test]
fn a_sign_of_a_write_closes_the_session_and_raises_the_alarm() {
    let setting =
        |name: &str, value: &str| frames::message(b'S', format!("{name}\0{value}\0").as_bytes());
    let tag = |text: &str| frames::message(b'C', &frames::zero_ended(text));
    let cases: [(&str, Vec<u8>); 8] = [
        ("write_tag", [tag("INSERT 0 1"), ready()].concat()),
        ("write_tag", [tag("SELECT INTO"), ready()].concat()),
        (
            "read_only_reported_off",
            [
                answered("1"),
                setting("default_transaction_read_only", "off"),
                ready(),
            ]
            .concat(),
        ),
        (
            "lexer_setting_changed",
            [
                answered("1"),
                setting("standard_conforming_strings", "off"),
                ready(),
            ]
            .concat(),
        ),
        (
            "encoding_changed",
            [answered("1"), setting("client_encoding", "SJIS"), ready()].concat(),
        ),
        (
            "role_changed",
            [
                answered("1"),
                setting("session_authorization", "postgres"),
                ready(),
            ]
            .concat(),
        ),
        ("copy_in_asked", frames::message(b'G', &[0, 0, 0])),
        // After the answer, when nothing is asked.
        (
            "read_only_reported_off",
            [
                answered("1"),
                ready(),
                setting("default_transaction_read_only", "off"),
            ]
            .concat(),
        ),
    ];
    for (wire, answer) in cases {
        let fake = Fake::start(ReadOnly::Honest, answer.clone());
        let stack = before(&fake);
        let mut client = login_of_fake(&stack).expect("a login");
        client.send(&frames::query("SELECT 1"));
        thread::sleep(Duration::from_millis(150));
        drop(
            client
                .stream()
                .write_all(&frames::query("SELECT 'never sent'")),
        );
        let answer = client.until_closed();
        let last = answer.last().unwrap_or_else(|| panic!("{wire}: no word"));
        assert_fatal(Some(last));
        assert_eq!(last.sqlstate(), "25006", "{wire}");
        assert!(
            !kinds(&answer).contains('C') || wire != "write_tag",
            "{answer:?}"
        );
        assert_alarm(&stack, wire);
        let heard = fake.heard.lock().unwrap().join("\n");
        assert!(
            heard.contains("SELECT 1") && !heard.contains("never sent"),
            "{wire}: {heard}"
        );
    }
}

#[test]
fn a_server_that_is_not_read_only_after_login_gets_no_statement() {
    for (lie, wire) in [
        (ReadOnly::ReportsOff, "read_only_reported_off"),
        (ReadOnly::ShowsOff, "read_only_not_verified"),
        (ReadOnly::TurnsOffBehind, "read_only_reported_off"),
    ] {
        let fake = Fake::start(lie, [answered("1"), ready()].concat());
        let stack = before(&fake);
        let Err(error) = login_of_fake(&stack) else {
            panic!("{wire}: let in")
        };
        assert_fatal(Some(&error));
        let raised = until(|| {
            let either = ["read_only_reported_off", "read_only_not_verified"]
                .map(|wire| alarms(&stack, wire));
            (either.iter().sum::<f64>() >= 1.0).then_some(())
        });
        assert!(raised.is_some(), "{wire}: no alarm");
    }
}

/// In the middle of a row an error would be read as part of it: the connection just ends.
#[test]
fn what_ends_a_session_within_a_row_puts_no_word_into_it() {
    let row = frames::message(b'D', &[&[0, 1, 0, 0, 16, 0][..], &[b'x'; 4096]].concat());
    let (begun, rest) = row.split_at(1000);
    for end in [
        frames::message(b'C', &frames::zero_ended("INSERT 0 1")),
        frames::message(b'G', &[0, 0, 0]),
        frames::message(b'?', b"what"),
        b"D\0\0\0\0".to_vec(),
    ] {
        let parts = vec![begun.to_vec(), [rest, &end].concat()];
        let fake = Fake::in_parts(ReadOnly::Honest, parts);
        let stack = before(&fake);
        let mut client = login_of_fake(&stack).expect("a login");
        client.send(&frames::query("SELECT 1"));
        let mut got = Vec::new();
        drop(client.stream().read_to_end(&mut got));
        // In one piece it is judged in one piece, and then there is room for a word.
        let in_pieces = got.first() == Some(&b'D');
        assert!(
            in_pieces || got.first() == Some(&b'E'),
            "{}",
            got.escape_ascii()
        );
        assert!(
            !in_pieces || row.starts_with(&got),
            "{}",
            got.escape_ascii()
        );
    }
}

/// A server that says whatever a test has it say.
struct Fake {
    port: u16,
    /// The texts of the Query messages that reached it.
    heard: Arc<Mutex<Vec<String>>>,
}

/// What a fake says of itself at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadOnly {
    Honest,
    ReportsOff,
    ShowsOff,
    /// Shows on, and reports off right behind that answer, before any statement.
    TurnsOffBehind,
}

impl Fake {
    /// Answers every Query that is not about settings with these bytes. Its threads end with the
    /// program.
    fn start(lie: ReadOnly, answer: Vec<u8>) -> Self {
        Self::in_parts(lie, vec![answer])
    }

    /// The same in several writes, with a while between them.
    fn in_parts(lie: ReadOnly, answer: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, heard) = (answer.clone(), Arc::clone(&shared));
                // An error is a connection that ended.
                thread::spawn(move || drop(converse(stream, lie, &answer, &heard)));
            }
        });
        Self { port, heard }
    }
}

fn converse(
    mut stream: TcpStream,
    lie: ReadOnly,
    answer: &[Vec<u8>],
    heard: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let first = loop {
        let packet = packet(&mut stream)?;
        if packet.len() > 4 {
            break packet;
        }
        stream.write_all(b"N")?;
    };
    let user = first[4..]
        .split(|byte| *byte == 0)
        .nth(1)
        .unwrap_or_default();
    stream.write_all(&greeting(lie, &String::from_utf8_lossy(user)))?;
    loop {
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        let body = packet(&mut stream)?;
        if kind[0] != b'Q' {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&body)
            .trim_end_matches('\0')
            .to_owned();
        if text.to_lowercase().contains("read_only") {
            let value = if lie == ReadOnly::ShowsOff {
                "off"
            } else {
                "on"
            };
            stream.write_all(&[answered(value), ready()].concat())?;
        } else if text.contains("pg_postmaster_start_time") {
            let who = ["0002c0ffee000001", "16384", "7"].map(Some);
            stream.write_all(&[frames::row(&who), ready()].concat())?;
        } else if text.contains("rds.extensions") {
            let engine = [Some("PostgreSQL 15.9"), None, None, None];
            stream.write_all(&[frames::row(&engine), ready()].concat())?;
        } else if text.contains("search_path") {
            let mut said = [answered("public"), ready()].concat();
            if lie == ReadOnly::TurnsOffBehind {
                let off = b"default_transaction_read_only\0off\0";
                said.extend(frames::message(b'S', off));
            }
            stream.write_all(&said)?;
        } else {
            heard.lock().unwrap().push(text);
            for part in answer {
                stream.write_all(part)?;
                thread::sleep(Duration::from_millis(300));
            }
        }
    }
}

/// What stands behind a length.
fn packet(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap() - 4];
    stream.read_exact(&mut body)?;
    Ok(body)
}

fn greeting(lie: ReadOnly, user: &str) -> Vec<u8> {
    let read_only = if lie == ReadOnly::ReportsOff {
        "off"
    } else {
        "on"
    };
    let settings = [
        ("server_version", "15.9"),
        ("client_encoding", "UTF8"),
        ("server_encoding", "UTF8"),
        ("standard_conforming_strings", "on"),
        ("integer_datetimes", "on"),
        ("DateStyle", "ISO, MDY"),
        ("session_authorization", user),
        ("default_transaction_read_only", read_only),
        ("in_hot_standby", "off"),
    ];
    let mut bytes = frames::message(b'R', &[0; 4]);
    for (name, value) in settings {
        bytes.extend(frames::message(
            b'S',
            format!("{name}\0{value}\0").as_bytes(),
        ));
    }
    bytes.extend(frames::message(b'K', &[0, 0, 0, 7, 1, 2, 3, 4]));
    bytes.extend(ready());
    bytes
}

/// One column with one value, and its tag.
fn answered(value: &str) -> Vec<u8> {
    let column = [
        &b"\0\x01name\0"[..],
        &[0; 6],
        &25_u32.to_be_bytes(),
        &[255, 255, 255, 255, 255, 255, 0, 0],
    ]
    .concat();
    let length = u32::try_from(value.len()).unwrap().to_be_bytes();
    let row = [&[0, 1][..], &length, value.as_bytes()].concat();
    let tag = if value == "1" { "SELECT 1" } else { "SHOW" };
    [
        frames::message(b'T', &column),
        frames::message(b'D', &row),
        frames::message(b'C', &frames::zero_ended(tag)),
    ]
    .concat()
}

fn ready() -> Vec<u8> {
    frames::message(b'Z', b"I")
}

/// A pgsieve before a fake server.
fn before(fake: &Fake) -> Stack {
    let config = format!(
        "listen: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\nupstream:\n  url: 'postgres://127.0.0.1:{}/x'\naudit:\n  to: '{{audit}}'\n",
        fake.port
    );
    Stack::start(Options {
        config: Some(config),
        ..Options::default()
    })
}

fn login_of_fake(stack: &Stack) -> Result<RawClient, Frame> {
    RawClient::try_login(stack.proxied_address(), &stack.login(APP))
}

fn assert_alarm(stack: &Stack, wire: &str) {
    assert!(
        until(|| (alarms(stack, wire) == 1.0).then_some(())).is_some(),
        "{wire}: no alarm"
    );
    stack.audited(|event| event["event"] == "tripwire" && event["wire"] == wire);
}

fn alarms(stack: &Stack, wire: &str) -> f64 {
    stack.metric(&format!("pgsieve_tripwires_total{{wire=\"{wire}\"}}"))
}
