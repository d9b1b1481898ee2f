//! The client's half of a session: frames are cut, checked and judged, and only then go on.
//!
//! What is refused goes to `refuse`. What ends the session (Terminate, a frame that breaks the
//! protocol) waits for the answers to everything sent before it.

use std::sync::Arc;
use std::time::Duration;

use super::context::client_min_messages::NoticeLevelChange;
use super::pending::portal_names::{ClosedName, PortalBinding};
use super::pending::{ExpectedReply, InFlight};
use super::protocol::{ClientState, SessionEnd, SessionProtocol};
use super::repair::BlockingJob;
use super::repair::apply_repair::SendOptions;
use super::reply::CloseReason;
use super::scheduling::large_text::LargeText;
use super::server::error_rewrite::SubstitutedText;
use super::signal_calls::facts_of_portal;
use crate::gate::{Certainty, Cursor, Judgement, ParameterTypes, Refusal};
use crate::limits;
use crate::telemetry::labels::{ProtocolPath, StatementOutcome};
use crate::telemetry::traces::TraceWork;
use crate::wire::encode;
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{
    self, Bind, Execute, FrontendMessage, Parse, Query, StatementOrPortal,
};
use crate::wire::malformed::MalformedMessage;

/// What taking a client's bytes led to.
#[derive(Debug)]
pub struct ClientProgress {
    /// Bytes that were dealt with; the rest is given again with what follows.
    pub consumed: usize,
}

