//! The life of the process: lines for the person who runs it.

use std::io;
use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{LoginMethod, LoginOutcome};
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::cleaned;

/// A socket is open and clients can come.
pub struct ListenerOpened<'a> {
    /// What is served there: `clients` or `admin`.
    pub what: &'static str,
    /// Where.
    pub address: &'a str,
}

/// What reads and writes the sockets of sessions was found out.
pub struct IoBackendChosen {
    /// io_uring, not epoll.
    pub has_rings: bool,
}

/// A worker was to have a ring as the others do, and got none.
pub struct WorkerWithoutRing {
    /// Which.
    pub worker: usize,
    /// Why not.
    pub error: io::Error,
}

/// No new clients are accepted; what runs may finish.
pub struct DrainStarted {
    /// Sessions that are still open.
    pub sessions: u64,
    /// How long they may go on before what is at rest ends.
    pub wait: Duration,
}

/// The process ends.
pub struct ServerStopped {
    /// Sessions that had to be cut off.
    pub cut_off: u64,
}

/// The upstream did not answer.
pub struct UpstreamUnreachable<'a> {
    /// What went wrong, in words that hold no address, user or password.
    pub failure: &'a dyn std::fmt::Display,
}

/// The upstream does not let in whom the settings name for a user.
pub struct UpstreamIdentityRefused<'a> {
    /// The user, as the client named it.
    pub user: &'a str,
    /// What went wrong, in words that hold no address, user or password.
    pub failure: &'a dyn std::fmt::Display,
}

/// The upstream cannot be asked for the verifier of a user.
pub struct AuthQueryFailed<'a> {
    /// What went wrong, in words that hold no address, user or password.
    pub failure: &'a dyn std::fmt::Display,
}

/// What the upstream has of a user, or asks of it, lets it not in.
pub struct AuthQueryRefused<'a> {
    /// The user, as the client named it.
    pub user: &'a str,
    /// Why, in words that hold no address, user or password.
    pub why: &'a dyn std::fmt::Display,
}

/// A token that was given as a password lets nobody in.
pub struct TokenRefused<'a> {
    /// The user, as the client named it.
    pub user: &'a str,
    /// Why, in words that hold nothing of the token.
    pub failure: &'a dyn std::fmt::Display,
}

/// A token that an agent says to the MCP server lets nobody in.
pub struct McpTokenRefused<'a> {
    /// Whose token it would have been.
    pub method: LoginMethod,
    /// Why, in words that hold nothing of the token.
    pub failure: &'a dyn std::fmt::Display,
}

/// The file of tokens lets nobody in any more.
pub struct TokenFileFailed<'a> {
    /// Why, in words that hold no token.
    pub failure: &'a dyn std::fmt::Display,
}

/// The file of the agents' issuer's keys cannot be taken; the keys before hold on.
pub struct IssuerKeysFailed<'a> {
    /// Why.
    pub failure: &'a dyn std::fmt::Display,
}

/// What users have received today could not be written down.
pub struct BudgetFileFailed<'a> {
    /// Why.
    pub failure: &'a dyn std::fmt::Display,
}

impl Event for BudgetFileFailed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let key = sinks.log.places().name("limits.budget_file");
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::BudgetFileFailed.name(),
            format_args!(
                "{key}: {}; budgets of the day count on, and a restart forgets what is not written",
                self.failure
            ),
        );
    }
}

impl Event for ListenerOpened<'_> {
    fn emit(&self, sinks: &EventSinks) {
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "listening", None, |line| {
                line.word("what", self.what).text("address", self.address);
            });
        }
        let (what, address) = (self.what, self.address);
        sinks.log.line(
            LogLevel::Info,
            LogEvent::Listening.name(),
            format_args!("listening for {what} on {address}"),
        );
    }
}

impl Event for IoBackendChosen {
    fn emit(&self, sinks: &EventSinks) {
        let chosen = match self.has_rings {
            true => "io_uring reads and writes the sockets of sessions",
            false => "epoll is used: the system lets this process have no io_uring",
        };
        let name = LogEvent::IoBackend.name();
        sinks
            .log
            .line(LogLevel::Info, name, format_args!("{chosen}"));
    }
}

