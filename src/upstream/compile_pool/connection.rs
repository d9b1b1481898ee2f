//! One connection on which texts are compiled.

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep};

use crate::gate::ReadPermit;
use crate::limits;
use crate::net::framed_stream::{OwnedMessage, PeerError};
use crate::repair::CompileError;
use crate::upstream::account::{self, OwnSessionError, SessionPurpose, UpstreamAccount};
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::login_retry::jittered;
use crate::upstream::outbox::Outbox;
use crate::upstream::verify::ProvedSetting;
use crate::upstream::writer::UpstreamFrames;
use crate::wire::backend::{data_row, error_fields, parameter_status};
use crate::wire::encode::EncodeError;
use crate::wire::frontend::ParameterOids;

/// A session of pgsieve's own, logged in, proved read-only, idle.
pub struct CompileConnection {
    framed: UpstreamFrames,
    /// Where it looks names up; none until that was set.
    path: Option<StoredSearchPath>,
    /// Its process at the server, where the server computes queryids and tells them.
    pid: Option<i32>,
    /// Its place among all of them.
    _place: OwnedSemaphorePermit,
}

/// The schemas of a search_path, as they are stored.
pub type StoredSearchPath = Box<[Box<str>]>;

/// A connection that must not be used any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenConnection {
    /// It was lost: another one may do better.
    Lost,
    /// There is no time left, or another one would fare no better.
    Spent,
}

/// What the server said of a text.
pub type CompileResult = Result<(), CompileError>;

/// What the server has put down of the last statement of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastStatement {
    /// Its queryid; none where the server computes none.
    pub queryid: Option<i64>,
    /// Bytes of its text, in UTF-8; a long text is cut.
    pub bytes: usize,
    /// The SHA-256 of these, in hexadecimal digits.
    pub digest: String,
}

/// The values of a row.
type Row = Vec<Option<String>>;

impl CompileConnection {
    /// Logs in, at that server where one is named: behind one address there may be others. May be
    /// cancelled: the connection is dropped.
    ///
    /// # Errors
    /// The account is not let in, or the session not proved to be read-only, before the deadline;
    /// or it is at another server each time.
    pub async fn open(
        upstream: &Upstream,
        account: &UpstreamAccount,
        (database, server): (&str, Option<&ServerIdentity>),
        place: OwnedSemaphorePermit,
        deadline: Instant,
    ) -> Result<Self, OwnSessionError> {
        for _ in 0..limits::SERVER_TRIES_MAX {
            let session = account::open(upstream, account, database, COMPILING, deadline).await?;
            let reached = session.server.as_ref();
            if server.is_none_or(|own| reached.is_some_and(|reached| own.is_same(reached))) {
                let tells = session.major_version() >= TELLS_QUERYIDS;
                let pid = session.key.as_ref().map(|key| key.pid);
                return Ok(Self {
                    framed: session.framed,
                    path: None,
                    pid: pid.filter(|_| tells),
                    _place: place,
                });
            }
            sleep(jittered(limits::SERVER_PAUSE)).await;
        }
        Err(OwnSessionError::OtherServer)
    }

    /// One that somebody else has logged in.
    #[cfg(test)]
    pub(super) fn of(framed: UpstreamFrames, place: OwnedSemaphorePermit) -> Self {
        Self {
            framed,
            path: None,
            pid: None,
            _place: place,
        }
    }

