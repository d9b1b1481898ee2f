//! The leg to the database: how TLS is asked for and how much of a certificate is believed.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::LazyLock;

use pgsieve::auth::settings::{AuthSettings, UpstreamIdentity};
use pgsieve::secret::Secret;

use crate::login::support::{
    PASSWORD, Setup, Sieve, certificates, cluster, make_certificates, psql, text, upstream,
};

fn sieve_to(address: String) -> Sieve {
    Sieve::start(Setup {
        upstream: address,
        ..Setup::plain()
    })
}

/// The server at one of its addresses, with parameters.
pub fn at(host: &str, parameters: &str) -> String {
    let port = if host == ELSEWHERE {
        forwarder()
    } else {
        cluster().port()
    };
    format!("postgres://{host}:{port}/?{parameters}")
}

/// Another address that leads to the same server, as an impostor's would.
fn forwarder() -> u16 {
    static PORT: LazyLock<u16> = LazyLock::new(|| {
        let listener = TcpListener::bind((ELSEWHERE, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for near in listener.incoming() {
                let near = near.unwrap();
                let far = TcpStream::connect(("127.0.0.1", cluster().port())).unwrap();
                let (mut from, mut to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ended = std::io::copy(&mut from, &mut to);
                    let _closed = to.shutdown(Shutdown::Write);
                });
                let (mut from, mut to) = (far, near);
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        });
        port
    });
    *PORT
}

/// An address of this host that the server's certificate does not name.
pub const ELSEWHERE: &str = "127.0.0.2";

fn encrypted(sieve: &Sieve, user: &str) -> String {
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let output = psql(&sieve.target(user, ""), PASSWORD, sql);
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn disable_and_require() {
    assert_eq!(
        encrypted(&sieve_to(upstream("sslmode=disable")), "scramy"),
        "f"
    );
    let sieve = sieve_to(upstream("sslmode=require"));
    for user in ["scramy", "md5y", "cleary", "onlytls"] {
        assert_eq!(encrypted(&sieve, user), "t", "{user}");
    }
    let clear = sieve_to(upstream("sslmode=disable"));
    clear.check_out(
        &clear.target("onlytls", ""),
        PASSWORD,
        "pg_hba.conf rejects connection",
    );
}

#[test]
fn authorities_and_names_are_checked_as_far_as_asked() {
    let good = certificates().authority.display();
    let bad = make_certificates("x").authority;
    let bad = bad.display();
    let unreachable = "the database behind the proxy cannot be reached";
    for (host, parameters, works) in [
        (
            "127.0.0.1",
            format!("sslmode=verify-full&sslrootcert={good}"),
            true,
        ),
        (
            "localhost",
            format!("sslmode=verify-full&sslrootcert={good}"),
            true,
        ),
        (
            "127.0.0.1",
            format!("sslmode=verify-ca&sslrootcert={good}"),
            true,
        ),
        (
            ELSEWHERE,
            format!("sslmode=verify-full&sslrootcert={good}"),
            false,
        ),
        (
            ELSEWHERE,
            format!("sslmode=verify-ca&sslrootcert={good}"),
            true,
        ),
        (
            ELSEWHERE,
            format!("sslmode=require&sslrootcert={good}"),
            true,
        ),
        (
            "127.0.0.1",
            format!("sslmode=verify-full&sslrootcert={bad}"),
            false,
        ),
        (
            "127.0.0.1",
            format!("sslmode=verify-ca&sslrootcert={bad}"),
            false,
        ),
        (
            "127.0.0.1",
            format!("sslmode=require&sslrootcert={bad}"),
            false,
        ),
        ("127.0.0.1", "sslmode=require".into(), true),
        // The server's certificate itself, pinned.
        ("127.0.0.1", pinned("verify-full"), true),
        (ELSEWHERE, pinned("verify-full"), false),
        (ELSEWHERE, pinned("verify-ca"), true),
    ] {
        let sieve = sieve_to(at(host, &parameters));
        let target = sieve.target("scramy", "");
        if works {
            sieve.check_in(&target, PASSWORD, "scramy");
        } else {
            sieve.check_out(&target, PASSWORD, unreachable);
        }
    }
}

fn pinned(mode: &str) -> String {
    format!(
        "sslmode={mode}&sslrootcert={}",
        certificates().server.display()
    )
}

fn with_certificate(certificate: &Path, key: &Path) -> String {
    let (certificate, key) = (certificate.display(), key.display());
    upstream(&format!(
        "sslmode=require&sslcert={certificate}&sslkey={key}"
    ))
}

#[test]
fn pgsieve_shows_a_certificate_of_its_own() {
    let files = certificates();
    let address = with_certificate(&files.client, &files.client_key);
    let identity = UpstreamIdentity {
        user: "certy".into(),
        secret: None,
    };
    let auth = AuthSettings::Trust {
        upstream: Some(identity),
    };
    let sieve = Sieve::start(Setup {
        upstream: address,
        auth,
        ..Setup::plain()
    });
    sieve.check_in(&sieve.target("whoever", ""), "", "certy");
    // Without it the database does not know who that is.
    let identity = UpstreamIdentity {
        user: "certy".into(),
        secret: Some(Secret::new(PASSWORD).into()),
    };
    let auth = AuthSettings::Trust {
        upstream: Some(identity),
    };
    let sieve = Sieve::start(Setup {
        upstream: upstream("sslmode=require"),
        auth,
        ..Setup::plain()
    });
    let words = "does not accept the identity that stands for this user";
    sieve.check_out(&sieve.target("whoever", ""), "", words);
}
