//! The audit and the metrics as an operator sees them: what a line holds, what is kept when the
//! queue is full, rotation, permissions, and what a scrape shows.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pgsieve::funnel::{Attempt, AttemptOutcome, Confidence, NameGate};
use pgsieve::gate::{Named, Rule, StatementKind};
use pgsieve::limits::{AUDIT_NAMES_MAX, AUDIT_QUEUE_BYTES_MAX};
use pgsieve::policy::{Mode, Recoverer};
use pgsieve::sql::fingerprint::{Fingerprint, Fingerprinter};
use pgsieve::sqlstate;
use pgsieve::telemetry::code::Code;
use pgsieve::telemetry::events::{
    ConnectionClosed, ConnectionOpened, LimitReached, LoginFinished, SessionPanicked,
    StatementFinished, StatementRepaired, TripwireFired,
};
use pgsieve::telemetry::labels::{
    ClosedBecause, LoginMethod, LoginOutcome, Outcome, Path, Transport, Tripwire,
};
use pgsieve::telemetry::log::Log;
use pgsieve::telemetry::session::SessionInfo;
use pgsieve::telemetry::{Telemetry, audit::AuditTarget};
use serde_json::Value;

/// A place for one test's files; removed when the test ends.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pgsieve-telemetry-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn audit_to(file: &std::path::Path) -> Telemetry {
    Telemetry::start(&AuditTarget::File(file.into()), Log::off()).unwrap()
}

fn session() -> SessionInfo {
    SessionInfo::accepted(3, "10.1.2.3:40000").named("ann", "shop", "psql")
}

fn fingerprint() -> Fingerprint {
    Fingerprinter::new(None, [0; 32]).of("SELECT 1")
}

fn statement(session: &SessionInfo, outcome: Outcome) -> StatementFinished<'_> {
    StatementFinished {
        session,
        path: Path::Query,
        kind: StatementKind::ALL[0],
        fingerprint: Some(fingerprint()),
        outcome,
        rule: (outcome == Outcome::Refused).then(|| Rule::ALL[0]),
        observed: &[],
        observed_running: &[],
        named: None,
        sqlstate: (outcome == Outcome::Refused)
            .then(|| Code::from(sqlstate::READ_ONLY_SQL_TRANSACTION)),
        rows: 2,
        bytes: 99,
        gate: Duration::from_nanos(12_345),
        upstream: Duration::from_micros(700),
        plan: None,
        total: Duration::from_micros(800),
    }
}

fn lines(file: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_statement_leaves_one_line_with_everything_but_its_text() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    telemetry.emit(&statement(&session(), Outcome::Refused));
    assert!(telemetry.flush(Duration::from_secs(5)));

    let lines = lines(&file);
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    for (key, value) in [
        ("v", Value::from(1)),
        ("event", "statement".into()),
        ("session", 3.into()),
        ("client", "10.1.2.3:40000".into()),
        ("user", "ann".into()),
        ("database", "shop".into()),
        ("application_name", "psql".into()),
        ("tls", false.into()),
        ("path", "query".into()),
        ("kind", StatementKind::ALL[0].name().into()),
        ("verdict", "refused".into()),
        ("rule", Rule::ALL[0].name().into()),
        ("fingerprint", fingerprint().to_string().into()),
        ("sqlstate", "25006".into()),
        ("rows", 2.into()),
        ("bytes", 99.into()),
        ("gate_us", 12.into()),
        ("upstream_us", 700.into()),
        ("total_us", 800.into()),
    ] {
        assert_eq!(line[key], value, "{key}");
    }
    let time = line["time"].as_str().unwrap();
    assert_eq!(time.len(), "2026-01-01T00:00:00.000000Z".len());
    assert!(time.parse::<jiff::Timestamp>().is_ok());
}

