//! The audit at a collector, over both protocols: all lines arrive once and in their order, what is
//! not taken is sent again, what is refused for good is counted, and nobody waits longer for it
//! than for any other place.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pgsieve::limits::AUDIT_CHUNK_BYTES;
use pgsieve::secret::Secret;
use pgsieve::telemetry::audit::AuditTarget;
use pgsieve::telemetry::audit::collector::target::CollectorTarget;
use pgsieve::telemetry::audit::copy_name::CopyName;
use pgsieve::telemetry::collector::settings::{
    CollectorProtocol, CollectorSettings, CollectorSignal,
};
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::{EventLog, LogFormat, LogLevel, LogSettings, LogTarget};
use pgsieve::telemetry::{Telemetry, TelemetrySettings};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::telemetry::log_collector::{Answer, LogCollector, Record};
use crate::telemetry::support::{Place, sample, session, statement, writing_to};

use CollectorProtocol::{Grpc, Http};

const BOUND: Duration = Duration::from_secs(30);

fn target(url: &str, protocol: CollectorProtocol) -> AuditTarget {
    AuditTarget::Collector(Box::new(CollectorTarget {
        collector: CollectorSettings::parse(url, protocol, CollectorSignal::Logs).unwrap(),
        headers: vec![("x-key".into(), Secret::new("canary-key"))],
        service_name: "gate".into(),
    }))
}

fn collector(protocol: CollectorProtocol) -> LogCollector {
    match protocol {
        Grpc => LogCollector::grpc(),
        Http => LogCollector::http(),
    }
}

/// An audit in a file and at this collector.
fn settings(place: &Place, url: &str, protocol: CollectorProtocol) -> TelemetrySettings {
    let mut settings = writing_to(&place.file("audit"));
    settings.audit.copy = Some(CopyName::parse("copy-7").unwrap());
    settings.audit.targets.push(target(url, protocol));
    settings
}

/// Telemetry whose log is a file of the place.
fn start(place: &Place, settings: &TelemetrySettings) -> Telemetry {
    let log = EventLog::open(&LogSettings {
        format: LogFormat::Text,
        level: LogLevel::Info,
        to: LogTarget::File(place.file("log")),
    });
    Telemetry::start(settings, log.unwrap()).unwrap()
}

fn said(place: &Place) -> String {
    fs::read_to_string(place.file("log")).unwrap_or_default()
}

fn refuse(telemetry: &Telemetry, count: usize) {
    for _ in 0..count {
        telemetry.emit(&statement(&session(), StatementOutcome::Refused));
    }
}

/// The collector has what the file has, line for line.
fn same_lines(place: &Place, collector: &LogCollector) {
    let text = fs::read_to_string(place.file("audit")).unwrap();
    assert_eq!(collector.bodies(), text);
}

fn verify(file: &Path) -> (bool, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "verify"])
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    (done.status.success(), said)
}

