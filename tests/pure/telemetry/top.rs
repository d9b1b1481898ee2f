//! `pgsieve audit top`: what an audit comes to, also of one that somebody wrote to do harm.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pgsieve::gate::Rule;
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::events::StatementFinished;
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::EventLog;
use pgsieve::telemetry::session_info::SessionInfo;
use serde_json::Value;

use crate::telemetry::support::{Place, session, statement, writing_to};

fn top(arguments: &[&str], file: &Path) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_pgsieve");
    let mut command = Command::new(program);
    let output = command
        .args(["audit", "top"])
        .args(arguments)
        .arg(file)
        .output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn it_says_what_is_refused_most_and_what_is_slow_over_all_files() {
    let place = Place::new();
    let file = place.file("audit");
    let mut settings = writing_to(&file);
    settings.audit.rotate_bytes = Some(4_000);
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    let (ann, bob) = (
        session(),
        SessionInfo::accepted(4, "x").named("bob", "shop", ""),
    );
    let bob = bob.under("agent", "0123");
    let other = Fingerprinter::new(None, [0; 32]).of("SELECT 2, 3");
    for round in 0..20 {
        telemetry.emit(&statement(&ann, StatementOutcome::Permitted));
        telemetry.emit(&StatementFinished {
            total: Duration::from_millis(round * 10),
            ..statement(&bob, StatementOutcome::Permitted)
        });
        if round % 2 == 0 {
            telemetry.emit(&statement(&bob, StatementOutcome::Refused));
        }
        if round % 4 == 0 {
            telemetry.emit(&StatementFinished {
                fingerprint: Some(other),
                ..statement(&ann, StatementOutcome::Refused)
            });
        }
    }
    drop(telemetry);
    assert!(place.file("audit.2").exists());
    let (status, out, _) = top(&["--json", "--last", "1h"], &file);
    assert_eq!(status, Some(0));
    let sum: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&sum["statements"], &sum["refused"]),
        (&55.into(), &15.into())
    );
    let first = &sum["fingerprints"][0];
    let plain = Fingerprinter::new(None, [0; 32]).of("SELECT 1").to_string();
    assert_eq!(
        (&first["fingerprint"], &first["count"]),
        (&plain.as_str().into(), &10.into())
    );
    assert_eq!(first["rule"], Rule::ALL[0].name());
    assert_eq!(first["users"], serde_json::json!(["bob"]));
    assert_eq!(sum["fingerprints"][1]["count"], 5);
    assert_eq!(sum["rules"][0]["refused"], 15);
    assert_eq!(
        (&sum["users"][0]["user"], &sum["users"][0]["refused"]),
        (&"bob".into(), &10.into())
    );
    assert_eq!(sum["policies"][0]["policy"], "agent");
    assert_eq!(sum["errors"][0]["sqlstate"], "25006");
    assert_eq!(sum["fingerprints"][0]["subject"], "relation shop.orders");
    let slow = &sum["slowest"][0];
    assert_eq!(
        (&slow["count"], &slow["max_us"]),
        (&40.into(), &190_000.into())
    );
    let p95 = slow["p95_us"].as_u64().unwrap();
    assert!((170_000..=190_000).contains(&p95), "{p95}");

    let (_, out, _) = top(&["--limit", "1"], &file);
    assert!(out.contains("Most refused") && out.contains(&plain) && out.contains("bob"));
    assert!(!out.contains(&other.to_string()), "{out}");
    let (_, out, _) = top(&["--json", "--until", "2020-01-01T00:00:00Z"], &file);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["lines"], 0);
    let (_, out, _) = top(&["--json", "--since", "2020-01-01T00:00:00Z"], &file);
    assert_eq!(
        serde_json::from_str::<Value>(&out).unwrap()["statements"],
        55
    );
    for wrong in [
        ["--since", "yesterday"],
        ["--last", "never"],
        ["--last", "-1h"],
    ] {
        assert_eq!(top(&wrong, &file).0, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_hostile_file_moves_no_terminal_and_takes_no_memory() {
    let place = Place::new();
    let file = place.file("audit");
    let hostile = "\\u001b[2J\\u202e\\u0007";
    let mut text = String::new();
    for number in 0..50 {
        text.push_str(&format!(
            "{{\"time\":\"2026-01-01T00:00:00.000000Z{hostile}\",\"event\":\"statement\",\
             \"verdict\":\"refused\",\"user\":\"u{number}{hostile}\",\"rule\":\"{hostile}\",\
             \"kind\":\"{hostile}\",\"fingerprint\":\"{hostile}{}\",\"sqlstate\":\"{hostile}\"}}\n",
            "f".repeat(500)
        ));
    }
    text.push_str("\u{1b}[2J\nnot json\n[1]\n{\"event\":3}\n");
    text.push_str(&"x".repeat(3 << 20));
    fs::write(&file, text).unwrap();
    for flags in [&["--alone"][..], &["--alone", "--json"]] {
        let (status, out, err) = top(flags, &file);
        assert_eq!(status, Some(0));
        for said in [&out, &err] {
            assert!(!said.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{said:?}");
            assert!(
                !said.contains("u001b") && !said.contains("u202e"),
                "{said:?}"
            );
        }
        assert!(err.contains("lines that are none of an audit: 5"), "{err}");
        assert!(out.contains("u10"), "{out}");
    }
    let verified = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "verify"])
        .arg(&file)
        .output()
        .unwrap();
    assert_eq!(verified.status.code(), Some(1));
    assert!(!verified.stdout.contains(&0x1b));
}
