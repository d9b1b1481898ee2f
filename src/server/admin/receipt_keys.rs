//! The keys that receipts are verified by, as JOSE libraries look for them.
//!
//! They are public: who may ask for metrics may ask for them.
//!
//! <https://www.rfc-editor.org/rfc/rfc7517>

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};

use super::AdminState;

pub(super) async fn key_set(State(shown): State<Arc<AdminState>>) -> Response {
    match &shown.receipt_issuer {
        Some(issuer) => {
            let kind = HeaderValue::from_static("application/jwk-set+json");
            let keys = issuer.signer().keys().key_set().to_json();
            ([(CONTENT_TYPE, kind)], keys).into_response()
        }
        None => (StatusCode::NOT_FOUND, "receipts.key_file is not set\n").into_response(),
    }
}