#[test]
fn every_line_arrives_once_in_its_order_and_says_what_it_is() {
    for protocol in [Grpc, Http] {
        let (place, collector) = (Place::new(), collector(protocol));
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        let many = 3 * AUDIT_CHUNK_BYTES / 400;
        for _ in 0..4 {
            refuse(&telemetry, many);
            assert!(telemetry.flush(BOUND));
        }
        telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
        assert!(telemetry.flush(BOUND));
        let records = collector.records();
        assert_eq!(records.len(), 4 * many + 2);
        same_lines(&place, &collector);
        assert!(collector.sizes().len() < 40, "{:?}", collector.sizes());
        let (begun, refused, permitted) = (&records[0], &records[1], &records[records.len() - 1]);
        assert_eq!(begun.event, "pgsieve.chain_began");
        assert_eq!(
            (begun.severity.as_str(), begun.severity_number),
            ("INFO", 9)
        );
        assert_eq!(
            (refused.severity.as_str(), refused.severity_number),
            ("WARN", 13)
        );
        assert_eq!(permitted.severity, "INFO");
        assert_eq!((&*permitted.trace, &*permitted.span), ("", ""));
        let get = |record: &Record, key: &str| record.attributes[key].clone();
        for (key, value) in [
            ("db.system.name", "postgresql"),
            ("db.namespace", "shop"),
            ("db.response.status_code", "25006"),
            ("error.type", "25006"),
            ("user.name", "ann"),
            ("client.address", "10.1.2.3"),
            ("client.port", "40000"),
            ("pgsieve.application_name", "psql"),
            ("pgsieve.verdict", "refused"),
            ("pgsieve.subject", "relation shop.orders"),
        ] {
            assert_eq!(get(refused, key), value, "{key}");
        }
        for (key, value) in [
            ("service.name", "gate"),
            ("service.version", env!("CARGO_PKG_VERSION")),
            ("service.instance.id", "copy-7"),
        ] {
            assert_eq!(refused.resource[key], value, "{key}");
        }
        let ids = records.iter().map(|record| get(record, "log.record.uid"));
        let unique: std::collections::BTreeSet<String> = ids.collect();
        assert_eq!(unique.len(), records.len());
        for pair in records.windows(2) {
            assert!(pair[0].times <= pair[1].times && pair[0].times[0] > 0);
        }
        assert!(
            collector
                .heads()
                .iter()
                .all(|head| head.contains("canary-key"))
        );
        let received = place.file("received");
        fs::write(&received, collector.bodies()).unwrap();
        let (whole, told) = verify(&received);
        assert!(whole, "{told}");
        let scrape = telemetry.scrape();
        assert_eq!(sample(&scrape, "pgsieve_audit_refused_total"), 0.0);
        assert_eq!(sample(&scrape, "pgsieve_audit_write_errors_total"), 0.0);
        drop(telemetry);
        assert!(!said(&place).contains("canary"), "{}", said(&place));
    }
}

#[test]
fn a_collector_that_is_away_gets_what_it_has_missed() {
    for protocol in [Grpc, Http] {
        let place = Place::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let url = format!("http://{address}");
        let telemetry = start(&place, &settings(&place, &url, protocol));
        refuse(&telemetry, 5);
        assert!(!telemetry.flush(Duration::from_millis(500)));
        // A place that is away holds the others up by one piece, which is the chain's first line.
        let text = fs::read_to_string(place.file("audit")).unwrap();
        assert_eq!(text.lines().count(), 1);
        let errors = sample(&telemetry.scrape(), "pgsieve_audit_write_errors_total");
        assert!((1.0..10.0).contains(&errors), "{errors}");
        let listener = TcpListener::bind(address).unwrap();
        let collector = match protocol {
            Grpc => LogCollector::grpc_on(listener),
            Http => LogCollector::http_on(listener),
        };
        refuse(&telemetry, 5);
        assert!(telemetry.flush(BOUND));
        assert_eq!(collector.records().len(), 11);
        same_lines(&place, &collector);
        drop(telemetry);
        let said = said(&place);
        let unreached = format!("nobody listens there at http://{address}");
        assert_eq!(said.matches(&unreached).count(), 1, "{said}");
        assert!(said.contains("see audit.to"), "{said}");
        assert_eq!(
            said.matches("reaches the collector again").count(),
            1,
            "{said}"
        );
    }
}

/// What a collector says that takes nothing for now: the answers, what is logged of it, and the
/// least time until it is asked again.
fn refusals_for_now() -> Vec<(CollectorProtocol, Answer, &'static str, u64)> {
    let details = ErrorDetails::with_retry_info(Some(Duration::from_secs(1)));
    let busy = Status::with_error_details(Code::ResourceExhausted, "canary", details);
    let grpc = |code| Answer::Grpc(Status::new(code, "canary"));
    let later = "Retry-After: 1";
    vec![
        (Http, Answer::Http(503, later, b"canary"), "HTTP 503", 1000),
        (Http, Answer::Http(429, later, b""), "HTTP 429", 1000),
        (Http, Answer::Http(502, "X: y", b""), "HTTP 502", 0),
        (Http, Answer::Http(401, "X: y", b"canary"), "HTTP 401", 0),
        (Http, Answer::Http(404, "X: y", b"canary"), "HTTP 404", 0),
        (
            Http,
            Answer::Http(302, "Location: /canary", b""),
            "HTTP 302",
            0,
        ),
        (
            Http,
            Answer::Http(200, "Content-Type: text/html", b"<canary>"),
            "none of a collector",
            0,
        ),
        (Http, Answer::Close, "cannot be reached", 0),
        (
            Http,
            Answer::Bytes(b"SSH-2.0-canary\r\n"),
            "cannot be reached",
            0,
        ),
        (Grpc, Answer::Grpc(busy), "gRPC ResourceExhausted", 1000),
        (Grpc, grpc(Code::Unavailable), "gRPC Unavailable", 0),
        (Grpc, grpc(Code::Unauthenticated), "gRPC Unauthenticated", 0),
        (Grpc, grpc(Code::Unimplemented), "gRPC Unimplemented", 0),
        (Grpc, grpc(Code::Internal), "gRPC Internal", 0),
    ]
}

