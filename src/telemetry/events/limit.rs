//! Where a limit of the policy was reached while a session ran, enforced or only observed.

use crate::gate::Rule;
use crate::policy::RuleMode;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::EventSinks;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::LimitMode;
use crate::telemetry::session_info::SessionInfo;

/// A limit was reached: once for each statement, login or idle time that it met. The statement
/// itself has its own [`StatementFinished`](super::StatementFinished).
pub struct LimitReached<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The rule of the policy.
    pub rule: Rule,
    /// Whether it was enforced.
    pub mode: RuleMode,
    /// The fingerprint of the statement, where it was one that met it.
    pub fingerprint: Option<Fingerprint>,
}

impl Event for LimitReached<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let mode = match self.mode {
            RuleMode::Enforce => LimitMode::Enforce,
            RuleMode::Observe => LimitMode::Observe,
        };
        sinks.metrics.limits.inc(TwoLabels(self.rule, mode));
        if self.mode == RuleMode::Observe {
            let policy = self.session.policy_name();
            sinks.metrics.by_policy.observed(policy, self.rule);
        }
        let Some(audit) = &sinks.audit else { return };
        audit.record(
            LineWeight::GivesWay,
            "limit_reached",
            Some(self.session),
            |line| {
                line.word("rule", self.rule.name())
                    .word("mode", mode.name());
                if self.mode == RuleMode::Observe {
                    line.words("would_refuse", std::iter::once(self.rule.name()));
                }
                if let Some(fingerprint) = &self.fingerprint {
                    line.hex("fingerprint", fingerprint.as_bytes());
                }
            },
        );
    }
}
