//! What sessions stand on.

use crate::telemetry::EventSinks;
use crate::telemetry::events::Event;
use crate::telemetry::labels::StaleGroundingAge;

/// The sessions were counted whose grounding is stale.
#[derive(Debug)]
pub struct GroundingsCounted<'e> {
    /// How many, in the order of [`StaleGroundingAge`].
    pub stale: &'e [i64; StaleGroundingAge::ALL.len()],
}

impl Event for GroundingsCounted<'_> {
    fn emit(&self, sinks: &EventSinks) {
        for (age, sessions) in StaleGroundingAge::ALL.iter().zip(self.stale) {
            let level = &sinks.metrics.stale_grounding_sessions;
            level.with_label_values(&[age.name()]).set(*sessions);
        }
    }
}
