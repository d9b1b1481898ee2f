//! What the upstream says when something goes wrong: its errors and notices, as the client may hear
//! them, and what of the journal an error takes with it.

use super::error_rewrite::retold;
use super::{Fate, UNREADABLE};
use crate::policy::{Policy, SettingValue, ValueVerdict};
use crate::session::pending::portal_names::Closing;
use crate::session::pending::{Owed, Skipped, Stake};
use crate::session::protocol::{Conversation, Ending};
use crate::session::reply;
use crate::sqlstate;
use crate::telemetry::sqlstate_code::Code;
use crate::wire::backend::{self, Fields};
use crate::wire::encode;

/// Whether what the server logs is kept from clients: it quotes the texts that it runs.
pub(in crate::session) fn keeps_log(policy: &Policy) -> bool {
    let rule = policy.setting("client_min_messages");
    let asked = SettingValue::Text("log");
    policy.hides() || rule.is_none_or(|rule| rule.judge(asked) != ValueVerdict::Passes)
}

/// Whether a notice is kept from the client. What the server logs quotes the texts that it runs,
/// models and all; modules that quote them say so at any level.
pub(in crate::session) fn is_kept(notice: Fields<'_>, policy: &Policy) -> bool {
    let is_logged = ["LOG", "DEBUG"].map(Some).contains(&notice.severity());
    let quotes = |file: &str| QUOTING_FILES.contains(&file);
    is_logged && keeps_log(policy) || policy.hides() && notice.get(b'F').is_some_and(quotes)
}

impl Conversation {
    pub(in crate::session) fn failed(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
        let sqlstate = Code::from_bytes(fields.bytes(b'C').unwrap_or_default());
        if fields.severity() != Some("ERROR") {
            self.ended_by_upstream = Some(sqlstate);
            return Ok(Fate::Kept);
        }
        match retold(fields, self.journal.spoken_of(), self.gate.policy()) {
            None => self.failed_with(fields, body, sqlstate),
            Some(told) => {
                let fields = backend::error_fields(&told).map_err(|_| UNREADABLE)?;
                if matches!(self.failed_with(fields, &told, sqlstate)?, Fate::Kept) {
                    encode::told(&mut self.reply, b'E', &told);
                }
                Ok(Fate::Swallowed)
            }
        }
    }

    /// A notice. It is passed on as the client may hear it.
    pub(in crate::session) fn noticed(&mut self, body: &[u8]) -> Result<Fate, Ending> {
        let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
        if is_kept(fields, self.gate.policy()) {
            return Ok(Fate::Swallowed);
        }
        match retold(fields, self.journal.spoken_of(), self.gate.policy()) {
            None => Ok(Fate::Kept),
            Some(told) => {
                encode::told(&mut self.reply, b'N', &told);
                Ok(Fate::Swallowed)
            }
        }
    }

    fn failed_with(
        &mut self,
        fields: Fields<'_>,
        body: &[u8],
        sqlstate: Code,
    ) -> Result<Fate, Ending> {
        // Nothing that could fail is with the upstream.
        if matches!(self.journal.front(), Some(Owed::Rescue(_))) {
            return Err(UNREADABLE);
        }
        let is_failing_text = sqlstate == Code::from(sqlstate::SYNTAX_ERROR);
        self.suspect(sqlstate);
        self.doubt_settings();
        self.quotas.doubt_cursors();
        if self.cancelled_as_wanted() {
            return Ok(Fate::Swallowed);
        }
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
        let is_bind = matches!(failed, Some(Owed::Bind(_)));
        if matches!(&failed, Some(Owed::Parse(running)) if running.stake == Stake::Kept) {
            self.retained.answered();
        }
        let fate = match failed {
            Some(Owed::Parse(mut running) | Owed::Execute(mut running)) => {
                self.reclaim_trace(&mut running);
                let fate = running.failed((&mut self.reply, &self.loudness), fields, sqlstate);
                self.follow_settings(&running);
                self.finished(&running);
                fate
            }
            Some(Owed::RefusedMessage { refusal, .. }) if is_failing_text => {
                reply::refusal(&mut self.reply, &refusal);
                Fate::Swallowed
            }
            _ => Fate::Kept,
        };
        if is_bind {
            self.trace_unbound(sqlstate);
        }
        if self.skip_pipeline(is_bind) == Skipped::SyncNotSentYet {
            self.skip_from_now();
        }
        self.note_pause();
        fate
    }

    /// The upstream skips to the next Sync: so does the journal, and what was taken back or never
    /// made is put right.
    pub(in crate::session) fn skip_pipeline(&mut self, mut is_portal_lost: bool) -> Skipped {
        let mut is_statement_lost = false;
        let (skipped, dropped) = self.journal.skip_to_sync();
        for owed in dropped {
            is_portal_lost |= matches!(owed, Owed::Bind(_));
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
}

/// Of modules whose notices quote the statement at hand: auto_explain's and pgAudit's, whose level
/// is a setting.
const QUOTING_FILES: [&str; 2] = ["auto_explain.c", "pgaudit.c"];
