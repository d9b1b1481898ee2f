//! Who a client is: the ways of logging in to pgsieve, and the upstream identity each leads to.
//!
//! Never sees SQL, never talks to the upstream, never prints a password or verifier.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

pub mod certificate;
pub mod function_name;
pub mod keyed_login;
pub mod login_secret;
pub mod oidc;
pub mod password_request;
pub mod queried;
pub mod scram;
mod scram_exchange;
pub mod scram_keys;
pub mod settings;
pub mod verifier;

use crate::net::client_tls::ClientTls;
use crate::net::framed_stream::{FramedStream, PeerError};
use crate::net::pem::TlsSetupError;
use crate::net::stream::PeerAddress;
use crate::secret::Secret;
use crate::wire::encode::EncodeError;
use crate::wire::malformed::MalformedMessage;
use oidc::token::TokenError;
use oidc::{OidcUsers, Proof};
use queried::QueriedUsers;
use scram::ScramUsers;
use settings::{AuthSettings, CertificateUser, QueriedIdentity, UpstreamIdentity};

/// The way of logging in, ready for clients.
#[derive(Debug)]
pub enum ClientAuth {
    /// The client's own user and password are used at the upstream.
    Passthrough {
        /// Ask for passwords also where a listener on the network could read them.
        allow_plaintext_passwords: bool,
        /// How long a password that the upstream has accepted is accepted without asking it again.
        cache_age: Option<Duration>,
    },
    /// Users known by their verifiers.
    Scram(ScramUsers),
    /// Users known by the verifiers that the upstream has of them.
    AuthQuery(QueriedUsers),
    /// Users known by their certificates.
    Certificate(Vec<CertificateUser>),
    /// Users known by the tokens of an issuer.
    Oidc(Box<OidcUsers>),
    /// Everybody on this host.
    Trust(Option<UpstreamIdentity>),
}

/// Why a way of logging in cannot be used with the rest of the settings.
#[derive(Debug)]
pub enum AuthSetupError {
    /// Certificates are the way in, and clients are never asked for one.
    CertificateWithoutAuthority,
    /// The authorities for the issuer's host cannot be used.
    OidcAuthority(TlsSetupError),
    /// The system gave no randomness.
    NoRandomness,
}

/// Who a client is at the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmittedIdentity<'s> {
    /// Itself. Whether it is what it says is for the upstream to find out.
    AsItself,
    /// The same, with the password that it has given.
    WithPassword(Secret),
    /// Someone that the settings name. The client has proved who it is.
    As(Cow<'s, UpstreamIdentity>),
    /// The same, with a proof that holds for this TLS connection only.
    BoundAs(Cow<'s, UpstreamIdentity>),
    /// The same, with what its token says of it.
    Proved {
        /// Who it is.
        identity: &'s UpstreamIdentity,
        /// What was proved.
        proof: Proof,
    },
}

/// Why a client is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthError {
    /// It went away, took too long, or sent no message.
    Peer(PeerError),
    /// Its message is not laid out as it must be.
    Malformed(MalformedMessage),
    /// Our own message cannot be said.
    Unencodable(EncodeError),
    /// Its SASL messages do not follow the rules.
    Exchange,
    /// The password is empty.
    EmptyPassword,
    /// The password is wrong, or there is no such user.
    WrongPassword,
    /// The password is no token that lets this user in.
    Token(TokenError),
    /// A password would cross a network in clear.
    NotPrivate,
    /// Only clients on this host are let in this way.
    NotLocal,
    /// It shows no certificate.
    NoCertificate,
    /// Its certificate is not for this user.
    WrongCertificate,
}

