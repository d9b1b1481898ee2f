//! The upstream's half of a session: its frames are held against the pending replies and passed on.
//!
//! Rows and copy data are counted by their headers and never looked into. Only the few frames that
//! say how a statement ended, or what became of a setting, are read.
//!
//! * `on_error`: errors and notices; `error_rewrite`: what of them the client may hear
//! * `on_ready`: when all is answered
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

pub mod error_rewrite;
pub(super) mod on_error;
pub(super) mod on_ready;

use std::ops::Range;

use super::pending::portal_names::Closing;
use super::pending::{Owed, Running, Stake};
use super::plan::answer::Taken;
use super::policy_limits::result_limit::{Course, Fits};
use super::protocol::{Conversation, Ending};
use super::reply::Farewell;
use super::server::on_error::keeps_log;
use crate::gate::Effect;
use crate::telemetry::labels::Tripwire;
use crate::upstream::tripwire;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::encode;
use crate::wire::frame::{Header, header_backend};

/// How much of the given bytes was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The part that still has to reach the client, behind everything in `reply`.
    pub tail: Range<usize>,
    /// Bytes that need not be given again; the rest is the start of a frame that must be whole.
    pub consumed: usize,
}

/// What becomes of a frame that is not for the client.
enum Own {
    /// It is.
    No,
    /// More of it has to come, or something else has to be done first.
    Later,
    /// So many bytes of it were dealt with.
    Took { length: usize },
}

/// What becomes of a row that may be one of pgsieve's own.
pub(super) enum OwnRow {
    /// It is none.
    No,
    /// It is not taken yet.
    Waits,
    /// The reply holds what the client gets.
    Taken,
}

/// What becomes of a frame that was read.
pub(super) enum Fate {
    Kept,
    Swallowed,
}

impl Conversation {
    /// Takes what one read from the upstream brought.
    ///
    /// # Errors
    /// The reason to end the session. What came before the offending frame is then not passed on.
    pub fn upstream_bytes(&mut self, bytes: &[u8]) -> Result<Passed, Ending> {
        self.torn = self.passing > 0;
        let passed = self.pass(bytes);
        match passed {
            Ok(_) => self.torn = false,
            // Whatever was to be said behind the rest of that frame is not said without it.
            Err(_) if self.torn => self.reply.clear(),
            Err(_) => {}
        }
        passed
    }

