//! What is found out of the upstream beside the work. Counted only, but for what it is: what
//! matters to a person has its own line where it changes.

use std::time::Duration;

use crate::engine::Engine;
use crate::telemetry::EventSinks;
use crate::telemetry::counters::upstream_metrics::ServerRole;
use crate::telemetry::events::Event;
use crate::telemetry::labels::CheckOutcome;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
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

/// It was found of which engine the upstream is, or that it is of another one now.
pub struct UpstreamEngine<'a> {
    /// Where it is, by the settings.
    pub upstream: &'a str,
    /// The engine.
    pub engine: Engine,
    /// What of it does not hold as at a Postgres; none where all does.
    pub difference: Option<&'a str>,
}

impl Event for UpstreamEngine<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let (name, title) = (cleaned(self.upstream), self.engine.title());
        let (event, log) = (LogEvent::UpstreamEngine.name(), &sinks.log);
        match self.difference {
            None => log.line(
                LogLevel::Info,
                event,
                format_args!("{name} is {title}, engine {}", self.engine.name()),
            ),
            Some(difference) => log.line(
                LogLevel::Warn,
                event,
                format_args!(
                    "{name} is {title}, engine {}: {difference}",
                    self.engine.name()
                ),
            ),
        }
    }
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
