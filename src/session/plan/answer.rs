//! The answer to a question for a plan, frame by frame, and what becomes of what waited for it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;

use super::question::{ExplainQuestion, PlanSubject, QuestionEnd, WaitingQuery, head_of};
use crate::gate::{Facts, ParameterTypes, Refusal};
use crate::session::arrival::StatementArrival;
use crate::session::pending::{ExpectedReply, SkipExtent};
use crate::session::protocol::{ClientState, SessionEnd, SessionProtocol};
use crate::session::repair::notices;
use crate::session::server::{Forwarding, UNREADABLE};
use crate::session::statement::{AdmittedQuery, JudgedText, PermittedText, QueryStage, TextStage};
use crate::telemetry::events::PlanAsked;
use crate::telemetry::labels::{ProtocolPath, Tripwire};
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::tripwire;
use crate::wire::backend::{self, ResponseFields, TransactionStatus, error_fields};
use crate::wire::encode;
use crate::wire::frame::UpstreamHeader;

impl SessionProtocol {
    /// Takes the row with a plan, of which the end may not have come yet and is not needed.
    pub(in crate::session) fn absorbs_plan(
        &mut self,
        rest: &[u8],
        header: &UpstreamHeader,
    ) -> PlanRow {
        if header.kind != b'D' {
            return PlanRow::NoPlan;
        }
        let Some(ExpectedReply::Plan(asking)) = self.pending.head() else {
            return PlanRow::NoPlan;
        };
        let Some(head) = head_of(rest, header) else {
            return PlanRow::Later;
        };
        asking.row(head);
        self.upstream.dropping = header.total;
        PlanRow::Now
    }

