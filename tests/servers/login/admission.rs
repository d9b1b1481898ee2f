//! Users that pgsieve knows itself: SCRAM verifiers, certificates, and trust.

use pgsieve::auth::settings::{AuthSettings, CertificateUser, ScramUser, UpstreamIdentity};
use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::secret::Secret;

use crate::login::support::{
    PASSWORD, Setup, Sieve, certificates, cluster, far, make_certificates, psql, text, tls_files,
};

fn identity(user: &str, password: Option<&str>) -> UpstreamIdentity {
    UpstreamIdentity {
        user: user.into(),
        secret: password.map(|word| Secret::new(word).into()),
    }
}

fn scram_user(name: &str, upstream: UpstreamIdentity) -> ScramUser {
    let verifier = ScramVerifier::make(&Secret::new("sésame")).unwrap();
    ScramUser {
        name: name.into(),
        verifier: ScramVerifier::parse(&verifier).unwrap(),
        upstream,
    }
}

fn scram() -> AuthSettings {
    AuthSettings::Scram {
        users: vec![
            scram_user("alice", identity("scramy", Some(PASSWORD))),
            scram_user("bob", identity("trusty", None)),
            scram_user("carol", identity("scramy", Some("outdated"))),
            scram_user("dave", identity("scramy", None)),
        ],
    }
}

fn allow() -> ClientTlsSettings {
    ClientTlsSettings::Allow(tls_files())
}

