//! How connections of a pool are opened: as whom, where, with which settings.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;

use super::connection::ConnectionBase;
use crate::limits;
use crate::upstream::account::{UpstreamAccount, log_in_once, log_in_patiently};
use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::{EngineProfile, SetValueAnswers};
use crate::upstream::login::{
    LoginRequest, UpstreamAuthMethod, UpstreamLoginError, UpstreamSession, sqlstate_of,
};
use crate::upstream::verify::{VerifyError, verify};

/// How the connections of one session are opened.
pub struct ConnectionSource {
    upstream: Arc<Upstream>,
    account: UpstreamAccount,
    database: Box<str>,
    parameters: Vec<(String, String)>,
    /// Settings that are asked for when the connection is proved.
    asked: Vec<Box<str>>,
    class: ConnectionClass,
    /// Whether a server that is not there is given up at once.
    is_hasty: bool,
}

/// A connection that has just been opened, and what it began with.
pub type OpenedConnection = (UpstreamSession, ConnectionBase);

/// A digest of all that connections begin with by the wish of their sessions: those of one class
/// may serve each other's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionClass(blake3::Hash);

/// Why no connection was opened.
#[derive(Debug, Clone)]
pub enum OpenError {
    /// The upstream was not reached, or does not let the account in.
    Login(UpstreamLoginError),
    /// The session is not what was asked for.
    NotReadOnly(VerifyError),
}

impl ConnectionSource {
    /// Of sessions with these parameters of the StartupMessage; the settings in `asked` are read
    /// when a connection is there.
    pub fn new(
        upstream: Arc<Upstream>,
        account: UpstreamAccount,
        database: &str,
        parameters: &[(String, String)],
        asked: &[&str],
    ) -> Self {
        let named = parameters.iter();
        let parameters: Vec<_> = named
            .filter(|(name, _)| !name.eq_ignore_ascii_case(FOLLOWED))
            .cloned()
            .collect();
        let mut hasher = blake3::Hasher::new();
        let pairs = parameters.iter().flat_map(|(name, value)| [name, value]);
        let words = pairs.map(String::as_str).chain(asked.iter().copied());
        for word in words {
            // No name or value has a zero in it.
            hasher.update(word.as_bytes()).update(&[0]);
        }
        Self {
            upstream,
            account,
            database: database.into(),
            parameters,
            asked: asked.iter().map(|name| (*name).into()).collect(),
            class: ConnectionClass(hasher.finalize()),
            is_hasty: false,
        }
    }

    /// A server that is not there is given up at once: there are others.
    #[must_use]
    pub fn hasty(self, is_hasty: bool) -> Self {
        Self { is_hasty, ..self }
    }

    /// The same at another server.
    #[must_use]
    pub fn at(&self, upstream: Arc<Upstream>) -> Self {
        Self {
            upstream,
            account: self.account.clone(),
            database: self.database.clone(),
            parameters: self.parameters.clone(),
            asked: self.asked.clone(),
            class: self.class,
            is_hasty: self.is_hasty,
        }
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// Who logs in.
    pub fn account(&self) -> &UpstreamAccount {
        &self.account
    }

    /// Whose connections may serve its sessions.
    pub fn class(&self) -> ConnectionClass {
        self.class
    }

    /// Logs in, and proves that the session is read-only.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The upstream cannot be reached in time or does not let the account in, or the session is not
    /// proved to be read-only.
    pub async fn open(&self) -> Result<OpenedConnection, OpenError> {
        Ok(self.open_telling().await?.0)
    }

    /// The same, and how the upstream wanted the account to prove itself.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub async fn open_telling(&self) -> Result<(OpenedConnection, UpstreamAuthMethod), OpenError> {
        self.open_as(self.is_hasty).await
    }

    /// The same, and whatever stands in its way is not waited for.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub async fn open_once(&self) -> Result<OpenedConnection, OpenError> {
        Ok(self.open_as(true).await?.0)
    }

    async fn open_as(
        &self,
        is_hasty: bool,
    ) -> Result<(OpenedConnection, UpstreamAuthMethod), OpenError> {
        let deadline = Instant::now() + limits::pools::CONNECT_TIME_MAX;
        let request = LoginRequest {
            user: &self.account.user,
            database: &self.database,
            parameters: &self.parameters,
        };
        let whose = (self.account.user.as_str(), self.account.secret.as_ref());
        let session = match is_hasty {
            true => {
                let deadline = Instant::now() + limits::upstreams::LOGIN_TIME_MAX;
                log_in_once(&self.upstream, whose, request, deadline).await
            }
            false => log_in_patiently(&self.upstream, whose, request, deadline).await,
        };
        let (mut session, method) = session.map_err(OpenError::Login)?;
        let asked: Vec<&str> = self.asked.iter().map(AsRef::as_ref).collect();
        let learned = self.upstream.learned();
        let verified = verify(&mut session, &asked, learned, deadline).await;
        let verified = verified.map_err(OpenError::NotReadOnly)?;
        // What one session sets would stay there for the next one.
        if EngineProfile::of(session.engine).set_values == SetValueAnswers::Untold {
            let unshared = VerifyError::Unshared(session.engine);
            return Err(OpenError::NotReadOnly(unshared));
        }
        let base = ConnectionBase::of(&session, verified);
        Ok(((session, base), method))
    }
}

impl OpenError {
    /// Whether the upstream does not let the account in, whatever else is asked of it.
    pub fn is_refusal_of_account(&self) -> bool {
        match self {
            Self::Login(UpstreamLoginError::Refused(message)) => {
                sqlstate_of(message).is_some_and(|code| code.starts_with(ACCOUNT_REFUSED))
            }
            Self::Login(_) | Self::NotReadOnly(_) => false,
        }
    }
}

/// The class of invalid authorization specification.
const ACCOUNT_REFUSED: &str = "28";

impl fmt::Debug for ConnectionSource {
    /// Without the account and the values that clients give.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ConnectionSource")
    }
}

/// The setting that each session has for itself and no connection begins with.
pub const FOLLOWED: &str = "application_name";
