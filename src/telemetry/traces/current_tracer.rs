//! Where spans go as of now: another collector may come while statements run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

use super::{StatementTracer, TraceSettings};
use crate::limits::TRACE_LAST_FLUSH;

/// The way of spans to their collector, if there is one now.
#[derive(Debug, Default)]
pub struct CurrentTracer {
    /// Whether there is one: looked at before each statement.
    on: AtomicBool,
    held: RwLock<TracerHeld>,
}

#[derive(Debug, Default)]
struct TracerHeld {
    traces: Option<Arc<StatementTracer>>,
    settings: Option<TraceSettings>,
}

impl CurrentTracer {
    /// Begins with this one.
    pub fn new(traces: Option<StatementTracer>, settings: Option<TraceSettings>) -> Self {
        let current = Self::default();
        current.exchange(traces, settings);
        current
    }

    /// The way, if there is one.
    pub fn now(&self) -> Option<Arc<StatementTracer>> {
        if !self.on.load(Ordering::Relaxed) {
            return None;
        }
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.traces.clone()
    }

    /// Whether it is made of these settings.
    pub fn is_of(&self, settings: Option<&TraceSettings>) -> bool {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.settings.as_ref() == settings
    }

    /// Spans of statements that begin from now on go this way. What was recorded before is still
    /// sent, as at an end.
    pub fn exchange(&self, traces: Option<StatementTracer>, settings: Option<TraceSettings>) {
        self.on.store(traces.is_some(), Ordering::Relaxed);
        let traces = traces.map(Arc::new);
        let held = TracerHeld { traces, settings };
        let mut place = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *place, held);
        drop(place);
        if let Some(before) = before.traces {
            let sending = move || {
                before.flush(TRACE_LAST_FLUSH);
            };
            // Without a thread they are given up, which is counted.
            let _ = thread::Builder::new().spawn(sending);
        }
    }
}
