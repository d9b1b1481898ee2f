//! Why pgsieve could not start: the key of the settings that it is about, and what is wrong.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use crate::auth::AuthSetupError;
use crate::config::SettingsProblem;
use crate::net::pem::{TlsPart, TlsSetupError};
use crate::policy::PolicyProblem;
use crate::server::StartError;
use crate::server::budget_file::BudgetFileError;
use crate::system_error;
use crate::telemetry::TelemetryError;
use crate::telemetry::log::LogTarget;
use crate::telemetry::log::key_places::KeyPlaces;

/// Why pgsieve could not start.
#[derive(Debug)]
pub enum AppError {
    /// The operating system had no event queue, signal handler or randomness to give.
    System(io::Error),
    /// The log's file cannot be opened.
    Log {
        /// Where it would go.
        place: LogTarget,
        /// What the system said.
        kind: io::ErrorKind,
    },
    /// Metrics or audit could not be set up.
    Telemetry(TelemetryError),
    /// The certificates for clients do not work.
    ClientTls(TlsSetupError),
    /// The certificates for the upstream do not work.
    UpstreamTls(TlsSetupError),
    /// The certificates for other copies do not work.
    PeerTls(TlsSetupError),
    /// The way of logging in does not work with the other settings.
    Auth(AuthSetupError),
    /// An address could not be bound, or a worker not be started.
    Server(StartError),
    /// Tests of the policies that have to pass have not: everything that is wrong.
    PolicyTests(Vec<PolicyProblem>),
    /// What users have received today is not known.
    Budgets(BudgetFileError),
    /// The authorities for the store of limits do not work.
    LimitsStoreTls(TlsSetupError),
    /// The admin address could not be bound.
    Admin {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The authorities for the host of the agents' issuer do not work.
    OAuthAuthority(TlsSetupError),
    /// The address for agents could not be bound.
    Mcp {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl AppError {
    /// The key of the settings that it is about.
    fn key(&self) -> Option<&'static str> {
        match self {
            Self::System(_) => None,
            Self::Log { .. } => Some("log.to"),
            Self::Telemetry(source) => source.key(),
            Self::ClientTls(source) => Some(match source.part() {
                Some(TlsPart::Certificate) => "client.tls.certificate",
                Some(TlsPart::Key) => "client.tls.key",
                Some(TlsPart::Authority) => "client.tls.client_ca",
                None => "client.tls",
            }),
            Self::UpstreamTls(source) => Some(match source.part() {
                Some(TlsPart::Certificate) => "upstream.tls.certificate",
                Some(TlsPart::Key) => "upstream.tls.key",
                Some(TlsPart::Authority) => "upstream.tls.root_certificate",
                None => "upstream.tls",
            }),
            Self::PeerTls(_) => Some("peers.addresses"),
            Self::Auth(source) => Some(source.key()),
            Self::Server(source) => Some(source.key()),
            Self::PolicyTests(_) => Some("policy.tests"),
            Self::Budgets(_) => Some("limits.budget_file"),
            Self::LimitsStoreTls(source) => Some(match source.part() {
                Some(_) => "limits.store_ca",
                None => "limits.store",
            }),
            Self::Admin { .. } => Some("admin.listen"),
            Self::Mcp { .. } => Some("mcp.listen"),
            Self::OAuthAuthority(_) => Some("mcp.oauth.keys_ca"),
        }
    }

    /// The same as a problem of the settings, at the place where they give the key.
    pub fn problem(&self, places: &KeyPlaces) -> SettingsProblem {
        let key = self.key().map(|key| places.name(key));
        SettingsProblem {
            place: key.unwrap_or_else(|| "settings".to_owned()),
            what: self.to_string(),
        }
    }

    /// The same in one line, behind the place where the settings give the key.
    pub fn describe(&self, places: &KeyPlaces) -> String {
        match self.key() {
            Some(key) => format!("{}: {self}", places.name(key)),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for AppError {
    /// What is wrong, without the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(source) => write!(formatter, "the system refused: {}", source.kind()),
            Self::Log { place, kind } => {
                let path = place.to_string();
                let path = Path::new(&path);
                let has_folder = path.parent().is_none_or(Path::is_dir);
                formatter.write_str(&system_error::of_new_file(path, *kind, has_folder))
            }
            Self::Telemetry(source) => source.fmt(formatter),
            Self::ClientTls(source)
            | Self::UpstreamTls(source)
            | Self::PeerTls(source)
            | Self::LimitsStoreTls(source)
            | Self::OAuthAuthority(source) => source.fmt(formatter),
            Self::Auth(source) => source.fmt(formatter),
            Self::Server(source) => source.fmt(formatter),
            Self::PolicyTests(problems) => {
                let count = problems.len();
                write!(
                    formatter,
                    "required, and not passed: {count}; nothing was served"
                )
            }
            Self::Budgets(source) => source.fmt(formatter),
            Self::Admin { address, source } | Self::Mcp { address, source } => {
                let told = system_error::of_address(&address.to_string(), source.kind());
                write!(formatter, "{told}; off does without it")
            }
        }
    }
}
