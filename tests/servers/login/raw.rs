//! Clients that speak in bytes, in clear and under TLS.

use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::login::support::{Sieve, certificates, text};

pub const SSL: &[u8] = b"\0\0\0\x08\x04\xd2\x16\x2f";
pub const GSS: &[u8] = b"\0\0\0\x08\x04\xd2\x16\x30";

pub fn startup(major: u16, minor: u16, pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut body = [major.to_be_bytes(), minor.to_be_bytes()].concat();
    for (name, value) in pairs {
        body.extend_from_slice(name.as_bytes());
        body.push(0);
        body.extend_from_slice(value.as_bytes());
        body.push(0);
    }
    body.push(0);
    let length = u32::try_from(body.len() + 4).unwrap();
    [&length.to_be_bytes()[..], &body].concat()
}

pub fn hello() -> Vec<u8> {
    startup(3, 0, &[("user", "scramy"), ("database", "postgres")])
}

pub fn trusting() -> Vec<u8> {
    startup(3, 0, &[("user", "trusty"), ("database", "postgres")])
}

pub fn connect(sieve: &Sieve) -> TcpStream {
    let stream = TcpStream::connect(sieve.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream
}

pub fn one_byte(stream: &mut impl Read) -> u8 {
    let mut byte = [0];
    stream.read_exact(&mut byte).unwrap();
    byte[0]
}

/// Everything until the other side closes.
pub fn rest(stream: &mut impl Read) -> Vec<u8> {
    let mut all = Vec::new();
    let _closed_or_reset = stream.read_to_end(&mut all);
    all
}

/// One message: type and body.
pub fn message(stream: &mut impl Read) -> (u8, Vec<u8>) {
    let kind = one_byte(stream);
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut body = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap() - 4];
    stream.read_exact(&mut body).unwrap();
    (kind, body)
}

/// Messages up to ReadyForQuery.
pub fn session(stream: &mut impl Read) -> Vec<(u8, Vec<u8>)> {
    let mut all = Vec::new();
    loop {
        let next = message(stream);
        assert_ne!(next.0, b'E', "{}", text(&next.1));
        let done = next.0 == b'Z';
        all.push(next);
        if done {
            return all;
        }
    }
}

pub fn check_fatal(answer: &[u8], sqlstate: &str) {
    let shown = String::from_utf8_lossy(answer);
    assert!(answer.first() == Some(&b'E'), "{shown:?}");
    assert!(shown.contains("SFATAL\0VFATAL\0"), "{shown:?}");
    assert!(shown.contains(&format!("\0C{sqlstate}\0")), "{shown:?}");
}

pub fn tls_over(stream: TcpStream, alpn: &[&[u8]]) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    let pem = std::fs::read(&certificates().authority).unwrap();
    roots
        .add(CertificateDer::from_pem_slice(&pem).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    let name = ServerName::try_from("localhost").unwrap();
    StreamOwned::new(
        ClientConnection::new(Arc::new(config), name).unwrap(),
        stream,
    )
}
