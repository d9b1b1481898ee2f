//! What the pools of connections do. Counted only.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{CheckoutOutcome, MoveReason, PinReason, PooledConnectionState};

/// A session has asked for a connection.
pub struct PoolCheckout {
    /// What came of it.
    pub outcome: CheckoutOutcome,
    /// How long that took.
    pub waited: Duration,
}

/// A connection is in another state from now on.
pub struct PoolMoved {
    /// That of before; none where it is new.
    pub from: Option<PooledConnectionState>,
    /// That of now; none where it is gone.
    pub to: Option<PooledConnectionState>,
}

/// More sessions wait for a connection, or fewer.
pub struct PoolQueued {
    /// How many more.
    pub change: i64,
}

/// A session keeps its connection until its end.
pub struct SessionPinned {
    /// Why.
    pub reason: PinReason,
}

/// A prepared statement with a name has made room for another one on its connection.
pub struct StatementEvicted;

/// A session has moved between two transactions.
pub struct SessionMoved {
    /// Why.
    pub reason: MoveReason,
}

impl Event for SessionMoved {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.pools.moves.inc(self.reason);
    }
}

impl Event for PoolCheckout {
    fn emit(&self, sinks: &EventSinks) {
        let numbers = &sinks.metrics.pools;
        numbers.checkouts.inc(self.outcome);
        numbers.wait_seconds.observe(seconds(self.waited));
    }
}

impl Event for PoolMoved {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.pools.moved(self.from, self.to);
    }
}

impl Event for PoolQueued {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.pools.queued(self.change);
    }
}

impl Event for StatementEvicted {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.pools.evictions.inc();
    }
}

impl Event for SessionPinned {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.pools.pins.inc(self.reason);
    }
}
