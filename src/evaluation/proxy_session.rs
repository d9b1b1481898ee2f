//! A session of pgsieve, as any client has one: statements as they are, results as text with the
//! types of their columns, and what is said beside them.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout_at};

use super::result_comparison::{ColumnKind, ComparedResult};
use crate::limits::evaluation::{RESULT_BYTES_MAX, RESULT_ROWS_MAX};
use crate::wire::backend::{
    Authentication, ResponseFields, authentication, data_row, error_fields, row_description,
};
use crate::wire::encode;
use crate::wire::frame::{HEADER_BYTES, header_backend};
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
pub struct ProxySession {
    stream: UnixStream,
    inbox: BytesMut,
}

/// What came for a statement.
#[derive(Debug)]
pub struct StatementAnswer {
    /// Its last result, or its error.
    pub result: Result<ComparedResult, ServerError>,
    /// It was repaired.
    pub repair: Option<RepairNotice>,
    /// Its result was cut by the policy.
    pub is_cut: bool,
    /// How long it took.
    pub elapsed: Duration,
}

/// An error of the server, or of pgsieve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerError {
    /// Its code.
    pub sqlstate: String,
    /// Its words.
    pub message: String,
    /// What else it says.
    pub detail: Option<String>,
    /// What it advises.
    pub hint: Option<String>,
}

/// What is said of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairNotice {
    /// Who repaired it.
    pub recoverers: Vec<String>,
    /// The statement that ran.
    pub ran: Option<String>,
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
    /// The result is larger than what is compared.
    TooLarge,
    /// The text cannot be sent: it has a zero byte in it, or is too long.
    Unsayable,
}

/// One message of the server.
struct ServerMessage {
    kind: u8,
    bytes: BytesMut,
}

