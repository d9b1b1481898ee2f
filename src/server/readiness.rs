//! What `/readyz` answers from: whether the upstream is reached, whether pgsieve drains, and what
//! is known of its databases.
//!
//! The first line is the verdict; then comes one line for the catalogs, and one for each database
//! whose catalog is kept; where several servers answer behind one address, one for each of them:
//!
//! ```text
//! ready
//! catalog: on
//! catalog "shop": loaded, age 0.312 s, version 00f3a6b1c4d5e6f7
//! catalog "stock" at server 3f00a1b2: loaded, age 0.204 s, version 1b7c22d0a9e8f764
//! catalog "stock" at server 91c4d007: failed: other_server
//! policy "agent": version 3f0c1d2e4a5b6c7d, mode enforce
//! policies: read 12 s ago, not taken; problems: 2
//! settings: wait for a restart: workers
//! policies: do not fit the databases; problems: 1
//! audit: takes no lines for 14 s: no storage space
//! ```
//!
//! Whether policies that were read again are taken has no part in the verdict: those of before
//! hold. Nor has what of them does not fit: what is about it is refused.
//!
//! Where the policies' tests have to pass (`policy.tests: required`), no client is let in before
//! they did, and pgsieve is not ready.
//!
//! While nothing that must be on record can be written, no client gets in: pgsieve is not ready,
//! and the last line says why.
//!
//! Under a policy that requires a catalog pgsieve is not ready while the one that its settings
//! promise is missing ([`CatalogCaches::is_missing`]): what such a policy lets through without one
//! is too little to send clients for.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde::Serialize;

use crate::policy::{CatalogNeed, LivePolicies};
use crate::telemetry::Telemetry;
use crate::telemetry::audit::StuckAudit;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::session_info::cleaned;
use crate::upstream::catalog_cache::{
    CatalogCacheStatus, CatalogCaches, CatalogState, CatalogStatus,
};

/// What `/readyz` answers from; set by whoever knows.
#[derive(Debug)]
pub struct Readiness {
    upstream_reached: AtomicBool,
    draining: AtomicBool,
    /// Whether clients are let in yet.
    entry: AtomicU8,
    catalogs: CatalogCaches,
    live: Arc<LivePolicies>,
    telemetry: Telemetry,
    reload: Mutex<Option<LastReload>>,
    /// The keys that wait for a restart.
    waiting: Mutex<Vec<String>>,
    misfits: AtomicUsize,
    groundings: Mutex<Vec<GroundingReadiness>>,
}

/// What came of reading the policies again, the last time.
#[derive(Debug, Clone, Copy)]
struct LastReload {
    at: Instant,
    outcome: PolicyReload,
    problems: usize,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadinessReport {
    /// Whether clients should be sent here.
    pub is_ready: bool,
    /// What is shown.
    pub text: String,
}

/// How it stands, for the live page.
#[derive(Debug, Serialize)]
pub struct ReadinessSummary {
    /// Why no clients should be sent here, if there is a reason.
    pub not_ready: Option<&'static str>,
    /// Names, versions and modes of the policies that hold.
    pub policies: Vec<(String, String, &'static str)>,
    /// How many problems kept those that were read last from holding, if they do not.
    pub policies_rejected: Option<usize>,
    /// The catalogs that are kept.
    pub catalogs: Vec<CatalogReadiness>,
    /// What was told of databases, by database.
    pub groundings: Vec<GroundingReadiness>,
}

/// The grounding of one database that was given out last.
#[derive(Clone, Debug, Serialize)]
pub struct GroundingReadiness {
    /// Of which database.
    pub database: String,
    /// Under which policy.
    pub policy: String,
    /// The version that is true now; none where there is no such grounding any more.
    pub version: Option<String>,
    /// Seconds since it is known.
    pub age: f64,
    /// Sessions that stand on a grounding of the database, as their clients say.
    pub sessions: usize,
    /// Those of them that stand on a stale one.
    pub stale_sessions: usize,
}

/// How one catalog stands.
#[derive(Debug, Serialize)]
pub struct CatalogReadiness {
    /// Of which database.
    pub database: String,
    /// In a word or two.
    pub state: String,
    /// Which version, once there is one.
    pub version: Option<String>,
    /// Seconds since it was checked that it holds.
    pub age: Option<f64>,
}

impl Readiness {
    /// Not ready: nobody has reached the upstream yet.
    pub fn new(catalogs: CatalogCaches, live: Arc<LivePolicies>, telemetry: Telemetry) -> Self {
        Self {
            upstream_reached: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            entry: AtomicU8::new(CLOSED),
            catalogs,
            live,
            telemetry,
            reload: Mutex::default(),
            waiting: Mutex::default(),
            misfits: AtomicUsize::new(0),
            groundings: Mutex::default(),
        }
    }

