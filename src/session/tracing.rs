//! The spans of a session's statements: which one is being taken, and what goes with it.
//!
//! From its arrival until it is sent or refused, at most one statement is being taken; its trace
//! waits here. Then it goes with what is owed. A Parse and the Execute of the same batch are one
//! statement: the trace goes from one to the other, and where the Parse is answered before the
//! Execute has come, it waits here for as long as the batch lasts. Where traces are off there is
//! nothing of this, and each step is one look at that.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrival::Arrival;
use super::pending::{Journal, Owed, Running};
use super::protocol::Conversation;
use super::repair::executor::Marks;
use crate::gate::Facts;
use crate::limits;
use crate::repair::Attempt;
use crate::telemetry::labels::Path;
use crate::telemetry::sqlstate_code::Code;
use crate::telemetry::traces::sampling::Dice;
use crate::telemetry::traces::traceparent::Parent;
use crate::telemetry::traces::{Place, Trace, Work};

/// What a session knows for its traces.
pub struct Tracing {
    dice: Dice,
    /// What the application_name says.
    parent: Option<Parent>,
    taken: Taken,
    /// The statement that the last Bind was about.
    bound: Option<Bound>,
    /// What was prepared last in the batch that is being sent, until its Execute comes.
    parsed: Option<Box<Running>>,
    /// When the plan of the last Bind was asked for, and when it came.
    asked: Option<(Instant, Instant)>,
}

/// The statement that is being taken.
enum Taken {
    Nothing,
    /// It has a trace if it is sampled.
    Statement(Option<Box<Trace>>),
}

/// A prepared statement as a Bind has found it.
struct Bound {
    facts: Arc<Facts>,
    text: Arc<str>,
}

impl Tracing {
    /// Of a session that calls itself so.
    pub fn new(application_name: &str) -> Box<Self> {
        Box::new(Self {
            dice: Dice::new(),
            parent: Parent::in_name(application_name),
            taken: Taken::Nothing,
            bound: None,
            parsed: None,
            asked: None,
        })
    }
}

