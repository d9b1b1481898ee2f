//! What became of a statement: its fingerprint, and its text for nothing but an audit that
//! encrypts it and a capture of those that failed.

use std::time::Duration;

use crate::gate::{RecordedText, Rule, StatementKind, StatementObjects};
use crate::receipts::issuer::ReceiptId;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::audit::LineWeight;
use crate::telemetry::audit::line::AuditLine;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::counters::local_counters::LocalCounters;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{CacheAnswer, ErrorOrigin, ProtocolPath, StatementOutcome};
use crate::telemetry::registry::MetricsRegistry;
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::StatementTrace;
use crate::telemetry::{EventSinks, StatementCounting};

/// A statement was judged and its answer is complete: one for every Query, every Execute and each
/// Parse that failed or was refused. One that was only prepared is [counted] for that.
///
/// [counted]: crate::telemetry::Telemetry::prepared
pub struct StatementFinished<'a> {
    /// Whose it was.
    pub session: &'a SessionInfo,
    /// The way it came.
    pub path: ProtocolPath,
    /// What kind of statement it is.
    pub kind: StatementKind,
    /// The fingerprint of its normalised text; none for a message that carries no text.
    pub fingerprint: Option<Fingerprint>,
    /// What the gate said.
    pub outcome: StatementOutcome,
    /// The rule that refused it, or ended its result.
    pub rule: Option<Rule>,
    /// What the refusal is about, where names are recorded: `relation shop.orders`.
    pub subject: Option<&'a str>,
    /// The rules that judged its text, would have refused it and are only observed.
    pub observed: &'a [Rule],
    /// Those that would have stopped it as it ran.
    pub observed_running: &'a [Rule],
    /// What it names, where that is recorded.
    pub named: Option<&'a StatementObjects>,
    /// Its text, where that is recorded: for the audit alone, which encrypts it.
    pub text: Option<&'a RecordedText>,
    /// Its text as the client sent it, where that was held or is at hand: for the capture alone.
    pub sent_text: Option<&'a str>,
    /// What the server calls it, where that is recorded and was told.
    pub queryid: Option<i64>,
    /// The name of its receipt, where there is one.
    pub receipt: Option<ReceiptId>,
    /// The code of the error that the client got, from the gate or from the upstream.
    pub sqlstate: Option<SqlstateCode>,
    /// Rows returned.
    pub rows: u64,
    /// Bytes of the answer.
    pub bytes: u64,
    /// Whether its verdict was known before.
    pub cached: CacheAnswer,
    /// The hint that a refusal gave, where its words are fixed.
    pub hint: Option<&'static str>,
    /// Its span, where it is sampled.
    pub trace: Option<&'a StatementTrace>,
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
    pub path: ProtocolPath,
    /// The fingerprint of what the client sent.
    pub fingerprint: Option<Fingerprint>,
}

impl Event for StatementFinished<'_> {
    fn emit(&self, sinks: &EventSinks) {
        self.emit_by(&sinks.shared_tally, sinks);
    }
}

impl StatementFinished<'_> {
    /// Emits it for a worker that counts by itself.
    pub(in crate::telemetry) fn emit_by(&self, local_counters: &LocalCounters, sinks: &EventSinks) {
        if sinks.counting == StatementCounting::On {
            local_counters.count(self, &sinks.metrics);
            self.count_observed(&sinks.metrics);
            self.count_faults(&sinks.metrics);
        }
        self.note(sinks);
    }

    fn note(&self, sinks: &EventSinks) {
        let traced = self
            .trace
            .and_then(|trace| Some((trace, sinks.traces.now()?)));
        if let Some((trace, traces)) = &traced {
            traces.record(self, trace);
        }
        if let (Some(recent), Some(_)) = (&sinks.recent, self.rule) {
            recent.finished(self);
        }
        if let Some(capture) = &sinks.capture {
            capture.record(self);
        }
        let Some(audit) = &sinks.audit else { return };
        let weight = match self.outcome {
            StatementOutcome::Refused => LineWeight::Waits,
            StatementOutcome::Permitted
            | StatementOutcome::Clamped
            | StatementOutcome::Repaired
            | StatementOutcome::Skipped
            | StatementOutcome::Cut
            | StatementOutcome::Truncated => LineWeight::GivesWay,
        };
        let text = self.text.map(|text| &text.kept);
        let place = audit.record_with(weight, "statement", Some(self.session), text, |line| {
            line.word("path", self.session.path_name(self.path))
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
            if let Some(receipt) = self.receipt {
                line.text("receipt", &receipt.to_string());
            }
            self.note_names(line);
            self.note_observed(line);
            if let Some(code) = self.sqlstate {
                line.text("sqlstate", code.as_str());
            }
            if let Some((trace, _)) = &traced {
                line.hex("trace_id", &trace.trace_id())
                    .hex("span_id", &trace.span_id());
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
        if let (Some(receipt), Some(place)) = (self.receipt, place) {
            self.session.note_receipt_place(receipt, place);
        }
    }

    fn note_names(&self, line: &mut AuditLine<'_>) {
        let Some(named) = self.named else { return };
        let kept = named.rendered.keep(|| {
            let mut text = String::new();
            note_names_of(named, &mut AuditLine::new(&mut text));
            text
        });
        match kept {
            Some(text) => line.fields(text),
            None => note_names_of(named, line),
        }
    }

    fn note_observed(&self, line: &mut AuditLine<'_>) {
        let mut rules = self.observed.iter().chain(self.observed_running).peekable();
        if rules.peek().is_some() {
            line.words("would_refuse", rules.map(|rule| rule.name()));
        }
    }

    /// Counts the rules that would have spoken against it.
    pub(in crate::telemetry) fn count_observed(&self, metrics: &MetricsRegistry) {
        let policy = self.session.policy_name();
        // An Execute runs what a Parse was counted for.
        let judged = if self.path == ProtocolPath::Execute {
            &[]
        } else {
            self.observed
        };
        for rule in judged.iter().chain(self.observed_running) {
            metrics.by_policy.observed(policy, *rule);
        }
    }

    fn count_faults(&self, metrics: &MetricsRegistry) {
        if let Some(rule) = self.rule
            && matches!(
                self.outcome,
                StatementOutcome::Refused | StatementOutcome::Skipped
            )
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
                StatementOutcome::Refused | StatementOutcome::Skipped | StatementOutcome::Cut => {
                    ErrorOrigin::Gate
                }
                StatementOutcome::Permitted
                | StatementOutcome::Clamped
                | StatementOutcome::Repaired
                | StatementOutcome::Truncated => ErrorOrigin::Upstream,
            };
            metrics.errors.inc(TwoLabels(origin, code.class()));
        }
    }
}

fn note_names_of(named: &StatementObjects, line: &mut AuditLine<'_>) {
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
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.retries.inc();
    }
}

impl Event for SettingsClamped<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.clamps.inc(self.path);
        if let Some(audit) = &sinks.audit {
            audit.record(
                LineWeight::GivesWay,
                "settings_clamped",
                Some(self.session),
                |line| {
                    line.word("path", self.session.path_name(self.path));
                    if let Some(fingerprint) = &self.fingerprint {
                        line.hex("fingerprint", fingerprint.as_bytes());
                    }
                },
            );
        }
    }
}
