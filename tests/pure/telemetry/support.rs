//! What the tests of telemetry share: places for files, an event, and ways to read what came of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pgsieve::gate::{Rule, StatementKind};
use pgsieve::sql::fingerprint::{Fingerprint, Fingerprinter};
use pgsieve::sqlstate;
use pgsieve::telemetry::audit::{AuditSettings, AuditTarget};
use pgsieve::telemetry::events::StatementFinished;
use pgsieve::telemetry::labels::{CacheAnswer, ProtocolPath, StatementOutcome};
use pgsieve::telemetry::log::EventLog;
use pgsieve::telemetry::session_info::SessionInfo;
use pgsieve::telemetry::sqlstate_code::SqlstateCode;
use pgsieve::telemetry::{Telemetry, TelemetrySettings};
use serde_json::Value;

/// A place for one test's files; removed when the test ends.
pub struct Place(PathBuf);

impl Place {
    /// A fresh one.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pgsieve-telemetry-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Telemetry whose audit goes to a file.
pub fn audit_to(file: &Path) -> Telemetry {
    Telemetry::start(&writing_to(file), EventLog::off()).unwrap()
}

/// The settings of that.
pub fn writing_to(file: &Path) -> TelemetrySettings {
    let audit = AuditSettings {
        targets: vec![AuditTarget::File(file.into())],
        ..AuditSettings::default()
    };
    TelemetrySettings {
        audit,
        ..TelemetrySettings::default()
    }
}

/// Somebody.
pub fn session() -> SessionInfo {
    SessionInfo::accepted(3, "10.1.2.3:40000").named("ann", "shop", "psql")
}

/// Of some statement.
pub fn fingerprint() -> Fingerprint {
    Fingerprinter::new(None, [0; 32]).of("SELECT 1")
}

/// A statement that ended so.
pub fn statement(session: &SessionInfo, outcome: StatementOutcome) -> StatementFinished<'_> {
    StatementFinished {
        session,
        path: ProtocolPath::Query,
        kind: StatementKind::ALL[0],
        fingerprint: Some(fingerprint()),
        outcome,
        rule: (outcome == StatementOutcome::Refused).then(|| Rule::ALL[0]),
        observed: &[],
        observed_running: &[],
        named: None,
        text: None,
        sent_text: None,
        queryid: None,
        receipt: None,
        sqlstate: (outcome == StatementOutcome::Refused)
            .then(|| SqlstateCode::from(sqlstate::READ_ONLY_SQL_TRANSACTION)),
        rows: 2,
        bytes: 99,
        cached: CacheAnswer::Unasked,
        subject: (outcome == StatementOutcome::Refused).then_some("relation shop.orders"),
        hint: None,
        trace: None,
        queue: Duration::ZERO,
        gate: Duration::from_nanos(12_345),
        upstream: Duration::from_micros(700),
        plan: None,
        total: Duration::from_micros(800),
    }
}

/// The lines of an audit, without those about its chain.
pub fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| !line["event"].as_str().unwrap().starts_with("chain_"))
        .collect()
}

/// A number without labels.
pub fn sample(scrape: &str, name: &str) -> f64 {
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
