//! Reads the address of the upstream, `postgres://user:password@host:port/database?sslmode=…`, and
//! reports every problem of it at once. Never shows the password, nor any value it did not accept.
//!
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS>

mod address_problem;
pub mod host_list;
pub mod scheme;

use std::fmt;
use std::path::PathBuf;

use percent_encoding::percent_decode_str;

pub use self::address_problem::AddressProblem;

use crate::net::stream::is_loopback;
use crate::net::upstream_tls::{ClientCertificate, TlsAuthority, UpstreamTlsSettings};
use crate::policy::similar_names;
use crate::secret::Secret;
use crate::upstream::address::scheme::AddressScheme;

/// Where the upstream is and how it is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamSettings {
    /// The way there.
    pub endpoint: Endpoint,
    /// The user named in the address.
    pub user: Option<String>,
    /// The password named in the address.
    pub password: Option<Secret>,
    /// The database named in the address.
    pub database: Option<String>,
    /// How TLS is used.
    pub tls: UpstreamTlsSettings,
}

/// A way to a Postgres server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A host name or IP address.
    Tcp {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// A Unix socket in a folder; the port is part of its name.
    Unix {
        /// The folder.
        folder: PathBuf,
        /// The port.
        port: u16,
    },
}

impl UpstreamSettings {
    /// Reads an address.
    ///
    /// # Errors
    /// All that is wrong with it, at least one thing.
    pub fn parse(text: &str) -> Result<Self, Vec<AddressProblem>> {
        Self::parse_with(text, &[])
    }

    /// Reads an address, and takes what it does not say from these parameters of libpq, as they
    /// stand there, of several of one name the first.
    ///
    /// # Errors
    /// All that is wrong with the address or the parameters, at least one thing.
    pub fn parse_with(
        text: &str,
        more: &[(&'static str, String)],
    ) -> Result<Self, Vec<AddressProblem>> {
        let mut words = AddressWords::default();
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
        let Some(rest) = rest else {
            return Err(vec![AddressProblem::NotAnAddress(AddressScheme::of(text))]);
        };
        words.read(rest);
        words.complete(more);
        words.into_settings()
    }
}

impl Endpoint {
    /// Is the way there inside this host, where nobody listens?
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix { .. } => true,
            Self::Tcp { host, .. } => host == "localhost" || host.parse().is_ok_and(is_loopback),
        }
    }
}

impl fmt::Display for Endpoint {
    /// As metrics name it: `host:port`, or the file of the socket.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(formatter, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(formatter, "{host}:{port}"),
            Self::Unix { folder, port } => {
                write!(formatter, "{}/.s.PGSQL.{port}", folder.display())
            }
        }
    }
}

/// The words of an address as they are found, with what is wrong so far.
#[derive(Default)]
struct AddressWords {
    host: Option<String>,
    port: Option<String>,
    user: Option<String>,
    password: Option<Secret>,
    database: Option<String>,
    ssl_mode: Option<String>,
    root: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
    problems: Vec<AddressProblem>,
}

impl AddressWords {
    fn read(&mut self, rest: &str) {
        // A password that is cut short stands in the place of the port.
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (before, behind) = rest.split_at(end);
        let port = before.rsplit_once(':').map(|(_, port)| port);
        let is_word = port.is_some_and(|port| port.parse::<u16>().is_err());
        let is_cut = is_word && !before.contains('@') && !before.starts_with('[');
        if is_cut && behind.contains('@') {
            self.problems.push(AddressProblem::CutShort);
            return;
        }
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (who, hosts) = match authority.rsplit_once('@') {
            Some((who, hosts)) => (who, hosts),
            None => ("", authority),
        };
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        self.set("user", user);
        self.set("password", password);
        self.set("dbname", database);
        self.read_host(hosts);
        for parameter in parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
        {
            self.read_parameter(parameter);
        }
    }