#[test]
fn a_line_tells_what_was_read_and_what_would_have_refused_it() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    let named = Named {
        relations: [r"shop.a", "shop.\"b\n"].map(Arc::from).into(),
        functions: ["shop.f(integer)"].map(Arc::from).into(),
        settings: (0..AUDIT_NAMES_MAX + 3)
            .map(|number| format!("app.s{number}").into())
            .collect(),
    };
    let session = session();
    let (judged, running) = ([Rule::RelationDenied, Rule::Nesting], [Rule::ResultRows]);
    let finished = StatementFinished {
        observed: &judged,
        observed_running: &running,
        named: Some(&named),
        ..statement(&session, Outcome::Permitted)
    };
    telemetry.emit(&finished);
    telemetry.emit(&StatementFinished {
        path: Path::Execute,
        named: None,
        ..finished
    });
    telemetry.emit(&LimitReached {
        session: &session,
        rule: Rule::ConnectionsPerUser,
        mode: Mode::Observe,
        fingerprint: None,
    });
    telemetry.emit(&statement(&session, Outcome::Permitted));
    assert!(telemetry.flush(Duration::from_secs(5)));
    let lines = lines(&file);
    let relations = serde_json::json!(["shop.a", "shop.\"b\n"]);
    assert_eq!(lines[0]["relations"], relations);
    assert_eq!(
        lines[0]["functions"],
        serde_json::json!(["shop.f(integer)"])
    );
    let settings = lines[0]["settings"].as_array().unwrap();
    assert_eq!(settings.len(), AUDIT_NAMES_MAX);
    assert_eq!(lines[0]["names_left_out"], 3);
    let all = serde_json::json!(["relation_denied", "nesting", "result_rows"]);
    assert_eq!(lines[0]["would_refuse"], all);
    assert_eq!(lines[0]["verdict"], "permitted");
    assert_eq!(lines[1]["would_refuse"], all);
    assert!(lines[1].get("relations").is_none());
    assert_eq!(lines[2]["would_refuse"][0], "connections_per_user");
    assert!(lines[3].get("would_refuse").is_none());
    // What a Parse was counted for is not counted again for each run.
    let scraped = telemetry.scrape();
    for (rule, count) in [
        ("relation_denied", 1),
        ("result_rows", 2),
        ("connections_per_user", 1),
        ("column_denied", 0),
    ] {
        let sample = format!("pgsieve_observed_total{{rule=\"{rule}\"}} {count}\n");
        assert!(scraped.contains(&sample), "{sample}");
    }
}

#[test]
fn a_rescue_leaves_one_line_with_every_attempt_and_no_text() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    let other = Fingerprinter::new(None, [0; 32]).of("SELECT 2, 3");
    let attempt = |recoverer, confidence, outcome, failed: &[NameGate]| Attempt {
        recoverer,
        confidence,
        outcome,
        failed: failed.to_vec(),
        before: Some(fingerprint()),
        after: (outcome == AttemptOutcome::Applied).then_some(other),
        text: Some("SELECT 'cAnArY'".to_owned()),
        words: "cAnArY stands for cAnArY2".to_owned(),
    };
    let attempts = [
        attempt(
            Recoverer::UndefinedColumn,
            Confidence::Guess,
            AttemptOutcome::Hinted,
            &[NameGate::Score, NameGate::Risk],
        ),
        attempt(
            Recoverer::Unwrap,
            Confidence::Exact,
            AttemptOutcome::Applied,
            &[],
        ),
    ];
    let session = session();
    let repaired = StatementRepaired {
        session: &session,
        path: Path::Query,
        attempts: &attempts,
        latency: Duration::from_micros(4_200),
    };
    telemetry.emit(&repaired);
    // Nothing was thought of: it took its time, and there is nothing to tell.
    telemetry.emit(&StatementRepaired {
        attempts: &[],
        ..repaired
    });
    assert!(telemetry.flush(Duration::from_secs(5)));
    assert!(!fs::read_to_string(&file).unwrap().contains("cAnArY"));
    let lines = lines(&file);
    assert_eq!(lines.len(), 1);
    for (key, value) in [
        ("event", Value::from("statement_repaired")),
        ("session", 3.into()),
        ("path", "query".into()),
        ("outcome", "applied".into()),
        ("latency_us", 4_200.into()),
        (
            "attempts",
            serde_json::json!([
                {
                    "step": 1,
                    "recoverer": "undefined_column",
                    "confidence": "guess",
                    "outcome": "hinted",
                    "gates": ["score", "risk"],
                    "before": fingerprint().to_string(),
                },
                {
                    "step": 2,
                    "recoverer": "unwrap",
                    "confidence": "exact",
                    "outcome": "applied",
                    "gates": [],
                    "before": fingerprint().to_string(),
                    "after": other.to_string(),
                },
            ]),
        ),
    ] {
        assert_eq!(lines[0][key], value, "{key}");
    }
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_repair_seconds_count"), 2.0);
    for line in [
        "pgsieve_repairs_total{confidence=\"exact\",outcome=\"applied\",recoverer=\"unwrap\"} 1",
        "pgsieve_repairs_total{confidence=\"guess\",outcome=\"hinted\",\
         recoverer=\"undefined_column\"} 1",
    ] {
        assert!(scrape.lines().any(|have| have == line), "{line}\n{scrape}");
    }
    assert!(!scrape.contains("cAnArY") && !format!("{attempts:?}").contains("cAnArY"));
}

