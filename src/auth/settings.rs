//! The ways of logging in, as meant.

use std::collections::BTreeMap;
use std::fmt;

use super::verifier::Verifier;
use crate::secret::Secret;

/// How clients prove who they are.
#[derive(Debug, Clone)]
pub enum AuthSettings {
    /// The client's own user and password are used at the upstream.
    Passthrough {
        /// Ask for passwords also where a listener on the network could read them.
        allow_plaintext_passwords: bool,
    },
    /// Users known here by their SCRAM verifiers.
    Scram {
        /// The users; names are unique.
        users: Vec<ScramUser>,
    },
    /// Client certificates of the client authority.
    Certificate {
        /// Who may come with which certificate.
        entries: Vec<CertificateUser>,
    },
    /// Everybody on this host, unasked. Refused for other peers.
    Trust {
        /// Who they are at the upstream; without it, the user they name, with no password.
        upstream: Option<UpstreamIdentity>,
    },
}

/// Attributes of users, by the names that they log in with.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Attributes(BTreeMap<String, BTreeMap<String, String>>);

impl Attributes {
    /// These.
    pub fn new(users: BTreeMap<String, BTreeMap<String, String>>) -> Self {
        Self(users)
    }

    /// Names and values of a user's.
    pub fn of(&self, user: &str) -> impl Iterator<Item = (&str, &str)> {
        let own = self.0.get(user).into_iter().flatten();
        own.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for Attributes {
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
    /// Its password, where the upstream asks for one.
    pub password: Option<Secret>,
}

/// A user known by a SCRAM verifier.
#[derive(Debug, Clone)]
pub struct ScramUser {
    /// The name that the client gives.
    pub name: String,
    /// What its password is checked against.
    pub verifier: Verifier,
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