#[test]
fn scram_users_become_their_upstream_identity() {
    let sieve = Sieve::start(Setup {
        auth: scram(),
        peer: far(),
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("alice", ""), "sésame", "scramy");
    // A remote client that proved itself may use what the upstream gives pgsieve's host.
    sieve.check_in(&sieve.target("bob", ""), "sésame", "trusty");
    sieve.check_in(&sieve.socket_target("alice"), "sésame", "scramy");
    sieve.check_metric(&["logins", "scram\"", "accepted"], 3.0);
}

#[test]
fn wrong_passwords_and_unknown_users_look_the_same() {
    let sieve = Sieve::start(Setup {
        auth: scram(),
        ..Setup::plain()
    });
    for user in ["alice", "mallory", "ALICE", "scramy"] {
        let words = format!("FATAL:  password authentication failed for user \"{user}\"");
        for password in ["", "wrong", PASSWORD] {
            let words = if password.is_empty() {
                "no password supplied"
            } else {
                &words
            };
            sieve.check_out(&sieve.target(user, ""), password, words);
        }
    }
    sieve.check_metric(&["logins", "scram\"", "bad_credentials"], 8.0);
}

#[test]
fn trouble_with_the_identity_is_not_the_clients_to_read() {
    let sieve = Sieve::start(Setup {
        auth: scram(),
        ..Setup::plain()
    });
    for (user, words) in [
        (
            "carol",
            "does not accept the identity that stands for this user",
        ),
        (
            "dave",
            "the database behind the proxy does not accept the login",
        ),
    ] {
        let output = psql(&sieve.target(user, ""), "sésame", "SELECT 1");
        let error = text(&output.stderr);
        assert!(error.contains(words), "{error}");
        assert!(!error.contains("scramy"), "{error}");
    }
    let nowhere = sieve
        .target("alice", "")
        .replace("dbname=postgres", "dbname=nowhere");
    sieve.check_out(&nowhere, "sésame", "database \"nowhere\" does not exist");
}

#[test]
fn under_tls_scram_binds_to_the_channel() {
    let sieve = Sieve::start(Setup {
        auth: scram(),
        tls: allow(),
        ..Setup::plain()
    });
    for binding in ["require", "prefer", "disable"] {
        let more = format!("sslmode=require channel_binding={binding}");
        sieve.check_in(&sieve.target("alice", &more), "sésame", "scramy");
    }
    sieve.check_in(
        &sieve.target("alice", "sslmode=disable"),
        "sésame",
        "scramy",
    );
    let more = "sslmode=require channel_binding=require";
    sieve.check_out(
        &sieve.target("alice", more),
        "wrong",
        "password authentication failed",
    );
    let more = "sslmode=disable channel_binding=require";
    sieve.check_out(
        &sieve.target("alice", more),
        "sésame",
        "channel binding required",
    );
}

fn by_certificate(certificate_name: &str, name: &str, upstream: &str) -> CertificateUser {
    CertificateUser {
        certificate_name: certificate_name.into(),
        name: name.into(),
        upstream: identity(upstream, Some(PASSWORD)),
    }
}

#[test]
fn certificates_stand_for_users() {
    let entries = vec![
        by_certificate("certy", "alice", "scramy"),
        by_certificate("other", "bob", "md5y"),
    ];
    let auth = AuthSettings::Certificate { entries };
    let sieve = Sieve::start(Setup {
        auth,
        tls: allow(),
        peer: far(),
        ..Setup::plain()
    });
    let files = certificates();
    let with = |certificate: &std::path::Path, key: &std::path::Path| {
        let (certificate, key) = (certificate.display(), key.display());
        format!("sslmode=require sslcert={certificate} sslkey={key}")
    };
    let own = with(&files.client, &files.client_key);
    sieve.check_in(&sieve.target("alice", &own), "", "scramy");
    sieve.check_out(
        &sieve.target("bob", &own),
        "",
        "certificate authentication failed",
    );
    sieve.check_out(
        &sieve.target("certy", &own),
        "",
        "certificate authentication failed",
    );
    let bare = "sslmode=require";
    sieve.check_out(
        &sieve.target("alice", bare),
        "",
        "certificate authentication failed",
    );
    let clear = "sslmode=disable";
    sieve.check_out(
        &sieve.target("alice", clear),
        "",
        "certificate authentication failed",
    );
    let stranger = make_certificates("certy");
    let forged = with(&stranger.client, &stranger.client_key);
    let output = psql(&sieve.target("alice", &forged), "", "SELECT 1");
    assert!(!output.status.success());
    // A certificate made for servers is none for clients.
    let wrong = with(&files.server, &files.server_key);
    assert!(
        !psql(&sieve.target("alice", &wrong), "", "SELECT 1")
            .status
            .success()
    );
}

#[test]
fn a_certificate_can_be_a_condition() {
    let tls = ClientTlsSettings::RequireCertificate(tls_files());
    let sieve = Sieve::start(Setup {
        tls,
        ..Setup::plain()
    });
    let files = certificates();
    let (certificate, key) = (files.client.display(), files.client_key.display());
    let own = format!("sslmode=require sslcert={certificate} sslkey={key}");
    sieve.check_in(&sieve.target("scramy", &own), PASSWORD, "scramy");
    let bare = psql(
        &sieve.target("scramy", "sslmode=require"),
        PASSWORD,
        "SELECT 1",
    );
    assert!(!bare.status.success());
    let clear = sieve.target("scramy", "sslmode=disable");
    sieve.check_out(&clear, PASSWORD, "this connection must be encrypted");
    // As in Postgres, a Unix socket needs no TLS.
    sieve.check_in(&sieve.socket_target("scramy"), PASSWORD, "scramy");
}

#[test]
fn trust_is_for_this_host_only() {
    let auth = || AuthSettings::Trust {
        upstream: Some(identity("scramy", Some(PASSWORD))),
    };
    let sieve = Sieve::start(Setup {
        auth: auth(),
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("whoever", ""), "", "scramy");
    sieve.check_in(&sieve.socket_target("whoever"), "", "scramy");
    let auth_by_name = AuthSettings::Trust { upstream: None };
    let named = Sieve::start(Setup {
        auth: auth_by_name,
        ..Setup::plain()
    });
    named.check_in(&named.target("trusty", ""), "", "trusty");
    let words = "the database behind the proxy does not accept the login";
    named.check_out(&named.target("scramy", ""), PASSWORD, words);
    let remote = Sieve::start(Setup {
        auth: auth(),
        tls: allow(),
        peer: far(),
        ..Setup::plain()
    });
    let words = "only clients on the proxy's own host are let in without a password";
    remote.check_out(&remote.target("whoever", "sslmode=require"), "", words);
    remote.check_out(&remote.target("whoever", "sslmode=disable"), "", words);
}

#[test]
fn a_verifier_is_what_postgres_itself_makes_and_takes() {
    let made = ScramVerifier::make(&Secret::new(PASSWORD)).unwrap();
    let script = format!("CREATE ROLE imported LOGIN PASSWORD '{made}'");
    let output = psql(&cluster().admin_url("postgres"), "", &script);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let sieve = Sieve::start(Setup::plain());
    sieve.check_in(&sieve.target("imported", ""), PASSWORD, "imported");
    let script = "SELECT rolpassword FROM pg_authid WHERE rolname = 'scramy'";
    let exported = text(&psql(&cluster().admin_url("postgres"), "", script).stdout);
    let verifier = ScramVerifier::parse(&exported).unwrap();
    let users = vec![ScramUser {
        name: "exported".into(),
        verifier,
        upstream: identity("scramy", Some(PASSWORD)),
    }];
    let sieve = Sieve::start(Setup {
        auth: AuthSettings::Scram { users },
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("exported", ""), PASSWORD, "scramy");
}
