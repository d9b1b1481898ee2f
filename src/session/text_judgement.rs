//! The texts of a client before the gate: what it says of them, and the permits that come of that.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use super::arrival::StatementArrival;
use super::client_side::ClientState;
use super::lowered_settings::LoweredText;
use super::policy_store::SessionJudge;
use super::protocol::SessionProtocol;
use super::repair::BlockingJob;
use super::repair::send_options::SendOptions;
use super::repair::stage::RepairStage;
use super::scheduling::large_text::LargeText;
use super::signal_calls::with_call;
use super::statement_stage::{ClientText, JudgedText, PathStop, PermittedText};
use crate::gate::cache::CacheLookup;
use crate::gate::{Judgement, ParameterTypes, ReadPermit, Refusal, SessionNames, Verdict};
use crate::limits;
use crate::telemetry::labels::ProtocolPath;
use crate::telemetry::traces::TraceWork;
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::Parse;

/// The text of a message has come: its clock begins, and its trace.
pub(super) fn arrive(protocol: &mut SessionProtocol, text: &ClientText<'_>) -> StatementArrival {
    let arrived = protocol.client.inflow.arrival();
    if text.path == ProtocolPath::Query {
        protocol.witness.trace_parsed();
    }
    protocol.witness.begin_trace(Some(text.text), &arrived);
    arrived
}

/// What the gate says of a text. A large one waits until that is found out on another thread.
pub(super) fn judge_text<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    text: &ClientText<'t>,
    arrived: StatementArrival,
) -> Result<JudgedText<'t>, PathStop> {
    if text.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
        let job = BlockingJob::Judge(LargeText::new(frame, arrived));
        protocol.client.state = ClientState::Judging;
        protocol.repair.stage = RepairStage::Due(Box::new(job));
        return Err(PathStop::Waits);
    }
    let judge = &protocol.judge;
    (protocol.context).refresh_names(&judge.gate, &protocol.pending);
    let (judgement, memory) = judge.judge_as_before(text, &protocol.context.names);
    protocol.witness.lap(TraceWork::Judge);
    Ok(JudgedText {
        judgement,
        options: SendOptions::plain(arrived.with_cache_answer(memory)),
    })
}

impl SessionJudge {
    /// What the gate says of a text; of one that the worker has judged before, what it said then.
    fn judge_as_before<'t>(
        &self,
        text: &ClientText<'t>,
        names: &SessionNames,
    ) -> (Judgement<'t>, CacheLookup) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let as_sent = Cow::Borrowed(text.text);
        cache.judge_with(&self.gate, as_sent, &text.parameters, names)
    }

    /// The permit of a text that was permitted before.
    ///
    /// # Errors
    /// It may not run any more.
    pub(super) fn permit_again<'t>(
        &self,
        text: &'t str,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Result<ReadPermit<'t>, Box<Refusal>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (judgement, _) = cache.judge_with(&self.gate, Cow::Borrowed(text), parameters, names);
        drop(cache);
        let (permit, _) = self.permit_or_refuse(judgement, parameters, names)?;
        Ok(permit)
    }

    /// The permit of a text that may run, with settings as low as the policy wants them.
    pub(super) fn lower_settings<'t>(
        &self,
        text: JudgedText<'t>,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Result<PermittedText<'t>, PathStop> {
        let JudgedText { judgement, options } = text;
        let judged = Arc::clone(&judgement.facts);
        match self.permit_or_refuse(judgement, parameters, names) {
            Ok((permit, lowered)) => Ok(PermittedText {
                permit,
                lowered,
                judged,
                options,
            }),
            Err(refusal) => Err(PathStop::refused(refusal, &judged, options.arrived)),
        }
    }

    /// A verdict becomes a permit or a refusal; a text that pgsieve edited is judged again.
    fn permit_or_refuse<'t>(
        &self,
        judgement: Judgement<'t>,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Result<(ReadPermit<'t>, Option<LoweredText>), Box<Refusal>> {
        let mut verdict = judgement.verdict;
        let mut lowered: Option<LoweredText> = None;
        for _ in 0..limits::CLAMP_ROUNDS_MAX {
            match verdict {
                Verdict::Permitted(permit) => {
                    if let Some(lowered) = &lowered {
                        lowered.mark(permit.facts());
                    }
                    return Ok(with_call(permit, lowered));
                }
                Verdict::Refused(mut refusal) => {
                    let place = |position| lowered.iter().fold(position, LoweredText::place_of);
                    refusal.position = refusal.position.map(place);
                    return Err(refusal);
                }
                Verdict::Clamped(clamp) => {
                    let (so_far, text) = lowered.unwrap_or_default().and(clamp);
                    lowered = Some(so_far);
                    let text = Cow::Owned(text);
                    verdict = self.gate.judge_with(text, parameters, names).verdict;
                }
            }
        }
        Err(Refusal::of_clamp_without_end())
    }

    /// Whether a Parse has room for its name, and types that the policy lets parameters have.
    pub(super) fn admit_parse<'t>(
        &self,
        parse: &Parse<'_>,
        text: PermittedText<'t>,
        names: &SessionNames,
    ) -> Result<PermittedText<'t>, PathStop> {
        let types = parse.parameter_types.iter();
        let admitted = match names.is_full() {
            true => Err(Refusal::of_too_many_names()),
            false => self.gate.permits_parameters(types, names),
        };
        match admitted {
            Ok(()) => Ok(text),
            Err(refusal) => {
                let arrived = text.options.arrived;
                Err(PathStop::refused(refusal, &text.judged, arrived))
            }
        }
    }
}
