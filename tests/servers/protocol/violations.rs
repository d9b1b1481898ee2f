//! Frames that break the protocol, and data that nobody asked for: the connection ends with 08P01,
//! after everything that was asked before is answered.

use crate::support::raw::kinds;
use crate::support::{APP, RawClient, frames};

use super::refusals::stack;

#[test]
fn copy_data_after_a_refused_copy_is_dropped() {
    let mut client = client();
    let data = [
        frames::message(b'd', b"1\tx\n"),
        frames::message(b'd', b"2\ty\n"),
        frames::message(b'c', b""),
    ];
    client.send(
        &[
            frames::query("COPY item FROM STDIN"),
            data.concat(),
            frames::query("SELECT 1"),
        ]
        .concat(),
    );
    let answer = client.until_ready();
    assert_eq!(
        (kinds(&answer).as_str(), answer[0].sqlstate().as_str()),
        ("EZ", "25006")
    );
    assert_eq!(kinds(&client.until_ready()), "TDCZ");
    client.send(
        &[
            frames::query("COPY item FROM STDIN"),
            frames::message(b'f', b"given up\0"),
        ]
        .concat(),
    );
    assert_eq!(kinds(&client.until_ready()), "EZ");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn copy_data_that_nobody_asked_for_is_a_violation() {
    for frame in [
        frames::message(b'd', b"1\n"),
        frames::message(b'c', b""),
        frames::message(b'f', b"x\0"),
    ] {
        let mut client = client();
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
        assert_violation(&mut client, &frame);
    }
}

#[test]
fn frames_that_lie_end_the_connection() {
    let header = |kind: u8, length: i32| [&[kind][..], &length.to_be_bytes()].concat();
    let bind_with_a_false_count = {
        let mut body = b"\0\0".to_vec();
        body.extend([0, 0, 0, 9]);
        frames::message(b'B', &body)
    };
    let cases = [
        header(b'Q', 0),
        header(b'Q', 3),
        header(b'Q', -1),
        header(b'Q', i32::MIN),
        header(b'Q', i32::MAX),
        header(b'S', i32::MAX),
        frames::message(b'Q', b""),
        frames::message(b'Q', b"SELECT 1"),
        frames::message(b'Q', b"SELECT 1\0\0"),
        frames::message(b'Q', b"SELECT 1\0DELETE FROM item\0"),
        frames::message(b'P', b"name without end"),
        frames::message(b'P', b"\0SELECT 1\0"),
        frames::message(b'P', b"\0SELECT 1\0\0\x01"),
        frames::message(b'P', b"\0SELECT 1\0\0\0more"),
        frames::message(b'B', b"\0"),
        bind_with_a_false_count,
        frames::message(b'E', b"\0\0\0"),
        frames::message(b'D', b"X\0"),
        frames::message(b'D', b"S"),
        frames::message(b'C', b"\0"),
        frames::message(b'S', b"x"),
        frames::message(b'H', b"x"),
        frames::message(b'z', b""),
        frames::message(0, b""),
        frames::message(b'p', b"password\0"),
        frames::message(b'R', b"\0\0\0\0"),
        frames::startup(0, &[("user", "app")]),
        frames::ssl_request(),
    ];
    for case in cases {
        assert_violation(&mut client(), &case);
        // What came before it is answered first.
        let mut client = client();
        client.send(&[frames::query("SELECT 1"), case.clone()].concat());
        let answer = client.until_closed();
        assert_eq!(
            kinds(&answer),
            "TDCZE",
            "{}: {answer:?}",
            case.escape_ascii()
        );
    }
}

#[test]
fn text_that_is_not_utf8_is_an_error_and_no_more() {
    let mut client = client();
    for bad in [
        &b"SELECT '\xff'\0"[..],
        b"SELECT '\xc0\x80'\0",
        b"SELECT '\xed\xa0\x80'\0",
        b"\x80\0",
    ] {
        client.send(&frames::message(b'Q', bad));
        let answer = client.until_ready();
        assert_eq!(
            (kinds(&answer).as_str(), answer[0].sqlstate().as_str()),
            ("EZ", "22021")
        );
        let parse = [b"\0", bad, b"\0\0"].concat();
        client.send(&[frames::message(b'P', &parse), frames::sync()].concat());
        let answer = client.until_ready();
        assert_eq!(
            (kinds(&answer).as_str(), answer[0].sqlstate().as_str()),
            ("EZ", "22021")
        );
    }
    assert_eq!(kinds(&client.query("SELECT 'ä'")), "TDCZ");
}

fn assert_violation(client: &mut RawClient, bytes: &[u8]) {
    client.send(bytes);
    let answer = client.until_closed();
    let shown = bytes.escape_ascii();
    assert_eq!(kinds(&answer), "E", "{shown}: {answer:?}");
    assert_eq!(
        (
            answer[0].sqlstate().as_str(),
            answer[0].field(b'V').as_deref()
        ),
        ("08P01", Some("FATAL")),
        "{shown}"
    );
}

fn client() -> RawClient {
    RawClient::login(stack().proxied_address(), &stack().login(APP))
}
