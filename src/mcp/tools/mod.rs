//! What can be called: one file a tool, each with what it says of itself.
//!
//! * [`query`]: rows; [`check`]: the verdict without running; [`explain`]: the plan; [`describe`]:
//!   what may be read; [`choose`]: the best of several statements; [`why`]: what a refusal means

pub mod check;
pub mod choose;
pub mod describe;
pub mod explain;
pub mod query;
pub mod why;

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::words::words;

words! {
    /// A tool.
    ToolName {
        /// [`query`].
        Query => "query",
        /// [`check`].
        Check => "check",
        /// [`explain`].
        Explain => "explain",
        /// [`describe`].
        Describe => "describe",
        /// [`choose`].
        Choose => "choose",
        /// [`why`].
        Why => "why",
    }
}

/// What a tool says of itself.
pub struct ToolDescription {
    /// A few words for people.
    title: &'static str,
    /// When to call it and what it answers, for models.
    about: &'static str,
    /// The schema of its arguments.
    input: Value,
    /// The schema of its answer.
    output: Value,
}

/// All tools, as clients list them.
pub fn all() -> Vec<Tool> {
    let tools = ToolName::ALL.iter().map(|name| {
        let ToolDescription {
            title,
            about,
            input,
            output,
        } = match name {
            ToolName::Query => query::description(),
            ToolName::Check => check::description(),
            ToolName::Explain => explain::description(),
            ToolName::Describe => describe::description(),
            ToolName::Choose => choose::description(),
            ToolName::Why => why::description(),
        };
        let annotations = ToolAnnotations::with_title(title)
            .read_only(true)
            .destructive(false)
            .open_world(false);
        Tool::new(name.name(), about, object(input))
            .with_title(title)
            .with_raw_output_schema(object(output))
            .with_annotations(annotations)
    });
    tools.collect()
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

/// The schemas of the fields of a statement.
fn statement_fields() -> Value {
    json!({
        "sql": {
            "type": "string",
            "description": "One read: a SELECT, or SHOW, EXPLAIN, VALUES or TABLE."
        },
        "target_dialect": {
            "type": "string",
            "description": "The dialect that sql is written in, if it is not PostgreSQL: mysql, \
                sqlite, tsql, bigquery, snowflake or duckdb. It is translated."
        },
        "assumptions": {
            "type": "array",
            "items": { "type": "string" },
            "description": "What you took for granted."
        },
        "needs_followup": {
            "type": "boolean",
            "description": "Whether you have a question first."
        },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 }
    })
}

/// The schema of arguments of these fields.
fn arguments(fields: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": false
    })
}

/// The schema of an answer of these fields: what fails has an error alone.
fn answer_schema(mut fields: Value) -> Value {
    if let Value::Object(fields) = &mut fields {
        fields.insert("error".into(), error_schema());
    }
    json!({ "type": "object", "properties": fields })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Why it failed or was refused.",
        "properties": {
            "sqlstate": { "type": "string" },
            "message": { "type": "string" },
            "rule": {
                "type": "string",
                "description": "The rule that refused; the tool why explains it."
            },
            "detail": { "type": "string" },
            "hint": { "type": "string", "description": "What to do instead." },
            "position": { "type": "integer", "description": "In characters of sql, from one." }
        },
        "required": ["sqlstate", "message"]
    })
}

fn repair_schema() -> Value {
    json!({
        "type": "object",
        "description": "The statement failed as it was written and was repaired: write it so.",
        "properties": {
            "by": { "type": "array", "items": { "type": "string" } },
            "changes": { "type": "string" },
            "ran": { "type": "string", "description": "The statement that ran." }
        },
        "required": ["by", "changes"]
    })
}

fn columns_schema() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "type": { "type": "string" }
            },
            "required": ["name", "type"]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_it_takes_and_gives() {
        let tools = all();
        assert_eq!(tools.len(), ToolName::ALL.len());
        for tool in tools {
            let annotations = tool.annotations.as_ref().unwrap();
            assert_eq!(annotations.read_only_hint, Some(true), "{}", tool.name);
            assert!(tool.title.is_some() && tool.description.is_some());
            for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
                let schema = Value::Object((**schema.unwrap()).clone());
                assert_eq!(schema["type"], "object");
                jsonschema::draft202012::new(&schema).unwrap();
            }
        }
    }
}