    fn read_host(&mut self, hosts: &str) {
        if hosts.contains(',') {
            self.problems.push(AddressProblem::SeveralHosts);
            return;
        }
        let (host, port) = match hosts
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            Some((host, "")) => (host, ""),
            Some((host, after)) => match after.strip_prefix(':') {
                Some(port) => (host, port),
                None => return self.problems.push(AddressProblem::Port),
            },
            None => hosts.rsplit_once(':').unwrap_or((hosts, "")),
        };
        self.set("host", host);
        self.set("port", port);
    }

    fn read_parameter(&mut self, parameter: &str) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if value.is_empty() {
            self.problems.push(AddressProblem::NoValue);
        } else if name == "host" && value.contains(',') {
            self.problems.push(AddressProblem::SeveralHosts);
        } else if PARAMETERS.contains(&name) {
            self.set(name, value);
        } else {
            let known = OTHER_PARAMETERS
                .iter()
                .find(|known| **known == name)
                .copied();
            self.problems.push(AddressProblem::UnknownParameter(known));
        }
    }

    /// Decodes one word and puts it in its place; an empty one says nothing.
    fn set(&mut self, name: &str, escaped: &str) {
        if escaped.is_empty() {
            return;
        }
        let Some((place, word)) = self.word(name) else {
            return self.set_password(escaped);
        };
        match (unescape(escaped), word) {
            (None, _) => self.problems.push(AddressProblem::Escape(place)),
            (Some(_), Some(_)) => self.problems.push(AddressProblem::Repeated(place)),
            (Some(text), word) => *word = Some(text),
        }
    }

    /// Fills in what is missing. Certificates that are there for other servers are no reason for
    /// TLS where there would be none.
    fn complete(&mut self, more: &[(&'static str, String)]) {
        let is_file = |name: &str| matches!(name, "sslrootcert" | "sslcert" | "sslkey");
        for (name, value) in more.iter().filter(|(name, _)| !is_file(name)) {
            self.fill(name, value);
        }
        let endpoint = endpoint(self.host.clone().unwrap_or_default(), DEFAULT_PORT);
        let in_clear = match (self.ssl_mode.as_deref(), &endpoint) {
            (Some("disable"), _) | (_, Endpoint::Unix { .. }) => true,
            (mode, endpoint) => mode.is_none() && endpoint.is_local(),
        };
        for (name, value) in more.iter().filter(|_| !in_clear) {
            self.fill(name, value);
        }
    }

    fn fill(&mut self, name: &str, value: &str) {
        let is_many = name == "host" && value.contains(',');
        match self.word(name) {
            Some((_, None)) if is_many => self.problems.push(AddressProblem::SeveralHosts),
            Some((_, word @ None)) if !value.is_empty() => *word = Some(value.to_owned()),
            _ => {}
        }
    }

    /// What to call a word, and its place.
    fn word(&mut self, name: &str) -> Option<(&'static str, &mut Option<String>)> {
        Some(match name {
            "host" => ("host", &mut self.host),
            "port" => ("port", &mut self.port),
            "user" => ("user", &mut self.user),
            "dbname" => ("database", &mut self.database),
            "sslmode" => ("sslmode", &mut self.ssl_mode),
            "sslrootcert" => ("sslrootcert", &mut self.root),
            "sslcert" => ("sslcert", &mut self.certificate),
            "sslkey" => ("sslkey", &mut self.key),
            _ => return None,
        })
    }

    fn set_password(&mut self, escaped: &str) {
        match (unescape(escaped), &mut self.password) {
            (None, _) => self.problems.push(AddressProblem::Escape("password")),
            (Some(_), Some(_)) => self.problems.push(AddressProblem::Repeated("password")),
            (Some(text), word) => *word = Some(Secret::new(text)),
        }
    }

    fn into_settings(mut self) -> Result<UpstreamSettings, Vec<AddressProblem>> {
        let port = self
            .port
            .take()
            .map_or(Some(DEFAULT_PORT), |text| text.parse().ok());
        let port = port.filter(|port| *port != 0);
        if port.is_none() {
            self.problems.push(AddressProblem::Port);
        }
        if self.problems.contains(&AddressProblem::CutShort) {
            return Err(self.problems);
        }
        if self.host.is_none() && !self.problems.contains(&AddressProblem::SeveralHosts) {
            self.problems.push(AddressProblem::NoHost);
        }
        let endpoint = endpoint(
            self.host.take().unwrap_or_default(),
            port.unwrap_or_default(),
        );
        let tls = self.tls(&endpoint);
        let (Some(tls), true) = (tls, self.problems.is_empty()) else {
            return Err(self.problems);
        };
        let Self {
            user,
            password,
            database,
            ..
        } = self;
        Ok(UpstreamSettings {
            endpoint,
            user,
            password,
            database,
            tls,
        })
    }

    /// Decides on TLS. Without `sslmode`, only what stays inside this host goes unencrypted.
    fn tls(&mut self, endpoint: &Endpoint) -> Option<UpstreamTlsSettings> {
        let shown = match (self.certificate.take(), self.key.take()) {
            (None, None) => ClientCertificate::Absent,
            (Some(certificate), Some(key)) => ClientCertificate::Files {
                certificate: certificate.into(),
                key: key.into(),
            },
            _ => {
                self.problems.push(AddressProblem::HalfCertificate);
                return None;
            }
        };
        let authority = self.root.take().map(|root| match root.as_str() {
            "system" => TlsAuthority::System,
            _ => TlsAuthority::File(root.into()),
        });
        let files = authority.is_some() || shown != ClientCertificate::Absent;
        let mode = self.ssl_mode.take();
        let fallback = if endpoint.is_local() && !files {
            "disable"
        } else {
            "require"
        };
        // Postgres has no TLS over Unix sockets; libpq ignores `sslmode` there, and so do we.
        let mode = match endpoint {
            Endpoint::Unix { .. } => "disable",
            Endpoint::Tcp { .. } => mode.as_deref().unwrap_or(fallback),
        };
        let problem = match (mode, authority) {
            ("disable", _) if files => AddressProblem::FilesWithoutTls,
            ("disable", _) => return Some(UpstreamTlsSettings::Disable),
            ("require", None) => return Some(UpstreamTlsSettings::Require(shown)),
            // As libpq does: an authority that is named is used.
            ("require" | "verify-ca", Some(authority)) => {
                return Some(UpstreamTlsSettings::VerifyCa(authority, shown));
            }
            ("verify-full", Some(authority)) => {
                return Some(UpstreamTlsSettings::VerifyFull(authority, shown));
            }
            ("verify-ca" | "verify-full", None) => AddressProblem::NoAuthority,
            ("prefer" | "allow", _) => AddressProblem::SslModeFallsBack,
            (mode, _) => AddressProblem::SslMode(similar_names::probably_meant(mode, SSL_MODES)),
        };
        self.problems.push(problem);
        None
    }
}

fn endpoint(host: String, port: u16) -> Endpoint {
    if host.starts_with('/') {
        Endpoint::Unix {
            folder: host.into(),
            port,
        }
    } else {
        Endpoint::Tcp { host, port }
    }
}

fn unescape(escaped: &str) -> Option<String> {
    let mut after_percents = escaped.split('%').skip(1);
    let is_hex = |digits: &str| digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if !after_percents.all(|rest| rest.get(..2).is_some_and(is_hex)) {
        return None;
    }
    let text = percent_decode_str(escaped).decode_utf8().ok()?;
    (!text.contains('\0')).then(|| text.into_owned())
}

/// The values of `sslmode`.
const SSL_MODES: &[&str] = &["disable", "require", "verify-ca", "verify-full"];
/// What an address starts with.
const SCHEMES: &[&str] = &["postgres://", "postgresql://"];
/// Parameters that are known.
const PARAMETERS: &[&str] = &[
    "host",
    "port",
    "user",
    "password",
    "dbname",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
];
/// Parameters of libpq that people bring along.
const OTHER_PARAMETERS: &[&str] = &[
    "application_name",
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "gssencmode",
    "hostaddr",
    "keepalives",
    "load_balance_hosts",
    "options",
    "passfile",
    "pgbouncer",
    "requiressl",
    "schema",
    "service",
    "ssl",
    "sslcrl",
    "sslnegotiation",
    "sslpassword",
    "target_session_attrs",
];
/// Postgres's own port.
const DEFAULT_PORT: u16 = 5432;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> UpstreamSettings {
        UpstreamSettings::parse(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"))
    }

    fn problems(text: &str) -> Vec<AddressProblem> {
        UpstreamSettings::parse(text).expect_err(text)
    }

    fn tcp(host: &str, port: u16) -> Endpoint {
        Endpoint::Tcp {
            host: host.into(),
            port,
        }
    }

    #[test]
    fn the_usual_addresses() {
        let read = check("postgres://app:s%40fe:r@db.example.org:6543/shop");
        assert_eq!(read.endpoint, tcp("db.example.org", 6543));
        assert_eq!(read.user.as_deref(), Some("app"));
        assert_eq!(read.password, Some(Secret::new("s@fe:r")));
        assert_eq!(read.database.as_deref(), Some("shop"));
        assert_eq!(
            read.tls,
            UpstreamTlsSettings::Require(ClientCertificate::Absent)
        );
        assert_eq!(
            check("postgresql://localhost").endpoint,
            tcp("localhost", 5432)
        );
        assert_eq!(check("postgres://[::1]:1/x").endpoint, tcp("::1", 1));
        assert_eq!(check("postgres://[::1]").endpoint, tcp("::1", 5432));
        assert_eq!(
            check("postgres:///shop?host=10.0.0.9&port=7").endpoint,
            tcp("10.0.0.9", 7)
        );
    }

    #[test]
    fn unix_sockets_in_both_spellings() {
        let unix = Endpoint::Unix {
            folder: "/var/run/postgresql".into(),
            port: 5433,
        };
        assert_eq!(
            check("postgres:///shop?host=/var/run/postgresql&port=5433").endpoint,
            unix
        );
        let escaped = check("postgres://%2Fvar%2Frun%2Fpostgresql:5433/shop?sslmode=require");
        assert_eq!(escaped.endpoint, unix);
        assert_eq!(escaped.tls, UpstreamTlsSettings::Disable);
    }

    #[test]
    fn only_what_stays_on_this_host_goes_in_clear_unasked() {
        for local in ["localhost", "127.0.0.1", "[::1]"] {
            let read = check(&format!("postgres://{local}/x"));
            assert_eq!(read.tls, UpstreamTlsSettings::Disable, "{local}");
        }
        let far = check("postgres://10.0.0.1/x");
        assert_eq!(
            far.tls,
            UpstreamTlsSettings::Require(ClientCertificate::Absent)
        );
        let clear = check("postgres://10.0.0.1/x?sslmode=disable");
        assert_eq!(clear.tls, UpstreamTlsSettings::Disable);
    }

    #[test]
    fn the_ways_of_tls() {
        let file = || TlsAuthority::File("/ca".into());
        let absent = ClientCertificate::Absent;
        let ca = check("postgres://h/x?sslmode=verify-ca&sslrootcert=/ca");
        assert_eq!(
            ca.tls,
            UpstreamTlsSettings::VerifyCa(file(), absent.clone())
        );
        let named = check("postgres://h/x?sslmode=require&sslrootcert=/ca");
        assert_eq!(named.tls, ca.tls);
        let system = check("postgres://h/x?sslmode=verify-full&sslrootcert=system");
        assert_eq!(
            system.tls,
            UpstreamTlsSettings::VerifyFull(TlsAuthority::System, absent)
        );
        let own = check("postgres://h/x?sslmode=require&sslcert=/c&sslkey=/k");
        let files = ClientCertificate::Files {
            certificate: "/c".into(),
            key: "/k".into(),
        };
        assert_eq!(own.tls, UpstreamTlsSettings::Require(files));
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        use AddressProblem::*;
        let all = problems("postgres://u:%zz@a,b:1?colour=red&sslmode&sslkey=/k");
        let expected = [
            Escape("password"),
            SeveralHosts,
            UnknownParameter(None),
            NoValue,
            HalfCertificate,
        ];
        assert_eq!(all, expected);
        for (text, problem) in [
            ("mysql://h", NotAnAddress(AddressScheme::of("mysql://h"))),
            ("h:5432", NotAnAddress(AddressScheme::Absent)),
            ("postgres://", NoHost),
            ("postgres://h:0", Port),
            ("postgres://h:65536", Port),
            ("postgres://h:-1", Port),
            ("postgres://[::1]x", Port),
            ("postgres://%00h", Escape("host")),
            ("postgres://%ff", Escape("host")),
            ("postgres://h%2", Escape("host")),
            (
                "postgres://h/x?options=-c%20a=b",
                UnknownParameter(Some("options")),
            ),
            ("postgres://h/x?host=g", Repeated("host")),
            ("postgres://:p@h/x?password=q", Repeated("password")),
            ("postgres://h/x?sslmode=prefer", SslModeFallsBack),
            ("postgres://h/x?sslmode=allow", SslModeFallsBack),
            ("postgres://h/x?sslmode=yes", SslMode(None)),
            ("postgres://h/x?sslmode=verify-full", NoAuthority),
            (
                "postgres://h/x?sslmode=disable&sslrootcert=/ca",
                FilesWithoutTls,
            ),
        ] {
            assert!(
                problems(text).contains(&problem),
                "{text}: {:?}",
                problems(text)
            );
        }
    }

    #[test]
    fn nothing_shows_the_password() {
        let read = check("postgres://u:hunter2@h/x");
        assert!(!format!("{read:?}").contains("hunter2"));
        let wrong = problems("postgres://u:hunter2@h:hunter2/x?sslmode=hunter2&password=hunter2");
        assert!(!format!("{wrong:?}").contains("hunter2"));
        let unescaped = problems("postgres://u:a?hunter2&hunter2=x@h/x");
        assert!(!format!("{unescaped:?}").contains("hunter2"));
        let shown: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        assert!(!shown.join(" ").contains("hunter2"));
    }
}
