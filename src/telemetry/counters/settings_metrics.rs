//! What is known of the settings, as numbers.

use prometheus::IntGauge;

use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::metric_set;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::metrics::{SETTINGS_RELOADS, SETTINGS_WAITING};

metric_set! {
    /// What is known of the settings.
    pub SettingsMetrics {
        pub reloads: CounterVec<PolicyReload> = from_zero(SETTINGS_RELOADS);
        pub waiting: IntGauge = gauge(SETTINGS_WAITING);
    }
}
