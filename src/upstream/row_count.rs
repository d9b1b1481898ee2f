//! Runs permitted texts for somebody who wants to know no more than how many rows they return.

use std::fmt;

use tokio::time::Instant;

use super::account::{self, OwnSessionError, UpstreamAccount};
use super::connect::Upstream;
use super::login::UpstreamSession;
use super::outbox::Outbox;
use crate::gate::ReadPermit;
use crate::net::framed_stream::{PassedMessage, PeerError};
use crate::wire::backend::error_fields;
use crate::wire::encode::EncodeError;

/// A session as a client would have it, logged in and proved read-only.
pub struct RowCounter {
    session: UpstreamSession,
}

/// Why nobody knows how many rows there are.
#[derive(Debug)]
pub enum RowCountError {
    /// The text failed, with this SQLSTATE.
    Failed(Box<str>),
    /// The text cannot be sent.
    Unsaid(EncodeError),
    /// The session is lost, or took longer than it may: it must not be used any more.
    Lost(PeerError),
}

impl RowCounter {
    /// Logs in with the settings of a client's session.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The same as of [`account::open`].
    pub async fn open(
        upstream: &Upstream,
        account: &UpstreamAccount,
        database: &str,
        parameters: &[(String, String)],
        deadline: Instant,
    ) -> Result<Self, OwnSessionError> {
        let opened = account::open_with(upstream, account, database, parameters, deadline);
        Ok(Self {
            session: opened.await?,
        })
    }

    /// Runs a text with unqualified names looked up in these schemas, and counts its rows.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// The text fails or cannot be sent, or the session is lost or took longer than the deadline.
    pub async fn count(
        &mut self,
        permit: &ReadPermit<'_>,
        path: &[impl AsRef<str>],
        deadline: Instant,
    ) -> Result<u64, RowCountError> {
        let mut out = Outbox::default();
        out.set_search_path(path).map_err(RowCountError::Unsaid)?;
        out.query(permit).map_err(RowCountError::Unsaid)?;
        let framed = &mut self.session.framed;
        let sent = framed.send(&out, deadline).await;
        sent.map_err(RowCountError::Lost)?;
        self.answer(deadline).await?;
        self.answer(deadline).await
    }

    async fn answer(&mut self, deadline: Instant) -> Result<u64, RowCountError> {
        let mut rows = 0_u64;
        let mut failed = None;
        // As many turns as the server has rows: its statement_timeout and the deadline end it.
        loop {
            let framed = &mut self.session.framed;
            let next = framed.backend_skipping(OF_NO_INTEREST, deadline).await;
            match next.map_err(RowCountError::Lost)? {
                PassedMessage::Skipped(b'D') => rows += 1,
                PassedMessage::Skipped(_) => {}
                PassedMessage::Message(message) if message.kind == b'E' => {
                    let fields = error_fields(message.body()).ok();
                    let code = fields.and_then(|fields| fields.sqlstate());
                    failed = Some(code.unwrap_or("XX000").into());
                }
                PassedMessage::Message(message) if message.kind == b'Z' => break,
                PassedMessage::Message(_) => {}
            }
        }
        match failed {
            Some(code) => Err(RowCountError::Failed(code)),
            None => Ok(rows),
        }
    }
}

impl fmt::Debug for RowCounter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RowCounter")
    }
}

/// Rows and what describes them.
const OF_NO_INTEREST: &[u8] = b"DT";