    /// Has the server compile a text in that search_path. Not to be cancelled and gone on with.
    ///
    /// # Errors
    /// The connection must not be used any more: it is lost, no answer came in time, or the text or
    /// the answer is none that can be said.
    pub async fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameter_types: &[u32],
        path: &StoredSearchPath,
        deadline: Instant,
    ) -> Result<CompileResult, BrokenConnection> {
        let words: Vec<[u8; 4]> = parameter_types.iter().map(|o| o.to_be_bytes()).collect();
        let types = ParameterOids::of(&words).ok_or(BrokenConnection::Spent)?;
        let mut parse = Outbox::default();
        parse.parse(UNNAMED, permit, types)?;
        self.compile_written(&parse, path, deadline).await
    }

    /// The same with a Parse of the unnamed statement that was written before.
    ///
    /// # Errors
    /// The same as of [`Self::compile`], or the server does not take the search_path.
    pub async fn compile_written(
        &mut self,
        parse: &Outbox,
        path: &StoredSearchPath,
        deadline: Instant,
    ) -> Result<CompileResult, BrokenConnection> {
        let mut out = Outbox::default();
        let moves = self.path.as_ref() != Some(path);
        if moves {
            self.path = None;
            out.set_search_path(path.iter())?;
        }
        out.append(parse);
        out.sync_message();
        self.framed.send(&out, deadline).await?;
        if moves {
            match self.answer(deadline).await? {
                Ok(()) => self.path = Some(path.clone()),
                // The server takes every list of names: this is none that we know.
                Err(_) => return Err(BrokenConnection::Spent),
            }
        }
        self.answer(deadline).await
    }

    /// Its process at the server, where the server can tell queryids.
    pub fn pid(&self) -> Option<i32> {
        self.pid
    }

    /// What the server has put down of the last statement of a process; nothing where it does not
    /// say. Not to be cancelled and gone on with.
    ///
    /// # Errors
    /// The connection must not be used any more: it is lost, or no answer came in time that can be
    /// read.
    pub async fn last_statement_of(
        &mut self,
        pid: i32,
        deadline: Instant,
    ) -> Result<Option<LastStatement>, BrokenConnection> {
        let mut out = Outbox::default();
        out.last_statement_of(pid)?;
        self.framed.send(&out, deadline).await?;
        let (said, row) = self.answer_with(LastStatement::COLUMNS, deadline).await?;
        Ok(row
            .filter(|_| said.is_ok())
            .as_deref()
            .and_then(LastStatement::read))
    }

    /// Says goodbye, in a short time.
    pub async fn close(self) {
        let mut goodbye = Outbox::default();
        goodbye.terminate();
        self.framed.send_and_close(&goodbye).await;
    }

    /// Reads what the server says until it is ready again.
    async fn answer(&mut self, deadline: Instant) -> Result<CompileResult, BrokenConnection> {
        Ok(self.answer_with(0, deadline).await?.0)
    }

    /// The same where a row of so many columns may come.
    async fn answer_with(
        &mut self,
        columns: usize,
        deadline: Instant,
    ) -> Result<(CompileResult, Option<Row>), BrokenConnection> {
        let (mut compiled, mut row) = (Ok(()), None);
        for _ in 0..limits::UPSTREAM_LOGIN_MESSAGES_MAX {
            let message = self.framed.backend(deadline).await?;
            match message.kind {
                b'E' => compiled = Err(refusal(&message)?),
                b'Z' if message.body() == IDLE => return Ok((compiled, row)),
                b'T' if columns > 0 => {}
                b'D' if columns > 0 => {
                    row = Some(data_row(message.body(), columns).ok_or(BrokenConnection::Spent)?);
                }
                b'S' => check_reported(&message)?,
                // ParseComplete, CommandComplete, notices and notifications.
                b'1' | b'C' | b'N' | b'A' => {}
                _ => return Err(BrokenConnection::Spent),
            }
        }
        Err(BrokenConnection::Spent)
    }
}

impl LastStatement {
    /// Columns of the answer.
    const COLUMNS: usize = 3;

    fn read(row: &[Option<String>]) -> Option<Self> {
        let [queryid, bytes, digest] = row else {
            return None;
        };
        let queryid: Option<i64> = match queryid {
            Some(digits) => Some(digits.parse().ok()?),
            None => None,
        };
        Some(Self {
            // Nobody's: what the server means by it is that there is none.
            queryid: queryid.filter(|id| *id != 0),
            bytes: bytes.as_deref()?.parse().ok()?,
            digest: digest.clone()?,
        })
    }
}

/// What the server says against a text; an error that ends the session says nothing of it.
fn refusal(message: &OwnedMessage) -> Result<CompileError, BrokenConnection> {
    let fields = error_fields(message.body()).map_err(|_malformed| BrokenConnection::Spent)?;
    let sqlstate = fields.sqlstate().ok_or(BrokenConnection::Spent)?;
    if fields.severity() != Some("ERROR") {
        return Err(BrokenConnection::Lost);
    }
    Ok(CompileError::Failed {
        sqlstate: sqlstate.to_owned(),
        message: fields.get(b'M').unwrap_or_default().to_owned(),
        hint: fields.get(b'H').map(str::to_owned),
        // The place in the text itself; `p` would be one in the body of a function.
        position: fields.get(b'P').and_then(|place| place.parse().ok()),
    })
}

/// A session that stops being what it was proved to be is not spoken to again.
fn check_reported(message: &OwnedMessage) -> Result<(), BrokenConnection> {
    let (name, value) =
        parameter_status(message.body()).map_err(|_malformed| BrokenConnection::Spent)?;
    let proved = [
        ProvedSetting::DefaultTransactionReadOnly,
        ProvedSetting::StandardConformingStrings,
        ProvedSetting::ClientEncoding,
    ];
    let differs = |setting: &ProvedSetting| setting.name() == name && setting.wanted() != value;
    if proved.iter().any(differs) {
        return Err(BrokenConnection::Spent);
    }
    Ok(())
}

impl From<PeerError> for BrokenConnection {
    fn from(error: PeerError) -> Self {
        match error {
            PeerError::Closed | PeerError::Broken(_) => Self::Lost,
            PeerError::TimedOut | PeerError::Malformed(_) | PeerError::TooMuch => Self::Spent,
        }
    }
}

impl From<EncodeError> for BrokenConnection {
    fn from(_cause: EncodeError) -> Self {
        Self::Spent
    }
}

/// What the session is for.
const COMPILING: SessionPurpose = SessionPurpose {
    name: "pgsieve repair",
    statement_time_max: limits::COMPILE_STATEMENT_TIME_MAX,
    lock_time_max: limits::COMPILE_STATEMENT_TIME_MAX,
};

/// The statement that every Parse replaces.
const UNNAMED: &str = "";

/// The body of ReadyForQuery outside of a transaction.
const IDLE: &[u8] = b"I";

/// The first version whose activity shows queryids.
const TELLS_QUERYIDS: u16 = 14;
