//! The texts of a client before the gate: what it says of them, and the permits that come of that.

use std::borrow::Cow;
use std::sync::PoisonError;

use super::lowered_settings::LoweredText;
use super::protocol::SessionProtocol;
use super::signal_calls::with_call;
use crate::gate::cache::CacheLookup;
use crate::gate::{Judgement, ParameterTypes, ReadPermit, Refusal, Verdict};
use crate::limits;
use crate::wire::frontend::Parse;

impl SessionProtocol {
    pub(super) fn judge<'t>(&mut self, text: &'t str) -> (Judgement<'t>, CacheLookup) {
        self.refresh_names();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, parameters) = (Cow::Borrowed(text), ParameterTypes::none_given());
        cache.judge_with(&self.gate, text, &parameters, &self.names)
    }

    pub(super) fn judge_parse<'t>(&mut self, parse: &Parse<'t>) -> (Judgement<'t>, CacheLookup) {
        self.refresh_names();
        let parameters = ParameterTypes::given(parse.parameter_types.iter());
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let text = Cow::Borrowed(parse.text);
        cache.judge_with(&self.gate, text, &parameters, &self.names)
    }

    /// A verdict becomes a permit or a refusal; a text that pgsieve edited is judged again.
    pub(super) fn permit_or_refuse<'t>(
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
                    let judgement = self.gate.judge_with(text, parameters, &self.names);
                    verdict = judgement.verdict;
                }
            }
        }
        Err(Refusal::of_clamp_without_end())
    }
}
