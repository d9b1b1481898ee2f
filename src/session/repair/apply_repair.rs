//! What comes of a repair: a changed text is sent, the client's own, or its error is told.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;

use super::executor::{self, RepairBasis, RunningRepair};
use super::notices;
use super::notices::{OnError, PendingNotice};
use super::send_options::SendOptions;
use super::stage::RepairStage;
use super::{FailedBatch, RepairCause, RepairJob, RepairResult};
use crate::gate::{Judgement, ParameterTypes, ReadPermit, Verdict};
use crate::repair::{RepairAdvice, RepairConclusion, RepairOutcome, RepairedStatement};
use crate::session::arrival::StatementArrival;
use crate::session::client_side::ClientState;
use crate::session::failure_hint::{HintBasis, hint_reply};
use crate::session::pending::ExpectedReply;
use crate::session::pooling::server_place::before_waiting_text;
use crate::session::protocol::SessionProtocol;
use crate::session::scheduling::large_text::text_of;
use crate::session::session_end::{LOST_COUNT, SessionEnd};
use crate::session::statement::resume_text;
use crate::session::statement_stage::{JudgedText, TextStage};
use crate::session::tracing::SessionWitness;
use crate::sqlstate;
use crate::telemetry::events::{StatementRepaired, StatementRetried};
use crate::telemetry::labels::ProtocolPath;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::TraceWork;
use crate::wire::backend::{TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, FrontendMessage, Parse};

/// Has a statement repaired on another thread.
pub(in crate::session) fn start_repair(
    protocol: &mut SessionProtocol,
    repair_job: &RepairJob,
) -> RunningRepair {
    let work = match &repair_job.cause {
        RepairCause::Shaken { tries, .. } => executor::pause(*tries),
        RepairCause::Refused(_) | RepairCause::Doubted | RepairCause::Failed { .. } => {
            let gate = Arc::clone(&protocol.judge.gate);
            (protocol.context).refresh_names(&gate, &protocol.pending);
            let names = protocol.context.names.clone();
            protocol.context.release_names();
            let basis = RepairBasis {
                gate,
                names,
                compile_pool: protocol.repair.compile_pool.clone(),
                earlier_dialect: protocol.context.dialect_history.dialect(),
                user: protocol.witness.info.user().into(),
                is_traced: protocol.witness.is_traced(&mut protocol.pending),
            };
            protocol.repair.executor.run(repair_job, basis)
        }
    };
    executor::unless_cancelled(protocol.upstream.signals.clone(), work)
}

/// A repair has come back.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn repair_finished(
    protocol: &mut SessionProtocol,
    repair_job: Box<RepairJob>,
    result: RepairResult,
) -> Result<(), SessionEnd> {
    if let RepairResult::Ended(outcome, _) = &result {
        record_repair(&protocol.witness, &repair_job, outcome);
        protocol.context.dialect_history.learn(outcome.evidence);
    }
    protocol.repair.stage = RepairStage::None;
    if protocol.client.state == ClientState::JudgingInVain {
        protocol.client.state = ClientState::SkipToSync;
    }
    if protocol.client.state != ClientState::Judging {
        protocol.witness.drop_trace();
        return Ok(());
    }
    protocol.client.state = ClientState::Open;
    protocol.witness.retake_trace(&mut protocol.pending);
    if let RepairResult::Ended(outcome, marks) = &result {
        protocol.witness.trace_attempts(&outcome.attempts, marks);
    }
    before_waiting_text(protocol)?;
    let gate = &protocol.judge.gate;
    (protocol.context).refresh_names(gate, &protocol.pending);
    let discharged = match result {
        RepairResult::Ended(outcome, _) => apply_repair(protocol, *repair_job, outcome.ending),
        RepairResult::Unended => apply_repair(
            protocol,
            *repair_job,
            RepairConclusion::Failed(RepairAdvice::default()),
        ),
        RepairResult::Cancelled => apply_cancelled_repair(protocol, *repair_job),
        RepairResult::Paused => retry_statement(protocol, *repair_job),
    };
    let discharged = discharged.and_then(|()| protocol.replay());
    protocol.context.release_names();
    discharged
}

