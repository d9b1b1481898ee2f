//! Which token a request has, and the answers to those that have none that lets them in.

use std::convert::Infallible;
use std::fmt;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};

use super::oauth::{OAuthBearers, OAuthRefusal};
use crate::auth::oidc::token::TokenError;
use crate::telemetry::labels::LoginMethod;

/// An answer.
pub type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;

/// Why a request is not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BearerRefusal {
    /// It says no token.
    Missing,
    /// The file does not have its token, or that has ended.
    Unknown,
    /// Its token is refused as one of the issuer's.
    OAuth(OAuthRefusal),
}

impl BearerRefusal {
    /// Whose token it would have been.
    pub fn method(&self) -> LoginMethod {
        match self {
            Self::Missing | Self::Unknown => LoginMethod::McpToken,
            Self::OAuth(_) => LoginMethod::McpOauth,
        }
    }

    /// What whoever says the token is told: where to get another one, and no more of why than its
    /// owner may know.
    pub fn answer(&self, oauth: Option<&OAuthBearers>) -> HttpAnswer {
        let (status, error, words) = match self {
            Self::Missing => (StatusCode::UNAUTHORIZED, None, WANTED),
            Self::OAuth(OAuthRefusal::Unproved(TokenError::NoKeys(_))) => {
                let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE, NO_KEYS);
                let headers = answer.headers_mut();
                headers.insert(RETRY_AFTER, HeaderValue::from_static("30"));
                return answer;
            }
            Self::OAuth(OAuthRefusal::Unproved(TokenError::Expired)) => {
                (StatusCode::UNAUTHORIZED, Some("invalid_token"), EXPIRED)
            }
            Self::OAuth(OAuthRefusal::Scope(_)) => {
                (StatusCode::FORBIDDEN, Some("insufficient_scope"), SCOPE)
            }
            Self::Unknown | Self::OAuth(_) => {
                (StatusCode::UNAUTHORIZED, Some("invalid_token"), WANTED)
            }
        };
        let mut answer = plain(status, words);
        // What it is made of are settings; what no header can have is left out.
        if let Ok(value) = HeaderValue::from_str(&challenge(error, oauth)) {
            answer.headers_mut().insert(WWW_AUTHENTICATE, value);
        }
        answer
    }
}

/// The way to a token. <https://www.rfc-editor.org/rfc/rfc9728#section-5.1>
fn challenge(error: Option<&str>, oauth: Option<&OAuthBearers>) -> String {
    let mut told = "Bearer realm=\"pgsieve\"".to_owned();
    let mut add = |name: &str, value: &str| told.push_str(&format!(", {name}=\"{value}\""));
    if let Some(error) = error {
        add("error", error);
    }
    if let Some(oauth) = oauth {
        add("resource_metadata", &oauth.resource().metadata_address());
        if !oauth.scopes().is_empty() {
            add("scope", &oauth.scopes().join(" "));
        }
    }
    told
}

/// The token that a request says, where it says one alone.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut said = headers.get_all(AUTHORIZATION).iter();
    let one = said.next()?;
    if said.next().is_some() {
        return None;
    }
    let (scheme, token) = one.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

/// A few words.
pub fn plain(status: StatusCode, words: &'static str) -> HttpAnswer {
    written(
        status,
        "text/plain; charset=utf-8",
        Bytes::from_static(words.as_bytes()),
    )
}

/// An answer of one piece.
pub fn written(status: StatusCode, content_type: &'static str, body: Bytes) -> HttpAnswer {
    let mut answer = Response::new(Full::new(body).boxed());
    *answer.status_mut() = status;
    let content_type = HeaderValue::from_static(content_type);
    answer.headers_mut().insert(CONTENT_TYPE, content_type);
    answer
}

impl fmt::Display for BearerRefusal {
    /// For the log: nothing of the token itself.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => formatter.write_str("there is none"),
            Self::Unknown => formatter.write_str("it is not in mcp.token_file, or has ended"),
            Self::OAuth(refusal) => refusal.fmt(formatter),
        }
    }
}

const WANTED: &str = "a token is wanted: Authorization: Bearer …";

const EXPIRED: &str = "the token has expired";

const SCOPE: &str = "the token was not given for a scope that is needed here";

const NO_KEYS: &str = "the issuer's keys cannot be had now: no token can be checked";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bearer_is_heard() {
        let of = |said: &[&str]| {
            let mut headers = HeaderMap::new();
            for one in said {
                headers.append(AUTHORIZATION, HeaderValue::from_str(one).unwrap());
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(of(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(of(&["bearer  abc "]).as_deref(), Some("abc"));
        for none in [
            &[][..],
            &["abc"],
            &["Basic abc"],
            &["Bearer"],
            &["Bearer a", "Bearer b"],
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }
}
