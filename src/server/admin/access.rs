//! Who may see the live page, which names users: whoever has the token, and whoever is on this
//! host.
//!
//! "On this host" is less than a loopback address. A reverse proxy here makes everybody come from
//! loopback, so a request that says it was forwarded does not count. A web page elsewhere can have
//! its own name stand for 127.0.0.1, so the request has to name this host as itself; and it can
//! have the browser ask for it, so what a browser says to come from another page does not count.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Request, StatusCode, Version};
use axum::response::{IntoResponse, Response};

use crate::secret::Secret;

/// What decides who may see.
pub struct AccessRule {
    /// The hash of the token: hashes are compared in constant time.
    token: Option<blake3::Hash>,
    bound: Option<IpAddr>,
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitorAccess {
    /// May see.
    Welcome,
    /// May see with a token.
    WithoutToken,
    /// May not see from there, and there is no token to show.
    Elsewhere,
    /// Another web page has the browser ask.
    OtherPage,
}

impl AccessRule {
    /// `bound` is the address that pgsieve listens on.
    pub fn new(token: Option<&Secret>, bound: Option<IpAddr>) -> Self {
        Self {
            token: token.map(|token| blake3::hash(token.reveal().as_bytes())),
            bound,
        }
    }

    /// Who asks for what the page shows.
    pub fn admit_reader<B>(&self, peer: SocketAddr, request: &Request<B>) -> VisitorAccess {
        let headers = request.headers();
        if comes_from_other_page(headers) {
            return VisitorAccess::OtherPage;
        }
        let without = match self.token {
            Some(_) => VisitorAccess::WithoutToken,
            None => VisitorAccess::Elsewhere,
        };
        if headers.contains_key(AUTHORIZATION) {
            return match (&self.token, bearer(headers)) {
                (Some(token), Some(given)) if *token == blake3::hash(given) => {
                    VisitorAccess::Welcome
                }
                _ => without,
            };
        }
        // Some proxies add no word of theirs and name this host as they reach it: they speak 1.0.
        let is_here = peer.ip().to_canonical().is_loopback()
            && request.version() == Version::HTTP_11
            && !headers.keys().any(|name| is_forwarding(name.as_str()))
            && self.is_named(request);
        if is_here {
            VisitorAccess::Welcome
        } else {
            without
        }
    }

    /// Who asks for something to be changed: that takes the token, on this host as well.
    pub fn admit_actor<B>(&self, request: &Request<B>) -> VisitorAccess {
        let headers = request.headers();
        if comes_from_other_page(headers) {
            return VisitorAccess::OtherPage;
        }
        match (&self.token, bearer(headers)) {
            (Some(token), Some(given)) if *token == blake3::hash(given) => VisitorAccess::Welcome,
            (Some(_), _) => VisitorAccess::WithoutToken,
            (None, _) => VisitorAccess::Elsewhere,
        }
    }

    /// Whether the request names this host as somebody on it would.
    fn is_named<B>(&self, request: &Request<B>) -> bool {
        let mut hosts = request.headers().get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let host = host.to_str().ok().and_then(|host| host.parse().ok());
        host.is_some_and(|host: Authority| self.is_own(&host))
            && request
                .uri()
                .authority()
                .is_none_or(|host| self.is_own(host))
    }

    fn is_own(&self, authority: &Authority) -> bool {
        let host = authority.host();
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let address = bare.unwrap_or(host).parse::<IpAddr>();
        let is_own = host.eq_ignore_ascii_case("localhost")
            || address.is_ok_and(|address| address.is_loopback() || Some(address) == self.bound);
        // A host is not asked for with a user, and browsers send none.
        is_own && !authority.as_str().contains('@')
    }
}

/// What those hear who are not let through; nothing, who is.
pub fn refuse_visitor(visitor: VisitorAccess, elsewhere: fn() -> Response) -> Option<Response> {
    match visitor {
        VisitorAccess::Welcome => None,
        VisitorAccess::WithoutToken => {
            let wanted = [(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"pgsieve\""),
            )];
            let words = "a bearer token is wanted\n";
            Some((StatusCode::UNAUTHORIZED, wanted, words).into_response())
        }
        VisitorAccess::Elsewhere => Some(elsewhere()),
        VisitorAccess::OtherPage => {
            Some((StatusCode::FORBIDDEN, "not from another page\n").into_response())
        }
    }
}

/// What follows `Bearer`.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, token) = value.as_bytes().split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

