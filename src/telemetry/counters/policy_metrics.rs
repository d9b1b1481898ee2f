//! What is known of the policies, as numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{Gauge, IntGauge, IntGaugeVec, Opts, Registry};

use crate::policy::PolicySet;
use crate::telemetry::TelemetryError;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::metrics::{
    POLICY_INFO, POLICY_LOADED_SECONDS, POLICY_MISFITS, POLICY_OBSERVE_UNTIL,
    POLICY_RELOAD_SUCCEEDED, POLICY_RELOADS, POLICY_UNTIL,
};
use crate::telemetry::registry::{gauge, gauges, level, seconds};
use crate::telemetry::session_info::cleaned;

/// What is known of the policies.
pub struct PolicyMetrics {
    /// See [`POLICY_RELOADS`].
    pub reloads: CounterVec<PolicyReload>,
    /// See [`POLICY_MISFITS`].
    pub misfits: IntGauge,
    info: IntGaugeVec,
    observe_until: IntGaugeVec,
    until: IntGaugeVec,
    succeeded: IntGauge,
    loaded_seconds: Gauge,
}

impl PolicyMetrics {
    /// Registers the rows.
    pub fn register(registry: &Registry) -> Result<Self, TelemetryError> {
        let metric = &POLICY_INFO;
        let wrong = |_| TelemetryError::Metric { name: metric.name };
        let options = Opts::new(metric.name, metric.help);
        let info = IntGaugeVec::new(options, &metric.label_names()).map_err(wrong)?;
        registry.register(Box::new(info.clone())).map_err(wrong)?;
        Ok(Self {
            reloads: CounterVec::from_zero(registry, &POLICY_RELOADS)?,
            misfits: gauge(registry, &POLICY_MISFITS)?,
            info,
            observe_until: gauges(registry, &POLICY_OBSERVE_UNTIL)?,
            until: gauges(registry, &POLICY_UNTIL)?,
            succeeded: gauge(registry, &POLICY_RELOAD_SUCCEEDED)?,
            loaded_seconds: level(registry, &POLICY_LOADED_SECONDS)?,
        })
    }

    /// These hold, and no others.
    pub fn set_policies(&self, set: &PolicySet) {
        self.info.reset();
        self.observe_until.reset();
        self.until.reset();
        for policy in set.all() {
            let name = cleaned(policy.name());
            let mode = policy.strictness().name();
            self.info
                .with_label_values(&[name.as_str(), policy.version(), mode])
                .set(1);
            if let Some(until) = policy.until() {
                self.until.with_label_values(&[&name]).set(until);
            }
            if let Some(until) = policy.observes_until() {
                self.observe_until.with_label_values(&[&name]).set(until);
            }
        }
        self.succeeded.set(1);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        self.loaded_seconds.set(seconds(now.unwrap_or_default()));
    }

    /// What was read last does not hold.
    pub fn reject(&self) {
        self.succeeded.set(0);
    }
}
