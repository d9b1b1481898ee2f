//! The end of a login, good or bad.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{LoginMethod, LoginOutcome, StartupSettingOutcome};
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;

/// A login came to its end.
pub struct LoginFinished<'a> {
    /// The session, with the names that its startup packet claims.
    pub session: &'a SessionInfo,
    /// How the client had to prove itself.
    pub method: LoginMethod,
    /// How it ended.
    pub outcome: LoginOutcome,
    /// The code of the error that the client got, if it got one.
    pub sqlstate: Option<SqlstateCode>,
    /// From accept to the end of the login.
    pub duration: Duration,
}

/// A session begins otherwise than its connection string says.
pub struct LoginSettingChanged {
    /// What became of the setting.
    pub change: StartupSettingOutcome,
}

impl Event for LoginSettingChanged {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.login_settings.inc(self.change);
    }
}

impl Event for LoginFinished<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks
            .metrics
            .logins
            .inc(TwoLabels(self.method, self.outcome));
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "login", Some(self.session), |line| {
                line.word("method", self.method.name())
                    .word("outcome", self.outcome.name())
                    .micros("duration_us", self.duration);
                if let Some(code) = self.sqlstate {
                    line.text("sqlstate", code.as_str());
                }
            });
        }
        if self.outcome != LoginOutcome::Accepted {
            let (user, client) = (self.session.user(), self.session.client());
            let outcome = self.outcome.name();
            sinks.log.line(
                LogLevel::Warn,
                LogEvent::LoginFailed.name(),
                format_args!("login of {user:?} from {client} failed: {outcome}"),
            );
        }
    }
}
