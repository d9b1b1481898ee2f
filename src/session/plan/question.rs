//! One question for plans that is under way, what waits for it, and how far the answer has come.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::estimate::Plan;
use super::plan_cache::Key;
use crate::gate::{Facts, ReadPermit};
use crate::limits;
use crate::policy::Policy;
use crate::session::lowered_settings::Lowered;
use crate::session::pending::{Running, Stake};
use crate::session::policy_limits::Measure;
use crate::session::policy_limits::result_limit::Allowance;
use crate::session::repair::apply_repair::Manner;
use crate::session::server::error_rewrite::{Speaks, Substituted, retold};
use crate::session::server::on_error::is_kept;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::labels::Path;
use crate::wire::backend::{Fields, error_fields};
use crate::wire::encode;
use crate::wire::frame::{Frame, Header};

/// A question under way.
pub struct Asking {
    /// What waits for the answer.
    pub(super) subject: Subject,
    /// When it was asked.
    pub(super) since: Instant,
    /// How the question ends.
    pub(super) end: End,
    /// Under what the plan will be known.
    pub(super) key: Option<Key>,
    /// Where the texts stand that are asked about, those that are not answered yet.
    shifts: VecDeque<Option<i64>>,
    /// Of which cursors is asked how long they are, those that are not answered yet; none for the
    /// way back of the one before. Nothing of a plan is asked then.
    cursors: Option<VecDeque<Option<Measure>>>,
    stage: Stage,
    /// Statements and portals that are still to be forgotten.
    closes: usize,
    plan: Found,
    /// What the planner said on the way.
    notices: BytesMut,
    /// The text that runs in the place of its own, where that is another one.
    another: Option<Box<Substituted>>,
}

/// What waits for a plan.
pub(super) enum Subject {
    /// A Query that may run.
    Query(Box<Waiting>),
    /// A portal that was bound.
    Bind(Arc<Facts>, Arc<str>),
}

/// A Query that waits for its plan.
pub(super) struct Waiting {
    /// The whole frame that it came in.
    pub(super) frame: Bytes,
    /// What is to be sent.
    pub(super) permit: ReadPermit<'static>,
    /// What was lowered in it.
    pub(super) lowered: Option<Lowered>,
    /// How it is sent.
    pub(super) manner: Manner,
    /// What its result may bring.
    pub(super) allowance: Allowance,
    /// How long it took to judge it.
    pub(super) gate: Duration,
}

/// How a question ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With a Sync: nothing is open that the client has sent since its last one.
    Sync,
    /// With a Flush: what the client has sent goes on behind it, or an error of it skips the
    /// question. Where a Query waits, the Sync comes once all is answered.
    Flush,
}

/// How far the answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The names of a text are being looked up.
    Parsing,
    /// It is being planned.
    Planning,
    /// It failed before it was planned. The statement will say so itself.
    Failed,
}

/// What was learned so far.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    Nothing,
    Plan(Plan),
    /// Something that is no plan.
    Unreadable,
}

impl Asking {
    /// Statements in the text that waits.
    pub(in crate::session) fn statements(&self) -> u32 {
        match &self.subject {
            Subject::Query(waiting) => waiting.permit.facts().statements,
            Subject::Bind(..) => 1,
        }
    }

    pub(super) fn new(
        subject: Subject,
        end: End,
        key: Option<Key>,
        shifts: VecDeque<Option<i64>>,
    ) -> Self {
        let another = match &subject {
            Subject::Query(waiting) => {
                let another = Substituted::of(waiting.permit.facts(), waiting.permit.original());
                match &waiting.lowered {
                    Some(lowered) => Substituted::lowered(another, &lowered.moved),
                    None => another,
                }
            }
            Subject::Bind(facts, text) => Substituted::of(facts, text),
        };
        Self {
            another,
            // What a question before may have left is forgotten first.
            closes: CLOSES * (shifts.len() + 1),
            cursors: None,
            subject,
            since: Instant::now(),
            end,
            key,
            shifts,
            stage: Stage::Parsing,
            plan: Found::Nothing,
            notices: BytesMut::new(),
        }
    }

    /// Asks how long cursors are, and nothing else.
    pub(super) fn of_cursors(self, cursors: VecDeque<Option<Measure>>) -> Self {
        Self {
            cursors: Some(cursors),
            ..self
        }
    }

    /// Whether it asks how long cursors are.
    pub(super) fn is_of_cursors(&self) -> bool {
        self.cursors.is_some()
    }

    /// The cursor that the next answer speaks of.
    pub(super) fn next_cursor(&mut self) -> Option<Measure> {
        self.cursors.as_mut()?.pop_front().flatten()
    }

    /// The fingerprint of what waits for it.
    pub(super) fn fingerprint(&self) -> Option<Fingerprint> {
        match &self.subject {
            Subject::Query(waiting) => waiting.permit.facts().fingerprint,
            Subject::Bind(facts, _) => facts.fingerprint,
        }
    }

