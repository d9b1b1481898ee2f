//! What the worker threads do. Counted only.

use crate::telemetry::EventSinks;
use crate::telemetry::events::Event;
use crate::telemetry::labels::WorkerMoveReason;

/// A session goes on with another worker.
pub struct SessionChangedWorker {
    /// Why.
    pub reason: WorkerMoveReason,
}

/// A worker is about to wait for its sockets.
pub struct WorkerTurnEnded {
    /// How many of its sessions had something to do since it did so last.
    pub sessions: u32,
}

impl Event for SessionChangedWorker {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.workers.moves.inc(self.reason);
    }
}

impl Event for WorkerTurnEnded {
    fn emit(&self, sinks: &EventSinks) {
        let ready = &sinks.metrics.workers.ready_sessions;
        ready.observe(f64::from(self.sessions));
    }
}
