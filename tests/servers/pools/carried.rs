//! What a client has made in its session is there on every connection, and there for nobody else.

use std::collections::BTreeSet;

use super::named::pins;
use super::{client, stack};
use crate::support::raw::{kinds, rows};
use crate::support::{APP, RawClient, frames, sql};

/// The process that serves a client now.
fn backend(client: &mut RawClient) -> String {
    rows(&client.query("SELECT pg_backend_pid()")).remove(0)
}

#[test]
fn clients_share_connections_and_not_their_settings() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    assert_eq!(backend(&mut one), backend(&mut other));
    one.query("SET timezone = 'Asia/Tokyo'");
    one.query("SET search_path = pg_catalog, nowhere");
    let shown = "SELECT current_setting('timezone'), current_setting('search_path')";
    assert_eq!(rows(&one.query(shown)), ["Asia/Tokyo|pg_catalog, nowhere"]);
    let others = rows(&other.query(shown));
    assert!(
        !others[0].contains("Tokyo") && !others[0].contains("nowhere"),
        "{others:?}"
    );
    assert_eq!(rows(&one.query(shown)), ["Asia/Tokyo|pg_catalog, nowhere"]);
    one.query("RESET ALL");
    assert_eq!(rows(&one.query(shown)), others);
    // What holds for a transaction is over with it.
    other.query("BEGIN");
    other.query("SET LOCAL timezone = 'America/New_York'");
    assert!(rows(&other.query(shown))[0].starts_with("America/New_York"));
    other.query("COMMIT");
    assert_eq!(rows(&one.query(shown)), others);
    assert_eq!(rows(&other.query(shown)), others);
}

#[test]
fn each_client_has_its_own_name() {
    let stack = stack(1);
    let named = |name: &'static str| {
        let login = crate::support::raw::Login {
            parameters: &[("application_name", name)],
            ..stack.login(APP)
        };
        RawClient::login(stack.proxied_address(), &login)
    };
    let (mut one, mut other) = (named("one"), named("other"));
    let told = |client: &RawClient| {
        let mut told = client.parameters.iter();
        let told = told.find(|(name, _)| name == "application_name");
        told.map(|(_, value)| value.clone())
    };
    assert_eq!(told(&one).as_deref(), Some("one"));
    assert_eq!(told(&other).as_deref(), Some("other"));
    let shown = "SELECT current_setting('application_name'), (SELECT application_name FROM \
                 pg_stat_activity WHERE pid = pg_backend_pid())";
    for _ in 0..2 {
        assert_eq!(rows(&one.query(shown)), ["one|one"]);
        assert_eq!(rows(&other.query(shown)), ["other|other"]);
    }
    one.query("DISCARD ALL");
    assert_eq!(rows(&one.query(shown)), ["one|one"]);
}

#[test]
fn prepared_statements_are_their_client_s() {
    let stack = stack(2);
    let (mut one, mut other) = (client(&stack), client(&stack));
    let batch = |parts: &[Vec<u8>]| [parts.concat(), frames::sync()].concat();
    for (client, text) in [(&mut one, "SELECT 'one'"), (&mut other, "SELECT 'other'")] {
        client.send(&batch(&[frames::parse("s", text)]));
        let answer = client.until_ready();
        assert_eq!(kinds(&answer), "1Z", "{answer:?}");
    }
    let run = batch(&[frames::bind("", "s", &[], false), frames::execute("", 0)]);
    for _ in 0..3 {
        for (client, wanted) in [(&mut one, "one"), (&mut other, "other")] {
            client.send(&run);
            let answer = client.until_ready();
            assert_eq!(kinds(&answer), "2DCZ", "{answer:?}");
            assert_eq!(rows(&answer), [wanted]);
        }
    }
    // A name that one of them gives up stays the other's.
    one.send(&batch(&[frames::close(b'S', "s")]));
    let answer = one.until_ready();
    assert_eq!(kinds(&answer), "3Z", "{answer:?}");
    one.send(&run);
    let answer = one.until_ready();
    assert_eq!(answer[0].sqlstate(), "26000", "{answer:?}");
    other.query("DEALLOCATE s");
    other.send(&run);
    let answer = other.until_ready();
    assert_eq!(answer[0].sqlstate(), "26000", "{answer:?}");
}

