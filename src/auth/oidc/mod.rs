//! Logging in with a token of an OpenID Connect issuer, given in the place of a password.
//!
//! A token is as good as a password until it expires, so it is asked for only where nobody else
//! can read it, and is never printed. No token is sent anywhere: what proves it are the issuer's
//! keys. <https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation>
//!
//! * [`algorithm`]: the ways of signing; [`key_set`]: the issuer's keys; [`token`]: one token
//! * [`keyring`]: the keys as of now

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

pub mod algorithm;
#[cfg(test)]
mod forged;
pub mod key_set;
pub mod keyring;
#[cfg(test)]
mod signing;
#[cfg(test)]
mod tests;
pub mod token;

use super::settings::{KeysFrom, OidcPeople, OidcSettings, OnExpiry, UpstreamIdentity};
use super::{AdmittedIdentity, AuthError, password_request};
use crate::net::framed_stream::FramedStream;
use crate::net::https::Document;
use crate::net::pem::TlsSetupError;
use keyring::{Fetched, Keyring, KeysFault};
use token::{Expected, Proved, ProvedClaims, TokenError, Unproved};

/// Users whose tokens are taken.
#[derive(Debug)]
pub struct OidcUsers {
    issuer: TokenIssuer,
    people: OidcPeople,
    on_expiry: OnExpiry,
}

/// An issuer whose tokens are taken.
#[derive(Debug)]
pub struct TokenIssuer {
    expected: Expected,
    keys: Keyring,
}

/// What a token proved of a client beside its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Attributes of the user.
    pub attributes: Vec<(Box<str>, Vec<Box<str>>)>,
    /// When the session has to end, in seconds since 1970; none where it may outlive the token.
    pub ends: Option<i64>,
}

impl TokenIssuer {
    /// Makes ready to take its tokens. Nothing is fetched yet.
    ///
    /// # Errors
    /// The authorities for the issuer's host cannot be read.
    pub fn new(expected: Expected, keys: KeysFrom) -> Result<Self, TlsSetupError> {
        let keys = match keys {
            KeysFrom::File(keys) => Keyring::Fixed(keys),
            KeysFrom::Url { url, authority } => {
                let document = Document::new(url.clone(), authority)?;
                Keyring::Fetched(Arc::new(Fetched::new(url, document)))
            }
        };
        Ok(Self { expected, keys })
    }

    /// What a token has to say.
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Checks a token, as of now.
    ///
    /// May be cancelled: keys that are being fetched are fetched on for others.
    ///
    /// # Errors
    /// It proves nothing.
    pub async fn prove(&self, token: &str, deadline: Instant) -> Result<ProvedClaims, TokenError> {
        let unproved = Unproved::read(token)?;
        let named = (unproved.key_name.as_str(), unproved.algorithm);
        let key = self.keys.key(named, deadline).await?;
        unproved.prove(&key, &self.expected, now())
    }

    /// How many keys it has, asked now.
    ///
    /// # Errors
    /// None can be had.
    pub async fn look(&self) -> Result<usize, KeysFault> {
        self.keys.look().await
    }
}

impl OidcUsers {
    /// Makes ready to take tokens. Nothing is fetched yet.
    ///
    /// # Errors
    /// The authorities for the issuer's host cannot be read.
    pub fn new(settings: OidcSettings) -> Result<Self, TlsSetupError> {
        Ok(Self {
            issuer: TokenIssuer::new(settings.expected, settings.keys)?,
            people: settings.people,
            on_expiry: settings.on_expiry,
        })
    }

    /// The same with the keys that were known before.
    pub fn after(self, before: &Self) -> Self {
        let TokenIssuer { expected, keys } = self.issuer;
        let keys = keys.after(&before.issuer.keys);
        Self {
            issuer: TokenIssuer { expected, keys },
            ..self
        }
    }

    /// The issuer's keys.
    pub fn keys(&self) -> &Keyring {
        &self.issuer.keys
    }

    /// Whether a user may come at all.
    pub fn has(&self, user: &str) -> bool {
        self.upstream(user).is_some()
    }

    /// Whom users stand for at the upstream.
    pub fn identities(&self) -> Vec<&UpstreamIdentity> {
        self.people.identities()
    }

    /// Asks a client for its token, and finds out whether it is of that user.
    ///
    /// Not to be cancelled and gone on with: the question may be out.
    pub(super) async fn admit(
        &self,
        framed: &mut FramedStream,
        user: &str,
        deadline: Instant,
    ) -> Result<AdmittedIdentity<'_>, AuthError> {
        let given = password_request::request_password(framed, deadline).await?;
        let proved = self.prove(given.reveal(), user, deadline).await;
        let proved = proved.map_err(AuthError::Token)?;
        let unlisted = || AuthError::Token(TokenError::UnlistedUser);
        let identity = self.upstream(user).ok_or_else(unlisted)?;
        let clock_skew = self.issuer.expected.clock_skew;
        let attributes = proved.attributes.into_iter();
        let proof = Proof {
            attributes: attributes.map(|(name, all)| (name.into(), all)).collect(),
            ends: match self.on_expiry {
                OnExpiry::End => Some(proved.expires.saturating_add(clock_skew)),
                OnExpiry::Stay => None,
            },
        };
        Ok(AdmittedIdentity::Proved { identity, proof })
    }

    async fn prove(
        &self,
        token: &str,
        user: &str,
        deadline: Instant,
    ) -> Result<Proved, TokenError> {
        let claims = self.issuer.prove(token, deadline).await?;
        let proved = claims.of_user(&self.issuer.expected)?;
        match proved.user == user {
            true => Ok(proved),
            false => Err(TokenError::OtherUser),
        }
    }

    fn upstream(&self, user: &str) -> Option<&UpstreamIdentity> {
        match &self.people {
            OidcPeople::Everybody(identity) => Some(identity),
            OidcPeople::Listed(users) => {
                let own = users.iter().find(|one| one.name == user);
                own.map(|one| &one.upstream)
            }
        }
    }

    /// How many keys the issuer has, asked now.
    ///
    /// # Errors
    /// None can be had.
    pub async fn look(&self) -> Result<usize, KeysFault> {
        self.issuer.look().await
    }
}

/// Seconds since 1970. A clock that stands before that has every token expired.
fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.ok().map(|now| i64::try_from(now.as_secs()));
    seconds.and_then(Result::ok).unwrap_or(i64::MAX)
}
