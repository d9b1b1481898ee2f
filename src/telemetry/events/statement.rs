//! What became of a statement: its fingerprint, never its text.

use std::time::Duration;

use crate::gate::{Named, Rule, StatementKind};
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::Sinks;
use crate::telemetry::audit::Weight;
use crate::telemetry::audit::line::Line;
use crate::telemetry::code::Code;
use crate::telemetry::events::Event;
use crate::telemetry::family::Two;
use crate::telemetry::labels::{Label, Origin, Outcome, Path};
use crate::telemetry::session::SessionInfo;

/// A statement was judged and its answer is complete: one for every Query, Parse and Execute.
pub struct StatementFinished<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The way it came.
    pub path: Path,
    /// What kind of statement it is.
    pub kind: StatementKind,
    /// The fingerprint of its normalised text; none for a message that carries no text.
    pub fingerprint: Option<Fingerprint>,
    /// What the gate said.
    pub outcome: Outcome,
    /// The rule that refused it, or ended its result.
    pub rule: Option<Rule>,
    /// The rules that judged its text, would have refused it and are only observed.
    pub observed: &'a [Rule],
    /// Those that would have stopped it as it ran.
    pub observed_running: &'a [Rule],
    /// What it names, where that is recorded.
    pub named: Option<&'a Named>,
    /// The code of the error that the client got, from the gate or from the upstream.
    pub sqlstate: Option<Code>,
    /// Rows returned.
    pub rows: u64,
    /// Bytes of the answer.
    pub bytes: u64,
    /// Time at the gate.
    pub gate: Duration,
    /// Time that the upstream took; zero when it was not asked.
    pub upstream: Duration,
    /// Time that went by while its plan was asked for, where it was.
    pub plan: Option<Duration>,
    /// From the statement's arrival to the end of its answer.
    pub total: Duration,
}

/// A read that failed for a reason of the moment is sent again; the statement itself has its own
/// [`StatementFinished`].
pub struct StatementRetried;

/// A setting was lowered to what the policy allows before it ran; the statement itself has its
/// own [`StatementFinished`].
pub struct SettingsClamped<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The way it came.
    pub path: Path,
    /// The fingerprint of what the client sent.
    pub fingerprint: Option<Fingerprint>,
}

impl Event for StatementFinished<'_> {
    fn emit(&self, sinks: &Sinks) {
        sinks.shared_tally.count(self, &sinks.metrics);
        self.note(sinks);
    }
}

impl StatementFinished<'_> {
    /// Everything but the numbers that every statement adds to.
    pub(in crate::telemetry) fn note(&self, sinks: &Sinks) {
        self.count_faults(sinks);
        let Some(audit) = &sinks.audit else { return };
        let weight = match self.outcome {
            Outcome::Refused => Weight::Waits,
            Outcome::Permitted
            | Outcome::Clamped
            | Outcome::Repaired
            | Outcome::Skipped
            | Outcome::Cut
            | Outcome::Truncated => Weight::GivesWay,
        };
        audit.record(weight, "statement", Some(self.session), |line| {
            line.word("path", self.path.name())
                .word("kind", self.kind.name())
                .word("verdict", self.outcome.name());
            if let Some(rule) = self.rule {
                line.word("rule", rule.name());
            }
            if let Some(fingerprint) = &self.fingerprint {
                line.hex("fingerprint", fingerprint.as_bytes());
            }
            self.note_names(line);
            self.note_observed(line);
            if let Some(code) = self.sqlstate {
                line.text("sqlstate", code.as_str());
            }
            line.number("rows", self.rows)
                .number("bytes", self.bytes)
                .micros("gate_us", self.gate)
                .micros("upstream_us", self.upstream)
                .micros("total_us", self.total);
            if let Some(plan) = self.plan {
                line.micros("plan_us", plan);
            }
        });
    }

    fn note_names(&self, line: &mut Line<'_>) {
        let Some(named) = self.named else { return };
        let mut left_out = 0;
        for (key, names) in [
            ("relations", &named.relations),
            ("functions", &named.functions),
            ("settings", &named.settings),
        ] {
            left_out += line.names(key, names);
        }
        if left_out > 0 {
            line.number("names_left_out", left_out);
        }
    }

    fn note_observed(&self, line: &mut Line<'_>) {
        let mut rules = self.observed.iter().chain(self.observed_running).peekable();
        if rules.peek().is_some() {
            line.words("would_refuse", rules.map(|rule| rule.name()));
        }
    }

    fn count_faults(&self, sinks: &Sinks) {
        let metrics = &sinks.metrics;
        // An Execute runs what a Parse was counted for.
        let judged = if self.path == Path::Execute {
            &[]
        } else {
            self.observed
        };
        for rule in judged.iter().chain(self.observed_running) {
            metrics.observed.inc(*rule);
        }
        if let Some(rule) = self.rule
            && matches!(self.outcome, Outcome::Refused | Outcome::Skipped)
        {
            metrics.refusals.inc(rule);
        }
        if let Some(code) = self.sqlstate {
            let origin = match self.outcome {
                Outcome::Refused | Outcome::Skipped | Outcome::Cut => Origin::Gate,
                Outcome::Permitted | Outcome::Clamped | Outcome::Repaired | Outcome::Truncated => {
                    Origin::Upstream
                }
            };
            metrics.errors.inc(Two(origin, code.class()));
        }
    }
}

impl Event for StatementRetried {
    fn emit(&self, sinks: &Sinks) {
        sinks.metrics.retries.inc();
    }
}

impl Event for SettingsClamped<'_> {
    fn emit(&self, sinks: &Sinks) {
        sinks.metrics.clamps.inc(self.path);
        if let Some(audit) = &sinks.audit {
            audit.record(
                Weight::GivesWay,
                "settings_clamped",
                Some(self.session),
                |line| {
                    line.word("path", self.path.name());
                    if let Some(fingerprint) = &self.fingerprint {
                        line.hex("fingerprint", fingerprint.as_bytes());
                    }
                },
            );
        }
    }
}
