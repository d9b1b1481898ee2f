//! The client's half of a session: frames are cut, checked and judged, and only then go on.
//!
//! What is refused goes to `refuse`. What ends the session (Terminate, a frame that breaks the
//! protocol) waits for the answers to everything sent before it.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::context::client_min_messages::Change;
use super::lowered_settings::Lowered;
use super::pending::portal_names::{Binding, Closing};
use super::pending::{Owed, Running};
use super::protocol::{Conversation, Ending, Intake};
use super::repair::Errand;
use super::repair::apply_repair::Manner;
use super::reply::Farewell;
use super::scheduling::large_text::Large;
use super::server::error_rewrite::Substituted;
use super::signal_calls::{facts_of_portal, with_call};
use crate::gate::cache::Memory;
use crate::gate::{Cursor, Judgement, Parameters, ReadPermit, Refusal, Surety, Verdict};
use crate::limits;
use crate::telemetry::labels::{Outcome, Path};
use crate::telemetry::traces::Work;
use crate::wire::encode;
use crate::wire::frame::{Cut, Frame, Phase, cut_frontend};
use crate::wire::frontend::{self, Bind, Execute, Frontend, Parse, Query, Target};
use crate::wire::malformed::Malformed;

/// What taking a client's bytes led to.
#[derive(Debug)]
pub struct Taken {
    /// Bytes that were dealt with; the rest is given again with what follows.
    pub consumed: usize,
}

impl Conversation {
    /// Takes what one read from the client brought, as far as frames are whole and may be taken
    /// now.
    ///
    /// # Errors
    /// The reason to end the session.
    pub fn client_bytes(&mut self, bytes: &[u8]) -> Result<Taken, Ending> {
        let taken = self.take(bytes);
        self.inflow.grow_old();
        self.look_away();
        taken
    }

    fn take(&mut self, bytes: &[u8]) -> Result<Taken, Ending> {
        let mut consumed = 0;
        self.replay()?;
        while self.takes_frames() {
            let Some(rest) = bytes.get(consumed..).filter(|rest| !rest.is_empty()) else {
                break;
            };
            let frame = match cut_frontend(rest, Phase::Session) {
                Ok(Cut::Whole(frame)) => frame,
                Ok(Cut::Partial { .. }) => break,
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
        self.press_long_pipeline();
        Ok(Taken { consumed })
    }

    /// The session ends, but not before the client has what it is owed.
    ///
    /// # Errors
    /// The ending itself, when nothing is owed.
    pub(super) fn close_after_answers(&mut self, ending: Ending) -> Result<(), Ending> {
        if self.journal.is_empty() {
            return Err(ending);
        }
        if self.standing.unsynced {
            self.outbox.flush_message();
        }
        self.intake = Intake::Closing(ending);
        Ok(())
    }

    pub(super) fn frame(&mut self, frame: &Frame<'_>) -> Result<(), Ending> {
        if frame.kind == b'X' {
            return Err(Ending::Terminated);
        }
        self.take_over_policies()?;
        if matches!(self.intake, Intake::SkipToSync | Intake::SkipToSyncAlone) {
            return self.skip(frame);
        }
        let message = match frontend::decode(frame) {
            Ok(message) => message,
            Err(Malformed::NotUtf8) => return self.refuse_undecodable(frame.kind),
            Err(cause) => return Err(cause.into()),
        };
        match message {
            Frontend::Query(query) => self.query(frame, &query),
            Frontend::Parse(parse) => self.parse(frame, &parse),
            Frontend::Bind(bind) => self.bind(frame, &bind),
            Frontend::Describe(target) => self.describe(frame, &target),
            Frontend::Execute(execute) => self.execute(frame, &execute),
            Frontend::Close(target) => self.close(frame, &target),
            Frontend::Flush => self.forward(frame),
            Frontend::Sync => self.sync(frame),
            Frontend::Terminate => Err(Ending::Terminated),
            Frontend::FunctionCall => {
                self.refuse_query(Refusal::of_function_call(), None, Path::FunctionCall)
            }
            Frontend::CopyData | Frontend::CopyDone | Frontend::CopyFail => {
                self.copy_leftover(frame.kind)
            }
        }
    }

    /// Between a refusal or error and the Sync that ends it, nothing else counts.
    fn skip(&mut self, frame: &Frame<'_>) -> Result<(), Ending> {
        if frame.kind != b'S' {
            return Ok(());
        }
        frontend::decode(frame)?;
        if self.intake == Intake::SkipToSyncAlone {
            self.intake = Intake::Open;
            encode::ready_for_query(&mut self.reply, self.standing.status);
            return Ok(());
        }
        self.intake = Intake::Open;
        self.sync(frame)
    }

    fn query(&mut self, frame: &Frame<'_>, query: &Query<'_>) -> Result<(), Ending> {
        let arrived = self.inflow.take();
        self.trace_parsed();
        self.begin_trace(Some(query.text), &arrived);
        if query.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
            self.put_off(Large::new(frame, arrived));
            return Ok(());
        }
        let (judgement, memory) = self.judge(query.text);
        self.lap(Work::Judge);
        self.take_query(frame, query, judgement, arrived.asked(memory))
    }

    fn parse(&mut self, frame: &Frame<'_>, parse: &Parse<'_>) -> Result<(), Ending> {
        let arrived = self.inflow.take();
        self.begin_trace(Some(parse.text), &arrived);
        if parse.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
            self.put_off(Large::new(frame, arrived));
            return Ok(());
        }
        let (judgement, memory) = self.judge_parse(parse);
        self.lap(Work::Judge);
        self.take_parse(frame, parse, judgement, arrived.asked(memory))
    }

