//! Why TLS was not agreed on, with clients and with the upstream: each cause is counted by name.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use pgsieve::net::client_tls::ClientTlsSettings;

use crate::login::raw::tls_over;
use crate::login::support::{
    PASSWORD, Setup, Sieve, certificates, make_certificates, psql, tls_files, upstream,
};
use crate::login::upstream_tls::{ELSEWHERE, at};

fn sieve(tls: ClientTlsSettings) -> Sieve {
    Sieve::start(Setup {
        tls,
        ..Setup::plain()
    })
}

fn check(sieve: &Sieve, peer: &str, reason: &str, times: f64) {
    let series = format!("pgsieve_tls_failures_total{{peer=\"{peer}\",reason=\"{reason}\"}}");
    sieve.check_metric(&[&series], times);
}

/// A client that asked for TLS and was told yes.
fn asked(sieve: &Sieve) -> TcpStream {
    let mut stream = TcpStream::connect(sieve.address()).unwrap();
    stream.write_all(b"\0\0\0\x08\x04\xd2\x16\x2f").unwrap();
    let mut answer = [0];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"S");
    stream
}

#[test]
fn clients_that_cannot_agree() {
    let allowing = sieve(ClientTlsSettings::Allow(tls_files()));
    asked(&allowing)
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    check(&allowing, "client", "not_tls", 1.0);
    drop(asked(&allowing));
    check(&allowing, "client", "peer_gone", 1.0);
    let stream = TcpStream::connect(allowing.address()).unwrap();
    let mut direct = tls_over(stream, &[b"http/1.1"]);
    let _fails = direct.write_all(b"x").and_then(|()| direct.flush());
    check(&allowing, "client", "no_shared_protocol", 1.0);
    // The client does not know who vouches for us, and says so.
    let other = make_certificates("nobody");
    let root = other.authority.display();
    let target = allowing.target("trusty", &format!("sslmode=verify-ca sslrootcert={root}"));
    assert!(!psql(&target, "", "SELECT 1").status.success());
    check(&allowing, "client", "refused_unknown_authority", 1.0);
}

#[test]
fn clients_whose_certificate_is_not_good() {
    let insisting = sieve(ClientTlsSettings::RequireCertificate(tls_files()));
    let tried = |target: &str| assert!(!psql(target, "", "SELECT 1").status.success());
    tried(&insisting.target("trusty", "sslmode=require sslcert=/nowhere"));
    check(&insisting, "client", "certificate_absent", 1.0);
    let other = make_certificates("certy");
    let shown = format!(
        "sslmode=require sslcert={} sslkey={}",
        other.client.display(),
        other.client_key.display()
    );
    tried(&insisting.target("trusty", &shown));
    check(&insisting, "client", "certificate_unknown_authority", 1.0);
}

/// Somebody who answers a request for TLS with these bytes, and goes.
fn impostor(bytes: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        // One connection for each try of one login.
        for stream in listener.incoming().take(8) {
            let mut stream = stream.unwrap();
            let mut request = [0; 8];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(bytes).unwrap();
        }
    });
    port
}

fn check_upstream(address: String, reason: &str) {
    let sieve = Sieve::start(Setup {
        upstream: address,
        ..Setup::plain()
    });
    let words = "the database behind the proxy cannot be reached";
    sieve.check_out(&sieve.target("scramy", ""), PASSWORD, words);
    check(&sieve, "upstream", reason, 1.0);
}

#[test]
fn upstreams_that_cannot_agree() {
    let to = |port: u16| format!("postgres://127.0.0.1:{port}/?sslmode=require");
    check_upstream(to(impostor(b"N")), "not_offered");
    check_upstream(
        to(impostor(b"SHTTP/1.1 400 Bad Request\r\n\r\n")),
        "not_tls",
    );
    check_upstream(to(impostor(b"S")), "peer_gone");
    let other = make_certificates("nobody");
    let root = |path: &Path| format!("sslrootcert={}", path.display());
    let unknown = upstream(&format!("sslmode=verify-ca&{}", root(&other.authority)));
    check_upstream(unknown, "certificate_unknown_authority");
    // A certificate of the right authority for another address.
    let query = format!("sslmode=verify-full&{}", root(&certificates().authority));
    let address = at(ELSEWHERE, &query);
    check_upstream(address, "certificate_other_host");
}
