//! What may be sent to an upstream: the only door through which client text gets there, and all
//! that `writer` writes.
//!
//! A Query or Parse can be put here in three ways: with a [`ReadPermit`], which only the gate
//! makes, and which is current (one that waited is another type); as SQL of pgsieve's own, which is
//! made here; or not at all. To `SET search_path` literals are added, one for each schema, and to
//! the question for settings one for each name. Frames that carry names and parameters but no
//! statement text are forwarded byte for byte. The messages of a login carry no SQL.
//!
//! A permit that waited does not get in:
//!
//! ```compile_fail,E0308
//! use pgsieve::gate::WaitingPermit;
//! use pgsieve::upstream::outbox::Outbox;
//! fn send(outbox: &mut Outbox, waited: &WaitingPermit) {
//!     let _ = outbox.query(waited);
//! }
//! ```

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;

use super::engine::signs;
use super::identity::IdentityQuery;
use super::pool::set_values::Replay;
use crate::gate::{QUESTION_NAME, ReadPermit};
use crate::limits;
use crate::wire::encode::{self, EncodeError};
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::{Bind, ParameterOids};
use crate::wire::startup::ProtocolVersion;

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
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn query(&mut self, permit: &ReadPermit<'_>) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, permit.text())
    }

    /// A Parse of the permit's text under the client's name and parameter types.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
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
                self.begin_batch();
                self.buffer.extend_from_slice(frame.bytes);
                Ok(())
            }
            kind => Err(CarriesText { kind }),
        }
    }

    /// The Bind of this frame with another name of its statement.
    ///
    /// # Errors
    /// It is too long for a message; nothing is put here then.
    pub fn bind_as(
        &mut self,
        frame: &ClientFrame<'_>,
        bind: &Bind<'_>,
        statement: &str,
    ) -> Result<(), EncodeError> {
        let names = bind.portal.len() + bind.statement.len() + 2;
        let rest = frame.body.get(names..).unwrap_or_default();
        self.begin_batch();
        encode::bind_named(&mut self.buffer, bind.portal, statement, rest)
    }

    /// Other messages follow the first one: they find room.
    fn begin_batch(&mut self) {
        if self.buffer.capacity() == 0 {
            self.buffer.reserve(limits::OUTBOX_BYTES_FIRST);
        }
    }

    /// Describe of a prepared statement.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn describe_statement(&mut self, name: &str) -> Result<(), EncodeError> {
        encode::describe(&mut self.buffer, b'S', name)
    }

    /// A Query that is sure to fail: it puts the upstream's transaction into the state that an
    /// ordinary error would have left, and its error is replaced by the refusal.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn failing_query(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, FAILING_TEXT)
    }

    /// The same in the extended protocol. The name keeps the client's unnamed statement alive.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
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
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
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
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn read_only_check(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, READ_ONLY_CHECK)
    }

    /// Has unqualified names looked up in these schemas, each given as it is stored; `$user` stays
    /// what it is.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
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
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn last_statement_of(&mut self, pid: i32) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, &format!("{LAST_STATEMENT}({pid}) a"))
    }

    /// Asks what a setting of the session is.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn show(&mut self, setting: &'static str) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, &format!("SHOW {setting}"))
    }

    /// Asks what these settings are, where there are any.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn current_settings(&mut self, names: &[&str]) -> Result<(), EncodeError> {
        if names.is_empty() {
            return Ok(());
        }
        let asked = names.iter();
        let asked =
            asked.map(|name| format!("pg_catalog.current_setting({}, true)", literal(name)));
        let asked: Vec<String> = asked.collect();
        encode::query(&mut self.buffer, &format!("SELECT {}", asked.join(", ")))
    }

    /// Asks what has been set in the session, and what these settings are, which belong to no
    /// module of the server.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn set_values<'n>(
        &mut self,
        custom: impl Iterator<Item = &'n str>,
    ) -> Result<(), EncodeError> {
        let mut text = SET_VALUES.to_owned();
        for name in custom {
            let name = literal(name);
            text.push_str(&format!(
                " UNION ALL SELECT {name}, pg_catalog.current_setting({name}, true)"
            ));
        }
        encode::query(&mut self.buffer, &text)
    }

    /// Sets settings back and others to values that an upstream has told, all of them or none.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn replay(&mut self, replay: &Replay<'_>) -> Result<(), EncodeError> {
        let resets = replay.reset.iter();
        let resets = resets.map(|name| format!("RESET \"{}\"", name.replace('"', "\"\"")));
        let mut statements: Vec<String> = resets.collect();
        let sets = replay.set.iter().map(|(name, value)| {
            let (name, value) = (literal(name), literal(value));
            format!("pg_catalog.set_config({name}, {value}, false)")
        });
        let sets: Vec<String> = sets.collect();
        if !sets.is_empty() {
            statements.push(format!("SELECT {}", sets.join(", ")));
        }
        encode::query(&mut self.buffer, &statements.join("; "))
    }

    /// Has a prepared statement closed: no error where there is none.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn close_statement(&mut self, name: &str) -> Result<(), EncodeError> {
        encode::close(&mut self.buffer, b'S', name)
    }

    /// Has a prepared statement closed that nobody has.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn close_nothing(&mut self) -> Result<(), EncodeError> {
        self.close_statement(NOTHING_NAME)
    }

    /// Has a statement prepared that does nothing, instead of what has its name. Two answers come.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn prepare_nothing(&mut self) -> Result<(), EncodeError> {
        self.close_nothing()?;
        let types = ParameterOids::default();
        encode::parse(&mut self.buffer, NOTHING_NAME, NOTHING_TEXT, types)
    }

    /// Has it given up by SQL.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn deallocate_nothing(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, &format!("DEALLOCATE {NOTHING_NAME}"))
    }

    /// Has all prepared statements given up.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn deallocate_all(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, "DEALLOCATE ALL")
    }

    /// Asks which server it is.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn server_identity(&mut self, asked: IdentityQuery) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, asked.text())
    }

    /// Asks of which engine it is.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn server_engine(&mut self) -> Result<(), EncodeError> {
        encode::query(&mut self.buffer, signs::QUESTION)
    }

    /// The first message of a login: who, in which database, with which settings.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn startup(
        &mut self,
        version: ProtocolVersion,
        pairs: Vec<(&str, &str)>,
    ) -> Result<(), EncodeError> {
        encode::startup(&mut self.buffer, version, pairs)
    }

    /// A password, in clear or as a digest.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn password(&mut self, password: &[u8]) -> Result<(), EncodeError> {
        encode::password(&mut self.buffer, password)
    }

    /// The first message of SCRAM.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn sasl_initial_response(
        &mut self,
        mechanism: &str,
        message: &[u8],
    ) -> Result<(), EncodeError> {
        encode::sasl_initial_response(&mut self.buffer, mechanism, Some(message))
    }

    /// Another message of SCRAM.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn sasl_response(&mut self, message: &[u8]) -> Result<(), EncodeError> {
        encode::sasl_response(&mut self.buffer, message)
    }

    /// The only message of a connection that cancels what a session runs.
    ///
    /// # Errors
    /// It holds a NUL, or is too long for a message; nothing is put here then.
    pub fn cancel_request(&mut self, pid: i32, secret: &[u8]) -> Result<(), EncodeError> {
        encode::cancel_request(&mut self.buffer, pid, secret)
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

    /// What `writer` does for the only stream that this is written to.
    pub(super) fn poll_flush_to<S: AsyncWrite + Unpin>(
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

/// A text as a literal: standard_conforming_strings is on, so it means its letters.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The name of a prepared statement that does nothing. No client can have one of it run: it begins
/// as `gate::OWN_NAME_PREFIX` says.
const NOTHING_NAME: &str = "pgsieve_s_nothing";

/// What it is.
const NOTHING_TEXT: &str = "SELECT";

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

/// The question of [`Outbox::set_values`]: what was set by SET and the like, and not by the login.
const SET_VALUES: &str = "SELECT s.name, s.setting FROM pg_catalog.pg_settings s \
    WHERE s.source OPERATOR(pg_catalog.=) 'session'";

/// The question of [`Outbox::last_statement_of`], up to the process.
const LAST_STATEMENT: &str = "SELECT a.query_id, \
    pg_catalog.octet_length(pg_catalog.convert_to(a.query, 'UTF8')), \
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(a.query, 'UTF8')), 'hex') \
    FROM pg_catalog.pg_stat_get_activity";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_ever_a_literal() {
        let mut outbox = Outbox::default();
        outbox.current_settings(&[]).unwrap();
        assert!(outbox.as_bytes().is_empty());
        outbox.current_settings(&["app.tenant", "a'b.c"]).unwrap();
        let asked = outbox.as_bytes();
        let text = String::from_utf8(asked[5..asked.len() - 1].to_vec()).unwrap();
        assert_eq!(
            text,
            "SELECT pg_catalog.current_setting('app.tenant', true), \
             pg_catalog.current_setting('a''b.c', true)"
        );
    }
}