impl ClientAuth {
    /// Makes the way of logging in ready.
    ///
    /// # Errors
    /// The settings want what the TLS of clients does not give, an issuer cannot be asked, or the
    /// system gives no random bytes.
    pub fn load(settings: AuthSettings, tls: &ClientTls) -> Result<Self, AuthSetupError> {
        match settings {
            AuthSettings::Passthrough {
                allow_plaintext_passwords,
                cache_age,
            } => Ok(Self::Passthrough {
                allow_plaintext_passwords,
                cache_age,
            }),
            AuthSettings::Scram { users } => {
                let certificate = tls.identity().map(|identity| identity.certificate_pem());
                let users = ScramUsers::new(users, certificate);
                users.map(Self::Scram).ok_or(AuthSetupError::NoRandomness)
            }
            AuthSettings::AuthQuery(settings) => {
                let certificate = tls.identity().map(|identity| identity.certificate_pem());
                let users = QueriedUsers::new(*settings, certificate);
                users
                    .map(Self::AuthQuery)
                    .ok_or(AuthSetupError::NoRandomness)
            }
            AuthSettings::Certificate { entries } => match tls.identity() {
                Some(identity) if identity.asks_for_certificates() => {
                    Ok(Self::Certificate(entries))
                }
                Some(_) | None => Err(AuthSetupError::CertificateWithoutAuthority),
            },
            AuthSettings::Oidc(settings) => match OidcUsers::new(*settings) {
                Ok(users) => Ok(Self::Oidc(Box::new(users))),
                Err(error) => Err(AuthSetupError::OidcAuthority(error)),
            },
            AuthSettings::Trust { upstream } => Ok(Self::Trust(upstream)),
        }
    }

    /// Makes the way of logging in ready that comes after this one.
    ///
    /// # Errors
    /// The settings want what the TLS of clients does not give, an issuer cannot be asked, or the
    /// system gives no random bytes.
    pub fn load_after(
        &self,
        settings: AuthSettings,
        tls: &ClientTls,
    ) -> Result<Self, AuthSetupError> {
        Ok(match (self, Self::load(settings, tls)?) {
            (Self::Scram(before), Self::Scram(users)) => Self::Scram(users.disguised_as(before)),
            (Self::AuthQuery(before), Self::AuthQuery(users)) => {
                Self::AuthQuery(users.disguised_as(before))
            }
            (Self::Oidc(before), Self::Oidc(users)) => Self::Oidc(Box::new(users.after(before))),
            (_, other) => other,
        })
    }

    /// Whether a session may go on that was let in before: its user is still listed, where users
    /// are, with the name of its certificate if that is what it was let in for.
    pub fn still_lists(&self, user: &str, certificate_name: Option<&str>) -> bool {
        match self {
            Self::Passthrough { .. } | Self::AuthQuery(_) | Self::Trust(_) => true,
            Self::Scram(users) => users.has(user),
            Self::Oidc(users) => users.has(user),
            Self::Certificate(entries) => entries.iter().any(|entry| {
                let same_name = |name| name == entry.certificate_name;
                entry.name == user && certificate_name.is_none_or(same_name)
            }),
        }
    }

    /// The name by which the list has this certificate for that user, where that lets it in.
    pub fn listed_name(&self, user: &str, shown: &[u8]) -> Option<&str> {
        match self {
            Self::Passthrough { .. }
            | Self::Scram(_)
            | Self::AuthQuery(_)
            | Self::Oidc(_)
            | Self::Trust(_) => None,
            Self::Certificate(entries) => {
                let entry = certificate::identify(entries, user, shown)?;
                Some(&entry.certificate_name)
            }
        }
    }

    /// Whom clients stand for at the upstream, as far as the settings say so.
    pub fn identities(&self) -> Vec<&UpstreamIdentity> {
        match self {
            Self::Passthrough { .. } => Vec::new(),
            Self::Scram(users) => users.identities().collect(),
            Self::AuthQuery(users) => match &users.settings().upstream {
                QueriedIdentity::Itself => Vec::new(),
                QueriedIdentity::One(identity) => vec![identity],
            },
            Self::Certificate(entries) => entries.iter().map(|entry| &entry.upstream).collect(),
            Self::Oidc(users) => users.identities(),
            Self::Trust(identity) => identity.iter().collect(),
        }
    }

    /// Whether a proof says more of a client than who it is, so that its policy is chosen after it.
    pub fn proves_attributes(&self) -> bool {
        match self {
            Self::Oidc(_) => true,
            Self::Passthrough { .. }
            | Self::Scram(_)
            | Self::AuthQuery(_)
            | Self::Certificate(_)
            | Self::Trust(_) => false,
        }
    }

    /// Whether clients that have proved here who they are are themselves at the upstream, by that
    /// proof.
    pub fn is_itself_upstream(&self) -> bool {
        self.queried()
            .is_some_and(|users| users.settings().upstream == QueriedIdentity::Itself)
    }

