//! What of models, and of the texts with them, comes to a client in notices and plans.

use crate::access::model_sessions::{EXPLAINED, LOUD, NOISY, READ, ids, login, session, stack};
use crate::support::raw::{Frame, kinds};
use crate::support::{RawClient, frames};

#[test]
fn what_the_server_logs_is_not_for_the_client() {
    for role in [NOISY, LOUD, EXPLAINED] {
        let parameters = [("app.tenant", "north")];
        let login = login(role, &parameters);
        let mut direct = RawClient::login(stack().direct_address(), &login);
        let answer = direct.query("SELECT 'canary' FROM shop.customers");
        assert_eq!(kinds(&answer).contains('N'), role != NOISY, "{answer:?}");
        let mut client = RawClient::login(stack().proxied_address(), &login);
        for asking in ASKINGS {
            let answer = client.query(asking);
            let error = answer.iter().find(|frame| frame.kind == b'E');
            let error = error.unwrap_or_else(|| panic!("{asking}: {answer:?}"));
            let words = String::from_utf8_lossy(&error.body).into_owned();
            assert!(words.contains("one of notice, warning, error"), "{words}");
            says_nothing(&answer, asking);
        }
        for text in LOGGED {
            let answer = client.query(text);
            says_nothing(&answer, text);
            if text.contains(';') {
                continue;
            }
            client.send(&frames::extended(text, &[], false));
            says_nothing(&client.until_ready(), text);
        }
        let answer = client.query("SELECT id FROM shop.customers ORDER BY id");
        assert_eq!(ids(&answer), ["1", "2"], "{answer:?}");
    }
}

#[test]
fn no_session_begins_with_the_servers_log() {
    for asked in [
        ("client_min_messages", "log"),
        ("options", "-c client_min_messages=debug5"),
        ("options", "--client-min-messages=DEBUG1"),
        ("CLIENT_MIN_MESSAGES", "Debug"),
    ] {
        let parameters = [("app.tenant", "north"), asked];
        let login = login(NOISY, &parameters);
        match RawClient::try_login(stack().proxied_address(), &login) {
            Err(error) => {
                let message = error.field(b'M').unwrap_or_default();
                assert!(message.contains("client_min_messages"), "{error:?}");
            }
            Ok(mut client) => says_nothing(&client.query(READ), asked.1),
        }
    }
}

/// No notice of the server's log, and none that quotes what ran.
fn says_nothing(answer: &[Frame], text: &str) {
    for notice in answer.iter().filter(|frame| frame.kind == b'N') {
        let severity = notice.field(b'V').unwrap_or_default();
        assert!(
            !["LOG", "DEBUG"].contains(&&*severity),
            "{text}: {notice:?}"
        );
        let words = String::from_utf8_lossy(&notice.body);
        for quoted in ["left(", "OFFSET", "tenant =", "Query Text", "statement:"] {
            assert!(!words.contains(quoted), "{text}: {notice:?}");
        }
    }
}

/// Ways to ask for the server's log.
const ASKINGS: &[&str] = &[
    "SET client_min_messages = debug1",
    "SET SESSION client_min_messages TO 'LOG'",
    "SET LOCAL \"client_min_messages\" = debug",
    "SELECT set_config('client_min_messages', 'debug5', false)",
    "SELECT pg_catalog.set_config('Client_Min_Messages', E'lo\\x67', true)",
    "SET client_min_messages = notice; SET client_min_messages = log",
];

/// What the server would say something of.
const LOGGED: &[&str] = &[
    READ,
    "SELECT * FROM shop.me",
    "EXPLAIN SELECT id FROM shop.customers",
    "SELECT 1 / (id - id) FROM shop.customers",
    "SELECT nothing FROM shop.customers",
    "COPY (SELECT email FROM shop.customers) TO STDOUT",
    "SELECT 1; SELECT email FROM shop.customers",
    "BEGIN; DECLARE c CURSOR FOR SELECT email FROM shop.customers; FETCH ALL FROM c; COMMIT;",
    "PREPARE p AS SELECT email FROM shop.customers",
    "EXECUTE p",
    "DEALLOCATE p",
    "SHOW client_min_messages",
    "RESET ALL; SET app.tenant = 'north';",
    "RESET client_min_messages",
    "SET client_min_messages TO DEFAULT",
];

#[test]
fn the_plan_of_a_model_is_told_alike_however_it_is_fetched() {
    let mut client = session(&[("app.tenant", "north\ncanary\nx")]);
    let text = "EXPLAIN SELECT id FROM shop.customers";
    let told = ids(&client.query(text));
    assert_eq!(told.len(), 2, "{told:?}");
    for portal in ["", "p"] {
        for slice in [1, 2, 3, 100] {
            client.query("BEGIN");
            let opened = [
                frames::parse("", text),
                frames::bind(portal, "", &[], false),
            ];
            client.send(&opened.concat());
            let executed = frames::execute(portal, slice).repeat(9);
            client.send(&[executed, frames::sync()].concat());
            let answer = client.until_ready();
            assert_eq!(ids(&answer), told, "{portal} {slice}: {answer:?}");
            client.query("COMMIT");
        }
    }
    for fetching in [
        "FETCH ALL FROM p",
        "FETCH 1 FROM p",
        "MOVE 1 IN p",
        "FETCH FORWARD 2 FROM \"p\"",
    ] {
        for is_extended in [false, true] {
            client.query("BEGIN");
            let opened = [frames::parse("", text), frames::bind("p", "", &[], false)];
            client.send(&[opened.concat(), frames::sync()].concat());
            client.until_ready();
            let answer = match is_extended {
                false => client.query(fetching),
                true => {
                    client.send(&frames::extended(fetching, &[], false));
                    client.until_ready()
                }
            };
            let error = answer.iter().find(|frame| frame.kind == b'E');
            let error = error.unwrap_or_else(|| panic!("{fetching}: {answer:?}"));
            let detail = error.field(b'D').unwrap_or_default();
            assert!(detail.contains("rule: model"), "{fetching}: {error:?}");
            client.query("ROLLBACK");
        }
    }
}
