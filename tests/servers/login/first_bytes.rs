//! What a connection starts with, byte by byte: TLS asked for in every way and abused in many, GSS,
//! versions, and packets that are none.

use std::io::Write;

use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::telemetry::labels::ClosedBecause;

use crate::login::raw::{
    GSS, SSL, check_fatal, connect, hello, message, one_byte, rest, session, startup, tls_over,
    trusting,
};
use crate::login::support::{PASSWORD, Setup, Sieve, certificates, psql, text, tls_files};

fn allowing() -> Sieve {
    Sieve::start(Setup {
        tls: ClientTlsSettings::Allow(tls_files()),
        ..Setup::plain()
    })
}

#[test]
fn the_modes_of_tls() {
    for (tls, clear, prefer, require) in [
        (ClientTlsSettings::Off, true, true, false),
        (ClientTlsSettings::Allow(tls_files()), true, true, true),
        (ClientTlsSettings::Require(tls_files()), false, true, true),
    ] {
        let sieve = Sieve::start(Setup {
            tls,
            ..Setup::plain()
        });
        for (mode, works) in [("disable", clear), ("prefer", prefer), ("require", require)] {
            let target = sieve.target("scramy", &format!("sslmode={mode}"));
            let output = psql(&target, PASSWORD, "SELECT 1");
            assert_eq!(
                output.status.success(),
                works,
                "{mode}: {}",
                text(&output.stderr)
            );
        }
        sieve.check_in(&sieve.socket_target("scramy"), PASSWORD, "scramy");
    }
    let authority = certificates().authority.display();
    let full = format!("sslmode=verify-full sslrootcert={authority}");
    let sieve = allowing();
    sieve.check_in(&sieve.target("scramy", &full), PASSWORD, "scramy");
}

#[test]
fn a_startup_in_clear_is_refused_where_tls_is_required() {
    let tls = ClientTlsSettings::Require(tls_files());
    let sieve = Sieve::start(Setup {
        tls,
        ..Setup::plain()
    });
    let mut stream = connect(&sieve);
    stream.write_all(&hello()).unwrap();
    check_fatal(&rest(&mut stream), "28000");
    // Also after GSS was declined, and after TLS was asked for where there is none.
    let mut stream = connect(&sieve);
    stream.write_all(GSS).unwrap();
    assert_eq!(one_byte(&mut stream), b'N');
    stream.write_all(&hello()).unwrap();
    check_fatal(&rest(&mut stream), "28000");
    sieve.check_metric(&["refused", "tls_required"], 2.0);
}

#[test]
fn gss_is_declined_and_everything_is_asked_once() {
    let sieve = allowing();
    let mut stream = connect(&sieve);
    stream.write_all(GSS).unwrap();
    assert_eq!(one_byte(&mut stream), b'N');
    stream.write_all(SSL).unwrap();
    assert_eq!(one_byte(&mut stream), b'S');
    let mut stream = connect(&sieve);
    stream.write_all(GSS).unwrap();
    assert_eq!(one_byte(&mut stream), b'N');
    stream.write_all(GSS).unwrap();
    check_fatal(&rest(&mut stream), "08P01");

    let off = Sieve::start(Setup::plain());
    let mut stream = connect(&off);
    for (request, answer) in [(SSL, b'N'), (GSS, b'N')] {
        stream.write_all(request).unwrap();
        assert_eq!(one_byte(&mut stream), answer);
    }
    stream.write_all(SSL).unwrap();
    check_fatal(&rest(&mut stream), "08P01");
    off.check_metric(&["violations", "client", "out_of_order"], 1.0);
}

#[test]
fn bytes_behind_a_request_for_tls_end_the_connection() {
    let off = Sieve::start(Setup::plain());
    for (sieve, request) in [(allowing(), SSL), (allowing(), GSS), (off, SSL)] {
        let mut stream = connect(&sieve);
        stream.write_all(&[request, &hello()].concat()).unwrap();
        assert_eq!(rest(&mut stream), b"", "not even an answer");
        assert_eq!(sieve.wait_for_ends(1), [ClosedBecause::ClientViolation]);
        sieve.check_metric(&["violations", "client", "bytes_before_tls"], 1.0);
    }
}