    /// Which text the upstream speaks of, once places are counted in it.
    pub fn spoken_of(&self) -> Speaks<'_> {
        let facts = match &self.subject {
            Subject::Query(waiting) => waiting.permit.facts(),
            Subject::Bind(facts, _) => facts,
        };
        Speaks::of(self.another.as_deref(), facts)
    }

    /// Whether a Bind waits for it.
    pub fn is_of_bind(&self) -> bool {
        matches!(self.subject, Subject::Bind(..))
    }

    /// The Query that waits for it, for its last event.
    pub fn into_query(self) -> Option<Box<Running>> {
        let took = self.since.elapsed();
        match self.subject {
            Subject::Query(waiting) => Some(Box::new(waiting.into_running(took))),
            Subject::Bind(..) => None,
        }
    }

    /// A text has been prepared.
    pub(super) fn parsed(&mut self) {
        self.stage = Stage::Planning;
    }

    /// A plan has come, as the beginning of a row.
    pub(super) fn row(&mut self, head: &[u8]) {
        self.plan = match (self.plan, Plan::read(head)) {
            (Found::Nothing, Some(plan)) => Found::Plan(plan),
            (Found::Plan(before), Some(plan)) => Found::Plan(before.max(plan)),
            (Found::Unreadable, _) | (_, None) => Found::Unreadable,
        };
    }

    /// One text has been answered.
    pub(super) fn completed(&mut self) {
        self.stage = Stage::Parsing;
        self.shifts.pop_front();
    }

    /// Something was forgotten; says whether that was the last.
    pub(super) fn closed(&mut self) -> bool {
        self.closes = self.closes.saturating_sub(1);
        self.closes == 0
    }

    /// A notice has come.
    pub(super) fn noticed(&mut self, fields: Fields<'_>, policy: &Policy) {
        if is_kept(fields, policy) {
            return;
        }
        let mut moved = BytesMut::new();
        encode::error_moved(&mut moved, fields, self.shift());
        let body = self.told(&moved, policy);
        if self.notices.len() + body.len() <= limits::PLAN_NOTICE_BYTES_MAX {
            encode::told(&mut self.notices, b'N', &body);
        }
    }

    /// The body of an error or notice as the client may hear it, of one whose places are counted in
    /// what runs.
    pub(super) fn told(&self, moved: &[u8], policy: &Policy) -> Bytes {
        let body = moved.get(HEADER_BYTES..).unwrap_or_default();
        let told = error_fields(body)
            .ok()
            .and_then(|fields| retold(fields, self.spoken_of(), policy));
        told.unwrap_or_else(|| Bytes::copy_from_slice(body))
    }

    /// What the client would have heard before an error.
    pub(super) fn take_notices(&mut self) -> BytesMut {
        self.notices.split()
    }

    /// It has failed before anything was planned, and that changes nothing for the statement.
    pub(super) fn fail(&mut self) {
        self.stage = Stage::Failed;
    }

    /// Whether it has failed in that way.
    pub(super) fn has_failed(&self) -> bool {
        self.stage == Stage::Failed
    }

    /// Whether names are looked up: what fails here fails whatever the values and the moment.
    pub(super) fn is_parsing(&self) -> bool {
        self.stage == Stage::Parsing
    }

    /// How many characters further on than in the client's text things stand that are asked about.
    pub(super) fn shift(&self) -> Option<i64> {
        self.shifts.front().copied().flatten()
    }

    /// Whether nothing at all was planned: the first text has failed before that.
    pub(super) fn is_blank(&self) -> bool {
        self.plan == Found::Nothing
    }

    /// The plan of what runs before a text that has failed.
    pub(super) fn plan_before(&self) -> Option<Plan> {
        match self.plan {
            Found::Plan(plan) => Some(plan),
            Found::Nothing | Found::Unreadable => None,
        }
    }

    /// The plan, where all has been answered by one.
    pub(super) fn plan(&self) -> Option<Plan> {
        match self.plan {
            Found::Plan(plan) if self.shifts.is_empty() => Some(plan),
            Found::Plan(_) | Found::Nothing | Found::Unreadable => None,
        }
    }
}

impl Waiting {
    /// A Query as it is to be sent.
    pub(super) fn of(
        frame: &Frame<'_>,
        (permit, lowered): (ReadPermit<'_>, Option<Lowered>),
        (manner, allowance): (Manner, Allowance),
    ) -> Self {
        Self {
            frame: Bytes::copy_from_slice(frame.bytes),
            permit: permit.into_owned(),
            lowered,
            gate: manner.arrived.begun.elapsed(),
            manner,
            allowance,
        }
    }

    /// The statement as it would be on its way.
    pub(super) fn into_running(self, took: Duration) -> Running {
        let facts = Arc::clone(self.permit.facts());
        let mut running = Running::new(facts, Path::Query, self.manner.arrived, self.gate);
        running.plan = Some(took);
        running.another = Substituted::of(&running.facts, self.permit.original());
        running.clamped(self.lowered);
        self.manner.mark(&mut running, Stake::Lost);
        running
    }
}

/// As much of a row as is read of a plan; none while it has not come.
pub(super) fn head_of<'a>(rest: &'a [u8], header: &Header) -> Option<&'a [u8]> {
    let length = header.total.min(limits::PLAN_HEAD_BYTES);
    rest.get(HEADER_BYTES..length)
}

impl fmt::Debug for Asking {
    /// Without the statement.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Asking({:?}, {:?})", self.end, self.stage)
    }
}

/// What is forgotten of a question: a portal and a statement.
const CLOSES: usize = 2;

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