#[test]
fn only_the_owner_may_read_a_new_audit_file() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let _telemetry = audit_to(&file);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn an_audit_that_cannot_be_opened_is_an_error_at_start() {
    let place = Place::new();
    let target = AuditTarget::File(place.file("no/such/folder/audit"));
    assert!(Telemetry::start(&target, Log::off()).is_err());
}

#[test]
fn lines_come_by_themselves_and_the_last_ones_at_the_end() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    telemetry.emit(&statement(&session(), Outcome::Permitted));
    let start = Instant::now();
    while lines(&file).is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the line never came"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    telemetry.emit(&TripwireFired {
        session: &session(),
        wire: Tripwire::WriteTag,
    });
    drop(telemetry);
    assert_eq!(lines(&file)[1]["wire"], "write_tag");
}

#[test]
fn rotation_loses_no_line_and_repeats_none() {
    let place = Place::new();
    let (file, old) = (place.file("audit.jsonl"), place.file("audit.1"));
    let telemetry = audit_to(&file);
    telemetry.emit(&statement(&session(), Outcome::Permitted));
    assert!(telemetry.flush(Duration::from_secs(5)));
    fs::rename(&file, &old).unwrap();
    telemetry.reopen();
    let start = Instant::now();
    while !file.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the file was not opened anew"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    telemetry.emit(&statement(&session(), Outcome::Refused));
    assert!(telemetry.flush(Duration::from_secs(5)));
    assert_eq!(lines(&old).len(), 1);
    assert_eq!(lines(&file).len(), 1);
}

#[test]
fn many_threads_make_whole_lines() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let session = session();
                for _ in 0..2_000 {
                    telemetry.emit(&statement(&session, Outcome::Refused));
                }
            });
        }
    });
    drop(telemetry);
    assert_eq!(lines(&file).len(), 8_000);
}

