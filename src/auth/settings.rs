//! The ways of logging in, as meant.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::function_name::FunctionName;
use super::login_secret::LoginSecret;
use super::oidc::key_set::KeySet;
use super::oidc::token::Expected;
use super::verifier::ScramVerifier;
use crate::net::https::HttpsUrl;

/// How clients prove who they are.
#[derive(Debug, Clone)]
pub enum AuthSettings {
    /// The client's own user and password are used at the upstream.
    Passthrough {
        /// Ask for passwords also where a listener on the network could read them.
        allow_plaintext_passwords: bool,
        /// How long a password that the upstream has accepted is accepted without asking it again,
        /// so that sessions share connections; none where each login asks.
        cache_age: Option<Duration>,
    },
    /// Users known here by their SCRAM verifiers.
    Scram {
        /// The users; names are unique.
        users: Vec<ScramUser>,
    },
    /// Users known by the verifiers that the upstream has of them.
    AuthQuery(Box<QuerySettings>),
    /// Client certificates of the client authority.
    Certificate {
        /// Who may come with which certificate.
        entries: Vec<CertificateUser>,
    },
    /// Tokens of an OpenID Connect issuer, in the place of passwords.
    Oidc(Box<OidcSettings>),
    /// Everybody on this host, unasked. Refused for other peers.
    Trust {
        /// Who they are at the upstream; without it, the user they name, with no password.
        upstream: Option<UpstreamIdentity>,
    },
}

/// How the upstream is asked for the verifiers of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuerySettings {
    /// The function that tells them.
    pub function: FunctionName,
    /// Who may call it.
    pub account: UpstreamIdentity,
    /// The database that has it; without it, the one that the server's URL names.
    pub database: Option<String>,
    /// How long a verifier is known without being asked for again.
    pub cache_age: Duration,
    /// Who the users are at the upstream.
    pub upstream: QueriedIdentity,
}

/// Who users are at the upstream that it has verifiers of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueriedIdentity {
    /// Themselves, by the keys of their proof.
    Itself,
    /// All of them this one.
    One(UpstreamIdentity),
}

/// Which tokens let whom in.
#[derive(Debug, Clone)]
pub struct OidcSettings {
    /// What a token has to say, and what of it is taken.
    pub expected: Expected,
    /// The issuer's keys.
    pub keys: KeysFrom,
    /// Who may come.
    pub people: OidcPeople,
    /// What becomes of sessions whose tokens expire.
    pub on_expiry: OnExpiry,
}

/// Where the issuer's keys come from.
#[derive(Debug, Clone)]
pub enum KeysFrom {
    /// A file, which was read.
    File(Arc<KeySet>),
    /// An address.
    Url {
        /// Where.
        url: HttpsUrl,
        /// The authorities that vouch for its host, as PEM; else those that the system believes.
        authority: Option<PathBuf>,
    },
}

/// Who may come with a token.
#[derive(Debug, Clone)]
pub enum OidcPeople {
    /// Whoever has one, as this at the upstream.
    Everybody(UpstreamIdentity),
    /// These; names are unique.
    Listed(Vec<OidcUser>),
}

/// A user known by tokens.
#[derive(Debug, Clone)]
pub struct OidcUser {
    /// The name that the client gives and the token has.
    pub name: String,
    /// Who it is at the upstream.
    pub upstream: UpstreamIdentity,
}

/// What becomes of a session whose token expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExpiry {
    /// It ends.
    End,
    /// It stays until the client leaves.
    Stay,
}

impl OidcPeople {
    /// Whom they stand for at the upstream.
    pub fn identities(&self) -> Vec<&UpstreamIdentity> {
        match self {
            Self::Everybody(identity) => vec![identity],
            Self::Listed(users) => users.iter().map(|user| &user.upstream).collect(),
        }
    }
}

/// Attributes of users, by the names that they log in with.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserAttributes(BTreeMap<String, BTreeMap<String, String>>);

impl UserAttributes {
    /// These.
    pub fn new(users: BTreeMap<String, BTreeMap<String, String>>) -> Self {
        Self(users)
    }

    /// Whether any user has one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.values().any(|own| own.contains_key(name))
    }

    /// Names and values of a user's.
    pub fn of(&self, user: &str) -> impl Iterator<Item = (&str, &str)> {
        let own = self.0.get(user).into_iter().flatten();
        own.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for UserAttributes {
    /// Without users and values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Attributes({})", self.0.len())
    }
}

/// Who pgsieve logs in as, on behalf of a client that has proved its own identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamIdentity {
    /// The user at the upstream.
    pub user: String,
    /// What it proves itself with, where the upstream asks for that.
    pub secret: Option<LoginSecret>,
}

/// A user known by a SCRAM verifier.
#[derive(Debug, Clone)]
pub struct ScramUser {
    /// The name that the client gives.
    pub name: String,
    /// What its password is checked against.
    pub verifier: ScramVerifier,
    /// Who it is at the upstream.
    pub upstream: UpstreamIdentity,
}

/// A user known by a client certificate.
#[derive(Debug, Clone)]
pub struct CertificateUser {
    /// The common name, or a DNS name, mail address or URI among the alternative names.
    pub certificate_name: String,
    /// The user that the client must name in its startup packet.
    pub name: String,
    /// Who it is at the upstream.
    pub upstream: UpstreamIdentity,
}