#[test]
fn tls_by_request_and_direct_tls() {
    let sieve = allowing();
    let mut stream = connect(&sieve);
    stream.write_all(SSL).unwrap();
    assert_eq!(one_byte(&mut stream), b'S');
    let mut tls = tls_over(stream, &[]);
    tls.write_all(&trusting()).unwrap();
    assert_eq!(session(&mut tls)[0], (b'R', vec![0; 4]));

    let mut tls = tls_over(connect(&sieve), &[b"postgresql"]);
    tls.write_all(&trusting()).unwrap();
    assert_eq!(session(&mut tls)[0], (b'R', vec![0; 4]));

    // Once under TLS, there is nothing more to ask for.
    for request in [SSL, GSS] {
        let mut tls = tls_over(connect(&sieve), &[b"postgresql"]);
        tls.write_all(request).unwrap();
        check_fatal(&rest(&mut tls), "08P01");
    }
}

#[test]
fn direct_tls_has_to_name_the_protocol() {
    let sieve = allowing();
    for alpn in [&[][..], &[&b"http/1.1"[..]], &[&b"h2"[..], b"postgresq"]] {
        let mut tls = tls_over(connect(&sieve), alpn);
        let _may_fail = tls.write_all(&trusting());
        assert_eq!(rest(&mut tls), b"", "{alpn:?}");
    }
    sieve.check_metric(&["refused", "tls_handshake"], 3.0);
    // Where TLS is off, its first byte is no packet.
    let off = Sieve::start(Setup::plain());
    let mut tls = tls_over(connect(&off), &[b"postgresql"]);
    assert!(tls.write_all(&trusting()).is_err() || rest(&mut tls).is_empty());
}

#[test]
fn protocol_versions() {
    let sieve = Sieve::start(Setup::plain());
    let user = [("user", "trusty"), ("database", "postgres")];
    for (minor, negotiated, key_bytes) in [
        (0, None, 4),
        (1, Some(0), 4),
        (2, None, 32),
        (3, Some(2), 32),
        (9999, Some(2), 32),
    ] {
        let mut stream = connect(&sieve);
        stream.write_all(&startup(3, minor, &user)).unwrap();
        let messages = session(&mut stream);
        let offered = negotiated.map(|minor: u8| (b'v', vec![0, 3, 0, minor, 0, 0, 0, 0]));
        let offer = messages.first().filter(|(kind, _)| *kind == b'v').cloned();
        assert_eq!(offer, offered, "3.{minor}");
        let key = messages.iter().find(|(kind, _)| *kind == b'K').unwrap();
        assert_eq!(key.1.len() - 4, key_bytes, "3.{minor}");
        let statuses = messages.iter().filter(|(kind, _)| *kind == b'S');
        let names: Vec<String> = statuses.map(|(_, body)| text(body)).collect();
        assert!(
            names
                .iter()
                .any(|name| name == "default_transaction_read_only\0on\0")
        );
        assert!(names.iter().any(|name| name == "client_encoding\0UTF8\0"));
    }
    let mut stream = connect(&sieve);
    let options = [user[0], user[1], ("_pq_.colour", "red"), ("_pq_.x", "")];
    stream.write_all(&startup(3, 2, &options)).unwrap();
    let offer = session(&mut stream).remove(0);
    assert_eq!(
        offer,
        (
            b'v',
            b"\0\x03\0\x02\0\0\0\x02_pq_.colour\0_pq_.x\0".to_vec()
        )
    );
    for (major, minor) in [(2, 0), (4, 0), (0, 0), (1234, 9)] {
        let mut stream = connect(&sieve);
        stream.write_all(&startup(major, minor, &user)).unwrap();
        check_fatal(&rest(&mut stream), "0A000");
    }
}

