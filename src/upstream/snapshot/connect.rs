//! The connection that the catalogs are read over: a session of pgsieve's own, handed to
//! tokio-postgres.
//!
//! Never runs anything of a client.

use std::future::poll_fn;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::config::{Config, SslMode};
use tokio_postgres::{AsyncMessage, Client, NoTls};

use super::replayed_login::ReplayedLogin;
use crate::engine::EngineLexer;
use crate::limits;
use crate::upstream::account::{self, OwnSessionError, SessionPurpose, UpstreamAccount};
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::login::UpstreamSession;

/// Connects. The task ends when the client is dropped or the connection is lost.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The account is not let in, the session not proved to be read-only or lost at once, or all of it
/// takes too long.
pub async fn connect(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
) -> Result<(Client, JoinHandle<()>), OwnSessionError> {
    let (client, task, _server) =
        connect_hearing(upstream, account, database, Arc::default()).await?;
    Ok((client, task))
}

/// The same, with the server that it is at, where that tells who it is; and whatever the session is
/// notified of is heard there.
///
/// # Errors
/// The same as of [`connect`].
pub async fn connect_hearing(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    heard: Arc<Notify>,
) -> Result<(Client, JoinHandle<()>, Option<ServerIdentity>), OwnSessionError> {
    let deadline = Instant::now() + limits::CATALOG_CONNECT_TIME_MAX;
    let connected = timeout_at(
        deadline,
        connect_until(upstream, account, database, heard, deadline),
    );
    connected.await.unwrap_or(Err(OwnSessionError::TimedOut))
}

async fn connect_until(
    upstream: &Upstream,
    account: &UpstreamAccount,
    database: &str,
    heard: Arc<Notify>,
    deadline: Instant,
) -> Result<(Client, JoinHandle<()>, Option<ServerIdentity>), OwnSessionError> {
    let session = account::open(upstream, account, database, READING, deadline).await?;
    let server = session.server;
    let settings = match session.engine.lexer() {
        EngineLexer::Postgres => SETTINGS,
        EngineLexer::Own => SEARCH_PATH,
    };
    let (client, task) = hand_over(session, heard).await?;
    let set = client.batch_execute(settings).await;
    set.map_err(|_error| OwnSessionError::Lost)?;
    Ok((client, task, server))
}

/// Gives a session that is logged in to tokio-postgres. The task ends when the client is dropped or
/// the connection is lost.
///
/// May be cancelled: the connection is dropped.
///
/// # Errors
/// The session is lost.
pub async fn hand_over(
    session: UpstreamSession,
    heard: Arc<Notify>,
) -> Result<(Client, JoinHandle<()>), OwnSessionError> {
    let stream = ReplayedLogin::new(session.framed);
    // What the configuration says goes nowhere: the login is done, TLS included.
    let mut nothing = Config::new();
    nothing.user("nobody").ssl_mode(SslMode::Disable);
    let handed = nothing.connect_raw(stream, NoTls).await;
    let (client, mut connection) = handed.map_err(|_error| OwnSessionError::Lost)?;
    let task = tokio::spawn(async move {
        // Whoever waits for an answer hears of a lost connection.
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                heard.notify_one();
            }
        }
    });
    Ok((client, task))
}

/// What the session is for.
const READING: SessionPurpose = SessionPurpose {
    name: "pgsieve catalog",
    statement_time_max: limits::CATALOG_STATEMENT_TIME_MAX,
    lock_time_max: limits::CATALOG_LOCK_TIME_MAX,
};

/// What all engines take.
const SEARCH_PATH: &str = "SET search_path TO pg_catalog";

/// Set when the session is there and not at its start, so that the server still says where its
/// sessions look for names when nobody sets it.
const SETTINGS: &str = "SET search_path TO pg_catalog; SET jit TO off; \
    SET max_parallel_workers_per_gather TO 0";