fn apply_repair(
    protocol: &mut SessionProtocol,
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
        RepairConclusion::Repaired(repaired) => permit_now(protocol, repaired, &parameters),
        RepairConclusion::NotNeeded => Err(RepairAdvice::default()),
        RepairConclusion::Failed(advice) => Err(advice),
    };
    match (cause, repaired) {
        (RepairCause::Refused(refusal), Ok((permit, repaired))) => {
            let on_error = OnError::replaced(notices::error_of(&refusal), &repaired.recoverers);
            let options = SendOptions::repaired(arrived, repaired.notice, on_error);
            send(protocol, &frame, judged(permit), options)
        }
        (RepairCause::Doubted, Ok((permit, repaired))) => {
            let on_error = OnError::repaired(&repaired.recoverers);
            let options = SendOptions::repaired(arrived, repaired.notice, on_error);
            send(protocol, &frame, judged(permit), options)
        }
        (
            RepairCause::Failed { error, batch } | RepairCause::Shaken { error, batch, .. },
            Ok((permit, repaired)),
        ) => {
            if !matches!(
                protocol.pending.pop(),
                Some(ExpectedReply::HeldForRepair(_))
            ) {
                return Err(LOST_COUNT);
            }
            let on_error = OnError::replaced(error, &repaired.recoverers);
            let options =
                SendOptions::repaired(arrived, repaired.notice, on_error).already_counted();
            send(protocol, &frame, judged(permit), options)?;
            protocol.repair.replay_behind(batch);
            Ok(())
        }
        (RepairCause::Refused(_) | RepairCause::Doubted, Err(advice)) => {
            send_unrepaired(protocol, &frame, &parameters, arrived, advice)
        }
        (
            RepairCause::Failed { error, batch } | RepairCause::Shaken { error, batch, .. },
            Err(advice),
        ) => {
            protocol.client.reply.extend_from_slice(&described);
            send_held_error(protocol, &error, batch, &advice)
        }
    }
}

/// What the client has cancelled ends. What was not sent yet, and is expected to fail, goes its
/// way: it ends by itprotocol.
fn apply_cancelled_repair(
    protocol: &mut SessionProtocol,
    mut repair_job: RepairJob,
) -> Result<(), SessionEnd> {
    if let RepairCause::Failed { error, .. } | RepairCause::Shaken { error, .. } =
        &mut repair_job.cause
    {
        *error = notices::cancelled();
        if let Some(ExpectedReply::HeldForRepair(running)) = protocol.pending.head() {
            running.sqlstate = Some(SqlstateCode::from(sqlstate::QUERY_CANCELED));
            running.sent_text = None;
        }
    }
    apply_repair(
        protocol,
        repair_job,
        RepairConclusion::Failed(RepairAdvice::default()),
    )
}

/// A statement that failed for a reason of the moment, once more.
fn retry_statement(
    protocol: &mut SessionProtocol,
    repair_job: RepairJob,
) -> Result<(), SessionEnd> {
    let RepairJob {
        frame,
        cause: RepairCause::Shaken { batch, tries, .. },
        arrived,
        ..
    } = repair_job
    else {
        return Err(LOST_COUNT);
    };
    let Some(ExpectedReply::HeldForRepair(_)) = protocol.pending.pop() else {
        return Err(LOST_COUNT);
    };
    protocol.witness.telemetry.emit(&StatementRetried);
    let options = SendOptions::again(arrived.judged_anew(), tries);
    let (text, parameters) = text_of(&frame).ok_or(LOST_COUNT)?;
    let text = Cow::Borrowed(text);
    protocol.witness.skip_lap();
    let judgement = protocol
        .judge
        .gate
        .judge_with(text, &parameters, &protocol.context.names);
    protocol.witness.lap(TraceWork::Judge);
    send(protocol, &frame, judgement, options)?;
    protocol.repair.replay_behind(batch);
    Ok(())
}

