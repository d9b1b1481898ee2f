//! What was translated on the way to the present text, and what no translation has taken.

use super::{RepairLoop, variables};
use crate::{Attempt, Failure, Repair};
use policy::{DialectChoice, Recoverer};

impl RepairLoop<'_> {
    /// The first answer to a failure, unless it leaves a variable without a value in the text.
    pub(super) fn sure_answer(
        &mut self,
        text: &str,
        failure: &Failure,
    ) -> Option<(Recoverer, Repair)> {
        let (recoverer, repair) = self.first_answer(text, failure)?;
        let is_own = self.settings.dialect == DialectChoice::Off;
        match variables::remaining_variable(text, recoverer, &repair).filter(|_| !is_own) {
            Some(hint) => {
                self.record_hints(text, vec![(recoverer, hint)]);
                None
            }
            None => Some((recoverer, repair)),
        }
    }

    /// Whether the present text is translated from a foreign dialect.
    pub(super) fn is_translated(&self) -> bool {
        self.steps().iter().any(is_translation)
    }

    /// Whether the client's text may be taken up again without its dialect: a translation came to
    /// nothing, or a dialect that somebody has named, and the text has not shown, cannot be
    /// translated.
    pub(super) fn may_be_of_no_dialect(&self, failure: &Failure) -> bool {
        let mut steps = self.steps().iter();
        let is_hinted = steps.any(|step| step.recoverer == Recoverer::Dialect);
        self.abandoned.is_none()
            && (self.is_translated() || is_hinted && self.named_source(failure).is_some())
    }

    /// The text that was translated, if one was.
    pub(super) fn foreign_text(&self) -> Option<String> {
        let steps = self.steps();
        let at = steps.iter().position(is_translation)?;
        let before = at.checked_sub(1).and_then(|before| steps.get(before));
        match before {
            Some(step) => step.text.clone(),
            None => Some(self.request.text.to_owned()),
        }
    }
}

/// Whether a dialect has made a text in this step. Where it had a hint alone, the text is foreign
/// and has no translation.
fn is_translation(step: &Attempt) -> bool {
    step.recoverer == Recoverer::Dialect && step.text.is_some()
}