    /// Notes that no client is let in before the policies' tests have passed.
    pub fn note_tests_wait(&self) {
        self.entry.store(TESTS_WAIT, Ordering::Relaxed);
    }

    /// Notes that clients are let in.
    pub fn note_open(&self) {
        self.entry.store(OPEN, Ordering::Relaxed);
    }

    /// Notes what came of reading the policies again.
    pub fn note_reload(&self, outcome: PolicyReload, problems: usize) {
        let reload = LastReload {
            at: Instant::now(),
            outcome,
            problems,
        };
        *self.reload.lock().unwrap_or_else(PoisonError::into_inner) = Some(reload);
    }

    /// Notes which keys wait for a restart.
    pub fn note_waiting(&self, keys: Vec<String>) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    /// Notes in how many points the policies that hold do not fit the databases that are known.
    pub fn note_misfits(&self, problems: usize) {
        self.misfits.store(problems, Ordering::Relaxed);
    }

    /// Notes what was told of databases, and who stands on it.
    pub fn note_groundings(&self, groundings: Vec<GroundingReadiness>) {
        *self
            .groundings
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = groundings;
    }

    /// Notes whether the last attempt to reach the upstream succeeded.
    pub fn note_upstream(&self, reached: bool) {
        self.upstream_reached.store(reached, Ordering::Relaxed);
    }

    /// Notes that no new clients are taken; there is no way back.
    pub fn note_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Why no clients should be sent here, if there is a reason.
    fn fault(&self) -> Option<&'static str> {
        let set = self.live.current();
        let mut policies = set.all().iter();
        let is_required = policies.any(|policy| policy.catalog() == CatalogNeed::Required);
        if self.draining.load(Ordering::Relaxed) {
            Some("draining")
        } else if !self.upstream_reached.load(Ordering::Relaxed) {
            Some("upstream not reached")
        } else if self.telemetry.audit_stuck().is_some() {
            Some("audit cannot be written")
        } else if self.entry.load(Ordering::Relaxed) == TESTS_WAIT {
            Some("policies not tested yet")
        } else if self.entry.load(Ordering::Relaxed) == CLOSED {
            Some("starting")
        } else if is_required && self.catalogs.is_missing() {
            Some("catalog missing")
        } else {
            None
        }
    }

    /// How it stands now.
    pub fn report(&self) -> ReadinessReport {
        let set = self.live.current();
        let fault = self.fault();
        let mut text = format!("{}\n", fault.unwrap_or("ready"));
        match self.catalogs.statuses() {
            None => text.push_str("catalog: off\n"),
            Some(statuses) => {
                text.push_str("catalog: on\n");
                for kept in statuses {
                    let (database, at) = (cleaned(&kept.database), at_server(&kept));
                    // Writing to a String does not fail.
                    let _ = writeln!(
                        text,
                        "catalog {database:?}{at}: {}",
                        catalog_in_words(kept.status)
                    );
                }
            }
        }
        for policy in set.all() {
            let (name, version) = (cleaned(policy.name()), policy.version());
            let mode = policy.strictness().name();
            let ending = policy.ending();
            let _ = writeln!(
                text,
                "policy {name:?}: version {version}, mode {mode}{ending}"
            );
        }
        let reload = *self.reload.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reload) = reload {
            let _ = writeln!(text, "policies: {}", reload.in_words());
        }
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.is_empty() {
            let _ = writeln!(text, "settings: wait for a restart: {}", waiting.join(", "));
        }
        drop(waiting);
        let misfits = self.misfits.load(Ordering::Relaxed);
        if misfits > 0 {
            let _ = writeln!(
                text,
                "policies: do not fit the databases; problems: {misfits}"
            );
        }
        if let Some(stuck) = self.telemetry.audit_stuck() {
            let _ = writeln!(text, "audit: {}", stuck_audit_in_words(stuck));
        }
        ReadinessReport {
            is_ready: fault.is_none(),
            text,
        }
    }

