//! A session of pgsieve, as any client has one: a login, statements as they are, messages as they
//! come.

use std::fmt;
use std::io::ErrorKind;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout_at};

use super::server_error::ServerError;
use crate::wire::backend::{Authentication, authentication, backend_key_data, error_fields};
use crate::wire::encode;
use crate::wire::frame::{HEADER_BYTES, header_backend};
use crate::wire::frontend::ParameterOids;
use crate::wire::startup::ProtocolVersion;

/// Who logs in.
#[derive(Clone, Copy, Debug)]
pub struct SessionLogin<'l> {
    /// The user that policies see.
    pub user: &'l str,
    /// The database.
    pub database: &'l str,
    /// What the program calls itself.
    pub application_name: &'l str,
    /// Whether statements are repaired.
    pub repairs: bool,
}

/// A session, logged in.
#[derive(Debug)]
pub struct ClientSession {
    stream: UnixStream,
    inbox: BytesMut,
    message_bytes_max: usize,
    cancel_key: Option<CancelKey>,
}

/// What cancels the statement of a session.
#[derive(Clone, PartialEq, Eq)]
pub struct CancelKey {
    /// The process, as the session names it.
    pub pid: i32,
    /// Its secret.
    pub secret: Vec<u8>,
}

/// Why there is no answer: the session must not be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionFault {
    /// The login is refused.
    Refused(ServerError),
    /// The connection broke, or something came that is no answer.
    Lost,
    /// It took too long.
    TimedOut,
    /// The result is larger than what is taken.
    TooLarge,
    /// The text cannot be sent: it has a zero byte in it, or is too long.
    Unsayable,
}

/// One message of the server.
pub struct ServerMessage {
    /// Its type.
    pub kind: u8,
    bytes: BytesMut,
}

impl ClientSession {
    /// Logs in over a stream. No message of the server may be longer than `message_bytes_max`.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The login is refused, or takes longer than the deadline.
    pub async fn open(
        stream: UnixStream,
        login: &SessionLogin<'_>,
        message_bytes_max: usize,
        deadline: Instant,
    ) -> Result<Self, SessionFault> {
        let mut session = Self {
            stream,
            inbox: BytesMut::new(),
            message_bytes_max,
            cancel_key: None,
        };
        let mut parameters = vec![
            ("user", login.user),
            ("database", login.database),
            ("application_name", login.application_name),
            ("client_encoding", "UTF8"),
            ("pgsieve.show_repaired", "on"),
        ];
        if !login.repairs {
            parameters.push(("pgsieve.repairs", "off"));
        }
        let mut out = BytesMut::new();
        encode::startup(&mut out, ProtocolVersion::V3_0, parameters)
            .map_err(|_| SessionFault::Unsayable)?;
        session.send(&out, deadline).await?;
        loop {
            let message = session.message(deadline).await?;
            match message.kind {
                b'R' => match authentication(message.body()) {
                    Ok(Authentication::Ok) => {}
                    Ok(_) | Err(_) => return Err(SessionFault::Lost),
                },
                b'K' => session.cancel_key = CancelKey::of(message.body()),
                b'E' => return Err(SessionFault::Refused(message.error())),
                b'Z' => return Ok(session),
                _ => {}
            }
        }
    }

    /// What cancels its statement, where the server said it.
    pub fn cancel_key(&self) -> Option<&CancelKey> {
        self.cancel_key.as_ref()
    }

    /// Whether the server has ended it, as far as has been heard.
    pub fn is_ended(&mut self) -> bool {
        match self.stream.try_read_buf(&mut self.inbox) {
            // Of a session that waits something is heard only when it ends, or its settings change.
            Ok(read) => read == 0 || self.inbox.first() == Some(&b'E'),
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    /// Sends a text to be run.
    ///
    /// # Errors
    /// It cannot be sent, or not in time.
    pub async fn query(&mut self, text: &str, deadline: Instant) -> Result<(), SessionFault> {
        let mut out = BytesMut::new();
        encode::query(&mut out, text).map_err(|_| SessionFault::Unsayable)?;
        self.send(&out, deadline).await
    }

    /// Sends a text to be parsed and described, and not to be run.
    ///
    /// # Errors
    /// It cannot be sent, or not in time.
    pub async fn describe(&mut self, text: &str, deadline: Instant) -> Result<(), SessionFault> {
        let mut out = BytesMut::new();
        encode::parse(&mut out, "", text, ParameterOids::default())
            .map_err(|_| SessionFault::Unsayable)?;
        encode::describe(&mut out, b'S', "").map_err(|_| SessionFault::Unsayable)?;
        encode::sync(&mut out);
        self.send(&out, deadline).await
    }

    async fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), SessionFault> {
        let sent = timeout_at(deadline, self.stream.write_all(bytes)).await;
        let sent = sent.map_err(|_| SessionFault::TimedOut)?;
        sent.map_err(|_| SessionFault::Lost)
    }

    /// The next message.
    ///
    /// May be cancelled: what has come of it is kept.
    ///
    /// # Errors
    /// None comes in time, or something that is none.
    pub async fn message(&mut self, deadline: Instant) -> Result<ServerMessage, SessionFault> {
        loop {
            let header = header_backend(&self.inbox).map_err(|_| SessionFault::Lost)?;
            if let Some(header) = header
                && header.total > self.message_bytes_max
            {
                return Err(SessionFault::TooLarge);
            }
            if let Some(header) = header
                && self.inbox.len() >= header.total
            {
                return Ok(ServerMessage {
                    kind: header.kind,
                    bytes: self.inbox.split_to(header.total),
                });
            }
            let read = timeout_at(deadline, self.stream.read_buf(&mut self.inbox)).await;
            let read = read.map_err(|_| SessionFault::TimedOut)?;
            if read.map_err(|_| SessionFault::Lost)? == 0 {
                return Err(SessionFault::Lost);
            }
        }
    }
}

impl ServerMessage {
    /// What it says behind its type and length.
    pub fn body(&self) -> &[u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }

    /// Its words, where it is an error or a notice.
    pub fn error(&self) -> ServerError {
        error_fields(self.body()).map_or_else(|_| ServerError::default(), ServerError::of)
    }
}

impl CancelKey {
    fn of(body: &[u8]) -> Option<Self> {
        let (pid, secret) = backend_key_data(body).ok()?;
        Some(Self {
            pid,
            secret: secret.to_vec(),
        })
    }
}

impl fmt::Debug for CancelKey {
    /// Without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CancelKey({})", self.pid)
    }
}

impl fmt::Display for SessionFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(formatter),
            Self::Lost => formatter.write_str("the connection broke"),
            Self::TimedOut => formatter.write_str("it took longer than it may"),
            Self::TooLarge => formatter.write_str("the result is larger than what is taken"),
            Self::Unsayable => formatter.write_str("the text cannot be sent"),
        }
    }
}