impl Conversation {
    /// A statement has come with this text.
    pub(super) fn begin_trace(&mut self, text: Option<&str>, arrived: &Arrival) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let Some(traces) = self.telemetry.traces() else {
            return;
        };
        let mut begun = traces.begin(text, tracing.parent, &mut tracing.dice, arrived.taken);
        if let Some(trace) = &mut begun
            && let Some(came) = arrived.taken.checked_sub(arrived.queue)
            && came < arrived.taken
        {
            trace.add(Work::Wait, came, arrived.taken);
        }
        tracing.taken = Taken::Statement(begun);
    }

    /// A Bind has come for this statement.
    pub(super) fn begin_bind(&mut self, statement: &str) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let prepared = self.names.prepared(statement);
        tracing.bound = prepared.map(|prepared| Bound {
            facts: Arc::clone(&prepared.facts),
            text: Arc::clone(&prepared.text),
        });
    }

    /// An Execute has come for this portal. It goes on with the trace of its Parse, if that came in
    /// the same batch.
    pub(super) fn begin_execute(&mut self, portal: &str, arrived: &Arrival) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let Some(cursor) = self.names.cursor(portal) else {
            tracing.bound = None;
            return;
        };
        let answered = |parsed: &mut Box<Running>| Arc::ptr_eq(&parsed.facts, &cursor.facts);
        let trace = match tracing.parsed.take_if(answered) {
            Some(mut parsed) => parsed.trace.take(),
            None => self.journal.take_trace_of_parse(&cursor.facts),
        };
        if trace.is_some() {
            tracing.taken = Taken::Statement(trace);
            return;
        }
        let text = Arc::clone(&cursor.text);
        self.begin_trace(Some(&text), arrived);
    }

    /// Something was done to the statement that is being taken, since the last lap.
    pub(super) fn lap(&mut self, work: Work) {
        if let Some(trace) = self.taken_trace() {
            trace.lap(work);
        }
    }

    /// It waited for so long since the last lap.
    pub(super) fn lap_waited(&mut self, waited: Duration) {
        if let Some(trace) = self.taken_trace() {
            trace.waited(waited);
        }
    }

    /// What is done to it next begins now.
    pub(super) fn skip_lap(&mut self) {
        if let Some(trace) = self.taken_trace() {
            trace.skip();
        }
    }

    /// The statement that was being taken is no more.
    pub(super) fn drop_trace(&mut self) {
        if let Some(tracing) = &mut self.tracing {
            tracing.taken = Taken::Nothing;
        }
    }

    /// The trace of the statement that was being taken.
    pub(super) fn take_trace(&mut self) -> Option<Box<Trace>> {
        let tracing = self.tracing.as_mut()?;
        match std::mem::replace(&mut tracing.taken, Taken::Nothing) {
            Taken::Nothing => None,
            Taken::Statement(trace) => trace,
        }
    }

    /// The same of one that is sent now.
    pub(super) fn trace_sent(&mut self) -> Option<Box<Trace>> {
        let mut trace = self.take_trace()?;
        trace.sent(match self.journal.is_empty() {
            true => Place::First,
            false => Place::Behind,
        });
        Some(trace)
    }

    /// The same of one that is refused, which may have come without a text.
    pub(super) fn trace_refused(&mut self, path: Path, arrived: &Arrival) -> Option<Box<Trace>> {
        let tracing = self.tracing.as_mut()?;
        if matches!(tracing.taken, Taken::Nothing) {
            let bound = tracing.bound.take();
            let bound = bound.filter(|_| matches!(path, Path::Bind | Path::Execute));
            self.begin_trace(bound.as_ref().map(|bound| &*bound.text), arrived);
            if path == Path::Bind {
                self.trace_asked();
            }
        }
        self.take_trace()
    }

    /// A statement that was sent is taken anew.
    pub(super) fn retake_trace(&mut self) {
        if let Some(tracing) = &mut self.tracing
            && let Some(Owed::Rescue(running)) = self.journal.head()
        {
            tracing.taken = Taken::Statement(running.trace.take());
        }
    }

    /// What a rescue has tried, and when each step was done.
    pub(super) fn trace_attempts(&mut self, attempts: &[Attempt], marks: &Marks) {
        let Some(trace) = self.taken_trace() else {
            return;
        };
        for (place, step) in attempts.iter().enumerate() {
            if let Some((since, until)) = marks.of_step(place) {
                let work = Work::Attempt(step.recoverer, step.confidence, step.outcome);
                trace.add(work, since, until);
            }
        }
    }

    /// Whether the statement that is rescued now is sampled.
    pub(super) fn is_traced(&mut self) -> bool {
        if self.tracing.is_none() {
            return false;
        }
        let is_sent = match self.journal.head() {
            Some(Owed::Rescue(running)) => running.trace.is_some(),
            _ => false,
        };
        is_sent || self.taken_trace().is_some()
    }

    /// The plan of the Query that is being taken was asked for until now, or that of a Bind.
    pub(super) fn note_asked(&mut self, since: Instant, is_of_bind: bool) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let now = Instant::now();
        if is_of_bind {
            tracing.asked = Some((since, now));
        } else if let Taken::Statement(Some(trace)) = &mut tracing.taken {
            trace.add(Work::Plan, since, now);
        }
    }

    /// The plan of what was bound belongs to the statement that is being taken.
    pub(super) fn trace_asked(&mut self) {
        if let Some(tracing) = &mut self.tracing
            && let Some((since, until)) = tracing.asked.take()
            && let Taken::Statement(Some(trace)) = &mut tracing.taken
        {
            trace.add(Work::Plan, since, until);
        }
    }

    /// The next answer is that of another statement.
    pub(super) fn next_turn(&mut self) {
        if self.tracing.is_some()
            && let Some(Owed::Query(running) | Owed::Parse(running) | Owed::Execute(running)) =
                self.journal.head()
            && let Some(trace) = &mut running.trace
        {
            trace.turn();
        }
    }

    /// A Parse has failed: its trace is with the Execute behind it, which will not run.
    pub(super) fn reclaim_trace(&mut self, running: &mut Running) {
        if self.tracing.is_some() && running.trace.is_none() {
            running.trace = self.journal.take_trace_of_execute(&running.facts);
        }
    }

    /// A Bind has failed: so has the statement that would have run.
    pub(super) fn trace_unbound(&mut self, code: Code) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        if let Some(running) = self.journal.traced_execute() {
            running.sqlstate = Some(code);
            let info = running.info.as_ref().unwrap_or(&self.info);
            self.telemetry.traced(&running.event(info, Instant::now()));
            running.trace = None;
            return;
        }
        let bound = tracing.bound.as_ref();
        if let Some(parsed) = &mut tracing.parsed
            && bound.is_some_and(|bound| Arc::ptr_eq(&bound.facts, &parsed.facts))
        {
            parsed.path = Path::Execute;
            parsed.sqlstate = Some(code);
            self.trace_parsed();
        }
    }

    /// A text was prepared. Its Execute may still come, unless the batch has ended.
    pub(super) fn keep_parsed(&mut self, running: Box<Running>) {
        if self.tracing.is_none() || running.trace.is_none() {
            return;
        }
        self.trace_parsed();
        if let Some(tracing) = &mut self.tracing {
            tracing.parsed = Some(running);
        }
        if !self.standing.unsynced || self.journal.owes_sync() {
            self.trace_parsed();
        }
    }

    /// The batch is over, or the session: what was prepared in it was prepared by itself.
    pub(super) fn trace_parsed(&mut self) {
        if let Some(tracing) = &mut self.tracing
            && let Some(parsed) = tracing.parsed.take()
        {
            let info = parsed.info.as_ref().unwrap_or(&self.info);
            self.telemetry.traced(&parsed.event(info, Instant::now()));
        }
    }

    /// The session calls itself something else now.
    pub(super) fn follow_name(&mut self, setting: &str, value: &str) {
        if let Some(tracing) = &mut self.tracing
            && setting == "application_name"
        {
            tracing.parent = Parent::in_name(value);
        }
    }

    fn taken_trace(&mut self) -> Option<&mut Trace> {
        match &mut self.tracing.as_mut()?.taken {
            Taken::Nothing => None,
            Taken::Statement(trace) => trace.as_deref_mut(),
        }
    }
}

