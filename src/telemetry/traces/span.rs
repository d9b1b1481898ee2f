//! The spans of a statement that has ended: one for it, and one for each thing that was done to it.
//!
//! Attributes are those of OpenTelemetry's conventions for databases, and some of pgsieve's own.
//! `db.query.text` is none of them: the fingerprint stands for the text.
//!
//! <https://opentelemetry.io/docs/specs/semconv/database/database-spans/>

use std::borrow::Cow;
use std::net::SocketAddr;
use std::time::{Instant, SystemTime};

use opentelemetry::trace::{
    Event, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::StatementOutcome;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::telemetry::traces::settings::DatabaseAddress;
use crate::telemetry::traces::trace::{StatementTrace, TraceLineage, TracePhase, TraceWork};

/// What makes spans of statements.
#[derive(Debug)]
pub struct SpanMaker {
    database: Option<DatabaseAddress>,
    scope: InstrumentationScope,
}

/// The moment at which a statement has ended, by both clocks.
#[derive(Clone, Copy, Debug)]
pub struct SpanEndTime {
    instant: Instant,
    system: SystemTime,
}

impl SpanEndTime {
    /// The moment that is now.
    pub fn read() -> Self {
        Self {
            instant: Instant::now(),
            system: SystemTime::now(),
        }
    }

    fn system_of(self, moment: Instant) -> SystemTime {
        let ago = self.instant.saturating_duration_since(moment);
        self.system.checked_sub(ago).unwrap_or(self.system)
    }
}

impl SpanMaker {
    /// For statements on this database.
    pub fn new(database: Option<DatabaseAddress>) -> Self {
        let scope = InstrumentationScope::builder("pgsieve")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build();
        Self { database, scope }
    }

    /// The spans of a statement; none where the system has no ids to give.
    pub fn spans(
        &self,
        event: &StatementFinished<'_>,
        trace: &StatementTrace,
        now: SpanEndTime,
    ) -> Vec<SpanData> {
        let begun = trace.begun;
        let mut phases = trace.phases.clone();
        phases.extend(trace.sending.phases(now.instant).into_iter().flatten());
        let Some(ids) = ids(phases.len()) else {
            return Vec::new();
        };
        let parent = match trace.lineage {
            TraceLineage::Of(parent) => SpanId::from_bytes(parent.span),
            TraceLineage::Own(_) => SpanId::INVALID,
        };
        let trace_id = TraceId::from_bytes(trace.trace_id());
        let own = SpanId::from_bytes(trace.span_id());
        let mut spans = Vec::with_capacity(phases.len() + 1);
        let mut whole = self.span((trace_id, own, parent), (begun, now.instant), now);
        whole.parent_span_is_remote = matches!(trace.lineage, TraceLineage::Of(_));
        whole.name = summary(event).into();
        whole.span_kind = SpanKind::Server;
        whole.attributes = self.attributes(event);
        whole.status = status(event);
        spans.push(whole);
        let is_run = |phase: &TracePhase| matches!(phase.work, TraceWork::Upstream(_));
        let last_run = phases.iter().rposition(is_run);
        for (place, (phase, id)) in phases.iter().zip(ids).enumerate() {
            let since = phase.since.max(begun).min(now.instant);
            let times = (since, phase.until.max(since).min(now.instant));
            let mut span = self.span((trace_id, id, own), times, now);
            self.describe(&mut span, phase.work, event, now);
            if last_run == Some(place) {
                tell_run(&mut span, event);
            }
            spans.push(span);
        }
        spans
    }

    fn span(
        &self,
        (trace, own, parent): (TraceId, SpanId, SpanId),
        (since, until): (Instant, Instant),
        now: SpanEndTime,
    ) -> SpanData {
        let state = TraceState::NONE;
        SpanData {
            span_context: SpanContext::new(trace, own, TraceFlags::SAMPLED, false, state),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: Cow::Borrowed(""),
            start_time: now.system_of(since),
            end_time: now.system_of(until),
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: self.scope.clone(),
        }
    }

    fn describe(
        &self,
        span: &mut SpanData,
        work: TraceWork,
        event: &StatementFinished<'_>,
        now: SpanEndTime,
    ) {
        span.name = Cow::Borrowed(match work {
            TraceWork::Preprocess => "preprocess",
            TraceWork::Judge => "judge",
            TraceWork::Attempt(..) => "attempt",
            TraceWork::Wait => "wait",
            TraceWork::Plan => "plan",
            TraceWork::Upstream(_) => "upstream",
        });
        match work {
            TraceWork::Preprocess | TraceWork::Judge | TraceWork::Wait => {}
            TraceWork::Attempt(recoverer, confidence, outcome) => {
                span.attributes = vec![
                    KeyValue::new("pgsieve.recoverer", recoverer.name()),
                    KeyValue::new("pgsieve.confidence", confidence.name()),
                    KeyValue::new("pgsieve.outcome", outcome.name()),
                ];
            }
            TraceWork::Plan => {
                span.span_kind = SpanKind::Client;
                span.attributes = self.place(event);
            }
            TraceWork::Upstream(first_row) => {
                span.span_kind = SpanKind::Client;
                span.attributes = self.place(event);
                span.attributes.extend([
                    KeyValue::new("db.operation.name", event.kind.name()),
                    KeyValue::new("db.query.summary", summary(event)),
                ]);
                if let Some(first_row) = first_row {
                    let time = now.system_of(first_row);
                    let event = Event::new("first row", time, Vec::new(), 0);
                    span.events.events.push(event);
                }
            }
        }
    }

    /// Which database it is.
    fn place(&self, event: &StatementFinished<'_>) -> Vec<KeyValue> {
        let mut attributes = vec![KeyValue::new("db.system.name", "postgresql")];
        let database = event.session.database();
        if !database.is_empty() {
            attributes.push(KeyValue::new("db.namespace", database.to_owned()));
        }
        if let Some(DatabaseAddress { address, port }) = &self.database {
            attributes.push(KeyValue::new("server.address", address.clone()));
            attributes.push(KeyValue::new("server.port", i64::from(*port)));
        }
        attributes
    }

    fn attributes(&self, event: &StatementFinished<'_>) -> Vec<KeyValue> {
        let mut attributes = self.place(event);
        attributes.extend([
            KeyValue::new("db.operation.name", event.kind.name()),
            KeyValue::new("db.query.summary", summary(event)),
            KeyValue::new("db.response.returned_rows", number(event.rows)),
            KeyValue::new("pgsieve.path", event.session.path_name(event.path)),
            KeyValue::new("pgsieve.verdict", event.outcome.name()),
            KeyValue::new("pgsieve.cache", event.cached.name()),
            KeyValue::new("pgsieve.response_bytes", number(event.bytes)),
        ]);
        if let Some(code) = event.sqlstate {
            attributes.extend(failure(code));
        }
        if let Some(rule) = event.rule {
            attributes.push(KeyValue::new("pgsieve.rule", rule.name()));
        }
        let observed = event.observed.iter().chain(event.observed_running);
        let observed: Vec<StringValue> = observed.map(|rule| rule.name().into()).collect();
        if !observed.is_empty() {
            let observed = Value::Array(Array::String(observed));
            attributes.push(KeyValue::new("pgsieve.would_refuse", observed));
        }
        if let Some(fingerprint) = &event.fingerprint {
            attributes.push(KeyValue::new(
                "pgsieve.fingerprint",
                fingerprint.to_string(),
            ));
        }
        if let Some((policy, version)) = event.session.policy() {
            attributes.push(KeyValue::new("pgsieve.policy", policy.to_owned()));
            attributes.push(KeyValue::new("pgsieve.policy_version", version.to_owned()));
        }
        // Clients on a Unix socket have no address.
        if let Ok(client) = event.session.client().parse::<SocketAddr>() {
            attributes.push(KeyValue::new("client.address", client.ip().to_string()));
            attributes.push(KeyValue::new("client.port", i64::from(client.port())));
        }
        attributes
    }
}

/// What the last run brought: what came before it was not the end. A refusal's code is pgsieve's
/// own, and stands on the statement's span alone.
fn tell_run(span: &mut SpanData, event: &StatementFinished<'_>) {
    let rows = KeyValue::new("db.response.returned_rows", number(event.rows));
    span.attributes.push(rows);
    let is_of_upstream = match event.outcome {
        StatementOutcome::Permitted
        | StatementOutcome::Clamped
        | StatementOutcome::Repaired
        | StatementOutcome::Truncated => true,
        StatementOutcome::Refused | StatementOutcome::Skipped | StatementOutcome::Cut => false,
    };
    if is_of_upstream && let Some(code) = event.sqlstate {
        span.attributes.extend(failure(code));
        span.status = status(event);
    }
}

/// The code of an error, by its two names.
fn failure(code: SqlstateCode) -> [KeyValue; 2] {
    let code = code.as_str().to_owned();
    [
        KeyValue::new("db.response.status_code", code.clone()),
        KeyValue::new("error.type", code),
    ]
}

/// The kind of a statement and its fingerprint.
fn summary(event: &StatementFinished<'_>) -> String {
    let kind = event.kind.name();
    match &event.fingerprint {
        Some(fingerprint) => format!("{kind} {fingerprint}"),
        None => kind.to_owned(),
    }
}

/// What ended in an error did so without words: they are the client's alone.
fn status(event: &StatementFinished<'_>) -> Status {
    match event.sqlstate {
        Some(_) => Status::error(""),
        None => Status::Unset,
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// An id for each child of the statement's span.
fn ids(children: usize) -> Option<Vec<SpanId>> {
    let mut bytes = vec![0; ID_BYTES * children];
    getrandom::fill(&mut bytes).ok()?;
    let ids = bytes.chunks_exact(ID_BYTES).map(|chunk| {
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(chunk);
        SpanId::from_bytes(id)
    });
    Some(ids.collect())
}

const ID_BYTES: usize = 8;
