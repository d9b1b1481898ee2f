//! What is known of the store in which copies of pgsieve count together.

use prometheus::{Histogram, IntGauge};

use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::{STATEMENT_BUCKETS, metric_set};
use crate::telemetry::labels::StoreAnswer;
use crate::telemetry::metrics::{STORE_EXCHANGES, STORE_LOST, STORE_SECONDS};

metric_set! {
    /// What is known of the store.
    pub LimitsStoreMetrics {
        pub exchanges: CounterVec<StoreAnswer> = from_zero(STORE_EXCHANGES);
        pub exchange_seconds: Histogram =
            histogram(STORE_SECONDS, STATEMENT_BUCKETS);
        pub lost: IntGauge = gauge(STORE_LOST);
    }
}
