//! Where a collector is, how it is spoken to, and the headers that go with it. Everything wrong is
//! found when the settings are read.

use std::fmt;

use crate::limits;
use crate::secret::Secret;

/// A collector and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorSettings {
    url: String,
    protocol: CollectorProtocol,
    reach: CollectorReach,
}

/// What is sent there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorSignal {
    /// Spans.
    Traces,
    /// Log records.
    Logs,
}

/// The two ways of OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorProtocol {
    /// gRPC, usually port 4317.
    Grpc,
    /// Protobuf over HTTP, usually port 4318.
    Http,
}

/// Who can read what is sent there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorReach {
    /// Only the collector: TLS.
    Private,
    /// This host.
    Host,
    /// Anybody on the way.
    Anybody,
}

/// What is wrong with the address of a collector. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorProblem {
    /// It does not start with `http://` or `https://`.
    NotAnAddress,
    /// It names no host, or something that cannot be one.
    NoHost,
    /// The port is not a number from 1 to 65535.
    Port,
    /// It holds a user or a password.
    Credentials,
    /// It has a path, and gRPC has none.
    Path,
    /// It has a query or a fragment, or signs that no address has.
    Signs,
}

/// What is wrong with the file of headers. Holds the number of a line, never what stands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadersProblem {
    /// A line is not `name: value`.
    Line(usize),
    /// A line has a name that is for the protocol to set.
    Name(usize),
    /// There are too many.
    TooMany,
}

impl CollectorSettings {
    /// Reads an address.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(
        text: &str,
        protocol: CollectorProtocol,
        signal: CollectorSignal,
    ) -> Result<Self, CollectorProblem> {
        let (is_private, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://"))
        {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(CollectorProblem::NotAnAddress),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || PLAIN_SIGNS.contains(&byte);
        if !rest.bytes().all(plain) {
            return Err(match rest.contains('@') {
                true => CollectorProblem::Credentials,
                false => CollectorProblem::Signs,
            });
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host_of(authority)?;
        let path = match (protocol, path) {
            (CollectorProtocol::Grpc, "" | "/") => "",
            (CollectorProtocol::Grpc, _) => return Err(CollectorProblem::Path),
            (CollectorProtocol::Http, "" | "/") => match signal {
                CollectorSignal::Traces => "/v1/traces",
                CollectorSignal::Logs => "/v1/logs",
            },
            (CollectorProtocol::Http, path) => path,
        };
        let scheme = if is_private { "https" } else { "http" };
        let reach = match is_private {
            true => CollectorReach::Private,
            false if is_this_host(host) => CollectorReach::Host,
            false => CollectorReach::Anybody,
        };
        Ok(Self {
            url: format!("{scheme}://{authority}{path}"),
            protocol,
            reach,
        })
    }

    /// Its address, with the path that the protocol wants.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How it is spoken to.
    pub fn protocol(&self) -> CollectorProtocol {
        self.protocol
    }

    /// Who can read what is sent there.
    pub fn reach(&self) -> CollectorReach {
        self.reach
    }
}

/// Reads headers, one on each line; blank lines and those that begin with `#` do not count.
///
/// # Errors
/// The first thing that is wrong.
pub fn headers(text: &str) -> Result<Vec<(String, Secret)>, HeadersProblem> {
    let mut headers = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once(':').ok_or(HeadersProblem::Line(number))?;
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let printed = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        let is_whole = !name.is_empty() && !value.is_empty();
        if !is_whole || !name.bytes().all(plain) || !value.bytes().all(printed) {
            return Err(HeadersProblem::Line(number));
        }
        let is_own = OWN_NAMES.contains(&name.as_str())
            || OWN_BEGINNINGS.iter().any(|own| name.starts_with(own))
            // gRPC reads the values of such as base64.
            || name.ends_with("-bin");
        if is_own {
            return Err(HeadersProblem::Name(number));
        }
        headers.push((name, Secret::new(value)));
    }
    match headers.len() > limits::collectors::HEADERS_MAX {
        true => Err(HeadersProblem::TooMany),
        false => Ok(headers),
    }
}

/// The host of `host`, `host:port`, `[v6]` or `[v6]:port`.
fn host_of(authority: &str) -> Result<&str, CollectorProblem> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(CollectorProblem::NoHost)?;
            let address: Result<std::net::Ipv6Addr, _> = host.parse();
            if address.is_err() {
                return Err(CollectorProblem::NoHost);
            }
            (host, after)
        }
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if host.is_empty() || !host.bytes().all(is_name) {
        return Err(CollectorProblem::NoHost);
    }
    let is_port = |digits: &str| digits.parse().is_ok_and(|port: u16| port > 0);
    let is_fine = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| is_port(digits) && !digits.starts_with('+'));
    is_fine.then_some(host).ok_or(CollectorProblem::Port)
}