impl Event for WorkerWithoutRing {
    fn emit(&self, sinks: &EventSinks) {
        let Self { worker, error } = self;
        let name = LogEvent::IoBackend.name();
        let told = format_args!(
            "worker {worker} uses epoll: the system lets this process have no further io_uring \
             ({error})"
        );
        sinks.log.line(LogLevel::Warn, name, told);
    }
}

/// Whoever runs pgsieve wants a session to end; its end has an event of its own.
pub struct SessionEndAsked {
    /// The number of its connection.
    pub id: u64,
}

impl Event for SessionEndAsked {
    fn emit(&self, sinks: &EventSinks) {
        let id = self.id;
        let told = format_args!("session {id} is ended: an administrator asked for it");
        sinks
            .log
            .line(LogLevel::Info, LogEvent::SessionEndAsked.name(), told);
    }
}

impl Event for DrainStarted {
    fn emit(&self, sinks: &EventSinks) {
        let Self { sessions, wait } = *self;
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "drain_started", None, |line| {
                line.number("sessions", sessions);
            });
        }
        let event = LogEvent::Draining.name();
        if wait.is_zero() {
            let told = format_args!("draining {sessions} sessions");
            sinks.log.line(LogLevel::Info, event, told);
        } else {
            let told = format_args!(
                "waiting for {sessions} sessions to leave, {} s at most; they drain then",
                wait.as_secs()
            );
            sinks.log.line(LogLevel::Info, event, told);
        }
    }
}

impl Event for ServerStopped {
    fn emit(&self, sinks: &EventSinks) {
        let cut_off = self.cut_off;
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "server_stopped", None, |line| {
                line.number("cut_off", cut_off);
            });
        }
        sinks.log.line(
            LogLevel::Info,
            LogEvent::Stopped.name(),
            format_args!("stopped; {cut_off} sessions were cut off"),
        );
    }
}

impl Event for UpstreamUnreachable<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let url = sinks.log.places().name("upstream.url");
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::UpstreamUnreachable.name(),
            format_args!("upstream unreachable: {}; see {url}", self.failure),
        );
    }
}

impl Event for AuthQueryFailed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let function = sinks.log.places().name("client.auth.query.function");
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::AuthQueryFailed.name(),
            format_args!(
                "the database cannot be asked for verifiers: {}; see {function}, and the function \
                 that pgsieve doctor --sql prints",
                self.failure
            ),
        );
    }
}

impl Event for AuthQueryRefused<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let user = cleaned(self.user);
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::AuthQueryRefused.name(),
            format_args!("{user:?} cannot log in: {}", self.why),
        );
    }
}

impl Event for UpstreamIdentityRefused<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let places = sinks.log.places();
        let (entry, url) = (places.user(self.user), places.name("upstream.url"));
        let user = cleaned(self.user);
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::UpstreamIdentityRefused.name(),
            format_args!(
                "the upstream does not let {user:?} in: {}; see upstream_user and \
                 upstream_password_file of {entry}, or {url} where they are left out",
                self.failure
            ),
        );
    }
}

impl Event for McpTokenRefused<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let outcome = LoginOutcome::BadCredentials;
        sinks.metrics.logins.inc(TwoLabels(self.method, outcome));
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::TokenRefused.name(),
            format_args!("a token of an agent is refused: {}", self.failure),
        );
    }
}

impl Event for TokenFileFailed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let key = sinks.log.places().name("mcp.token_file");
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::TokenFileFailed.name(),
            format_args!("{key}: {}; its tokens let nobody in", self.failure),
        );
    }
}

impl Event for IssuerKeysFailed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let key = sinks.log.places().name("mcp.oauth.keys");
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::IssuerKeysFailed.name(),
            format_args!("{key}: {}; the keys before hold on", self.failure),
        );
    }
}

impl Event for TokenRefused<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let user = cleaned(self.user);
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::TokenRefused.name(),
            format_args!("the token of {user:?} is refused: {}", self.failure),
        );
    }
}
