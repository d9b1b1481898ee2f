//! What became of a statement: its fingerprint, and its text for nothing but an audit that
//! encrypts it.

use std::time::Duration;

use crate::gate::{Named, RecordedText, Rule, StatementKind};
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::audit::Weight;
use crate::telemetry::audit::line::Line;
use crate::telemetry::counters::counter_vec::Two;
use crate::telemetry::counters::local_counters::Tally;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{CacheAnswer, Label, Origin, Outcome, Path};
use crate::telemetry::registry::Metrics;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::Code;
use crate::telemetry::traces::Trace;
use crate::telemetry::{Counting, Sinks};

/// A statement was judged and its answer is complete: one for every Query, every Execute and each
/// Parse that failed or was refused. One that was only prepared is [counted] for that.
///
/// [counted]: crate::telemetry::Telemetry::prepared
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
    /// What the refusal is about, where names are recorded: `relation shop.orders`.
    pub subject: Option<&'a str>,
    /// The rules that judged its text, would have refused it and are only observed.
    pub observed: &'a [Rule],
    /// Those that would have stopped it as it ran.
    pub observed_running: &'a [Rule],
    /// What it names, where that is recorded.
    pub named: Option<&'a Named>,
    /// Its text, where that is recorded: for the audit alone, which encrypts it.
    pub text: Option<&'a RecordedText>,
    /// What the server calls it, where that is recorded and was told.
    pub queryid: Option<i64>,
    /// The code of the error that the client got, from the gate or from the upstream.
    pub sqlstate: Option<Code>,
    /// Rows returned.
    pub rows: u64,
    /// Bytes of the answer.
    pub bytes: u64,
    /// Whether its verdict was known before.
    pub cached: CacheAnswer,
    /// The hint that a refusal gave, where its words are fixed.
    pub hint: Option<&'static str>,
    /// Its span, where it is sampled.
    pub trace: Option<&'a Trace>,
    /// Time that it waited before pgsieve looked at it.
    pub queue: Duration,
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
        self.emit_by(&sinks.shared_tally, sinks);
    }
}

impl StatementFinished<'_> {
    /// Emits it for a worker that counts by itself.
    pub(in crate::telemetry) fn emit_by(&self, tally: &Tally, sinks: &Sinks) {
        if sinks.counting == Counting::On {
            tally.count(self, &sinks.metrics);
            self.count_observed(&sinks.metrics);
            self.count_faults(&sinks.metrics);
        }
        self.note(sinks);
    }

    fn note(&self, sinks: &Sinks) {
        if let Some(trace) = self.trace
            && let Some(traces) = sinks.traces.now()
        {
            traces.record(self, trace);
        }
        if let (Some(recent), Some(_)) = (&sinks.recent, self.rule) {
            recent.finished(self);
        }
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
        let text = self.text.map(|text| &text.kept);
        audit.record_with(weight, "statement", Some(self.session), text, |line| {
            line.word("path", self.path.name())
                .word("kind", self.kind.name())
                .word("verdict", self.outcome.name());
            if let Some(rule) = self.rule {
                line.word("rule", rule.name());
            }
            if let Some(subject) = self.subject {
                line.text("subject", subject);
            }
            if let Some(fingerprint) = &self.fingerprint {
                line.hex("fingerprint", fingerprint.as_bytes());
            }
            if let Some(queryid) = self.queryid {
                // In digits: not every reader of JSON keeps so many of a number.
                line.text("queryid", &queryid.to_string());
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
            if let Some(left_out @ 1..) = self.text.map(|text| text.left_out) {
                line.number("text_left_out", left_out);
            }
        });
    }

    fn note_names(&self, line: &mut Line<'_>) {
        let Some(named) = self.named else { return };
        let kept = named.rendered.keep(|| {
            let mut text = String::new();
            note_names_of(named, &mut Line::new(&mut text));
            text
        });
        match kept {
            Some(text) => line.fields(text),
            None => note_names_of(named, line),
        }
    }

    fn note_observed(&self, line: &mut Line<'_>) {
        let mut rules = self.observed.iter().chain(self.observed_running).peekable();
        if rules.peek().is_some() {
            line.words("would_refuse", rules.map(|rule| rule.name()));
        }
    }

    /// Counts the rules that would have spoken against it.
    pub(in crate::telemetry) fn count_observed(&self, metrics: &Metrics) {
        let policy = self.session.policy_name();
        // An Execute runs what a Parse was counted for.
        let judged = if self.path == Path::Execute {
            &[]
        } else {
            self.observed
        };
        for rule in judged.iter().chain(self.observed_running) {
            metrics.by_policy.observed(policy, *rule);
        }
    }

    fn count_faults(&self, metrics: &Metrics) {
        if let Some(rule) = self.rule
            && matches!(self.outcome, Outcome::Refused | Outcome::Skipped)
        {
            let policy = self.session.policy_name();
            metrics.by_policy.refused(policy, rule);
            let user = self.session.admitted_user();
            metrics.by_user.refused(user, rule);
            if let Some(fingerprint) = self.fingerprint {
                metrics.by_fingerprint.refused(&fingerprint, rule);
            }
            if let Some(subject) = self.subject {
                metrics.by_subject.refused(&subject.into(), rule);
            }
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

fn note_names_of(named: &Named, line: &mut Line<'_>) {
    let mut left_out = 0;
    for (key, names) in [
        ("relations", &named.relations),
        ("columns", &named.columns),
        ("functions", &named.functions),
        ("settings", &named.settings),
    ] {
        // Most audits have no columns.
        if key != "columns" || !names.is_empty() {
            left_out += line.names(key, names);
        }
    }
    if left_out > 0 {
        line.number("names_left_out", left_out);
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
