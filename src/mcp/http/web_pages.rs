//! Web pages that ask from another origin: which may, and what their browsers are told.
//!
//! <https://fetch.spec.whatwg.org/#http-cors-protocol>

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderMap, HeaderName, HeaderValue,
    ORIGIN, VARY,
};
use hyper::{Method, Request, StatusCode, Uri};

use super::admission::{HttpAnswer, written};

/// The origin of the page that asks, where it is one of these.
pub fn allowed_page(headers: &HeaderMap, allowed: &[String]) -> Option<HeaderValue> {
    let mut said = headers.get_all(ORIGIN).iter();
    let origin = said.next().filter(|_| said.next().is_none())?;
    let page = PageOrigin::parse(origin.to_str().ok()?)?;
    let is_allowed = allowed.iter().any(|one| page.is_of(one));
    is_allowed.then(|| origin.clone())
}

/// What a browser is told that asks first whether its page may ask.
pub fn preflight<B>(request: &Request<B>) -> Option<HttpAnswer> {
    if request.method() != Method::OPTIONS {
        return None;
    }
    let mut answer = written(StatusCode::NO_CONTENT, "text/plain", Bytes::new());
    tell(&mut answer, ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    tell(&mut answer, ACCESS_CONTROL_ALLOW_HEADERS, ASKED_HEADERS);
    tell(&mut answer, ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
    Some(answer)
}

/// Lets the page read the answer.
pub fn show_to(page: HeaderValue, answer: &mut HttpAnswer) {
    tell(answer, VARY, "Origin");
    tell(answer, ACCESS_CONTROL_EXPOSE_HEADERS, ANSWERED_HEADERS);
    answer
        .headers_mut()
        .insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
}

fn tell(answer: &mut HttpAnswer, name: HeaderName, value: &'static str) {
    answer
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}

/// An origin, taken apart.
struct PageOrigin {
    scheme: String,
    host: String,
    /// None where it is the scheme's own.
    port: Option<u16>,
}

impl PageOrigin {
    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let authority = uri.authority()?;
        Some(Self {
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().or_else(|| usual_port(&scheme)),
            scheme,
        })
    }

    /// Whether it is meant by an entry of the settings: without a port it means every port.
    fn is_of(&self, entry: &str) -> bool {
        let (entry, any_port) = match entry.strip_suffix(":*") {
            Some(rest) => (rest, true),
            None => (entry, false),
        };
        let Some(meant) = Self::parse(entry) else {
            return false;
        };
        let says_port = entry
            .parse::<Uri>()
            .is_ok_and(|uri| uri.port_u16().is_some());
        let fits_port = any_port || !says_port || meant.port == self.port;
        meant.scheme == self.scheme && meant.host == self.host && fits_port
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
}

const METHODS: &str = "GET, POST, DELETE, OPTIONS";

const ASKED_HEADERS: &str = "Authorization, Content-Type, Accept, Last-Event-ID, \
    MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name";

const ANSWERED_HEADERS: &str = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";

const MAX_AGE_SECONDS: &str = "600";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_settings_alone_may_ask() {
        let allowed = [
            "https://agent.example.com:443",
            "http://localhost",
            "http://127.0.0.1:*",
            "https://other.example.com:8443",
        ]
        .map(str::to_owned);
        for (origin, may) in [
            ("https://agent.example.com", true),
            ("https://agent.example.com:443", true),
            ("https://agent.example.com:444", false),
            ("http://agent.example.com", false),
            ("https://agent.example.com.evil.org", false),
            ("http://localhost:5173", true),
            ("http://127.0.0.1:80", true),
            ("https://other.example.com", false),
            ("https://other.example.com:8443", true),
            ("null", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
            let found = allowed_page(&headers, &allowed);
            assert_eq!(found.is_some(), may, "{origin}");
            headers.append(ORIGIN, HeaderValue::from_static("http://localhost:1"));
            assert_eq!(
                allowed_page(&headers, &allowed),
                None,
                "{origin} and another"
            );
        }
    }
}
