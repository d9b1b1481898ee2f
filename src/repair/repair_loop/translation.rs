//! What was translated on the way to the present text, and what no translation has taken.

use super::{RepairLoop, variables};
use crate::{Failure, Repair};
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
        let mut steps = self.steps().iter();
        steps.any(|step| step.recoverer == Recoverer::Dialect)
    }

    /// The text that was translated, if one was.
    pub(super) fn foreign_text(&self) -> Option<String> {
        let steps = self.steps();
        let at = (steps.iter()).position(|step| step.recoverer == Recoverer::Dialect)?;
        let before = at.checked_sub(1).and_then(|before| steps.get(before));
        match before {
            Some(step) => step.text.clone(),
            None => Some(self.request.text.to_owned()),
        }
    }
}
