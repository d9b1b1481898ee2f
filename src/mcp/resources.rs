//! What can be read: the grounding by its version, records of knowledge, and the policy.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::session::McpSession;
use crate::grounding::{GroundedRecord, GroundingFormat, GroundingWish, WholeGrounding};

/// What addresses of resources begin with.
pub const SCHEME: &str = "pgsieve://";

/// The grounding of this moment.
pub const GROUNDING: &str = "pgsieve://grounding";

/// The policy of the caller.
const POLICY: &str = "pgsieve://policy";

/// What stands before the kind and name of a record.
const KNOWLEDGE: &str = "pgsieve://knowledge/";

/// All that a caller can read.
///
/// # Errors
/// The database cannot be told of now.
pub async fn list(
    session: &McpSession,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<Resource>, ErrorData> {
    let whole = grounding(session, context).await?;
    let mut resources = vec![
        Resource::new(GROUNDING, "grounding")
            .with_title("What can be read")
            .with_description(format!(
                "The relations that can be read; version {}",
                whole.version
            ))
            .with_mime_type(MARKDOWN),
        Resource::new(POLICY, "policy")
            .with_title("The policy")
            .with_description("The policy that statements are under")
            .with_mime_type(JSON),
    ];
    resources.extend(whole.document.knowledge.iter().map(|record| {
        Resource::new(address(record), record.name.clone())
            .with_title(format!("{}: {}", record.kind, record.name))
            .with_mime_type(TEXT)
    }));
    Ok(resources)
}

/// The addresses that are made of a version.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{GROUNDING}/{{version}}"), "grounding by version")
            .with_title("What could be read at a version")
            .with_mime_type(MARKDOWN),
    ]
}

/// One of them.
///
/// # Errors
/// There is no such resource, or the database cannot be told of now.
pub async fn read(
    session: &McpSession,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let (text, kind) = if uri == POLICY {
        (policy(session, context).await?, JSON)
    } else {
        let whole = grounding(session, context).await?;
        match record(&whole, uri) {
            Some(sentence) => (sentence, TEXT),
            None => (told(&whole, uri)?, MARKDOWN),
        }
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(kind);
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn grounding(
    session: &McpSession,
    context: &RequestContext<RoleServer>,
) -> Result<Arc<WholeGrounding>, ErrorData> {
    let whole = session.grounding(context).await;
    whole.map_err(|failure| ErrorData::internal_error(failure.to_string(), None))
}

/// The grounding, where an address names it as it is now.
fn told(whole: &WholeGrounding, uri: &str) -> Result<String, ErrorData> {
    let missing = |words: String| ErrorData::resource_not_found(words, None);
    let rest = uri.strip_prefix(GROUNDING);
    let rest = rest.ok_or_else(|| missing("there is no such resource".to_owned()))?;
    let version = whole.version.to_string();
    match rest.strip_prefix('/') {
        None if rest.is_empty() => {}
        Some(asked) if asked == version => {}
        _ => return Err(missing(format!("the version of this moment is {version}"))),
    }
    let wish = GroundingWish {
        question: None,
        budget: None,
        format: GroundingFormat::Markdown,
    };
    let text = whole.text(&wish);
    text.map_err(|_| ErrorData::internal_error("nothing can be told", None))
}

fn record(whole: &WholeGrounding, uri: &str) -> Option<String> {
    let mut records = whole.document.knowledge.iter();
    let record = records.find(|record| address(record) == uri)?;
    Some(record.sentence())
}

async fn policy(
    session: &McpSession,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let caller = session.caller(context);
    let plan = session.services().session_plan(&caller).await;
    let plan = plan.map_err(|failure| ErrorData::internal_error(failure.to_string(), None))?;
    // What there is under it is told by the grounding, as far as the caller may read it.
    let told = json!({ "name": plan.policy.name(), "version": plan.policy.version() });
    Ok(told.to_string())
}

/// Names may have any letter in them.
fn address(record: &GroundedRecord) -> String {
    let name = utf8_percent_encode(&record.name, NON_ALPHANUMERIC);
    format!("{KNOWLEDGE}{}/{name}", record.kind)
}

const MARKDOWN: &str = "text/markdown";

const TEXT: &str = "text/plain";

const JSON: &str = "application/json";
