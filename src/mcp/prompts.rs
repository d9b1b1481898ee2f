//! What can be asked a model: a prompt with what the caller may read.

use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use super::session::McpSession;
use crate::grounding::{GroundingFormat, GroundingWish};

/// The prompt for writing a statement.
const WRITE_SQL: &str = "write_sql";

/// The prompts.
pub fn all() -> Vec<Prompt> {
    let question = PromptArgument::new("question")
        .with_description("The question that the statement answers.")
        .with_required(true);
    let about = "Write one PostgreSQL read that answers a question about this database.";
    vec![Prompt::new(WRITE_SQL, Some(about), Some(vec![question])).with_title("Write SQL")]
}

/// One of them, for a caller.
///
/// # Errors
/// There is no such prompt, the question is missing, or the database cannot be told of now.
pub async fn get(
    session: &McpSession,
    asked: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResult, ErrorData> {
    if asked.name != WRITE_SQL {
        return Err(ErrorData::invalid_params("there is no such prompt", None));
    }
    let given = asked.arguments.as_ref();
    let question = given.and_then(|given| given.get("question")?.as_str());
    let Some(question) = question.filter(|question| !question.trim().is_empty()) else {
        return Err(ErrorData::invalid_params("question is missing", None));
    };
    let whole = session.grounding(context).await;
    let whole = whole.map_err(|failure| ErrorData::internal_error(failure.to_string(), None))?;
    let wish = GroundingWish {
        question: Some(question.to_owned()),
        budget: None,
        format: GroundingFormat::Markdown,
    };
    let told = tokio::task::spawn_blocking(move || whole.text(&wish)).await;
    let told = told.ok().and_then(Result::ok);
    let told = told.ok_or_else(|| ErrorData::internal_error("nothing can be told", None))?;
    let text = format!("{TASK}\n\n# Question\n\n{question}\n\n# Database\n\n{told}");
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(DESCRIPTION))
}

const DESCRIPTION: &str = "Write one PostgreSQL read for a question";

const TASK: &str = "Answer the question below with one PostgreSQL statement that only reads. Use \
    the relations and columns that are listed and no others. Check it with the tool check, then \
    run it with the tool query. Where a record says what to ask, ask that first.";