/// A pipe that nobody reads stands for a disk that hangs.
#[test]
fn when_nothing_is_written_any_more_statements_are_dropped_and_refusals_wait() {
    let place = Place::new();
    let pipe = place.file("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    let reader = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    let telemetry = audit_to(&pipe);
    let session = session();
    let permitted = statement(&session, Outcome::Permitted);
    // The queue twice over: one fill is taken by the writer, which then hangs.
    for _ in 0..AUDIT_QUEUE_BYTES_MAX / 100 {
        telemetry.emit(&permitted);
    }
    let start = Instant::now();
    telemetry.emit(&permitted);
    assert!(
        start.elapsed() < Duration::from_millis(100),
        "a permitted statement waited"
    );
    let start = Instant::now();
    telemetry.emit(&statement(&session, Outcome::Refused));
    let waited = start.elapsed();
    assert!(
        waited > Duration::from_millis(200),
        "a refusal did not wait: {waited:?}"
    );
    assert!(
        waited < Duration::from_secs(5),
        "a refusal waited without bound"
    );
    assert!(!telemetry.flush(Duration::from_millis(50)));
    let dropped = sample(&telemetry.scrape(), "pgsieve_audit_dropped_total");
    assert!(dropped >= 2.0, "{dropped}");

    // Let the writer end: what it still writes is thrown away by this reader.
    std::thread::spawn(move || {
        let mut reader = reader;
        let _ = std::io::copy(&mut reader, &mut std::io::sink());
        let _ = reader.flush();
    });
    drop(telemetry);
}

fn sample(scrape: &str, name: &str) -> f64 {
    let line = scrape
        .lines()
        .find(|line| line.starts_with(&format!("{name} ")));
    line.unwrap_or_else(|| panic!("{name} is missing"))
        .rsplit_once(' ')
        .unwrap()
        .1
        .parse()
        .unwrap()
}

#[test]
fn a_scrape_shows_what_was_emitted() {
    let telemetry = Telemetry::quiet().unwrap();
    let session = session();
    telemetry.emit(&ConnectionOpened {
        session: &session,
        transport: Transport::Tcp,
    });
    telemetry.emit(&LoginFinished {
        session: &session,
        method: LoginMethod::Scram,
        outcome: LoginOutcome::Accepted,
        sqlstate: None,
        duration: Duration::from_millis(5),
    });
    telemetry.emit(&statement(&session, Outcome::Permitted));
    telemetry.emit(&statement(&session, Outcome::Refused));
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_connections_open"), 1.0);
    assert_eq!(sample(&scrape, "pgsieve_rows_total"), 4.0);
    assert_eq!(sample(&scrape, "pgsieve_gate_seconds_count"), 2.0);
    let rule = Rule::ALL[0].name();
    let kind = StatementKind::ALL[0].name();
    for line in [
        "pgsieve_connections_total{transport=\"tcp\"} 1".to_string(),
        "pgsieve_logins_total{method=\"scram\",outcome=\"accepted\"} 1".to_string(),
        format!("pgsieve_refusals_total{{rule=\"{rule}\"}} 1"),
        format!("pgsieve_statements_total{{kind=\"{kind}\",path=\"query\",verdict=\"refused\"}} 1"),
        "pgsieve_errors_total{class=\"25\",origin=\"gate\"} 1".to_string(),
        "pgsieve_tripwires_total{wire=\"write_tag\"} 0".to_string(),
    ] {
        assert!(
            scrape.lines().any(|have| have == line),
            "{line} is missing in\n{scrape}"
        );
    }
    telemetry.emit(&ConnectionClosed {
        session: &session,
        reason: ClosedBecause::Terminate,
        duration: Duration::from_secs(1),
        bytes_in: 10,
        bytes_out: 20,
    });
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_connections_open"), 0.0);
    assert!(scrape.contains("pgsieve_client_bytes_total{direction=\"out\"} 20"));
}

#[test]
fn a_panic_is_counted_and_its_text_goes_nowhere() {
    let place = Place::new();
    let file = place.file("audit");
    let telemetry = audit_to(&file);
    pgsieve::telemetry::panics::install(&telemetry);
    let text = String::from("SELECT 'cAnArY'");
    let caught = std::panic::catch_unwind(|| panic!("cannot run {text}"));
    drop(std::panic::take_hook());
    assert!(caught.is_err());
    telemetry.emit(&SessionPanicked);
    assert!(telemetry.flush(Duration::from_secs(5)));
    assert!(sample(&telemetry.scrape(), "pgsieve_panics_total") >= 1.0);
    let lines = lines(&file);
    let at = lines
        .iter()
        .find(|line| line["event"] == "panic_at")
        .unwrap();
    assert!(at["file"].as_str().unwrap().ends_with("telemetry.rs") && at["line"].is_number());
    assert!(!fs::read_to_string(&file).unwrap().contains("cAnArY"));
}

/// Not a benchmark, a fence: an accidental lookup or allocation storm is an order of magnitude.
#[test]
fn a_statement_event_stays_cheap() {
    let place = Place::new();
    let session = session();
    for telemetry in [Telemetry::quiet().unwrap(), audit_to(&place.file("audit"))] {
        let event = statement(&session, Outcome::Permitted);
        let rounds = 5_000;
        for _ in 0..rounds {
            telemetry.emit(&event);
        }
        assert!(telemetry.flush(Duration::from_secs(5)));
        let start = Instant::now();
        for _ in 0..rounds {
            telemetry.emit(&event);
        }
        let each = start.elapsed() / rounds;
        println!("emit(StatementFinished): {each:?}");
        let bound = Duration::from_micros(if cfg!(debug_assertions) { 100 } else { 3 });
        assert!(each < bound, "{each:?}");
    }
}
