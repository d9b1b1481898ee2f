//! The log record that a line becomes: the very line as its body, and its fields as attributes by
//! which a store finds it.
//!
//! Names are those of OpenTelemetry's conventions where there is one, and `pgsieve.` with the
//! field's own name else. The encrypted text of a statement stands in the body alone.
//!
//! <https://opentelemetry.io/docs/specs/otel/logs/data-model/>,
//! <https://opentelemetry.io/docs/specs/semconv/registry/attributes/>

use std::net::SocketAddr;

use jiff::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use serde_json::{Map, Value as Json};

use super::severity;
use crate::hex;
use crate::telemetry::audit::copy_name::CopyName;

/// Who sends records.
pub struct RecordOrigin {
    resource: Resource,
    scope: InstrumentationScope,
}

impl RecordOrigin {
    /// This copy of a service.
    pub fn new(service_name: &str, copy: &CopyName) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let attributes = [
            ("service.name", service_name.to_owned()),
            ("service.version", version.to_owned()),
            ("service.instance.id", copy.to_string()),
        ];
        let attributes = attributes.map(|(key, value)| attribute(key, Value::StringValue(value)));
        Self {
            resource: Resource {
                attributes: attributes.into(),
                ..Resource::default()
            },
            scope: InstrumentationScope {
                name: "pgsieve.audit".into(),
                version: version.into(),
                ..InstrumentationScope::default()
            },
        }
    }

    /// A request with these records.
    pub fn request(&self, log_records: Vec<LogRecord>) -> ExportLogsServiceRequest {
        let scope_logs = ScopeLogs {
            scope: Some(self.scope.clone()),
            log_records,
            schema_url: String::new(),
        };
        ExportLogsServiceRequest {
            resource_logs: vec![ResourceLogs {
                resource: Some(self.resource.clone()),
                scope_logs: vec![scope_logs],
                schema_url: String::new(),
            }],
        }
    }
}

/// The record of a line, which is given without its newline.
pub fn of_line(line: &str) -> LogRecord {
    let fields: Map<String, Json> = serde_json::from_str(line).unwrap_or_default();
    let word = |name: &str| fields.get(name).and_then(Json::as_str);
    let time = word("time").map_or(0, nanoseconds);
    let event = word("event").unwrap_or_default();
    let severity = severity::of(event, word);
    let trace: Option<[u8; 16]> = word("trace_id").and_then(|id| hex::read(id.as_bytes()));
    let span: Option<[u8; 8]> = word("span_id").and_then(|id| hex::read(id.as_bytes()));
    LogRecord {
        time_unix_nano: time,
        // As of whatever comes from OpenTelemetry's own: it was seen when it happened.
        observed_time_unix_nano: time,
        severity_number: severity.into(),
        severity_text: severity::name(severity).into(),
        body: Some(any(Value::StringValue(line.to_owned()))),
        attributes: attributes(&fields),
        dropped_attributes_count: 0,
        flags: if trace.is_some() { SAMPLED } else { 0 },
        trace_id: trace.map(Vec::from).unwrap_or_default(),
        span_id: span.map(Vec::from).unwrap_or_default(),
        event_name: format!("pgsieve.{event}"),
    }
}

fn attributes(fields: &Map<String, Json>) -> Vec<KeyValue> {
    let mut attributes = Vec::with_capacity(fields.len() + 4);
    let text = |key: &str, text: &str| attribute(key, Value::StringValue(text.to_owned()));
    for (name, value) in fields {
        match (name.as_str(), value) {
            // They are the record's own, the resource's, or for whoever has the body.
            (
                "time" | "event" | "copy" | "prev" | "text" | "attempts" | "trace_id" | "span_id",
                _,
            )
            | (_, Json::Null | Json::Object(_)) => {}
            // Who is not known yet has no name.
            (_, Json::String(word)) if word.is_empty() => {}
            ("client", Json::String(client)) => match client.parse::<SocketAddr>() {
                Ok(client) => attributes.extend([
                    text("client.address", &client.ip().to_string()),
                    attribute("client.port", Value::IntValue(client.port().into())),
                ]),
                // Clients on a Unix socket have no address.
                Err(_) => attributes.push(text("pgsieve.client", client)),
            },
            ("sqlstate", Json::String(code)) => attributes.extend([
                text("db.response.status_code", code),
                text("error.type", code),
            ]),
            ("database", Json::String(database)) => attributes.extend([
                text("db.system.name", "postgresql"),
                text("db.namespace", database),
            ]),
            (name, value) => {
                let known = NAMES.iter().find(|(field, _)| *field == name);
                let key = known.map_or_else(|| format!("pgsieve.{name}"), |(_, key)| (*key).into());
                attributes.extend(value_of(value).map(|value| attribute(&key, value)));
            }
        }
    }
    let word = |name: &str| fields.get(name).and_then(Json::as_str);
    if let (Some(kind), Some(fingerprint)) = (word("kind"), word("fingerprint")) {
        attributes.push(text("db.query.summary", &format!("{kind} {fingerprint}")));
    }
    attributes
}

