//! What a stranger can find out of the policies: nothing. Whether there is one for a user, and what
//! it refuses, is told when the user is proved.

use std::io::{Read, Write};
use std::sync::Arc;

use pgsieve::auth::settings::{AuthSettings, CertificateUser, ScramUser, UpstreamIdentity};
use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::policy::{Policy, PolicySet};
use pgsieve::secret::Secret;

use crate::login::raw::{check_fatal, connect, message, rest, startup};
use crate::login::support::{PASSWORD, Setup, Sieve, tls_files};

/// A policy that lets geqo be set, for those; one that refuses it, for others; none for the rest.
fn policies(wide: &str, narrow: &str) -> PolicySet {
    let agent = include_str!("../../../policies/agent.yaml");
    let named = |name: &str, users: &str| {
        let text = agent.replace("name: agent", &format!("name: {name}"));
        format!("{text}\nmatch: {{user: {users}}}\n")
    };
    let refusing = named("narrow", narrow)
        .replace("    geqo: on or off\n", "")
        .replace("on_refused_setting: ignore", "on_refused_setting: refuse");
    let read = |text: &str| Arc::new(Policy::from_yaml(text).unwrap());
    PolicySet::new(vec![read(&named("wide", wide)), read(&refusing)]).unwrap()
}

/// The startup packet of a user: a setting that one policy refuses, an option that nobody knows.
fn hello(user: &str) -> Vec<u8> {
    let pairs = [
        ("user", user),
        ("database", "postgres"),
        ("geqo", "off"),
        ("_pq_.compression", "zstd"),
    ];
    startup(3, 0, &pairs)
}

fn say(stream: &mut impl Write, body: &[u8]) {
    let length = u32::try_from(body.len() + 4).unwrap();
    stream
        .write_all(&[b"p", &length.to_be_bytes()[..], body].concat())
        .unwrap();
}

/// Everything that is said to somebody who gives this as the password.
fn told(sieve: &Sieve, user: &str, password: &str) -> String {
    let mut stream = connect(sieve);
    stream.write_all(&hello(user)).unwrap();
    let mut all = Vec::new();
    loop {
        let (kind, body) = message(&mut stream);
        let text = String::from_utf8_lossy(&body).replace(user, "USER");
        all.push(format!("{} {text:?}", char::from(kind)));
        match kind {
            b'R' if body == [0, 0, 0, 3] => say(&mut stream, format!("{password}\0").as_bytes()),
            b'R' | b'v' => {}
            b'E' => break,
            b'Z' => break,
            b'S' | b'K' | b'N' => {
                all.pop();
            }
            other => panic!("{other}"),
        }
    }
    all.join("\n")
}

#[test]
fn passwords_come_before_policies() {
    let sieve = Sieve::start(Setup {
        policies: policies("[scramy, ghost]", "cleary"),
        ..Setup::plain()
    });
    let with_policy = told(&sieve, "scramy", "wrong");
    assert!(with_policy.starts_with("v "), "{with_policy}");
    assert!(
        with_policy.contains("\nR \"\\0\\0\\0\\u{3}\"\nE "),
        "{with_policy}"
    );
    assert!(with_policy.contains("C28P01"), "{with_policy}");
    // One whose settings are refused, one without a policy, and two that do not exist.
    for user in ["cleary", "md5y", "ghost", "nobody_here"] {
        assert_eq!(told(&sieve, user, "wrong"), with_policy, "{user}");
    }
    let proved = |user| told(&sieve, user, PASSWORD);
    assert!(
        proved("scramy").ends_with("Z \"I\""),
        "{}",
        proved("scramy")
    );
    let refused = proved("cleary");
    assert!(
        refused.contains("C42501") && refused.contains("geqo"),
        "{refused}"
    );
    let unfit = proved("md5y");
    assert!(unfit.contains("C28000"), "{unfit}");
    // Names are shown as USER here.
    let words = "no policy matches user \\\"USER\\\"";
    assert!(unfit.contains(words), "{unfit}");
    sieve.check_metric(&["logins", "passthrough", "bad_credentials"], 5.0);
    sieve.check_metric(&["logins", "passthrough", "refused_policy"], 1.0);
    sieve.check_metric(&["logins", "passthrough", "refused_settings"], 1.0);
}

