//! The console was asked to do something.

use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::events::Event;
use crate::telemetry::labels::ConsoleOutcome;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::{SessionInfo, cleaned};

/// A command of the console that does something has come to its end.
pub struct ConsoleCommandRun<'a> {
    /// The session of the console.
    pub session: &'a SessionInfo,
    /// The command.
    pub command: &'static str,
    /// The database that it is about, where it is about one alone.
    pub target: Option<&'a str>,
    /// What came of it.
    pub outcome: ConsoleOutcome,
}

impl Event for ConsoleCommandRun<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let outcome = self.outcome.name();
        let target = self.target.map(cleaned);
        if let Some(audit) = &sinks.audit {
            let session = Some(self.session);
            audit.record(LineWeight::Waits, "console_command", session, |line| {
                line.word("command", self.command);
                if let Some(target) = &target {
                    line.text("target", target);
                }
                line.word("outcome", outcome);
            });
        }
        let (command, user) = (self.command, self.session.user());
        let about = target
            .map(|target| format!(" {target:?}"))
            .unwrap_or_default();
        sinks.log.line(
            LogLevel::Info,
            LogEvent::ConsoleCommand.name(),
            format_args!("console: {command}{about} by {user:?}: {outcome}"),
        );
    }
}
