//! Who is told what a session does, and the spans of its statements: which one is being taken, and
//! what goes with it.
//!
//! From its arrival until it is sent or refused, at most one statement is being taken; its trace
//! waits here. Then it goes with what is owed. A Parse and the Execute of the same batch are one
//! statement: the trace goes from one to the other, and where the Parse is answered before the
//! Execute has come, it waits here for as long as the batch lasts. Where traces are off there is
//! nothing of this, and each step is one look at that.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::arrival::StatementArrival;
use super::pending::in_flight::InFlight;
use super::pending::{ExpectedReply, PendingReplies};
use super::registry::SessionActivity;
use super::repair::executor::StepTimes;
use crate::gate::{Facts, Rule, SessionNames};
use crate::limits;
use crate::policy::RuleMode;
use crate::receipts::issuer::ReceiptId;
use crate::repair::Attempt;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{LimitReached, StatementFinished};
use crate::telemetry::labels::ProtocolPath;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::sampling::SamplingRng;
use crate::telemetry::traces::traceparent::TraceParent;
use crate::telemetry::traces::{PipelinePlace, StatementTrace, TraceWork};

/// Who is told what a session does.
pub struct SessionWitness {
    pub(super) telemetry: Telemetry,
    /// Whose session it is, and under which policy.
    pub(super) info: Arc<SessionInfo>,
    /// What it does, for whoever runs pgsieve.
    pub(super) activity: Arc<SessionActivity>,
    /// What traces need to know, where there are any.
    pub(super) tracing: Option<Box<SessionTracing>>,
}

/// What a session knows for its traces.
pub struct SessionTracing {
    sampling_rng: SamplingRng,
    /// What the application_name says.
    parent: Option<TraceParent>,
    taken: TracedStatement,
    /// The statement that the last Bind was about.
    bound: Option<BoundStatement>,
    /// What was prepared last in the batch that is being sent, until its Execute comes.
    parsed: Option<Box<InFlight>>,
    /// When the plan of the last Bind was asked for, and when it came.
    asked: Option<(Instant, Instant)>,
}

/// The statement that is being taken.
enum TracedStatement {
    Nothing,
    /// It has a trace if it is sampled.
    Statement(Option<Box<StatementTrace>>),
}

/// A prepared statement as a Bind has found it.
struct BoundStatement {
    facts: Arc<Facts>,
    text: Arc<str>,
}

impl SessionTracing {
    /// Of a session that calls itself so.
    pub fn new(application_name: &str) -> Box<Self> {
        Box::new(Self {
            sampling_rng: SamplingRng::new(),
            parent: TraceParent::in_name(application_name),
            taken: TracedStatement::Nothing,
            bound: None,
            parsed: None,
            asked: None,
        })
    }
}

impl SessionWitness {
    /// Whether nothing of the client is taken until there is room in the audit.
    pub(super) fn waits_for_audit(&self) -> bool {
        self.telemetry.must_wait(&self.info)
    }

