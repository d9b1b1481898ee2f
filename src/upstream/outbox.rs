//! What waits to be written to the upstream, and the only door through which client text gets
//! there.
//!
//! A Query or Parse can be written in three ways: with a [`ReadPermit`], which only the gate makes;
//! as one of the constants below, which are ours; or not at all. To `SET search_path` literals are
//! added, one for each schema. Frames that carry names and parameters but no statement text are
//! forwarded byte for byte.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;

use crate::gate::{QUESTION_NAME, ReadPermit};
use crate::limits;
use crate::wire::encode::{self, EncodeError};
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::ParameterOids;

/// Bytes on their way to one upstream connection.
#[derive(Default)]
pub struct Outbox {
    buffer: BytesMut,
    flush: FlushState,
}

/// Whether bytes that the stream has taken may still sit in its own buffer (TLS has one).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FlushState {
    #[default]
    Settled,
    Owed,
}

/// A frame that must not be forwarded as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarriesText {
    /// The frame's type byte.
    pub kind: u8,
}

impl Outbox {
    /// A simple Query with the text of the permit.
    pub fn query(&mut self, permit: &ReadPermit<'_>) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, permit.text())
    }

    /// A Parse of the permit's text under the client's name and parameter types.
    pub fn parse(
        &mut self,
        name: &str,
        permit: &ReadPermit<'_>,
        types: ParameterOids<'_>,
    ) -> Result<(), EncodeError> {
        encode::parse(&mut self.buffer, name, permit.text(), types)
    }

    /// Bind, Describe, Execute, Close, Flush and Sync: names and parameters, never a statement.
    ///
    /// # Errors
    /// Any other kind of frame is handed back unsent.
    pub fn forward(&mut self, frame: &ClientFrame<'_>) -> Result<(), CarriesText> {
        match frame.kind {
            b'B' | b'D' | b'E' | b'C' | b'H' | b'S' => {
                self.buffer.extend_from_slice(frame.bytes);
                Ok(())
            }
            kind => Err(CarriesText { kind }),
        }
    }

