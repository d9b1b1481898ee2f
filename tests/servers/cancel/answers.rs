//! Calls of `pg_cancel_backend` and `pg_terminate_backend` are answered through pgsieve as by the
//! database itself, to the byte.

use crate::cancel::by_pid::{ENDLESS, NOBODY, code, login, pid, value};
use crate::support::raw::{Frame, kinds};
use crate::support::sql::assert_running;
use crate::support::{APP, Options, RawClient, Stack, frames};

/// In every protocol and format, the answer is the server's to the byte.
#[test]
fn calls_are_answered_as_by_the_server() {
    let stack = Stack::start(Options::default());
    for (name, other) in [
        ("pg_cancel_backend", NOBODY),
        ("pg_terminate_backend", NOBODY - 1),
    ] {
        for sql in [
            format!("SELECT {name}({other})"),
            format!("select PG_CATALOG.{name} ( '{other}' ) as \"Done\" ; -- now"),
            format!("SELECT {name}({other}::int) x"),
            format!("SELECT {name}(-7)"),
            format!("SELECT {name}(pid) FROM pg_stat_activity WHERE pid = '{other}'"),
        ] {
            same(&stack, &frames::query(&sql), &sql);
            for binary in [false, true] {
                same(&stack, &frames::extended(&sql, &[], binary), &sql);
            }
        }
        for sql in [
            format!("SELECT {name}($1)"),
            format!("SELECT {name}($1::integer) AS x"),
            format!("SELECT {name}(pid) FROM pg_stat_activity WHERE pid = $1"),
        ] {
            same(&stack, &frames::query(&sql), &sql);
            for value in [Some("2147483640"), None, Some(" -3 "), Some("3000000000")] {
                for binary in [false, true] {
                    let batch = [
                        frames::parse("s", &sql),
                        frames::describe(b'S', "s"),
                        frames::bind("p", "s", &[value], binary),
                        frames::describe(b'P', "p"),
                        frames::execute("p", 1),
                        frames::execute("p", 0),
                        frames::close(b'S', "s"),
                        frames::sync(),
                    ];
                    same(&stack, &batch.concat(), &format!("{sql} of {value:?}"));
                }
            }
        }
    }
    let waits = "SELECT pg_terminate_backend($1, $2)";
    for values in [
        [Some("2147483640"), Some("5")],
        [None, Some("5")],
        [Some("7"), None],
    ] {
        same(&stack, &frames::extended(waits, &values, false), waits);
    }
}

#[test]
fn values_may_be_binary() {
    let stack = Stack::start(Options::default());
    let [mut one, mut other] = [(); 2].map(|()| login(&stack));
    let pid = pid(&other);
    for (oid, bytes) in [
        (23, pid.to_be_bytes().to_vec()),
        (0, pid.to_be_bytes().to_vec()),
    ] {
        other.send(&frames::query(ENDLESS));
        assert_running(&stack, 1);
        let batch = [
            parse_typed("SELECT pg_cancel_backend($1)", oid),
            bind_binary(&bytes),
            frames::execute("", 0),
            frames::sync(),
        ];
        one.send(&batch.concat());
        let answer = one.until_ready();
        assert_eq!(kinds(&answer), "12DCZ");
        assert_eq!(answer[2].body, [0, 1, 0, 0, 0, 1, b't']);
        assert_eq!(code(&other.until_ready()), "57014", "{oid}");
    }
    // What drivers send for a number that is small.
    let small = [
        parse_typed("SELECT pg_cancel_backend($1)", 21),
        bind_binary(&7_i16.to_be_bytes()),
        frames::execute("", 0),
        frames::sync(),
    ];
    same(&stack, &small.concat(), "int2");
}

