//! What the upstream still says of a result that was cut, and how the answer ends for the client.

use bytes::{BufMut, BytesMut};

use super::on_row::tag_of;
use super::result_limit::{CopyFormat, CutUntil, ResultStage, TruncatedRest};
use super::{ResultCancel, messages};
use crate::gate::Rule;
use crate::session::client::UNSENDABLE;
use crate::session::context::client_min_messages::ClientMinMessages;
use crate::session::pending::{ExpectedReply, InFlight};
use crate::session::protocol::{SessionEnd, SessionProtocol};
use crate::session::reply::CloseReason;
use crate::session::server::{Forwarding, UNREADABLE};
use crate::telemetry::labels::Tripwire;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::cancel::{RunningCancel, SessionCanceller};
use crate::upstream::tripwire;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::encode;

impl SessionProtocol {
    /// Whether a cancel is to be sent; asked once.
    pub(in crate::session) fn wants_cancel(&mut self) -> bool {
        std::mem::replace(&mut self.limits.cancel, ResultCancel::Nothing) == ResultCancel::Wanted
    }

    /// The cancel of a result that was cut; none where the upstream gave no key for one.
    pub(in crate::session) fn start_cut_cancel(&self) -> Option<RunningCancel> {
        self.limits.canceller.as_ref().map(SessionCanceller::insist)
    }

    /// Whether the rest of a result is being dropped.
    pub(in crate::session) fn is_result_cut(&mut self) -> bool {
        match self.pending.head() {
            Some(ExpectedReply::Cut(_)) => true,
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => {
                let stage = running.allowance.stage();
                stage == Some(ResultStage::Truncating(TruncatedRest::Cancelled))
            }
            _ => false,
        }
    }

    /// The cancel could not be sent.
    pub(in crate::session) fn cut_cancel_failed(&mut self) {
        if self.is_result_cut() {
            self.limits.cancel = ResultCancel::Wanted;
        }
    }

    /// A frame that is read whole, behind a result that ended in an error.
    pub(in crate::session) fn after_cut(
        &mut self,
        kind: u8,
        body: &[u8],
    ) -> Result<Forwarding, SessionEnd> {
        match kind {
            b'C' => {
                let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
                if tripwire::is_tag_of_read(tag) {
                    Ok(Forwarding::Drop)
                } else {
                    Err(SessionEnd::Tripped(Tripwire::WriteTag))
                }
            }
            b'E' => {
                let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
                if fields.severity() == Some("ERROR") {
                    self.doubt_settings();
                    return Ok(Forwarding::Drop);
                }
                let code = fields.bytes(b'C').unwrap_or_default();
                self.upstream.ended_by_itself = Some(SqlstateCode::from_bytes(code));
                Ok(Forwarding::Forward)
            }
            b'S' => self.setting_reported(body),
            b'G' | b'W' => Err(SessionEnd::Tripped(Tripwire::CopyInAsked)),
            b'Z' => {
                let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
                self.ready_after_cut(status)
            }
            _ => Ok(Forwarding::Drop),
        }
    }

    /// The upstream is ready. A transaction that it would go on with is failed first: for the
    /// client it has.
    fn ready_after_cut(&mut self, status: TransactionStatus) -> Result<Forwarding, SessionEnd> {
        let Some(ExpectedReply::Cut(mut running)) = self.pending.pop() else {
            return Err(UNREADABLE);
        };
        self.limits.cancel = ResultCancel::Nothing;
        match running.allowance.stage() {
            Some(ResultStage::Cut(CutUntil::Sync)) => match self.pending.pop() {
                Some(ExpectedReply::Sync) => {}
                _ => return Err(UNREADABLE),
            },
            Some(ResultStage::Cut(CutUntil::Failed)) if status == TransactionStatus::InBlock => {
                return Err(UNREADABLE);
            }
            _ => {}
        }
        if status == TransactionStatus::InBlock && !self.pending.is_empty() {
            // What was sent behind it goes on in a transaction that has failed for the client.
            return Err(SessionEnd::Ended(CloseReason::ResultLimit));
        }
        if status == TransactionStatus::InBlock {
            self.upstream
                .outbox
                .failing_query()
                .map_err(|_| UNSENDABLE)?;
            running
                .allowance
                .set_stage(ResultStage::Cut(CutUntil::Failed));
            self.pending.push_front(ExpectedReply::Cut(running));
            return Ok(Forwarding::Drop);
        }
        self.settings_after_statement(&running);
        self.finished(&running);
        drop(running);
        self.on_ready(status);
        Ok(Forwarding::Forward)
    }

