//! SCRAM as no client speaks it: mechanisms that do not fit their messages, messages that are none,
//! and what a stranger can learn of who is known here.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pgsieve::auth::settings::{AuthSettings, ScramUser, UpstreamIdentity};
use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::secret::Secret;

use crate::login::raw::{check_fatal, connect, message, rest, startup, tls_over};
use crate::login::support::{PASSWORD, Setup, Sieve, text, tls_files};

const PLAIN: &str = "SCRAM-SHA-256";
const PLUS: &str = "SCRAM-SHA-256-PLUS";

fn sieve() -> Sieve {
    let verifier = ScramVerifier::make(&Secret::new("sésame")).unwrap();
    let upstream = UpstreamIdentity {
        user: "scramy".into(),
        secret: Some(Secret::new(PASSWORD).into()),
    };
    let verifier = ScramVerifier::parse(&verifier).unwrap();
    let users = vec![ScramUser {
        name: "alice".into(),
        verifier,
        upstream,
    }];
    let tls = ClientTlsSettings::Allow(tls_files());
    Sieve::start(Setup {
        auth: AuthSettings::Scram { users },
        tls,
        ..Setup::plain()
    })
}

/// Sends the startup packet of a user and reads the offer.
fn offered(stream: &mut (impl Read + Write), user: &str) -> Vec<String> {
    stream
        .write_all(&startup(3, 0, &[("user", user), ("database", "postgres")]))
        .unwrap();
    let (kind, body) = message(stream);
    assert_eq!((kind, &body[..4]), (b'R', &[0, 0, 0, 10][..]));
    text(&body[4..])
        .trim_end_matches('\0')
        .split('\0')
        .map(str::to_owned)
        .collect()
}

fn say(stream: &mut impl Write, body: &[u8]) {
    let length = u32::try_from(body.len() + 4).unwrap();
    stream
        .write_all(&[b"p", &length.to_be_bytes()[..], body].concat())
        .unwrap();
}

fn initial(mechanism: &str, first: &[u8]) -> Vec<u8> {
    let length = u32::try_from(first.len()).unwrap();
    [mechanism.as_bytes(), b"\0", &length.to_be_bytes(), first].concat()
}

/// Goes up to the challenge and gives its text: `r=…,s=…,i=…`.
fn challenged(stream: &mut (impl Read + Write), user: &str) -> String {
    offered(stream, user);
    say(stream, &initial(PLAIN, b"n,,n=,r=abc"));
    let (kind, body) = message(stream);
    assert_eq!((kind, &body[..4]), (b'R', &[0, 0, 0, 11][..]));
    text(&body[4..])
}

#[test]
fn binding_is_offered_only_where_there_is_a_channel() {
    let sieve = sieve();
    assert_eq!(offered(&mut connect(&sieve), "alice"), [PLAIN]);
    assert_eq!(offered(&mut connect(&sieve), "mallory"), [PLAIN]);
    let mut tls = tls_over(connect(&sieve), &[b"postgresql"]);
    assert_eq!(offered(&mut tls, "alice"), [PLUS, PLAIN]);
}

#[test]
fn first_messages_that_do_not_fit() {
    let sieve = sieve();
    for (mechanism, first) in [
        (PLUS, &b"n,,n=,r=abc"[..]),
        (PLUS, b"p=tls-server-end-point,,n=,r=abc"),
        (PLAIN, b"p=tls-server-end-point,,n=,r=abc"),
        ("SCRAM-SHA-1", b"n,,n=,r=abc"),
        ("", b"n,,n=,r=abc"),
        (PLAIN, b""),
        (PLAIN, b"n"),
        (PLAIN, b"n,,"),
        (PLAIN, b"n,,n="),
        (PLAIN, b"n,,r=abc"),
        (PLAIN, b"n,a=admin,n=,r=abc"),
        (PLAIN, b"n,,m=1,n=,r=abc"),
        (PLAIN, b"x,,n=,r=abc"),
        (PLAIN, b"n,,n=,r=\xff\xfe"),
    ] {
        let mut stream = connect(&sieve);
        offered(&mut stream, "alice");
        say(&mut stream, &initial(mechanism, first));
        check_fatal(&rest(&mut stream), "08P01");
    }
    for body in [
        &b""[..],
        b"SCRAM-SHA-256",
        b"SCRAM-SHA-256\0",
        b"SCRAM-SHA-256\0\0\0\0\xffn,,",
    ] {
        let mut stream = connect(&sieve);
        offered(&mut stream, "alice");
        say(&mut stream, body);
        check_fatal(&rest(&mut stream), "08P01");
    }
    // A mechanism without its first message is allowed by the protocol, and not by SCRAM.
    let mut stream = connect(&sieve);
    offered(&mut stream, "alice");
    say(&mut stream, b"SCRAM-SHA-256\0\xff\xff\xff\xff");
    check_fatal(&rest(&mut stream), "08P01");
}