fn is_this_host(host: &str) -> bool {
    let address: Result<std::net::IpAddr, _> = host.parse();
    host == "localhost" || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

impl CollectorProblem {
    /// What is wrong, for whoever wrote the address into this section of the settings.
    pub fn told(self, section: &str) -> String {
        match self {
            Self::NotAnAddress => "must be off, or start with http:// or https://".into(),
            Self::NoHost => "names no host".into(),
            Self::Port => "the port must be a number from 1 to 65535".into(),
            Self::Credentials => {
                format!("holds a user or password; {section}.headers_file is for that")
            }
            Self::Path => {
                format!("has a path, which gRPC has none of; {section}.protocol: http has one")
            }
            Self::Signs => "holds signs that an address without a query does not have".into(),
        }
    }
}

impl fmt::Display for HeadersProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(formatter, "line {line} of the file is not `name: value`"),
            Self::Name(line) => {
                write!(
                    formatter,
                    "the header in line {line} of the file is for the protocol to set"
                )
            }
            Self::TooMany => {
                write!(
                    formatter,
                    "more than {} headers",
                    limits::collectors::HEADERS_MAX
                )
            }
        }
    }
}

/// What may stand in an address beside letters and digits.
const PLAIN_SIGNS: &[u8] = b"-._~:/[]%";

/// Headers that the protocols set.
const OWN_NAMES: &[&str] = &[
    "host",
    "te",
    "connection",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "trailer",
    "keep-alive",
];
const OWN_BEGINNINGS: &[&str] = &["content-", "grpc-", "proxy-connection"];

#[cfg(test)]
mod tests {
    use super::*;

    use CollectorProblem::{Credentials, NoHost, NotAnAddress, Path, Port, Signs};
    use CollectorProtocol::{Grpc, Http};
    use CollectorSignal::{Logs, Traces};

    #[test]
    fn addresses_become_what_the_protocol_wants() {
        for (text, protocol, url, reach) in [
            (
                "http://localhost:4317",
                Grpc,
                "http://localhost:4317",
                CollectorReach::Host,
            ),
            (
                "http://127.0.0.9:4317/",
                Grpc,
                "http://127.0.0.9:4317",
                CollectorReach::Host,
            ),
            (
                "http://[::1]:4318",
                Http,
                "http://[::1]:4318/v1/traces",
                CollectorReach::Host,
            ),
            (
                "http://otel",
                Http,
                "http://otel/v1/traces",
                CollectorReach::Anybody,
            ),
            (
                "https://otel:4318/a/b",
                Http,
                "https://otel:4318/a/b",
                CollectorReach::Private,
            ),
            (
                "https://otel.example.com",
                Grpc,
                "https://otel.example.com",
                CollectorReach::Private,
            ),
        ] {
            let collector = CollectorSettings::parse(text, protocol, Traces).unwrap();
            assert_eq!((collector.url(), collector.reach()), (url, reach));
            let logs = CollectorSettings::parse(text, protocol, Logs).unwrap();
            assert_eq!(logs.url(), url.replace("/v1/traces", "/v1/logs"));
        }
    }

    #[test]
    fn wrong_addresses_are_refused() {
        for (text, protocol, problem) in [
            ("", Grpc, NotAnAddress),
            ("otel:4317", Grpc, NotAnAddress),
            ("grpc://otel:4317", Grpc, NotAnAddress),
            ("HTTP://otel", Grpc, NotAnAddress),
            ("http://", Grpc, NoHost),
            ("http://:4317", Grpc, NoHost),
            ("http:///v1/traces", Http, NoHost),
            ("http://[::g]:4317", Grpc, NoHost),
            ("http://[::1", Grpc, NoHost),
            ("http://a%20b", Http, NoHost),
            ("http://otel:", Grpc, Port),
            ("http://otel:0", Grpc, Port),
            ("http://otel:+1", Grpc, Signs),
            ("http://otel:65536", Grpc, Port),
            ("http://::1:4317", Grpc, NoHost),
            ("http://[::1]4317", Grpc, Port),
            ("http://user:password@otel", Grpc, Credentials),
            ("http://otel/v1/traces", Grpc, Path),
            ("http://otel/v1/traces?key=x", Http, Signs),
            ("http://otel/#a", Http, Signs),
            ("http://otel/a b", Http, Signs),
            ("http://otel\r\nx: y", Http, Signs),
            ("http://ötel", Http, Signs),
        ] {
            assert_eq!(
                CollectorSettings::parse(text, protocol, Traces),
                Err(problem),
                "{text}"
            );
        }
    }

    #[test]
    fn headers_are_read_and_never_shown() {
        let read = headers("# of the vendor\n\nAuthorization: Bearer a b:c\r\nx-key:1\n").unwrap();
        let names: Vec<_> = read.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["authorization", "x-key"]);
        assert_eq!(read[0].1.reveal(), "Bearer a b:c");
        assert!(!format!("{read:?}").contains("Bearer"));
    }

    #[test]
    fn wrong_headers_are_told_by_their_line() {
        for (text, problem) in [
            ("a: b\nc", HeadersProblem::Line(2)),
            (": b", HeadersProblem::Line(1)),
            ("a:", HeadersProblem::Line(1)),
            ("a b: c", HeadersProblem::Line(1)),
            ("a: b\u{1}c", HeadersProblem::Line(1)),
            ("a: ü", HeadersProblem::Line(1)),
            ("\nContent-Type: x", HeadersProblem::Name(2)),
            ("grpc-timeout: 1", HeadersProblem::Name(1)),
            ("token-bin: 1", HeadersProblem::Name(1)),
        ] {
            assert_eq!(headers(text).unwrap_err(), problem, "{text}");
        }
        let many = "a: b\n".repeat(limits::collectors::HEADERS_MAX + 1);
        assert_eq!(headers(&many).unwrap_err(), HeadersProblem::TooMany);
    }
}