impl SessionProtocol {
    /// Takes what one read from the client brought, as far as frames are whole and may be taken
    /// now.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn client_bytes(&mut self, bytes: &[u8]) -> Result<ClientProgress, SessionEnd> {
        let taken = self.take_frame(bytes);
        self.inflow.mark_aged();
        self.release_names();
        taken
    }

    fn take_frame(&mut self, bytes: &[u8]) -> Result<ClientProgress, SessionEnd> {
        let mut consumed = 0;
        self.replay()?;
        while self.takes_frames() {
            let Some(rest) = bytes.get(consumed..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            let frame = match cut_frontend(rest, ProtocolPhase::Session) {
                Ok(FrameCut::Whole(frame)) => frame,
                Ok(FrameCut::Partial { .. }) => break,
                Err(cause) => {
                    self.close_after_answers(cause.into())?;
                    break;
                }
            };
            if self.holds_back(frame.kind) {
                break;
            }
            consumed += frame.bytes.len();
            if let Err(ending) = self.frame(&frame) {
                self.close_after_answers(ending)?;
            }
            self.turn.spend_message();
        }
        self.flush_long_pipeline();
        Ok(ClientProgress { consumed })
    }

    /// The session ends, but not before the client has what it is owed.
    ///
    /// # Errors
    /// The ending itself, when nothing is owed.
    pub(super) fn close_after_answers(&mut self, ending: SessionEnd) -> Result<(), SessionEnd> {
        if self.pending.is_empty() {
            return Err(ending);
        }
        if self.transaction.unsynced {
            self.outbox.flush_message();
        }
        self.intake = ClientState::Closing(ending);
        Ok(())
    }

    pub(super) fn frame(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        if frame.kind == b'X' {
            return Err(SessionEnd::Terminated);
        }
        self.take_over_policies()?;
        if matches!(
            self.intake,
            ClientState::SkipToSync | ClientState::SkipToSyncAlone
        ) {
            return self.skip(frame);
        }
        let message = match frontend::decode(frame) {
            Ok(message) => message,
            Err(MalformedMessage::NotUtf8) => return self.refuse_undecodable(frame.kind),
            Err(cause) => return Err(cause.into()),
        };
        match message {
            FrontendMessage::Query(query) => self.query(frame, &query),
            FrontendMessage::Parse(parse) => self.parse(frame, &parse),
            FrontendMessage::Bind(bind) => self.bind(frame, &bind),
            FrontendMessage::Describe(target) => self.describe(frame, &target),
            FrontendMessage::Execute(execute) => self.execute(frame, &execute),
            FrontendMessage::Close(target) => self.close(frame, &target),
            FrontendMessage::Flush => self.forward(frame),
            FrontendMessage::Sync => self.sync(frame),
            FrontendMessage::Terminate => Err(SessionEnd::Terminated),
            FrontendMessage::FunctionCall => self.refuse_query(
                Refusal::of_function_call(),
                None,
                ProtocolPath::FunctionCall,
            ),
            FrontendMessage::CopyData | FrontendMessage::CopyDone | FrontendMessage::CopyFail => {
                self.copy_leftover(frame.kind)
            }
        }
    }

    /// Between a refusal or error and the Sync that ends it, nothing else counts.
    fn skip(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        if frame.kind != b'S' {
            return Ok(());
        }
        frontend::decode(frame)?;
        if self.intake == ClientState::SkipToSyncAlone {
            self.intake = ClientState::Open;
            encode::ready_for_query(&mut self.reply, self.transaction.status);
            return Ok(());
        }
        self.intake = ClientState::Open;
        self.sync(frame)
    }

    fn query(&mut self, frame: &ClientFrame<'_>, query: &Query<'_>) -> Result<(), SessionEnd> {
        let arrived = self.inflow.arrival();
        self.trace_parsed();
        self.begin_trace(Some(query.text), &arrived);
        if query.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
            self.judge_later(LargeText::new(frame, arrived));
            return Ok(());
        }
        let (judgement, memory) = self.judge(query.text);
        self.lap(TraceWork::Judge);
        self.preflight_query(frame, query, judgement, arrived.with_cache_answer(memory))
    }

    fn parse(&mut self, frame: &ClientFrame<'_>, parse: &Parse<'_>) -> Result<(), SessionEnd> {
        let arrived = self.inflow.arrival();
        self.begin_trace(Some(parse.text), &arrived);
        if parse.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
            self.judge_later(LargeText::new(frame, arrived));
            return Ok(());
        }
        let (judgement, memory) = self.judge_parse(parse);
        self.lap(TraceWork::Judge);
        self.preflight_parse(frame, parse, judgement, arrived.with_cache_answer(memory))
    }

    fn judge_later(&mut self, large: LargeText) {
        self.intake = ClientState::Judging;
        self.blocking_job = Some(Box::new(BlockingJob::Judge(large)));
    }

    pub(super) fn query_judged(
        &mut self,
        frame: &ClientFrame<'_>,
        judgement: Judgement<'_>,
        options: SendOptions,
    ) -> Result<(), SessionEnd> {
        let arrived = options.arrived;
        self.skip_lap();
        let judgement = self.with_default_limit(judgement, &ParameterTypes::none_given());
        self.lap(TraceWork::Preprocess);
        let facts = Arc::clone(&judgement.facts);
        let resolved = self
            .permit_or_refuse(judgement, &ParameterTypes::none_given())
            .and_then(|resolved| {
                self.recheck_held_cursors(&facts)?;
                self.cancels_itself(resolved.0.facts())?;
                Ok(resolved)
            });
        let resolved = match resolved {
            Ok(resolved) => self
                .admit_query(&facts, options.quota_count())
                .map(|allowance| (resolved, allowance)),
            Err(refusal) => Err(refusal),
        };
        match resolved {
            Ok((permitted, allowance)) => self.plan_query(frame, permitted, (options, allowance)),
            Err(refusal) => {
                self.expect_copy_leftovers(&facts);
                self.refuse_query(refusal, Some((facts, arrived)), ProtocolPath::Query)
            }
        }
    }

    pub(super) fn parse_judged(
        &mut self,
        frame: &ClientFrame<'_>,
        parse: &Parse<'_>,
        judgement: Judgement<'_>,
        options: SendOptions,
    ) -> Result<(), SessionEnd> {
        let parameters = ParameterTypes::given(parse.parameter_types.iter());
        self.skip_lap();
        let judgement = self.with_default_limit(judgement, &parameters);
        self.lap(TraceWork::Preprocess);
        let facts = Arc::clone(&judgement.facts);
        let resolved = self
            .permit_or_refuse(judgement, &parameters)
            .and_then(|resolved| {
                if self.names.is_full() {
                    return Err(Refusal::of_too_many_names());
                }
                let types = parse.parameter_types.iter();
                self.gate.permits_parameters(types, &self.names)?;
                Ok(resolved)
            });
        match resolved {
            Ok((permit, lowered)) => {
                let mut running = self.permitted(&permit, ProtocolPath::Parse, options.arrived);
                self.note_lowered(&mut running, lowered);
                let text_retained = self.retain_parse(frame, parse, &running.facts, &options);
                options.mark(&mut running, text_retained);
                self.names.add_prepared(
                    parse.name,
                    Arc::clone(&running.facts),
                    permit.original().into(),
                );
                self.names.set_parameters(parse.name, parameters);
                self.outbox
                    .parse(parse.name, &permit, parse.parameter_types)
                    .map_err(|_| UNSENDABLE)?;
                self.ask_queryid(&permit, parse.parameter_types);
                self.transaction.open_batch();
                self.pending.push(ExpectedReply::Parse(Box::new(running)));
            }
            Err(refusal) => {
                self.expect_copy_leftovers(&facts);
                self.refuse_parse(parse.name, refusal, (facts, options.arrived))?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, frame: &ClientFrame<'_>, bind: &Bind<'_>) -> Result<(), SessionEnd> {
        self.begin_bind(bind.statement);
        if let Err(refusal) = self.recheck_statement(bind.statement) {
            return self.refuse_message(refusal, None, ProtocolPath::Bind);
        }
        let known = self.names.prepared(bind.statement);
        let Some(prepared) = known.or_else(|| self.pending.doubtful_statement(bind.statement))
        else {
            let refusal = Refusal::of_unknown_statement(bind.statement);
            return self.refuse_message(refusal, None, ProtocolPath::Bind);
        };
        if self.names.is_full() {
            return self.refuse_message(Refusal::of_too_many_names(), None, ProtocolPath::Bind);
        }
        let bound = self.question_of_bind(prepared).and_then(|ask| {
            let facts = facts_of_portal(prepared, bind)?;
            Ok((ask.map(|ask| (ask, prepared.clone())), facts))
        });
        let (ask, facts) = match bound {
            Ok(bound) => bound,
            Err(refusal) => {
                let judged = Some((Arc::clone(&prepared.facts), self.inflow.arrival()));
                return self.refuse_message(refusal, judged, ProtocolPath::Bind);
            }
        };
        let cursor = Cursor {
            facts,
            hold: false,
            text: Arc::clone(&prepared.text),
            parameters: prepared.parameters.clone(),
            next_run: Certainty::Certain,
            opened: None,
        };
        let another = SubstitutedText::of(&cursor.facts, &cursor.text);
        self.names.add_cursor(bind.portal, cursor);
        self.session_limits.forget_portal(bind.portal);
        self.forward(frame)?;
        self.pending.push(PortalBinding::owed(bind.portal, another));
        self.plan_bind(ask, bind)
    }

    fn describe(
        &mut self,
        frame: &ClientFrame<'_>,
        target: &StatementOrPortal<'_>,
    ) -> Result<(), SessionEnd> {
        if let StatementOrPortal::Statement(name) = target
            && self.names.prepared(name).is_none()
        {
            let refusal = Refusal::of_unknown_statement(name);
            return self.refuse_message(refusal, None, ProtocolPath::Bind);
        }
        self.forward(frame)?;
        self.pending.push(match target {
            StatementOrPortal::Statement(_) => ExpectedReply::DescribeStatement,
            StatementOrPortal::Portal(_) => ExpectedReply::DescribePortal,
        });
        Ok(())
    }

    fn execute(
        &mut self,
        frame: &ClientFrame<'_>,
        execute: &Execute<'_>,
    ) -> Result<(), SessionEnd> {
        let arrived = self.inflow.arrival();
        self.begin_execute(execute.portal, &arrived);
        if let Err(refusal) = self.recheck_portal(execute.portal) {
            return self.refuse_message(refusal, None, ProtocolPath::Execute);
        }
        let Some(cursor) = self.names.cursor(execute.portal) else {
            let refusal = Refusal::of_unknown_portal(execute.portal);
            return self.refuse_message(refusal, None, ProtocolPath::Execute);
        };
        let facts = Arc::clone(&cursor.facts);
        let client_min_messages = NoticeLevelChange::of(&cursor.text, &facts);
        let another = SubstitutedText::of(&facts, &cursor.text);
        if let Err(refusal) = self.recheck_held_cursors(&facts) {
            return self.refuse_message(refusal, None, ProtocolPath::Execute);
        }
        let alone = self.cancels_itself(&facts);
        let allowance = match alone.and_then(|()| self.admit_execute(&facts, execute)) {
            Ok(allowance) => allowance,
            Err(refusal) => {
                return self.refuse_message(refusal, Some((facts, arrived)), ProtocolPath::Execute);
            }
        };
        self.forward(frame)?;
        self.expect_names(&facts);
        self.expect_settings_change(&facts);
        self.expect_settings(&facts);
        let mut running = InFlight::new(facts, ProtocolPath::Execute, arrived, Duration::ZERO);
        running.allowance = allowance;
        running.client_min_messages = client_min_messages;
        running.role_answer = self.answer_to(&running.facts);
        running.plan = self.plan_took.take();
        if running.plan.is_some() {
            self.trace_asked();
        }
        running.trace = self.trace_sent();
        running.another = another;
        if running.facts.stands_in.get().is_some() {
            running.outcome = StatementOutcome::Repaired;
        }
        running.runs = self.names.run_cursor(execute.portal);
        self.pending.push(ExpectedReply::Execute(Box::new(running)));
        Ok(())
    }

    fn close(
        &mut self,
        frame: &ClientFrame<'_>,
        target: &StatementOrPortal<'_>,
    ) -> Result<(), SessionEnd> {
        self.forward(frame)?;
        self.pending.push(ExpectedReply::Close(match target {
            StatementOrPortal::Statement(name) => {
                let prepared = self.names.prepared(name).cloned();
                let older = self.names.remove_prepared(name);
                ClosedName::Statement {
                    name: (*name).to_owned(),
                    prepared,
                    older,
                }
            }
            StatementOrPortal::Portal(name) => {
                self.names.remove_cursor(name);
                self.session_limits.forget_portal(name);
                ClosedName::Portal {
                    name: (*name).to_owned(),
                }
            }
        }));
        Ok(())
    }

    fn sync(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        self.forward(frame)?;
        self.trace_parsed();
        self.transaction.unsynced = false;
        self.plan_took = None;
        self.names.sync_sent();
        self.session_limits.sync();
        self.pending.push(ExpectedReply::Sync);
        self.hold_for_check();
        Ok(())
    }

    fn forward(&mut self, frame: &ClientFrame<'_>) -> Result<(), SessionEnd> {
        self.transaction.open_batch();
        self.retained.follow(frame);
        self.outbox.forward(frame).map_err(|_| UNSENDABLE)
    }
}

/// Cannot happen: every frame is one that may be forwarded and no decoded text holds a NUL. If it
/// did, nothing was sent.
pub(super) const UNSENDABLE: SessionEnd = SessionEnd::Ended(CloseReason::Internal);