#[test]
fn under_tls_nobody_can_take_the_binding_away_unnoticed() {
    let sieve = sieve();
    for (mechanism, first) in [
        // "You did not offer a binding": we did.
        (PLAIN, &b"y,,n=,r=abc"[..]),
        (PLUS, b"y,,n=,r=abc"),
        (PLUS, b"n,,n=,r=abc"),
        (PLUS, b"p=tls-unique,,n=,r=abc"),
        (PLUS, b"p=,,n=,r=abc"),
        (PLAIN, b"p=tls-server-end-point,,n=,r=abc"),
    ] {
        let mut tls = tls_over(connect(&sieve), &[b"postgresql"]);
        offered(&mut tls, "alice");
        say(&mut tls, &initial(mechanism, first));
        check_fatal(&rest(&mut tls), "08P01");
    }
    // A binding to another channel.
    let mut tls = tls_over(connect(&sieve), &[b"postgresql"]);
    offered(&mut tls, "alice");
    say(
        &mut tls,
        &initial(PLUS, b"p=tls-server-end-point,,n=,r=abc"),
    );
    let (_, challenge) = message(&mut tls);
    let challenge = text(&challenge[4..]);
    let nonce = challenge.split(',').next().unwrap();
    let binding = STANDARD.encode([&b"p=tls-server-end-point,,"[..], &[7; 32]].concat());
    let proof = STANDARD.encode([7; 32]);
    say(
        &mut tls,
        format!("c={binding},{nonce},p={proof}").as_bytes(),
    );
    check_fatal(&rest(&mut tls), "08P01");
}

#[test]
fn last_messages_that_do_not_fit() {
    let sieve = sieve();
    let proof = STANDARD.encode([7; 32]);
    let long = STANDARD.encode([7; 33]);
    for user in ["alice", "mallory"] {
        for (last, sqlstate) in [
            (String::new(), "08P01"),
            ("c=biws".into(), "08P01"),
            ("c=biws,NONCE".into(), "08P01"),
            (format!("c=biws,r=abc,p={proof}"), "08P01"),
            (format!("c=eSws,NONCE,p={proof}"), "08P01"),
            (format!("NONCE,c=biws,p={proof}"), "08P01"),
            ("c=biws,NONCE,p=@@@@".into(), "08P01"),
            (format!("c=biws,NONCE,p={long}"), "08P01"),
            ("c=biws,NONCE,p=".into(), "08P01"),
            (format!("c=biws,NONCE,p={proof}"), "28P01"),
        ] {
            let mut stream = connect(&sieve);
            let challenge = challenged(&mut stream, user);
            let nonce = challenge.split(',').next().unwrap();
            say(&mut stream, last.replace("NONCE", nonce).as_bytes());
            check_fatal(&rest(&mut stream), sqlstate);
        }
    }
}

#[test]
fn a_stranger_cannot_tell_who_is_known() {
    let sieve = sieve();
    let parts = |user: &str| {
        let challenge = challenged(&mut connect(&sieve), user);
        let (nonce, rest) = challenge.split_once(",s=").unwrap();
        assert!(
            nonce.starts_with("r=abc") && nonce.len() > 20,
            "{challenge}"
        );
        rest.to_owned()
    };
    let (known, unknown) = (parts("alice"), parts("mallory"));
    assert_eq!(known, parts("alice"));
    assert_eq!(unknown, parts("mallory"));
    assert_ne!(unknown, parts("trudy"));
    for salt_and_cost in [known, unknown] {
        let (salt, cost) = salt_and_cost.split_once(",i=").unwrap();
        assert_eq!((STANDARD.decode(salt).unwrap().len(), cost), (16, "4096"));
    }
}
