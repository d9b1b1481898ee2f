//! What must never happen, and what a peer must never do.

use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{ClosedBecause, SessionLeg, Tripwire, ViolationKind};
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::session_info::SessionInfo;

/// The upstream showed that its session is not what pgsieve relies on; the connection is closed.
pub struct TripwireFired<'a> {
    /// The session.
    pub session: &'a SessionInfo,
    /// What was seen.
    pub wire: Tripwire,
}

/// A peer broke the wire protocol.
pub struct ProtocolViolation<'a> {
    /// The session.
    pub session: &'a SessionInfo,
    /// Who broke it.
    pub peer: SessionLeg,
    /// In what way.
    pub cause: ViolationKind,
}

/// A session ended by a panic, which stands for its [`ConnectionClosed`]: whose it was went down
/// with it. The place of the panic is logged by the [hook](crate::telemetry::panic_hook).
///
/// [`ConnectionClosed`]: crate::telemetry::events::ConnectionClosed
pub struct SessionPanicked;

impl Event for TripwireFired<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.tripwires.inc(self.wire);
        if let Some(recent) = &sinks.recent {
            recent.tripped(self);
        }
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "tripwire", Some(self.session), |line| {
                line.word("wire", self.wire.name());
            });
        }
        let (wire, id) = (self.wire.name(), self.session.id());
        let (user, client) = (self.session.user(), self.session.client());
        sinks.log.line(
            LogLevel::Alarm,
            LogEvent::Tripwire.name(),
            format_args!("tripwire {wire}: session {id} of {user:?} from {client} is closed"),
        );
    }
}

impl Event for ProtocolViolation<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks
            .metrics
            .violations
            .inc(TwoLabels(self.peer, self.cause));
        if let Some(audit) = &sinks.audit {
            // Strangers may come as often as they like and wait for nothing.
            let weight = match self.peer {
                SessionLeg::Client if self.session.policy().is_none() => LineWeight::GivesWay,
                SessionLeg::Client | SessionLeg::Upstream => LineWeight::Waits,
            };
            audit.record(weight, "protocol_violation", Some(self.session), |line| {
                line.word("peer", self.peer.name())
                    .word("cause", self.cause.name());
            });
        }
        let (peer, cause) = (self.peer.name(), self.cause.name());
        let (id, client) = (self.session.id(), self.session.client());
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::ProtocolViolation.name(),
            format_args!("session {id} from {client}: protocol violation by {peer}: {cause}"),
        );
    }
}

impl Event for SessionPanicked {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.connections_open.dec();
        sinks.metrics.connections_closed.inc(ClosedBecause::Panic);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "session_panicked", None, |_| {});
        }
        sinks.log.line(
            LogLevel::Alarm,
            LogEvent::SessionPanicked.name(),
            format_args!("a session ended by a panic"),
        );
    }
}