    /// Comes to its end when there is room in the audit.
    pub(super) fn room_in_audit(&self) -> impl Future<Output = ()> + Send + 'static {
        let (room, info) = (self.telemetry.room(), Arc::clone(&self.info));
        async move {
            room.await;
            info.settle_debt();
        }
    }

    /// A statement has come with this text.
    pub(super) fn begin_trace(&mut self, text: Option<&str>, arrived: &StatementArrival) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let Some(traces) = self.telemetry.traces() else {
            return;
        };
        let mut begun = traces.begin(
            text,
            tracing.parent,
            &mut tracing.sampling_rng,
            arrived.taken,
        );
        if let Some(trace) = &mut begun
            && let Some(came) = arrived.taken.checked_sub(arrived.queue)
            && came < arrived.taken
        {
            trace.add(TraceWork::Wait, came, arrived.taken);
        }
        tracing.taken = TracedStatement::Statement(begun);
    }

    /// A Bind has come for this statement.
    pub(super) fn begin_bind(&mut self, names: &SessionNames, statement: &str) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let prepared = names.prepared(statement);
        tracing.bound = prepared.map(|prepared| BoundStatement {
            facts: Arc::clone(&prepared.facts),
            text: Arc::clone(&prepared.text),
        });
    }

    /// An Execute has come for this portal. It goes on with the trace of its Parse, if that came in
    /// the same batch.
    pub(super) fn begin_execute(
        &mut self,
        (names, pending): (&SessionNames, &mut PendingReplies),
        portal: &str,
        arrived: &StatementArrival,
    ) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        let Some(cursor) = names.cursor(portal) else {
            tracing.bound = None;
            return;
        };
        let answered = |parsed: &mut Box<InFlight>| Arc::ptr_eq(&parsed.facts, &cursor.facts);
        let trace = match tracing.parsed.take_if(answered) {
            Some(mut parsed) => parsed.trace.take(),
            None => pending.take_trace_of_parse(&cursor.facts),
        };
        if trace.is_some() {
            tracing.taken = TracedStatement::Statement(trace);
            return;
        }
        let text = Arc::clone(&cursor.text);
        self.begin_trace(Some(&text), arrived);
    }

    /// Something was done to the statement that is being taken, since the last lap.
    pub(super) fn lap(&mut self, work: TraceWork) {
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
            tracing.taken = TracedStatement::Nothing;
        }
    }

    /// The trace of the statement that was being taken.
    pub(super) fn take_trace(&mut self) -> Option<Box<StatementTrace>> {
        let tracing = self.tracing.as_mut()?;
        match std::mem::replace(&mut tracing.taken, TracedStatement::Nothing) {
            TracedStatement::Nothing => None,
            TracedStatement::Statement(trace) => trace,
        }
    }

    /// The same of one that is sent now.
    pub(super) fn trace_sent(&mut self, pending: &PendingReplies) -> Option<Box<StatementTrace>> {
        let mut trace = self.take_trace()?;
        trace.sent(match pending.is_empty() {
            true => PipelinePlace::First,
            false => PipelinePlace::Behind,
        });
        Some(trace)
    }

    /// The same of one that is refused, which may have come without a text.
    pub(super) fn trace_refused(
        &mut self,
        path: ProtocolPath,
        arrived: &StatementArrival,
    ) -> Option<Box<StatementTrace>> {
        let tracing = self.tracing.as_mut()?;
        if matches!(tracing.taken, TracedStatement::Nothing) {
            let bound = tracing.bound.take();
            let bound =
                bound.filter(|_| matches!(path, ProtocolPath::Bind | ProtocolPath::Execute));
            self.begin_trace(bound.as_ref().map(|bound| &*bound.text), arrived);
            if path == ProtocolPath::Bind {
                self.trace_asked();
            }
        }
        self.take_trace()
    }

    /// A statement that was sent is taken anew.
    pub(super) fn retake_trace(&mut self, pending: &mut PendingReplies) {
        if let Some(tracing) = &mut self.tracing
            && let Some(ExpectedReply::HeldForRepair(running)) = pending.head()
        {
            tracing.taken = TracedStatement::Statement(running.trace.take());
        }
    }

    /// What a repair has tried, and when each step was done.
    pub(super) fn trace_attempts(&mut self, attempts: &[Attempt], marks: &StepTimes) {
        let Some(trace) = self.taken_trace() else {
            return;
        };
        for (place, step) in attempts.iter().enumerate() {
            if let Some((since, until)) = marks.of_step(place) {
                let work = TraceWork::Attempt(step.recoverer, step.confidence, step.outcome);
                trace.add(work, since, until);
            }
        }
    }

    /// Whether the statement that is repaired now is sampled.
    pub(super) fn is_traced(&mut self, pending: &mut PendingReplies) -> bool {
        if self.tracing.is_none() {
            return false;
        }
        let is_sent = match pending.head() {
            Some(ExpectedReply::HeldForRepair(running)) => running.trace.is_some(),
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
        } else if let TracedStatement::Statement(Some(trace)) = &mut tracing.taken {
            trace.add(TraceWork::Plan, since, now);
        }
    }

    /// The plan of what was bound belongs to the statement that is being taken.
    pub(super) fn trace_asked(&mut self) {
        if let Some(tracing) = &mut self.tracing
            && let Some((since, until)) = tracing.asked.take()
            && let TracedStatement::Statement(Some(trace)) = &mut tracing.taken
        {
            trace.add(TraceWork::Plan, since, until);
        }
    }

    /// The next answer is that of another statement.
    pub(super) fn trace_next_answer(&mut self, pending: &mut PendingReplies) {
        if self.tracing.is_some()
            && let Some(
                ExpectedReply::Query(running)
                | ExpectedReply::Parse(running)
                | ExpectedReply::Execute(running),
            ) = pending.head()
            && let Some(trace) = &mut running.trace
        {
            trace.turn();
        }
    }

    /// A Parse has failed: its trace is with the Execute behind it, which will not run.
    pub(super) fn reclaim_trace(&self, pending: &mut PendingReplies, running: &mut InFlight) {
        if self.tracing.is_some() && running.trace.is_none() {
            running.trace = pending.take_trace_of_execute(&running.facts);
        }
    }

    /// A Bind has failed: so has the statement that would have run.
    pub(super) fn trace_unbound(&mut self, pending: &mut PendingReplies, code: SqlstateCode) {
        let Some(tracing) = &mut self.tracing else {
            return;
        };
        if let Some(running) = pending.traced_execute() {
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
            parsed.path = ProtocolPath::Execute;
            parsed.sqlstate = Some(code);
            self.trace_parsed();
        }
    }

    /// A text was prepared. Its Execute may still come, unless the batch has ended.
    fn keep_parsed(&mut self, running: Box<InFlight>, pending: &mut PendingReplies) {
        if self.tracing.is_none() || running.trace.is_none() {
            return;
        }
        self.trace_parsed();
        if let Some(tracing) = &mut self.tracing {
            tracing.parsed = Some(running);
        }
        if !pending.transaction.unsynced || pending.owes_sync() {
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
            tracing.parent = TraceParent::in_name(value);
        }
    }

    fn taken_trace(&mut self) -> Option<&mut StatementTrace> {
        match &mut self.tracing.as_mut()?.taken {
            TracedStatement::Nothing => None,
            TracedStatement::Statement(trace) => trace.as_deref_mut(),
        }
    }

    /// A text was prepared: what it will do is recorded when it runs.
    pub(super) fn prepared(&mut self, running: Box<InFlight>, pending: &mut PendingReplies) {
        let info = running.info.as_ref().unwrap_or(&self.info);
        self.telemetry
            .prepared(&running.event(info, Instant::now()));
        self.keep_parsed(running, pending);
    }

    /// A statement has ended, which the server calls so, where it has told.
    pub(super) fn finished(
        &self,
        running: &InFlight,
        queryid: Option<i64>,
        receipt: Option<ReceiptId>,
    ) {
        let info = running.info.as_ref().unwrap_or(&self.info);
        let event = StatementFinished {
            queryid,
            receipt,
            ..running.event(info, Instant::now())
        };
        self.activity.statement_ended(running.rows, event.upstream);
        self.telemetry.finished(&event);
    }

    /// A limit of the policy was met.
    pub(super) fn note_limit(&self, rule: Rule, mode: RuleMode, fingerprint: Option<Fingerprint>) {
        self.telemetry.emit(&LimitReached {
            session: &self.info,
            rule,
            mode,
            fingerprint,
        });
    }
}

