//! The connection that the catalogs are read over: logged in and proved read-only as the upstream
//! session of a client is, then handed to tokio-postgres.
//!
//! Never sends a password in clear, never runs anything of a client.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::config::{Config, SslMode};
use tokio_postgres::{AsyncMessage, Client, NoTls};

use super::handover::Handover;
use crate::limits;
use crate::secret::Secret;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::connect::{self, Upstream};
use crate::upstream::login::{self, Asked, LoginError, LoginRequest, UpstreamSession, sqlstate_of};
use crate::upstream::verify::{VerifyError, verify};

/// Who reads the catalogs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The role.
    pub user: String,
    /// Its password, if there is one.
    pub password: Option<Secret>,
}

/// Why the catalogs cannot be read. For logs: holds no address, no password and none of the
/// upstream's words but its SQLSTATE.
#[derive(Debug)]
pub enum ConnectError {
    /// There is no connection.
    Unreachable(connect::ConnectError),
    /// The upstream does not let the account in, with this SQLSTATE.
    Refused(Option<Box<str>>),
    /// The upstream asks for a password and none is known.
    NoPassword,
    /// The login went wrong on the way.
    Login(LoginError),
    /// The session is not what was asked for.
    NotReadOnly(VerifyError),
    /// The session was lost as soon as it was there.
    Lost,
    /// It took longer than it may.
    TimedOut,
}

impl Account {
    /// The account that the upstream's address names.
    pub fn of(settings: &UpstreamSettings) -> Option<Self> {
        settings.user.as_ref().map(|user| Self {
            user: user.clone(),
            password: settings.password.clone(),
        })
    }
}

/// Connects. The task ends when the client is dropped or the connection is lost.
///
/// May be cancelled: the connection is dropped.
pub async fn connect(
    upstream: &Upstream,
    account: &Account,
    database: &str,
) -> Result<(Client, JoinHandle<()>), ConnectError> {
    connect_hearing(upstream, account, database, Arc::default()).await
}

/// The same, and whatever the session is notified of is heard there.
pub async fn connect_hearing(
    upstream: &Upstream,
    account: &Account,
    database: &str,
    heard: Arc<Notify>,
) -> Result<(Client, JoinHandle<()>), ConnectError> {
    let deadline = Instant::now() + limits::CATALOG_CONNECT_TIME_MAX;
    let connected = timeout_at(
        deadline,
        connect_until(upstream, account, database, heard, deadline),
    );
    connected.await.unwrap_or(Err(ConnectError::TimedOut))
}

async fn connect_until(
    upstream: &Upstream,
    account: &Account,
    database: &str,
    heard: Arc<Notify>,
    deadline: Instant,
) -> Result<(Client, JoinHandle<()>), ConnectError> {
    let mut session = log_in(upstream, account, database, deadline).await?;
    verify(&mut session, deadline)
        .await
        .map_err(ConnectError::NotReadOnly)?;
    let stream = Handover::new(session.link);
    // What the configuration says goes nowhere: the login is done, TLS included.
    let mut nothing = Config::new();
    nothing.user(&account.user).ssl_mode(SslMode::Disable);
    let handed = nothing.connect_raw(stream, NoTls).await;
    let (client, mut connection) = handed.map_err(|_error| ConnectError::Lost)?;
    let task = tokio::spawn(async move {
        // Whoever waits for an answer hears of a lost connection.
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                heard.notify_one();
            }
        }
    });
    let set = client.batch_execute(SETTINGS).await;
    set.map_err(|_error| ConnectError::Lost)?;
    Ok((client, task))
}

async fn log_in(
    upstream: &Upstream,
    account: &Account,
    database: &str,
    deadline: Instant,
) -> Result<UpstreamSession, ConnectError> {
    let parameters = parameters();
    let request = LoginRequest {
        user: &account.user,
        database,
        parameters: &parameters,
    };
    let ready = match login::begin(upstream, request, deadline).await? {
        Asked::Nothing(ready) => ready,
        Asked::Password(asked) => {
            let password = account.password.as_ref();
            let password = password.ok_or(ConnectError::NoPassword)?;
            asked.answer(&account.user, password, deadline).await?
        }
    };
    Ok(ready.finish(deadline).await?)
}

/// Only what a server takes that is old, or that is a pooler.
fn parameters() -> Vec<(String, String)> {
    let own = [
        ("client_encoding", "UTF8".to_owned()),
        ("standard_conforming_strings", "on".to_owned()),
        ("default_transaction_read_only", "on".to_owned()),
        ("application_name", "pgsieve catalog".to_owned()),
        (
            "statement_timeout",
            milliseconds(limits::CATALOG_STATEMENT_TIME_MAX),
        ),
        ("lock_timeout", milliseconds(limits::CATALOG_LOCK_TIME_MAX)),
        (
            "idle_in_transaction_session_timeout",
            milliseconds(limits::CATALOG_STATEMENT_TIME_MAX),
        ),
    ];
    let owned = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    owned.collect()
}

fn milliseconds(time: std::time::Duration) -> String {
    time.as_millis().to_string()
}

impl From<LoginError> for ConnectError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::Connect(error) => Self::Unreachable(error),
            LoginError::Refused(message) => Self::Refused(sqlstate_of(&message).map(Box::from)),
            LoginError::NoPassword => Self::NoPassword,
            error => Self::Login(error),
        }
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) => write!(formatter, "{error}"),
            Self::Refused(code) => {
                let code = code.as_deref().unwrap_or("no code");
                write!(formatter, "refused with {code}")
            }
            Self::NoPassword => {
                formatter.write_str("the upstream asks for a password and none is known")
            }
            Self::Login(error) => write!(formatter, "{error}"),
            Self::NotReadOnly(error) => write!(formatter, "{error}"),
            Self::Lost => formatter.write_str("connection lost"),
            Self::TimedOut => formatter.write_str("no session in time"),
        }
    }
}

impl std::error::Error for ConnectError {}

/// Set when the session is there and not at its start, so that the server still says where its
/// sessions look for names when nobody sets it.
const SETTINGS: &str = "SET search_path TO pg_catalog; SET jit TO off; \
    SET max_parallel_workers_per_gather TO 0";
