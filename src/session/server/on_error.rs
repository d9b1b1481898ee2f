//! What the upstream says when something goes wrong: its errors and notices, as the client may hear
//! them, and what of the pending replies an error takes with it.

use super::error_rewrite::rewrite_error;
use super::{Forwarding, UNREADABLE};
use crate::policy::{Policy, SettingValue, ValueVerdict};
use crate::session::pending::portal_names::ClosedName;
use crate::session::pending::{ExpectedReply, SkipExtent, TextRetained};
use crate::session::protocol::{SessionEnd, SessionProtocol};
use crate::session::reply;
use crate::sqlstate;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::{self, ResponseFields};
use crate::wire::encode;

/// Whether what the server logs is kept from clients: it quotes the texts that it runs.
pub(in crate::session) fn keeps_log(policy: &Policy) -> bool {
    let rule = policy.setting("client_min_messages");
    let asked = SettingValue::Text("log");
    policy.hides() || rule.is_none_or(|rule| rule.judge(asked) != ValueVerdict::Passes)
}

/// Whether a notice is kept from the client. What the server logs quotes the texts that it runs,
/// models and all; modules that quote them say so at any level.
pub(in crate::session) fn is_kept(notice: ResponseFields<'_>, policy: &Policy) -> bool {
    let is_logged = ["LOG", "DEBUG"].map(Some).contains(&notice.severity());
    let quotes = |file: &str| QUOTING_FILES.contains(&file);
    is_logged && keeps_log(policy) || policy.hides() && notice.get(b'F').is_some_and(quotes)
}

impl SessionProtocol {
    pub(in crate::session) fn on_error(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
        let sqlstate = SqlstateCode::from_bytes(fields.bytes(b'C').unwrap_or_default());
        if fields.severity() != Some("ERROR") {
            self.upstream.ended_by_itself = Some(sqlstate);
            return Ok(Forwarding::Forward);
        }
        match rewrite_error(fields, self.pending.quoted_text(), self.judge.gate.policy()) {
            None => self.on_error_with(fields, body, sqlstate),
            Some(told) => {
                let fields = backend::error_fields(&told).map_err(|_| UNREADABLE)?;
                if matches!(
                    self.on_error_with(fields, &told, sqlstate)?,
                    Forwarding::Forward
                ) {
                    encode::error_body(&mut self.client.reply, b'E', &told);
                }
                Ok(Forwarding::Drop)
            }
        }
    }

    /// A notice. It is passed on as the client may hear it.
    pub(in crate::session) fn on_notice(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
        if is_kept(fields, self.judge.gate.policy()) {
            return Ok(Forwarding::Drop);
        }
        match rewrite_error(fields, self.pending.quoted_text(), self.judge.gate.policy()) {
            None => Ok(Forwarding::Forward),
            Some(told) => {
                encode::error_body(&mut self.client.reply, b'N', &told);
                Ok(Forwarding::Drop)
            }
        }
    }

    fn on_error_with(
        &mut self,
        fields: ResponseFields<'_>,
        body: &[u8],
        sqlstate: SqlstateCode,
    ) -> Result<Forwarding, SessionEnd> {
        // Nothing that could fail is with the upstream.
        if matches!(self.pending.front(), Some(ExpectedReply::HeldForRepair(_))) {
            return Err(UNREADABLE);
        }
        let is_failing_text = sqlstate == SqlstateCode::from(sqlstate::SYNTAX_ERROR);
        self.suspect_catalog(sqlstate);
        self.doubt_settings();
        self.limits.doubt_cursors();
        if self.cancelled_as_wanted() {
            return Ok(Forwarding::Drop);
        }
        if let Some(held) = self.hold_error(fields, body, sqlstate) {
            self.quiesce_upstream(held);
            return Ok(Forwarding::Drop);
        }
        match self.pending.head() {
            Some(ExpectedReply::Query(running)) => {
                running.bytes += u64::try_from(body.len()).unwrap_or(u64::MAX);
                Ok(running.failed(
                    (&mut self.client.reply, &self.context.client_min_messages),
                    fields,
                    sqlstate,
                ))
            }
            Some(ExpectedReply::Sync) => Ok(Forwarding::Forward),
            None => {
                // A timeout between two messages of a pipeline: what follows is skipped to Sync.
                if self.upstream.transaction.unsynced {
                    self.skip_to_sync_now();
                }
                Ok(Forwarding::Forward)
            }
            Some(ExpectedReply::RefusedQuery(refusal)) if is_failing_text => {
                reply::refusal(&mut self.client.reply, refusal);
                Ok(Forwarding::Drop)
            }
            Some(ExpectedReply::RefusedQuery(_)) => Ok(Forwarding::Forward),
            Some(_) => Ok(self.on_pipeline_error(fields, sqlstate, is_failing_text)),
        }
    }

