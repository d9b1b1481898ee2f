//! What is known of a sampled statement while it runs: where it belongs, and when what was done to
//! it. Times are taken only for statements that are sampled.

use std::time::{Duration, Instant};

use crate::limits;
use crate::policy::Recoverer;
use crate::repair::{AttemptOutcome, Confidence};
use crate::telemetry::traces::traceparent::TraceParent;

/// A sampled statement.
#[derive(Debug)]
pub struct StatementTrace {
    pub(super) lineage: TraceLineage,
    /// Its span, by which the audit's line names it as well.
    pub(super) span: [u8; 8],
    pub(super) begun: Instant,
    pub(super) phases: Vec<TracePhase>,
    pub(super) sending: SendState,
    lap: Instant,
}

/// Where its span belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceLineage {
    /// In the client's trace.
    Of(TraceParent),
    /// In a trace of its own with this id.
    Own([u8; 16]),
}

/// Something that was done to a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct TracePhase {
    pub(super) work: TraceWork,
    pub(super) since: Instant,
    pub(super) until: Instant,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceWork {
    /// It was changed before it ran, or it was found that it need not be.
    Preprocess,
    /// It was judged.
    Judge,
    /// A repair was tried.
    Attempt(Recoverer, Confidence, AttemptOutcome),
    /// It waited for its turn.
    Wait,
    /// Its plan was asked for.
    Plan,
    /// The upstream worked on it. The first row came then, if one did.
    Upstream(Option<Instant>),
}

/// Whether it is with the upstream.
#[derive(Clone, Copy, Debug)]
pub(super) enum SendState {
    /// It is not.
    NotSent,
    /// It is behind others that are not answered yet.
    Queued { sent: Instant },
    /// It is its turn.
    Running {
        sent: Instant,
        turn: Instant,
        first_row: Option<Instant>,
    },
}

impl StatementTrace {
    pub(super) fn new(lineage: TraceLineage, span: [u8; 8], arrived: Instant) -> Self {
        Self {
            lineage,
            span,
            begun: arrived,
            phases: Vec::new(),
            sending: SendState::NotSent,
            lap: arrived,
        }
    }

    /// The trace that it belongs to.
    pub fn trace_id(&self) -> [u8; 16] {
        match self.lineage {
            TraceLineage::Of(parent) => parent.trace,
            TraceLineage::Own(trace) => trace,
        }
    }

    /// Its span.
    pub fn span_id(&self) -> [u8; 8] {
        self.span
    }

    /// Something was done from the last lap until now.
    pub fn lap(&mut self, work: TraceWork) {
        let now = Instant::now();
        self.add(work, self.lap, now);
        self.lap = now;
    }

    /// It waited for so long since the last lap.
    pub fn waited(&mut self, waited: Duration) {
        let until = self.lap.checked_add(waited).unwrap_or(self.lap);
        self.add(TraceWork::Wait, self.lap, until);
        self.lap = until;
    }

    /// What comes next begins now.
    pub fn skip(&mut self) {
        self.lap = Instant::now();
    }

    /// Something was done between two moments. One before the statement's arrival makes its span
    /// begin there.
    pub fn add(&mut self, work: TraceWork, since: Instant, until: Instant) {
        self.begun = self.begun.min(since);
        if self.phases.len() < limits::TRACE_PHASES_MAX {
            self.phases.push(TracePhase { work, since, until });
        }
    }

    /// It goes to the upstream, behind others or not. What goes there in parts is there already.
    pub fn sent(&mut self, place: PipelinePlace) {
        if !matches!(self.sending, SendState::NotSent) {
            return;
        }
        let sent = Instant::now();
        self.sending = match place {
            PipelinePlace::First => SendState::Running {
                sent,
                turn: sent,
                first_row: None,
            },
            PipelinePlace::Behind => SendState::Queued { sent },
        };
    }

    /// All before it is answered.
    pub fn turn(&mut self) {
        if let SendState::Queued { sent } = self.sending {
            self.sending = SendState::Running {
                sent,
                turn: Instant::now(),
                first_row: None,
            };
        }
    }

    /// A row of it has come.
    pub fn row(&mut self) {
        self.turn();
        if let SendState::Running { first_row, .. } = &mut self.sending {
            first_row.get_or_insert_with(Instant::now);
        }
    }

    /// The upstream is done with it for now: it may be sent again.
    pub fn answered(&mut self) {
        let now = Instant::now();
        for phase in self.sending.phases(now).into_iter().flatten() {
            self.add(phase.work, phase.since, phase.until);
        }
        self.sending = SendState::NotSent;
        self.lap = now;
    }
}

/// Where a statement stands that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelinePlace {
    /// Nothing is owed before it.
    First,
    /// Something is.
    Behind,
}

impl SendState {
    /// What it comes to when it ends at this moment: a wait, then work.
    pub(super) fn phases(self, now: Instant) -> [Option<TracePhase>; 2] {
        let (sent, turn, first_row) = match self {
            Self::NotSent => return [None, None],
            // Its turn never came, or nobody has told.
            Self::Queued { sent } => (sent, sent, None),
            Self::Running {
                sent,
                turn,
                first_row,
            } => (sent, turn, first_row),
        };
        let wait = TracePhase {
            work: TraceWork::Wait,
            since: sent,
            until: turn,
        };
        let upstream = TracePhase {
            work: TraceWork::Upstream(first_row),
            since: turn,
            until: now,
        };
        [(turn > sent).then_some(wait), Some(upstream)]
    }
}