/// The client's own text after all, judged by what is known now.
fn send_unrepaired(
    protocol: &mut SessionProtocol,
    frame: &Bytes,
    parameters: &ParameterTypes,
    arrived: StatementArrival,
    advice: RepairAdvice,
) -> Result<(), SessionEnd> {
    let Some((text, _)) = text_of(frame) else {
        return Ok(());
    };
    protocol.witness.skip_lap();
    let mut judgement =
        (protocol.judge.gate).judge_with(Cow::Borrowed(text), parameters, &protocol.context.names);
    if let Verdict::Refused(refusal) = judgement.verdict {
        judgement.verdict = Verdict::Refused(notices::advised(refusal, &advice));
    }
    protocol.witness.lap(TraceWork::Judge);
    send(
        protocol,
        frame,
        judgement,
        SendOptions::advised(arrived, advice),
    )
}

/// The error that was held back, with what was learned.
fn send_held_error(
    protocol: &mut SessionProtocol,
    error: &[u8],
    batch: FailedBatch,
    advice: &RepairAdvice,
) -> Result<(), SessionEnd> {
    let Some(ExpectedReply::HeldForRepair(mut running)) = protocol.pending.pop() else {
        return Err(LOST_COUNT);
    };
    running.trace = protocol.witness.take_trace();
    let fields = error_fields(error)?;
    let from = protocol.client.reply.len();
    notices::advise(&mut protocol.client.reply, fields, advice);
    let basis = HintBasis::of(protocol, running.citable_text.take());
    hint_reply(protocol, &basis, from);
    protocol.finished(&running);
    protocol.note_rest();
    match batch {
        FailedBatch::None | FailedBatch::Whole(_) => {
            encode::ready_for_query(&mut protocol.client.reply, TransactionStatus::Idle);
        }
        FailedBatch::Open(_) => protocol.client.state = ClientState::SkipToSyncAlone,
    }
    Ok(())
}

fn send(
    protocol: &mut SessionProtocol,
    frame: &Bytes,
    judgement: Judgement<'_>,
    options: SendOptions,
) -> Result<(), SessionEnd> {
    let judged = JudgedText { judgement, options };
    resume_text(protocol, frame, TextStage::Preflighted(judged))
}

/// A changed text may run if it may run by what is known now.
fn permit_now(
    protocol: &SessionProtocol,
    repaired: RepairedStatement,
    parameters: &ParameterTypes,
) -> Result<(ReadPermit<'static>, AnnouncedRepair), RepairAdvice> {
    let notice = PendingNotice::of(&repaired);
    let RepairedStatement {
        permit, recoverers, ..
    } = repaired;
    let announced = AnnouncedRepair { notice, recoverers };
    let basis = protocol.context.names.basis();
    let (text, holds) = (permit.original().to_owned(), permit.facts().holds_on(basis));
    if let (true, Ok(permit)) = (holds, permit.current(basis)) {
        return Ok((permit, announced));
    }
    let text = Cow::Owned(text);
    match protocol
        .judge
        .gate
        .judge_with(text, parameters, &protocol.context.names)
        .verdict
    {
        Verdict::Permitted(permit) => Ok((permit, announced)),
        Verdict::Clamped(_) | Verdict::Refused(_) => Err(RepairAdvice::default()),
    }
}

fn record_repair(witness: &SessionWitness, repair_job: &RepairJob, outcome: &RepairOutcome) {
    let path = match repair_job.frame.first() {
        Some(b'P') => ProtocolPath::Parse,
        _ => ProtocolPath::Query,
    };
    witness.telemetry.emit(&StatementRepaired {
        session: &witness.info,
        path,
        attempts: &outcome.attempts,
        latency: repair_job.since.elapsed(),
    });
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
        facts: Arc::clone(permit.facts()),
        verdict: Verdict::Permitted(permit),
    }
}

fn parameters_of(frame: &[u8]) -> ParameterTypes {
    text_of(frame).map_or_else(ParameterTypes::none_given, |(_, parameters)| parameters)
}
