//! The audit of a whole pgsieve at a collector: what its records say, two copies, TLS, headers, a
//! collector that is away, and settings that change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::ChildSignal;
use rustls::{ServerConnection, StreamOwned};

use super::faults::tls_of;
use super::traces::environment;
use crate::settings::reload::{Rig, folder};
use crate::support::collector::{Collector, Rotel};
use crate::support::log_collector::{Answer, LogCollector, Record};
use crate::support::ports::free_port;
use crate::support::raw::kinds;
use crate::support::{APP, Options, RawClient, Stack, until};

fn auditing_to(to: &str, more: &[(&'static str, &str)]) -> Stack {
    let mut pairs = vec![("PGSIEVE_AUDIT_TO", to)];
    pairs.extend(more);
    Stack::start(Options {
        environment: environment(&pairs),
        // The file that tests have elsewhere would come first.
        config: Some(
            "upstream: {url: '{upstream}'}\nlisten: '{listen}'\nadmin: {listen: '{admin}'}\n"
                .into(),
        ),
        ..Options::default()
    })
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn own_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("audit-otlp-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    folder
}

/// The first record for which this holds, as soon as there is one.
fn found(collector: &LogCollector, is_it: impl Fn(&Record) -> bool) -> Record {
    let found = until(|| collector.records().into_iter().find(&is_it));
    found.unwrap_or_else(|| panic!("{:?}", collector.records()))
}

fn is_statement(record: &Record, verdict: &str) -> bool {
    let said = record.attributes.get("pgsieve.verdict").map(String::as_str);
    record.event == "pgsieve.statement" && said == Some(verdict)
}

fn verify(bodies: &str) -> (bool, String) {
    let folder = own_folder();
    let file = folder.join("received.jsonl");
    fs::write(&file, bodies).unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "verify"])
        .arg(&file)
        .output()
        .unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    (done.status.success(), said)
}

#[test]
fn a_statement_is_a_record_with_its_trace_and_without_its_text() {
    for (collector, protocol) in [
        (LogCollector::http(), "http"),
        (LogCollector::grpc(), "grpc"),
    ] {
        let spans = Collector::start();
        let mut stack = auditing_to(
            &collector.url(),
            &[
                ("PGSIEVE_AUDIT_PROTOCOL", protocol),
                ("PGSIEVE_AUDIT_COPY", "left"),
                ("PGSIEVE_TRACES_ENDPOINT", &spans.url()),
                ("PGSIEVE_TRACES_PROTOCOL", "http"),
                ("PGSIEVE_TRACES_SAMPLE_RATIO", "1"),
            ],
        );
        let mut client = client(&stack);
        assert_eq!(
            kinds(&client.query("SELECT 'canary', 2 WHERE 'canary' <> ''")),
            "TDCZ"
        );
        assert_eq!(
            kinds(&client.query("DELETE FROM canary_table WHERE a = 'canary'")),
            "EZ"
        );
        drop(client);
        let permitted = found(&collector, |record| is_statement(record, "permitted"));
        let refused = found(&collector, |record| is_statement(record, "refused"));
        assert_eq!(
            (permitted.severity.as_str(), refused.severity.as_str()),
            ("INFO", "WARN")
        );
        for (key, value) in [
            ("db.system.name", "postgresql"),
            ("db.namespace", stack.database()),
            ("db.operation.name", "select"),
            ("db.response.returned_rows", "1"),
            ("user.name", APP),
            ("client.address", "127.0.0.1"),
            ("pgsieve.path", "query"),
        ] {
            assert_eq!(permitted.attributes[key], value, "{key}");
        }
        assert_eq!(refused.attributes["pgsieve.rule"], "write_statement");
        assert_eq!(permitted.resource["service.instance.id"], "left");
        // The span of the same name is the one that the collector of spans has.
        let sent = spans.trace(&permitted.trace, 1);
        assert_eq!(sent[0].id, permitted.span);
        assert_eq!(
            sent[0].get("db.query.summary"),
            permitted.attributes["db.query.summary"]
        );
        stack.signal(ChildSignal::Terminate);
        assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));
        let last = collector.records().pop().unwrap();
        assert_eq!(last.event, "pgsieve.server_stopped");
        let (whole, said) = verify(&collector.bodies());
        assert!(whole, "{said}");
        let everything = collector.everything();
        let everything = String::from_utf8_lossy(&everything);
        assert!(
            !everything.replace("canary_table", "").contains("canary"),
            "{everything}"
        );
    }
}

