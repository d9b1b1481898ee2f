//! What came of a statement: its last result as text, and what was said beside it.

use std::fmt;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::limits::mcp::{HELD_BYTES_MAX, HELD_ROWS_MAX};
use crate::session::memory::budget::{MemoryBudget, MemoryShare};
use crate::wire::backend::{data_row, row_description};
use crate::wire_client::notices::{RepairNotice, ResultNotice};
use crate::wire_client::server_error::ServerError;
use crate::wire_client::session::{ServerMessage, SessionFault};

/// What came of a statement.
#[derive(Debug, Default)]
pub struct StatementOutcome {
    /// Its last result.
    pub result: StatementResult,
    /// Why it failed, or was refused.
    pub error: Option<ServerError>,
    /// It was repaired.
    pub repair: Option<RepairNotice>,
    /// What else was said.
    pub notices: Vec<String>,
    /// Its result was cut by the policy.
    pub is_cut: bool,
    /// How long it took.
    pub elapsed: Duration,
    /// Something ran that is no read of rows, or a transaction is open: it may have left something
    /// in its session.
    has_left_state: bool,
    /// What proves that it ran, where that was asked for and receipts are signed.
    pub receipt: Option<String>,
}

/// A result.
#[derive(Debug, Default)]
pub struct StatementResult {
    /// Its columns.
    pub columns: Vec<AnswerColumn>,
    /// Its rows as text; none is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// What the server says that was done.
    pub tag: String,
    /// There were more rows than are held.
    pub is_beyond_bound: bool,
    bytes: usize,
    memory: ResultMemory,
}

/// What a result has of the memory that all clients share; nothing of it, where nobody counts.
#[derive(Default)]
struct ResultMemory {
    share: Option<MemoryShare>,
    granted: usize,
}

impl ResultMemory {
    /// Whether there is room for so many bytes.
    fn has_room(&mut self, bytes: usize) -> bool {
        let Some(share) = &mut self.share else {
            return true;
        };
        if bytes <= self.granted {
            return true;
        }
        let wanted = bytes.next_multiple_of(MEMORY_STEP_BYTES);
        // It is not waited for: what there is no room for is not kept.
        let mut context = Context::from_waker(Waker::noop());
        let is_given = share.make(wanted, &mut context) == Poll::Ready(Ok(()));
        if is_given {
            self.granted = wanted;
        } else {
            share.note_refused();
        }
        is_given
    }
}

impl fmt::Debug for ResultMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ResultMemory({})", self.granted)
    }
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_oid: u32,
}

/// Whether more is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerProgress {
    /// The answer goes on.
    GoesOn,
    /// Nobody needs the rows that are still to come.
    Enough,
    /// That was all.
    Ended,
}

impl StatementOutcome {
    /// Of a statement whose result takes its memory from a budget.
    pub fn within(budget: &MemoryBudget) -> Self {
        let mut outcome = Self::default();
        outcome.result.memory.share = Some(budget.share());
        outcome
    }

    /// Takes one message in.
    ///
    /// # Errors
    /// It is no answer.
    pub fn take(&mut self, message: &ServerMessage) -> Result<AnswerProgress, SessionFault> {
        let body = message.body();
        match message.kind {
            b'T' => {
                let fields = row_description(body).map_err(|_| SessionFault::Lost)?;
                let columns = fields.iter().map(|field| AnswerColumn {
                    name: field.name.to_owned(),
                    type_oid: field.type_oid,
                });
                let mut result = StatementResult::of(columns.collect(), Vec::new());
                result.memory = std::mem::take(&mut self.result.memory);
                self.result = result;
            }
            b'D' => return self.result.take_row(body),
            b'C' => {
                let tag = body.strip_suffix(b"\0").unwrap_or(body);
                self.result.tag = String::from_utf8_lossy(tag).into_owned();
                let word = self.result.tag.split(' ').next().unwrap_or_default();
                self.has_left_state |= !LEAVE_NOTHING.contains(&word);
            }
            // Rows that nobody needed were cancelled: that is no failure.
            b'E' if self.result.is_beyond_bound => {}
            b'E' => self.error = Some(message.error()),
            b'N' => self.hear(message.error()),
            b'Z' => {
                self.has_left_state |= body != IDLE;
                return Ok(AnswerProgress::Ended);
            }
            _ => {}
        }
        Ok(AnswerProgress::GoesOn)
    }

    /// Whether it may have left something in its session.
    pub fn leaves_state(&self, text: &str) -> bool {
        self.has_left_state || text.to_ascii_lowercase().contains("set_config")
    }

    fn hear(&mut self, notice: ServerError) {
        match ResultNotice::of(&notice) {
            ResultNotice::Repaired(repair) => self.repair = Some(repair),
            ResultNotice::Cut => self.is_cut = true,
            ResultNotice::Other => {}
        }
        if self.notices.len() < NOTICES_MAX && self.repair.is_none() {
            self.notices.push(notice.message);
        }
    }
}

impl StatementResult {
    /// Of these columns and rows.
    pub fn of(columns: Vec<AnswerColumn>, rows: Vec<Vec<Option<String>>>) -> Self {
        Self {
            columns,
            rows,
            ..Self::default()
        }
    }

    fn take_row(&mut self, body: &[u8]) -> Result<AnswerProgress, SessionFault> {
        if self.is_beyond_bound {
            return Ok(AnswerProgress::GoesOn);
        }
        self.bytes += body.len();
        let is_full = self.rows.len() >= HELD_ROWS_MAX || self.bytes > HELD_BYTES_MAX;
        // A row takes more than its bytes: a text and a place for each value.
        if is_full || !self.memory.has_room(self.bytes * 2) {
            self.is_beyond_bound = true;
            return Ok(AnswerProgress::Enough);
        }
        let row = data_row(body, self.columns.len());
        self.rows.push(row.ok_or(SessionFault::Lost)?);
        Ok(AnswerProgress::GoesOn)
    }

    /// Whether it has columns: what only does something has none.
    pub fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }
}

/// What commands say that leave nothing in a session.
const LEAVE_NOTHING: [&str; 4] = ["SELECT", "SHOW", "EXPLAIN", "COPY"];

/// What ReadyForQuery says outside transactions.
const IDLE: &[u8] = b"I";

/// Bytes that are taken of the memory of all clients at a time.
const MEMORY_STEP_BYTES: usize = 256 * 1024;

/// Notices that are told of one statement: what a loop raises helps nobody.
const NOTICES_MAX: usize = 10;
