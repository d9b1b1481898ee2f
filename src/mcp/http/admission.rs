//! Which token a request has, and the answers to those that have none.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

/// An answer.
pub type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;

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

/// To whoever has no token that lets it in. Whether there is such a token is not told.
pub fn unauthorized() -> HttpAnswer {
    let mut answer = plain(
        StatusCode::UNAUTHORIZED,
        "a token is wanted: Authorization: Bearer …",
    );
    let challenge = HeaderValue::from_static("Bearer realm=\"pgsieve\"");
    answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    answer
}

/// A few words.
pub fn plain(status: StatusCode, words: &'static str) -> HttpAnswer {
    let mut answer = Response::new(Full::new(Bytes::from_static(words.as_bytes())).boxed());
    *answer.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, text);
    answer
}

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
