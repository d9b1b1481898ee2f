//! What comes of a repair: a changed text is sent, the client's own, or its error is told.
//! [`SendOptions`], with which any text is sent, says how far such a text has come already.

use std::borrow::Cow;

use bytes::Bytes;

use super::notices;
use super::notices::{OnError, PendingNotice};
use super::stage::RepairStage;
use super::{FailedBatch, RepairCause, RepairJob, RepairResult};
use crate::gate::{Judgement, ParameterTypes, ReadPermit, Verdict};
use crate::limits;
use crate::repair::{RepairAdvice, RepairConclusion, RepairOutcome, RepairedStatement};
use crate::session::arrival::StatementArrival;
use crate::session::pending::{ExpectedReply, InFlight, TextRetained};
use crate::session::policy_limits::QuotaCount;
use crate::session::protocol::{ClientState, SessionEnd, SessionProtocol};
use crate::session::reply::CloseReason;
use crate::session::scheduling::large_text::text_of;
use crate::session::statement::{JudgedText, TextStage};
use crate::sqlstate;
use crate::telemetry::events::{StatementRepaired, StatementRetried};
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::TraceWork;
use crate::wire::backend::{TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, FrontendMessage, Parse};

/// How a statement is sent.
pub struct SendOptions {
    /// When it came.
    pub(in crate::session) arrived: StatementArrival,
    notice: Option<Box<PendingNotice>>,
    on_error: OnError,
    care: RepairAttempted,
    /// How often it was sent before.
    tries: u32,
    /// How often its plan was asked for.
    asked: u32,
    count: QuotaCount,
}

/// Whether something was looked for already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RepairAttempted {
    /// A failure may still be held back.
    Due,
    /// It has had its repair.
    Done,
}

impl SendOptions {
    /// As the client sent it.
    pub(in crate::session) fn plain(arrived: StatementArrival) -> Self {
        Self {
            arrived,
            notice: None,
            on_error: OnError::Passes,
            care: RepairAttempted::Due,
            tries: 0,
            asked: 0,
            count: QuotaCount::Due,
        }
    }

    /// As the client sent it, after a repair that changed nothing.
    fn advised(arrived: StatementArrival, advice: RepairAdvice) -> Self {
        Self {
            on_error: OnError::advised(advice),
            care: RepairAttempted::Done,
            ..Self::plain(arrived)
        }
    }

    /// A changed text, with what the client gets should it fail as well.
    fn repaired(arrived: StatementArrival, notice: Box<PendingNotice>, on_error: OnError) -> Self {
        Self {
            arrived,
            notice: Some(notice),
            on_error,
            care: RepairAttempted::Done,
            tries: 0,
            asked: 0,
            count: QuotaCount::Due,
        }
    }

    /// The same for a statement that was sent before.
    pub(in crate::session) fn already_counted(self) -> Self {
        Self {
            count: QuotaCount::Paid,
            ..self
        }
    }

    /// Whether it still has to be counted among those of its user.
    pub(in crate::session) fn quota_count(&self) -> QuotaCount {
        self.count
    }

    /// Whether a failure may still be held back.
    pub(in crate::session) fn may_hold_error(&self) -> bool {
        self.care == RepairAttempted::Due
    }

    /// Its plan is asked for once more; says whether that goes on for too long.
    pub(in crate::session) fn is_asked_too_often(&mut self) -> bool {
        self.asked += 1;
        self.asked > limits::PLANS_ASKED_ANEW_MAX
    }

    /// Marks the statement that is sent in this manner.
    pub(in crate::session) fn mark(self, running: &mut InFlight, text_retained: TextRetained) {
        running.text_retained = text_retained;
        running.tries = self.tries;
        running.on_error = self.on_error;
        if let Some(notice) = self.notice {
            running.notice = Some(notice);
            running.outcome = StatementOutcome::Repaired;
            // What is prepared now is a repaired statement each time it runs.
            running.facts.stands_in.get_or_init(|| ());
        }
    }
}