fn scram_user(name: &str) -> ScramUser {
    let verifier = ScramVerifier::make(&Secret::new("sésame")).unwrap();
    ScramUser {
        name: name.into(),
        verifier: ScramVerifier::parse(&verifier).unwrap(),
        upstream: UpstreamIdentity {
            user: "scramy".into(),
            secret: Some(Secret::new(PASSWORD).into()),
        },
    }
}

/// The kinds and lengths of what is said until the challenge, and what a wrong proof gets.
fn challenged(sieve: &Sieve, user: &str) -> String {
    let mut stream = connect(sieve);
    stream.write_all(&hello(user)).unwrap();
    let mut all = Vec::new();
    let mut hear = |stream: &mut dyn Read| {
        let mut stream = stream;
        let (kind, body) = message(&mut stream);
        all.push((char::from(kind), body.len()));
        body
    };
    hear(&mut stream);
    hear(&mut stream);
    let first = b"n,,n=,r=abc";
    let length = u32::try_from(first.len()).unwrap().to_be_bytes();
    say(
        &mut stream,
        &[b"SCRAM-SHA-256\0", &length[..], first].concat(),
    );
    let challenge = hear(&mut stream);
    let challenge = String::from_utf8(challenge[4..].to_vec()).unwrap();
    let nonce = challenge.split(',').next().unwrap();
    let proof = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    say(&mut stream, format!("c=biws,{nonce},p={proof}").as_bytes());
    let last = rest(&mut stream);
    check_fatal(&last, "28P01");
    let last = String::from_utf8_lossy(&last[5..]).replace(user, "USER");
    format!("{all:?} {last:?}")
}

#[test]
fn proofs_come_before_policies() {
    let users = ["alice", "bobby", "carol"].map(scram_user);
    let sieve = Sieve::start(Setup {
        auth: AuthSettings::Scram {
            users: users.into(),
        },
        policies: policies("[alice, ghost]", "bobby"),
        ..Setup::plain()
    });
    let with_policy = challenged(&sieve, "alice");
    for user in ["bobby", "carol", "ghost", "mallo"] {
        assert_eq!(challenged(&sieve, user), with_policy, "{user}");
    }
    let geqo = "options='-c geqo=off'";
    sieve.check_in(&sieve.target("alice", geqo), "sésame", "scramy");
    sieve.check_out(&sieve.target("bobby", geqo), "sésame", "geqo");
    sieve.check_in(&sieve.target("bobby", ""), "sésame", "scramy");
    let words = "no policy matches user \"carol\"";
    sieve.check_out(&sieve.target("carol", geqo), "sésame", words);
    let words = "password authentication failed for user \"carol\"";
    sieve.check_out(&sieve.target("carol", geqo), "wrong", words);
}

#[test]
fn certificates_come_before_policies() {
    let user = |name: &str| CertificateUser {
        certificate_name: "certy".into(),
        name: name.into(),
        upstream: UpstreamIdentity {
            user: "trusty".into(),
            secret: None,
        },
    };
    let sieve = Sieve::start(Setup {
        auth: AuthSettings::Certificate {
            entries: vec![user("alice"), user("carol")],
        },
        tls: ClientTlsSettings::Allow(tls_files()),
        policies: policies("[alice, ghost]", "bobby"),
        ..Setup::plain()
    });
    let denied = |user: &str| {
        let mut stream = connect(&sieve);
        stream.write_all(&hello(user)).unwrap();
        String::from_utf8_lossy(&rest(&mut stream)).replace(user, "USER")
    };
    let with_policy = denied("alice");
    assert!(with_policy.contains("C28000"), "{with_policy:?}");
    for user in ["bobby", "carol", "ghost", "mallo"] {
        assert_eq!(denied(user), with_policy, "{user}");
    }
}

/// Who names nobody proves nothing, and is told at once, policy or not.
#[test]
fn nobody_is_turned_away_at_once() {
    let sieve = Sieve::start(Setup {
        policies: policies("scramy", "cleary"),
        ..Setup::plain()
    });
    for pairs in [&[][..], &[("user", "")], &[("database", "postgres")]] {
        let mut stream = connect(&sieve);
        stream.write_all(&startup(3, 0, pairs)).unwrap();
        let answer = rest(&mut stream);
        check_fatal(&answer, "28000");
        let shown = String::from_utf8_lossy(&answer);
        assert!(shown.contains("no PostgreSQL user name"), "{shown}");
    }
}
