//! What was translated on the way to the present text.

use super::RepairLoop;
use policy::Recoverer;

impl RepairLoop<'_> {
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
