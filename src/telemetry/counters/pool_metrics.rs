//! What is known of the pools of connections.

use std::sync::atomic::{AtomicI64, Ordering};

use prometheus::{Histogram, IntCounter, IntGauge, IntGaugeVec};

use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::{STATEMENT_BUCKETS, metric_set};
use crate::telemetry::labels::{CheckoutOutcome, MoveReason, PinReason, PooledConnectionState};
use crate::telemetry::metrics::{
    POOL_CHECKOUTS, POOL_CONNECTIONS, POOL_EVICTIONS, POOL_MOVES, POOL_PINS, POOL_WAIT_SECONDS,
    POOL_WAITING,
};
use crate::words::Word;

metric_set! {
    /// What is known of the pools.
    pub PoolMetrics {
        pub checkouts: CounterVec<CheckoutOutcome> = from_zero(POOL_CHECKOUTS);
        pub wait_seconds: Histogram = histogram(POOL_WAIT_SECONDS, STATEMENT_BUCKETS);
        pub pins: CounterVec<PinReason> = from_zero(POOL_PINS);
        pub evictions: IntCounter = counter(POOL_EVICTIONS);
        pub moves: CounterVec<MoveReason> = from_zero(POOL_MOVES);
        connections: IntGaugeVec = gauges(POOL_CONNECTIONS);
        waiting: IntGauge = gauge(POOL_WAITING);
        counted: [AtomicI64; PooledConnectionState::ALL.len()] = unregistered();
    }
}

impl PoolMetrics {
    /// A connection is in another state from now on, is there, or is gone.
    pub fn moved(&self, from: Option<PooledConnectionState>, to: Option<PooledConnectionState>) {
        for (state, change) in [(from, -1), (to, 1)] {
            let count = state.and_then(|state| self.counted.get(state.index()));
            if let Some(count) = count {
                count.fetch_add(change, Ordering::Relaxed);
            }
        }
    }

    /// So many more sessions wait.
    pub fn queued(&self, change: i64) {
        self.waiting.add(change);
    }

    /// A scrape asks.
    pub fn read(&self) {
        for (state, count) in PooledConnectionState::ALL.iter().zip(&self.counted) {
            let names = [state.name()];
            let count = count.load(Ordering::Relaxed);
            self.connections.with_label_values(&names).set(count);
        }
    }
}
