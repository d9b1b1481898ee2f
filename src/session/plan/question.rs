//! One question for plans that is under way, what waits for it, and how far the answer has come.
//! One whose basis changed in between is asked again, at most `limits::PLANS_ASKED_ANEW_MAX` times.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::estimate::PlanEstimate;
use super::plan_cache::PlanKey;
use crate::gate::{Facts, WaitingPermit};
use crate::limits;
use crate::policy::Policy;
use crate::session::lowered_settings::LoweredText;
use crate::session::pending::in_flight::{InFlight, TextRetained};
use crate::session::policy_limits::CursorMeasure;
use crate::session::policy_limits::result_limit::ResultAllowance;
use crate::session::repair::send_options::SendOptions;
use crate::session::server::error_rewrite::{QuotedText, SubstitutedText, rewrite_error};
use crate::session::server::on_error::is_kept;
use crate::session::statement_stage::{AdmittedQuery, PermittedText};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::backend::{ResponseFields, error_fields};
use crate::wire::encode;
use crate::wire::frame::{ClientFrame, UpstreamHeader};

/// A question under way.
pub struct ExplainQuestion {
    /// What waits for the answer.
    pub(super) subject: PlanSubject,
    /// When it was asked.
    pub(super) since: Instant,
    /// How the question ends.
    pub(super) end: QuestionEnd,
    /// Under what the plan will be known.
    pub(super) key: Option<PlanKey>,
    /// Where the texts stand that are asked about, those that are not answered yet.
    shifts: VecDeque<Option<i64>>,
    /// Of which cursors is asked how long they are, those that are not answered yet; none for the
    /// way back of the one before. Nothing of a plan is asked then.
    cursors: Option<VecDeque<Option<CursorMeasure>>>,
    stage: PlanStage,
    /// Statements and portals that are still to be forgotten.
    closes: usize,
    plan: PlanFinding,
    /// What the planner said on the way.
    notices: BytesMut,
    /// The text that runs in the place of its own, where that is another one.
    another: Option<Box<SubstitutedText>>,
}

/// What waits for a plan.
pub(super) enum PlanSubject {
    /// A Query that may run.
    Query(Box<WaitingQuery>),
    /// A portal that was bound.
    Bind(Arc<Facts>, Arc<str>),
}

/// A Query that waits for its plan.
pub(super) struct WaitingQuery {
    /// The whole frame that it came in.
    pub(super) frame: Bytes,
    /// What is to be sent.
    pub(super) permit: WaitingPermit,
    /// What was lowered in it.
    pub(super) lowered: Option<LoweredText>,
    /// What was found in it before that.
    pub(super) judged: Arc<Facts>,
    /// How it is sent.
    pub(super) options: SendOptions,
    /// What its result may bring.
    pub(super) allowance: ResultAllowance,
    /// How long it took to judge it.
    pub(super) gate: Duration,
}

/// How a question ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionEnd {
    /// With a Sync: nothing is open that the client has sent since its last one.
    Sync,
    /// With a Flush: what the client has sent goes on behind it, or an error of it skips the
    /// question. Where a Query waits, the Sync comes once all is answered.
    Flush,
}

/// How far the answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlanStage {
    /// The names of a text are being looked up.
    Parsing,
    /// It is being planned.
    Planning,
    /// It failed before it was planned. The statement will say so itself.
    Failed,
}

/// What was learned so far.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PlanFinding {
    Nothing,
    Plan(PlanEstimate),
    /// Something that is no plan.
    Unreadable,
}

impl ExplainQuestion {
    /// Statements in the text that waits.
    pub(in crate::session) fn statements(&self) -> u32 {
        match &self.subject {
            PlanSubject::Query(waiting) => waiting.permit.facts().statements,
            PlanSubject::Bind(..) => 1,
        }
    }

    pub(super) fn new(
        subject: PlanSubject,
        end: QuestionEnd,
        key: Option<PlanKey>,
        shifts: VecDeque<Option<i64>>,
    ) -> Self {
        let another = match &subject {
            PlanSubject::Query(waiting) => {
                let another =
                    SubstitutedText::of(waiting.permit.facts(), waiting.permit.original());
                match &waiting.lowered {
                    Some(lowered) => SubstitutedText::lowered(another, &lowered.moved),
                    None => another,
                }
            }
            PlanSubject::Bind(facts, text) => SubstitutedText::of(facts, text),
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
            stage: PlanStage::Parsing,
            plan: PlanFinding::Nothing,
            notices: BytesMut::new(),
        }
    }

    /// Asks how long cursors are, and nothing else.
    pub(super) fn of_cursors(self, cursors: VecDeque<Option<CursorMeasure>>) -> Self {
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
    pub(super) fn next_cursor(&mut self) -> Option<CursorMeasure> {
        self.cursors.as_mut()?.pop_front().flatten()
    }

    /// What is known of what waits for it.
    pub(super) fn facts(&self) -> &Facts {
        match &self.subject {
            PlanSubject::Query(waiting) => waiting.permit.facts(),
            PlanSubject::Bind(facts, _) => facts,
        }
    }

    /// Which text the upstream speaks of, once places are counted in it.
    pub fn spoken_of(&self) -> QuotedText<'_> {
        QuotedText::of(self.another.as_deref(), self.facts())
    }

    /// Whether a Bind waits for it.
    pub fn is_of_bind(&self) -> bool {
        matches!(self.subject, PlanSubject::Bind(..))
    }

