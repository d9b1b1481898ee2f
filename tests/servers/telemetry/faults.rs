//! Collectors that are not there, do not answer, or must be proved: serving goes on as ever, and
//! no value that a client sends reaches any of them.

use std::io::{BufReader, Read};
use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::ChildSignal;
use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::traces::{Place, Traced, environment};
use crate::protocol::same_answer::FIXTURE;
use crate::support::collector::{Collector, request};
use crate::support::ports::free_port;
use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const EXPORTED: &str = "pgsieve_trace_spans_total{outcome=\"exported\"}";
const FAILED: &str = "pgsieve_trace_spans_total{outcome=\"failed\"}";
const DROPPED: &str = "pgsieve_trace_spans_total{outcome=\"dropped\"}";

fn tracing_all_to(url: &str, protocol: &str) -> Stack {
    let environment = environment(&[
        ("PGSIEVE_TRACES_ENDPOINT", url),
        ("PGSIEVE_TRACES_PROTOCOL", protocol),
        ("PGSIEVE_TRACES_SAMPLE_RATIO", "1"),
    ]);
    Stack::start(Options {
        environment,
        ..Options::default()
    })
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn said_of_collector(stack: &Stack) -> Vec<String> {
    let said = stack.stderr();
    let lines = said.lines().filter(|line| line.contains("trace collector"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_collector_that_hangs_keeps_nobody_waiting() {
    for protocol in ["grpc", "http"] {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", silent.local_addr().unwrap());
        // It takes connections and never says a word.
        let (keep, kept) = mpsc::channel();
        let listening = silent.try_clone().unwrap();
        thread::spawn(move || {
            listening
                .incoming()
                .flatten()
                .try_for_each(|s| keep.send(s))
        });
        let mut stack = tracing_all_to(&url, protocol);
        let mut client = client(&stack);
        // More than the queue holds, which is a batch under way and 8192 spans.
        let many = [frames::query("SELECT 1")].concat().repeat(100);
        let begun = Instant::now();
        for _ in 0..40 {
            client.send(&many);
            for _ in 0..100 {
                assert_eq!(kinds(&client.until_ready()), "TDCZ");
            }
        }
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(30), "{took:?}");
        assert!(stack.metric(DROPPED) > 0.0);
        until(|| (stack.metric(FAILED) >= 512.0).then_some(())).expect("a batch is given up");
        assert_eq!(stack.metric(EXPORTED), 0.0);
        let said = said_of_collector(&stack);
        assert_eq!(said.len(), 1, "{said:?}");
        drop(client);
        let begun = Instant::now();
        stack.signal(ChildSignal::Terminate);
        assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));
        assert!(
            begun.elapsed() < Duration::from_secs(8),
            "{:?}",
            begun.elapsed()
        );
        drop(kept);
    }
}

#[test]
fn a_collector_that_is_not_there_is_told_of_once_and_again_when_it_is() {
    let port = free_port();
    let stack = tracing_all_to(&format!("http://127.0.0.1:{port}"), "http");
    let mut client = client(&stack);
    for round in 1..4 {
        client.query("SELECT 1");
        let failed = f64::from(round) * 4.0;
        until(|| (stack.metric(FAILED) >= failed).then_some(())).expect("it is given up");
    }
    assert_eq!(said_of_collector(&stack).len(), 1);
    let collector = Collector::on(TcpListener::bind(("127.0.0.1", port)).unwrap());
    client.query("SELECT 2");
    until(|| (stack.metric(EXPORTED) >= 4.0).then_some(())).expect("it takes them");
    assert_eq!(collector.spans().len(), 4);
    let said = until(|| Some(said_of_collector(&stack)).filter(|said| said.len() == 2));
    assert!(said.expect("two lines")[1].contains("takes spans again"));
}

#[test]
fn what_was_recorded_is_sent_before_the_process_ends() {
    let mut traced = Traced::start("1", Options::default());
    let mut client = traced.client();
    client.query("SELECT 1");
    drop(client);
    traced.stack.signal(ChildSignal::Terminate);
    assert_eq!(traced.stack.wait_exit(Duration::from_secs(10)), Some(0));
    assert_eq!(traced.collector.spans().len(), 4);
}

#[test]
fn headers_go_to_the_collector_and_nowhere_else() {
    let collector = Collector::start();
    let headers = std::env::temp_dir().join(format!("headers-{}", random_name().unwrap()));
    std::fs::write(
        &headers,
        "# the vendor's\nAuthorization: Bearer canary-of-a-token\n",
    )
    .unwrap();
    let stack = Stack::start(Options {
        environment: environment(&[
            ("PGSIEVE_TRACES_ENDPOINT", &collector.url()),
            ("PGSIEVE_TRACES_PROTOCOL", "http"),
            ("PGSIEVE_TRACES_SAMPLE_RATIO", "1"),
            ("PGSIEVE_TRACES_HEADERS_FILE", &headers.to_string_lossy()),
        ]),
        ..Options::default()
    });
    client(&stack).query("SELECT 1");
    let heads = until(|| Some(collector.heads()).filter(|heads| !heads.is_empty()));
    let head = heads.expect("a request").remove(0).to_lowercase();
    std::fs::remove_file(&headers).unwrap();
    assert!(
        head.contains("authorization: bearer canary-of-a-token"),
        "{head}"
    );
    assert!(head.starts_with("post /v1/traces "), "{head}");
    assert!(!stack.everything_said().contains("canary-of-a-token"));
    assert!(!stack.get("/metrics").1.contains("canary-of-a-token"));
}

/// What a client says to a TLS server: what was agreed on for the protocol inside, and the first
/// request where that is HTTP/1.
type Heard = (Option<Vec<u8>>, Option<String>);

/// What a server for localhost proves itself with, to whoever trusts `ca.crt` of the folder.
pub fn tls_of(folder: &std::path::Path) -> ServerConfig {
    let wish = CertificateRequest {
        hosts: &[],
        client_name: "app",
    };
    let made = dev_certificates::write(folder, &wish).unwrap();
    let chain = CertificateDer::pem_file_iter(&made.server).unwrap();
    let chain = chain.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(&made.server_key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.unwrap().with_no_client_auth();
    config.with_single_cert(chain, key).unwrap()
}

/// A TLS server for localhost that takes the first request of each connection.
fn tls_server(folder: &std::path::Path) -> (u16, mpsc::Receiver<Heard>) {
    let mut config = tls_of(folder);
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, heard) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            while stream.conn.is_handshaking() {
                if stream.conn.complete_io(&mut stream.sock).is_err() {
                    break;
                }
            }
            if stream.conn.is_handshaking() {
                continue;
            }
            let agreed = stream.conn.alpn_protocol().map(<[u8]>::to_vec);
            let first = match agreed.as_deref() {
                Some(b"h2") => {
                    let mut preface = [0; 14];
                    let read = stream.read_exact(&mut preface);
                    read.ok()
                        .map(|()| String::from_utf8_lossy(&preface).into_owned())
                }
                _ => request(&mut BufReader::new(stream)).map(|(head, _)| head),
            };
            if tell.send((agreed, first)).is_err() {
                return;
            }
        }
    });
    (port, heard)
}