    /// The users whose verifiers somebody has to bring, where there are such.
    pub fn queried(&self) -> Option<&QueriedUsers> {
        match self {
            Self::AuthQuery(users) => Some(users),
            Self::Passthrough { .. }
            | Self::Scram(_)
            | Self::Certificate(_)
            | Self::Oidc(_)
            | Self::Trust(_) => None,
        }
    }

    /// Finds out who a client is that says it is `user`, but for users whose verifiers somebody has
    /// to bring: of those nobody is let in here.
    ///
    /// Not to be cancelled and gone on with: an exchange may be half done.
    ///
    /// # Errors
    /// The proof is wrong or missing, did not come in time, or the client broke the protocol.
    pub async fn admit(
        &self,
        framed: &mut FramedStream,
        peer: PeerAddress,
        user: &str,
        deadline: Instant,
    ) -> Result<AdmittedIdentity<'_>, AuthError> {
        match self {
            Self::Passthrough { .. } => Ok(AdmittedIdentity::AsItself),
            Self::Scram(users) => users.admit(framed, user, deadline).await,
            Self::AuthQuery(users) => users.admit(framed, (user, None), deadline).await,
            Self::Certificate(entries) => {
                let shown = framed
                    .stream
                    .peer_certificate()
                    .ok_or(AuthError::NoCertificate)?;
                let entry = certificate::identify(entries, user, shown);
                entry
                    .map(|entry| AdmittedIdentity::As(Cow::Borrowed(&entry.upstream)))
                    .ok_or(AuthError::WrongCertificate)
            }
            Self::Oidc(_) if !self.may_ask_password(framed, peer) => Err(AuthError::NotPrivate),
            Self::Oidc(users) => users.admit(framed, user, deadline).await,
            Self::Trust(_) if !peer.is_local() => Err(AuthError::NotLocal),
            Self::Trust(Some(identity)) => Ok(AdmittedIdentity::As(Cow::Borrowed(identity))),
            Self::Trust(None) => {
                let identity = UpstreamIdentity {
                    user: user.to_owned(),
                    secret: None,
                };
                Ok(AdmittedIdentity::As(Cow::Owned(identity)))
            }
        }
    }

    /// May this client be asked for its password in clear? Nobody may be able to listen, unless
    /// the settings say that it does not matter.
    pub fn may_ask_password(&self, framed: &FramedStream, peer: PeerAddress) -> bool {
        let private = framed.stream.is_tls() || peer.is_local();
        private
            || matches!(
                self,
                Self::Passthrough {
                    allow_plaintext_passwords: true,
                    ..
                }
            )
    }

    /// How long a password that the upstream has accepted is accepted without asking it again;
    /// none where each login asks, or where the upstream is not asked for whom clients are.
    pub fn password_cache_age(&self) -> Option<Duration> {
        match self {
            Self::Passthrough { cache_age, .. } => *cache_age,
            Self::Scram(_)
            | Self::AuthQuery(_)
            | Self::Certificate(_)
            | Self::Oidc(_)
            | Self::Trust(_) => None,
        }
    }
}

impl AdmittedIdentity<'_> {
    /// What a token proved of the client beside its name.
    pub fn attributes(&self) -> &[(Box<str>, Vec<Box<str>>)] {
        match self {
            Self::AsItself | Self::WithPassword(_) | Self::As(_) | Self::BoundAs(_) => &[],
            Self::Proved { proof, .. } => &proof.attributes,
        }
    }

    /// When the session has to end, in seconds since 1970, where a token says so.
    pub fn ends(&self) -> Option<i64> {
        match self {
            Self::AsItself | Self::WithPassword(_) | Self::As(_) | Self::BoundAs(_) => None,
            Self::Proved { proof, .. } => proof.ends,
        }
    }
}

impl AuthSetupError {
    /// The key of the settings that it is about.
    pub fn key(&self) -> &'static str {
        match self {
            Self::CertificateWithoutAuthority => "client.auth.method",
            Self::OidcAuthority(_) => "client.auth.oidc.keys_ca",
            Self::NoRandomness => "client.auth",
        }
    }
}

impl fmt::Display for AuthSetupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OidcAuthority(error) => return error.fmt(formatter),
            Self::CertificateWithoutAuthority => {
                "logging in with certificates needs TLS for clients and a client authority"
            }
            Self::NoRandomness => "the system gave no random bytes",
        })
    }
}

impl std::error::Error for AuthSetupError {}