    /// A frame of the answer to pgsieve's own question.
    pub(in crate::session) fn plan_answered(
        &mut self,
        kind: u8,
        body: &[u8],
    ) -> Result<Forwarding, SessionEnd> {
        let Some(ExpectedReply::Plan(asking)) = self.pending.head() else {
            return Err(UNREADABLE);
        };
        match kind {
            b'1' => asking.parsed(),
            b'2' => {}
            b'3' => {
                if asking.closed() && asking.end == QuestionEnd::Flush {
                    if asking.is_of_bind() {
                        self.question_answered()?;
                    } else {
                        // A Query ends what was open. Servers from 18 on would take it into the
                        // implicit transaction of the question, and leave that unfinished.
                        asking.end = QuestionEnd::Sync;
                        self.upstream.outbox.sync_message();
                        self.upstream.transaction.unsynced = false;
                        self.context.names.sync_sent();
                        self.limits.sync();
                    }
                }
            }
            b'C' => {
                let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
                if !tripwire::is_tag_of_read(tag) {
                    return Err(SessionEnd::Tripped(Tripwire::WriteTag));
                }
                asking.completed();
                if let Some(measure) = asking.next_cursor() {
                    self.limits.cursor_measured(&measure, tag != NO_ROW);
                }
            }
            b'N' => {
                let fields = error_fields(body).map_err(|_| UNREADABLE)?;
                asking.on_notice(fields, self.judge.gate.policy());
            }
            b'A' => return Ok(Forwarding::Forward),
            b'S' => return self.setting_reported(body),
            b'E' => return self.plan_failed(body),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.upstream.transaction.status = status;
                self.settings_at_ready(status);
                self.question_answered()?;
            }
            b'G' | b'W' => return Err(SessionEnd::Tripped(Tripwire::CopyInAsked)),
            _ => return Err(UNREADABLE),
        }
        Ok(Forwarding::Drop)
    }

    fn plan_failed(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let fields = error_fields(body).map_err(|_| UNREADABLE)?;
        let code = SqlstateCode::from_bytes(fields.bytes(b'C').unwrap_or_default());
        if fields.severity() != Some("ERROR") {
            self.upstream.ended_by_itself = Some(code);
            return Ok(Forwarding::Forward);
        }
        let is_idle = self.upstream.transaction.status == TransactionStatus::Idle;
        let said = fields.sqlstate().unwrap_or_default();
        if let Some(ExpectedReply::Plan(asking)) = self.pending.head()
            && asking.end == QuestionEnd::Sync
            && !asking.is_of_bind()
            && asking.is_parsing()
            && is_idle
            && !notices::is_of_the_moment(said)
        {
            asking.fail_early();
            return Ok(Forwarding::Drop);
        }
        let Some(ExpectedReply::Plan(asking)) = self.pending.pop() else {
            return Err(UNREADABLE);
        };
        self.suspect_catalog(code);
        self.doubt_settings();
        self.limits.doubt_cursors();
        self.report_plan_failure(*asking, fields, code)?;
        Ok(Forwarding::Drop)
    }

    /// The statement has failed: its plan could not be made.
    fn report_plan_failure(
        &mut self,
        mut asking: ExplainQuestion,
        fields: ResponseFields<'_>,
        code: SqlstateCode,
    ) -> Result<(), SessionEnd> {
        let took = self.record_plan_time(&asking);
        self.client.reply.extend_from_slice(&asking.take_notices());
        while let Some(measure) = asking.next_cursor() {
            self.limits.lose_cursor(&measure);
        }
        let mut moved = BytesMut::new();
        encode::error_moved(&mut moved, fields, asking.shift());
        let told = asking.rewritten_error(&moved, self.judge.gate.policy());
        let fields = error_fields(&told).map_err(|_| UNREADABLE)?;
        match asking.subject {
            PlanSubject::Query(waiting) => {
                let mut running = waiting.into_running(took);
                running.trace = self.witness.take_trace();
                let heard = (&mut self.client.reply, &self.context.client_min_messages);
                if matches!(running.failed(heard, fields, code), Forwarding::Forward) {
                    encode::error_body(&mut self.client.reply, b'E', &told);
                }
                self.finished(&running);
                if asking.end == QuestionEnd::Flush {
                    self.upstream.outbox.sync_message();
                    self.upstream.transaction.unsynced = false;
                    self.context.names.sync_sent();
                }
                // What is left of the answer is what is left of a Sync's.
                self.pending.push(ExpectedReply::Sync);
                self.client.state = ClientState::Open;
            }
            PlanSubject::Bind(..) => {
                encode::error_body(&mut self.client.reply, b'E', &told);
                if asking.end == QuestionEnd::Sync {
                    return Err(UNREADABLE);
                }
                if self.skip_pipeline(true) == SkipExtent::SyncNotSentYet {
                    self.skip_to_sync_now();
                }
            }
        }
        Ok(())
    }

    /// All has been answered: what waited goes on, or is refused.
    fn question_answered(&mut self) -> Result<(), SessionEnd> {
        let Some(ExpectedReply::Plan(asking)) = self.pending.pop() else {
            return Err(UNREADABLE);
        };
        let took = self.record_plan_time(&asking);
        if self.client.state != ClientState::Planning {
            self.witness.drop_trace();
            return Ok(());
        }
        self.client.state = ClientState::Open;
        if !asking.is_of_cursors() {
            self.plan.took = Some(took);
        }
        self.refresh_names();
        let done = self.resume_asking(*asking);
        self.release_names();
        done
    }

    fn resume_asking(&mut self, asking: ExplainQuestion) -> Result<(), SessionEnd> {
        if asking.is_of_cursors() {
            return match asking.subject {
                PlanSubject::Query(waiting) => self.resume_waiting(*waiting, QueryStage::Measured),
                PlanSubject::Bind(..) => Ok(()),
            };
        }
        let weighed = match asking.has_failed() {
            true if asking.is_blank() => Ok(()),
            // Statements of the same message run before the one that will fail.
            true => self.exceeded_bound(asking.plan_before(), asking.fingerprint()),
            false => {
                self.cache_plan(&asking);
                self.exceeded_bound(asking.plan(), asking.fingerprint())
            }
        };
        match (asking.subject, weighed) {
            (PlanSubject::Query(waiting), Ok(())) => {
                self.resume_waiting(*waiting, QueryStage::Planned)
            }
            (PlanSubject::Query(waiting), Err(refusal)) => {
                self.refuse_waiting(waiting.permit.facts(), waiting.options.arrived, refusal)
            }
            (PlanSubject::Bind(..), Ok(())) => Ok(()),
            (PlanSubject::Bind(facts, _), Err(refusal)) => {
                let judged = Some((facts, StatementArrival::at(asking.since)));
                self.refuse_message(refusal, judged, ProtocolPath::Bind)
            }
        }
    }

    /// A Query goes on as it was judged, at this stage; where that would be judged otherwise now,
    /// it is judged, and asked about, anew.
    fn resume_waiting(
        &mut self,
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
        let outdated = match permit.current(self.context.names.basis()) {
            Err(outdated) => outdated,
            Ok(permit) => {
                let text = PermittedText {
                    permit,
                    lowered,
                    judged,
                    options,
                };
                return self.resume_query(&frame, stage(AdmittedQuery { text, allowance }));
            }
        };
        // What is judged anew has the call no more.
        if options.is_asked_too_often() || outdated.facts().signal.get().is_some() {
            let refusal = Refusal::of_change_without_end();
            return self.refuse_waiting(outdated.facts(), options.arrived, refusal);
        }
        let original = Cow::Borrowed(outdated.original());
        let judgement = self.judge.gate.judge_with(
            original,
            &ParameterTypes::none_given(),
            &self.context.names,
        );
        let options = options.already_counted();
        let judged = JudgedText { judgement, options };
        self.resume_text(&frame, TextStage::Preflighted(judged))
    }

    /// A Query that the gate permits is refused for what its plan says.
    fn refuse_waiting(
        &mut self,
        facts: &Arc<Facts>,
        arrived: StatementArrival,
        refusal: Box<Refusal>,
    ) -> Result<(), SessionEnd> {
        let judged = Some((Arc::clone(facts), arrived));
        self.expect_copy_leftovers(judged.as_ref());
        self.refuse_query(refusal, judged, ProtocolPath::Query)
    }

    fn cache_plan(&self, asking: &ExplainQuestion) {
        if let (Some(key), Some(plan)) = (asking.key, asking.plan()) {
            let mut plans = self
                .plan
                .cache
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            plans.insert(key, plan);
        }
    }

    /// How long a plan took is put on record.
    fn record_plan_time(&mut self, asking: &ExplainQuestion) -> Duration {
        let latency = asking.since.elapsed();
        if !asking.is_of_cursors() {
            self.witness.telemetry.emit(&PlanAsked { latency });
            self.witness.note_asked(asking.since, asking.is_of_bind());
        }
        latency
    }
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
