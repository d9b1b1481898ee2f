//! Which names the admin address may be asked for by.
//!
//! A web page can have its own name stand for an address that only its visitor's browser reaches,
//! and then reads what is served there as if it were its own (DNS rebinding); metrics name users
//! and upstreams. The browser names that page in Host, so only names that are known are answered.
//! An address is no name: who reaches it can ask for it by that, and no page elsewhere can.
//!
//! <https://www.rfc-editor.org/rfc/rfc9110#section-7.2>

use std::net::IpAddr;

use axum::http::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;

/// The names that are known beside addresses and `localhost`.
pub struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    /// From the settings, in lower case.
    pub fn new(names: Vec<String>) -> Self {
        Self(names)
    }

    /// Whether a request asks for this address by a name of its own. One that names nothing comes
    /// from no browser.
    pub fn allow_request<B>(&self, request: &Request<B>) -> bool {
        let mut hosts = request.headers().get_all(HOST).iter();
        let is_known = match (hosts.next(), hosts.next()) {
            (None, _) => true,
            (Some(host), None) => {
                let host = host.to_str().ok().and_then(|host| host.parse().ok());
                host.is_some_and(|host: Authority| self.allow_authority(&host))
            }
            (Some(_), Some(_)) => false,
        };
        is_known
            && request
                .uri()
                .authority()
                .is_none_or(|host| self.allow_authority(host))
    }

    fn allow_authority(&self, authority: &Authority) -> bool {
        let host = authority.host();
        let bare = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let is_known = bare.unwrap_or(host).parse::<IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.0.iter().any(|name| host.eq_ignore_ascii_case(name));
        // A host is not asked for with a user, and browsers send none.
        is_known && !authority.as_str().contains('@')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(uri: &str, hosts: &[&str]) -> bool {
        let known = AllowedHosts::new(vec!["pgsieve".into(), "db.example.org".into()]);
        let request = hosts.iter().fold(Request::get(uri), |request, host| {
            request.header(HOST, *host)
        });
        known.allow_request(&request.body(()).unwrap())
    }

    #[test]
    fn addresses_and_known_names_are_answered() {
        for host in [
            "127.0.0.1:9432",
            "10.4.7.9:9432",
            "10.4.7.9",
            "[::1]:9432",
            "[2001:db8::1]",
            "localhost",
            "LocalHost:9432",
            "pgsieve:9432",
            "PGSIEVE",
            "db.example.org:443",
        ] {
            assert!(known("/metrics", &[host]), "{host}");
        }
        assert!(known("/metrics", &[]), "no browser leaves it out");
        assert!(known("http://pgsieve/metrics", &["pgsieve"]));
    }

    #[test]
    fn another_name_is_not() {
        for host in [
            "evil.example",
            "evil.example:9432",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "pgsieve.evil.example",
            "xpgsieve",
            "localhost.",
            "evil.example@localhost",
            "localhost@evil.example",
            "evil.example:1@127.0.0.1:9432",
            "localhost, evil.example",
            "2130706433",
            "0x7f.1",
            "[::1",
            "",
        ] {
            assert!(!known("/metrics", &[host]), "{host}");
        }
        assert!(!known("/metrics", &["localhost", "evil.example"]));
        assert!(!known("http://evil.example/metrics", &["localhost"]));
        assert!(!known("http://evil.example/metrics", &[]));
    }
}