    fn put_off(&mut self, large: Large) {
        self.intake = Intake::Judging;
        self.errand = Some(Box::new(Errand::Judge(large)));
    }

    fn judge<'t>(&mut self, text: &'t str) -> (Judgement<'t>, Memory) {
        self.look_around();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, parameters) = (Cow::Borrowed(text), Parameters::open());
        cache.judge_with(&self.gate, text, &parameters, &self.names)
    }

    fn judge_parse<'t>(&mut self, parse: &Parse<'t>) -> (Judgement<'t>, Memory) {
        self.look_around();
        let parameters = Parameters::given(parse.parameter_types.iter());
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let text = Cow::Borrowed(parse.text);
        cache.judge_with(&self.gate, text, &parameters, &self.names)
    }

    pub(super) fn settle_query(
        &mut self,
        frame: &Frame<'_>,
        judgement: Judgement<'_>,
        manner: Manner,
    ) -> Result<(), Ending> {
        let arrived = manner.arrived;
        self.skip_lap();
        let judgement = self.bound(judgement, &Parameters::open());
        self.lap(Work::Preprocess);
        let facts = Arc::clone(&judgement.facts);
        let resolved = self
            .resolve(judgement, &Parameters::open())
            .and_then(|resolved| {
                self.still_keeps(&facts)?;
                self.cancels_itself(resolved.0.facts())?;
                Ok(resolved)
            });
        let resolved = match resolved {
            Ok(resolved) => self
                .admit_query(&facts, manner.fee())
                .map(|allowance| (resolved, allowance)),
            Err(refusal) => Err(refusal),
        };
        match resolved {
            Ok((permitted, allowance)) => self.plan_query(frame, permitted, (manner, allowance)),
            Err(refusal) => {
                self.expect_copy_leftovers(&facts);
                self.refuse_query(refusal, Some((facts, arrived)), Path::Query)
            }
        }
    }

    pub(super) fn settle_parse(
        &mut self,
        frame: &Frame<'_>,
        parse: &Parse<'_>,
        judgement: Judgement<'_>,
        manner: Manner,
    ) -> Result<(), Ending> {
        let parameters = Parameters::given(parse.parameter_types.iter());
        self.skip_lap();
        let judgement = self.bound(judgement, &parameters);
        self.lap(Work::Preprocess);
        let facts = Arc::clone(&judgement.facts);
        let resolved = self.resolve(judgement, &parameters).and_then(|resolved| {
            if self.names.is_full() {
                return Err(Refusal::of_too_many_names());
            }
            let types = parse.parameter_types.iter();
            self.gate.permits_parameters(types, &self.names)?;
            Ok(resolved)
        });
        match resolved {
            Ok((permit, lowered)) => {
                let mut running = self.permitted(&permit, Path::Parse, manner.arrived);
                self.note_clamp(&mut running, lowered);
                let stake = self.stake_parse(frame, parse, &running.facts, &manner);
                manner.mark(&mut running, stake);
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
                self.standing.open_batch();
                self.journal.push(Owed::Parse(Box::new(running)));
            }
            Err(refusal) => {
                self.expect_copy_leftovers(&facts);
                self.refuse_parse(parse.name, refusal, (facts, manner.arrived))?;
            }
        }
        Ok(())
    }

    /// A verdict becomes a permit or a refusal; a text that pgsieve edited is judged again.
    fn resolve<'t>(
        &self,
        judgement: Judgement<'t>,
        parameters: &Parameters,
    ) -> Result<(ReadPermit<'t>, Option<Lowered>), Box<Refusal>> {
        let mut verdict = judgement.verdict;
        let mut lowered: Option<Lowered> = None;
        for _ in 0..limits::CLAMP_ROUNDS_MAX {
            match verdict {
                Verdict::Permitted(permit) => {
                    if let Some(lowered) = &lowered {
                        lowered.mark(permit.facts());
                    }
                    return Ok(with_call(permit, lowered));
                }
                Verdict::Refused(refusal) => return Err(refusal),
                Verdict::Clamped(clamp) => {
                    let (so_far, text) = lowered.unwrap_or_default().and(clamp);
                    lowered = Some(so_far);
                    let text = Cow::Owned(text);
                    let judgement = self.gate.judge_with(text, parameters, &self.names);
                    verdict = judgement.verdict;
                }
            }
        }
        Err(Refusal::of_clamp_without_end())
    }

    fn bind(&mut self, frame: &Frame<'_>, bind: &Bind<'_>) -> Result<(), Ending> {
        self.begin_bind(bind.statement);
        if let Err(refusal) = self.still_permits(bind.statement) {
            return self.refuse_message(refusal, None, Path::Bind);
        }
        let known = self.names.prepared(bind.statement);
        let Some(prepared) = known.or_else(|| self.journal.in_doubt(bind.statement)) else {
            let refusal = Refusal::of_unknown_statement(bind.statement);
            return self.refuse_message(refusal, None, Path::Bind);
        };
        if self.names.is_full() {
            return self.refuse_message(Refusal::of_too_many_names(), None, Path::Bind);
        }
        let bound = self.ask_of_bind(prepared).and_then(|ask| {
            let facts = facts_of_portal(prepared, bind)?;
            Ok((ask.map(|ask| (ask, prepared.clone())), facts))
        });
        let (ask, facts) = match bound {
            Ok(bound) => bound,
            Err(refusal) => {
                let judged = Some((Arc::clone(&prepared.facts), self.inflow.take()));
                return self.refuse_message(refusal, judged, Path::Bind);
            }
        };
        let cursor = Cursor {
            facts,
            hold: false,
            text: Arc::clone(&prepared.text),
            parameters: prepared.parameters.clone(),
            next_run: Surety::Certain,
            opened: None,
        };
        let another = Substituted::of(&cursor.facts, &cursor.text);
        self.names.add_cursor(bind.portal, cursor);
        self.quotas.forget_portal(bind.portal);
        self.forward(frame)?;
        self.journal.push(Binding::owed(bind.portal, another));
        self.plan_bind(ask, bind)
    }

    fn describe(&mut self, frame: &Frame<'_>, target: &Target<'_>) -> Result<(), Ending> {
        if let Target::Statement(name) = target
            && self.names.prepared(name).is_none()
        {
            let refusal = Refusal::of_unknown_statement(name);
            return self.refuse_message(refusal, None, Path::Bind);
        }
        self.forward(frame)?;
        self.journal.push(match target {
            Target::Statement(_) => Owed::DescribeStatement,
            Target::Portal(_) => Owed::DescribePortal,
        });
        Ok(())
    }

    fn execute(&mut self, frame: &Frame<'_>, execute: &Execute<'_>) -> Result<(), Ending> {
        let arrived = self.inflow.take();
        self.begin_execute(execute.portal, &arrived);
        if let Err(refusal) = self.still_runs(execute.portal) {
            return self.refuse_message(refusal, None, Path::Execute);
        }
        let Some(cursor) = self.names.cursor(execute.portal) else {
            let refusal = Refusal::of_unknown_portal(execute.portal);
            return self.refuse_message(refusal, None, Path::Execute);
        };
        let facts = Arc::clone(&cursor.facts);
        let loudness = Change::of(&cursor.text, &facts);
        let another = Substituted::of(&facts, &cursor.text);
        if let Err(refusal) = self.still_keeps(&facts) {
            return self.refuse_message(refusal, None, Path::Execute);
        }
        let alone = self.cancels_itself(&facts);
        let allowance = match alone.and_then(|()| self.admit_execute(&facts, execute)) {
            Ok(allowance) => allowance,
            Err(refusal) => {
                return self.refuse_message(refusal, Some((facts, arrived)), Path::Execute);
            }
        };
        self.forward(frame)?;
        self.expect_names(&facts);
        self.expect_settings_change(&facts);
        self.expect_settings(&facts);
        let mut running = Running::new(facts, Path::Execute, arrived, Duration::ZERO);
        running.allowance = allowance;
        running.loudness = loudness;
        running.role_answer = self.answer_to(&running.facts);
        running.plan = self.plan_took.take();
        if running.plan.is_some() {
            self.trace_asked();
        }
        running.trace = self.trace_sent();
        running.another = another;
        if running.facts.stands_in.get().is_some() {
            running.outcome = Outcome::Repaired;
        }
        running.runs = self.names.run_cursor(execute.portal);
        self.journal.push(Owed::Execute(Box::new(running)));
        Ok(())
    }

    fn close(&mut self, frame: &Frame<'_>, target: &Target<'_>) -> Result<(), Ending> {
        self.forward(frame)?;
        self.journal.push(Owed::Close(match target {
            Target::Statement(name) => {
                let prepared = self.names.prepared(name).cloned();
                let older = self.names.remove_prepared(name);
                Closing::Statement {
                    name: (*name).to_owned(),
                    prepared,
                    older,
                }
            }
            Target::Portal(name) => {
                self.names.remove_cursor(name);
                self.quotas.forget_portal(name);
                Closing::Portal {
                    name: (*name).to_owned(),
                }
            }
        }));
        Ok(())
    }

    fn sync(&mut self, frame: &Frame<'_>) -> Result<(), Ending> {
        self.forward(frame)?;
        self.trace_parsed();
        self.standing.unsynced = false;
        self.plan_took = None;
        self.names.sync();
        self.quotas.sync();
        self.journal.push(Owed::Sync);
        self.hold_for_check();
        Ok(())
    }

    fn forward(&mut self, frame: &Frame<'_>) -> Result<(), Ending> {
        self.standing.open_batch();
        self.retained.follow(frame);
        self.outbox.forward(frame).map_err(|_| UNSENDABLE)
    }
}

/// Cannot happen: every frame is one that may be forwarded and no decoded text holds a NUL. If it
/// did, nothing was sent.
pub(super) const UNSENDABLE: Ending = Ending::Ended(Farewell::Internal);