#[test]
fn what_is_not_taken_for_now_is_sent_again() {
    for (protocol, answer, told, rest_ms) in refusals_for_now() {
        let (place, collector) = (Place::new(), collector(protocol));
        collector.next([answer.clone(), answer.clone()]);
        let begun = Instant::now();
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 5);
        assert!(telemetry.flush(BOUND), "{answer:?}");
        assert!(
            begun.elapsed() >= Duration::from_millis(2 * rest_ms),
            "{answer:?}"
        );
        assert_eq!(collector.records().len(), 6);
        same_lines(&place, &collector);
        let scrape = telemetry.scrape();
        assert_eq!(sample(&scrape, "pgsieve_audit_refused_total"), 0.0);
        assert_eq!(sample(&scrape, "pgsieve_audit_write_errors_total"), 2.0);
        drop(telemetry);
        let said = said(&place);
        assert_eq!(said.matches(told).count(), 1, "{answer:?}: {said}");
        assert!(!said.contains("canary"), "{said}");
    }
}

#[test]
fn what_is_refused_for_good_is_counted_and_told_and_the_chain_shows_it() {
    let invalid = Answer::Grpc(Status::invalid_argument("canary"));
    for (protocol, answer, lost, told) in [
        (Http, Answer::Http(400, "X: y", b"canary"), 4, "HTTP 400"),
        (Grpc, invalid, 4, "gRPC InvalidArgument"),
        (Http, Answer::TakeWithout(3), 3, "has taken a part"),
        (Grpc, Answer::TakeWithout(3), 3, "has taken a part"),
    ] {
        let (place, collector) = (Place::new(), collector(protocol));
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 5);
        assert!(telemetry.flush(BOUND));
        collector.next([answer.clone(), answer.clone()]);
        for _ in 0..2 {
            refuse(&telemetry, 4);
            assert!(telemetry.flush(BOUND));
        }
        refuse(&telemetry, 4);
        assert!(telemetry.flush(BOUND));
        let text = fs::read_to_string(place.file("audit")).unwrap();
        assert_eq!(text.lines().count(), 18);
        assert_eq!(collector.records().len(), 18 - 2 * lost);
        let refused = sample(&telemetry.scrape(), "pgsieve_audit_refused_total");
        assert_eq!(refused, f64::from(u32::try_from(2 * lost).unwrap()));
        drop(telemetry);
        // Once a minute at most.
        let said = said(&place);
        assert_eq!(said.matches("for good").count(), 1, "{said}");
        assert!(
            said.contains(&format!("refused {lost} audit lines")),
            "{said}"
        );
        assert!(said.contains(told) && !said.contains("canary"), "{said}");
        assert!(verify(&place.file("audit")).0);
        let received = place.file("received");
        fs::write(&received, collector.bodies()).unwrap();
        let (whole, found) = verify(&received);
        assert!(!whole && found.contains("missing"), "{found}");
    }
}

#[test]
fn requests_that_are_too_large_are_made_smaller() {
    for protocol in [Grpc, Http] {
        let (place, collector) = (Place::new(), collector(protocol));
        collector.always(Answer::Most(10));
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 100);
        assert!(telemetry.flush(BOUND));
        assert_eq!(collector.records().len(), 101);
        same_lines(&place, &collector);
        assert_eq!(
            sample(&telemetry.scrape(), "pgsieve_audit_refused_total"),
            0.0
        );
    }
}

