//! Runs permitted texts for pgsieve itself: how many rows they return, or a few rows.

use std::fmt;

use tokio::time::Instant;

use super::account::{self, OwnSessionError, UpstreamAccount};
use super::connect::Upstream;
use super::identity::ServerIdentity;
use super::login::UpstreamSession;
use super::outbox::Outbox;
use crate::catalog::Oid;
use crate::gate::ReadPermit;
use crate::net::framed_stream::{PassedMessage, PeerError};
use crate::wire::backend::{data_row, error_fields, row_description};
use crate::wire::encode::EncodeError;

/// A session as a client would have it, logged in and proved read-only.
pub struct ReadSession {
    session: UpstreamSession,
}

/// A result as text.
#[derive(Debug, Default)]
pub struct ReadRows {
    /// Its columns, in order.
    pub columns: Vec<ResultColumn>,
    /// Its rows.
    pub rows: Vec<Vec<Option<String>>>,
}

/// A column of a result.
#[derive(Debug)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_oid: Oid,
    /// The modifier of its type, or -1.
    pub type_modifier: i32,
}

/// Why nobody knows what a text returns.
#[derive(Debug)]
pub enum ReadError {
    /// The text failed, with this SQLSTATE.
    Failed(Box<str>),
    /// What came is no result of such a text.
    Unreadable,
    /// The text cannot be sent.
    Unsaid(EncodeError),
    /// The session is lost, or took longer than it may: it must not be used any more.
    Lost(PeerError),
}

impl ReadError {
    /// Whether the session must not be used any more.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Lost(_))
    }
}

impl ReadSession {
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

    /// Whether it is at that server, where one is wanted.
    pub fn is_at(&self, wanted: Option<&ServerIdentity>) -> bool {
        let own = self.session.server.as_ref();
        wanted.is_none_or(|wanted| own.is_some_and(|own| own.is_same(wanted)))
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
    ) -> Result<u64, ReadError> {
        self.send(permit, path, deadline).await?;
        self.answer(deadline).await
    }

    /// The same, with the rows. The text itself says how many there may be.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// The text fails or cannot be sent, the session is lost or took longer than the deadline, or
    /// what came is not text in UTF-8.
    pub async fn rows(
        &mut self,
        permit: &ReadPermit<'_>,
        path: &[impl AsRef<str>],
        deadline: Instant,
    ) -> Result<ReadRows, ReadError> {
        self.send(permit, path, deadline).await?;
        let mut read = Ok(ReadRows::default());
        // As many turns as the text gives rows: its LIMIT and the deadline end it.
        loop {
            let next = self.session.framed.backend(deadline).await;
            let message = next.map_err(ReadError::Lost)?;
            let body = message.body();
            match (message.kind, &mut read) {
                (b'T', Ok(rows)) => match columns(body) {
                    Some(columns) => rows.columns = columns,
                    None => read = Err(ReadError::Unreadable),
                },
                (b'D', Ok(rows)) => match data_row(body, rows.columns.len()) {
                    Some(row) => rows.rows.push(row),
                    None => read = Err(ReadError::Unreadable),
                },
                (b'E', _) => read = Err(ReadError::Failed(sqlstate(body))),
                (b'Z', _) => return read,
                _ => {}
            }
        }
    }

    async fn send(
        &mut self,
        permit: &ReadPermit<'_>,
        path: &[impl AsRef<str>],
        deadline: Instant,
    ) -> Result<(), ReadError> {
        let mut out = Outbox::default();
        out.set_search_path(path).map_err(ReadError::Unsaid)?;
        out.query(permit).map_err(ReadError::Unsaid)?;
        let sent = self.session.framed.send(&out, deadline).await;
        sent.map_err(ReadError::Lost)?;
        self.answer(deadline).await.map(|_rows| ())
    }

    async fn answer(&mut self, deadline: Instant) -> Result<u64, ReadError> {
        let mut rows = 0_u64;
        let mut failed = None;
        // As many turns as the server has rows: its statement_timeout and the deadline end it.
        loop {
            let framed = &mut self.session.framed;
            let next = framed.backend_skipping(OF_NO_INTEREST, deadline).await;
            match next.map_err(ReadError::Lost)? {
                PassedMessage::Skipped(b'D') => rows += 1,
                PassedMessage::Skipped(_) => {}
                PassedMessage::Message(message) if message.kind == b'E' => {
                    failed = Some(sqlstate(message.body()));
                }
                PassedMessage::Message(message) if message.kind == b'Z' => break,
                PassedMessage::Message(_) => {}
            }
        }
        match failed {
            Some(code) => Err(ReadError::Failed(code)),
            None => Ok(rows),
        }
    }
}

fn columns(body: &[u8]) -> Option<Vec<ResultColumn>> {
    let fields = row_description(body).ok()?.into_iter();
    let columns = fields.map(|field| ResultColumn {
        name: field.name.to_owned(),
        type_oid: Oid(field.type_oid),
        type_modifier: field.type_modifier,
    });
    Some(columns.collect())
}

fn sqlstate(body: &[u8]) -> Box<str> {
    let fields = error_fields(body).ok();
    let code = fields.and_then(|fields| fields.sqlstate());
    code.unwrap_or("XX000").into()
}

impl fmt::Debug for ReadSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReadSession")
    }
}

/// Rows and what describes them.
const OF_NO_INTEREST: &[u8] = b"DT";
