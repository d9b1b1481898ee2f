//! What came of reading the settings again.
//!
//! What is wrong with them is told in the log, with its place: the files are the operator's own.
//! Keys are named; no value of one is shown but of those that hold no secret and need a restart.

use crate::limits::POLICY_PROBLEMS_TOLD_MAX;
use crate::policy::PolicyProblem;
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::events::Event;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::cleaned;
use crate::telemetry::session_info::on_one_line;

/// The settings were read again.
pub struct SettingsRead<'a> {
    /// What came of it.
    pub outcome: PolicyReload,
    /// The keys that hold otherwise than before.
    pub changed: &'a [String],
    /// The keys that wait for a restart, each with its change in words.
    pub waiting: &'a [(String, String)],
    /// How many sessions were ended because their users are gone.
    pub sessions_ended: usize,
    /// What is wrong with those that were read.
    pub problems: &'a [PolicyProblem],
}

/// A key that waits for a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingKey {
    /// Which.
    pub key: &'static str,
    /// Its change in words; without values where they are secret.
    pub change: String,
}

impl Event for SettingsRead<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let numbers = &sinks.metrics.settings;
        numbers.reloads.inc(self.outcome);
        if self.outcome != PolicyReload::Rejected {
            let waiting = i64::try_from(self.waiting.len()).unwrap_or(i64::MAX);
            numbers.waiting.set(waiting);
        }
        let changed = self.changed.join(", ");
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "settings_read", None, |line| {
                line.word("outcome", self.outcome.name())
                    .text("changed", &cleaned(&changed))
                    .number("sessions_ended", count(self.sessions_ended))
                    .number("problems", count(self.problems.len()));
            });
        }
        for PolicyProblem { place, what } in self.problems.iter().take(POLICY_PROBLEMS_TOLD_MAX) {
            let (place, what) = (on_one_line(place), on_one_line(what));
            let told = format_args!("settings: {place}: {what}");
            sinks
                .log
                .line(LogLevel::Warn, LogEvent::SettingsProblem.name(), told);
        }
        let problems = self.problems.len();
        match self.outcome {
            PolicyReload::Loaded => {
                let told = format_args!("settings read, in use: {changed}");
                sinks
                    .log
                    .line(LogLevel::Info, LogEvent::SettingsRead.name(), told);
            }
            PolicyReload::Unchanged => {
                let told = format_args!("settings read, no change");
                sinks
                    .log
                    .line(LogLevel::Info, LogEvent::SettingsRead.name(), told);
            }
            PolicyReload::Rejected => {
                let told = format_args!(
                    "settings not taken, problems: {problems}; those of before are still in use"
                );
                sinks
                    .log
                    .line(LogLevel::Warn, LogEvent::SettingsRejected.name(), told);
            }
        }
        for (key, change) in self.waiting {
            let told = format_args!(
                "settings: {key}: {} waits for a restart",
                on_one_line(change)
            );
            sinks
                .log
                .line(LogLevel::Warn, LogEvent::SettingsWait.name(), told);
        }
        if self.sessions_ended > 0 {
            let ended = self.sessions_ended;
            let told = format_args!("{ended} sessions ended: their users are gone or disabled");
            sinks
                .log
                .line(LogLevel::Info, LogEvent::SessionsEnded.name(), told);
        }
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