    /// An error in the extended protocol: the upstream skips to the next Sync, and so does the
    /// queue of pending replies.
    fn on_pipeline_error(
        &mut self,
        fields: ResponseFields<'_>,
        sqlstate: SqlstateCode,
        is_failing_text: bool,
    ) -> Forwarding {
        let failed = self.pending.pop();
        let is_bind = matches!(failed, Some(ExpectedReply::Bind(_)));
        if let Some(ExpectedReply::Parse(running)) = &failed
            && running.text_retained == TextRetained::Kept
        {
            self.repair.retained.answered();
        }
        let fate = match failed {
            Some(ExpectedReply::Parse(mut running) | ExpectedReply::Execute(mut running)) => {
                self.witness.reclaim_trace(&mut self.pending, &mut running);
                let fate = running.failed(
                    (&mut self.client.reply, &self.context.client_min_messages),
                    fields,
                    sqlstate,
                );
                self.settings_after_statement(&running);
                self.finished(&running);
                fate
            }
            Some(ExpectedReply::RefusedMessage { refusal, .. }) if is_failing_text => {
                reply::refusal(&mut self.client.reply, &refusal);
                Forwarding::Drop
            }
            _ => Forwarding::Forward,
        };
        if is_bind {
            self.witness.trace_unbound(&mut self.pending, sqlstate);
        }
        if self.skip_pipeline(is_bind) == SkipExtent::SyncNotSentYet {
            self.skip_to_sync_now();
        }
        self.note_pause();
        fate
    }

    /// The upstream skips to the next Sync: so do the pending replies, and what was taken back or
    /// never made is put right.
    pub(in crate::session) fn skip_pipeline(&mut self, mut is_portal_lost: bool) -> SkipExtent {
        let mut is_statement_lost = false;
        let (skipped, dropped) = self.pending.skip_to_sync();
        for owed in dropped {
            is_portal_lost |= matches!(owed, ExpectedReply::Bind(_));
            is_statement_lost |= matches!(owed, ExpectedReply::Parse(_));
            self.restore_name(owed);
        }
        if is_statement_lost && !self.pending.makes_statements() {
            self.context.names.forget_unnamed_prepared();
        }
        if is_portal_lost && !self.pending.makes_portals() {
            self.context.names.forget_unnamed_cursor();
        }
        skipped
    }

    /// The upstream skipped a message that would have taken a name away: it is still there.
    fn restore_name(&mut self, owed: ExpectedReply) {
        match owed {
            ExpectedReply::Close(ClosedName::Statement {
                name,
                prepared: Some(prepared),
                older,
            }) => self.context.names.restore_prepared(&name, prepared, older),
            ExpectedReply::RefusedMessage {
                unnamed: Some(prepared),
                ..
            } if self.context.names.prepared("").is_none() => {
                self.context.names.restore_prepared("", prepared, None);
            }
            ExpectedReply::Close(ClosedName::Portal { name }) if !name.is_empty() => {
                self.context.names.invalidate_cursor(&name);
            }
            _ => {}
        }
    }
}

/// Of modules whose notices quote the statement at hand: auto_explain's and pgAudit's, whose level
/// is a setting.
const QUOTING_FILES: [&str; 2] = ["auto_explain.c", "pgaudit.c"];
