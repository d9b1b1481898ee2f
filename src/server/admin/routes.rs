//! What can be asked for, and what every answer says of itself.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::mpsc;

use super::access::{VisitorAccess, refuse_visitor};
use super::connection::AdminConnection;
use super::event_stream::EventReceiver;
use super::{AdminState, actions, grounding, receipt_keys};
use crate::telemetry::events::{AdminAnswered, AdminPage, StatusClass};

/// Everything that can be asked for.
pub fn router(shown: Arc<AdminState>) -> Router {
    let guarded = Router::new()
        .route("/events", get(events))
        .route("/grounding", get(grounding::grounding))
        .route("/api/state", get(state))
        .route("/api/fingerprint/{digits}", get(fingerprint))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&shown), admit));
    let named = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/.well-known/jwks.json", get(receipt_keys::key_set))
        .route_layer(middleware::from_fn_with_state(
            Arc::clone(&shown),
            require_known_host,
        ));
    Router::new()
        .route("/", get(live))
        .merge(named)
        .merge(guarded)
        .merge(actions::router(&shown))
        .fallback(nothing)
        .layer(middleware::from_fn_with_state(
            Arc::clone(&shown),
            finish_answer,
        ))
        .with_state(shown)
}

/// The page, which holds nothing but itself: who may not see yet finds the place for the token.
async fn live(
    State(shown): State<Arc<AdminState>>,
    Extension(slot): Extension<Arc<AdminConnection>>,
    request: Request,
) -> Response {
    match shown.door().admit_reader(slot.peer, &request) {
        // A link on another page may lead here.
        VisitorAccess::Welcome | VisitorAccess::OtherPage => shown.page.response(StatusCode::OK),
        VisitorAccess::WithoutToken => shown.page.response(StatusCode::UNAUTHORIZED),
        VisitorAccess::Elsewhere => turned_away(),
    }
}

async fn metrics(State(shown): State<Arc<AdminState>>) -> Response {
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    ([(header::CONTENT_TYPE, kind)], shown.telemetry.scrape()).into_response()
}

async fn healthz() -> &'static str {
    "alive\n"
}

async fn readyz(State(shown): State<Arc<AdminState>>) -> (StatusCode, String) {
    let report = shown.readiness.report();
    let status = if report.is_ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, report.text)
}

async fn nothing() -> (StatusCode, &'static str) {
    (
        StatusCode::NOT_FOUND,
        "/, /grounding, /metrics, /healthz or /readyz\n",
    )
}

/// What follows on the page, until whoever looks is gone.
async fn events(
    State(shown): State<Arc<AdminState>>,
    Extension(slot): Extension<Arc<AdminConnection>>,
    method: Method,
) -> Response {
    let kind = [(header::CONTENT_TYPE, EVENTS_TYPE)];
    if method == Method::HEAD {
        return kind.into_response();
    }
    let Some(room) = shown.followers.room(&slot).await else {
        let later = [(header::RETRY_AFTER, HeaderValue::from_static("5"))];
        let words = "too many are looking already\n";
        return (StatusCode::SERVICE_UNAVAILABLE, later, words).into_response();
    };
    slot.follow(room);
    let (sender, receiver) = mpsc::channel(1);
    let first = shown.feed.first(&shown.telemetry, &shown.readiness);
    // It ends with its receiver, which is a part of the answer.
    tokio::spawn(shown.feed.follow(first, sender));
    (kind, Body::from_stream(EventReceiver(receiver))).into_response()
}

/// The same, once.
async fn state(State(shown): State<Arc<AdminState>>) -> Response {
    json(shown.feed.state(&shown.telemetry, &shown.readiness))
}

/// The history of one refused fingerprint.
async fn fingerprint(State(shown): State<Arc<AdminState>>, Path(digits): Path<String>) -> Response {
    let recent = shown.telemetry.recent();
    let history = recent.and_then(|recent| recent.history(&digits));
    match history.and_then(|history| serde_json::to_vec(&history).ok()) {
        Some(text) => json(text.into()),
        None => (StatusCode::NOT_FOUND, "not refused lately\n").into_response(),
    }
}

/// An answer that is JSON.
pub fn json(text: Bytes) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// Lets through who may see.
pub async fn admit(
    State(shown): State<Arc<AdminState>>,
    Extension(slot): Extension<Arc<AdminConnection>>,
    request: Request,
    next: Next,
) -> Response {
    match refuse_visitor(shown.door().admit_reader(slot.peer, &request), turned_away) {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

/// Lets through what asks for this address by a name of its own.
async fn require_known_host(
    State(shown): State<Arc<AdminState>>,
    request: Request,
    next: Next,
) -> Response {
    if shown.keys.now().hosts.allow_request(&request) {
        return next.run(request).await;
    }
    let words = "This address is asked for by an IP address, as localhost, or by a name that \
                 admin.hosts has.\n";
    (StatusCode::MISDIRECTED_REQUEST, words).into_response()
}

fn turned_away() -> Response {
    let words = "The live page is shown on this host alone, as localhost or by its address, and \
                 never through a proxy. With admin.token_file it is shown to whoever has the token.\n";
    (StatusCode::FORBIDDEN, words).into_response()
}

/// Answers what is neither GET nor HEAD, counts, and adds what every answer says of itself.
async fn finish_answer(
    State(shown): State<Arc<AdminState>>,
    Extension(slot): Extension<Arc<AdminConnection>>,
    request: Request,
    next: Next,
) -> Response {
    slot.ask();
    let page = page_of(request.uri().path());
    let is_act = actions::is_act(request.method(), request.uri().path());
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = if is_act || is_read {
        next.run(request).await
    } else {
        let allow = [(header::ALLOW, HeaderValue::from_static("GET, HEAD"))];
        (StatusCode::METHOD_NOT_ALLOWED, allow, "GET or HEAD\n").into_response()
    };
    let headers = response.headers_mut();
    for (name, value) in DRESS {
        headers.insert(name, value);
    }
    shown.telemetry.emit(&AdminAnswered {
        page,
        status: StatusClass::of(response.status().as_u16()),
    });
    response
}

fn page_of(path: &str) -> AdminPage {
    match path {
        "/" => AdminPage::Live,
        "/events" => AdminPage::Events,
        "/grounding" => AdminPage::Grounding,
        "/metrics" => AdminPage::Metrics,
        "/healthz" => AdminPage::Healthz,
        "/readyz" => AdminPage::Readyz,
        path if path.starts_with("/api/") => AdminPage::Api,
        _ => AdminPage::Other,
    }
}

const EVENTS_TYPE: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Nothing is kept, nothing is taken for what it is not, and no other page may have it.
const DRESS: [(HeaderName, HeaderValue); 5] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
];
