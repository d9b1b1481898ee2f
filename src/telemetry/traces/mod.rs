//! Spans: one for each statement that is sampled, with children for what was done to it. They carry
//! fingerprints, kinds and times, never a text.
//!
//! A statement's session asks [`StatementTracer::begin`] whether it is sampled; the
//! [`StatementTrace`] that it gets then goes with the statement and takes down when things are done
//! to it. Its last event makes spans of that, which wait in a bounded queue for the thread that
//! sends them.
//!
//! * `settings`: where spans go; `current_tracer`: as of now
//! * `traceparent`: the parent that a client names; `sqlcommenter`: one in a text; `sampling`:
//!   which statements are sampled
//! * `trace`: a sampled statement while it runs; `span`: what becomes of it
//! * `span_queue`: what waits; `export`: the thread that sends

use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub mod current_tracer;
mod export;
pub mod sampling;
pub mod settings;
pub mod span;
pub mod span_queue;
pub mod sqlcommenter;
pub mod trace;
pub mod traceparent;

pub use settings::TraceSettings;
pub use trace::{PipelinePlace, StatementTrace, TraceWork};

use crate::telemetry::TelemetryError;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::SpanOutcome;
use crate::telemetry::log::EventLog;
use sampling::{ParentSampleLimit, SampleRatio, SamplingRng};
use span::{SpanEndTime, SpanMaker};
use span_queue::SpanQueue;
use sqlcommenter::CommentParent;
use trace::TraceLineage;
use traceparent::TraceParent;

/// The way of spans to their collector. Dropping it gives up what was not sent.
pub struct StatementTracer {
    share: SampleRatio,
    ration: ParentSampleLimit,
    maker: SpanMaker,
    queue: Arc<SpanQueue>,
    _thread: JoinHandle<()>,
}

impl StatementTracer {
    /// Whether spans could be sent by these settings. Nothing is sent.
    ///
    /// # Errors
    /// Why they could not.
    pub fn look(settings: &TraceSettings) -> Result<(), TelemetryError> {
        export::look(settings)
    }

    /// Starts to send.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn start(
        settings: &TraceSettings,
        numbers: Arc<CounterVec<SpanOutcome>>,
        log: Arc<EventLog>,
    ) -> Result<Self, TelemetryError> {
        let queue = Arc::new(SpanQueue::new(numbers));
        let thread = export::start(settings, Arc::clone(&queue), log)?;
        Ok(Self {
            share: SampleRatio::of(settings.sample_ratio),
            ration: ParentSampleLimit::new(Instant::now()),
            maker: SpanMaker::new(settings.database.clone()),
            queue,
            _thread: thread,
        })
    }

    /// A statement has come: what its text says of its trace counts, or else what its session says.
    /// Nothing, where it is not sampled. One whose parent is, when too many were for that reason,
    /// is not, and counts as a span that was dropped.
    pub fn begin(
        &self,
        text: Option<&str>,
        session: Option<TraceParent>,
        dice: &mut SamplingRng,
        arrived: Instant,
    ) -> Option<Box<StatementTrace>> {
        let parent = match text.map_or(CommentParent::Nothing, sqlcommenter::parent_in) {
            CommentParent::Parent(parent) => Some(parent),
            CommentParent::Nothing => session,
            CommentParent::Unclear => return None,
        };
        if !self.share.samples(parent.as_ref(), dice) {
            return None;
        }
        if parent.is_some() && !self.ration.take(arrived) {
            self.queue.give_up(1);
            return None;
        }
        let mut span = [0; 8];
        getrandom::fill(&mut span).ok()?;
        let lineage = match parent {
            Some(parent) => TraceLineage::Of(parent),
            None => {
                let mut id = [0; 16];
                getrandom::fill(&mut id).ok()?;
                TraceLineage::Own(id)
            }
        };
        Some(Box::new(StatementTrace::new(lineage, span, arrived)))
    }

    /// A sampled statement has ended.
    pub fn record(&self, event: &StatementFinished<'_>, trace: &StatementTrace) {
        self.queue
            .push(self.maker.spans(event, trace, SpanEndTime::read()));
    }

    /// Waits until what was recorded so far is sent or given up, at most `patience`; says whether
    /// it was. Blocks the calling thread.
    pub fn flush(&self, patience: Duration) -> bool {
        self.queue.flush(patience)
    }
}

impl Drop for StatementTracer {
    /// The thread ends by itself; nobody waits for a collector that does not answer.
    fn drop(&mut self) {
        self.queue.closing.notify_one();
    }
}

impl fmt::Debug for StatementTracer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StatementTracer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits;
    use crate::telemetry::collector::settings::{
        CollectorProtocol, CollectorSettings, CollectorSignal,
    };
    use crate::telemetry::registry::MetricsRegistry;

    #[test]
    fn a_client_cannot_have_all_of_its_statements_sampled() {
        let metrics = MetricsRegistry::new().unwrap();
        let settings = TraceSettings {
            collector: CollectorSettings::parse(
                "http://127.0.0.1:1",
                CollectorProtocol::Http,
                CollectorSignal::Traces,
            )
            .unwrap(),
            sample_ratio: 1.0,
            service_name: "pgsieve".into(),
            headers: Vec::new(),
            database: None,
        };
        let numbers = Arc::clone(&metrics.trace_spans);
        let traces = StatementTracer::start(&settings, numbers, Arc::new(EventLog::off())).unwrap();
        let (mut dice, now) = (SamplingRng::new(), Instant::now());
        let text =
            "SELECT 1 /*traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'*/";
        let most = usize::try_from(limits::TRACE_FOLLOWED_PER_SECOND_MAX).unwrap();
        let mut sampled = |text| {
            let all = (0..2 * most).map(|_| traces.begin(text, None, &mut dice, now));
            all.flatten().count()
        };
        assert_eq!(sampled(Some(text)), most);
        let dropped = format!("pgsieve_trace_spans_total{{outcome=\"dropped\"}} {most}\n");
        assert!(metrics.scrape().contains(&dropped), "{}", metrics.scrape());
        // What the operator's ratio takes is its own affair.
        assert_eq!(sampled(None), 2 * most);
    }
}
