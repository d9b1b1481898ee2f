//! The answer to a question for a plan, frame by frame, and what becomes of what waited for it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;

use super::exceeded_bound;
use super::question::{ExplainQuestion, PlanSubject, QuestionEnd, WaitingQuery, head_of};
use crate::gate::{Facts, ParameterTypes, Refusal};
use crate::session::arrival::StatementArrival;
use crate::session::client_side::ClientState;
use crate::session::pending::{ExpectedReply, PendingReplies, SkipExtent};
use crate::session::protocol::SessionProtocol;
use crate::session::refuse::{refuse_message, refuse_query};
use crate::session::repair::notices;
use crate::session::server::forwarding::Forwarding;
use crate::session::session_end::{SessionEnd, UNREADABLE};
use crate::session::statement::{resume_query, resume_text};
use crate::session::statement_stage::{
    AdmittedQuery, JudgedText, PermittedText, QueryStage, TextStage,
};
use crate::session::tracing::SessionWitness;
use crate::session::upstream_side::UpstreamSide;
use crate::telemetry::events::PlanAsked;
use crate::telemetry::labels::{ProtocolPath, Tripwire};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::tripwire;
use crate::wire::backend::{self, ResponseFields, TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::UpstreamHeader;

/// Takes the row with a plan, of which the end may not have come yet and is not needed.
pub(in crate::session) fn absorbs_plan(
    pending: &mut PendingReplies,
    upstream: &mut UpstreamSide,
    rest: &[u8],
    header: &UpstreamHeader,
) -> PlanRow {
    if header.kind != b'D' {
        return PlanRow::NoPlan;
    }
    let Some(ExpectedReply::Plan(asking)) = pending.head() else {
        return PlanRow::NoPlan;
    };
    let Some(head) = head_of(rest, header) else {
        return PlanRow::Later;
    };
    asking.row(head);
    upstream.dropping = header.total;
    PlanRow::Now
}

/// A frame of the answer to pgsieve's own question.
pub(in crate::session) fn plan_answered(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    let Some(ExpectedReply::Plan(asking)) = protocol.pending.head() else {
        return Err(UNREADABLE);
    };
    match kind {
        b'1' => asking.parsed(),
        b'2' => {}
        b'3' => {
            if asking.closed() && asking.end == QuestionEnd::Flush {
                if asking.is_of_bind() {
                    question_answered(protocol)?;
                } else {
                    // A Query ends what was open. Servers from 18 on would take it into the
                    // implicit transaction of the question, and leave that unfinished.
                    asking.end = QuestionEnd::Sync;
                    protocol.upstream.outbox.sync_message();
                    protocol.pending.transaction.unsynced = false;
                    protocol.context.names.sync_sent();
                    protocol.limits.sync();
                }
            }
        }
        b'C' => {
            let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
            if !tripwire::is_tag_of_read(tag, protocol.context.names.engine()) {
                return Err(SessionEnd::Tripped(Tripwire::WriteTag));
            }
            asking.completed();
            if let Some(measure) = asking.next_cursor() {
                protocol.limits.cursor_measured(&measure, tag != NO_ROW);
            }
        }
        b'N' => {
            let fields = error_fields(body).map_err(|_| UNREADABLE)?;
            asking.on_notice(fields, protocol.judge.gate.policy());
        }
        b'A' => return Ok(Forwarding::Forward),
        b'S' => return protocol.setting_reported(body),
        b'E' => return plan_failed(protocol, body),
        b'Z' => {
            let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
            protocol.pending.transaction.status = status;
            protocol.context.settings_at_ready(&protocol.pending);
            question_answered(protocol)?;
        }
        b'G' | b'W' => return Err(SessionEnd::Tripped(Tripwire::CopyInAsked)),
        _ => return Err(UNREADABLE),
    }
    Ok(Forwarding::Drop)
}

fn plan_failed(protocol: &mut SessionProtocol, body: &[u8]) -> Result<Forwarding, SessionEnd> {
    let fields = error_fields(body).map_err(|_| UNREADABLE)?;
    let code = SqlstateCode::from_bytes(fields.bytes(b'C').unwrap_or_default());
    if fields.severity() != Some("ERROR") {
        protocol.upstream.ended_by_itself = Some(code);
        return Ok(Forwarding::Forward);
    }
    let is_idle = protocol.pending.transaction.status == TransactionStatus::Idle;
    let said = fields.sqlstate().unwrap_or_default();
    if let Some(ExpectedReply::Plan(asking)) = protocol.pending.head()
        && asking.end == QuestionEnd::Sync
        && !asking.is_of_bind()
        && asking.is_parsing()
        && is_idle
        && !notices::is_of_the_moment(said)
    {
        asking.fail_early();
        return Ok(Forwarding::Drop);
    }
    let Some(ExpectedReply::Plan(asking)) = protocol.pending.pop() else {
        return Err(UNREADABLE);
    };
    protocol.context.suspect_catalog(code);
    protocol.context.doubt_settings();
    protocol.limits.doubt_cursors();
    report_plan_failure(protocol, *asking, fields, code)?;
    Ok(Forwarding::Drop)
}

/// The statement has failed: its plan could not be made.
fn report_plan_failure(
    protocol: &mut SessionProtocol,
    mut asking: ExplainQuestion,
    fields: ResponseFields<'_>,
    code: SqlstateCode,
) -> Result<(), SessionEnd> {
    let took = record_plan_time(&mut protocol.witness, &asking);
    protocol
        .client
        .reply
        .extend_from_slice(&asking.take_notices());
    while let Some(measure) = asking.next_cursor() {
        protocol.limits.lose_cursor(&measure);
    }
    let mut moved = BytesMut::new();
    encode::error_moved(&mut moved, fields, asking.shift());
    let told = asking.rewritten_error(&moved, protocol.judge.gate.policy());
    let fields = error_fields(&told).map_err(|_| UNREADABLE)?;
    match asking.subject {
        PlanSubject::Query(waiting) => {
            let mut running = waiting.into_running(took);
            running.trace = protocol.witness.take_trace();
            let heard = (
                &mut protocol.client.reply,
                &protocol.context.client_settings,
            );
            if matches!(running.failed(heard, fields, code), Forwarding::Forward) {
                encode::error_body(&mut protocol.client.reply, b'E', &told);
            }
            protocol.finished(&running);
            if asking.end == QuestionEnd::Flush {
                protocol.upstream.outbox.sync_message();
                protocol.pending.transaction.unsynced = false;
                protocol.context.names.sync_sent();
            }
            // What is left of the answer is what is left of a Sync's.
            protocol.pending.push(ExpectedReply::Sync);
            protocol.client.state = ClientState::Open;
        }
        PlanSubject::Bind(..) => {
            encode::error_body(&mut protocol.client.reply, b'E', &told);
            if asking.end == QuestionEnd::Sync {
                return Err(UNREADABLE);
            }
            if protocol.skip_pipeline(true) == SkipExtent::SyncNotSentYet {
                protocol.client.skip_to_sync();
            }
        }
    }
    Ok(())
}

/// All has been answered: what waited goes on, or is refused.
fn question_answered(protocol: &mut SessionProtocol) -> Result<(), SessionEnd> {
    let Some(ExpectedReply::Plan(asking)) = protocol.pending.pop() else {
        return Err(UNREADABLE);
    };
    let took = record_plan_time(&mut protocol.witness, &asking);
    if protocol.client.state != ClientState::Planning {
        protocol.witness.drop_trace();
        return Ok(());
    }
    protocol.client.state = ClientState::Open;
    if !asking.is_of_cursors() {
        protocol.plan.took = Some(took);
    }
    let gate = &protocol.judge.gate;
    (protocol.context).refresh_names(gate, &protocol.pending);
    let done = resume_asking(protocol, *asking);
    protocol.context.release_names();
    done
}

fn resume_asking(
    protocol: &mut SessionProtocol,
    asking: ExplainQuestion,
) -> Result<(), SessionEnd> {
    if asking.is_of_cursors() {
        return match asking.subject {
            PlanSubject::Query(waiting) => resume_waiting(protocol, *waiting, QueryStage::Measured),
            PlanSubject::Bind(..) => Ok(()),
        };
    }
    let (policy, witness) = (protocol.judge.gate.policy(), &protocol.witness);
    let weighed = match asking.has_failed() {
        true if asking.is_blank() => Ok(()),
        // Statements of the same message run before the one that will fail.
        true => exceeded_bound(policy, witness, asking.plan_before(), asking.facts()),
        false => {
            protocol.plan.remember(asking.key, asking.plan());
            exceeded_bound(policy, witness, asking.plan(), asking.facts())
        }
    };
    match (asking.subject, weighed) {
        (PlanSubject::Query(waiting), Ok(())) => {
            resume_waiting(protocol, *waiting, QueryStage::Planned)
        }
        (PlanSubject::Query(waiting), Err(refusal)) => refuse_waiting(
            protocol,
            waiting.permit.facts(),
            waiting.options.arrived,
            refusal,
        ),
        (PlanSubject::Bind(..), Ok(())) => Ok(()),
        (PlanSubject::Bind(facts, _), Err(refusal)) => {
            let judged = Some((facts, StatementArrival::at(asking.since)));
            refuse_message(protocol, refusal, judged, ProtocolPath::Bind)
        }
    }
}

/// A Query goes on as it was judged, at this stage; where that would be judged otherwise now,
/// it is judged, and asked about, anew.
fn resume_waiting(
    protocol: &mut SessionProtocol,
    waiting: WaitingQuery,
    stage: fn(AdmittedQuery<'static>) -> QueryStage<'static>,
) -> Result<(), SessionEnd> {
    let WaitingQuery {
        frame,
        permit,
        lowered,
        judged,
        mut options,
        allowance,
        ..
    } = waiting;
    let outdated = match permit.current(protocol.context.names.basis()) {
        Err(outdated) => outdated,
        Ok(permit) => {
            let text = PermittedText {
                permit,
                lowered,
                judged,
                options,
            };
            return resume_query(protocol, &frame, stage(AdmittedQuery { text, allowance }));
        }
    };
    // What is judged anew has the call no more.
    if options.is_asked_too_often() || outdated.facts().signal.get().is_some() {
        let refusal = Refusal::of_change_without_end();
        return refuse_waiting(protocol, outdated.facts(), options.arrived, refusal);
    }
    let original = Cow::Borrowed(outdated.original());
    let judgement = protocol.judge.gate.judge_with(
        original,
        &ParameterTypes::none_given(),
        &protocol.context.names,
    );
    let options = options.already_counted();
    let judged = JudgedText { judgement, options };
    resume_text(protocol, &frame, TextStage::Preflighted(judged))
}

/// A Query that the gate permits is refused for what its plan says.
fn refuse_waiting(
    protocol: &mut SessionProtocol,
    facts: &Arc<Facts>,
    arrived: StatementArrival,
    refusal: Box<Refusal>,
) -> Result<(), SessionEnd> {
    let judged = Some((Arc::clone(facts), arrived));
    protocol.client.expect_copy_leftovers(judged.as_ref());
    refuse_query(protocol, refusal, judged, (ProtocolPath::Query, None))
}

/// How long a plan took is put on record.
fn record_plan_time(witness: &mut SessionWitness, asking: &ExplainQuestion) -> Duration {
    let latency = asking.since.elapsed();
    if !asking.is_of_cursors() {
        witness.telemetry.emit(&PlanAsked { latency });
        witness.note_asked(asking.since, asking.is_of_bind());
    }
    latency
}

/// Whether a row was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum PlanRow {
    /// It is something else.
    NoPlan,
    /// It was; what is left of it is dropped.
    Now,
    /// Too little of it has come.
    Later,
}

/// The tag of a MOVE that has found no row.
const NO_ROW: &str = "MOVE 0";
