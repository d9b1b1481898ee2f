//! `check`: what would become of a statement, without running it.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::query::column_objects;
use super::{
    ToolDescription, answer_schema, arguments, columns_schema, repair_schema, statement_fields,
};
use crate::mcp::answers::{self, error_object, repair_object, rule_of};
use crate::mcp::arguments::{self as given, StatementArguments};
use crate::mcp::outcome::StatementOutcome;
use crate::mcp::session::McpSession;
use crate::mcp::statements::StatementAction;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckArguments {
    #[serde(flatten)]
    statement: StatementArguments,
}

/// What it says of itself.
pub fn description() -> ToolDescription {
    ToolDescription {
        title: "Check a statement",
        about: "Says whether a statement would run, without running it: judged under the policy, \
            repaired where that is needed, and compiled by the database. Answers the columns of \
            its result, or the rule or error and a hint.",
        input: arguments(statement_fields(), &["sql"]),
        output: answer_schema(json!({
            "verdict": {
                "type": "string",
                "enum": ["permitted", "repaired", "refused", "fails"],
                "description": "refused: by a rule of the policy or because it is no read; fails: \
                    the database does not take it."
            },
            "columns": columns_schema(),
            "repaired": repair_schema()
        })),
    }
}

/// Answers a call.
pub async fn call(
    session: &McpSession,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let read = given::read(arguments).and_then(|read: CheckArguments| read.statement.statement());
    let text = match read {
        Ok(statement) => statement.text,
        Err(why) => return answers::wrong(&why),
    };
    match session
        .send((StatementAction::Compile, &text), context)
        .await
    {
        Ok(outcome) => of_outcome(session, &outcome),
        Err(fault) => answers::lost(&fault),
    }
}

fn of_outcome(session: &McpSession, outcome: &StatementOutcome) -> CallToolResult {
    let mut told = Map::new();
    let verdict = match (&outcome.error, &outcome.repair) {
        (Some(error), _) if rule_of(error).is_some() => "refused",
        (Some(_), _) => "fails",
        (None, Some(_)) => "repaired",
        (None, None) => "permitted",
    };
    told.insert("verdict".into(), verdict.into());
    if let Some(error) = &outcome.error {
        told.insert("error".into(), error_object(error));
    } else {
        let columns = column_objects(session, &outcome.result.columns);
        told.insert("columns".into(), columns);
    }
    if let Some(repair) = &outcome.repair {
        told.insert("repaired".into(), repair_object(repair));
    }
    answers::answer(Value::Object(told))
}