#[test]
fn two_copies_at_one_collector_have_a_chain_each() {
    let collector = LogCollector::grpc();
    let copy = |name: &str| auditing_to(&collector.url(), &[("PGSIEVE_AUDIT_COPY", name)]);
    let mut stacks = [copy("left"), copy("right")];
    for stack in &stacks {
        for _ in 0..20 {
            client(stack).query("SELECT 1");
        }
    }
    for stack in &mut stacks {
        stack.signal(ChildSignal::Terminate);
        assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));
    }
    let mut by_copy: BTreeMap<String, String> = BTreeMap::new();
    for record in collector.records() {
        let bodies = by_copy.entry(record.resource["service.instance.id"].clone());
        bodies.or_default().push_str(&format!("{}\n", record.body));
    }
    let copies: Vec<&str> = by_copy.keys().map(String::as_str).collect();
    assert_eq!(copies, ["left", "right"]);
    for (copy, bodies) in by_copy {
        let (whole, said) = verify(&bodies);
        assert!(whole, "{copy}: {said}");
        let named = format!("\"copy\":\"{copy}\"");
        assert!(bodies.lines().count() > 60);
        assert!(bodies.lines().all(|line| line.contains(&named)));
    }
}

#[test]
fn a_real_collector_hands_the_lines_on_as_they_are() {
    for protocol in ["grpc", "http"] {
        let behind = LogCollector::http();
        let rotel = Rotel::of_logs(&behind.url());
        let port = if protocol == "grpc" {
            rotel.grpc
        } else {
            rotel.http
        };
        let mut stack = auditing_to(
            &format!("http://127.0.0.1:{port}"),
            &[("PGSIEVE_AUDIT_PROTOCOL", protocol)],
        );
        for _ in 0..50 {
            client(&stack).query("SELECT 1");
        }
        stack.signal(ChildSignal::Terminate);
        assert_eq!(stack.wait_exit(Duration::from_secs(20)), Some(0));
        // Not every collector knows of the names of events.
        let last = |record: &Record| record.body.contains("\"event\":\"server_stopped\"");
        let end = until(|| behind.records().into_iter().find(last));
        assert!(end.is_some(), "{}", rotel.said());
        let mut records = behind.records();
        records.sort_by_key(|record| record.attributes["pgsieve.seq"].parse::<u64>().unwrap());
        let bodies: String = records
            .iter()
            .map(|record| record.body.clone() + "\n")
            .collect();
        let (whole, said) = verify(&bodies);
        assert!(whole, "{said}");
        assert!(records.len() > 150);
    }
}

