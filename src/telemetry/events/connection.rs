//! A connection's beginning and end, and requests to cancel that come as connections.

use std::time::Duration;

use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{
    ByteDirection, CancelCause, CancelOutcome, ClientTransport, ClosedBecause, RefusedBecause,
    SessionLeg, SignalOutcome, TlsFailure,
};
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::SessionInfo;

/// A client's socket was accepted. Followed by exactly one [`ConnectionClosed`].
pub struct ConnectionOpened<'a> {
    /// The session, of which only number and address are known.
    pub session: &'a SessionInfo,
    /// The kind of socket.
    pub transport: ClientTransport,
}

/// A client was turned away before login. Says nothing of whether its socket was counted as
/// opened: over the limit it never is, after a failed TLS handshake it was.
pub struct ConnectionRefused<'a> {
    /// The session.
    pub session: &'a SessionInfo,
    /// Why.
    pub reason: RefusedBecause,
    /// Why TLS was not agreed on, if that is the reason.
    pub tls: Option<TlsFailure>,
}

/// TLS with the upstream could not be agreed on. Counted only: what cannot be done without it says
/// why in its own line.
pub struct UpstreamTlsFailed {
    /// Why.
    pub failure: TlsFailure,
}

/// A connection that was opened has ended.
pub struct ConnectionClosed<'a> {
    /// The session.
    pub session: &'a SessionInfo,
    /// Why.
    pub reason: ClosedBecause,
    /// How long it was open.
    pub duration: Duration,
    /// Bytes that the client sent.
    pub bytes_in: u64,
    /// Bytes that were sent to the client.
    pub bytes_out: u64,
}

/// A CancelRequest was dealt with.
pub struct CancelHandled<'a> {
    /// The connection that carried the request; it names no user.
    pub session: &'a SessionInfo,
    /// What became of it.
    pub outcome: CancelOutcome,
}

/// A cancel of pgsieve's own has come to its end.
pub struct OwnCancelEnded {
    /// Why it was wanted.
    pub cause: CancelCause,
    /// What became of it.
    pub outcome: CancelOutcome,
}

/// A statement has asked for the cancel or the end of another session; the statement itself has its
/// own [`super::StatementFinished`].
pub struct BackendSignalled<'a> {
    /// Who asked.
    pub session: &'a SessionInfo,
    /// The function that was called.
    pub function: &'static str,
    /// What became of it.
    pub outcome: SignalOutcome,
    /// The fingerprint of the statement.
    pub fingerprint: Option<Fingerprint>,
}

impl Event for ConnectionOpened<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.connections_open.inc();
        sinks.metrics.connections.inc(self.transport);
        if let Some(audit) = &sinks.audit {
            audit.record(
                LineWeight::GivesWay,
                "connection_opened",
                Some(self.session),
                |line| {
                    line.word("transport", self.transport.name());
                },
            );
        }
    }
}

impl Event for ConnectionRefused<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.connections_refused.inc(self.reason);
        if let Some(audit) = &sinks.audit {
            audit.record(
                LineWeight::GivesWay,
                "connection_refused",
                Some(self.session),
                |line| {
                    line.word("reason", self.reason.name());
                },
            );
        }
        let (client, reason) = (self.session.client(), self.reason.name());
        match self.tls {
            Some(failure) => {
                sinks
                    .metrics
                    .tls_failures
                    .inc(TwoLabels(SessionLeg::Client, failure));
                let failure = failure.name();
                sinks.log.line(
                    LogLevel::Warn,
                    LogEvent::ConnectionRefused.name(),
                    format_args!("connection from {client} refused: {reason}, {failure}"),
                );
            }
            None => sinks.log.line(
                LogLevel::Warn,
                LogEvent::ConnectionRefused.name(),
                format_args!("connection from {client} refused: {reason}"),
            ),
        }
    }
}

impl Event for UpstreamTlsFailed {
    fn emit(&self, sinks: &EventSinks) {
        let counted = TwoLabels(SessionLeg::Upstream, self.failure);
        sinks.metrics.tls_failures.inc(counted);
    }
}

impl Event for ConnectionClosed<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.connections_open.dec();
        sinks.metrics.connections_closed.inc(self.reason);
        sinks
            .metrics
            .client_bytes
            .add(ByteDirection::In, self.bytes_in);
        sinks
            .metrics
            .client_bytes
            .add(ByteDirection::Out, self.bytes_out);
        if let Some(audit) = &sinks.audit {
            audit.record(
                LineWeight::GivesWay,
                "connection_closed",
                Some(self.session),
                |line| {
                    line.word("reason", self.reason.name())
                        .micros("duration_us", self.duration)
                        .number("bytes_in", self.bytes_in)
                        .number("bytes_out", self.bytes_out);
                },
            );
        }
    }
}

impl Event for OwnCancelEnded {
    fn emit(&self, sinks: &EventSinks) {
        sinks
            .metrics
            .own_cancels
            .inc(TwoLabels(self.cause, self.outcome));
    }
}

impl Event for CancelHandled<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.cancels.inc(self.outcome);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::GivesWay, "cancel", Some(self.session), |line| {
                line.word("outcome", self.outcome.name());
            });
        }
    }
}

impl Event for BackendSignalled<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.signals.inc(self.outcome);
        if let Some(audit) = &sinks.audit {
            audit.record(
                LineWeight::GivesWay,
                "backend_signalled",
                Some(self.session),
                |line| {
                    line.word("function", self.function)
                        .word("outcome", self.outcome.name());
                    if let Some(fingerprint) = &self.fingerprint {
                        line.hex("fingerprint", fingerprint.as_bytes());
                    }
                },
            );
        }
    }
}
