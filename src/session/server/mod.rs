//! The upstream's half of a session: its frames are held against the pending replies and passed on.
//!
//! Rows and copy data are counted by their headers and never looked into. Only the few frames that
//! say how a statement ended, or what became of a setting, are read.
//!
//! * `forwarding`: what becomes of a frame
//! * `on_error`: errors and notices; `error_rewrite`: what of them the client may hear
//! * `on_ready`: when all is answered
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

pub mod error_rewrite;
pub(super) mod forwarding;
pub(super) mod on_error;
pub(super) mod on_ready;

use std::ops::Range;

use self::forwarding::{Forwarding, OwnRow};
use self::on_error::{keeps_log, on_error, on_notice};
use self::on_ready::{on_check_answer, on_ready};
use super::context::reported_role::row_of_question;
use super::pending::ExpectedReply;
use super::pending::in_flight::{InFlight, TextRetained};
use super::pending::portal_names::ClosedName;
use super::plan::answer::{PlanRow, absorbs_plan, plan_answered};
use super::plan::redacted::redacted_plan;
use super::policy_limits::after_limit::{
    after_cut, end_truncated, on_copy_out, on_portal_suspended,
};
use super::policy_limits::on_row::{cursors_moved, on_row};
use super::policy_limits::result_limit::{RowFit, RowForwarding};
use super::pooling::prepared::{carried_answered, described};
use super::protocol::SessionProtocol;
use super::receipts::session_receipts::is_row;
use super::receipts::{digest_own_row, digest_rows, result_ended, row_of_receipt};
use super::repair::hold_error::{begin_repair, holds_description};
use super::session_end::{SessionEnd, UNREADABLE};
use super::signal_calls::row_of_call;
use crate::receipts::claims::ReceiptOutcome;
use crate::telemetry::labels::Tripwire;
use crate::upstream::tripwire;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::encode;
use crate::wire::frame::{UpstreamHeader, header_backend};

/// How much of the given bytes was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerProgress {
    /// The part that still has to reach the client, behind everything in `reply`.
    pub tail: Range<usize>,
    /// Bytes that need not be given again; the rest is the start of a frame that must be whole.
    pub consumed: usize,
}

/// What becomes of a frame that is not for the client.
enum OwnFrame {
    /// It is.
    NotOwn,
    /// More of it has to come, or something else has to be done first.
    Later,
    /// So many bytes of it were dealt with.
    Consumed { length: usize },
}

impl SessionProtocol {
    /// Takes what one read from the upstream brought.
    ///
    /// # Errors
    /// The reason to end the session. What came before the offending frame is then not passed on.
    pub fn upstream_bytes(&mut self, bytes: &[u8]) -> Result<ServerProgress, SessionEnd> {
        self.upstream.torn = self.upstream.passing > 0;
        let passed = self.pass(bytes);
        match passed {
            Ok(_) => self.upstream.torn = false,
            // Whatever was to be said behind the rest of that frame is not said without it.
            Err(_) if self.upstream.torn => self.client.reply.clear(),
            Err(_) => {}
        }
        passed
    }

