//! `describe`: what may be read, told for a prompt; with a question, what it needs.

use rmcp::model::{CallToolResult, JsonObject};
use serde::Deserialize;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::{ToolDescription, answer_schema, arguments};
use crate::grounding::{BudgetTooSmall, GroundingFormat, GroundingWish};
use crate::limits::mcp::QUESTION_BYTES_MAX;
use crate::mcp::answers;
use crate::mcp::arguments::{self as given, WrongArguments};
use crate::mcp::session::McpSession;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribeArguments {
    question: Option<String>,
    budget: Option<usize>,
    format: Option<String>,
}

/// What it says of itself.
pub fn description() -> ToolDescription {
    ToolDescription {
        title: "Describe the database",
        about: "Says what you may read: relations, columns, keys and what is known of them. Call \
            it before you write SQL; with the question that you want to answer it tells only what \
            that needs.",
        input: arguments(
            json!({
                "question": { "type": "string", "description": "The question to be answered." },
                "budget": {
                    "type": "integer", "minimum": 1,
                    "description": "At most so many tokens."
                },
                "format": {
                    "type": "string",
                    "enum": ["markdown", "ddl", "m-schema", "json"],
                    "description": "markdown without it."
                }
            }),
            &[],
        ),
        output: answer_schema(json!({
            "grounding_version": {
                "type": "string",
                "description": "Changes when what you may read does."
            },
            "format": { "type": "string" },
            "text": { "type": "string" }
        })),
    }
}

/// Answers a call.
pub async fn call(session: &McpSession, arguments: Option<JsonObject>) -> CallToolResult {
    let wish = match read(arguments) {
        Ok(wish) => wish,
        Err(why) => return answers::wrong(&why),
    };
    let whole = match session.grounding().await {
        Ok(whole) => whole,
        Err(failure) => return answers::failed("55000", &failure.to_string()),
    };
    let version = whole.version;
    let format = wish.format.name();
    // A question is looked up in all that there is.
    match spawn_blocking(move || whole.text(&wish)).await {
        Ok(Ok(text)) => {
            let told = json!({
                "grounding_version": version.to_string(), "format": format, "text": text,
            });
            answers::answer_as(text, told)
        }
        Ok(Err(BudgetTooSmall(least))) => answers::failed(
            "22023",
            &format!("budget is too small: what cannot be left out takes {least} tokens"),
        ),
        Err(_panic) => answers::failed("XX000", "pgsieve met a fault of its own"),
    }
}

fn read(arguments: Option<JsonObject>) -> Result<GroundingWish, WrongArguments> {
    let DescribeArguments {
        question,
        budget,
        format,
    } = given::read(arguments)?;
    let is_long = |question: &String| question.len() > QUESTION_BYTES_MAX;
    if question.as_ref().is_some_and(is_long) {
        let words = format!("question has more than {QUESTION_BYTES_MAX} bytes");
        return Err(WrongArguments(words));
    }
    let format = match format.as_deref() {
        None => GroundingFormat::Markdown,
        Some(name) => GroundingFormat::named(name)
            .ok_or_else(|| WrongArguments("format is one that the schema names".to_owned()))?,
    };
    Ok(GroundingWish {
        question,
        budget,
        format,
    })
}
