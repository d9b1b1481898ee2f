//! Prepared statements with names on connections that are shared: each client has its own, whatever
//! the others call theirs.

use super::{client, stack};
use crate::support::raw::{Frame, kinds, rows};
use crate::support::{RawClient, Stack, frames, until};

/// These messages and a Sync, answered.
pub fn batch(client: &mut RawClient, parts: &[Vec<u8>]) -> Vec<Frame> {
    client.send(&[parts.concat(), frames::sync()].concat());
    client.until_ready()
}

pub fn prepare(client: &mut RawClient, name: &str, text: &str) {
    let answer = batch(client, &[frames::parse(name, text)]);
    assert_eq!(kinds(&answer), "1Z", "{answer:?}");
}

pub fn run(client: &mut RawClient, name: &str) -> Vec<Frame> {
    let run = [frames::bind("", name, &[], false), frames::execute("", 0)];
    batch(client, &run)
}

/// The SQLSTATE and message of the only error.
fn error(answer: &[Frame]) -> (String, String) {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("no error: {answer:?}"));
    (error.sqlstate(), error.field(b'M').unwrap())
}

/// What is prepared on the only connection.
pub fn prepared(client: &mut RawClient) -> Vec<String> {
    rows(&client.query("SELECT statement FROM pg_prepared_statements ORDER BY statement"))
}

/// So many sessions keep their connection, as soon as each has been at rest.
fn keeps_connection(stack: &Stack, sessions: f64) {
    until(|| (pins(stack) >= sessions).then_some(())).expect("it keeps its connection");
    assert_eq!(pins(stack), sessions);
}

/// How many sessions keep their connection.
pub fn pins(stack: &Stack) -> f64 {
    let reasons = ["held_cursor", "named_statement", "settings", "sql_prepare"];
    let pins = reasons.map(|reason| format!("pgsieve_pool_pins_total{{reason=\"{reason}\"}}"));
    pins.iter().map(|name| stack.metric(name)).sum()
}

#[test]
fn clients_of_one_name_have_their_own_statements() {
    let stack = stack(1);
    let mut clients: Vec<RawClient> = (0..5).map(|_| client(&stack)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        prepare(client, "s", &format!("SELECT {number} AS number"));
    }
    for _ in 0..3 {
        for (number, client) in clients.iter_mut().enumerate() {
            assert_eq!(rows(&run(client, "s")), [number.to_string()]);
            let described = batch(client, &[frames::describe(b'S', "s")]);
            assert_eq!(kinds(&described), "tTZ");
        }
    }
    // A name that one of them gives up stays the others'.
    assert_eq!(
        kinds(&batch(&mut clients[0], &[frames::close(b'S', "s")])),
        "3Z"
    );
    assert_eq!(error(&run(&mut clients[0], "s")).0, "26000");
    assert_eq!(kinds(&clients[1].query("DEALLOCATE s")), "CZ");
    assert_eq!(error(&run(&mut clients[1], "s")).0, "26000");
    let again = clients[1].query("DEALLOCATE s");
    let told = "prepared statement \"s\" does not exist".to_owned();
    assert_eq!(error(&again), ("26000".into(), told));
    assert_eq!(rows(&run(&mut clients[2], "s")), ["2"]);
    prepare(&mut clients[0], "s", "SELECT 'anew'");
    assert_eq!(rows(&run(&mut clients[0], "s")), ["anew"]);
    assert_eq!(pins(&stack), 0.0);
}

#[test]
fn what_is_the_same_is_prepared_once() {
    let stack = stack(1);
    let mut clients: Vec<RawClient> = (0..4).map(|_| client(&stack)).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        prepare(client, &format!("s{number}"), "SELECT 'same'");
    }
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(rows(&run(client, &format!("s{number}"))), ["same"]);
    }
    assert_eq!(prepared(&mut clients[0]), ["SELECT 'same'"]);
    // Of one client each of two names can be given up by itself.
    prepare(&mut clients[0], "t", "SELECT 'same'");
    assert_eq!(prepared(&mut clients[0]).len(), 2);
    batch(&mut clients[0], &[frames::close(b'S', "t")]);
    assert_eq!(rows(&run(&mut clients[0], "s0")), ["same"]);
}