    fn pass(&mut self, bytes: &[u8]) -> Result<Passed, Ending> {
        let mut at = 0;
        let mut run = 0;
        while !self.turn.is_over()
            && let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty())
        {
            if let Some(step) = stepped(&mut self.passing, rest) {
                at += step;
                continue;
            }
            if let Some(step) = stepped(&mut self.dropping, rest) {
                at += step;
                run = at;
                self.torn = false;
                continue;
            }
            let Some(header) = header_backend(rest).map_err(|_| UNREADABLE)? else {
                break;
            };
            match self.takes_by_itself(rest, &header, bytes.get(run..at))? {
                Own::No => {}
                Own::Later => break,
                Own::Took { length } => {
                    at += length;
                    run = at;
                    continue;
                }
            }
            if self.passes_unseen(&header) {
                let before = self.reply.len();
                if self.advance(&header)? == Course::Passes {
                    self.passing = header.total;
                } else {
                    self.weave(before, bytes.get(run..at));
                    run = at;
                    self.dropping = header.total;
                }
                continue;
            }
            let Some(body) = rest.get(HEADER_BYTES..header.total) else {
                break;
            };
            let before = self.reply.len();
            match self.answered(header.kind, body)? {
                Fate::Kept if self.reply.len() == before => {}
                Fate::Kept => {
                    self.weave(before, bytes.get(run..at));
                    run = at;
                }
                Fate::Swallowed => {
                    self.weave(before, bytes.get(run..at));
                    run = at + header.total;
                }
            }
            at += header.total;
        }
        Ok(Passed {
            tail: run..at,
            consumed: at,
        })
    }

    /// Takes a frame of which the client gets nothing, or something else. `run` has passed before.
    fn takes_by_itself(
        &mut self,
        rest: &[u8],
        header: &Header,
        run: Option<&[u8]>,
    ) -> Result<Own, Ending> {
        let before = self.reply.len();
        let took = match self.takes_plan(rest, header) {
            Taken::NoPlan => match self.takes_own_row(rest, header)? {
                OwnRow::Taken => Own::Took {
                    length: header.total,
                },
                OwnRow::Waits => Own::Later,
                OwnRow::No => match rest.split_at_checked(header.total) {
                    Some((description, behind))
                        if header.kind == b'T' && self.withholds(description, behind) =>
                    {
                        Own::Took {
                            length: header.total,
                        }
                    }
                    Some(_) | None => Own::No,
                },
            },
            Taken::Later => Own::Later,
            Taken::Now => Own::Took { length: 0 },
        };
        if let Own::Took { .. } = took {
            self.weave(before, run);
        }
        Ok(took)
    }

    /// Takes a row that says what pgsieve knows.
    fn takes_own_row(&mut self, rest: &[u8], header: &Header) -> Result<OwnRow, Ending> {
        if header.kind != b'D' {
            return Ok(OwnRow::No);
        }
        match self.takes_row_of_call(rest, header)? {
            OwnRow::No => match self.takes_row_of_question(rest, header)? {
                OwnRow::No => self.takes_row_of_plan(rest, header),
                own @ (OwnRow::Waits | OwnRow::Taken) => Ok(own),
            },
            own @ (OwnRow::Waits | OwnRow::Taken) => Ok(own),
        }
    }

    /// Puts the passed run before what was just added to the reply behind `before`.
    fn weave(&mut self, before: usize, run: Option<&[u8]>) {
        self.torn = false;
        let Some(run) = run.filter(|run| !run.is_empty()) else {
            return;
        };
        let injected = self.reply.split_off(before);
        self.reply.extend_from_slice(run);
        self.reply.extend_from_slice(&injected);
    }

    /// Whether only the header matters. Rows are no messages of the turn: their bytes are counted.
    fn passes_unseen(&mut self, header: &Header) -> bool {
        if !matches!(header.kind, b'D' | b'd') {
            self.turn.spend_answer();
        }
        if self.journal.is_own() {
            return false;
        }
        match header.kind {
            b'D' | b'd' | b'c' | b'T' | b't' | b'n' | b'A' | b'I' | b's' | b'2' | b'3' => true,
            b'N' => !keeps_log(self.gate.policy()),
            b'1' => !matches!(self.journal.head(), Some(Owed::Parse(run)) if run.notice.is_some()),
            _ => false,
        }
    }

    /// Moves the journal for a frame of which only the header matters.
    pub(super) fn advance(&mut self, header: &Header) -> Result<Course, Ending> {
        let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
        match (header.kind, self.journal.head()) {
            (b'N' | b'A', _) => {}
            (_, Some(Owed::Cut(_))) => return Ok(Course::Drops),
            (b'D' | b'd', Some(Owed::Query(_) | Owed::Execute(_))) => {
                return self.row_came(header);
            }
            (b'I' | b'T', Some(Owed::Query(running))) => running.bytes += bytes,
            (b'c', Some(Owed::Query(running) | Owed::Execute(running))) => {
                running.bytes += bytes;
                running.allowance.copy_done();
            }
            (b's', Some(Owed::Execute(_))) => {
                self.cursor_paused();
                let fate = self.suspended();
                self.complete();
                if matches!(fate, Fate::Swallowed) {
                    return Ok(Course::Drops);
                }
            }
            (b'I', Some(Owed::Execute(_)))
            | (b'1', Some(Owed::Parse(_)))
            | (b'2', Some(Owed::Bind(_)))
            | (b'3', Some(Owed::Close(_)))
            | (b'T' | b'n', Some(Owed::DescribeStatement | Owed::DescribePortal)) => {
                self.complete();
            }
            (b't', Some(Owed::DescribeStatement)) => {}
            _ => return Err(UNREADABLE),
        }
        Ok(Course::Passes)
    }

    /// The head has been answered in full.
    pub(super) fn complete(&mut self) {
        match self.journal.pop() {
            Some(Owed::Execute(running)) => {
                self.apply_effects(&running);
                self.follow_settings(&running);
                self.finished(&running);
                drop(running);
                self.note_pause();
            }
            Some(Owed::Parse(running)) => {
                if running.stake == Stake::Kept {
                    self.retained.answered();
                }
                if let Some(notice) = &running.notice {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                self.prepared(running);
            }
            Some(Owed::Close(Closing::Portal { name })) => self.quotas.close_cursor(&name),
            Some(Owed::Bind(binding)) => self.quotas.portal_bound(&binding.portal),
            _ => {}
        }
        self.next_turn();
    }

    /// Reads a frame that must be seen whole.
    fn answered(&mut self, kind: u8, body: &[u8]) -> Result<Fate, Ending> {
        if matches!(self.journal.head(), Some(Owed::ReadOnlyCheck)) {
            return self.checked(kind, body);
        }
        if self.journal.is_asking() {
            return self.plan_answered(kind, body);
        }
        if matches!(self.journal.head(), Some(Owed::Cut(_))) {
            return self.after_cut(kind, body);
        }
        match kind {
            b'C' => self.command_complete(body),
            b'1' => {
                self.complete();
                Ok(Fate::Kept)
            }
            b'Z' => self.ready(body),
            b'E' => self.failed(body),
            b'N' => self.noticed(body),
            b'S' => self.setting_reported(body),
            b'H' => {
                self.copy_begins(body);
                Ok(Fate::Kept)
            }
            b'G' | b'W' => Err(Ending::Tripped(Tripwire::CopyInAsked)),
            _ => Err(UNREADABLE),
        }
    }

    fn command_complete(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
        if !tripwire::is_tag_of_read(tag) {
            return Err(Ending::Tripped(Tripwire::WriteTag));
        }
        let is_listen = self.is_listen(tag);
        if self.cursors_moved(tag)? == Fits::Beyond {
            return Ok(Fate::Swallowed);
        }
        if let Some(fate) = self.end_truncated(tag) {
            if let Some(Owed::Execute(_)) = self.journal.head() {
                self.complete();
            }
            return Ok(fate);
        }
        match self.journal.head() {
            Some(Owed::Query(running)) => {
                running.allowance.expect();
                if let Some(notice) = running.notice.take() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                if let Some(notice) = running.cut() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                Ok(self.told(is_listen))
            }
            Some(Owed::Execute(running)) => {
                if let Some(notice) = running.cut() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                self.complete();
                Ok(self.told(is_listen))
            }
            _ => Err(UNREADABLE),
        }
    }

    /// Whether the statement that this tag is of was a LISTEN of the client's.
    fn is_listen(&self, tag: &str) -> bool {
        match self.journal.front() {
            Some(Owed::Query(running) | Owed::Execute(running)) if tag == "UNLISTEN" => {
                let listens = running.facts.listens.get();
                listens.is_some_and(|listens| listens.contains(&running.statements_done))
            }
            _ => false,
        }
    }

    /// A command tag: the client's own.
    fn told(&mut self, is_listen: bool) -> Fate {
        match is_listen && encode::command_complete(&mut self.reply, "LISTEN").is_ok() {
            true => Fate::Swallowed,
            false => Fate::Kept,
        }
    }

    fn ready(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
        match self.journal.pop() {
            Some(Owed::Query(running)) => {
                if running.sqlstate.is_none() {
                    self.apply_effects(&running);
                }
                self.follow_settings(&running);
                self.finished(&running);
            }
            Some(Owed::Sync | Owed::RefusedQuery(_)) => {}
            _ => return Err(UNREADABLE),
        }
        self.next_turn();
        self.come_ready(status);
        match self.held.take() {
            None => Ok(Fate::Kept),
            Some(held) if status == TransactionStatus::Idle => {
                self.begin_rescue(*held);
                Ok(Fate::Swallowed)
            }
            Some(_) => Err(UNREADABLE),
        }
    }

    pub(super) fn setting_reported(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let (name, value) = backend::parameter_status(body).map_err(|_| UNREADABLE)?;
        match tripwire::reported(self.names.role(), name, value) {
            None => {
                self.follow_name(name, value);
                if name == "search_path" {
                    self.path_reported(value);
                }
                match self.report_as.parameter(name) {
                    Some(_) => Ok(Fate::Swallowed),
                    None => Ok(Fate::Kept),
                }
            }
            Some(tripwire) => Err(Ending::Tripped(tripwire)),
        }
    }

    /// A statement has succeeded: what it made was known since it was sent, what it removed goes
    /// now. What was sent since may have made the same names anew: those stay.
    fn apply_effects(&mut self, running: &Running) {
        let removes = |effect: &&Effect| match effect {
            Effect::Prepare { .. }
            | Effect::DeclareCursor { .. }
            | Effect::SettingsTouched
            | Effect::SearchPathSet { .. }
            | Effect::SettingSet { .. } => false,
            Effect::Deallocate { .. }
            | Effect::DeallocateAll
            | Effect::CloseCursor { .. }
            | Effect::CloseAllCursors
            | Effect::DiscardAll => true,
        };
        let mut removed = running.facts.effects.iter().filter(removes).peekable();
        // A name that is kept though it is gone costs an error of the upstream's own.
        if removed.peek().is_none()
            || self.journal.makes_statements()
            || self.journal.makes_portals()
        {
            return;
        }
        removed.for_each(|effect| self.names.apply(effect));
        self.expect_names(&running.facts);
        for facts in self.journal.facts() {
            self.expect_names(&facts);
        }
    }
}

/// How many of these bytes belong to a frame whose header was seen before: `left` of it remain.
fn stepped(left: &mut usize, bytes: &[u8]) -> Option<usize> {
    let step = (*left).min(bytes.len());
    *left -= step;
    (step > 0).then_some(step)
}

pub(super) const UNREADABLE: Ending = Ending::Ended(Farewell::UpstreamUnreadable);

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
