//! The client's own password, tried at the upstream.

use std::collections::BTreeMap;
use std::sync::Arc;

use pgsieve::auth::oidc::key_set::KeySet;
use pgsieve::auth::oidc::token::Expected;
use pgsieve::auth::settings::{
    AuthSettings, KeysFrom, OidcPeople, OidcSettings, OnExpiry, UpstreamIdentity,
};
use pgsieve::net::client_tls::ClientTlsSettings;

use crate::login::support::{PASSWORD, Setup, Sieve, far, psql, text, tls_files, upstream};

#[test]
fn every_way_of_asking_is_answered_with_the_clients_own_password() {
    let sieve = Sieve::start(Setup::plain());
    for user in ["md5y", "scramy", "cleary"] {
        sieve.check_in(&sieve.target(user, ""), PASSWORD, user);
        sieve.check_in(&sieve.socket_target(user), PASSWORD, user);
    }
    // Nobody asks this one, and the client is on this host.
    sieve.check_in(&sieve.target("trusty", ""), "", "trusty");
    sieve.check_metric(&["logins", "passthrough", "accepted"], 7.0);
}

#[test]
fn the_upstreams_own_refusals_reach_the_client() {
    let sieve = Sieve::start(Setup::plain());
    for user in ["md5y", "scramy", "cleary", "nobody_here"] {
        let words = format!("FATAL:  password authentication failed for user \"{user}\"");
        sieve.check_out(&sieve.target(user, ""), "wrong", &words);
    }
    let nowhere = sieve
        .target("scramy", "")
        .replace("dbname=postgres", "dbname=nowhere");
    sieve.check_out(
        &nowhere,
        PASSWORD,
        "FATAL:  database \"nowhere\" does not exist",
    );
    let words = "too many connections for role \"shy\"";
    sieve.check_out(&sieve.target("shy", ""), "x", words);
    sieve.check_metric(&["logins", "passthrough", "bad_credentials"], 4.0);
    sieve.check_metric(&["logins", "passthrough", "upstream_refused"], 2.0);
}

#[test]
fn a_password_never_crosses_a_network_in_clear() {
    let sieve = Sieve::start(Setup {
        peer: far(),
        ..Setup::plain()
    });
    let words = "a password would cross the network in clear";
    sieve.check_out(&sieve.target("scramy", ""), PASSWORD, words);
    sieve.check_out(&sieve.target("trusty", ""), "", words);
    sieve.check_metric(&["logins", "passthrough", "refused_method"], 2.0);
    // The upstream was not even asked.
    let auth = AuthSettings::Passthrough {
        allow_plaintext_passwords: true,
        cache_age: None,
    };
    let careless = Sieve::start(Setup {
        peer: far(),
        auth,
        ..Setup::plain()
    });
    careless.check_in(&careless.target("scramy", ""), PASSWORD, "scramy");
}

/// An issuer whose key nobody here has.
fn tokens() -> AuthSettings {
    let keys = r#"{"keys": [{"kty": "OKP", "kid": "ed", "crv": "Ed25519", "alg": "EdDSA",
                             "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    AuthSettings::Oidc(Box::new(OidcSettings {
        expected: Expected {
            issuer: "https://id.example.org".into(),
            audience: "sieve".into(),
            user_claim: "sub".into(),
            attributes: BTreeMap::new(),
            clock_skew: 0,
        },
        keys: KeysFrom::File(Arc::new(KeySet::parse(keys).unwrap())),
        people: OidcPeople::Everybody(UpstreamIdentity {
            user: "trusty".into(),
            secret: None,
        }),
        on_expiry: OnExpiry::End,
    }))
}

/// Without a password psql hears of a question for one by a message of its own.
#[test]
fn a_token_never_crosses_a_network_in_clear() {
    let sieve = Sieve::start(Setup {
        peer: far(),
        auth: tokens(),
        tls: ClientTlsSettings::Allow(tls_files()),
        ..Setup::plain()
    });
    let clear = "a password would cross the network in clear";
    for password in ["", "a.token.of-somebody"] {
        sieve.check_out(&sieve.target("ann", "sslmode=disable"), password, clear);
    }
    sieve.check_metric(&["logins", "oidc", "refused_method"], 2.0);
    let asked = "no password supplied";
    sieve.check_out(&sieve.target("ann", "sslmode=require"), "", asked);
    sieve.check_out(&sieve.socket_target("ann"), "", asked);
    sieve.check_out(&sieve.target("ann", "sslmode=require"), "a.b.c", "ann");
    let near = Sieve::start(Setup {
        auth: tokens(),
        ..Setup::plain()
    });
    near.check_out(&near.target("ann", "sslmode=disable"), "", asked);
}

#[test]
fn remote_clients_come_in_under_tls() {
    let tls = ClientTlsSettings::Allow(tls_files());
    let sieve = Sieve::start(Setup {
        peer: far(),
        tls,
        ..Setup::plain()
    });
    sieve.check_in(
        &sieve.target("scramy", "sslmode=require"),
        PASSWORD,
        "scramy",
    );
    sieve.check_in(&sieve.target("md5y", "sslmode=require"), PASSWORD, "md5y");
    let words = "a password would cross the network in clear";
    sieve.check_out(&sieve.target("scramy", "sslmode=disable"), PASSWORD, words);
}

#[test]
fn the_trust_in_our_host_is_not_lent_to_remote_clients() {
    let tls = ClientTlsSettings::Allow(tls_files());
    let sieve = Sieve::start(Setup {
        peer: far(),
        tls,
        ..Setup::plain()
    });
    let words = "the database asks for no password, so nothing would prove who you are";
    sieve.check_out(&sieve.target("trusty", "sslmode=require"), "", words);
    sieve.check_out(&sieve.target("trusty", "sslmode=require"), PASSWORD, words);
}

#[test]
fn an_upstream_behind_a_unix_socket() {
    let cluster = crate::login::support::cluster();
    let folder = cluster.socket_folder().display();
    let address = format!("postgres:///?host={folder}&port={}", cluster.port());
    let sieve = Sieve::start(Setup {
        upstream: address,
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("scramy", ""), PASSWORD, "scramy");
    sieve.check_in(&sieve.socket_target("trusty"), "", "trusty");
}

#[test]
fn an_upstream_that_is_not_there() {
    let address = "postgres://127.0.0.1:1/".to_owned();
    let sieve = Sieve::start(Setup {
        upstream: address,
        ..Setup::plain()
    });
    let words = "the database behind the proxy cannot be reached";
    sieve.check_out(&sieve.target("scramy", ""), PASSWORD, words);
    sieve.check_metric(&["logins", "passthrough", "upstream_unreachable"], 1.0);
    let unknown = "postgres://nowhere.invalid/?sslmode=disable".to_owned();
    let sieve = Sieve::start(Setup {
        upstream: unknown,
        ..Setup::plain()
    });
    sieve.check_out(&sieve.target("scramy", ""), PASSWORD, words);
}

#[test]
fn an_empty_password_lets_nobody_in() {
    let sieve = Sieve::start(Setup {
        upstream: upstream("sslmode=disable"),
        ..Setup::plain()
    });
    let target = sieve.target("scramy", "password=''");
    let output = psql(&target, "", "SELECT 1");
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).contains("no password supplied"),
        "{}",
        text(&output.stderr)
    );
}
