//! Plans that are asked for before a statement runs. Never what a plan says: it speaks of values.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;

/// A statement's plan was asked for, and answered or not.
pub struct PlanAsked {
    /// From the question to the end of the answer.
    pub latency: Duration,
}

impl Event for PlanAsked {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.plan_seconds.observe(seconds(self.latency));
    }
}
