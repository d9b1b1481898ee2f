//! What is found out of the upstream beside the work. Counted only: what matters to a person has
//! its own line where it changes.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::counters::upstream_metrics::ServerRole;
use crate::telemetry::events::Event;
use crate::telemetry::labels::CheckOutcome;
use crate::telemetry::session_info::cleaned;

/// It was tried whether the upstream can be reached.
pub struct UpstreamTried<'a> {
    /// Where it is, by the settings.
    pub upstream: &'a str,
    /// What came of it.
    pub outcome: CheckOutcome,
    /// How long that took.
    pub took: Duration,
}

/// The upstream has said whether it is a standby.
pub struct UpstreamTold<'a> {
    /// Where it is, by the settings.
    pub upstream: &'a str,
    /// What it said.
    pub part: ServerRole,
    /// How long that counts.
    pub valid: Duration,
}

impl Event for UpstreamTried<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let name = cleaned(self.upstream);
        let numbers = &sinks.metrics.upstreams;
        numbers.tried(&name, self.outcome, self.took);
    }
}

impl Event for UpstreamTold<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let name = cleaned(self.upstream);
        let numbers = &sinks.metrics.upstreams;
        numbers.set_role(&name, self.part, self.valid);
    }
}
