//! Settings of Postgres as a policy speaks of them.
//!
//! * [`value_rule`]: the values that a policy accepts for one setting
//! * [`setting_value`]: the text of a setting as Postgres reads it: booleans, durations, numbers,
//!   lists

pub mod receipt_nonce;
pub mod setting_value;
pub(super) mod value_rule;
