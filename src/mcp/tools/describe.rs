//! `describe`: what may be read, told for a prompt; with a question, what it needs.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CallToolResult, InputResponses, JsonObject};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::{ToolDescription, answer_schema, arguments};
use crate::grounding::{BudgetTooSmall, GroundingFormat, GroundingWish, WholeGrounding};
use crate::limits::mcp::{CLARIFICATIONS_MAX, QUESTION_BYTES_MAX};
use crate::mcp::answers;
use crate::mcp::arguments::{self as given, WrongArguments};
use crate::mcp::clarification::{self, Clarification, ClarifyStep};
use crate::mcp::session::McpSession;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribeArguments {
    question: Option<String>,
    budget: Option<usize>,
    format: Option<String>,
    #[serde(default)]
    clarify: Vec<String>,
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
                },
                "clarify": {
                    "type": "array", "items": { "type": "string" },
                    "maxItems": CLARIFICATIONS_MAX,
                    "description": "Names of clarify records that fit the question: the person \
                        is asked, where your program can, and the answers are told."
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
            "text": { "type": "string" },
            "clarify": {
                "type": "array",
                "description": "What to have the person asked, by name, where it fits the question.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "when": { "type": "string" },
                        "ask": { "type": "string" }
                    },
                    "required": ["name", "when", "ask"]
                }
            },
            "clarified": clarified_schema()
        })),
    }
}

fn clarified_schema() -> Value {
    json!({
        "type": "object",
        "description": "What the person was asked, and has answered.",
        "properties": {
            "outcome": {
                "type": "string",
                "enum": ["answered", "declined", "cancelled", "not_offered"]
            },
            "answers": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "ask": { "type": "string" },
                        "answer": { "type": ["string", "null"] }
                    },
                    "required": ["name", "ask", "answer"]
                }
            }
        },
        "required": ["outcome", "answers"]
    })
}

/// Answers a call.
pub async fn call(
    session: &McpSession,
    (arguments, responses): (Option<JsonObject>, Option<InputResponses>),
    context: &RequestContext<RoleServer>,
) -> CallToolResponse {
    let (wish, names) = match read(arguments) {
        Ok(read) => read,
        Err(why) => return answers::wrong(&why).into(),
    };
    let whole = match session.grounding(context).await {
        Ok(whole) => whole,
        Err(failure) => return answers::failed("55000", &failure.to_string()).into(),
    };
    let records = match clarification::records_named(&whole.document.knowledge, &names) {
        Ok(records) => records,
        Err(why) => return answers::wrong(&why).into(),
    };
    if records.is_empty() {
        return describe(whole, wish, None).await.into();
    }
    match clarification::clarify(records, responses.as_ref(), context).await {
        ClarifyStep::GoOn(clarified) => describe(whole, wish, Some(clarified)).await.into(),
        ClarifyStep::Ask(question) => (*question).into(),
    }
}

async fn describe(
    whole: Arc<WholeGrounding>,
    mut wish: GroundingWish,
    clarified: Option<Clarification>,
) -> CallToolResult {
    let mut told = Map::new();
    told.insert("grounding_version".into(), whole.version.to_string().into());
    told.insert("format".into(), wish.format.name().into());
    if wish.question.is_some() {
        told.insert("clarify".into(), open_questions(&whole));
    }
    let mut before = String::new();
    if let Some(clarified) = &clarified {
        before = format!("{}\n", clarified.text());
        told.insert("clarified".into(), clarified.object());
        // What the person says is a part of the question.
        let answers = clarified.answers.iter();
        for answer in answers.filter_map(|(_, answer)| answer.as_deref()) {
            if let Some(question) = &mut wish.question {
                question.push(' ');
                question.push_str(answer);
            }
        }
    }
    // A question is looked up in all that there is.
    match spawn_blocking(move || whole.text(&wish)).await {
        Ok(Ok(text)) => {
            let text = format!("{before}{text}");
            told.insert("text".into(), text.clone().into());
            answers::answer_as(text, Value::Object(told))
        }
        Ok(Err(BudgetTooSmall(least))) => answers::failed(
            "22023",
            &format!("budget is too small: what cannot be left out takes {least} tokens"),
        ),
        Err(_panic) => answers::failed("XX000", "pgsieve met a fault of its own"),
    }
}

/// What a person could be asked, by name.
fn open_questions(whole: &WholeGrounding) -> Value {
    let records = clarification::of_kind(&whole.document.knowledge);
    let told = records.map(|record| {
        json!({
            "name": record.name,
            "when": clarification::asked_when(record),
            "ask": clarification::asked(record),
        })
    });
    told.collect()
}

fn read(arguments: Option<JsonObject>) -> Result<(GroundingWish, Vec<String>), WrongArguments> {
    let DescribeArguments {
        question,
        budget,
        format,
        clarify,
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
    let wish = GroundingWish {
        question,
        budget,
        format,
    };
    Ok((wish, clarify))
}