    /// A Query that is sure to fail: it puts the upstream's transaction into the state that an
    /// ordinary error would have left, and its error is replaced by the refusal.
    pub fn failing_query(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, FAILING_TEXT)
    }

    /// The same in the extended protocol. The name keeps the client's unnamed statement alive.
    pub fn failing_parse(&mut self) -> Result<(), EncodeError> {
        encode::parse(
            &mut self.buffer,
            FAILING_NAME,
            FAILING_TEXT,
            ParameterOids::default(),
        )
    }

    /// The same in the place of a Parse without a name: it takes the unnamed statement away, as any
    /// Parse that fails does.
    pub fn failing_unnamed_parse(&mut self) -> Result<(), EncodeError> {
        encode::parse(&mut self.buffer, "", FAILING_TEXT, ParameterOids::default())
    }

    /// Has the statements of the permits, each an EXPLAIN, prepared, bound with values as they
    /// stand in a Bind, run and forgotten, all under a name of pgsieve's own: whatever the client
    /// has made stays as it is. What an earlier question may have left is forgotten first.
    ///
    /// # Errors
    /// Nothing was written.
    pub fn questions<'p>(
        &mut self,
        permits: impl Iterator<Item = &'p ReadPermit<'static>>,
        types: ParameterOids<'_>,
        given: &[u8],
    ) -> Result<(), EncodeError> {
        let start = self.buffer.len();
        let out = &mut self.buffer;
        let mut written = forget_question(out);
        for permit in permits {
            written = written
                .and_then(|()| encode::parse(out, QUESTION_NAME, permit.text(), types))
                .and_then(|()| encode::bind(out, QUESTION_NAME, QUESTION_NAME, given))
                .and_then(|()| encode::execute(out, QUESTION_NAME))
                .and_then(|()| forget_question(out));
        }
        if written.is_err() {
            self.buffer.truncate(start);
        }
        written
    }

    /// Asks an upstream that does not report it whether sessions still start read-only.
    pub fn read_only_check(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, READ_ONLY_CHECK)
    }

    /// Has unqualified names looked up in these schemas, each given as it is stored; `$user` stays
    /// what it is.
    pub fn set_search_path(
        &mut self,
        schemas: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<(), EncodeError> {
        let mut text = SET_SEARCH_PATH.to_owned();
        let mut separator = "";
        for schema in schemas {
            // A literal in SET is one name, letter by letter: standard_conforming_strings is on.
            let literal = schema.as_ref().replace('\'', "''");
            text.extend([separator, "'", &literal, "'"]);
            separator = ", ";
        }
        if separator.is_empty() {
            text.push_str(NOWHERE);
        }
        encode::query(&mut self.buffer, &text)
    }

    /// What another one holds, behind what waits here.
    pub fn append(&mut self, other: &Self) {
        self.buffer.extend_from_slice(&other.buffer);
    }

    /// Asks what the server has put down of the last statement of that process: its queryid, and
    /// the length and digest of its text, which itself is not asked for.
    pub fn last_statement_of(&mut self, pid: i32) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, &format!("{LAST_STATEMENT}({pid}) a"))
    }

    /// The end of a round: the upstream answers what came before, whatever became of it.
    pub fn sync_message(&mut self) {
        encode::sync(&mut self.buffer);
    }

    /// A Flush of pgsieve's own, when a client's pipeline grows long without one.
    pub fn flush_message(&mut self) {
        encode::flush(&mut self.buffer);
    }

    /// The goodbye.
    pub fn terminate(&mut self) {
        encode::terminate(&mut self.buffer);
    }

    /// Whether so much waits that nothing more should be read from the client.
    pub fn is_full(&self) -> bool {
        self.buffer.len() >= limits::OUTBOX_BYTES_MAX
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        self.buffer.capacity()
    }

    /// Whether nothing waits, neither here nor in the stream.
    pub fn is_settled(&self) -> bool {
        self.buffer.is_empty() && self.flush == FlushState::Settled
    }

    /// What waits, for tests and for the writer.
    pub fn as_bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Writes as much as the socket takes. Ready when nothing waits any more.
    ///
    /// # Errors
    /// The socket's error; a socket that takes no bytes counts as closed.
    pub fn poll_flush<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.buffer.has_remaining() {
            let written = ready!(Pin::new(&mut *stream).poll_write(context, &self.buffer))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.buffer.advance(written);
            self.flush = FlushState::Owed;
        }
        // It would keep what it once took, however little that is now.
        self.buffer = BytesMut::new();
        ready!(Pin::new(stream).poll_flush(context))?;
        self.flush = FlushState::Settled;
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Outbox {
    /// Without the bytes: they are client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Outbox({} bytes)", self.buffer.len())
    }
}

/// Two answers come: one for the portal, one for the statement.
fn forget_question(out: &mut BytesMut) -> Result<(), EncodeError> {
    encode::close(out, b'P', QUESTION_NAME)?;
    encode::close(out, b'S', QUESTION_NAME)
}

/// Rejected by the grammar of every version; readable in the upstream's own log.
const FAILING_TEXT: &str = "pgsieve refused this statement";

/// Never the name of a statement that exists: its Parse always fails.
const FAILING_NAME: &str = "pgsieve_refused";

/// The question of [`Outbox::read_only_check`]; answered by one row that holds `on`.
const READ_ONLY_CHECK: &str = "SHOW default_transaction_read_only";

/// What [`Outbox::set_search_path`] adds names to.
const SET_SEARCH_PATH: &str = "SET search_path TO ";

/// A list of no schemas, as far as SET can say it: no schema has a name without letters.
const NOWHERE: &str = "''";

/// The question of [`Outbox::last_statement_of`], up to the process.
const LAST_STATEMENT: &str = "SELECT a.query_id, \
    pg_catalog.octet_length(pg_catalog.convert_to(a.query, 'UTF8')), \
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(a.query, 'UTF8')), 'hex') \
    FROM pg_catalog.pg_stat_get_activity";