#[test]
fn statements_make_room_for_others() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    for number in 0..300 {
        prepare(&mut one, &format!("s{number}"), &format!("SELECT {number}"));
    }
    prepare(&mut other, "s0", "SELECT 'other'");
    let count = "SELECT count(*) FROM pg_prepared_statements";
    assert_eq!(rows(&one.query(count)), ["200"]);
    for number in (0..300).step_by(7) {
        assert_eq!(
            rows(&run(&mut one, &format!("s{number}"))),
            [number.to_string()]
        );
        assert_eq!(rows(&run(&mut other, "s0")), ["other"]);
    }
    assert_eq!(rows(&one.query(count)), ["200"]);
}

#[test]
fn a_name_is_given_once() {
    let stack = stack(2);
    let mut one = client(&stack);
    prepare(&mut one, "s", "SELECT 1");
    let twice = batch(&mut one, &[frames::parse("s", "SELECT 2")]);
    let told = "prepared statement \"s\" already exists".to_owned();
    assert_eq!(error(&twice), ("42P05".into(), told));
    assert_eq!(rows(&run(&mut one, "s")), ["1"]);
    // Within a batch as well.
    let mut other = client(&stack);
    let twice = [
        frames::parse("s", "SELECT 1"),
        frames::parse("s", "SELECT 2"),
    ];
    let answer = batch(&mut other, &twice);
    assert_eq!(
        (kinds(&answer).as_str(), error(&answer).0),
        ("1EZ", "42P05".into())
    );
    assert_eq!(rows(&run(&mut other, "s")), ["1"]);
    keeps_connection(&stack, 2.0);
}

#[test]
fn errors_have_the_client_s_name() {
    let stack = stack(1);
    let mut one = client(&stack);
    prepare(&mut one, "mine", "SELECT $1::int4");
    let answer = run(&mut one, "mine");
    let told = "bind message supplies 0 parameters, but prepared statement \"mine\" requires 1";
    assert_eq!(error(&answer), ("08P01".into(), told.into()));
}

/// SQL knows what a Parse has named, and the other way round.
#[test]
fn sql_finds_what_was_prepared_by_messages() {
    let stack = stack(2);
    let (mut one, mut other) = (client(&stack), client(&stack));
    prepare(&mut one, "s", "SELECT 'one'");
    prepare(&mut one, "t", "SELECT 'two'");
    prepare(&mut other, "s", "SELECT 'other'");
    for _ in 0..2 {
        assert_eq!(rows(&one.query("EXECUTE s")), ["one"]);
        assert_eq!(rows(&run(&mut one, "t")), ["two"]);
        assert_eq!(rows(&run(&mut other, "s")), ["other"]);
    }
    assert_eq!(error(&one.query("PREPARE t AS SELECT 3")).0, "42P05");
    assert_eq!(kinds(&one.query("PREPARE u AS SELECT 'three'")), "CZ");
    assert_eq!(rows(&run(&mut one, "u")), ["three"]);
    assert_eq!(
        error(&batch(&mut one, &[frames::parse("u", "SELECT 4")])).0,
        "42P05"
    );
    let twice = batch(
        &mut one,
        &[
            frames::parse("", "EXECUTE s"),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
        ],
    );
    assert_eq!(rows(&twice), ["one"]);
    assert_eq!(kinds(&one.query("DEALLOCATE t; DEALLOCATE u")), "CCZ");
    assert_eq!(error(&run(&mut one, "t")).0, "26000");
    keeps_connection(&stack, 1.0);
    // It is closed, and nothing of it is left to anybody.
    drop(one);
    for _ in 0..5 {
        assert_eq!(rows(&run(&mut other, "s")), ["other"]);
    }
}

#[test]
fn names_are_given_up_by_sql() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    for all in ["DEALLOCATE ALL", "DISCARD ALL", "DEALLOCATE PREPARE ALL"] {
        for client in [&mut one, &mut other] {
            prepare(client, "s", "SELECT 'same'");
            prepare(client, "t", "SELECT 2");
        }
        assert_eq!(kinds(&one.query(all)).replace('S', ""), "CZ", "{all}");
        assert_eq!(error(&run(&mut one, "s")).0, "26000", "{all}");
        assert_eq!(rows(&run(&mut other, "s")), ["same"], "{all}");
        assert_eq!(kinds(&batch(&mut other, &[frames::close(b'S', "s")])), "3Z");
        assert_eq!(kinds(&other.query("DEALLOCATE t")), "CZ");
    }
    // In a transaction that has failed nothing is.
    prepare(&mut one, "s", "SELECT 'same'");
    one.query("BEGIN");
    one.query("SELECT 1/0");
    assert_eq!(error(&one.query("DEALLOCATE s")).0, "25P02");
    assert_eq!(kinds(&one.query("ROLLBACK")), "CZ");
    assert_eq!(rows(&run(&mut one, "s")), ["same"]);
    assert_eq!(kinds(&one.query("BEGIN")), "CZ");
    assert_eq!(kinds(&one.query("DEALLOCATE s")), "CZ");
    assert_eq!(rows(&one.query("SELECT 5")), ["5"]);
    one.query("COMMIT");
    assert_eq!(error(&run(&mut one, "s")).0, "26000");
    assert_eq!(pins(&stack), 0.0);
}