impl Journal {
    /// Whether the client has ended a batch that is not answered yet.
    fn owes_sync(&mut self) -> bool {
        self.owed_first().any(|owed| matches!(owed, Owed::Sync))
    }

    /// The trace of a Parse that is owed in the batch that is being sent.
    fn take_trace_of_parse(&mut self, facts: &Arc<Facts>) -> Option<Box<Trace>> {
        let batch = self.owed_last().take(limits::TRACE_PARSE_BEHIND_MAX);
        let mut batch = batch.take_while(|owed| !matches!(owed, Owed::Sync));
        batch.find_map(|owed| match owed {
            Owed::Parse(running) if Arc::ptr_eq(&running.facts, facts) => running.trace.take(),
            _ => None,
        })
    }

    /// The trace of an Execute that is owed in the batch that is being answered.
    fn take_trace_of_execute(&mut self, facts: &Arc<Facts>) -> Option<Box<Trace>> {
        let batch = self.owed_first();
        let mut batch = batch.take_while(|owed| !matches!(owed, Owed::Sync));
        batch.find_map(|owed| match owed {
            Owed::Execute(running) if Arc::ptr_eq(&running.facts, facts) => running.trace.take(),
            _ => None,
        })
    }

    /// The first Execute with a trace in the batch that is being answered.
    fn traced_execute(&mut self) -> Option<&mut Running> {
        let batch = self.owed_first();
        let mut batch = batch.take_while(|owed| !matches!(owed, Owed::Sync));
        batch.find_map(|owed| match owed {
            Owed::Execute(running) if running.trace.is_some() => Some(&mut **running),
            _ => None,
        })
    }
}
