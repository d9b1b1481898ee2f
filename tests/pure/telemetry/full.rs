//! What is kept when the audit cannot be written. A pipe that nobody reads stands for a disk that
//! hangs or is full.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pgsieve::limits::AUDIT_QUEUE_BYTES_MAX;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::audit::OnFull;
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::EventLog;
use pgsieve::telemetry::session_info::SessionInfo;
use serde_json::Value;

use crate::telemetry::support::{Place, sample, session, statement, writing_to};

/// A pipe, held open so that nobody waits for its other end.
fn pipe(place: &Place) -> (PathBuf, fs::File) {
    let path = place.file("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let both = fs::OpenOptions::new().read(true).write(true).open(&path);
    (path, both.unwrap())
}

fn audit_to(pipe: &Path, on_full: OnFull) -> Telemetry {
    let mut settings = writing_to(pipe);
    settings.audit.on_full = on_full;
    Telemetry::start(&settings, EventLog::off()).unwrap()
}

/// Lines until a refusal of this session number has come.
fn until_refusal_of(reader: &mut impl BufRead, session: u64) -> Vec<Value> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let found = line["session"] == session && line["verdict"] == "refused";
        lines.push(line);
        if found {
            return lines;
        }
    }
}

#[test]
fn nobody_waits_to_record_a_line_and_no_refusal_is_ever_lost() {
    let place = Place::new();
    let (path, both) = pipe(&place);
    let telemetry = audit_to(&path, OnFull::Drop);
    let (harmless, hostile) = (session(), SessionInfo::accepted(77, "10.0.0.9:1"));
    // The queue over again: one fill is taken by the writer, which then hangs.
    let permitted = statement(&harmless, StatementOutcome::Permitted);
    for _ in 0..AUDIT_QUEUE_BYTES_MAX / 100 {
        telemetry.emit(&permitted);
    }
    let start = Instant::now();
    let refused = 5_000;
    for _ in 0..refused {
        telemetry.emit(&statement(&hostile, StatementOutcome::Refused));
    }
    telemetry.emit(&permitted);
    assert!(start.elapsed() < Duration::from_secs(2), "somebody waited");
    assert!(telemetry.must_wait(&hostile) && !telemetry.must_wait(&harmless));
    assert!(!telemetry.flush(Duration::from_millis(50)));
    let dropped = sample(&telemetry.scrape(), "pgsieve_audit_dropped_total");
    assert!(dropped > 1.0, "{dropped}");

    // The disk is back.
    let last = SessionInfo::accepted(78, "10.0.0.9:2");
    telemetry.emit(&statement(&last, StatementOutcome::Refused));
    let mut reader = BufReader::new(both);
    let lines = until_refusal_of(&mut reader, 78);
    let refusals = lines.iter().filter(|line| line["verdict"] == "refused");
    assert_eq!(refusals.count(), refused + 1);
    let lost = lines.iter().filter(|line| line["event"] == "lines_lost");
    let lost: f64 = lost.map(|line| line["lines"].as_f64().unwrap()).sum();
    assert_eq!(
        lost, dropped,
        "the lines say themselves how many there are not"
    );
    let numbers: Vec<u64> = lines
        .iter()
        .map(|line| line["seq"].as_u64().unwrap())
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
    assert!(telemetry.flush(Duration::from_secs(5)));
    assert!(!telemetry.must_wait(&hostile));
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
}

#[test]
fn where_sessions_wait_nothing_of_theirs_is_dropped() {
    let place = Place::new();
    let (path, both) = pipe(&place);
    let telemetry = audit_to(&path, OnFull::Block);
    let session = session();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut taken = 0;
    while !telemetry.must_wait(&session) {
        telemetry.emit(&statement(&session, StatementOutcome::Permitted));
        taken += 1;
        // The writer takes the first fill, and hangs with it.
        if taken == AUDIT_QUEUE_BYTES_MAX / 1000 {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
    let room = |most| {
        let within = async { tokio::time::timeout(most, telemetry.room()).await };
        runtime.block_on(within)
    };
    let waited = room(Duration::from_millis(100));
    assert!(waited.is_err(), "there was room");
    telemetry.emit(&statement(
        &SessionInfo::accepted(79, "x"),
        StatementOutcome::Refused,
    ));
    let mut reader = BufReader::new(both);
    let reading = std::thread::spawn(move || {
        let lines = until_refusal_of(&mut reader, 79);
        (lines, reader)
    });
    assert!(room(Duration::from_secs(20)).is_ok(), "nobody was woken");
    let (lines, mut reader) = reading.join().unwrap();
    let permitted = lines.iter().filter(|line| line["verdict"] == "permitted");
    assert_eq!(permitted.count(), taken);
    let scrape = telemetry.scrape();
    assert_eq!(sample(&scrape, "pgsieve_audit_dropped_total"), 0.0);
    assert!(sample(&scrape, "pgsieve_audit_waits_total") >= 1.0);
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
}