fn value_of(value: &Json) -> Option<Value> {
    Some(match value {
        Json::Bool(truth) => Value::BoolValue(*truth),
        Json::Number(number) => {
            let number = number.as_u64().unwrap_or_default();
            Value::IntValue(i64::try_from(number).unwrap_or(i64::MAX))
        }
        Json::String(text) => Value::StringValue(text.clone()),
        Json::Array(list) => {
            let values = list.iter().filter_map(value_of).map(any).collect();
            Value::ArrayValue(ArrayValue { values })
        }
        Json::Null | Json::Object(_) => return None,
    })
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(any(value)),
        ..KeyValue::default()
    }
}

fn any(value: Value) -> AnyValue {
    AnyValue { value: Some(value) }
}

/// The time of a line since 1970; none is zero, which is what the protocol has for it.
fn nanoseconds(time: &str) -> u64 {
    let time: Option<Timestamp> = time.parse().ok();
    let nanoseconds = time.map_or(0, Timestamp::as_nanosecond);
    u64::try_from(nanoseconds).unwrap_or(0)
}

/// Fields that the conventions have a name for.
const NAMES: &[(&str, &str)] = &[
    ("user", "user.name"),
    ("kind", "db.operation.name"),
    ("rows", "db.response.returned_rows"),
    // As spans have it.
    ("bytes", "pgsieve.response_bytes"),
    ("seal", "log.record.uid"),
];

/// The flag of a trace that is recorded.
const SAMPLED: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(record: &LogRecord) -> Vec<String> {
        let mut shown: Vec<String> = record
            .attributes
            .iter()
            .map(|pair| {
                let value = pair.value.clone().unwrap().value.unwrap();
                format!("{} {}", pair.key, word(&value))
            })
            .collect();
        shown.sort();
        shown
    }

    fn word(value: &Value) -> String {
        match value {
            Value::StringValue(text) => text.clone(),
            Value::IntValue(number) => number.to_string(),
            Value::BoolValue(truth) => truth.to_string(),
            Value::ArrayValue(list) => {
                let words = list
                    .values
                    .iter()
                    .map(|one| word(one.value.as_ref().unwrap()));
                words.collect::<Vec<_>>().join(",")
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_is_the_body_and_its_fields_are_attributes() {
        let line = concat!(
            r#"{"v":2,"time":"2026-01-02T03:04:05.678901Z","event":"statement","copy":"a","#,
            r#""session":3,"client":"10.1.2.3:40000","user":"ann","database":"shop","#,
            r#""application_name":"","tls":true,"policy":"agent","kind":"select","#,
            r#""verdict":"refused","fingerprint":"00ff","sqlstate":"25006","#,
            r#""relations":["shop.orders","shop.items"],"rows":2,"bytes":99,"#,
            r#""trace_id":"0102030405060708090a0b0c0d0e0f10","span_id":"0102030405060708","#,
            r#""text":"c2VhbGVk","seq":7,"prev":"00","seal":"abcd"}"#
        );
        let record = of_line(line);
        let body = record.body.clone().unwrap().value.unwrap();
        assert_eq!(body, Value::StringValue(line.into()));
        assert_eq!(record.time_unix_nano, 1_767_323_045_678_901_000);
        assert_eq!(record.observed_time_unix_nano, record.time_unix_nano);
        let severity = (record.severity_number, record.severity_text.as_str());
        assert_eq!(severity, (13, "WARN"));
        assert_eq!(record.event_name, "pgsieve.statement");
        assert_eq!(record.trace_id, (1..=16).collect::<Vec<u8>>());
        assert_eq!(record.span_id, (1..=8).collect::<Vec<u8>>());
        assert_eq!(record.flags, 1);
        assert_eq!(
            shown(&record),
            [
                "client.address 10.1.2.3",
                "client.port 40000",
                "db.namespace shop",
                "db.operation.name select",
                "db.query.summary select 00ff",
                "db.response.returned_rows 2",
                "db.response.status_code 25006",
                "db.system.name postgresql",
                "error.type 25006",
                "log.record.uid abcd",
                "pgsieve.fingerprint 00ff",
                "pgsieve.policy agent",
                "pgsieve.relations shop.orders,shop.items",
                "pgsieve.response_bytes 99",
                "pgsieve.seq 7",
                "pgsieve.session 3",
                "pgsieve.tls true",
                "pgsieve.v 2",
                "pgsieve.verdict refused",
                "user.name ann",
            ]
        );
        let keys = record.attributes.iter().map(|pair| &pair.key);
        let unique: std::collections::BTreeSet<_> = keys.collect();
        assert_eq!(unique.len(), record.attributes.len());
    }

    #[test]
    fn whatever_a_line_is_it_becomes_a_record_with_it() {
        for line in [
            "",
            "{",
            "[]",
            r#"{"time":7,"event":null,"client":"[local]","rows":18446744073709551615}"#,
            r#"{"time":"0001-01-01T00:00:00Z","trace_id":"zz","attempts":[{"step":1}]}"#,
        ] {
            let record = of_line(line);
            let body = record.body.clone().unwrap().value.unwrap();
            assert_eq!(body, Value::StringValue(line.into()));
            assert_eq!((record.time_unix_nano, record.flags), (0, 0), "{line}");
        }
        let record = of_line(r#"{"client":"[local]","rows":18446744073709551615}"#);
        let most = format!("db.response.returned_rows {}", i64::MAX);
        assert_eq!(shown(&record), [most, "pgsieve.client [local]".into()]);
    }
}
