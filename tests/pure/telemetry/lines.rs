//! What a line of the audit holds, and never holds.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use pgsieve::gate::{RenderedNames, Rule, StatementKind, StatementObjects};
use pgsieve::limits::AUDIT_NAMES_MAX;
use pgsieve::policy::{Recoverer, RuleMode};
use pgsieve::repair::{Attempt, AttemptOutcome, Confidence, NameGate};
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::audit::copy_name::CopyName;
use pgsieve::telemetry::events::{
    LimitReached, SessionPanicked, StatementFinished, StatementRepaired,
};
use pgsieve::telemetry::labels::{ProtocolPath, StatementOutcome};
use pgsieve::telemetry::log::EventLog;
use serde_json::Value;

use crate::telemetry::support::{
    Place, audit_to, fingerprint, lines, sample, session, statement, writing_to,
};

#[test]
fn a_statement_leaves_one_line_with_everything_but_its_text() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    telemetry.emit(&statement(&session(), StatementOutcome::Refused));
    assert!(telemetry.flush(Duration::from_secs(5)));

    let lines = lines(&file);
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    for (key, value) in [
        ("v", Value::from(2)),
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

/// Also the lines about the chain itself, so that it is known of every file whose it is.
#[test]
fn every_line_names_the_copy_that_wrote_it() {
    let place = Place::new();
    let host = CopyName::of_host().to_string();
    for (copy, wanted) in [(None, &*host), (Some("pod-\"7\""), "pod-\"7\"")] {
        let file = place.file(&format!("audit-{}", copy.is_some()));
        let mut settings = writing_to(&file);
        settings.audit.copy = copy.map(|copy| CopyName::parse(copy).unwrap());
        let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
        telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
        telemetry.emit(&SessionPanicked);
        drop(telemetry);
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 3, "{text}");
        for line in lines {
            assert_eq!(line["copy"], wanted, "{line}");
        }
    }
    let system = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    assert!(
        system.is_empty() || system.trim().starts_with(&host),
        "{host}"
    );
}

#[test]
fn names_that_come_again_are_told_again() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    let session = session();
    let many = |name: &str, count: usize| -> Box<[Arc<str>]> {
        (0..count).map(|at| format!("{name}{at}").into()).collect()
    };
    // The text of the first is short enough to be kept, that of the second is not.
    for (name, count) in [("shop.\"q", 3), ("shop.r", 60)] {
        let named = StatementObjects {
            relations: many(name, count),
            columns: Box::default(),
            functions: many("shop.f", 1),
            settings: Box::default(),
            rendered: RenderedNames::default(),
        };
        for _ in 0..3 {
            telemetry.emit(&StatementFinished {
                named: Some(&named),
                ..statement(&session, StatementOutcome::Permitted)
            });
            assert!(telemetry.flush(Duration::from_secs(5)));
            let lines = lines(&file);
            let line = lines.last().unwrap();
            assert_eq!(line["relations"].as_array().unwrap().len(), count);
            assert_eq!(line["relations"][2], format!("{name}2"));
            assert_eq!(line["functions"][0], "shop.f0");
            assert_eq!(line["settings"].as_array().unwrap().len(), 0);
        }
    }
}

#[test]
fn a_line_tells_what_was_read_and_what_would_have_refused_it() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    let named = StatementObjects {
        relations: [r"shop.a", "shop.\"b\n"].map(Arc::from).into(),
        columns: ["shop.a.id"].map(Arc::from).into(),
        functions: ["shop.f(integer)"].map(Arc::from).into(),
        settings: (0..AUDIT_NAMES_MAX + 3)
            .map(|number| format!("app.s{number}").into())
            .collect(),
        rendered: RenderedNames::default(),
    };
    let session = session();
    let (judged, running) = ([Rule::RelationDenied, Rule::Nesting], [Rule::ResultRows]);
    let finished = StatementFinished {
        observed: &judged,
        observed_running: &running,
        named: Some(&named),
        ..statement(&session, StatementOutcome::Permitted)
    };
    telemetry.emit(&finished);
    telemetry.emit(&StatementFinished {
        path: ProtocolPath::Execute,
        named: None,
        text: None,
        ..finished
    });
    telemetry.emit(&LimitReached {
        session: &session,
        rule: Rule::ConnectionsPerUser,
        mode: RuleMode::Observe,
        fingerprint: None,
    });
    telemetry.emit(&statement(&session, StatementOutcome::Permitted));
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
    ] {
        let series = format!("pgsieve_observed_total{{policy=\"other\",rule=\"{rule}\"}}");
        assert_eq!(sample(&scraped, &series), f64::from(count), "{series}");
    }
    assert!(!scraped.contains("rule=\"column_denied\"} 1"));
}

#[test]
fn a_repair_leaves_one_line_with_every_attempt_and_no_text() {
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
        path: ProtocolPath::Query,
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
fn a_panic_is_counted_and_its_text_goes_nowhere() {
    let place = Place::new();
    let file = place.file("audit");
    let telemetry = audit_to(&file);
    pgsieve::telemetry::panic_hook::install(&telemetry);
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
    assert!(at["file"].as_str().unwrap().ends_with("lines.rs") && at["line"].is_number());
    assert!(!fs::read_to_string(&file).unwrap().contains("cAnArY"));
}
