//! `why`: what a rule sees, why it is there, and what passes in place of what it refuses.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ToolDescription, answer_schema, arguments};
use crate::gate::Rule;
use crate::gate::rules::docs;
use crate::mcp::answers::{self, error_object, rule_of};
use crate::mcp::arguments as given;
use crate::mcp::session::McpSession;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhyArguments {
    rule: Option<String>,
}

/// What it says of itself.
pub fn description() -> ToolDescription {
    ToolDescription {
        title: "Explain a refusal",
        about: "Explains the rule that refused a statement: what it sees, why, an example that is \
            refused and one that passes. Without a rule, the last refusal of this session.",
        input: arguments(
            json!({
                "rule": { "type": "string", "description": "The rule, as an error names it." }
            }),
            &[],
        ),
        output: answer_schema(json!({
            "rule": { "type": "string" },
            "explanation": { "type": "string" },
            "refusal": { "type": "object", "description": "The last refusal by it." }
        })),
    }
}

/// Answers a call.
pub fn call(
    session: &McpSession,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let asked = match given::read(arguments) {
        Ok(WhyArguments { rule }) => rule,
        Err(why) => return answers::wrong(&why),
    };
    let last = session.last_refusal(&session.caller(context).origin());
    let rule = match &asked {
        Some(name) => match Rule::named(name) {
            Some(rule) => rule,
            None => return answers::failed("22023", "there is no such rule: an error names it"),
        },
        None => match last.as_ref().and_then(rule_of) {
            Some(rule) => rule,
            None => return answers::failed("22023", "nothing was refused in this session so far"),
        },
    };
    let explanation = docs::lines(rule).join("\n");
    let mut told = Map::new();
    told.insert("rule".into(), rule.name().into());
    told.insert("explanation".into(), explanation.clone().into());
    if let Some(last) = last.filter(|last| rule_of(last) == Some(rule)) {
        told.insert("refusal".into(), error_object(&last));
    }
    answers::answer_as(explanation, Value::Object(told))
}
