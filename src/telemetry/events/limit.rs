//! Where a limit of the policy was reached while a session ran, enforced or only observed.

use crate::gate::Rule;
use crate::policy::Mode;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::Sinks;
use crate::telemetry::audit::Weight;
use crate::telemetry::counters::counter_vec::Two;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{Label, LimitMode};
use crate::telemetry::session_info::SessionInfo;

/// A limit was reached: once for each statement, login or idle time that it met. The statement
/// itself has its own [`StatementFinished`](super::StatementFinished).
pub struct LimitReached<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The rule of the policy.
    pub rule: Rule,
    /// Whether it was enforced.
    pub mode: Mode,
    /// The fingerprint of the statement, where it was one that met it.
    pub fingerprint: Option<Fingerprint>,
}

impl Event for LimitReached<'_> {
    fn emit(&self, sinks: &Sinks) {
        let mode = match self.mode {
            Mode::Enforce => LimitMode::Enforce,
            Mode::Observe => LimitMode::Observe,
        };
        sinks.metrics.limits.inc(Two(self.rule, mode));
        if self.mode == Mode::Observe {
            let policy = self.session.policy_name();
            sinks.metrics.by_policy.observed(policy, self.rule);
        }
        let Some(audit) = &sinks.audit else { return };
        audit.record(
            Weight::GivesWay,
            "limit_reached",
            Some(self.session),
            |line| {
                line.word("rule", self.rule.name())
                    .word("mode", mode.name());
                if self.mode == Mode::Observe {
                    line.words("would_refuse", std::iter::once(self.rule.name()));
                }
                if let Some(fingerprint) = &self.fingerprint {
                    line.hex("fingerprint", fingerprint.as_bytes());
                }
            },
        );
    }
}
