//! What the upstream still says of a result that was cut, and how the answer ends for the client.

use bytes::{BufMut, BytesMut};

use super::on_row::tag_of;
use super::result_limit::{CopyFormat, CutUntil, ResultStage};
use super::{ResultCancel, messages};
use crate::gate::Rule;
use crate::receipts::claims::ReceiptOutcome;
use crate::session::context::client_settings::ClientSettings;
use crate::session::pending::in_flight::InFlight;
use crate::session::pending::{ExpectedReply, PendingReplies};
use crate::session::protocol::SessionProtocol;
use crate::session::receipts::result_ended;
use crate::session::reply::CloseReason;
use crate::session::server::forwarding::Forwarding;
use crate::session::server::on_ready::on_ready;
use crate::session::session_end::{SessionEnd, UNREADABLE, UNSENDABLE};
use crate::telemetry::labels::Tripwire;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::tripwire;
use crate::wire::backend::{self, TransactionStatus};
use crate::wire::encode;

/// A frame that is read whole, behind a result that ended in an error.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn after_cut(
    protocol: &mut SessionProtocol,
    kind: u8,
    body: &[u8],
) -> Result<Forwarding, SessionEnd> {
    match kind {
        b'C' => {
            let tag = backend::command_tag(body).map_err(|_| UNREADABLE)?;
            if tripwire::is_tag_of_read(tag, protocol.context.names.engine()) {
                Ok(Forwarding::Drop)
            } else {
                Err(SessionEnd::Tripped(Tripwire::WriteTag))
            }
        }
        b'E' => {
            let fields = backend::error_fields(body).map_err(|_| UNREADABLE)?;
            if fields.severity() == Some("ERROR") {
                protocol.context.doubt_settings();
                return Ok(Forwarding::Drop);
            }
            let code = fields.bytes(b'C').unwrap_or_default();
            protocol.upstream.ended_by_itself = Some(SqlstateCode::from_bytes(code));
            Ok(Forwarding::Forward)
        }
        b'S' => protocol.setting_reported(body),
        b'G' | b'W' => Err(SessionEnd::Tripped(Tripwire::CopyInAsked)),
        b'Z' => {
            let status = backend::ready_for_query(body).map_err(|_| UNREADABLE)?;
            ready_after_cut(protocol, status)
        }
        _ => Ok(Forwarding::Drop),
    }
}

/// The upstream is ready. A transaction that it would go on with is failed first: for the client it
/// has.
fn ready_after_cut(
    protocol: &mut SessionProtocol,
    status: TransactionStatus,
) -> Result<Forwarding, SessionEnd> {
    let Some(ExpectedReply::Cut(mut running)) = protocol.pending.pop() else {
        return Err(UNREADABLE);
    };
    protocol.limits.cancel = ResultCancel::Nothing;
    match running.allowance.stage() {
        Some(ResultStage::Cut(CutUntil::Sync)) => match protocol.pending.pop() {
            Some(ExpectedReply::Sync) => {}
            _ => return Err(UNREADABLE),
        },
        Some(ResultStage::Cut(CutUntil::Failed)) if status == TransactionStatus::InBlock => {
            return Err(UNREADABLE);
        }
        _ => {}
    }
    if status == TransactionStatus::InBlock && !protocol.pending.is_empty() {
        // What was sent behind it goes on in a transaction that has failed for the client.
        return Err(SessionEnd::Ended(CloseReason::ResultLimit));
    }
    if status == TransactionStatus::InBlock {
        (protocol.upstream.outbox.failing_query()).map_err(|_| UNSENDABLE)?;
        let stage = ResultStage::Cut(CutUntil::Failed);
        running.allowance.set_stage(stage);
        protocol.pending.push_front(ExpectedReply::Cut(running));
        return Ok(Forwarding::Drop);
    }
    (protocol.context).settings_after_statement(&running, &protocol.pending);
    protocol.finished(&running);
    drop(running);
    on_ready(protocol, status);
    Ok(Forwarding::Forward)
}

/// A truncated result is complete at the upstream: the client gets its end. None where the
/// statement at the head was not truncated.
pub(in crate::session) fn end_truncated(
    protocol: &mut SessionProtocol,
    tag: &str,
) -> Option<Forwarding> {
    let running = protocol.pending.running_mut()?;
    let Some(ResultStage::Truncating(_)) = running.allowance.stage() else {
        return None;
    };
    let tag = counted(tag, running.allowance.given());
    result_ended(protocol, ReceiptOutcome::Cut, Some(&tag));
    let running = protocol.pending.running_mut()?;
    let policy = protocol.judge.gate.policy().name();
    let heard = (
        &mut protocol.client.reply,
        &protocol.context.client_settings,
    );
    tell_end(running, heard, (&tag, policy));
    protocol.limits.cancel = ResultCancel::Nothing;
    Some(Forwarding::Drop)
}

/// The portal of a truncated result stops: for the client that was all.
pub(in crate::session) fn on_portal_suspended(protocol: &mut SessionProtocol) -> Forwarding {
    let Some(ExpectedReply::Execute(running)) = protocol.pending.front() else {
        return Forwarding::Forward;
    };
    let given = running.allowance.given();
    let tag = tag_of(running.facts.kind, given).unwrap_or_else(|| format!("FETCH {given}"));
    end_truncated(protocol, &tag).unwrap_or(Forwarding::Forward)
}

/// A truncated result that was cancelled has failed, as it was meant to. Says whether that is so.
pub(in crate::session) fn cancelled_as_wanted(protocol: &mut SessionProtocol) -> bool {
    let Some(running) = protocol.pending.running() else {
        return false;
    };
    if !running.allowance.is_cancelled() {
        return false;
    }
    let given = running.allowance.given();
    let Some(tag) = tag_of(running.facts.kind, given) else {
        return false;
    };
    tell_copy_end(running, &mut protocol.client.reply);
    let _ = end_truncated(protocol, &tag);
    // Behind a Query ReadyForQuery is owed still, behind an Execute that of its Sync.
    if let Some(ExpectedReply::Execute(_)) = protocol.pending.front() {
        protocol.complete_head();
    }
    true
}

/// CopyOutResponse: what is copied, and how.
pub(in crate::session) fn on_copy_out(pending: &mut PendingReplies, body: &[u8]) {
    if let Some(running) = pending.running_mut() {
        running.bytes += u64::try_from(body.len()).unwrap_or(u64::MAX);
        if let Some(draft) = &mut running.receipt {
            draft.begins(None);
        }
        running.allowance.set_format(match body.first() {
            Some(1) => CopyFormat::Binary,
            _ => CopyFormat::Text,
        });
    }
}

/// The end of a truncated result, with what the client is told before it.
fn tell_end(
    running: &mut InFlight,
    (out, client_settings): (&mut BytesMut, &ClientSettings),
    (tag, policy): (&str, &str),
) {
    if let Some(notice) = running.notice.take() {
        notice.write(out, client_settings);
    }
    let rule = running.cut_by.unwrap_or(Rule::ResultRows);
    if !client_settings.is_quiet() {
        messages::truncated(out, rule, running.allowance.most(rule), policy);
    }
    // A tag of ours holds no NUL.
    let _ = encode::command_complete(out, tag);
    running.allowance.expect();
}

/// The end of COPY data that was cancelled.
fn tell_copy_end(running: &InFlight, out: &mut BytesMut) {
    match running.allowance.format() {
        CopyFormat::None => {}
        CopyFormat::Text => out.put_slice(COPY_DONE),
        CopyFormat::Binary => {
            out.put_slice(COPY_TRAILER);
            out.put_slice(COPY_DONE);
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
