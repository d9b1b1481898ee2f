//! Counters and gauges: the kinds of them, and those that are kept up to date by the program's
//! parts.
//!
//! * `register`: how a row of the table becomes a live number
//! * `counter_vec`: labelled counters that are found by position instead of by name
//! * `label_slots`: slots for label values that are not known when the program is built
//! * `capped_counters`: counters by policy, user, fingerprint and subject, over those slots
//! * `local_counters`: what one worker counts before it adds it to the shared counters
//! * `session_gauges`: what each session does now
//! * `catalog_checks`: the age and size of each catalog
//! * `limits_store_metrics`, `policy_metrics`, `pool_metrics`, `settings_metrics`,
//!   `upstream_metrics`, `process_usage`: what is known of each

pub mod capped_counters;
pub mod catalog_checks;
pub mod counter_vec;
pub mod label_slots;
pub mod limits_store_metrics;
pub(super) mod local_counters;
pub mod policy_metrics;
pub mod pool_metrics;
pub mod process_usage;
pub mod register;
pub mod session_gauges;
pub mod settings_metrics;
pub mod upstream_metrics;
pub mod worker_metrics;
