//! What is known of the settings, as numbers.

use prometheus::{IntGauge, Registry};

use crate::telemetry::TelemetryError;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::metrics::{SETTINGS_RELOADS, SETTINGS_WAITING};
use crate::telemetry::registry::gauge;

/// What is known of the settings.
pub struct SettingsMetrics {
    /// See [`SETTINGS_RELOADS`].
    pub reloads: CounterVec<PolicyReload>,
    /// See [`SETTINGS_WAITING`].
    pub waiting: IntGauge,
}

impl SettingsMetrics {
    /// Registers the rows.
    pub fn register(registry: &Registry) -> Result<Self, TelemetryError> {
        Ok(Self {
            reloads: CounterVec::from_zero(registry, &SETTINGS_RELOADS)?,
            waiting: gauge(registry, &SETTINGS_WAITING)?,
        })
    }
}
