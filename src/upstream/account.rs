//! Sessions that pgsieve has for itself: logged in with an account, and proved read-only as the
//! upstream session of a client is, before anything else is said.
//!
//! Never sends a password in clear, never runs anything of a client.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::address::UpstreamSettings;
use super::connect::{self, Upstream};
use super::login::{
    self, AuthRequirement, LoginRequest, UpstreamAuthMethod, UpstreamLoginError, UpstreamSession,
    sqlstate_of,
};
use super::login_refusal;
use super::login_retry::{LoginTries, RetryDecision};
use super::verify::{VerifyError, verify};
use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::UpstreamIdentity;

/// Who logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamAccount {
    /// The role.
    pub user: String,
    /// Its password, or what stands in for it, if there is one.
    pub secret: Option<LoginSecret>,
}

/// What a session of pgsieve's own is for, and how long it may take and wait.
#[derive(Debug, Clone, Copy)]
pub struct SessionPurpose {
    /// The application_name that the server shows.
    pub name: &'static str,
    /// Its statement_timeout, and that of an idle transaction.
    pub statement_time_max: Duration,
    /// Its lock_timeout.
    pub lock_time_max: Duration,
}

/// Why there is no session. For logs: holds no address, no password and none of the upstream's
/// words but its SQLSTATE.
#[derive(Debug)]
pub enum OwnSessionError {
    /// There is no connection.
    Unreachable(connect::UpstreamConnectError),
    /// The upstream does not let the account in, with this SQLSTATE.
    Refused(Option<Box<str>>),
    /// The upstream asks for a password and none is known.
    NoPassword,
    /// The login went wrong on the way.
    Login(UpstreamLoginError),
    /// The session is not what was asked for.
    NotReadOnly(VerifyError),
    /// The session was lost as soon as it was there.
    Lost,
    /// It is at another server than the one that is wanted, however often it was tried.
    OtherServer,
    /// It took longer than it may.
    TimedOut,
}

impl UpstreamAccount {
    /// The account that the upstream's address names.
    pub fn of(settings: &UpstreamSettings) -> Option<Self> {
        settings.user.as_ref().map(|user| Self {
            user: user.clone(),
            secret: settings.password.clone().map(LoginSecret::from),
        })
    }
}

impl From<&UpstreamIdentity> for UpstreamAccount {
    fn from(identity: &UpstreamIdentity) -> Self {
        let UpstreamIdentity { user, secret } = identity.clone();
        Self { user, secret }
    }
}

/// Logs in and proves that the session is read-only.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The upstream cannot be reached in time or does not let the account in, or the session is not
/// proved to be read-only.
pub async fn open(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    purpose: SessionPurpose,
    deadline: Instant,
) -> Result<UpstreamSession, OwnSessionError> {
    open_with(upstream, account, database, &parameters(purpose), deadline).await
}

/// The same with the settings of a client's session.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The same as of [`open`].
pub async fn open_with(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    parameters: &[(String, String)],
    deadline: Instant,
) -> Result<UpstreamSession, OwnSessionError> {
    let opened = open_telling(upstream, account, database, parameters, deadline).await?;
    Ok(opened.0)
}

/// The same, and how the upstream wanted the account to prove itself.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The same as of [`open`].
pub async fn open_telling(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    parameters: &[(String, String)],
    deadline: Instant,
) -> Result<(UpstreamSession, UpstreamAuthMethod), OwnSessionError> {
    let request = LoginRequest {
        user: &account.user,
        database,
        parameters,
    };
    let whose = (account.user.as_str(), account.secret.as_ref());
    let (mut session, proof) = log_in_once(upstream, whose, request, deadline).await?;
    let verified = verify(&mut session, &[], upstream.learned(), deadline).await;
    verified.map_err(OwnSessionError::NotReadOnly)?;
    Ok((session, proof))
}

/// Logs in with this account, and tries again some times where the failure may pass; tells how the
/// upstream wanted it to prove itself. The session is not yet proved to be read-only.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The upstream cannot be reached in time, or does not let the account in.
pub async fn log_in_patiently(
    upstream: &Upstream,
    (user, secret): (&str, Option<&LoginSecret>),
    request: LoginRequest<'_>,
    deadline: Instant,
) -> Result<(UpstreamSession, UpstreamAuthMethod), UpstreamLoginError> {
    let mut tries = LoginTries::new(deadline);
    loop {
        let once = log_in_once(upstream, (user, secret), request, deadline);
        let error = match once.await {
            Ok(logged_in) => return Ok(logged_in),
            Err(error) => error,
        };
        match tries.wait_after(&error).await {
            RetryDecision::Try => {}
            RetryDecision::GiveUp => return Err(error),
        }
    }
}

/// Logs in once, and tells how the upstream wanted the account to prove itself.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The upstream cannot be reached in time, or does not let the account in.
pub async fn log_in_once(
    upstream: &Upstream,
    (user, secret): (&str, Option<&LoginSecret>),
    request: LoginRequest<'_>,
    deadline: Instant,
) -> Result<(UpstreamSession, UpstreamAuthMethod), UpstreamLoginError> {
    let asked = login::begin(upstream, request, deadline).await?;
    let method = asked.proof();
    let ready = match asked {
        AuthRequirement::Nothing(ready) => ready,
        AuthRequirement::Password(asked) => {
            let secret = secret.ok_or(UpstreamLoginError::NoPassword)?;
            asked.answer(user, secret, deadline).await?
        }
    };
    Ok((ready.finish(deadline).await?, method))
}

/// Only what a server takes that is old, or that is a pooler.
fn parameters(purpose: SessionPurpose) -> Vec<(String, String)> {
    let statement_time = milliseconds(purpose.statement_time_max);
    let own = [
        ("client_encoding", "UTF8".to_owned()),
        ("standard_conforming_strings", "on".to_owned()),
        ("default_transaction_read_only", "on".to_owned()),
        ("application_name", purpose.name.to_owned()),
        ("statement_timeout", statement_time.clone()),
        ("lock_timeout", milliseconds(purpose.lock_time_max)),
        ("idle_in_transaction_session_timeout", statement_time),
    ];
    let owned = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    owned.collect()
}

fn milliseconds(time: Duration) -> String {
    time.as_millis().to_string()
}

impl From<UpstreamLoginError> for OwnSessionError {
    fn from(error: UpstreamLoginError) -> Self {
        match error {
            UpstreamLoginError::Connect(error) => Self::Unreachable(error),
            UpstreamLoginError::Refused(message) => {
                Self::Refused(sqlstate_of(&message).map(Box::from))
            }
            UpstreamLoginError::NoPassword => Self::NoPassword,
            error => Self::Login(error),
        }
    }
}

impl fmt::Display for OwnSessionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) => write!(formatter, "{error}"),
            Self::Refused(code) => {
                formatter.write_str(&login_refusal::refusal_text(code.as_deref()))
            }
            Self::NoPassword => {
                formatter.write_str("the upstream asks for a password and none is known: give one")
            }
            Self::Login(error) => write!(formatter, "{error}"),
            Self::NotReadOnly(error) => write!(formatter, "{error}"),
            Self::Lost => formatter.write_str("connection lost"),
            Self::OtherServer => formatter.write_str("another server answers"),
            Self::TimedOut => formatter.write_str("no session in time"),
        }
    }
}

impl std::error::Error for OwnSessionError {}
