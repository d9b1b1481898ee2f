//! Which policies hold, and what came of reading them again.
//!
//! What is wrong with a file of policies is told in the log, with its place: the file is the
//! operator's own. The audit has counts alone.

use crate::limits::POLICY_PROBLEMS_TOLD_MAX;
use crate::policy::{Policy, PolicyProblem, PolicySet, Strictness};
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::events::Event;
use crate::telemetry::labels::PolicyReload;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;
use crate::telemetry::registry::MetricsRegistry;
use crate::telemetry::session_info::cleaned;
use crate::telemetry::session_info::on_one_line;

/// These policies hold from the start.
pub struct PoliciesHold<'a> {
    /// In order.
    pub set: &'a PolicySet,
}

/// The policies were read again.
pub struct PoliciesRead<'a> {
    /// What came of it.
    pub outcome: PolicyReload,
    /// Those that hold now, in order.
    pub set: &'a PolicySet,
    /// What is wrong with those that were read.
    pub problems: &'a [PolicyProblem],
    /// Patterns of them that stand for nothing in any database that is known.
    pub idle: usize,
}

/// The policies that hold were compared with the databases that are known, and it came out
/// otherwise than the last time.
pub struct PoliciesCompared<'a> {
    /// What of them does not fit.
    pub problems: &'a [PolicyProblem],
}

/// The policies' own tests, which have to pass, wait for the catalog of the database.
pub struct PolicyTestsWait;

/// The policies' own tests have passed.
pub struct PolicyTestsPassed {
    /// How many.
    pub passed: usize,
}

impl Event for PolicyTestsWait {
    fn emit(&self, sinks: &EventSinks) {
        sinks.log.line(
            LogLevel::Info,
            LogEvent::PolicyTestsWait.name(),
            format_args!(
                "policy.tests: required: no client is let in before the policies' tests have \
                 passed, which wait for the database's catalog"
            ),
        );
    }
}

impl Event for PolicyTestsPassed {
    fn emit(&self, sinks: &EventSinks) {
        let passed = self.passed;
        sinks.log.line(
            LogLevel::Info,
            LogEvent::PolicyTestsPassed.name(),
            format_args!("policies' tests passed: {passed}"),
        );
    }
}

impl Event for PoliciesCompared<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let problems = self.problems.len();
        let level = i64::try_from(problems).unwrap_or(i64::MAX);
        sinks.metrics.policies.misfits.set(level);
        if problems == 0 {
            return sinks.log.line(
                LogLevel::Info,
                LogEvent::PoliciesFit.name(),
                format_args!("the policies fit the databases that are known"),
            );
        }
        log_problems(self.problems, sinks);
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::PoliciesMisfit.name(),
            format_args!(
                "the policies do not fit the databases that are known, problems: {problems}; what \
                 models, masks and conditions among them are about is refused, and so are the \
                 relations that it may be"
            ),
        );
    }
}

/// A policy has ended by itself: who was under it is under another one now, or turned away.
pub struct PolicyEnded<'a> {
    /// Which.
    pub policy: &'a Policy,
}

impl Event for PolicyEnded<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let name = cleaned(self.policy.name());
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "policy_ended", None, |line| {
                line.text("policy", &name)
                    .text("policy_version", self.policy.version());
            });
        }
        let ending = self.policy.ending();
        sinks.log.line(
            LogLevel::Info,
            LogEvent::PolicyEnded.name(),
            format_args!("policy {name} has ended{ending}: it is for nobody any more"),
        );
    }
}

impl Event for PoliciesHold<'_> {
    fn emit(&self, sinks: &EventSinks) {
        set_policies(self.set, &sinks.metrics);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "policies_hold", None, |line| {
                line.text("policies", &names(self.set));
            });
        }
        let names = names(self.set);
        sinks.log.line(
            LogLevel::Info,
            LogEvent::PoliciesHold.name(),
            format_args!("policies: {names}"),
        );
    }
}

impl Event for PoliciesRead<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let numbers = &sinks.metrics.policies;
        numbers.reloads.inc(self.outcome);
        match self.outcome {
            PolicyReload::Loaded | PolicyReload::Unchanged => {
                set_policies(self.set, &sinks.metrics)
            }
            PolicyReload::Rejected => numbers.reject(),
        }
        let names = names(self.set);
        if let Some(audit) = &sinks.audit {
            audit.record(LineWeight::Waits, "policies_read", None, |line| {
                line.word("outcome", self.outcome.name())
                    .text("policies", &names)
                    .number("problems", count(self.problems.len()));
            });
        }
        match self.outcome {
            PolicyReload::Loaded => sinks.log.line(
                LogLevel::Info,
                LogEvent::PoliciesRead.name(),
                format_args!("policies read, in use: {names}"),
            ),
            PolicyReload::Unchanged => sinks.log.line(
                LogLevel::Info,
                LogEvent::PoliciesRead.name(),
                format_args!("policies read, no change: {names}"),
            ),
            PolicyReload::Rejected => self.complain(sinks, &names),
        }
        if self.idle > 0 {
            let idle = self.idle;
            sinks.log.line(
                LogLevel::Warn,
                LogEvent::PatternsIdle.name(),
                format_args!("{idle} patterns stand for nothing in the databases that are known"),
            );
        }
    }
}

impl PoliciesRead<'_> {
    fn complain(&self, sinks: &EventSinks, names: &str) {
        let problems = self.problems.len();
        log_problems(self.problems, sinks);
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::PoliciesRejected.name(),
            format_args!("policies not taken, problems: {problems}; still in use: {names}"),
        );
    }
}

/// A line in the log for each, of many only the first.
fn log_problems(problems: &[PolicyProblem], sinks: &EventSinks) {
    for PolicyProblem { place, what } in problems.iter().take(POLICY_PROBLEMS_TOLD_MAX) {
        let (place, what) = (on_one_line(place), on_one_line(what));
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::PolicyProblem.name(),
            format_args!("policies: {place}: {what}"),
        );
    }
}

/// These are counted by themselves from now on.
fn set_policies(set: &PolicySet, metrics: &MetricsRegistry) {
    metrics.policies.set_policies(set);
    let names = set.all().iter().map(|policy| cleaned(policy.name()).into());
    metrics.by_policy.hold(&names.collect::<Vec<_>>());
}

/// Names and versions, in order.
fn names(set: &PolicySet) -> String {
    let each = set.all().iter().map(|policy| {
        let (name, version) = (cleaned(policy.name()), policy.version());
        let mode = match policy.strictness() {
            Strictness::Enforce => "",
            Strictness::Mixed => " (rules of it only observe)",
            Strictness::Observe => " (mode: observe)",
        };
        format!("{name} {version}{mode}{}", policy.ending())
    });
    each.collect::<Vec<_>>().join(", ")
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
