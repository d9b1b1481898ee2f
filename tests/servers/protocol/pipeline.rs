//! Pipelines: a refusal among other messages stands where an error of the server's own would
//! stand, and nothing is answered out of its turn.

use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::support::raw::kinds;
use crate::support::{APP, RawClient, frames};

use super::refusals::{stack, status, without_sync};

#[test]
fn a_refusal_tells_rule_and_remedy() {
    let mut client = client();
    let answer = client.query("DELETE FROM item");
    let error = &answer[0];
    assert_eq!(error.field(b'V').as_deref(), Some("ERROR"));
    for field in [b'M', b'D', b'H'] {
        assert!(
            error.field(field).is_some_and(|text| !text.is_empty()),
            "{error:?}"
        );
    }
}

#[test]
fn a_refusal_with_flush_is_told_before_sync() {
    let mut client = client();
    client.send(
        &[
            frames::parse("", "SELECT 1"),
            frames::parse("", "DELETE FROM item"),
            frames::flush(),
        ]
        .concat(),
    );
    assert_eq!(client.read().unwrap().kind, b'1');
    assert_eq!(client.read().unwrap().sqlstate(), "25006");
    client.send(
        &[
            frames::parse("", "SELECT 2"),
            frames::flush(),
            frames::sync(),
            frames::query("SELECT 3"),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "Z");
    assert_eq!(kinds(&client.until_ready()), "TDCZ");
}

/// The refusal is known at once, and the answers before it take their time: it must wait for them.
#[test]
fn a_refusal_never_overtakes() {
    let mut client = client();
    let slow = "SELECT count(*) FROM generate_series(1, 300000)";
    let mut asked = frames::query(slow);
    asked.extend(frames::query("DELETE FROM item"));
    asked.extend(without_sync(slow));
    asked.extend(without_sync(slow));
    asked.extend(frames::parse("", "DELETE FROM item"));
    asked.extend([frames::sync(), frames::query(slow)].concat());
    client.send(&asked);
    let order: Vec<String> = (0..4).map(|_| kinds(&client.until_ready())).collect();
    assert_eq!(order, ["TDCZ", "EZ", "12TDC12TDCEZ", "TDCZ"]);
}

#[test]
fn the_transaction_behind_a_refusal_is_over() {
    let mut client = client();
    assert_eq!(status(&client.query("BEGIN")), b'T');
    let answer = client.query("DELETE FROM item");
    assert_eq!(
        (answer[0].sqlstate().as_str(), status(&answer)),
        ("25006", b'E')
    );
    for text in ["SELECT 1", "SHOW search_path", "SAVEPOINT a"] {
        let answer = client.query(text);
        assert_eq!(
            (answer[0].sqlstate().as_str(), status(&answer)),
            ("25P02", b'E'),
            "{text}"
        );
    }
    // COMMIT of a failed transaction says what it did.
    let answer = client.query("COMMIT");
    assert_eq!(
        (answer[0].body.as_slice(), status(&answer)),
        (b"ROLLBACK\0".as_slice(), b'I')
    );
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn a_function_call_is_refused_and_the_session_goes_on() {
    let mut client = client();
    // set_config has the oid 2078; three arguments, all in text.
    let mut body = [&2078_u32.to_be_bytes()[..], &[0, 0, 0, 3]].concat();
    for value in ["default_transaction_read_only", "off", "f"] {
        body.extend(u32::try_from(value.len()).unwrap().to_be_bytes());
        body.extend(value.as_bytes());
    }
    body.extend([0, 0]);
    let call = frames::message(b'F', &body);
    client.send(&call);
    let answer = client.until_ready();
    assert_eq!(
        (kinds(&answer).as_str(), answer[0].sqlstate().as_str()),
        ("EZ", "0A000")
    );
    assert_eq!(shown(&mut client, "default_transaction_read_only"), "on");
    client.query("BEGIN");
    client.send(&call);
    assert_eq!(status(&client.until_ready()), b'E');
    assert_eq!(status(&client.query("ROLLBACK")), b'I');
}

#[test]
fn replication_is_refused_at_the_door() {
    for value in ["true", "database", "on", "1"] {
        let login = stack().login(APP);
        let login = crate::support::raw::Login {
            parameters: &[("replication", value)],
            ..login
        };
        let Err(answer) = RawClient::try_login(stack().proxied_address(), &login) else {
            panic!("replication={value} was let in")
        };
        assert_eq!(answer.field(b'V').as_deref(), Some("FATAL"), "{answer:?}");
        assert_eq!(answer.sqlstate(), "0A000");
    }
}

/// A refused Parse takes the unnamed statement away, as one that fails does; names stay.
#[test]
fn a_refused_statement_is_never_bound() {
    let mut client = client();
    let run = |name: &str| {
        [
            frames::bind("", name, &[], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat()
    };
    client.send(
        &[
            frames::parse("", "SELECT 1"),
            frames::parse("n", "SELECT 'kept'"),
            frames::sync(),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "11Z");
    for name in ["", "n", "other"] {
        client.send(&[frames::parse(name, "DELETE FROM item"), frames::sync()].concat());
        assert_eq!(client.until_ready()[0].kind, b'E');
    }
    for (name, expected) in [("", "26000"), ("other", "26000")] {
        client.send(&run(name));
        assert_eq!(client.until_ready()[0].sqlstate(), expected, "{name:?}");
    }
    client.send(&run("n"));
    assert_eq!(kinds(&client.until_ready()), "2DCZ");
    // Names of SQL and of the protocol are one set.
    for text in [
        "PREPARE d AS DELETE FROM item",
        "PREPARE d AS SELECT nextval('counter')",
    ] {
        assert_eq!(client.query(text)[0].sqlstate(), "25006");
        client.send(&run("d"));
        assert_eq!(client.until_ready()[0].sqlstate(), "26000");
        assert_eq!(client.query("EXECUTE d")[0].sqlstate(), "26000");
    }
    client.query("BEGIN");
    assert_eq!(
        client.query("DECLARE c CURSOR FOR SELECT * FROM item FOR UPDATE")[0].sqlstate(),
        "25006"
    );
    client.query("ROLLBACK");
    client.query("BEGIN");
    client.send(&[frames::execute("c", 0), frames::sync()].concat());
    assert_eq!(client.until_ready()[0].sqlstate(), "34000");
}

#[test]
fn a_timeout_is_lowered_and_the_client_told() {
    let mut client = client();
    let most = shown(&mut client, "statement_timeout");
    assert_ne!(most, "0");
    for text in [
        "SET statement_timeout = 0",
        "SET SESSION statement_timeout TO '99h'",
        "SET statement_timeout = DEFAULT",
    ] {
        let answer = client.query(text);
        if !text.ends_with("DEFAULT") {
            assert_eq!(kinds(&answer), "NCZ", "{text}: {answer:?}");
        }
        assert_eq!(shown(&mut client, "statement_timeout"), most, "{text}");
    }
    client.send(&frames::extended("SET statement_timeout = 0", &[], false));
    let answer = kinds(&client.until_ready());
    assert_eq!(answer.replace('N', ""), "12nCZ");
    assert_eq!(answer.matches('N').count(), 1, "{answer}");
    assert_eq!(shown(&mut client, "statement_timeout"), most);
    assert_eq!(kinds(&client.query("SET statement_timeout = '10ms'")), "CZ");
    assert_eq!(shown(&mut client, "statement_timeout"), "10ms");
    client.query("RESET ALL");
    assert_eq!(shown(&mut client, "statement_timeout"), most);
}

/// A timeout that fires between two messages fails the pipeline without a message to blame.
#[test]
fn a_timeout_between_two_messages_skips_to_sync() {
    for address in [stack().direct_address(), stack().proxied_address()] {
        let mut client = RawClient::login(address, &stack().login(APP));
        client.query("SET statement_timeout = 200");
        client.send(&[frames::parse("", "SELECT 1"), frames::flush()].concat());
        assert_eq!(client.read().unwrap().kind, b'1');
        thread::sleep(Duration::from_millis(400));
        client.send(&frames::flush());
        assert_eq!(client.read().unwrap().sqlstate(), "57014");
        client.send(
            &[
                without_sync("SELECT 2"),
                frames::sync(),
                frames::query("SELECT 3"),
            ]
            .concat(),
        );
        assert_eq!(kinds(&client.until_ready()), "Z");
        assert_eq!(kinds(&client.until_ready()), "TDCZ");
    }
}

#[test]
fn what_was_asked_before_goodbye_is_answered() {
    for address in [stack().direct_address(), stack().proxied_address()] {
        let mut client = RawClient::login(address, &stack().login(APP));
        let slow = frames::query("SELECT count(*) FROM generate_series(1, 300000)");
        client.send(&[slow, frames::query("SELECT 1"), frames::terminate()].concat());
        assert_eq!(kinds(&client.until_closed()), "TDCZTDCZ");
    }
}

/// Large texts are judged elsewhere, and take their place in the order all the same.
#[test]
fn large_statements_keep_their_place() {
    let filler = "x".repeat(200_000);
    let read = format!("SELECT length('{filler}')");
    let write = format!("DELETE FROM item WHERE name = '{filler}'");
    let mut client = client();
    let asked = [
        frames::query("SELECT 1"),
        frames::query(&read),
        frames::query(&write),
        frames::query("SELECT 2"),
        without_sync(&read),
        without_sync("SELECT 3"),
        without_sync(&write),
        without_sync("SELECT 4"),
        frames::sync(),
        frames::query("SELECT 5"),
    ];
    client.send(&asked.concat());
    let order: Vec<String> = (0..6).map(|_| kinds(&client.until_ready())).collect();
    assert_eq!(
        order,
        ["TDCZ", "TDCZ", "EZ", "TDCZ", "12TDC12TDCEZ", "TDCZ"]
    );
}

/// More messages without a Sync than pgsieve keeps count of: it has the server flush, and goes on.
#[test]
fn a_pipeline_may_be_longer_than_the_journal() {
    const RUNS: usize = 40_000;
    let mut client = client();
    let run = [frames::bind("", "s", &[], true), frames::execute("", 0)].concat();
    let asked = [
        frames::parse("s", "SELECT 1"),
        run.repeat(RUNS),
        frames::sync(),
    ]
    .concat();
    let mut sender = client.stream().try_clone().unwrap();
    let writer = thread::spawn(move || sender.write_all(&asked));
    let answer = client.until_ready();
    writer.join().unwrap().unwrap();
    assert_eq!(answer.len(), 1 + 3 * RUNS + 1);
    assert_eq!(kinds(&answer[..4]), "12DC");
}

/// Every byte by itself: nothing depends on how frames arrive.
#[test]
fn frames_may_come_in_any_pieces() {
    let mut client = client();
    let asked = [
        without_sync("SELECT 1"),
        frames::parse("", "DELETE FROM item"),
        frames::sync(),
        frames::query("SELECT 2"),
        frames::query("UPDATE item SET id = 1"),
        frames::query(""),
    ];
    for byte in asked.concat() {
        client.stream().write_all(&[byte]).unwrap();
    }
    let order: Vec<String> = (0..4).map(|_| kinds(&client.until_ready())).collect();
    assert_eq!(order, ["12TDCEZ", "TDCZ", "EZ", "IZ"]);
}

fn shown(client: &mut RawClient, name: &str) -> String {
    let answer = client.query(&format!("SHOW {name}"));
    let row = answer
        .iter()
        .find(|frame| frame.kind == b'D')
        .expect("a row");
    String::from_utf8(row.body[6..].to_vec()).unwrap()
}

fn client() -> RawClient {
    RawClient::login(stack().proxied_address(), &stack().login(APP))
}