    /// The Query that waits for it, for its last event.
    pub fn into_query(self) -> Option<Box<InFlight>> {
        let took = self.since.elapsed();
        match self.subject {
            PlanSubject::Query(waiting) => Some(Box::new(waiting.into_running(took))),
            PlanSubject::Bind(..) => None,
        }
    }

    /// A text has been prepared.
    pub(super) fn parsed(&mut self) {
        self.stage = PlanStage::Planning;
    }

    /// A plan has come, as the beginning of a row.
    pub(super) fn row(&mut self, head: &[u8]) {
        self.plan = match (self.plan, PlanEstimate::read(head)) {
            (PlanFinding::Nothing, Some(plan)) => PlanFinding::Plan(plan),
            (PlanFinding::Plan(before), Some(plan)) => PlanFinding::Plan(before.max(plan)),
            (PlanFinding::Unreadable, _) | (_, None) => PlanFinding::Unreadable,
        };
    }

    /// One text has been answered.
    pub(super) fn completed(&mut self) {
        self.stage = PlanStage::Parsing;
        self.shifts.pop_front();
    }

    /// Something was forgotten; says whether that was the last.
    pub(super) fn closed(&mut self) -> bool {
        self.closes = self.closes.saturating_sub(1);
        self.closes == 0
    }

    /// A notice has come.
    pub(super) fn on_notice(&mut self, fields: ResponseFields<'_>, policy: &Policy) {
        if is_kept(fields, policy) {
            return;
        }
        let mut moved = BytesMut::new();
        encode::error_moved(&mut moved, fields, self.shift());
        let body = self.rewritten_error(&moved, policy);
        if self.notices.len() + body.len() <= limits::PLAN_NOTICE_BYTES_MAX {
            encode::error_body(&mut self.notices, b'N', &body);
        }
    }

    /// The body of an error or notice as the client may hear it, of one whose places are counted in
    /// what runs.
    pub(super) fn rewritten_error(&self, moved: &[u8], policy: &Policy) -> Bytes {
        let body = moved.get(HEADER_BYTES..).unwrap_or_default();
        let told = error_fields(body)
            .ok()
            .and_then(|fields| rewrite_error(fields, self.spoken_of(), policy));
        told.unwrap_or_else(|| Bytes::copy_from_slice(body))
    }

    /// What the client would have heard before an error.
    pub(super) fn take_notices(&mut self) -> BytesMut {
        self.notices.split()
    }

    /// It has failed before anything was planned, and that changes nothing for the statement.
    pub(super) fn fail_early(&mut self) {
        self.stage = PlanStage::Failed;
    }

    /// Whether it has failed in that way.
    pub(super) fn has_failed(&self) -> bool {
        self.stage == PlanStage::Failed
    }

    /// Whether names are looked up: what fails here fails whatever the values and the moment.
    pub(super) fn is_parsing(&self) -> bool {
        self.stage == PlanStage::Parsing
    }

    /// How many characters further on than in the client's text things stand that are asked about.
    pub(super) fn shift(&self) -> Option<i64> {
        self.shifts.front().copied().flatten()
    }

    /// Whether nothing at all was planned: the first text has failed before that.
    pub(super) fn is_blank(&self) -> bool {
        self.plan == PlanFinding::Nothing
    }

    /// The plan of what runs before a text that has failed.
    pub(super) fn plan_before(&self) -> Option<PlanEstimate> {
        match self.plan {
            PlanFinding::Plan(plan) => Some(plan),
            PlanFinding::Nothing | PlanFinding::Unreadable => None,
        }
    }

    /// The plan, where all has been answered by one.
    pub(super) fn plan(&self) -> Option<PlanEstimate> {
        match self.plan {
            PlanFinding::Plan(plan) if self.shifts.is_empty() => Some(plan),
            PlanFinding::Plan(_) | PlanFinding::Nothing | PlanFinding::Unreadable => None,
        }
    }
}

impl WaitingQuery {
    /// A Query as it is to be sent.
    pub(super) fn of(frame: &ClientFrame<'_>, query: AdmittedQuery<'_>) -> Self {
        let PermittedText {
            permit,
            lowered,
            judged,
            options,
        } = query.text;
        Self {
            frame: Bytes::copy_from_slice(frame.bytes),
            gate: options.arrived.begun.elapsed(),
            permit: permit.wait(),
            lowered,
            judged,
            options,
            allowance: query.allowance,
        }
    }

    /// The statement as it would be on its way.
    pub(super) fn into_running(self, took: Duration) -> InFlight {
        let Self {
            permit,
            lowered,
            options,
            ..
        } = self;
        let facts = Arc::clone(permit.facts());
        let mut running = InFlight::new(facts, ProtocolPath::Query, options.arrived, self.gate);
        running.plan = Some(took);
        running.another = SubstitutedText::of(&running.facts, permit.original());
        running.notice_lowered(lowered);
        options.mark(&mut running, TextRetained::Lost);
        running
    }
}

/// As much of a row as is read of a plan; none while it has not come.
pub(super) fn head_of<'a>(rest: &'a [u8], header: &UpstreamHeader) -> Option<&'a [u8]> {
    let length = header.total.min(limits::PLAN_HEAD_BYTES);
    rest.get(HEADER_BYTES..length)
}

impl fmt::Debug for ExplainQuestion {
    /// Without the statement.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "ExplainQuestion({:?}, {:?})",
            self.end, self.stage
        )
    }
}

/// What is forgotten of a question: a portal and a statement.
const CLOSES: usize = 2;

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
