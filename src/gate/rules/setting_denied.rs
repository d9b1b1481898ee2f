//! `setting_denied`: settings that the policy denies.
//!
//! # Sees
//! SET and set_config of a setting that `settings.deny` names, and the same in the startup
//! message.
//!
//! # Why
//! The policy says so, whatever `settings.allow` lets be set.
//!
//! # Before
//! - `SET enable_seqscan = off` (denies)
//! - `SET LOCAL "Enable_HashJoin" TO off` (denies)
//! - `SELECT set_config('ENABLE_SEQSCAN', 'off', false)` (denies)
//!
//! # After
//! - `SET TimeZone = 'UTC'` (denies)
//! - `RESET enable_seqscan` (denies)
//! - `RESET ALL` (denies)
//!
//! # When not
//! SHOW and current_setting() only read. RESET, DEFAULT and DISCARD ALL return to what the session
//! started with, which was judged.

use crate::context::JudgeContext;
use crate::rules::RuleResult;
use crate::{Refusal, Rule};
use policy::{Policy, PolicyRule};

/// Looks at a setting that a statement sets.
pub(crate) fn check(name: &str, context: &mut JudgeContext<'_>) -> RuleResult {
    note(name, context);
    match found(name, context.policy) {
        None => Ok(()),
        Some(refusal) => context.enforce_or_observe(PolicyRule::SettingDenied, refusal),
    }
}

/// Remembers for the audit that a statement names a setting.
pub(crate) fn note(name: &str, context: &mut JudgeContext<'_>) {
    if let Some(met) = &mut context.name_collector {
        met.set(name);
    }
}

/// The refusal of a setting, if the policy denies it.
pub(crate) fn found(name: &str, policy: &Policy) -> Option<Box<Refusal>> {
    let name = name.to_ascii_lowercase();
    // The server knows the time zone by two names.
    let same = match name.as_str() {
        "time zone" => "timezone",
        other => other,
    };
    if !policy.denies_setting(same) {
        return None;
    }
    let refusal = Refusal::new(
        Rule::SettingDenied,
        &format!("setting \"{same}\" may not be changed here: settings.deny names it"),
        "Leave it as it is, or have it taken from settings.deny of the policy.",
    );
    let policy = policy.name();
    Some(refusal.about(format_args!("{same}, settings.deny of policy {policy}")))
}
