//! The texts of a client before the gate: what it says of them, and the permits that come of that.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use super::arrival::StatementArrival;
use super::lowered_settings::LoweredText;
use super::protocol::{ClientState, SessionProtocol};
use super::repair::BlockingJob;
use super::repair::apply_repair::SendOptions;
use super::repair::stage::RepairStage;
use super::scheduling::large_text::LargeText;
use super::signal_calls::with_call;
use super::statement::{ClientText, JudgedText, PathStop, PermittedText};
use crate::gate::{Judgement, ParameterTypes, ReadPermit, Refusal, Verdict};
use crate::limits;
use crate::telemetry::labels::ProtocolPath;
use crate::telemetry::traces::TraceWork;
use crate::wire::frame::ClientFrame;

impl SessionProtocol {
    /// The text of a message has come: its clock begins, and its trace.
    pub(super) fn arrive(&mut self, text: &ClientText<'_>) -> StatementArrival {
        let arrived = self.client.inflow.arrival();
        if text.path == ProtocolPath::Query {
            self.witness.trace_parsed();
        }
        self.witness.begin_trace(Some(text.text), &arrived);
        arrived
    }

    /// What the gate says of a text. A large one waits until that is found out on another thread.
    pub(super) fn judge_text<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        text: &ClientText<'t>,
        arrived: StatementArrival,
    ) -> Result<JudgedText<'t>, PathStop> {
        if text.text.len() > limits::INLINE_JUDGE_BYTES_MAX {
            self.judge_later(LargeText::new(frame, arrived));
            return Err(PathStop::Waits);
        }
        self.refresh_names();
        let (judgement, memory) = {
            let mut cache = self
                .judge
                .cache
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let as_sent = Cow::Borrowed(text.text);
            cache.judge_with(
                &self.judge.gate,
                as_sent,
                &text.parameters,
                &self.context.names,
            )
        };
        self.witness.lap(TraceWork::Judge);
        Ok(JudgedText {
            judgement,
            options: SendOptions::plain(arrived.with_cache_answer(memory)),
        })
    }

    fn judge_later(&mut self, large: LargeText) {
        self.client.state = ClientState::Judging;
        self.repair.stage = RepairStage::Due(Box::new(BlockingJob::Judge(large)));
    }

    /// The permit of a text that may run, with settings as low as the policy wants them.
    pub(super) fn lower_settings<'t>(
        &self,
        text: JudgedText<'t>,
        parameters: &ParameterTypes,
    ) -> Result<PermittedText<'t>, PathStop> {
        let JudgedText { judgement, options } = text;
        let judged = Arc::clone(&judgement.facts);
        match self.permit_or_refuse(judgement, parameters) {
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
                Verdict::Refused(refusal) => return Err(refusal),
                Verdict::Clamped(clamp) => {
                    let (so_far, text) = lowered.unwrap_or_default().and(clamp);
                    lowered = Some(so_far);
                    let text = Cow::Owned(text);
                    let judgement =
                        self.judge
                            .gate
                            .judge_with(text, parameters, &self.context.names);
                    verdict = judgement.verdict;
                }
            }
        }
        Err(Refusal::of_clamp_without_end())
    }
}