/// Whoever learns what pgsieve calls a statement can do nothing with it.
#[test]
fn names_of_pgsieve_s_own_are_good_for_nothing() {
    let stack = stack(2);
    let (mut one, mut other) = (client(&stack), client(&stack));
    prepare(&mut one, "s", "SELECT 'secret'");
    one.query("BEGIN");
    rows(&run(&mut one, "s"));
    let names = one.query("SELECT name FROM pg_prepared_statements WHERE name LIKE 'pgsieve%'");
    let name = rows(&names).remove(0);
    one.query("COMMIT");
    assert!(name.starts_with("pgsieve_s_"), "{name}");
    let refused = |answer: &[Frame]| {
        assert!(kinds(answer).ends_with("EZ"), "{answer:?}");
        assert!(!rows(answer).concat().contains("secret"));
    };
    refused(&other.query(&format!("EXECUTE {name}")));
    refused(&run(&mut other, &name));
    refused(&batch(&mut other, &[frames::describe(b'S', &name)]));
    assert_eq!(
        kinds(&batch(&mut other, &[frames::close(b'S', &name)])),
        "3Z"
    );
    assert_eq!(rows(&run(&mut one, "s")), ["secret"]);
    batch(&mut other, &[frames::parse(&name, "SELECT 'mine'")]);
    refused(&run(&mut other, &name));
    assert_eq!(rows(&run(&mut one, "s")), ["secret"]);
    other.query(&format!("PREPARE {name} AS SELECT 'mine'"));
    refused(&other.query(&format!("EXECUTE {name}")));
    other.query(&format!("DEALLOCATE {name}"));
    drop(other);
    let mut other = client(&stack);
    other.query(&format!("DEALLOCATE {name}"));
    drop(other);
    for _ in 0..3 {
        let answer = run(&mut one, "s");
        assert_eq!(rows(&answer), ["secret"], "{answer:?}");
    }
}

/// Nothing runs under a name whose Parse has failed, was skipped or is taken back.
#[test]
fn what_was_not_prepared_is_not_there() {
    let stack = stack(1);
    let (mut one, mut other) = (client(&stack), client(&stack));
    prepare(&mut one, "s", "SELECT 'one'");
    let failing = [
        frames::parse("s", "SELECT 1"),
        frames::parse("t", "SELECT no FROM where_"),
    ];
    let skipped = [
        frames::execute("nowhere", 0),
        frames::parse("t", "SELECT 1"),
    ];
    let closed = [frames::parse("t", "SELECT 1"), frames::close(b'S', "t")];
    for (before, name) in [(&failing, "t"), (&skipped, "t"), (&closed, "t")] {
        batch(&mut other, before);
        assert_eq!(error(&run(&mut other, name)).0, "26000");
        assert_eq!(rows(&run(&mut one, "s")), ["one"]);
    }
    assert_eq!(rows(&run(&mut other, "s")), ["1"]);
    // A Close that was skipped has given nothing up.
    batch(
        &mut other,
        &[frames::execute("nowhere", 0), frames::close(b'S', "s")],
    );
    assert_eq!(rows(&run(&mut one, "s")), ["one"]);
    assert_eq!(rows(&run(&mut other, "s")), ["1"]);
    // What is prepared again in a batch that fails is there the next time.
    assert_eq!(rows(&run(&mut one, "s")), ["one"]);
    batch(
        &mut other,
        &[
            frames::execute("nowhere", 0),
            frames::bind("", "s", &[], false),
        ],
    );
    assert_eq!(rows(&run(&mut other, "s")), ["1"]);
    assert_eq!(pins(&stack), 0.0);
}

