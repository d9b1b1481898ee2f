//! What is known of a sampled statement while it runs: where it belongs, and when what was done to
//! it. Times are taken only for statements that are sampled.

use std::time::{Duration, Instant};

use crate::limits;
use crate::policy::Recoverer;
use crate::repair::{AttemptOutcome, Confidence};
use crate::telemetry::traces::traceparent::Parent;

/// A sampled statement.
#[derive(Debug)]
pub struct Trace {
    pub(super) lineage: Lineage,
    pub(super) begun: Instant,
    pub(super) phases: Vec<Phase>,
    pub(super) sending: Sending,
    lap: Instant,
}

/// Where its span belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lineage {
    /// In the client's trace.
    Of(Parent),
    /// In a trace of its own with this id.
    Own([u8; 16]),
}

/// Something that was done to a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) work: Work,
    pub(super) since: Instant,
    pub(super) until: Instant,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
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
pub(super) enum Sending {
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

impl Trace {
    pub(super) fn new(lineage: Lineage, arrived: Instant) -> Self {
        Self {
            lineage,
            begun: arrived,
            phases: Vec::new(),
            sending: Sending::NotSent,
            lap: arrived,
        }
    }

    /// Something was done from the last lap until now.
    pub fn lap(&mut self, work: Work) {
        let now = Instant::now();
        self.add(work, self.lap, now);
        self.lap = now;
    }

    /// It waited for so long since the last lap.
    pub fn waited(&mut self, waited: Duration) {
        let until = self.lap.checked_add(waited).unwrap_or(self.lap);
        self.add(Work::Wait, self.lap, until);
        self.lap = until;
    }

    /// What comes next begins now.
    pub fn skip(&mut self) {
        self.lap = Instant::now();
    }

    /// Something was done between two moments. One before the statement's arrival makes its span
    /// begin there.
    pub fn add(&mut self, work: Work, since: Instant, until: Instant) {
        self.begun = self.begun.min(since);
        if self.phases.len() < limits::TRACE_PHASES_MAX {
            self.phases.push(Phase { work, since, until });
        }
    }

    /// It goes to the upstream, behind others or not. What goes there in parts is there already.
    pub fn sent(&mut self, place: Place) {
        if !matches!(self.sending, Sending::NotSent) {
            return;
        }
        let sent = Instant::now();
        self.sending = match place {
            Place::First => Sending::Running {
                sent,
                turn: sent,
                first_row: None,
            },
            Place::Behind => Sending::Queued { sent },
        };
    }

    /// All before it is answered.
    pub fn turn(&mut self) {
        if let Sending::Queued { sent } = self.sending {
            self.sending = Sending::Running {
                sent,
                turn: Instant::now(),
                first_row: None,
            };
        }
    }

    /// A row of it has come.
    pub fn row(&mut self) {
        self.turn();
        if let Sending::Running { first_row, .. } = &mut self.sending {
            first_row.get_or_insert_with(Instant::now);
        }
    }

    /// The upstream is done with it for now: it may be sent again.
    pub fn answered(&mut self) {
        let now = Instant::now();
        for phase in self.sending.phases(now).into_iter().flatten() {
            self.add(phase.work, phase.since, phase.until);
        }
        self.sending = Sending::NotSent;
        self.lap = now;
    }
}

/// Where a statement stands that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing is owed before it.
    First,
    /// Something is.
    Behind,
}

impl Sending {
    /// What it comes to when it ends at this moment: a wait, then work.
    pub(super) fn phases(self, now: Instant) -> [Option<Phase>; 2] {
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
        let wait = Phase {
            work: Work::Wait,
            since: sent,
            until: turn,
        };
        let upstream = Phase {
            work: Work::Upstream(first_row),
            since: turn,
            until: now,
        };
        [(turn > sent).then_some(wait), Some(upstream)]
    }
}
