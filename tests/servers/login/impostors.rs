//! Upstreams that are not what they should be: they cannot get a password out of pgsieve, keep it
//! busy, or hand it a session that could write.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::login::support::{PASSWORD, Setup, Sieve};

/// What a false upstream does.
enum Act {
    /// Reads something.
    Hear,
    /// Sends this.
    Say(&'static [u8]),
    /// Hangs up and takes the next connection.
    Anew,
}

use Act::{Anew, Hear, Say};

/// A false upstream; it gives back all that it heard.
fn upstream(acts: Vec<Act>) -> (u16, JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let accept = move || {
        let (stream, _) = listener.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream
    };
    let actor = std::thread::spawn(move || {
        let mut stream: TcpStream = accept();
        let mut heard = Vec::new();
        for act in acts {
            match act {
                Hear => {
                    let mut buffer = vec![0; 4096];
                    let count = stream.read(&mut buffer).unwrap_or(0);
                    heard.push(buffer[..count].to_vec());
                }
                Say(bytes) => {
                    let _may_be_gone = stream.write_all(bytes);
                }
                Anew => stream = accept(),
            }
        }
        let mut after = Vec::new();
        let _closed = stream.read_to_end(&mut after);
        heard.push(after);
        heard
    });
    (port, actor)
}

/// A login through such an upstream fails with these words; what the upstream heard is returned.
fn check(parameters: &str, acts: Vec<Act>, words: &str) -> (Vec<Vec<u8>>, Sieve) {
    let (port, actor) = upstream(acts);
    let address = format!("postgres://127.0.0.1:{port}/?{parameters}");
    let sieve = Sieve::start(Setup {
        upstream: address,
        ..Setup::plain()
    });
    sieve.check_out(&sieve.target("scramy", ""), PASSWORD, words);
    let heard = actor.join().unwrap();
    let everything = heard.concat();
    let phrase = PASSWORD.as_bytes();
    assert!(
        !everything
            .windows(phrase.len())
            .any(|window| window == phrase)
    );
    (heard, sieve)
}

const BROKEN_OFF: &str = "the database behind the proxy broke off the login";
const UNREACHABLE: &str = "the database behind the proxy cannot be reached";
const LOST: &str = "the connection to the database was lost while its session was checked";
const SILENT: &str = "the database does not say whether its session is read-only";
const UNPROVEN: &str = "the database did not prove that it knows the password";
const WRITABLE: &str = "the database session is not read-only";
const SASL: &[u8] = b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";

#[test]
fn tls_that_is_not_given() {
    check("sslmode=require", vec![Hear, Say(b"N")], UNREACHABLE);
    check("sslmode=require", vec![Hear, Say(b"E")], UNREACHABLE);
    check("sslmode=require", vec![Hear], UNREACHABLE);
    // CVE-2021-23222: bytes in clear behind the yes are not taken for bytes under TLS.
    let stuffed = b"SR\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
    check("sslmode=require", vec![Hear, Say(stuffed)], UNREACHABLE);
}

#[test]
fn more_hashing_than_a_login_may_cost() {
    let challenge = b"R\0\0\0\x23\0\0\0\x0br=x,s=MTIzNA==,i=2147483647";
    check("", vec![Hear, Say(SASL), Hear, Say(challenge)], UNPROVEN);
}

#[test]
fn a_login_without_proof() {
    // "Fine, come in", without having shown that it knows the password's verifier.
    let (heard, _) = check(
        "",
        vec![Hear, Say(SASL), Hear, Say(b"R\0\0\0\x08\0\0\0\0")],
        BROKEN_OFF,
    );
    assert!(heard[1].starts_with(b"p\0\0"), "{heard:?}");
    check(
        "",
        vec![Hear, Say(SASL), Hear, Say(b"R\0\0\0\x0d\0\0\0\x0cv=abc")],
        BROKEN_OFF,
    );
}

#[test]
fn methods_that_are_not_carried() {
    let words = "a login method that the proxy does not carry";
    check("", vec![Hear, Say(b"R\0\0\0\x08\0\0\0\x07")], words);
    let token = b"R\0\0\0\x15\0\0\0\x0aOAUTHBEARER\0\0";
    check("", vec![Hear, Say(token), Hear], words);
}

#[test]
fn bytes_that_are_no_messages() {
    for bytes in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        b"R\0\0\0\x03",
        b"R\xff\xff\xff\xff",
        b"R\0\0\0\x07\0\0\0",
        b"D\x40\0\0\0",
        b"Z\0\0\0\x05I",
        b"T\0\0\0\x06\0\0",
        b"",
    ] {
        check("", vec![Hear, Say(bytes)], BROKEN_OFF);
    }
}