/// The same text means to each what its own settings say.
#[test]
fn literals_are_read_by_the_settings_of_their_client() {
    let stack = stack(2);
    let zones = ["UTC", "Asia/Tokyo", "America/New_York"];
    let mut clients: Vec<RawClient> = (0..3).map(|_| client(&stack)).collect();
    let text = "SELECT extract(epoch FROM '2020-02-02 12:00'::timestamptz)::int8";
    let epochs = ["1580644800", "1580612400", "1580662800"];
    for (client, zone) in clients.iter_mut().zip(zones) {
        client.query(&format!("SET timezone = '{zone}'"));
    }
    for _ in 0..2 {
        for (client, epoch) in clients.iter_mut().zip(epochs) {
            prepare(client, "s", text);
            assert_eq!(rows(&run(client, "s")), [epoch]);
        }
        for (client, epoch) in clients.iter_mut().zip(epochs) {
            assert_eq!(rows(&run(client, "s")), [epoch]);
            batch(client, &[frames::close(b'S', "s")]);
        }
    }
    assert_eq!(pins(&stack), 0.0);
    // Prepared where the setting holds for a transaction: nobody else has it.
    clients[0].query("BEGIN");
    clients[0].query("SET LOCAL timezone = 'Asia/Tokyo'");
    prepare(&mut clients[0], "local", text);
    clients[0].query("COMMIT");
    clients[2].query("SET timezone = 'UTC'");
    prepare(&mut clients[2], "s", text);
    assert_eq!(rows(&run(&mut clients[2], "s")), [epochs[0]]);
    assert_eq!(rows(&run(&mut clients[0], "local")), [epochs[1]]);
    keeps_connection(&stack, 1.0);
}

/// What literals meant when a statement was prepared they mean for as long as it is there. Where it
/// has none, its client goes on to share connections.
#[test]
fn settings_of_later_change_nothing_in_what_was_prepared() {
    let stack = stack(3);
    let (mut one, mut other) = (client(&stack), client(&stack));
    one.query("SET timezone = 'UTC'");
    let text = "SELECT extract(epoch FROM '2020-02-02 12:00'::timestamptz)::int8";
    prepare(&mut one, "s", text);
    // On another connection.
    other.query("BEGIN");
    let second = [
        frames::parse("t", "SELECT '2020-02-02 12:00'::timestamptz = $1"),
        frames::parse("plain", "SELECT 7"),
    ];
    assert_eq!(kinds(&batch(&mut one, &second)), "11Z");
    other.query("COMMIT");
    one.query("SET timezone = 'Asia/Tokyo'");
    for _ in 0..2 {
        assert_eq!(rows(&run(&mut one, "s")), ["1580644800"]);
        assert_eq!(rows(&run(&mut one, "plain")), ["7"]);
        let noon = frames::bind("", "t", &[Some("2020-02-02 12:00+00")], false);
        let asked = batch(&mut one, &[noon, frames::execute("", 0)]);
        assert_eq!(rows(&asked), ["t"]);
        other.query("SELECT 1");
    }
    prepare(&mut one, "anew", text);
    assert_eq!(rows(&run(&mut one, "anew")), ["1580612400"]);
    keeps_connection(&stack, 1.0);
    prepare(&mut other, "plain", "SELECT 7");
    other.query("SET timezone = 'Asia/Tokyo'");
    assert_eq!(rows(&run(&mut other, "plain")), ["7"]);
    keeps_connection(&stack, 1.0);
}

/// A driver asks once what a statement returns. Where its table has changed since it hears what a
/// server says then, and reads no row as something that it is not.
#[test]
fn nobody_reads_rows_as_something_that_they_are_not() {
    let changed = (
        "0A000".to_owned(),
        "cached plan must not change result type".to_owned(),
    );
    for size in [1, 2] {
        let stack = stack(size);
        stack.prepare(&[
            "CREATE TABLE public.moves AS SELECT 7::int4 AS n",
            "GRANT SELECT ON public.moves TO PUBLIC",
        ]);
        let (mut one, mut other) = (client(&stack), client(&stack));
        let text = "SELECT * FROM public.moves";
        let described = [frames::parse("s", text), frames::describe(b'S', "s")];
        assert_eq!(kinds(&batch(&mut one, &described)), "1tTZ");
        let bound = [
            frames::parse("p", "SELECT n AS m FROM public.moves"),
            frames::bind("", "p", &[], false),
            frames::describe(b'P', ""),
            frames::execute("", 0),
        ];
        assert_eq!(kinds(&batch(&mut one, &bound)), "12TDCZ");
        for _ in 0..3 {
            assert_eq!(rows(&run(&mut one, "s")), ["7"]);
            other.query("BEGIN");
            if size > 1 {
                assert_eq!(rows(&run(&mut one, "s")), ["7"]);
                assert_eq!(rows(&run(&mut one, "p")), ["7"]);
            }
            other.query("COMMIT");
        }
        stack.prepare(&["ALTER TABLE public.moves ALTER n TYPE text USING 'seven'"]);
        let answer = batch(&mut other, &described);
        assert_eq!(kinds(&answer), "1tTZ");
        for _ in 0..3 {
            assert_eq!(rows(&run(&mut other, "s")), ["seven"]);
            assert_eq!(error(&run(&mut one, "s")), changed);
            assert_eq!(error(&run(&mut one, "p")), changed);
            let asked = batch(&mut one, &[frames::describe(b'S', "s")]);
            assert_eq!(error(&asked), changed);
        }
        // Who prepares again is told anew.
        batch(&mut one, &[frames::close(b'S', "s")]);
        assert_eq!(kinds(&batch(&mut one, &described)), "1tTZ");
        assert_eq!(rows(&run(&mut one, "s")), ["seven"]);
        assert_eq!(pins(&stack), 0.0);
    }
}

