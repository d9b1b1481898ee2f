//! What statements may change in the session, noted where they are judged.

use super::context::JudgeContext;
use super::{Certainty, Facts, SessionEffect};

impl JudgeContext<'_> {
    /// What a prepared statement or cursor changes when it runs.
    pub(super) fn take_over(&mut self, inner: &Facts) {
        self.observe(&inner.observed);
        self.runs_by_path |= inner.runs_by_path;
        if let (Some(met), Some(named)) = (&mut self.name_collector, &inner.named_objects) {
            met.take_over(named);
        }
        for effect in &inner.effects {
            self.calls_run = Certainty::Possible;
            match effect {
                SessionEffect::SearchPathSet { path, scope, .. } => {
                    self.move_paths(path.clone(), *scope)
                }
                SessionEffect::SettingSet {
                    settings,
                    value,
                    scope,
                    ..
                } => self.set(settings.clone(), value.clone(), *scope),
                other => self.effects.push(other.clone()),
            }
        }
    }

    /// Notes that settings may be others afterwards.
    pub(super) fn touch_settings(&mut self) {
        let is_detail = |effect: &&SessionEffect| {
            matches!(
                effect,
                SessionEffect::SearchPathSet { .. } | SessionEffect::SettingSet { .. }
            )
        };
        let mut noted = self.effects.iter().rev().skip_while(is_detail);
        if !matches!(noted.next(), Some(SessionEffect::SettingsTouched)) {
            self.effects.push(SessionEffect::SettingsTouched);
        }
    }
}
