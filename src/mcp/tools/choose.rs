//! `choose`: several statements for one question, put in order with the reasons.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ToolDescription, answer_schema, arguments, statement_fields};
use crate::choose::candidate::Candidate;
use crate::choose::session::{ChoiceLogin, ChoiceSession};
use crate::choose::{self, AgreementMode, RankedCandidate, told};
use crate::limits::choice::{CANDIDATES_MAX, QUESTION_BYTES_MAX};
use crate::mcp::answers;
use crate::mcp::arguments::{self as given, WrongArguments};
use crate::mcp::services::McpCaller;
use crate::mcp::session::McpSession;
use crate::telemetry::events::CandidatesRanked;
use crate::upstream::snapshot;
use crate::wire_client::session::SessionFault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChooseArguments {
    question: String,
    candidates: Vec<Value>,
}

/// What it says of itself.
pub fn description() -> ToolDescription {
    ToolDescription {
        title: "Choose among statements",
        about: "Puts several statements for one question in order, best first, with the reasons: \
            each is judged, repaired, compiled, linted and planned. Nothing is run.",
        input: arguments(
            json!({
                "question": { "type": "string" },
                "candidates": {
                    "type": "array", "minItems": 1, "maxItems": CANDIDATES_MAX,
                    "items": {
                        "anyOf": [
                            { "type": "string" },
                            arguments(statement_fields(), &["sql"])
                        ]
                    }
                }
            }),
            &["question", "candidates"],
        ),
        output: answer_schema(json!({
            "candidates": {
                "type": "array",
                "description": "Best first; candidate is its place in the call, from one.",
                "items": {
                    "type": "object",
                    "properties": {
                        "candidate": { "type": "integer" },
                        "score": { "type": "integer" },
                        "outcome": { "type": "string" },
                        "sql": { "type": "string" },
                        "runs": { "type": ["string", "null"] }
                    },
                    "required": ["candidate", "score", "outcome", "sql"]
                }
            }
        })),
    }
}

/// Answers a call.
pub async fn call(
    session: &McpSession,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let (question, candidates) = match read(arguments) {
        Ok(read) => read,
        Err(why) => return answers::wrong(&why),
    };
    let _place = match session.place() {
        Ok(place) => place,
        Err(fault) => return answers::lost(&fault),
    };
    let chosen = rank(session, (&question, candidates), context);
    let chosen = tokio::select! {
        chosen = chosen => chosen,
        () = context.ct.cancelled() => return answers::lost(&SessionFault::TimedOut),
    };
    let ranked = match chosen {
        Ok(ranked) => ranked,
        Err(words) => return answers::failed("55000", &words),
    };
    let ranked: Vec<Value> = ranked.iter().map(told::as_json).collect();
    answers::answer(json!({ "candidates": ranked }))
}

/// The candidates, best first; else why nobody can say.
async fn rank(
    session: &McpSession,
    (question, candidates): (&str, Vec<Candidate>),
    context: &RequestContext<RoleServer>,
) -> Result<Vec<RankedCandidate>, String> {
    let services = session.services();
    let caller = session.caller(context);
    // It is never closed.
    let _turn = services
        .choices
        .acquire()
        .await
        .map_err(|_closed| "pgsieve ends")?;
    let choice = Arc::new(choice_session(session, &caller).await?);
    let count = candidates.len();
    // What runs has a line in the audit that says so: nobody votes by results here.
    let off = AgreementMode::Off;
    let ranked = choose::choose(&choice, question, candidates, &services.weights, off).await;
    services.login_context.telemetry.emit(&CandidatesRanked {
        user: &caller.user,
        application_name: &caller.application_name,
        candidates: count,
    });
    Ok(ranked)
}

fn read(arguments: Option<JsonObject>) -> Result<(String, Vec<Candidate>), WrongArguments> {
    let ChooseArguments {
        question,
        candidates,
    } = given::read(arguments)?;
    if question.len() > QUESTION_BYTES_MAX {
        let words = format!("question has more than {QUESTION_BYTES_MAX} bytes");
        return Err(WrongArguments(words));
    }
    if candidates.is_empty() || candidates.len() > CANDIDATES_MAX {
        return Err(WrongArguments(format!(
            "candidates are 1 to {CANDIDATES_MAX}"
        )));
    }
    let read = (1..).zip(&candidates).map(|(number, one)| {
        let wrong = |fault| WrongArguments(format!("candidate {number} {fault}"));
        Candidate::of_json(one).map_err(wrong)
    });
    Ok((question, read.collect::<Result<_, _>>()?))
}

/// The caller's session, as candidates are judged in it; else why there is none.
async fn choice_session(session: &McpSession, caller: &McpCaller) -> Result<ChoiceSession, String> {
    let services = session.services();
    let plan = services.session_plan(caller).await;
    let plan = plan.map_err(|failure| failure.to_string())?;
    let login = services.groundings.login(&plan);
    let unread = |_| "the database cannot be read".to_owned();
    let connected = snapshot::connect(&login.upstream, &login.account, &login.database).await;
    let (client, _task) = connected.map_err(unread)?;
    let facts = snapshot::load_lint_facts(&client).await;
    let facts = facts.map_err(|_| "the database cannot be read".to_owned())?;
    let judge = plan.judge().map_err(|failure| failure.to_string())?;
    // Whoever reads catalogs may have more rights than the caller.
    let account = services.account(caller);
    let login = ChoiceLogin {
        upstream: login.upstream,
        account: account.ok_or("nobody is known to log in for this caller")?,
        database: login.database,
        runtime: login.runtime,
    };
    let session = ChoiceSession::new(judge, plan.world, plan.who, facts, login);
    session.map_err(|refusal| refusal.message.clone())
}
