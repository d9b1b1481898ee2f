//! The spans that wait for the collector: so many, and no more. Whoever brings one never waits.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use opentelemetry_sdk::trace::SpanData;
use tokio::sync::Notify;

use crate::limits;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::labels::SpanOutcome;

/// The queue, shared by those who bring spans and the thread that sends them.
pub struct SpanQueue {
    state: Mutex<SpanQueueState>,
    /// Spans have left the queue for good.
    progress: Condvar,
    /// There is a batch, or somebody is in a hurry.
    pub(super) work: Notify,
    /// There will be no more.
    pub(super) closing: Notify,
    numbers: Arc<CounterVec<SpanOutcome>>,
}

struct SpanQueueState {
    spans: Vec<SpanData>,
    taken_in: u64,
    settled: u64,
}

impl SpanQueue {
    pub(super) fn new(numbers: Arc<CounterVec<SpanOutcome>>) -> Self {
        Self {
            state: Mutex::new(SpanQueueState {
                spans: Vec::new(),
                taken_in: 0,
                settled: 0,
            }),
            progress: Condvar::new(),
            work: Notify::new(),
            closing: Notify::new(),
            numbers,
        }
    }

    /// Takes the spans of one statement in, or none of them where there is no room.
    pub(super) fn push(&self, spans: Vec<SpanData>) {
        let count = spans.len();
        let mut state = self.lock();
        if state.spans.len() + count > limits::TRACE_QUEUE_SPANS_MAX {
            drop(state);
            self.give_up(count);
            return;
        }
        state.spans.extend(spans);
        state.taken_in += as_u64(count);
        let is_batch = state.spans.len() >= limits::TRACE_BATCH_SPANS;
        drop(state);
        if is_batch {
            self.work.notify_one();
        }
    }

    /// So many spans are not sent.
    pub(super) fn give_up(&self, count: usize) {
        self.numbers.add(SpanOutcome::Dropped, as_u64(count));
    }

    /// The next batch; empty when nothing waits.
    pub(super) fn take(&self) -> Vec<SpanData> {
        let mut state = self.lock();
        let count = state.spans.len().min(limits::TRACE_BATCH_SPANS);
        let batch = state.spans.drain(..count).collect();
        if state.spans.is_empty() {
            state.spans = Vec::new();
        }
        batch
    }

    /// Says what became of a batch.
    pub(super) fn settle(&self, count: usize, outcome: SpanOutcome) {
        self.numbers.add(outcome, as_u64(count));
        self.lock().settled += as_u64(count);
        self.progress.notify_all();
    }

    /// Waits until everything taken in so far is sent or given up, at most `patience`; says whether
    /// it was. Blocks the calling thread.
    pub(super) fn flush(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        let wanted = state.taken_in;
        while state.settled < wanted {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                return false;
            };
            self.work.notify_one();
            let waited = self.progress.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Nothing that panics runs while the lock is held.
    fn lock(&self) -> MutexGuard<'_, SpanQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use opentelemetry::InstrumentationScope;
    use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status};
    use opentelemetry_sdk::trace::{SpanEvents, SpanLinks};

    use super::*;
    use crate::telemetry::registry::MetricsRegistry;

    fn spans(count: usize) -> Vec<SpanData> {
        let span = SpanData {
            span_context: SpanContext::NONE,
            parent_span_id: SpanId::INVALID,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: "a".into(),
            start_time: SystemTime::UNIX_EPOCH,
            end_time: SystemTime::UNIX_EPOCH,
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::default(),
        };
        vec![span; count]
    }

    #[test]
    fn a_statement_is_taken_in_whole_or_not_at_all() {
        let metrics = MetricsRegistry::new().unwrap();
        let queue = SpanQueue::new(Arc::clone(&metrics.trace_spans));
        queue.push(spans(limits::TRACE_QUEUE_SPANS_MAX - 2));
        queue.push(spans(3));
        let dropped = "pgsieve_trace_spans_total{outcome=\"dropped\"} 3";
        assert!(metrics.scrape().contains(dropped));
        queue.push(spans(2));
        queue.push(spans(1));
        let mut taken = 0;
        loop {
            let batch = queue.take().len();
            assert!(batch <= limits::TRACE_BATCH_SPANS);
            if batch == 0 {
                break;
            }
            taken += batch;
        }
        assert_eq!(taken, limits::TRACE_QUEUE_SPANS_MAX);
    }

    #[test]
    fn a_flush_waits_for_what_is_under_way_and_not_for_ever() {
        let metrics = MetricsRegistry::new().unwrap();
        let queue = Arc::new(SpanQueue::new(Arc::clone(&metrics.trace_spans)));
        assert!(queue.flush(Duration::ZERO));
        queue.push(spans(5));
        let under_way = queue.take();
        assert!(!queue.flush(Duration::from_millis(20)));
        let settling = Arc::clone(&queue);
        let settled = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            settling.settle(under_way.len(), SpanOutcome::Failed);
        });
        assert!(queue.flush(Duration::from_secs(10)));
        settled.join().unwrap();
    }
}