/// Names are looked up where each client says, also where tables of one name are different.
#[test]
fn names_are_looked_up_where_their_client_says() {
    let stack = stack(1);
    stack.prepare(&[
        "CREATE SCHEMA north",
        "CREATE SCHEMA south",
        "GRANT USAGE ON SCHEMA north, south TO PUBLIC",
        "CREATE TABLE north.things AS SELECT 1::int4 AS n",
        "CREATE TABLE south.things AS SELECT 'one'::text AS name, true AS is_south",
        "GRANT SELECT ON north.things, south.things TO PUBLIC",
    ]);
    let (mut north, mut south) = (client(&stack), client(&stack));
    north.query("SET search_path = north");
    south.query("SET search_path = south");
    let described = [
        frames::parse("s", "SELECT * FROM things"),
        frames::describe(b'S', "s"),
    ];
    for client in [&mut north, &mut south] {
        assert_eq!(kinds(&batch(client, &described)), "1tTZ");
    }
    for _ in 0..3 {
        assert_eq!(rows(&run(&mut north, "s")), ["1"]);
        assert_eq!(rows(&run(&mut south, "s")), ["one|t"]);
    }
    assert_eq!(prepared(&mut north).len(), 2);
}

/// Whoever keeps a connection keeps there what it has a name for, and no more.
#[test]
fn a_connection_of_one_s_own_holds_no_more_than_its_client_has_names_for() {
    let stack = stack(2);
    let mut one = client(&stack);
    one.query("BEGIN");
    one.query("DECLARE c CURSOR WITH HOLD FOR SELECT 1");
    one.query("COMMIT");
    for number in 0..260 {
        prepare(
            &mut one,
            &format!("kept{number}"),
            &format!("SELECT {number}"),
        );
    }
    for number in 0..300 {
        prepare(&mut one, "passing", &format!("SELECT -{number}"));
        batch(&mut one, &[frames::close(b'S', "passing")]);
    }
    let count = rows(&one.query("SELECT count(*) FROM pg_prepared_statements"));
    assert!(count[0].parse::<u32>().unwrap() <= 262, "{count:?}");
    for number in (0..260).step_by(13) {
        let answer = run(&mut one, &format!("kept{number}"));
        assert_eq!(rows(&answer), [number.to_string()]);
    }
    keeps_connection(&stack, 1.0);
}

/// A name that SQL gives is never left on a connection that others have, however a transaction has
/// ended before it in the same text.
#[test]
fn names_that_sql_gives_are_on_no_connection_of_others() {
    for text in [
        "ROLLBACK; PREPARE mine AS SELECT 'one'",
        "COMMIT; PREPARE mine AS SELECT 'one'",
        "ROLLBACK; BEGIN; PREPARE mine AS SELECT 'one'; COMMIT",
    ] {
        let stack = stack(3);
        let (mut one, mut other) = (client(&stack), client(&stack));
        one.query("BEGIN");
        one.query("SELECT 1/0");
        // Leaves the connection of `one` as the next that is free.
        let mut holds = client(&stack);
        holds.query("BEGIN");
        let answer = one.query(text);
        assert!(!kinds(&answer).contains('E'), "{text}: {answer:?}");
        let names = rows(&other.query("SELECT name FROM pg_prepared_statements"));
        assert!(names.is_empty(), "{text}: {names:?}");
        assert_eq!(kinds(&other.query("PREPARE mine AS SELECT 'other'")), "CZ");
        assert_eq!(rows(&other.query("EXECUTE mine")), ["other"]);
        assert_eq!(rows(&one.query("EXECUTE mine")), ["one"], "{text}");
        keeps_connection(&stack, 2.0);
    }
}