    /// A truncated result is complete at the upstream: the client gets its end. None where the
    /// statement at the head was not truncated.
    pub(in crate::session) fn end_truncated(&mut self, tag: &str) -> Option<Forwarding> {
        let (ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()?
        else {
            return None;
        };
        let Some(ResultStage::Truncating(_)) = running.allowance.stage() else {
            return None;
        };
        let tag = counted(tag, running.allowance.given());
        let policy = self.judge.gate.policy().name();
        running.tell_end(
            &mut self.client.reply,
            &self.context.client_min_messages,
            (&tag, policy),
        );
        self.limits.cancel = ResultCancel::Nothing;
        Some(Forwarding::Drop)
    }

    /// The portal of a truncated result stops: for the client that was all.
    pub(in crate::session) fn on_portal_suspended(&mut self) -> Forwarding {
        let Some(ExpectedReply::Execute(running)) = self.pending.head() else {
            return Forwarding::Forward;
        };
        let given = running.allowance.given();
        let tag = tag_of(running.facts.kind, given).unwrap_or_else(|| format!("FETCH {given}"));
        self.end_truncated(&tag).unwrap_or(Forwarding::Forward)
    }

    /// A truncated result that was cancelled has failed, as it was meant to. Says whether that is
    /// so.
    pub(in crate::session) fn cancelled_as_wanted(&mut self) -> bool {
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return false;
        };
        if running.allowance.stage() != Some(ResultStage::Truncating(TruncatedRest::Cancelled)) {
            return false;
        }
        let given = running.allowance.given();
        let Some(tag) = tag_of(running.facts.kind, given) else {
            return false;
        };
        running.tell_copy_end(&mut self.client.reply);
        let _ = self.end_truncated(&tag);
        // Behind a Query ReadyForQuery is owed still, behind an Execute that of its Sync.
        if let Some(ExpectedReply::Execute(_)) = self.pending.head() {
            self.complete_head();
        }
        true
    }

    /// CopyOutResponse: what is copied, and how.
    pub(in crate::session) fn on_copy_out(&mut self, body: &[u8]) {
        if let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        {
            running.bytes += u64::try_from(body.len()).unwrap_or(u64::MAX);
            running.allowance.set_format(match body.first() {
                Some(1) => CopyFormat::Binary,
                _ => CopyFormat::Text,
            });
        }
    }
}

impl InFlight {
    /// The end of a truncated result, with what the client is told before it.
    fn tell_end(
        &mut self,
        out: &mut BytesMut,
        client_min_messages: &ClientMinMessages,
        (tag, policy): (&str, &str),
    ) {
        if let Some(notice) = self.notice.take() {
            notice.write(out, client_min_messages);
        }
        let rule = self.cut_by.unwrap_or(Rule::ResultRows);
        if !client_min_messages.is_quiet() {
            messages::truncated(out, rule, self.allowance.most(rule), policy);
        }
        // A tag of ours holds no NUL.
        let _ = encode::command_complete(out, tag);
        self.allowance.expect();
    }

    /// The end of COPY data that was cancelled.
    fn tell_copy_end(&self, out: &mut BytesMut) {
        match self.allowance.format() {
            CopyFormat::None => {}
            CopyFormat::Text => out.put_slice(COPY_DONE),
            CopyFormat::Binary => {
                out.put_slice(COPY_TRAILER);
                out.put_slice(COPY_DONE);
            }
        }
    }
}

/// A command tag with another number of rows, where it has one.
fn counted(tag: &str, rows: u64) -> String {
    match tag.rsplit_once(' ') {
        Some((word, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
            format!("{word} {rows}")
        }
        _ => tag.to_owned(),
    }
}

const COPY_DONE: &[u8] = b"c\0\0\0\x04";

/// CopyData that ends a binary COPY.
const COPY_TRAILER: &[u8] = b"d\0\0\0\x06\xff\xff";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_says_what_was_given() {
        assert_eq!(counted("SELECT 100", 7), "SELECT 7");
        assert_eq!(counted("FETCH 3", 2), "FETCH 2");
        assert_eq!(counted("SHOW", 1), "SHOW");
        assert_eq!(counted("EXPLAIN", 1), "EXPLAIN");
    }
}
