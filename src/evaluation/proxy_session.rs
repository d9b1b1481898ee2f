//! A session of the proxy: statements as they are, results as they are compared.

use std::path::Path;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::time::{Instant, timeout_at};

use super::result_comparison::{ColumnKind, ComparedResult};
use crate::limits::evaluation::{RESULT_BYTES_MAX, RESULT_ROWS_MAX};
use crate::wire::backend::{data_row, row_description};
use crate::wire_client::notices::{RepairNotice, ResultNotice};
use crate::wire_client::server_error::ServerError;
use crate::wire_client::session::{ClientSession, SessionFault, SessionLogin};

/// A session, logged in.
#[derive(Debug)]
pub struct ProxySession {
    session: ClientSession,
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
        let stream = stream.map_err(|_| SessionFault::Lost)?;
        let session = ClientSession::open(stream, login, RESULT_BYTES_MAX, deadline).await?;
        Ok(Self { session })
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
        self.session.query(text, deadline).await?;
        let mut answer = StatementAnswer {
            result: Ok(ComparedResult::default()),
            repair: None,
            is_cut: false,
            elapsed: Duration::ZERO,
        };
        let mut bytes = 0;
        // As many turns as the server has rows: their bound and the deadline end it.
        loop {
            let message = self.session.message(deadline).await?;
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
                (b'N', _) => match ResultNotice::of(&message.error()) {
                    ResultNotice::Repaired(repair) => answer.repair = Some(repair),
                    ResultNotice::Cut => answer.is_cut = true,
                    ResultNotice::Other => {}
                },
                (b'Z', _) => {
                    answer.elapsed = began.elapsed();
                    return Ok(answer);
                }
                _ => {}
            }
        }
    }
}
