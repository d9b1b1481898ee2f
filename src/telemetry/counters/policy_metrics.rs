//! What is known of the policies, as numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{Gauge, IntGauge, IntGaugeVec};

use crate::policy::PolicySet;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::{metric_set, seconds};
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::metrics::{
    POLICY_INFO, POLICY_LOADED_SECONDS, POLICY_MISFITS, POLICY_OBSERVE_UNTIL,
    POLICY_RELOAD_SUCCEEDED, POLICY_RELOADS, POLICY_UNTIL,
};
use crate::telemetry::session_info::cleaned;

metric_set! {
    /// What is known of the policies.
    pub PolicyMetrics {
        pub reloads: CounterVec<PolicyReload> = from_zero(POLICY_RELOADS);
        pub misfits: IntGauge = gauge(POLICY_MISFITS);
        info: IntGaugeVec = gauges(POLICY_INFO);
        observe_until: IntGaugeVec = gauges(POLICY_OBSERVE_UNTIL);
        until: IntGaugeVec = gauges(POLICY_UNTIL);
        succeeded: IntGauge = gauge(POLICY_RELOAD_SUCCEEDED);
        loaded_seconds: Gauge = level(POLICY_LOADED_SECONDS);
    }
}

impl PolicyMetrics {
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
