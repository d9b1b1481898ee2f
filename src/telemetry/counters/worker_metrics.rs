//! What is known of the worker threads.

use prometheus::Histogram;

use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::metric_set;
use crate::telemetry::labels::WorkerMoveReason;
use crate::telemetry::metrics::{WORKER_MOVES, WORKER_READY_SESSIONS};

metric_set! {
    /// What is known of the worker threads.
    pub WorkerMetrics {
        pub moves: CounterVec<WorkerMoveReason> = from_zero(WORKER_MOVES);
        pub ready_sessions: Histogram = histogram(WORKER_READY_SESSIONS, READY_BUCKETS);
    }
}

/// Sessions that are ready at a time.
const READY_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