#[test]
fn a_startup_packet_in_single_bytes() {
    let sieve = Sieve::start(Setup::plain());
    let mut stream = connect(&sieve);
    stream.set_nodelay(true).unwrap();
    for byte in trusting() {
        stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(session(&mut stream)[0], (b'R', vec![0; 4]));
}

#[test]
fn packets_that_are_none() {
    let sieve = Sieve::start(Setup::plain());
    let giant = startup(3, 0, &[("user", &"u".repeat(20_000))]);
    let mut unterminated = hello();
    unterminated.pop();
    let length = u32::try_from(unterminated.len()).unwrap();
    unterminated[..4].copy_from_slice(&length.to_be_bytes());
    for packet in [
        &giant[..],
        &unterminated,
        b"\0\0\0\0",
        b"\0\0\0\x03",
        b"\0\0\0\x07\0\x03\0",
        b"\xff\xff\xff\xff\0\x03\0\0",
        b"\x7f\xff\xff\xff\0\x03\0\0",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0\0\0\x09\x04\xd2\x16\x2f\0",
        b"\0\0\0\x0b\x04\xd2\x16\x2e\0\0\0",
    ] {
        let mut stream = connect(&sieve);
        stream.write_all(packet).unwrap();
        check_fatal(&rest(&mut stream), "08P01");
    }
    let ends = sieve.wait_for_ends(10);
    assert!(
        ends.iter()
            .all(|end| *end == ClosedBecause::ClientViolation),
        "{ends:?}"
    );
}

#[test]
fn a_second_startup_message_during_the_login() {
    let sieve = Sieve::start(Setup::plain());
    let mut stream = connect(&sieve);
    stream.write_all(&hello()).unwrap();
    assert_eq!(message(&mut stream), (b'R', vec![0, 0, 0, 3]));
    stream.write_all(&hello()).unwrap();
    check_fatal(&rest(&mut stream), "08P01");
    sieve.check_metric(&["violations", "client", "out_of_order"], 1.0);
}

#[test]
fn messages_that_are_no_passwords() {
    let sieve = Sieve::start(Setup::plain());
    for packet in [
        &b"p\0\0\0\x04"[..],
        b"p\0\0\0\x05x",
        b"p\0\0\0\x08a\0b\0",
        b"p\0\0\0\x03",
        b"p\xff\xff\xff\xff",
        b"p\x7f\xff\xff\xff",
        b"Q\0\0\0\x0dSELECT 1\0",
        b"X\0\0\0\x04",
    ] {
        let mut stream = connect(&sieve);
        stream.write_all(&hello()).unwrap();
        assert_eq!(message(&mut stream), (b'R', vec![0, 0, 0, 3]));
        stream.write_all(packet).unwrap();
        check_fatal(&rest(&mut stream), "08P01");
    }
    let mut stream = connect(&sieve);
    stream.write_all(&hello()).unwrap();
    assert_eq!(message(&mut stream), (b'R', vec![0, 0, 0, 3]));
    stream.write_all(b"p\0\0\0\x05\0").unwrap();
    check_fatal(&rest(&mut stream), "28P01");
}

#[test]
fn a_client_that_goes_away_leaves_nothing_behind() {
    let sieve = allowing();
    drop(connect(&sieve));
    let mut stream = connect(&sieve);
    stream.write_all(&hello()).unwrap();
    assert_eq!(message(&mut stream).0, b'R');
    drop(stream);
    let mut stream = connect(&sieve);
    stream.write_all(SSL).unwrap();
    assert_eq!(one_byte(&mut stream), b'S');
    drop(stream);
    assert_eq!(sieve.wait_for_ends(3).len(), 3);
    assert!(sieve.cancels.is_empty());
}

#[test]
fn a_cancel_with_a_wrong_key_is_heard_in_silence() {
    let sieve = Sieve::start(Setup::plain());
    let mut stream = connect(&sieve);
    stream
        .write_all(b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x07")
        .unwrap();
    assert_eq!(rest(&mut stream), b"");
    assert_eq!(sieve.wait_for_ends(1), [ClosedBecause::CancelRequest]);
    sieve.check_metric(&["cancel", "unknown_key"], 1.0);
}