impl SessionProtocol {
    /// A repair has come back.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn repair_finished(
        &mut self,
        repair_job: Box<RepairJob>,
        result: RepairResult,
    ) -> Result<(), SessionEnd> {
        if let RepairResult::Ended(outcome, _) = &result {
            self.record_repair(&repair_job, outcome);
        }
        self.repair.stage = RepairStage::None;
        if self.client.state == ClientState::JudgingInVain {
            self.client.state = ClientState::SkipToSync;
        }
        if self.client.state != ClientState::Judging {
            self.witness.drop_trace();
            return Ok(());
        }
        self.client.state = ClientState::Open;
        self.witness.retake_trace(&mut self.pending);
        if let RepairResult::Ended(outcome, marks) = &result {
            self.witness.trace_attempts(&outcome.attempts, marks);
        }
        self.take_over_policies()?;
        self.refresh_names();
        let discharged = match result {
            RepairResult::Ended(outcome, _) => self.apply_repair(*repair_job, outcome.ending),
            RepairResult::Unended => self.apply_repair(
                *repair_job,
                RepairConclusion::Failed(RepairAdvice::default()),
            ),
            RepairResult::Cancelled => self.apply_cancelled_repair(*repair_job),
            RepairResult::Paused => self.retry_statement(*repair_job),
        };
        let discharged = discharged.and_then(|()| self.replay());
        self.release_names();
        discharged
    }

    fn apply_repair(
        &mut self,
        repair_job: RepairJob,
        found: RepairConclusion,
    ) -> Result<(), SessionEnd> {
        let RepairJob {
            frame,
            described,
            cause,
            arrived,
            ..
        } = repair_job;
        let arrived = arrived.judged_anew();
        let parameters = parameters_of(&frame);
        let repaired = match found {
            RepairConclusion::Repaired(repaired) => self.permit_now(repaired, &parameters),
            RepairConclusion::NotNeeded => Err(RepairAdvice::default()),
            RepairConclusion::Failed(advice) => Err(advice),
        };
        match (cause, repaired) {
            (RepairCause::Refused(refusal), Ok((permit, repaired))) => {
                let on_error = OnError::replaced(notices::error_of(&refusal), &repaired.recoverers);
                let options = SendOptions::repaired(arrived, repaired.notice, on_error);
                self.send(&frame, judged(permit), options)
            }
            (RepairCause::Doubted, Ok((permit, repaired))) => {
                let on_error = OnError::advised(notices::exhausted(&repaired.recoverers));
                let options = SendOptions::repaired(arrived, repaired.notice, on_error);
                self.send(&frame, judged(permit), options)
            }
            (
                RepairCause::Failed { error, batch } | RepairCause::Shaken { error, batch, .. },
                Ok((permit, repaired)),
            ) => {
                if !matches!(self.pending.pop(), Some(ExpectedReply::HeldForRepair(_))) {
                    return Err(LOST_COUNT);
                }
                let on_error = OnError::replaced(error, &repaired.recoverers);
                let options =
                    SendOptions::repaired(arrived, repaired.notice, on_error).already_counted();
                self.send(&frame, judged(permit), options)?;
                self.replay_behind(batch);
                Ok(())
            }
            (RepairCause::Refused(_) | RepairCause::Doubted, Err(advice)) => {
                self.send_unrepaired(&frame, &parameters, arrived, advice)
            }
            (
                RepairCause::Failed { error, batch } | RepairCause::Shaken { error, batch, .. },
                Err(advice),
            ) => {
                self.client.reply.extend_from_slice(&described);
                self.send_held_error(&error, batch, &advice)
            }
        }
    }

    /// What the client has cancelled ends. What was not sent yet, and is expected to fail, goes its
    /// way: it ends by itself.
    fn apply_cancelled_repair(&mut self, mut repair_job: RepairJob) -> Result<(), SessionEnd> {
        if let RepairCause::Failed { error, .. } | RepairCause::Shaken { error, .. } =
            &mut repair_job.cause
        {
            *error = notices::cancelled();
            if let Some(ExpectedReply::HeldForRepair(running)) = self.pending.head() {
                running.sqlstate = Some(SqlstateCode::from(sqlstate::QUERY_CANCELED));
            }
        }
        self.apply_repair(
            repair_job,
            RepairConclusion::Failed(RepairAdvice::default()),
        )
    }

    /// A statement that failed for a reason of the moment, once more.
    fn retry_statement(&mut self, repair_job: RepairJob) -> Result<(), SessionEnd> {
        let RepairJob {
            frame,
            cause: RepairCause::Shaken { batch, tries, .. },
            arrived,
            ..
        } = repair_job
        else {
            return Err(LOST_COUNT);
        };
        let Some(ExpectedReply::HeldForRepair(_)) = self.pending.pop() else {
            return Err(LOST_COUNT);
        };
        self.witness.telemetry.emit(&StatementRetried);
        let options = SendOptions {
            tries: tries + 1,
            ..SendOptions::plain(arrived.judged_anew()).already_counted()
        };
        let (text, parameters) = text_of(&frame).ok_or(LOST_COUNT)?;
        let text = Cow::Borrowed(text);
        self.witness.skip_lap();
        let judgement = self
            .judge
            .gate
            .judge_with(text, &parameters, &self.context.names);
        self.witness.lap(TraceWork::Judge);
        self.send(&frame, judgement, options)?;
        self.replay_behind(batch);
        Ok(())
    }

    fn replay_behind(&mut self, batch: FailedBatch) {
        if let FailedBatch::Whole(rest) | FailedBatch::Open(rest) = batch {
            self.repair.replay_first(rest);
        }
    }

    /// The client's own text after all, judged by what is known now.
    fn send_unrepaired(
        &mut self,
        frame: &Bytes,
        parameters: &ParameterTypes,
        arrived: StatementArrival,
        advice: RepairAdvice,
    ) -> Result<(), SessionEnd> {
        let Some((text, _)) = text_of(frame) else {
            return Ok(());
        };
        self.witness.skip_lap();
        let mut judgement =
            (self.judge.gate).judge_with(Cow::Borrowed(text), parameters, &self.context.names);
        if let Verdict::Refused(refusal) = judgement.verdict {
            judgement.verdict = Verdict::Refused(notices::advised(refusal, &advice));
        }
        self.witness.lap(TraceWork::Judge);
        self.send(frame, judgement, SendOptions::advised(arrived, advice))
    }

    fn send(
        &mut self,
        frame: &Bytes,
        judgement: Judgement<'_>,
        options: SendOptions,
    ) -> Result<(), SessionEnd> {
        let judged = JudgedText { judgement, options };
        self.resume_text(frame, TextStage::Preflighted(judged))
    }

    /// The error that was held back, with what was learned.
    fn send_held_error(
        &mut self,
        error: &[u8],
        batch: FailedBatch,
        advice: &RepairAdvice,
    ) -> Result<(), SessionEnd> {
        let Some(ExpectedReply::HeldForRepair(mut running)) = self.pending.pop() else {
            return Err(LOST_COUNT);
        };
        running.trace = self.witness.take_trace();
        let fields = error_fields(error)?;
        notices::advise(&mut self.client.reply, fields, advice);
        self.finished(&running);
        self.note_rest();
        match batch {
            FailedBatch::None | FailedBatch::Whole(_) => {
                encode::ready_for_query(&mut self.client.reply, TransactionStatus::Idle);
            }
            FailedBatch::Open(_) => self.client.state = ClientState::SkipToSyncAlone,
        }
        Ok(())
    }

    /// Takes the messages that came behind a Parse that is repaired now.
    pub(in crate::session) fn replay(&mut self) -> Result<(), SessionEnd> {
        while self.takes_frames()
            && let Some(frames) = self.repair.take_replayed()
        {
            let FrameCut::Whole(frame) = cut_frontend(&frames, ProtocolPhase::Session)? else {
                return Err(LOST_COUNT);
            };
            let behind = frames.slice(frame.bytes.len()..);
            self.repair.replay_first(behind);
            self.frame(&frame)?;
            self.turn.spend_message();
        }
        Ok(())
    }

    /// A changed text may run if it may run by what is known now.
    fn permit_now(
        &self,
        repaired: RepairedStatement,
        parameters: &ParameterTypes,
    ) -> Result<(ReadPermit<'static>, AnnouncedRepair), RepairAdvice> {
        let notice = PendingNotice::of(&repaired);
        let RepairedStatement {
            permit, recoverers, ..
        } = repaired;
        let announced = AnnouncedRepair { notice, recoverers };
        let basis = self.context.names.basis();
        let (text, holds) = (permit.original().to_owned(), permit.facts().holds_on(basis));
        if let (true, Ok(permit)) = (holds, permit.current(basis)) {
            return Ok((permit, announced));
        }
        let text = Cow::Owned(text);
        match self
            .judge
            .gate
            .judge_with(text, parameters, &self.context.names)
            .verdict
        {
            Verdict::Permitted(permit) => Ok((permit, announced)),
            Verdict::Clamped(_) | Verdict::Refused(_) => Err(RepairAdvice::default()),
        }
    }

    fn record_repair(&self, repair_job: &RepairJob, outcome: &RepairOutcome) {
        let path = match repair_job.frame.first() {
            Some(b'P') => ProtocolPath::Parse,
            _ => ProtocolPath::Query,
        };
        self.witness.telemetry.emit(&StatementRepaired {
            session: &self.witness.info,
            path,
            attempts: &outcome.attempts,
            latency: repair_job.since.elapsed(),
        });
    }
}

/// A repair without its permit.
struct AnnouncedRepair {
    notice: Box<PendingNotice>,
    recoverers: Vec<crate::policy::Recoverer>,
}

/// The Parse of a frame that was decoded before.
pub(super) fn parse_of(frame: &[u8]) -> Option<Parse<'_>> {
    let Ok(FrameCut::Whole(frame)) = cut_frontend(frame, ProtocolPhase::Session) else {
        return None;
    };
    match frontend::decode(&frame).ok()? {
        FrontendMessage::Parse(parse) => Some(parse),
        _ => None,
    }
}

fn judged(permit: ReadPermit<'_>) -> Judgement<'_> {
    Judgement {
        facts: std::sync::Arc::clone(permit.facts()),
        verdict: Verdict::Permitted(permit),
    }
}

fn parameters_of(frame: &[u8]) -> ParameterTypes {
    text_of(frame).map_or_else(ParameterTypes::none_given, |(_, parameters)| parameters)
}

/// Cannot happen: the statement that is repaired is all that is owed meanwhile, and its frames were
/// read before.
const LOST_COUNT: SessionEnd = SessionEnd::Ended(CloseReason::Internal);
