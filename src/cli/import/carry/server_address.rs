//! Where an entry leads: its host and port, and as settings write them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::cli::import::configuration::{BouncerConfiguration, ConnectionEntry};
use crate::cli::import::known::KnownSetting;
use crate::cli::import::known::settings::SETTINGS;
use crate::cli::import::value_form;
use crate::upstream::address::host_list::UpstreamAddress;

/// A server, or several that have the same contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// As `host` says it: a name, an address, the folder of a socket, or a list.
    host: String,
    port: u16,
}

impl ServerAddress {
    /// That of an entry. One without a host is at the folder of PgBouncer's own socket.
    pub fn of(entry: &ConnectionEntry, configuration: &BouncerConfiguration) -> Self {
        let folder = || match configuration.text("unix_socket_dir") {
            "" => KnownSetting::named(SETTINGS, "unix_socket_dir").map_or("", |own| own.default),
            folder => folder,
        };
        let port = entry.text("port").map(value_form::leading_count);
        let port = port.and_then(|port| u16::try_from(port).ok());
        Self {
            host: entry.text("host").unwrap_or_else(folder).to_owned(),
            port: port.unwrap_or(POSTGRES_PORT),
        }
    }

    /// The address as a URL of settings; none where it is a socket in the abstract namespace.
    pub fn url(&self, user: Option<&str>, database: &str) -> Option<String> {
        let user = user.map(|user| format!("{}@", encoded(user)));
        let (user, database) = (user.unwrap_or_default(), encoded(database));
        let hosts = self.hosts();
        let port = self.port;
        let first = hosts.first().copied().unwrap_or_default();
        if first.starts_with('@') {
            return None;
        }
        if first.starts_with('/') {
            let folder = utf8_percent_encode(first, NON_ALPHANUMERIC);
            return Some(format!(
                "postgres://{user}/{database}?host={folder}&port={port}"
            ));
        }
        let places = hosts.iter().map(|host| match host.contains(':') {
            true => format!("[{}]:{port}", utf8_percent_encode(host, ESCAPED_IPV6)),
            false => format!("{}:{port}", encoded(host)),
        });
        let places: Vec<String> = places.collect();
        Some(format!("postgres://{user}{}/{database}", places.join(",")))
    }

    /// Whether it is a socket.
    pub fn is_socket(&self) -> bool {
        self.hosts().first().is_some_and(|host| is_socket(host))
    }

    /// Whether all of it is on this host, where nobody listens.
    pub fn is_local(&self) -> bool {
        let read = self
            .url(None, "")
            .map(|url| UpstreamAddress::parse_with(&url, &[]));
        let is_local =
            |read: UpstreamAddress| read.servers.iter().all(|one| one.endpoint.is_local());
        read.is_some_and(|read| read.is_ok_and(is_local))
    }

    /// Whether it is one of several servers.
    pub fn is_several(&self) -> bool {
        self.hosts().len() > 1
    }

    /// Whether it is a list of which only the first is taken: a socket is among them.
    pub fn is_cut(&self) -> bool {
        self.host.contains(',') && !self.is_several()
    }

    /// For people.
    pub fn told(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = self.host.split(',').map(str::trim).collect();
        if hosts.iter().any(|host| is_socket(host)) {
            hosts.truncate(1);
        }
        hosts
    }
}

/// A word as it may stand in an address.
pub fn encoded(word: &str) -> String {
    utf8_percent_encode(word, ESCAPED).to_string()
}

fn is_socket(host: &str) -> bool {
    host.starts_with(['/', '@'])
}

/// Why an address cannot be written.
pub const ABSTRACT: &str = "sockets in the abstract namespace are not reached by pgsieve";

/// What an address does not have as it is.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The same within brackets.
const ESCAPED_IPV6: &AsciiSet = &ESCAPED.remove(b':');

/// The port of an entry that names none.
const POSTGRES_PORT: u16 = 5432;