impl ProxySession {
    /// Logs in.
    ///
    /// May be cancelled: the connection is dropped.
    ///
    /// # Errors
    /// Nobody listens, the login is refused, or takes longer than the deadline.
    pub async fn open(
        socket: &Path,
        login: &SessionLogin<'_>,
        deadline: Instant,
    ) -> Result<Self, SessionFault> {
        let connecting = timeout_at(deadline, UnixStream::connect(socket)).await;
        let stream = connecting.map_err(|_| SessionFault::TimedOut)?;
        let mut session = Self {
            stream: stream.map_err(|_| SessionFault::Lost)?,
            inbox: BytesMut::new(),
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
                b'E' => return Err(SessionFault::Refused(message.error())),
                b'Z' => return Ok(session),
                _ => {}
            }
        }
    }

    /// Runs a text.
    ///
    /// Not to be cancelled and gone on with: an answer may be under way.
    ///
    /// # Errors
    /// Why there is no answer; an error of the server is one.
    pub async fn run(
        &mut self,
        text: &str,
        deadline: Instant,
    ) -> Result<StatementAnswer, SessionFault> {
        let began = Instant::now();
        let mut out = BytesMut::new();
        encode::query(&mut out, text).map_err(|_| SessionFault::Unsayable)?;
        self.send(&out, deadline).await?;
        let mut answer = StatementAnswer {
            result: Ok(ComparedResult::default()),
            repair: None,
            is_cut: false,
            elapsed: Duration::ZERO,
        };
        let mut bytes = 0;
        // As many turns as the server has rows: their bound and the deadline end it.
        loop {
            let message = self.message(deadline).await?;
            let body = message.body();
            match (message.kind, &mut answer.result) {
                (b'T', Ok(result)) => {
                    let fields = row_description(body).map_err(|_| SessionFault::Lost)?;
                    let kinds = fields
                        .iter()
                        .map(|field| ColumnKind::of_type(field.type_oid));
                    *result = ComparedResult {
                        columns: kinds.collect(),
                        rows: Vec::new(),
                    };
                }
                (b'D', Ok(result)) => {
                    bytes += body.len();
                    if result.rows.len() >= RESULT_ROWS_MAX || bytes > RESULT_BYTES_MAX {
                        return Err(SessionFault::TooLarge);
                    }
                    let row = data_row(body, result.columns.len());
                    result.rows.push(row.ok_or(SessionFault::Lost)?);
                }
                (b'E', _) => answer.result = Err(message.error()),
                (b'N', _) => answer.hear(&message.error()),
                (b'Z', _) => {
                    answer.elapsed = began.elapsed();
                    return Ok(answer);
                }
                _ => {}
            }
        }
    }

    async fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), SessionFault> {
        let sent = timeout_at(deadline, self.stream.write_all(bytes)).await;
        let sent = sent.map_err(|_| SessionFault::TimedOut)?;
        sent.map_err(|_| SessionFault::Lost)
    }

    async fn message(&mut self, deadline: Instant) -> Result<ServerMessage, SessionFault> {
        loop {
            let header = header_backend(&self.inbox).map_err(|_| SessionFault::Lost)?;
            if let Some(header) = header
                && header.total > RESULT_BYTES_MAX
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
    fn body(&self) -> &[u8] {
        self.bytes.get(HEADER_BYTES..).unwrap_or_default()
    }

    /// Its words, where it is an error or a notice.
    fn error(&self) -> ServerError {
        error_fields(self.body()).map_or_else(|_| ServerError::default(), ServerError::of)
    }
}

impl ServerError {
    fn of(fields: ResponseFields<'_>) -> Self {
        let text = |kind: u8| fields.get(kind).map(str::to_owned);
        Self {
            sqlstate: text(b'C').unwrap_or_default(),
            message: text(b'M').unwrap_or_default(),
            detail: text(b'D'),
            hint: text(b'H'),
        }
    }

    /// Whether the statement may well run a moment later.
    pub fn is_of_the_moment(&self) -> bool {
        let class = self.sqlstate.get(..2).unwrap_or_default();
        ["08", "40", "53"].contains(&class) && self.sqlstate != LOGIN_NOT_ACCEPTED
            || self.sqlstate == "57P03"
            || self.sqlstate == "55000" && self.message.contains("catalog")
    }
}

impl StatementAnswer {
    /// Takes in what is said beside the rows.
    fn hear(&mut self, notice: &ServerError) {
        if let Some(names) = notice.message.strip_prefix(REPAIRED) {
            let detail = notice.detail.as_deref().unwrap_or_default();
            self.repair = Some(RepairNotice {
                recoverers: names.split(", ").map(str::to_owned).collect(),
                ran: detail.split_once(RAN).map(|(_, ran)| ran.to_owned()),
            });
        }
        self.is_cut |= notice.message.starts_with(CUT);
    }
}

impl fmt::Display for SessionFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(formatter, "{}: {}", error.sqlstate, error.message),
            Self::Lost => formatter.write_str("the connection broke"),
            Self::TimedOut => formatter.write_str("it took longer than it may"),
            Self::TooLarge => formatter.write_str("the result is larger than what is compared"),
            Self::Unsayable => formatter.write_str("the text cannot be sent"),
        }
    }
}

/// `sqlserver_rejected_establishment_of_sqlconnection`: by pgsieve, of a password that the database
/// does not take.
const LOGIN_NOT_ACCEPTED: &str = "08004";

/// How pgsieve begins to tell of a repair.
const REPAIRED: &str = "pgsieve repaired this statement: ";

/// What stands before the statement that ran.
const RAN: &str = "The statement that ran: ";

/// How it begins to tell of a result that was cut.
const CUT: &str = "the result was cut at ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_repairs_is_heard() {
        let mut answer = StatementAnswer {
            result: Ok(ComparedResult::default()),
            repair: None,
            is_cut: false,
            elapsed: Duration::ZERO,
        };
        answer.hear(&ServerError {
            message: "pgsieve repaired this statement: unwrap, quote_identifiers".into(),
            detail: Some("\"a\" for a\nThe statement that ran: SELECT \"a\"\nFROM t".into()),
            ..ServerError::default()
        });
        let repair = answer.repair.as_ref().unwrap();
        assert_eq!(repair.recoverers, ["unwrap", "quote_identifiers"]);
        assert_eq!(repair.ran.as_deref(), Some("SELECT \"a\"\nFROM t"));
        assert!(!answer.is_cut);
        answer.hear(&ServerError {
            message: "the result was cut at 1000 rows by the policy".into(),
            ..ServerError::default()
        });
        assert!(answer.is_cut);
    }
}
