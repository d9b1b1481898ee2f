//! What was tried for a statement that failed: who changed it and what became of that. Never its
//! text, a changed text, or the words that the client reads: they quote it.

use std::time::Duration;

use crate::repair::{Attempt, AttemptOutcome, NameGate};
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::audit::line::AuditLine;
use crate::telemetry::counters::counter_vec::ThreeLabels;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{ProtocolPath, RepairedOutcome};
use crate::telemetry::session_info::SessionInfo;

/// A repair has ended, well or not: the statement itself has its own
/// [`StatementFinished`](super::StatementFinished).
///
/// The audit's line has `path`, `outcome` (that of the last attempt), `latency_us`, and in
/// `attempts` for each step `recoverer`, `confidence`, `outcome`, `gates` (those that a rewritten
/// name failed) and the fingerprints `before` and `after`. A repair without an attempt leaves none.
pub struct StatementRepaired<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The way it came.
    pub path: ProtocolPath,
    /// Every step, in order; preprocessors count as recoverers.
    pub attempts: &'a [Attempt],
    /// From the failure, or the doubt, to the end of the repair.
    pub latency: Duration,
}

impl Event for StatementRepaired<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let metrics = &sinks.metrics;
        metrics.repair_seconds.observe(seconds(self.latency));
        for attempt in self.attempts {
            let labels = ThreeLabels(attempt.recoverer, attempt.confidence, attempt.outcome);
            metrics.repairs.inc(labels);
        }
        if let Some(recent) = &sinks.recent {
            recent.repaired(self);
        }
        let Some(last) = self.attempts.last() else {
            return;
        };
        match last.outcome {
            AttemptOutcome::Hinted => metrics.repaired_statements.inc(RepairedOutcome::Hinted),
            AttemptOutcome::Observed => metrics.repaired_statements.inc(RepairedOutcome::Observed),
            // What became of the statement is told when it has run.
            AttemptOutcome::Applied | AttemptOutcome::Failed => {}
        }
        let Some(audit) = &sinks.audit else { return };
        // That another text ran than was sent must be on record; that it was thought of may be.
        let weight = match last.outcome {
            AttemptOutcome::Applied => LineWeight::Waits,
            AttemptOutcome::Observed | AttemptOutcome::Hinted | AttemptOutcome::Failed => {
                LineWeight::GivesWay
            }
        };
        audit.record(weight, "statement_repaired", Some(self.session), |line| {
            line.word("path", self.session.path_name(self.path))
                .word("outcome", last.outcome.name())
                .micros("latency_us", self.latency)
                .steps("attempts", self.attempts, fill);
        });
    }
}

fn fill(line: &mut AuditLine<'_>, attempt: &Attempt) {
    line.word("recoverer", attempt.recoverer.name())
        .word("confidence", attempt.confidence.name())
        .word("outcome", attempt.outcome.name())
        .words("gates", attempt.failed.iter().copied().map(NameGate::name));
    if let Some(before) = &attempt.before {
        line.hex("before", before.as_bytes());
    }
    if let Some(after) = &attempt.after {
        line.hex("after", after.as_bytes());
    }
}
