//! The upstream's half of a conversation: its frames are held against the journal and passed on.
//!
//! Rows and copy data are counted by their headers and never looked into. Only the few frames that
//! say how a statement ended, or what became of a setting, are read.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::ops::Range;

use super::conversation::{Conversation, Ending, Intake, SelfReport};
use super::journal::{Closing, Owed, Running, Skipped, Stake};
use super::reply::{self, Farewell};
use crate::gate::Effect;
use crate::sqlstate;
use crate::telemetry::code::Code;
use crate::telemetry::labels::Tripwire;
use crate::upstream::tripwire;
use crate::wire::backend::{self, Fields, TransactionStatus};
use crate::wire::frame::{Header, header_backend};

/// How much of the given bytes was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The part that still has to reach the client, behind everything in `reply`.
    pub tail: Range<usize>,
    /// Bytes that need not be given again; the rest is the start of a frame that must be whole.
    pub consumed: usize,
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
        let mut at = 0;
        let mut run = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if self.passing > 0 {
                let step = self.passing.min(rest.len());
                self.passing -= step;
                at += step;
                continue;
            }
            let Some(header) = header_backend(rest).map_err(|_| UNREADABLE)? else {
                break;
            };
            if header.kind == b'T'
                && let Some((description, behind)) = rest.split_at_checked(header.total)
                && self.withholds(description, behind)
            {
                self.weave(self.reply.len(), bytes.get(run..at));
                at += header.total;
                run = at;
                continue;
            }
            if self.passes_unseen(&header) {
                self.advance(&header)?;
                self.passing = header.total;
                continue;
            }
            let Some(body) = rest.get(HEADER_BYTES..header.total) else {
                break;
            };
            let end = at + header.total;
            let before = self.reply.len();
            let injected_at = at;
            match self.answered(header.kind, body)? {
                Fate::Kept if self.reply.len() == before => {}
                Fate::Kept => {
                    self.weave(before, bytes.get(run..injected_at));
                    run = at;
                }
                Fate::Swallowed => {
                    self.weave(before, bytes.get(run..at));
                    run = end;
                }
            }
            at = end;
        }
        Ok(Passed {
            tail: run..at,
            consumed: at,
        })
    }

    /// Puts the passed run before what was just added to the reply behind `before`.
    fn weave(&mut self, before: usize, run: Option<&[u8]>) {
        let Some(run) = run.filter(|run| !run.is_empty()) else {
            return;
        };
        let injected = self.reply.split_off(before);
        self.reply.extend_from_slice(run);
        self.reply.extend_from_slice(&injected);
    }

    fn passes_unseen(&mut self, header: &Header) -> bool {
        if matches!(self.journal.head(), Some(Owed::ReadOnlyCheck)) {
            return false;
        }
        match header.kind {
            b'D' | b'd' | b'c' | b'T' | b't' | b'n' | b'N' | b'A' | b'H' | b'I' | b's' | b'2'
            | b'3' => true,
            b'1' => !matches!(self.journal.head(), Some(Owed::Parse(run)) if run.notice.is_some()),
            _ => false,
        }
    }

    /// Moves the journal for a frame of which only the header matters.
    fn advance(&mut self, header: &Header) -> Result<(), Ending> {
        let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
        match (header.kind, self.journal.head()) {
            (b'N' | b'A', _) => Ok(()),
            (b'D', Some(Owed::Query(running) | Owed::Execute(running))) => {
                running.rows += 1;
                running.bytes += bytes;
                Ok(())
            }
            (b'd' | b'c' | b'H' | b'I' | b'T', Some(Owed::Query(running))) => {
                running.bytes += bytes;
                Ok(())
            }
            (b'd' | b'c' | b'H', Some(Owed::Execute(running))) => {
                running.bytes += bytes;
                Ok(())
            }
            (b'I' | b's', Some(Owed::Execute(_)))
            | (b'1', Some(Owed::Parse(_)))
            | (b'2', Some(Owed::Bind))
            | (b'3', Some(Owed::Close(_)))
            | (b'T' | b'n', Some(Owed::DescribeStatement | Owed::DescribePortal)) => {
                self.complete();
                Ok(())
            }
            (b't', Some(Owed::DescribeStatement)) => Ok(()),
            _ => Err(UNREADABLE),
        }
    }

    /// The head has been answered in full.
    fn complete(&mut self) {
        match self.journal.pop() {
            Some(Owed::Execute(running)) => {
                self.apply_effects(&running);
                self.follow_paths(&running);
                self.finished(&running);
            }
            Some(Owed::Parse(running)) => {
                if running.stake == Stake::Kept {
                    self.retained.answered();
                }
                if let Some(notice) = &running.notice {
                    notice.tell(&mut self.reply, &self.loudness);
                }
            }
            _ => {}
        }
    }

    /// The upstream skipped a message that would have taken a name away: it is still there.
    fn restore(&mut self, owed: Owed) {
        match owed {
            Owed::Close(Closing::Statement {
                name,
                prepared: Some(prepared),
                older,
            }) => self.names.restore_prepared(&name, prepared, older),
            Owed::RefusedMessage {
                unnamed: Some(prepared),
                ..
            } if self.names.prepared("").is_none() => {
                self.names.restore_prepared("", prepared, None);
            }
            Owed::Close(Closing::Portal { name }) if !name.is_empty() => {
                self.names.lose_cursor(&name);
            }
            _ => {}
        }
    }

    /// Reads a frame that must be seen whole.
    fn answered(&mut self, kind: u8, body: &[u8]) -> Result<Fate, Ending> {
        if matches!(self.journal.head(), Some(Owed::ReadOnlyCheck)) {
            return self.checked(kind, body);
        }
        match kind {
            b'C' => self.command_complete(body),
            b'1' => {
                self.complete();
                Ok(Fate::Kept)
            }
            b'Z' => self.ready(body),
            b'E' => self.failed(body),
            b'S' => self.setting_reported(body),
            b'G' | b'W' => Err(Ending::Tripped(Tripwire::CopyInAsked)),
            _ => Err(UNREADABLE),
        }
    }

    fn command_complete(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
        if !tripwire::is_tag_of_read(tag) {
            return Err(Ending::Tripped(Tripwire::WriteTag));
        }
        match self.journal.head() {
            Some(Owed::Query(running)) => {
                if let Some(notice) = running.notice.take() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                if let Some(notice) = running.cut() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                Ok(Fate::Kept)
            }
            Some(Owed::Execute(running)) => {
                if let Some(notice) = running.cut() {
                    notice.tell(&mut self.reply, &self.loudness);
                }
                self.complete();
                Ok(Fate::Kept)
            }
            _ => Err(UNREADABLE),
        }
    }

    fn ready(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
        match self.journal.pop() {
            Some(Owed::Query(running)) => {
                if running.sqlstate.is_none() {
                    self.apply_effects(&running);
                }
                self.follow_paths(&running);
                self.finished(&running);
            }
            Some(Owed::Sync | Owed::RefusedQuery(_)) => {}
            _ => return Err(UNREADABLE),
        }
        self.standing.status = status;
        self.settle_paths(status);
        if self.journal.is_empty() {
            self.journal.relax();
            self.retained.relax();
            self.names.rest();
            self.come_to_rest(status);
        }
        match self.held.take() {
            None => Ok(Fate::Kept),
            Some(held) if status == TransactionStatus::Idle => {
                self.begin_rescue(*held);
                Ok(Fate::Swallowed)
            }
            Some(_) => Err(UNREADABLE),
        }
    }

    /// Nothing is owed: forget what ended with the transaction, ask what has to be asked.
    fn come_to_rest(&mut self, status: TransactionStatus) {
        if status == TransactionStatus::Idle && !self.standing.unsynced {
            self.names.end_transaction();
        }
        if self.intake != Intake::Checking {
            return;
        }
        if status == TransactionStatus::Failed {
            self.intake = Intake::Open;
        } else {
            if self.outbox.read_only_check().is_err() {
                return;
            }
            self.journal.push(Owed::ReadOnlyCheck);
            self.self_report = SelfReport::AskWhenTouched;
        }
    }

    fn failed(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
        let sqlstate = Code::from_bytes(fields.bytes(b'C').unwrap_or_default());
        let is_failing_text = sqlstate == Code::from(sqlstate::SYNTAX_ERROR);
        if fields.severity() != Some("ERROR") {
            self.ended_by_upstream = Some(sqlstate);
            return Ok(Fate::Kept);
        }
        self.suspect(sqlstate);
        self.doubt_paths();
        if let Some(held) = self.hold(fields, body, sqlstate) {
            self.settle_held(held);
            return Ok(Fate::Swallowed);
        }
        match self.journal.head() {
            Some(Owed::Query(running)) => {
                running.bytes += u64::try_from(body.len()).unwrap_or(u64::MAX);
                Ok(running.failed((&mut self.reply, &self.loudness), fields, sqlstate))
            }
            Some(Owed::Sync) => Ok(Fate::Kept),
            None => {
                // A timeout between two messages of a pipeline: what follows is skipped to Sync.
                if self.standing.unsynced {
                    self.skip_from_now();
                }
                Ok(Fate::Kept)
            }
            Some(Owed::RefusedQuery(refusal)) if is_failing_text => {
                reply::refusal(&mut self.reply, refusal);
                Ok(Fate::Swallowed)
            }
            Some(Owed::RefusedQuery(_)) => Ok(Fate::Kept),
            Some(_) => Ok(self.failed_in_pipeline(fields, sqlstate, is_failing_text)),
        }
    }

    /// An error in the extended protocol: the upstream skips to the next Sync, and so does the
    /// journal.
    fn failed_in_pipeline(
        &mut self,
        fields: Fields<'_>,
        sqlstate: Code,
        is_failing_text: bool,
    ) -> Fate {
        let failed = self.journal.pop();
        let is_bind = matches!(failed, Some(Owed::Bind));
        if matches!(&failed, Some(Owed::Parse(running)) if running.stake == Stake::Kept) {
            self.retained.answered();
        }
        let fate = match failed {
            Some(Owed::Parse(mut running) | Owed::Execute(mut running)) => {
                let fate = running.failed((&mut self.reply, &self.loudness), fields, sqlstate);
                self.follow_paths(&running);
                self.finished(&running);
                fate
            }
            Some(Owed::RefusedMessage { refusal, .. }) if is_failing_text => {
                reply::refusal(&mut self.reply, &refusal);
                Fate::Swallowed
            }
            _ => Fate::Kept,
        };
        if self.skip_pipeline(is_bind) == Skipped::SyncNotSentYet {
            self.skip_from_now();
        }
        fate
    }

    /// The upstream skips to the next Sync: so does the journal, and what was taken back or never
    /// made is put right.
    pub(super) fn skip_pipeline(&mut self, mut is_portal_lost: bool) -> Skipped {
        let mut is_statement_lost = false;
        let (skipped, dropped) = self.journal.skip_to_sync();
        for owed in dropped {
            is_portal_lost |= matches!(owed, Owed::Bind);
            is_statement_lost |= matches!(owed, Owed::Parse(_));
            self.restore(owed);
        }
        if is_statement_lost && !self.journal.makes_statements() {
            self.names.lose_unnamed_prepared();
        }
        if is_portal_lost && !self.journal.makes_portals() {
            self.names.lose_unnamed_cursor();
        }
        skipped
    }

    fn setting_reported(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let (name, value) = backend::parameter_status(body).map_err(|_| UNREADABLE)?;
        match tripwire::reported(&self.upstream_user, name, value) {
            None => {
                if name == "search_path" {
                    self.path_reported(value);
                }
                Ok(Fate::Kept)
            }
            Some(tripwire) => Err(Ending::Tripped(tripwire)),
        }
    }

    /// An answer to pgsieve's own question.
    fn checked(&mut self, kind: u8, body: &[u8]) -> Result<Fate, Ending> {
        match kind {
            b'D' if body == ROW_THAT_SAYS_ON => Ok(Fate::Swallowed),
            b'T' | b'C' => Ok(Fate::Swallowed),
            b'N' | b'A' => Ok(Fate::Kept),
            b'S' => self.setting_reported(body),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.journal.pop();
                self.standing.status = status;
                self.settle_paths(status);
                if self.self_report == SelfReport::AskWhenTouched {
                    self.intake = Intake::Open;
                } else {
                    self.come_to_rest(status);
                }
                Ok(Fate::Swallowed)
            }
            b'E' => {
                self.self_report = SelfReport::AskNow;
                Ok(Fate::Swallowed)
            }
            _ => Err(Ending::Tripped(Tripwire::ReadOnlyNotVerified)),
        }
    }

    /// A statement has succeeded: what it made was known since it was sent, what it removed goes
    /// now.
    fn apply_effects(&mut self, running: &Running) {
        for effect in &running.facts.effects {
            match effect {
                Effect::Prepare { .. }
                | Effect::DeclareCursor { .. }
                | Effect::SettingsTouched
                | Effect::SearchPathSet { .. } => {}
                Effect::Deallocate { .. }
                | Effect::DeallocateAll
                | Effect::CloseCursor { .. }
                | Effect::CloseAllCursors
                | Effect::DiscardAll => self.names.apply(effect),
            }
        }
    }
}

const UNREADABLE: Ending = Ending::Ended(Farewell::UpstreamUnreadable);

/// A type byte and a length.
const HEADER_BYTES: usize = 5;

/// The body of a DataRow with one column that holds `on`.
const ROW_THAT_SAYS_ON: &[u8] = b"\0\x01\0\0\0\x02on";
