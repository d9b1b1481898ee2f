//! What `/readyz` answers from: whether the upstream is reached, whether pgsieve drains, and what
//! is known of its databases.
//!
//! The first line is the verdict; then comes one line for the catalogs, and one for each database
//! whose catalog is kept:
//!
//! ```text
//! ready
//! catalog: on
//! catalog "shop": loaded, age 0.312 s, version 00f3a6b1c4d5e6f7
//! catalog "stock": failed: refused
//! ```
//!
//! Under a policy that requires a catalog pgsieve is not ready while the one that its settings
//! promise is missing ([`Catalogs::is_missing`]): what such a policy lets through without one is
//! too little to send clients for.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::policy::CatalogNeed;
use crate::telemetry::labels::Label;
use crate::telemetry::session::cleaned;
use crate::upstream::keeper::{Catalogs, State, Status};

/// What `/readyz` answers from; set by whoever knows.
#[derive(Debug)]
pub struct Readiness {
    upstream_reached: AtomicBool,
    draining: AtomicBool,
    catalogs: Catalogs,
    need: CatalogNeed,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whether clients should be sent here.
    pub is_ready: bool,
    /// What is shown.
    pub text: String,
}

impl Readiness {
    /// Not ready: nobody has reached the upstream yet.
    pub fn new(catalogs: Catalogs, need: CatalogNeed) -> Self {
        Self {
            upstream_reached: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            catalogs,
            need,
        }
    }

    /// Notes whether the last attempt to reach the upstream succeeded.
    pub fn note_upstream(&self, reached: bool) {
        self.upstream_reached.store(reached, Ordering::Relaxed);
    }

    /// Notes that no new clients are taken; there is no way back.
    pub fn note_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// How it stands now.
    pub fn report(&self) -> Report {
        let fault = if self.draining.load(Ordering::Relaxed) {
            Some("draining")
        } else if !self.upstream_reached.load(Ordering::Relaxed) {
            Some("upstream not reached")
        } else if self.need == CatalogNeed::Required && self.catalogs.is_missing() {
            Some("catalog missing")
        } else {
            None
        };
        let mut text = format!("{}\n", fault.unwrap_or("ready"));
        match self.catalogs.statuses() {
            None => text.push_str("catalog: off\n"),
            Some(statuses) => {
                text.push_str("catalog: on\n");
                for (database, status) in statuses {
                    let database = cleaned(&database);
                    // Writing to a String does not fail.
                    let _ = writeln!(text, "catalog {database:?}: {}", told(status));
                }
            }
        }
        Report {
            is_ready: fault.is_none(),
            text,
        }
    }
}

/// One keeper's state in words.
fn told(status: Status) -> String {
    let Status { state, age } = status;
    match state {
        State::ExpectAccount => "waits for a client to log in".into(),
        State::Loading => "loading".into(),
        State::Failed { why } => format!("failed: {}", why.name()),
        State::Loaded { version } => {
            let age = age.unwrap_or_default().as_secs_f64();
            format!("loaded, age {age:.3} s, version {version}")
        }
    }
}
