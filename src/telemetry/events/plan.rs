//! Plans that are asked for before a statement runs, or where none does. Never what a plan says: it
//! speaks of values.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;
use crate::telemetry::labels::ClientTransport;

/// A statement's plan was asked for, and answered or not.
pub struct PlanAsked {
    /// From the question to the end of the answer.
    pub latency: Duration,
}

/// An agent had candidates put in order: each was judged, compiled and planned, and none has run.
pub struct CandidatesRanked<'a> {
    /// The user.
    pub user: &'a str,
    /// What its program calls itself.
    pub application_name: &'a str,
    /// How many there were.
    pub candidates: usize,
}

impl Event for CandidatesRanked<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let Some(audit) = &sinks.audit else {
            return;
        };
        audit.record(LineWeight::GivesWay, "candidates_ranked", None, |line| {
            line.text("user", self.user)
                .text("application_name", self.application_name)
                .word("path", ClientTransport::Mcp.name())
                .number("candidates", count(self.candidates));
        });
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Event for PlanAsked {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.plan_seconds.observe(seconds(self.latency));
    }
}
