//! What each event's line holds, as a JSON Schema; the [table](super::event_forms) behind it.
//!
//! Every line has `v` (the version of the schema), `time` (RFC 3339, UTC, microseconds), `event`,
//! `copy` (who writes it; lines of before there was this field have none), and at its end `seq`,
//! `prev` and `seal` (see [`chain`](super::chain)). Lines of a session have `session`, `client`,
//! `user`, `database`, `application_name` and `tls`, and from the choice of its policy on `policy`
//! and `policy_version`. A line is a flat object but for a list of steps.
//!
//! A field keeps its name and meaning within a version; fields and events may be added. Version 2
//! came with the chain: `seq`, `prev`, `seal` and the events `chain_began`, `chain_continued` and
//! `lines_lost` are new, and nothing that version 1 had has changed.

use serde_json::{Map, Value, json};

pub use super::event_forms::EVENTS;
use super::field_form::{AuditValueForm, EventForm, FieldForm, FieldPresence};
use super::fields::{FIRST, LAST, SESSION};
use super::line::SCHEMA_VERSION;

/// The JSON Schema of a line.
pub fn json_schema() -> Value {
    let events: Vec<Value> = EVENTS.iter().map(EventForm::schema).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of pgsieve's audit",
        "description": "Fields and events may be added within a version.",
        "oneOf": events,
    })
}

impl EventForm {
    /// Every field of the event's line, in order.
    pub fn all_fields(&self) -> impl Iterator<Item = &'static FieldForm> {
        let session = if self.of_session { SESSION } else { &[] };
        FIRST.iter().chain(session).chain(self.fields).chain(LAST)
    }

    fn schema(&self) -> Value {
        let mut schema = object(self.all_fields());
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("title".into(), self.name.into());
            schema.insert("description".into(), self.doc.into());
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("v".into(), json!({ "const": SCHEMA_VERSION }));
                properties.insert("event".into(), json!({ "const": self.name }));
            }
        }
        schema
    }
}

fn object<'f>(fields: impl Iterator<Item = &'f FieldForm>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields {
        properties.insert(field.name.into(), field.schema());
        if field.presence == FieldPresence::Always {
            required.push(field.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

impl FieldForm {
    fn schema(&self) -> Value {
        let word = "^[a-z0-9_]+$";
        let mut schema = match self.form {
            AuditValueForm::Word => json!({ "type": "string", "pattern": word }),
            AuditValueForm::Words => {
                json!({ "type": "array", "items": { "type": "string", "pattern": word } })
            }
            AuditValueForm::Text => json!({ "type": "string" }),
            AuditValueForm::Names => json!({ "type": "array", "items": { "type": "string" } }),
            AuditValueForm::Hex(digits) => {
                json!({ "type": "string", "pattern": format!("^[0-9a-f]{{{digits}}}$") })
            }
            AuditValueForm::QueryId => {
                json!({ "type": "string", "pattern": "^-?[1-9][0-9]{0,18}$" })
            }
            AuditValueForm::Sealed => {
                json!({ "type": "string", "pattern": "^[A-Za-z0-9+/]+={0,2}$" })
            }
            AuditValueForm::Number => json!({ "type": "integer", "minimum": 0 }),
            AuditValueForm::Truth => json!({ "type": "boolean" }),
            AuditValueForm::SqlState => json!({ "type": "string", "pattern": "^[0-9A-Z]{5}$" }),
            AuditValueForm::Time => json!({ "type": "string", "pattern": TIME }),
            AuditValueForm::Steps(fields) => {
                let mut step = object(fields.iter());
                if let Some(step) = step.get_mut("properties").and_then(Value::as_object_mut) {
                    step.insert("step".into(), json!({ "type": "integer", "minimum": 1 }));
                }
                json!({ "type": "array", "items": step })
            }
        };
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("description".into(), self.doc.into());
        }
        schema
    }
}

const TIME: &str = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$";
