//! The audit's file: who may read it, when lines come, and rotation.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::events::TripwireFired;
use pgsieve::telemetry::labels::{StatementOutcome, Tripwire};
use pgsieve::telemetry::log::EventLog;

use crate::telemetry::support::{Place, audit_to, lines, session, statement, writing_to};

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
    let settings = writing_to(&place.file("no/such/folder/audit"));
    assert!(Telemetry::start(&settings, EventLog::off()).is_err());
}

#[test]
fn lines_come_by_themselves_and_the_last_ones_at_the_end() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let telemetry = audit_to(&file);
    telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
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
    telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
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
    telemetry.emit(&statement(&session(), StatementOutcome::Refused));
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
                    telemetry.emit(&statement(&session, StatementOutcome::Refused));
                }
            });
        }
    });
    drop(telemetry);
    assert_eq!(lines(&file).len(), 8_000);
}

/// A bound that no line fits in: each file gets a line nevertheless, and writing comes to its end.
#[test]
fn a_bound_below_one_line_does_not_turn_files_over_for_ever() {
    let place = Place::new();
    let file = place.file("audit.jsonl");
    let mut settings = writing_to(&file);
    settings.audit.rotate_bytes = Some(1);
    settings.audit.rotate_keep = 100;
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    for _ in 0..5 {
        telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
    }
    assert!(telemetry.flush(Duration::from_secs(5)));
    drop(telemetry);
    let aside = |number: u32| place.file(&format!("audit.jsonl.{number}"));
    assert!(aside(5).exists() && !aside(6).exists());
    // Each is whole and holds a statement, but for the first, which holds how the chain began.
    for old in (1..5).map(aside) {
        assert_eq!(lines(&old).len(), 1);
    }
}
