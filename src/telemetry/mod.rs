//! The witness: one struct per event, and emitting it counts, writes the audit line and logs.
//!
//! Nothing here ever sees SQL text, a literal, a parameter or a row: events carry fingerprints,
//! kinds and rule names. The sinks are built once, by [`Telemetry::start`], and passed in.
//!
//! * [`labels`]: the closed sets of words, [`session`]: who a session belongs to
//! * [`events`]: the events, one struct each
//! * [`table`]: every metric by name; [`metrics`], [`family`], [`policies`], `tally` and
//!   [`process`] hold the numbers
//! * [`checks`]: when catalogs were last found to hold
//! * [`code`]: SQLSTATEs that cannot carry text
//! * [`audit`]: the JSON lines and the thread that writes them
//! * [`log`]: lines for a person, on stderr; [`panics`]: the hook that keeps payloads out of it

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub mod audit;
pub mod checks;
pub mod code;
pub mod events;
pub mod family;
pub mod labels;
pub mod log;
pub mod metrics;
pub mod panics;
pub mod policies;
pub mod process;
pub mod session;
pub mod table;
mod tally;

use audit::{Audit, AuditTarget};
use events::{Event, StatementFinished};
use log::Log;
use metrics::Metrics;
use tally::Tally;

/// The sinks of every event. Cheap to clone.
#[derive(Clone)]
pub struct Telemetry {
    sinks: Arc<Sinks>,
    tally: Arc<Tally>,
}

/// What an event writes to.
pub struct Sinks {
    /// The numbers.
    pub metrics: Metrics,
    /// The audit, when there is one.
    pub audit: Option<Audit>,
    /// The lines for a person.
    pub log: Log,
    shared_tally: Arc<Tally>,
    tallies: Mutex<Vec<Arc<Tally>>>,
}

/// Why the sinks could not be built.
#[derive(Debug)]
pub enum TelemetryError {
    /// The table of metrics contradicts itself.
    Metric {
        /// The name of the metric.
        name: &'static str,
    },
    /// The audit's file cannot be opened.
    AuditOpen {
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The thread that writes the audit cannot be started.
    AuditThread {
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl Telemetry {
    /// Builds the sinks: metrics always, the audit where it is asked for.
    pub fn start(audit: &AuditTarget, log: Log) -> Result<Self, TelemetryError> {
        let metrics = Metrics::new()?;
        let audit = Audit::start(audit, metrics.audit.clone())?;
        let tally = Arc::new(Tally::of(&metrics));
        let sinks = Sinks {
            metrics,
            audit,
            log,
            shared_tally: Arc::clone(&tally),
            tallies: Mutex::new(vec![Arc::clone(&tally)]),
        };
        Ok(Self {
            sinks: Arc::new(sinks),
            tally,
        })
    }

    /// Sinks for a test: metrics only, nothing is written anywhere.
    pub fn quiet() -> Result<Self, TelemetryError> {
        Self::start(&AuditTarget::Off, Log::off())
    }

    /// The same sinks for one more worker, which counts its statements apart from the others.
    pub fn for_worker(&self) -> Self {
        let tally = Arc::new(Tally::of(&self.sinks.metrics));
        let mut tallies = self
            .sinks
            .tallies
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        tallies.push(Arc::clone(&tally));
        Self {
            sinks: Arc::clone(&self.sinks),
            tally,
        }
    }

    /// What [`Self::emit`] does, for a statement of this worker.
    pub fn finished(&self, event: &StatementFinished<'_>) {
        self.tally.count(event, &self.sinks.metrics);
        event.note(&self.sinks);
    }

    /// Counts the event, hands its line to the audit and logs it where it is meant for a person.
    pub fn emit<E: Event>(&self, event: &E) {
        event.emit(&self.sinks);
    }

    /// Every metric, in Prometheus's text format.
    pub fn scrape(&self) -> String {
        let tallies = self
            .sinks
            .tallies
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for tally in tallies.iter() {
            tally.give(&self.sinks.metrics);
        }
        drop(tallies);
        self.sinks.metrics.scrape()
    }

    /// Waits until everything handed to the audit so far is written, at most `patience`.
    /// Says whether it was. Blocks the calling thread.
    pub fn flush(&self, patience: Duration) -> bool {
        self.sinks
            .audit
            .as_ref()
            .is_none_or(|audit| audit.flush(patience))
    }

    /// Has the audit's file opened anew before the next line is written, for log rotation.
    pub fn reopen(&self) {
        if let Some(audit) = &self.sinks.audit {
            audit.reopen();
        }
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Telemetry")
    }
}

impl fmt::Display for TelemetryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric { name } => write!(formatter, "the metric {name} is declared wrongly"),
            Self::AuditOpen { source } => {
                write!(formatter, "the audit file cannot be opened: {source}")
            }
            Self::AuditThread { source } => {
                write!(formatter, "the audit's thread cannot be started: {source}")
            }
        }
    }
}

impl std::error::Error for TelemetryError {}