#[test]
fn who_does_not_hear_warnings_hears_none() {
    let stack = Stack::start(Options::default());
    let call = format!("SELECT pg_cancel_backend({NOBODY})");
    for (level, kinds_then) in [("warning", "TNDCZ"), ("error", "TDCZ"), ("notice", "TNDCZ")] {
        for address in [stack.direct_address(), stack.proxied_address()] {
            let mut client = RawClient::login(address, &stack.login(APP));
            client.query(&format!("SET client_min_messages = {level}"));
            assert_eq!(kinds(&client.query(&call)), kinds_then, "{level}");
        }
    }
}

#[test]
fn another_version_is_answered_alike() {
    let Some(stack) = Stack::on_version(18) else {
        return;
    };
    for sql in [
        format!("SELECT pg_cancel_backend({NOBODY})"),
        format!("SELECT pg_terminate_backend({NOBODY})"),
    ] {
        same(&stack, &frames::query(&sql), &sql);
    }
    let [mut one, mut other] = [(); 2].map(|()| login(&stack));
    let stop = format!("SELECT pg_terminate_backend({}, 1000)", pid(&other));
    assert_eq!(value(&one.query(&stop)), "t");
    assert_eq!(other.until_closed()[0].sqlstate(), "57P01");
}

#[test]
fn a_session_stops_itself() {
    let stack = Stack::start(Options::default());
    for direct in [true, false] {
        let address = if direct {
            stack.direct_address()
        } else {
            stack.proxied_address()
        };
        let mut client = RawClient::login(address, &stack.login(APP));
        let own = pid(&client);
        let cancel = format!("SELECT pg_cancel_backend({own})");
        for batch in [
            frames::query(&cancel),
            frames::extended(&cancel, &[], false),
        ] {
            client.send(&batch);
            let answer = client.until_ready();
            let error = answer
                .iter()
                .find(|frame| frame.kind == b'E')
                .expect("an error");
            assert_eq!(error.sqlstate(), "57014", "{answer:?}");
            let words = "canceling statement due to user request";
            assert_eq!(error.field(b'M').as_deref(), Some(words));
            assert_eq!((error.field(b'D'), error.field(b'H')), (None, None));
            assert!(kinds(&answer).ends_with("EZ"), "{answer:?}");
        }
        client.query("BEGIN");
        let failed = client.query(&cancel);
        assert_eq!(failed.last().unwrap().body, b"E");
        assert_eq!(client.query(&cancel)[0].sqlstate(), "25P02");
        client.query("ROLLBACK");
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
        client.send(&frames::query(&format!(
            "SELECT pg_terminate_backend({own})"
        )));
        let last = client.until_closed();
        assert_eq!(
            last.last().map(Frame::sqlstate).as_deref(),
            Some("57P01"),
            "{last:?}"
        );
    }
}

/// A batch is answered as by the database, notices and errors by what they say.
#[track_caller]
fn same(stack: &Stack, batch: &[u8], what: &str) {
    let [direct, proxied] = [stack.direct_address(), stack.proxied_address()].map(|address| {
        let mut client = RawClient::login(address, &stack.login(APP));
        client.send(batch);
        let answer = client.until_ready();
        let told = answer.iter().map(|frame| match frame.kind {
            b'E' | b'N' => {
                let fields = b"SVCM".map(|code| frame.field(code).unwrap_or_default());
                format!("{} {fields:?}", char::from(frame.kind))
            }
            _ => format!("{frame:?}"),
        });
        told.collect::<Vec<_>>()
    });
    assert_eq!(direct, proxied, "{what}");
}

/// A Parse of an unnamed statement whose parameter has this type.
fn parse_typed(sql: &str, oid: u32) -> Vec<u8> {
    let types = [&[0, 1][..], &oid.to_be_bytes()].concat();
    frames::message(b'P', &[&[0][..], &frames::zero_ended(sql), &types].concat())
}

/// A Bind of the unnamed statement with one binary value.
fn bind_binary(value: &[u8]) -> Vec<u8> {
    let length = u32::try_from(value.len()).unwrap().to_be_bytes();
    let body = [&[0, 0, 0, 1, 0, 1, 0, 1][..], &length, value, &[0, 0]].concat();
    frames::message(b'B', &body)
}