#[test]
fn an_upstream_that_knows_only_the_old_protocol() {
    let refusal = b"E\0\0\0\x22SFATAL\0C08P01\0Munsupported\0\0\0";
    let no_room = b"E\0\0\0\x1eSFATAL\0C53400\0Mno room\0\0\0";
    let refusal: &[u8] = &refusal[..];
    let acts = vec![Hear, Say(fixed(refusal)), Anew, Hear, Say(fixed(no_room))];
    let (heard, _) = check("", acts, "no room");
    assert_eq!(heard[0][4..8], [0, 3, 0, 2]);
    assert_eq!(heard[1][4..8], [0, 3, 0, 0]);
}

/// The same message with its length put right.
fn fixed(message: &[u8]) -> &'static [u8] {
    let mut message = message.to_vec();
    while message.ends_with(b"\0\0\0") {
        message.pop();
    }
    let length = u32::try_from(message.len() - 1).unwrap();
    message[1..5].copy_from_slice(&length.to_be_bytes());
    message.leak()
}

/// Parameters as they are reported, then ready.
fn reporting(pairs: &[(&str, &str)]) -> &'static [u8] {
    let mut all = b"R\0\0\0\x08\0\0\0\0".to_vec();
    for (name, value) in pairs {
        let length = u32::try_from(4 + name.len() + value.len() + 2).unwrap();
        all.push(b'S');
        all.extend_from_slice(&length.to_be_bytes());
        all.extend_from_slice(format!("{name}\0{value}\0").as_bytes());
    }
    all.extend_from_slice(b"Z\0\0\0\x05I");
    all.leak()
}

#[test]
fn a_session_that_is_not_read_only_is_an_alarm() {
    let off = b"T\0\0\0\x06\0\0D\0\0\0\x0d\0\x01\0\0\0\x03offC\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    let strings = ("standard_conforming_strings", "on");
    let utf8 = ("client_encoding", "UTF8");
    let read_only = ("default_transaction_read_only", "on");
    let acts = vec![
        Hear,
        Say(reporting(&[strings, utf8, read_only])),
        Hear,
        Say(off),
    ];
    let (_, sieve) = check("", acts, WRITABLE);
    sieve.check_metric(&["tripwire", "read_only_not_verified"], 1.0);
    sieve.check_metric(&["logins", "upstream_not_read_only"], 1.0);
    let on = b"D\0\0\0\x0c\0\x01\0\0\0\x02onC\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    let writable = ("default_transaction_read_only", "off");
    let acts = vec![
        Hear,
        Say(reporting(&[strings, utf8, writable])),
        Hear,
        Say(on),
    ];
    let (_, sieve) = check("", acts, WRITABLE);
    sieve.check_metric(&["tripwire", "read_only_reported_off"], 1.0);
    let acts = vec![
        Hear,
        Say(reporting(&[
            strings,
            ("client_encoding", "SJIS"),
            read_only,
        ])),
    ];
    let (_, sieve) = check("", acts, WRITABLE);
    sieve.check_metric(&["tripwire", "encoding_changed"], 1.0);
    let acts = vec![
        Hear,
        Say(reporting(&[("standard_conforming_strings", "off"), utf8])),
    ];
    let (_, sieve) = check("", acts, WRITABLE);
    sieve.check_metric(&["tripwire", "lexer_setting_changed"], 1.0);
}

/// That nobody could look at a session does not say that it can be written to.
#[test]
fn a_connection_that_breaks_during_the_check_is_not_one_that_is_not_read_only() {
    let firm = reporting(&[
        ("standard_conforming_strings", "on"),
        ("client_encoding", "UTF8"),
        ("default_transaction_read_only", "on"),
    ]);
    let on = b"D\0\0\0\x0c\0\x01\0\0\0\x02onC\0\0\0\x09SHOW\0Z\0\0\0\x05I";
    let who = b"D\0\0\0\x24\0\x03\0\0\0\x100002c0ffee000001\0\0\0\x015\0\0\0\x017Z\0\0\0\x05I";
    let shut_down = b"E\0\0\0\x1bVFATAL\0C57P01\0Mclosed\0\0";
    let refused = b"E\0\0\0\x13VERROR\0C08P01\0\0Z\0\0\0\x05I";
    for (answers, words, outcome) in [
        (&[][..], LOST, "upstream_unreachable"),
        (&[&on[..3]], LOST, "upstream_unreachable"),
        (&[&on[..]], LOST, "upstream_unreachable"),
        (&[&on[..], who], LOST, "upstream_unreachable"),
        (&[&shut_down[..]], LOST, "upstream_unreachable"),
        (&[&on[..], shut_down], LOST, "upstream_unreachable"),
        (&[&refused[..]], SILENT, "upstream_not_read_only"),
    ] {
        let answers = answers.concat().leak();
        let acts = vec![Hear, Say(firm), Hear, Say(answers)];
        let (_, sieve) = check("", acts, words);
        sieve.check_metric(&["logins", outcome], 1.0);
        sieve.check_metric(&["tripwire", "read_only_not_verified"], 0.0);
    }
}
