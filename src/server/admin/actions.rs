//! What can be asked for by whoever runs pgsieve: that everything is read again, who is in, and
//! that a session ends.
//!
//! What changes something needs the token, on this host as well: anybody here can reach the
//! address.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use tokio::time::timeout;

use super::AdminState;
use super::access::refuse_visitor;
use super::routes::{admit, json};
use crate::limits::{ADMIN_RELOAD_WAIT, ADMIN_SESSIONS_MAX};
use crate::server::reload::source::ReloadReport;
use crate::session::registry::SessionShown;
use crate::telemetry::events::SessionEndAsked;

/// What can be asked for.
pub fn router(shown: &Arc<AdminState>) -> Router<Arc<AdminState>> {
    let seen = Router::new()
        .route("/api/sessions", get(sessions))
        .route_layer(middleware::from_fn_with_state(Arc::clone(shown), admit));
    let done = Router::new()
        .route("/api/reload", post(reload))
        .route("/api/sessions/{id}/end", post(end))
        .route_layer(middleware::from_fn_with_state(
            Arc::clone(shown),
            require_token,
        ));
    seen.merge(done)
}

/// Whether a request is one that may be sent by POST.
pub fn is_act(method: &Method, path: &str) -> bool {
    *method == Method::POST && (path == "/api/reload" || path.starts_with("/api/sessions/"))
}

/// Who is in.
#[derive(Serialize)]
struct OpenSessions {
    sessions: Vec<SessionShown>,
    /// How many there are beyond those.
    more: usize,
}

/// Lets through who has the token.
async fn require_token(
    State(shown): State<Arc<AdminState>>,
    request: Request,
    next: Next,
) -> Response {
    match refuse_visitor(shown.door().admit_actor(&request), without_token) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

fn without_token() -> Response {
    let words = "What changes something is for who has the token, on this host as well: \
                 admin.token_file names its file, and there is none.\n";
    (StatusCode::FORBIDDEN, words).into_response()
}

/// Has everything read again, and tells what came of it.
async fn reload(State(shown): State<Arc<AdminState>>) -> Response {
    let Ok(report) = timeout(ADMIN_RELOAD_WAIT, shown.asker.hear()).await else {
        let words = "it takes longer than an answer may: see /readyz and the log\n";
        return (StatusCode::GATEWAY_TIMEOUT, words).into_response();
    };
    match report {
        Some(report) => report_response(&report),
        None => {
            let words = "too many have asked already, or pgsieve stops\n";
            (StatusCode::SERVICE_UNAVAILABLE, words).into_response()
        }
    }
}

fn report_response(report: &ReloadReport) -> Response {
    match serde_json::to_vec(report) {
        Ok(text) => json(text.into()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Every session that is open.
async fn sessions(State(shown): State<Arc<AdminState>>) -> Response {
    let (sessions, more) = shown.session_registry.shown(ADMIN_SESSIONS_MAX);
    match serde_json::to_vec(&OpenSessions { sessions, more }) {
        Ok(text) => json(text.into()),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Ends a session, as an administrator of the server would.
async fn end(State(shown): State<Arc<AdminState>>, Path(id): Path<String>) -> Response {
    let id = id.parse::<u64>().ok();
    match id.filter(|id| shown.session_registry.end(*id)) {
        Some(id) => {
            shown.telemetry.emit(&SessionEndAsked { id });
            let kind = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, kind)], "{\"ended\":true}").into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such session\n").into_response(),
    }
}