/// What browsers say of the page that asks. Scrapers and scripts say nothing of the kind.
fn comes_from_other_page(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    let is_other_site = !matches!(site, None | Some(b"same-origin" | b"none"));
    let host = headers.get(HOST).map(|host| host.as_bytes());
    let is_other_origin = headers.get(ORIGIN).is_some_and(|origin| {
        let origin = origin.as_bytes();
        let named = origin
            .strip_prefix(b"http://")
            .or_else(|| origin.strip_prefix(b"https://"));
        named.is_none() || named != host
    });
    is_other_site || is_other_origin
}

/// Whether a header says that the request came to this host from elsewhere.
fn is_forwarding(name: &str) -> bool {
    FORWARDING.contains(&name) || name.starts_with("x-forwarded") || name.starts_with("x-original")
}

/// What proxies add, in lower case as names are kept.
const FORWARDING: [&str; 10] = [
    "cf-connecting-ip",
    "fastly-client-ip",
    "forwarded",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "x-proxyuser-ip",
    "x-real-ip",
];

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    const HERE: &str = "127.0.0.1:40000";
    const THERE: &str = "192.0.2.7:40000";
    const TOKEN: &str = "a-token-of-sixteen-or-more";

    fn judge(
        token: Option<&str>,
        peer: &str,
        uri: &str,
        headers: &[(&str, &str)],
    ) -> VisitorAccess {
        let token = token.map(Secret::new);
        let door = AccessRule::new(token.as_ref(), Some([192, 0, 2, 1].into()));
        let mut request = Request::get(uri).body(()).unwrap();
        let map = request.headers_mut();
        for (name, value) in headers {
            map.append(
                name.parse::<HeaderName>().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        door.admit_reader(peer.parse().unwrap(), &request)
    }

    #[test]
    fn this_host_sees_and_others_need_the_token() {
        let host = ("host", "localhost:9432");
        for peer in [HERE, "[::1]:1", "[::ffff:127.0.0.1]:1", "127.9.9.9:1"] {
            assert_eq!(
                judge(None, peer, "/", &[host]),
                VisitorAccess::Welcome,
                "{peer}"
            );
            assert_eq!(
                judge(Some(TOKEN), peer, "/", &[host]),
                VisitorAccess::Welcome
            );
        }
        assert_eq!(judge(None, THERE, "/", &[host]), VisitorAccess::Elsewhere);
        assert_eq!(
            judge(Some(TOKEN), THERE, "/", &[host]),
            VisitorAccess::WithoutToken
        );
        // Its own address, from itself: no loopback.
        let own = ("host", "192.0.2.1:9432");
        assert_eq!(
            judge(None, "192.0.2.1:5", "/", &[own]),
            VisitorAccess::Elsewhere
        );
        assert_eq!(judge(None, HERE, "/", &[own]), VisitorAccess::Welcome);
    }

    #[test]
    fn the_token_opens_and_nothing_like_it_does() {
        let host = ("host", "db.example.org");
        for (given, wanted) in [
            ("Bearer a-token-of-sixteen-or-more", VisitorAccess::Welcome),
            ("bearer a-token-of-sixteen-or-more", VisitorAccess::Welcome),
            (
                "Bearer a-token-of-sixteen-or-mor",
                VisitorAccess::WithoutToken,
            ),
            (
                "Bearer a-token-of-sixteen-or-more ",
                VisitorAccess::WithoutToken,
            ),
            ("Bearer ", VisitorAccess::WithoutToken),
            ("Bearer", VisitorAccess::WithoutToken),
            (
                "Basic a-token-of-sixteen-or-more",
                VisitorAccess::WithoutToken,
            ),
            ("a-token-of-sixteen-or-more", VisitorAccess::WithoutToken),
        ] {
            let headers = [host, ("authorization", given)];
            assert_eq!(
                judge(Some(TOKEN), THERE, "/", &headers),
                wanted,
                "{given:?}"
            );
        }
        let twice = ("authorization", "Bearer a-token-of-sixteen-or-more");
        assert_eq!(
            judge(Some(TOKEN), THERE, "/", &[host, twice, twice]),
            VisitorAccess::WithoutToken
        );
        // A wrong one is wrong on this host, too, and where there is none all are.
        let here = ("host", "localhost");
        let wrong = ("authorization", "Bearer wrong");
        assert_eq!(
            judge(Some(TOKEN), HERE, "/", &[here, wrong]),
            VisitorAccess::WithoutToken
        );
        assert_eq!(
            judge(None, HERE, "/", &[here, wrong]),
            VisitorAccess::Elsewhere
        );
        // Never in the address.
        let uri = "/?token=a-token-of-sixteen-or-more";
        assert_eq!(
            judge(Some(TOKEN), THERE, uri, &[host]),
            VisitorAccess::WithoutToken
        );
    }

    #[test]
    fn what_changes_something_takes_the_token_wherever_it_is_asked_from() {
        let act = |token: Option<&str>, headers: &[(&'static str, &str)]| {
            let door = AccessRule::new(token.map(Secret::new).as_ref(), None);
            let mut request = Request::post("/api/reload").body(()).unwrap();
            for (name, value) in headers {
                let value = HeaderValue::from_str(value).unwrap();
                request.headers_mut().append(*name, value);
            }
            door.admit_actor(&request)
        };
        let right = ("authorization", "Bearer a-token-of-sixteen-or-more");
        let (host, wrong) = (("host", "localhost"), ("authorization", "Bearer x"));
        assert_eq!(act(Some(TOKEN), &[host, right]), VisitorAccess::Welcome);
        assert_eq!(act(Some(TOKEN), &[host]), VisitorAccess::WithoutToken);
        assert_eq!(
            act(Some(TOKEN), &[host, wrong]),
            VisitorAccess::WithoutToken
        );
        assert_eq!(
            act(Some(TOKEN), &[right, right]),
            VisitorAccess::WithoutToken
        );
        assert_eq!(act(None, &[host]), VisitorAccess::Elsewhere);
        assert_eq!(act(None, &[host, right]), VisitorAccess::Elsewhere);
        let other = ("sec-fetch-site", "cross-site");
        assert_eq!(act(Some(TOKEN), &[right, other]), VisitorAccess::OtherPage);
    }

    #[test]
    fn whoever_comes_through_a_proxy_is_not_on_this_host() {
        let more = ["X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED"];
        for name in FORWARDING
            .into_iter()
            .chain(more)
            .chain(["x-original-host"])
        {
            let headers = [("host", "localhost"), (name, "203.0.113.9")];
            assert_eq!(
                judge(None, HERE, "/", &headers),
                VisitorAccess::Elsewhere,
                "{name}"
            );
        }
    }

    #[test]
    fn another_name_for_this_host_does_not_count() {
        for host in [
            "evil.example:9432",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "localhost:9432@evil.example",
            "evil.example@localhost",
            "evil.example:1@127.0.0.1:9432",
            "localhost.",
            "localhost/evil.example",
            "localhost#evil.example",
            "localhost, evil.example",
            "[::ffff:192.0.2.1]",
            "2130706433",
            "0x7f.1",
            "0.0.0.0",
            "192.0.2.2",
            "",
        ] {
            let headers = [("host", host)];
            assert_eq!(
                judge(None, HERE, "/", &headers),
                VisitorAccess::Elsewhere,
                "{host}"
            );
        }
        for host in ["LOCALHOST", "127.0.0.1", "[::1]:9432", "192.0.2.1:9432"] {
            let headers = [("host", host)];
            assert_eq!(
                judge(None, HERE, "/", &headers),
                VisitorAccess::Welcome,
                "{host}"
            );
        }
        assert_eq!(judge(None, HERE, "/", &[]), VisitorAccess::Elsewhere);
        let two = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(judge(None, HERE, "/", &two), VisitorAccess::Elsewhere);
        let uri = "http://evil.example/";
        assert_eq!(
            judge(None, HERE, uri, &[("host", "localhost")]),
            VisitorAccess::Elsewhere
        );
        let uri = "http://evil.example@localhost/";
        assert_eq!(
            judge(None, HERE, uri, &[("host", "localhost")]),
            VisitorAccess::Elsewhere
        );
    }

    #[test]
    fn a_proxy_that_says_nothing_of_itself_speaks_an_old_version() {
        let door = AccessRule::new(None, None);
        for (version, wanted) in [
            (Version::HTTP_11, VisitorAccess::Welcome),
            (Version::HTTP_10, VisitorAccess::Elsewhere),
        ] {
            let request = Request::get("/").version(version).header(HOST, "127.0.0.1");
            let request = request.body(()).unwrap();
            assert_eq!(door.admit_reader(HERE.parse().unwrap(), &request), wanted);
        }
    }

    #[test]
    fn another_page_cannot_have_the_browser_ask() {
        let host = ("host", "localhost:9432");
        for (name, value, wanted) in [
            ("sec-fetch-site", "same-origin", VisitorAccess::Welcome),
            ("sec-fetch-site", "none", VisitorAccess::Welcome),
            ("sec-fetch-site", "same-site", VisitorAccess::OtherPage),
            ("sec-fetch-site", "cross-site", VisitorAccess::OtherPage),
            ("origin", "http://localhost:9432", VisitorAccess::Welcome),
            ("origin", "http://localhost:3000", VisitorAccess::OtherPage),
            ("origin", "null", VisitorAccess::OtherPage),
        ] {
            let found = judge(None, HERE, "/events", &[host, (name, value)]);
            assert_eq!(found, wanted, "{name}: {value}");
        }
    }
}
