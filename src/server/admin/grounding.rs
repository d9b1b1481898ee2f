//! `GET /grounding`: what a session may read that the request names. To who may see the live page;
//! values of rows to who has the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::task::spawn_blocking;

use super::AdminState;
use super::access::refuse_visitor;
use crate::grounding::{BudgetTooSmall, GroundingFormat};
use crate::server::grounding::failure::GroundingFailure;
use crate::server::grounding::request::GroundingRequest;
use crate::server::grounding::service::AskedGrounding;

/// Answers a request.
pub async fn grounding(State(shown): State<Arc<AdminState>>, request: Request) -> Response {
    let asked = GroundingRequest::read(request.uri().query().unwrap_or_default());
    let asked = match asked {
        Ok(asked) => asked,
        Err(failure) => return failed(&failure),
    };
    if asked.wants_values()
        && let Some(refusal) = refuse_visitor(shown.door().admit_actor(&request), without_token)
    {
        return refusal;
    }
    let (is_head, known) = (request.method() == Method::HEAD, request.headers().clone());
    match shown.groundings.answer(&asked).await {
        Ok(found) => match told(found, asked, (is_head, &known)).await {
            Ok(response) => response,
            Err(failure) => failed(&failure),
        },
        Err(failure) => failed(&failure),
    }
}

async fn told(
    found: AskedGrounding,
    asked: GroundingRequest,
    (is_head, known): (bool, &HeaderMap),
) -> Result<Response, GroundingFailure> {
    let version = found.whole.version.to_string();
    let tag = format!("\"{version}\"");
    let tag_value = HeaderValue::from_str(&tag).map_err(|_error| GroundingFailure::Internal)?;
    let tagged = [(header::ETAG, tag_value)];
    if has_tag(known, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, tagged).into_response());
    }
    let kind = match asked.wish.format {
        GroundingFormat::Json => "application/json",
        GroundingFormat::Markdown => "text/markdown; charset=utf-8",
        GroundingFormat::MSchema | GroundingFormat::Ddl => "text/plain; charset=utf-8",
    };
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(kind))];
    // A question is looked up in all that there is.
    let text = spawn_blocking(move || found.whole.text(&asked.wish)).await;
    match text.map_err(|_panic| GroundingFailure::Internal)? {
        Ok(_) if is_head => Ok((tagged, kind).into_response()),
        Ok(text) => Ok((tagged, kind, text).into_response()),
        Err(BudgetTooSmall(least)) => Err(GroundingFailure::Request(format!(
            "budget is too small: what cannot be left out takes {least} tokens"
        ))),
    }
}

/// Whether whoever asks has that version, or any that there may be.
fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok());
    let mut tags = known.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|own| own == "*" || own.strip_prefix("W/").unwrap_or(own) == tag)
}

fn failed(failure: &GroundingFailure) -> Response {
    let words = format!("{failure}\n");
    if failure.is_of_the_moment() {
        let later = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
        return (failure.status(), later, words).into_response();
    }
    (failure.status(), words).into_response()
}

fn without_token() -> Response {
    let words = "Values of rows are for who has the token, on this host as well: admin.token_file \
                 names its file, and there is none.\n";
    (StatusCode::FORBIDDEN, words).into_response()
}