impl PendingReplies {
    /// Whether the client has ended a batch that is not answered yet.
    fn owes_sync(&mut self) -> bool {
        self.owed_first()
            .any(|owed| matches!(owed, ExpectedReply::Sync))
    }

    /// The trace of a Parse that is owed in the batch that is being sent.
    fn take_trace_of_parse(&mut self, facts: &Arc<Facts>) -> Option<Box<StatementTrace>> {
        let batch = self.owed_last().take(limits::TRACE_PARSE_BEHIND_MAX);
        let mut batch = batch.take_while(|owed| !matches!(owed, ExpectedReply::Sync));
        batch.find_map(|owed| match owed {
            ExpectedReply::Parse(running) if Arc::ptr_eq(&running.facts, facts) => {
                running.trace.take()
            }
            _ => None,
        })
    }

    /// The trace of an Execute that is owed in the batch that is being answered.
    fn take_trace_of_execute(&mut self, facts: &Arc<Facts>) -> Option<Box<StatementTrace>> {
        let batch = self.owed_first();
        let mut batch = batch.take_while(|owed| !matches!(owed, ExpectedReply::Sync));
        batch.find_map(|owed| match owed {
            ExpectedReply::Execute(running) if Arc::ptr_eq(&running.facts, facts) => {
                running.trace.take()
            }
            _ => None,
        })
    }

    /// The first Execute with a trace in the batch that is being answered.
    fn traced_execute(&mut self) -> Option<&mut InFlight> {
        let batch = self.owed_first();
        let mut batch = batch.take_while(|owed| !matches!(owed, ExpectedReply::Sync));
        batch.find_map(|owed| match owed {
            ExpectedReply::Execute(running) if running.trace.is_some() => Some(&mut **running),
            _ => None,
        })
    }
}