#[test]
fn tls_is_spoken_to_a_collector_that_proves_itself() {
    let folder = std::env::temp_dir().join(format!("collector-{}", random_name().unwrap()));
    std::fs::create_dir(&folder).unwrap();
    let (port, heard) = tls_server(&folder);
    let authority = folder.join("ca.crt").to_string_lossy().into_owned();
    let url = format!("https://localhost:{port}");
    for (protocol, begins) in [
        ("grpc", "PRI * HTTP/2.0"),
        ("http", "POST /v1/traces HTTP/1.1"),
    ] {
        for is_trusted in [false, true] {
            let mut pairs = vec![
                ("PGSIEVE_TRACES_ENDPOINT", url.as_str()),
                ("PGSIEVE_TRACES_PROTOCOL", protocol),
                ("PGSIEVE_TRACES_SAMPLE_RATIO", "1"),
            ];
            if is_trusted {
                pairs.push(("SSL_CERT_FILE", &authority));
            }
            let stack = Stack::start(Options {
                environment: environment(&pairs),
                ..Options::default()
            });
            client(&stack).query("SELECT 1");
            if is_trusted {
                let (_, first) = heard.recv_timeout(Duration::from_secs(10)).unwrap();
                let first = first.expect("a request");
                assert!(first.starts_with(begins), "{first}");
            } else {
                until(|| (stack.metric(FAILED) > 0.0).then_some(())).expect("it is not trusted");
                assert!(heard.try_recv().is_err());
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Stands in everything that a client says and that must not go anywhere.
const CANARY: &str = "canary";

#[test]
fn nothing_of_a_text_goes_to_the_collector() {
    let traced = Traced::start("1", Options::default());
    traced.stack.prepare(&[
        FIXTURE,
        "CREATE TABLE canary_rows AS SELECT 'canary of a row' AS canary_column",
        "GRANT SELECT ON canary_rows TO app",
    ]);
    let parameters = [
        ("application_name", "canary traceparent=canary"),
        ("TimeZone", "canary/zone"),
    ];
    let login = Login {
        parameters: &parameters[..1],
        ..traced.stack.login(APP)
    };
    let refused = Login {
        parameters: &parameters,
        ..traced.stack.login(APP)
    };
    drop(RawClient::try_login(
        traced.stack.proxied_address(),
        &refused,
    ));
    let mut client = RawClient::login(traced.stack.proxied_address(), &login);
    let place = Place::new(true);
    let commented = [
        format!(
            "/*canary='canary',traceparent='{}',tracestate='canary=canary'*/",
            place.value()
        ),
        "/*traceparent='00-canary-canary-01',baggage='canary'*/".to_owned(),
        format!(
            "/*traceparent='cc-{}-{}-01-canary',action='canary'*/",
            place.trace, place.span
        ),
        "-- canary".to_owned(),
    ];
    let texts = [
        "SELECT 'canary permitted'",
        "SELECT * FROM canary_rows",
        "SELECT canary_column AS canary_alias FROM canary_rows AS canary_name",
        "SELECT 'canary invalid'::int",
        "SELECT canary_no_column FROM canary_rows",
        "SELECT Canary_Column, FROM canary_rows",
        "SELECT * FROM canary_no_table",
        "SELECT canary_no_function('canary argument')",
        "SELECT 'P0001' !!!> 'canary raised'",
        "DELETE FROM canary_table WHERE a = 'canary refused'",
        "SET canary.setting = 'canary value'",
        "SET application_name = 'canary'",
        "SET statement_timeout = '99999h'",
        "COPY (SELECT 'canary copied') TO STDOUT",
        "PREPARE canary_statement AS SELECT 'canary prepared', $1",
        "EXECUTE canary_statement('canary argument')",
        "DECLARE canary_cursor CURSOR FOR SELECT 'canary'",
        "SELECT 'canary'; SELECT 'canary'",
        "canary is not SQL",
        "SELECT \"canary unterminated",
    ];
    for text in texts {
        for comment in &commented {
            client.query(&format!("{text} {comment}"));
        }
        client.send(&frames::extended(text, &[], false));
        client.until_ready();
    }
    client.send(&frames::extended(
        "SELECT $1::text, $2::int",
        &[Some("canary"), Some("canary")],
        false,
    ));
    client.until_ready();
    client.query(&format!("SELECT '{}canary'", "x".repeat(200_000)));
    let last = Place::new(true);
    client.query(&format!("SELECT 1 {}", last.comment()));
    traced.collector.trace(&last.trace, 1);
    let spans = traced.collector.spans();
    assert!(spans.len() > 300, "{}", spans.len());
    assert!(spans.iter().any(|span| span.trace == place.trace));
    let everything = traced.collector.everything();
    let everything = String::from_utf8_lossy(&everything).to_lowercase();
    for never in [CANARY, "db.query.text", "tracestate", "route", "%2fx"] {
        let found = everything.find(never);
        let around = found.and_then(|at| everything.get(at.saturating_sub(80)..at + 80));
        assert_eq!(found, None, "{never}: {around:?}");
    }
}