    /// How it stands now, for the live page.
    pub fn standing(&self) -> ReadinessSummary {
        let set = self.live.current();
        let statuses = self.catalogs.statuses().unwrap_or_default();
        let reload = *self.reload.lock().unwrap_or_else(PoisonError::into_inner);
        ReadinessSummary {
            not_ready: self.fault(),
            policies: set
                .all()
                .iter()
                .map(|policy| {
                    let mode = policy.strictness().name();
                    let name = format!("{}{}", cleaned(policy.name()), policy.ending());
                    (name, policy.version().to_owned(), mode)
                })
                .collect(),
            policies_rejected: match reload {
                Some(reload) if matches!(reload.outcome, PolicyReload::Rejected) => {
                    Some(reload.problems)
                }
                Some(_) | None => None,
            },
            catalogs: statuses
                .into_iter()
                .map(|kept| CatalogReadiness::of(&kept))
                .collect(),
            groundings: self
                .groundings
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
        }
    }
}

impl CatalogReadiness {
    fn of(kept: &CatalogStatus) -> Self {
        let status = kept.status;
        let (state, version) = match status.state {
            CatalogState::ExpectAccount => ("waits for a client to log in".to_owned(), None),
            CatalogState::Loading => ("loading".to_owned(), None),
            CatalogState::Failed { why } => (format!("failed: {}", why.name()), None),
            CatalogState::Loaded { version } => ("loaded".to_owned(), Some(version.to_string())),
        };
        Self {
            database: cleaned(&kept.database) + &at_server(kept),
            state,
            version,
            age: status.age.map(|age| age.as_secs_f64()),
        }
    }
}

impl LastReload {
    /// In words.
    fn in_words(self) -> String {
        let ago = self.at.elapsed().as_secs();
        match self.outcome {
            PolicyReload::Loaded => format!("read {ago} s ago, in use"),
            PolicyReload::Unchanged => format!("read {ago} s ago, no change"),
            PolicyReload::Rejected => {
                let problems = self.problems;
                format!("read {ago} s ago, not taken; problems: {problems}")
            }
        }
    }
}

/// At which server a catalog is, where there are several.
fn at_server(kept: &CatalogStatus) -> String {
    let server = kept.server.as_ref();
    server.map_or_else(String::new, |server| format!(" at server {server}"))
}

/// An audit that takes no lines, in words.
fn stuck_audit_in_words(stuck: StuckAudit) -> String {
    let StuckAudit { time, fault } = stuck;
    let why = fault.map_or_else(|| "a write does not end".into(), |kind| kind.to_string());
    format!("takes no lines for {} s: {why}", time.as_secs())
}

/// One cache's state in words.
fn catalog_in_words(status: CatalogCacheStatus) -> String {
    let CatalogCacheStatus { state, age } = status;
    match state {
        CatalogState::ExpectAccount => "waits for a client to log in".into(),
        CatalogState::Loading => "loading".into(),
        CatalogState::Failed { why } => format!("failed: {}", why.name()),
        CatalogState::Loaded { version } => {
            let age = age.unwrap_or_default().as_secs_f64();
            format!("loaded, age {age:.3} s, version {version}")
        }
    }
}

/// No client can come yet.
const CLOSED: u8 = 0;

/// Nor before the tests have passed.
const TESTS_WAIT: u8 = 1;

/// Clients can come.
const OPEN: u8 = 2;