    fn pass(&mut self, bytes: &[u8]) -> Result<ServerProgress, SessionEnd> {
        let mut at = 0;
        let mut run = 0;
        let mut rows = self.receipts.first_row();
        while !self.turn.is_over()
            && let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty())
        {
            if let Some(step) = bytes_of_frame_left(&mut self.upstream.passing, rest) {
                at += step;
                continue;
            }
            if let Some(step) = bytes_of_frame_left(&mut self.upstream.dropping, rest) {
                at += step;
                run = at;
                self.upstream.torn = false;
                continue;
            }
            let Some(header) = header_backend(rest).map_err(|_| UNREADABLE)? else {
                break;
            };
            if !is_row(header.kind) || self.pending.may_have_own_rows() {
                digest_rows(&mut self.pending, &mut rows, bytes, at);
            }
            match self.absorbs_frame(rest, &header, bytes.get(run..at))? {
                OwnFrame::NotOwn => {}
                OwnFrame::Later => break,
                OwnFrame::Consumed { length } => {
                    at += length;
                    run = at;
                    continue;
                }
            }
            if self.needs_header_only(&header) {
                let before = self.client.reply.len();
                if self.advance(&header)? == RowForwarding::Forward {
                    self.upstream.passing = header.total;
                    self.receipts.passes(header.kind, at, &mut rows);
                } else {
                    digest_rows(&mut self.pending, &mut rows, bytes, at);
                    self.merge_forwarded(before, bytes.get(run..at));
                    run = at;
                    self.upstream.dropping = header.total;
                }
                continue;
            }
            let Some(body) = rest.get(HEADER_BYTES..header.total) else {
                break;
            };
            let before = self.client.reply.len();
            match self.read_whole_frame(header.kind, body)? {
                Forwarding::Forward if self.client.reply.len() == before => {}
                Forwarding::Forward => {
                    self.merge_forwarded(before, bytes.get(run..at));
                    run = at;
                }
                Forwarding::Drop => {
                    self.merge_forwarded(before, bytes.get(run..at));
                    run = at + header.total;
                }
            }
            at += header.total;
        }
        digest_rows(&mut self.pending, &mut rows, bytes, at);
        Ok(ServerProgress {
            tail: run..at,
            consumed: at,
        })
    }

    /// Takes a frame of which the client gets nothing, or something else. `run` has passed before.
    fn absorbs_frame(
        &mut self,
        rest: &[u8],
        header: &UpstreamHeader,
        run: Option<&[u8]>,
    ) -> Result<OwnFrame, SessionEnd> {
        let before = self.client.reply.len();
        let took = match absorbs_plan(&mut self.pending, &mut self.upstream, rest, header) {
            PlanRow::NoPlan => match self.absorbs_own_row(rest, header)? {
                OwnFrame::NotOwn => match rest.split_at_checked(header.total) {
                    Some((description, behind))
                        if header.kind == b'T' && holds_description(self, description, behind) =>
                    {
                        OwnFrame::Consumed {
                            length: header.total,
                        }
                    }
                    Some(_) | None => OwnFrame::NotOwn,
                },
                own @ (OwnFrame::Later | OwnFrame::Consumed { .. }) => own,
            },
            PlanRow::Later => OwnFrame::Later,
            PlanRow::Now => OwnFrame::Consumed { length: 0 },
        };
        if let OwnFrame::Consumed { .. } = took {
            self.merge_forwarded(before, run);
        }
        Ok(took)
    }

    /// Takes a row that says what pgsieve knows.
    fn absorbs_own_row(
        &mut self,
        rest: &[u8],
        header: &UpstreamHeader,
    ) -> Result<OwnFrame, SessionEnd> {
        if header.kind != b'D' {
            return Ok(OwnFrame::NotOwn);
        }
        let own = match row_of_call(self, rest, header)? {
            OwnRow::NotOwn => match row_of_question(&self.pending, rest, header) {
                OwnRow::NotOwn => match row_of_receipt(self, rest, header) {
                    OwnRow::NotOwn => redacted_plan(&self.pending, rest, header),
                    own @ (OwnRow::Waits | OwnRow::Told(_)) => own,
                },
                own @ (OwnRow::Waits | OwnRow::Told(_)) => own,
            },
            own @ (OwnRow::Waits | OwnRow::Told(_)) => own,
        };
        let told = match own {
            OwnRow::NotOwn => return Ok(OwnFrame::NotOwn),
            OwnRow::Waits => return Ok(OwnFrame::Later),
            OwnRow::Told(told) => told,
        };
        if self.advance(header)? == RowForwarding::Forward {
            digest_own_row(&mut self.pending, &told);
            self.client.reply.extend_from_slice(&told);
        }
        Ok(OwnFrame::Consumed {
            length: header.total,
        })
    }

    /// Puts the passed run before what was just added to the reply behind `before`.
    fn merge_forwarded(&mut self, before: usize, run: Option<&[u8]>) {
        self.upstream.torn = false;
        let Some(run) = run.filter(|run| !run.is_empty()) else {
            return;
        };
        let injected = self.client.reply.split_off(before);
        self.client.reply.extend_from_slice(run);
        self.client.reply.extend_from_slice(&injected);
    }

    /// Whether only the header matters. Rows are no messages of the turn: their bytes are counted.
    fn needs_header_only(&mut self, header: &UpstreamHeader) -> bool {
        if !matches!(header.kind, b'D' | b'd') {
            self.turn.spend_answer();
        }
        if self.pending.is_own() {
            return false;
        }
        match header.kind {
            b'T' | b't' | b'n' if self.is_told() => false,
            b'T' => !self.receipts.are_made(),
            b'D' | b'd' | b'c' | b't' | b'n' | b'A' | b'I' | b's' | b'2' | b'3' => true,
            b'N' => !keeps_log(self.judge.gate.policy()),
            b'1' => {
                let head = self.pending.front();
                !matches!(head, Some(ExpectedReply::Parse(run)) if run.notice.is_some())
            }
            _ => false,
        }
    }

    /// Advances the pending replies for a frame of which only the header matters.
    pub(in crate::session) fn advance(
        &mut self,
        header: &UpstreamHeader,
    ) -> Result<RowForwarding, SessionEnd> {
        let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
        match (header.kind, self.pending.head()) {
            (b'N' | b'A', _) => {}
            (_, Some(ExpectedReply::Cut(_))) => return Ok(RowForwarding::Drop),
            (b'D' | b'd', Some(ExpectedReply::Query(_) | ExpectedReply::Execute(_))) => {
                return on_row(self, header);
            }
            (b'I' | b'T', Some(ExpectedReply::Query(running))) => running.bytes += bytes,
            (b'c', Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running))) => {
                running.bytes += bytes;
                running.allowance.copy_done();
            }
            (b's', Some(ExpectedReply::Execute(running))) => {
                self.limits.cursor_paused(running);
                let fate = on_portal_suspended(self);
                if matches!(fate, Forwarding::Forward) {
                    result_ended(self, ReceiptOutcome::Part, None);
                }
                self.complete_head();
                if matches!(fate, Forwarding::Drop) {
                    return Ok(RowForwarding::Drop);
                }
            }
            (b'I', Some(ExpectedReply::Execute(_)))
            | (b'1', Some(ExpectedReply::Parse(_)))
            | (b'2', Some(ExpectedReply::Bind(_)))
            | (b'3', Some(ExpectedReply::Close(_)))
            | (
                b'T' | b'n',
                Some(ExpectedReply::DescribeStatement(_) | ExpectedReply::DescribePortal(_)),
            ) => {
                self.complete_head();
            }
            (b't', Some(ExpectedReply::DescribeStatement(_))) => {}
            _ => return Err(UNREADABLE),
        }
        Ok(RowForwarding::Forward)
    }

    /// The head has been answered in full.
    pub(super) fn complete_head(&mut self) {
        match self.pending.pop() {
            Some(ExpectedReply::Execute(running)) => {
                self.apply_effects(&running);
                (self.context).settings_after_statement(&running, &self.pending);
                self.finished(&running);
                drop(running);
                self.note_pause();
            }
            Some(ExpectedReply::Parse(running)) => {
                if running.text_retained == TextRetained::Kept {
                    self.repair.retained.answered();
                }
                if let Some(notice) = &running.notice {
                    notice.write(&mut self.client.reply, &self.context.client_settings);
                }
                running.note_prepared(self.upstream.pool.as_deref_mut());
                self.witness.prepared(running, &mut self.pending);
            }
            Some(ExpectedReply::Close(ClosedName::Portal { name })) => {
                self.limits.close_cursor(&name)
            }
            Some(ExpectedReply::Bind(binding)) => self.limits.portal_bound(&binding.portal),
            _ => {}
        }
        self.witness.trace_next_answer(&mut self.pending);
    }

    /// Reads a frame that must be seen whole.
    fn read_whole_frame(&mut self, kind: u8, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        match self.pending.front() {
            Some(ExpectedReply::ReadOnlyCheck) => return on_check_answer(self, kind, body),
            Some(ExpectedReply::Carried(_)) => return carried_answered(self, kind, body),
            Some(ExpectedReply::Plan(_)) => return plan_answered(self, kind, body),
            Some(ExpectedReply::Cut(_)) => return after_cut(self, kind, body),
            _ => {}
        }
        match kind {
            b'C' => self.command_complete(body),
            b'1' => {
                self.complete_head();
                Ok(Forwarding::Forward)
            }
            b'T' | b't' | b'n' => described(self, kind, body),
            b'Z' => self.ready(body),
            b'E' => on_error(self, body),
            b'N' => on_notice(self, body),
            b'S' => self.setting_reported(body),
            b'H' => {
                on_copy_out(&mut self.pending, body);
                Ok(Forwarding::Forward)
            }
            b'G' | b'W' => Err(SessionEnd::Tripped(Tripwire::CopyInAsked)),
            _ => Err(UNREADABLE),
        }
    }

    fn command_complete(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
        if !tripwire::is_tag_of_read(tag, self.context.names.engine()) {
            return Err(SessionEnd::Tripped(Tripwire::WriteTag));
        }
        let own_tag = self.pending.running().and_then(|it| it.own_tag(tag));
        if cursors_moved(self, tag)? == RowFit::Beyond {
            return Ok(Forwarding::Drop);
        }
        if let Some(fate) = end_truncated(self, tag) {
            if let Some(ExpectedReply::Execute(_)) = self.pending.head() {
                self.complete_head();
            }
            return Ok(fate);
        }
        let is_cut = |running: &InFlight| running.default_limit_notice().is_some();
        let is_cut = self.pending.running().is_some_and(is_cut);
        result_ended(self, ReceiptOutcome::of_end(is_cut), Some(tag));
        match self.pending.head() {
            Some(ExpectedReply::Query(running)) => {
                running.allowance.expect();
                if let Some(notice) = running.notice.take() {
                    notice.write(&mut self.client.reply, &self.context.client_settings);
                }
                if let Some(notice) = running.default_limit_notice() {
                    notice.write(&mut self.client.reply, &self.context.client_settings);
                }
                Ok(self.restore_command_tag(own_tag))
            }
            Some(ExpectedReply::Execute(running)) => {
                if let Some(notice) = running.default_limit_notice() {
                    notice.write(&mut self.client.reply, &self.context.client_settings);
                }
                self.complete_head();
                Ok(self.restore_command_tag(own_tag))
            }
            _ => Err(UNREADABLE),
        }
    }

    /// A command tag: the client's own.
    fn restore_command_tag(&mut self, own: Option<&str>) -> Forwarding {
        match own.map(|own| encode::command_complete(&mut self.client.reply, own)) {
            Some(Ok(())) => Forwarding::Drop,
            Some(Err(_)) | None => Forwarding::Forward,
        }
    }

    fn ready(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
        match self.pending.pop() {
            Some(ExpectedReply::Query(running)) => {
                if running.sqlstate.is_none() {
                    self.apply_effects(&running);
                }
                (self.context).settings_after_statement(&running, &self.pending);
                self.finished(&running);
            }
            Some(ExpectedReply::Sync | ExpectedReply::RefusedQuery(_)) => {}
            _ => return Err(UNREADABLE),
        }
        self.witness.trace_next_answer(&mut self.pending);
        on_ready(self, status);
        match self.repair.take_held() {
            None => Ok(Forwarding::Forward),
            Some(held) if status == TransactionStatus::Idle => {
                begin_repair(&mut self.pending, &mut self.repair, *held);
                Ok(Forwarding::Drop)
            }
            Some(_) => Err(UNREADABLE),
        }
    }

    pub(super) fn setting_reported(&mut self, body: &[u8]) -> Result<Forwarding, SessionEnd> {
        let (name, value) = backend::parameter_status(body).map_err(|_| UNREADABLE)?;
        match tripwire::reported(self.context.names.role(), name, value) {
            None => {
                self.witness.follow_name(name, value);
                self.upstream.place.parameter_reported(name, value);
                if name == "search_path" {
                    self.context.path_reported(value);
                }
                match self.context.report_as.parameter(name) {
                    Some(_) => Ok(Forwarding::Drop),
                    None => Ok(Forwarding::Forward),
                }
            }
            Some(tripwire) => Err(SessionEnd::Tripped(tripwire)),
        }
    }
}

/// How many of these bytes belong to a frame whose header was seen before: `left` of it remain.
fn bytes_of_frame_left(left: &mut usize, bytes: &[u8]) -> Option<usize> {
    let step = (*left).min(bytes.len());
    *left -= step;
    (step > 0).then_some(step)
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;
