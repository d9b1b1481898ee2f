//! What the statements of one worker add to the metrics, kept apart until somebody looks.
//!
//! Metrics are shared by all workers, and a number that two cores take turns in writing costs each
//! of them more than the statement's own bookkeeping. So a worker counts in numbers of its own and
//! adds them to the shared ones now and then, and whenever a scrape asks: a scrape misses nothing.

use std::sync::{Mutex, PoisonError};

use prometheus::local::LocalHistogram;

use crate::gate::StatementKind;
use crate::limits;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::family::Three;
use crate::telemetry::labels::{Outcome, Path};
use crate::telemetry::metrics::{Metrics, seconds};

/// The numbers of one worker. Its lock is only ever contended by a scrape.
pub struct Tally {
    held: Mutex<Held>,
}

struct Held {
    gate_seconds: LocalHistogram,
    upstream_seconds: LocalHistogram,
    statement_seconds: LocalHistogram,
    rows: u64,
    result_bytes: u64,
    /// Statements with the same labels in a row; most workers see long rows of them.
    streak: Option<(Three<Path, StatementKind, Outcome>, u64)>,
    statements: u32,
}

impl Tally {
    /// A tally for these metrics, with nothing in it.
    pub fn of(metrics: &Metrics) -> Self {
        Self {
            held: Mutex::new(Held {
                gate_seconds: metrics.gate_seconds.local(),
                upstream_seconds: metrics.upstream_seconds.local(),
                statement_seconds: metrics.statement_seconds.local(),
                rows: 0,
                result_bytes: 0,
                streak: None,
                statements: 0,
            }),
        }
    }

    /// Counts a statement.
    pub fn count(&self, event: &StatementFinished<'_>, metrics: &Metrics) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.gate_seconds.observe(seconds(event.gate));
        held.statement_seconds.observe(seconds(event.total));
        if !event.upstream.is_zero() {
            held.upstream_seconds.observe(seconds(event.upstream));
        }
        held.rows += event.rows;
        held.result_bytes += event.bytes;
        held.count_labels(Three(event.path, event.kind, event.outcome), metrics);
        held.statements += 1;
        if held.statements >= limits::TALLY_STATEMENTS_MAX {
            held.give(metrics);
        }
    }

    /// Adds everything to the shared metrics.
    pub fn give(&self, metrics: &Metrics) {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .give(metrics);
    }
}

impl Held {
    fn count_labels(&mut self, labels: Three<Path, StatementKind, Outcome>, metrics: &Metrics) {
        match &mut self.streak {
            Some((same, count)) if *same == labels => *count += 1,
            other => {
                if let Some((before, count)) = other.replace((labels, 1)) {
                    metrics.statements.add(before, count);
                }
            }
        }
    }

    fn give(&mut self, metrics: &Metrics) {
        self.gate_seconds.flush();
        self.upstream_seconds.flush();
        self.statement_seconds.flush();
        metrics.rows.inc_by(std::mem::take(&mut self.rows));
        metrics
            .result_bytes
            .inc_by(std::mem::take(&mut self.result_bytes));
        if let Some((labels, count)) = self.streak.take() {
            metrics.statements.add(labels, count);
        }
        self.statements = 0;
    }
}