#[test]
fn tls_is_spoken_to_a_collector_that_proves_itself_and_to_no_other() {
    let folder = own_folder();
    let config = Arc::new(tls_of(&folder));
    let authority = folder.join("ca.crt").to_string_lossy().into_owned();
    let headers = folder.join("headers");
    fs::write(&headers, "authorization: Bearer canary-of-a-token\n").unwrap();
    let headers = headers.to_string_lossy().into_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let collector = LogCollector::serving(listener, move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).ok()?;
        Some(StreamOwned::new(connection, stream))
    });
    for is_trusted in [false, true] {
        let mut more = vec![
            ("PGSIEVE_AUDIT_PROTOCOL", "http"),
            ("PGSIEVE_AUDIT_HEADERS_FILE", headers.as_str()),
        ];
        if is_trusted {
            more.push(("SSL_CERT_FILE", &authority));
        }
        let stack = auditing_to(&url, &more);
        if is_trusted {
            found(&collector, |record| record.event == "pgsieve.listening");
            let head = collector.heads().remove(0).to_lowercase();
            assert!(head.starts_with("post /v1/logs http/1.1"), "{head}");
            assert!(
                head.contains("authorization: bearer canary-of-a-token"),
                "{head}"
            );
        } else {
            let said = until(|| Some(stack.stderr()).filter(|said| said.contains("not reach")));
            let said = said.expect("it is told");
            assert!(said.contains("its certificate is not trusted"), "{said}");
            assert!(collector.heads().is_empty());
        }
        assert!(!stack.everything_said().contains("canary-of-a-token"));
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn grpc_over_tls_goes_to_a_collector_that_proves_itself_alone() {
    let folder = own_folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    let mut config = tls_of(&folder);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let config = Arc::new(config);
    let authority = folder.join("ca.crt").to_string_lossy().into_owned();
    let (tell, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            let mut preface = [0; 14];
            let is_whole = std::io::Read::read_exact(&mut stream, &mut preface).is_ok();
            if is_whole && tell.send(preface).is_err() {
                return;
            }
        }
    });
    for is_trusted in [false, true] {
        let trusted = [("SSL_CERT_FILE", authority.as_str())];
        let stack = auditing_to(&url, if is_trusted { &trusted } else { &[] });
        if is_trusted {
            let preface = heard.recv_timeout(Duration::from_secs(20)).unwrap();
            assert_eq!(&preface, b"PRI * HTTP/2.0");
        } else {
            let said = until(|| Some(stack.stderr()).filter(|said| said.contains("not reach")));
            let said = said.expect("it is told");
            assert!(said.contains("its certificate is not trusted"), "{said}");
            assert!(heard.try_recv().is_err());
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn clients_are_served_while_the_collector_is_away_and_it_has_all_lines_then() {
    let port = free_port();
    let stack = auditing_to(
        &format!("http://127.0.0.1:{port}"),
        &[("PGSIEVE_AUDIT_PROTOCOL", "http")],
    );
    let mut session = client(&stack);
    for _ in 0..20 {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
        assert_eq!(kinds(&session.query("DELETE FROM t")), "EZ");
    }
    assert!(stack.metric("pgsieve_audit_write_errors_total") > 0.0);
    let collector = LogCollector::http_on(TcpListener::bind(("127.0.0.1", port)).unwrap());
    let count = |verdict: &str| {
        let records = collector.records();
        records
            .iter()
            .filter(|record| is_statement(record, verdict))
            .count()
    };
    let all = until(|| (count("permitted") == 20 && count("refused") == 20).then_some(()));
    assert!(all.is_some(), "{} {}", count("permitted"), count("refused"));
    let ids = collector.records().into_iter();
    let ids: Vec<String> = ids
        .map(|one| one.attributes["log.record.uid"].clone())
        .collect();
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    let (whole, said) = verify(&collector.bodies());
    assert!(whole, "{said}");
    let said = stack.stderr();
    assert_eq!(
        said.matches("the audit does not reach the collector")
            .count(),
        1,
        "{said}"
    );
    assert_eq!(
        said.matches("the audit reaches the collector again")
            .count(),
        1,
        "{said}"
    );
}

#[test]
fn what_a_collector_refuses_for_good_is_counted_and_others_have_it() {
    let collector = LogCollector::http();
    collector.always(Answer::Http(400, "X: y", b"canary"));
    let folder = own_folder();
    let file = folder.join("audit.jsonl");
    let to = format!("['{}', '{}']", file.display(), collector.url());
    let stack = Stack::start(Options {
        config: Some(format!(
            "upstream: {{url: '{{upstream}}'}}\nlisten: '{{listen}}'\n\
             admin: {{listen: '{{admin}}'}}\naudit: {{to: {to}, protocol: http}}\n"
        )),
        ..Options::default()
    });
    client(&stack).query("DELETE FROM t");
    let refused = "pgsieve_audit_refused_total";
    until(|| (stack.metric(refused) > 5.0).then_some(())).expect("they are counted");
    let said = stack.stderr();
    assert_eq!(said.matches("has refused").count(), 1, "{said}");
    assert!(
        said.contains("HTTP 400") && !said.contains("canary"),
        "{said}"
    );
    let lines = || fs::read_to_string(&file).unwrap_or_default();
    let is_there = until(|| lines().contains("\"verdict\":\"refused\"").then_some(()));
    assert!(is_there.is_some(), "{}", lines());
    assert!(collector.records().is_empty());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn another_token_in_the_file_is_taken_up_while_lines_wait() {
    let collector = LogCollector::http();
    let own = folder();
    fs::write(own.join("headers"), "authorization: Bearer canary-old\n").unwrap();
    let mut rig = Rig::start(own, "upstream: {url: '{upstream}'}\n");
    let before = fs::read_to_string(rig.config()).unwrap();
    let file = rig.stack.audit_path();
    let to = format!("to: '{}'", file.display());
    let headers = rig.folder.join("headers");
    let coming = format!(
        "to: ['{}', '{}'], protocol: http, headers_file: '{}'",
        file.display(),
        collector.url(),
        headers.display()
    );
    collector.always(Answer::Http(401, "X: y", b""));
    rig.edit(&to, &coming);
    rig.reload("loaded");
    assert_ne!(fs::read_to_string(rig.config()).unwrap(), before);
    let told = until(|| Some(rig.stack.stderr()).filter(|said| said.contains("HTTP 401")));
    let told = told.expect("it is told");
    assert!(told.contains("audit.headers_file"), "{told}");
    collector.always(Answer::Take);
    let first = collector.heads().remove(0).to_lowercase();
    assert!(first.contains("bearer canary-old"), "{first}");
    fs::write(&headers, "authorization: Bearer canary-new\n").unwrap();
    rig.reload("loaded");
    let is_new = |head: &String| head.to_lowercase().contains("bearer canary-new");
    let new = until(|| {
        drop(rig.login(APP, APP));
        collector.heads().into_iter().find(is_new)
    });
    assert!(new.is_some(), "{:?}", collector.heads());
    assert!(!rig.stack.everything_said().contains("canary-"));
}