/// What was prepared without a name is there on the next connection, though another client has had
/// that meanwhile.
#[test]
fn the_unnamed_statement_follows_its_client() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    let batch = |parts: &[Vec<u8>]| [parts.concat(), frames::sync()].concat();
    let run = batch(&[frames::bind("", "", &[], false), frames::execute("", 0)]);
    for (client, text) in [(&mut one, "SELECT 'one'"), (&mut other, "SELECT 'other'")] {
        client.send(&batch(&[
            frames::parse("", text),
            frames::describe(b'S', ""),
        ]));
        assert_eq!(kinds(&client.until_ready()), "1tTZ");
    }
    for _ in 0..3 {
        for (client, wanted) in [(&mut one, "one"), (&mut other, "other")] {
            client.send(&run);
            let answer = client.until_ready();
            assert_eq!(
                (kinds(&answer).as_str(), rows(&answer)),
                ("2DCZ", vec![wanted.into()])
            );
        }
    }
    // A Query takes it away, as it does on a connection of one's own.
    one.query("SELECT 1");
    one.send(&run);
    assert_eq!(one.until_ready()[0].sqlstate(), "26000");
    // Its literals were read by other settings.
    other.query("SELECT 1");
    other.send(&batch(&[frames::parse("", "SELECT 'now'::timestamptz")]));
    other.until_ready();
    assert_eq!(pins(&stack), 0.0);
}

/// No message reaches what another client has prepared without a name, whether one's own Parse has
/// failed, was skipped, or never came.
#[test]
fn nobody_runs_what_another_client_has_prepared() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    let batch = |parts: &[Vec<u8>]| [parts.concat(), frames::sync()].concat();
    let run = batch(&[frames::bind("", "", &[], false), frames::execute("", 0)]);
    let described = batch(&[frames::describe(b'S', "")]);
    let failing = batch(&[frames::parse("", "SELECT nothing FROM nowhere")]);
    let skipped = batch(&[frames::execute("nowhere", 0), frames::parse("", "SELECT 1")]);
    let closed = batch(&[frames::parse("", "SELECT 1"), frames::close(b'S', "")]);
    let secret = batch(&[frames::parse("", "SELECT 'secret of one'")]);
    for before in [&failing, &skipped, &closed, &Vec::new()] {
        for asked in [&run, &described] {
            for is_pipelined in [true, false] {
                one.send(&secret);
                assert_eq!(kinds(&one.until_ready()), "1Z");
                if is_pipelined && !before.is_empty() {
                    other.send(&[&before[..], asked].concat());
                    other.until_ready();
                } else {
                    if !before.is_empty() {
                        other.send(before);
                        other.until_ready();
                        one.send(&secret);
                        one.until_ready();
                    }
                    other.send(asked);
                }
                let answer = other.until_ready();
                assert_eq!(kinds(&answer), "EZ", "{answer:?}");
            }
        }
    }
}

#[test]
fn drivers_that_prepare_do_not_notice() {
    let stack = stack(2);
    sql::block_on(async {
        let clients = [(); 6].map(|()| stack.proxied(APP));
        let mut open = Vec::new();
        for client in clients {
            open.push(client.await);
        }
        let mut prepared = Vec::new();
        for (number, client) in open.iter().enumerate() {
            let text = format!("SELECT {number}::int4 + $1::int4");
            prepared.push(client.prepare(&text).await.unwrap());
        }
        for added in 0..20_i32 {
            for (number, client) in open.iter().enumerate() {
                let row = client
                    .query_one(&prepared[number], &[&added])
                    .await
                    .unwrap();
                assert_eq!(row.get::<_, i32>(0), i32::try_from(number).unwrap() + added);
            }
        }
    });
    assert_eq!(pins(&stack), 0.0);
}

#[test]
fn what_cannot_be_carried_keeps_the_connection() {
    for (made, reason) in [
        ("PREPARE p AS SELECT 1", "sql_prepare"),
        ("DECLARE c CURSOR WITH HOLD FOR SELECT 1", "held_cursor"),
        (
            "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 1; COMMIT",
            "held_cursor",
        ),
    ] {
        let stack = stack(2);
        let (mut one, mut other) = (client(&stack), client(&stack));
        assert!(!kinds(&one.query(made)).contains('E'), "{made}");
        let own = backend(&mut one);
        let others: BTreeSet<String> = (0..5).map(|_| backend(&mut other)).collect();
        assert!(!others.contains(&own), "{made}");
        assert_eq!(backend(&mut one), own);
        let name = format!("pgsieve_pool_pins_total{{reason=\"{reason}\"}}");
        assert_eq!(stack.metric(&name), 1.0);
        drop(one);
        let mut more = client(&stack);
        assert_ne!(backend(&mut more), own, "it was closed");
    }
}