#[test]
fn a_line_that_is_too_large_alone_holds_nothing_up_over_http() {
    let (place, collector) = (Place::new(), LogCollector::http());
    collector.next((0..3).map(|_| Answer::Http(413, "X: y", b"")));
    let telemetry = start(&place, &settings(&place, &collector.url(), Http));
    // The chain's first line, and two more: both, then one, alone.
    assert!(telemetry.flush(BOUND));
    refuse(&telemetry, 4);
    assert!(telemetry.flush(BOUND));
    let refused = sample(&telemetry.scrape(), "pgsieve_audit_refused_total");
    assert!(refused >= 1.0, "{refused}");
    let missing = 5 - collector.records().len();
    assert_eq!(refused, f64::from(u32::try_from(missing).unwrap()));
}

#[test]
fn a_collector_that_hangs_costs_its_time_and_no_line() {
    for protocol in [Grpc, Http] {
        let (place, collector) = (Place::new(), collector(protocol));
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 1);
        assert!(telemetry.flush(BOUND));
        // It has taken what it has not answered: the store knows by the id what it has twice.
        collector.next([Answer::Hang]);
        refuse(&telemetry, 3);
        assert!(telemetry.flush(BOUND));
        let mut records = collector.records();
        assert_eq!(records.len(), 2 + 2 * 3);
        let mut seen = std::collections::BTreeSet::new();
        records.retain(|record| seen.insert(record.attributes["log.record.uid"].clone()));
        let bodies: String = records
            .into_iter()
            .map(|record| record.body + "\n")
            .collect();
        assert_eq!(bodies, fs::read_to_string(place.file("audit")).unwrap());
        drop(telemetry);
        assert!(
            said(&place).contains("it does not answer in time"),
            "{}",
            said(&place)
        );
    }
}

#[test]
fn what_waits_is_sent_before_the_end_also_while_it_rests() {
    for protocol in [Grpc, Http] {
        let (place, collector) = (Place::new(), collector(protocol));
        let details = ErrorDetails::with_retry_info(Some(Duration::from_secs(3600)));
        collector.next([match protocol {
            Http => Answer::Http(503, "Retry-After: 3600", b""),
            Grpc => Answer::Grpc(Status::with_error_details(Code::Unavailable, "", details)),
        }]);
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 5);
        assert!(!telemetry.flush(Duration::from_millis(500)));
        let begun = Instant::now();
        drop(telemetry);
        assert!(begun.elapsed() < Duration::from_secs(8));
        assert_eq!(collector.records().len(), 6);
        same_lines(&place, &collector);
        assert!(said(&place).contains("the audit is closed; head"));
    }
}

#[test]
fn whoever_ends_pgsieve_does_not_wait_for_ever_for_a_collector() {
    for protocol in [Grpc, Http] {
        let (place, collector) = (Place::new(), collector(protocol));
        collector.always(Answer::Hang);
        let telemetry = start(&place, &settings(&place, &collector.url(), protocol));
        refuse(&telemetry, 5);
        let begun = Instant::now();
        drop(telemetry);
        assert!(
            begun.elapsed() < Duration::from_secs(8),
            "{:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn settings_that_change_move_lines_to_another_collector_and_lose_none() {
    let (place, first, second) = (Place::new(), LogCollector::http(), LogCollector::http());
    let held = settings(&place, &first.url(), Http);
    let telemetry = start(&place, &held);
    refuse(&telemetry, 3);
    assert!(telemetry.flush(BOUND));
    // Its token has ended: another one comes with the next settings.
    first.always(Answer::Http(401, "X: y", b""));
    refuse(&telemetry, 3);
    assert!(!telemetry.flush(Duration::from_millis(300)));
    let coming = settings(&place, &second.url(), Http);
    telemetry.exchange(telemetry.prepare(&coming).unwrap());
    refuse(&telemetry, 3);
    assert!(telemetry.flush(BOUND));
    let bodies = first.bodies() + &second.bodies();
    assert_eq!(bodies, fs::read_to_string(place.file("audit")).unwrap());
    assert_eq!(first.records().len(), 4);
    // What it was sent and has not taken is what the other one has.
    assert!(first.everything().len() > 2 * first.bodies().len());
}
