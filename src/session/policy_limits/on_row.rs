//! The end of what a policy gives of a result: the row that is too much, and what it does.
//!
//! Nothing of a row is read but its length. What passed before stays with the client; behind it
//! comes an error, or the end of the result and a notice. The upstream is cancelled where nothing
//! else can be hit by that: while a bounded result is under way, nothing is sent behind its batch.

use super::daily_budget::rest_of_today;
use super::result_limit::{
    AloneInBatch, CutUntil, ResultStage, RowFit, RowForwarding, TruncatedRest,
};
use super::{FrameHold, ResultCancel, SessionLimits, messages};
use crate::gate::{Refusal, Rule, StatementKind};
use crate::policy::{OnLimit, RuleMode};
use crate::session::client_side::ClientState;
use crate::session::pending::in_flight::InFlight;
use crate::session::pending::{ExpectedReply, PendingReplies, SentBehind, SkipExtent};
use crate::session::protocol::SessionProtocol;
use crate::session::reply::{self, CloseReason};
use crate::session::session_end::{SessionEnd, UNSENDABLE};
use crate::session::tracing::SessionWitness;
use crate::telemetry::events::LimitReached;
use crate::telemetry::labels::StatementOutcome;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::frame::UpstreamHeader;

/// A row, or data of a COPY, has come for the statement at the head.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn on_row(
    protocol: &mut SessionProtocol,
    header: &UpstreamHeader,
) -> Result<RowForwarding, SessionEnd> {
    let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
    let Some(running) = protocol.pending.running_mut() else {
        return Ok(RowForwarding::Forward);
    };
    let course = match running.allowance.take(bytes) {
        RowFit::Inside => RowForwarding::Forward,
        RowFit::Beyond => on_row_beyond(protocol, bytes)?,
    };
    if course == RowForwarding::Forward
        && let Some(running) = protocol.pending.running_mut()
    {
        running.bytes += bytes;
        if header.kind == b'D' {
            running.rows += 1;
            if let Some(trace) = &mut running.trace {
                trace.row();
            }
        }
    }
    Ok(course)
}

/// A row that does not fit, or the first of its result.
fn on_row_beyond(protocol: &mut SessionProtocol, bytes: u64) -> Result<RowForwarding, SessionEnd> {
    // The first row begins the result, and each of two bounds may be one that is observed.
    for _ in 0..ROUNDS_MAX {
        let Some(running) = protocol.pending.running_mut() else {
            return Ok(RowForwarding::Drop);
        };
        let is_trailer = bytes == TRAILER_BYTES && running.allowance.is_binary_copy();
        match running.allowance.stage() {
            None => return Ok(RowForwarding::Forward),
            Some(ResultStage::Truncating(_) | ResultStage::Cut(_)) => {
                return Ok(if is_trailer {
                    RowForwarding::Forward
                } else {
                    RowForwarding::Drop
                });
            }
            Some(ResultStage::Unbegun) => {
                let held = protocol.limits.held_rows_left(running);
                let portal_totals = protocol.limits.totals_of(running);
                running.allowance.begin(held, portal_totals);
            }
            Some(ResultStage::Passing) => match running.allowance.broken(bytes) {
                // The end of binary COPY data is no row.
                _ if is_trailer => return Ok(RowForwarding::Forward),
                None => {}
                Some((rule, RuleMode::Observe)) => {
                    running.allowance.lift_bounds(rule);
                    note_limit_reached(&protocol.witness, running, (rule, RuleMode::Observe));
                }
                Some((rule, RuleMode::Enforce)) => {
                    note_limit_reached(&protocol.witness, running, (rule, RuleMode::Enforce));
                    cut_result(protocol, rule)?;
                    return Ok(RowForwarding::Drop);
                }
            },
        }
        if let Some(running) = protocol.pending.running_mut()
            && running.allowance.take(bytes) == RowFit::Inside
        {
            return Ok(RowForwarding::Forward);
        }
    }
    Ok(RowForwarding::Drop)
}

/// What the client hears of a bound that a result has met.
fn limit_message(running: &InFlight, rule: Rule, policy: &str) -> Box<Refusal> {
    let allowance = &running.allowance;
    let used_up = allowance.bounds.as_ref().and_then(|own| own.used_up);
    let most = allowance.most(rule);
    match rule {
        Rule::WithHold => messages::beyond_cursor(running.way_of_cursor(), most, policy),
        Rule::DailyBudget if let Some(used_up) = used_up => {
            messages::day_budget_spent(used_up, rest_of_today(), policy)
        }
        _ if allowance.goes_on() => messages::beyond_in_pieces(rule, most, policy),
        _ => messages::beyond(rule, most, policy),
    }
}

/// A bound of a result was met.
fn note_limit_reached(
    witness: &SessionWitness,
    running: &InFlight,
    (rule, mode): (Rule, RuleMode),
) {
    witness.telemetry.emit(&LimitReached {
        session: running.info.as_deref().unwrap_or(&witness.info),
        rule,
        mode,
        fingerprint: running.facts.fingerprint,
    });
}

fn cut_result(protocol: &mut SessionProtocol, rule: Rule) -> Result<(), SessionEnd> {
    let Some(running) = protocol.pending.running_mut() else {
        return Ok(());
    };
    running.cut_by = Some(rule);
    let on_limit = running.allowance.bounds.as_ref();
    match on_limit.map_or(OnLimit::Error, |bounds| bounds.on_limit) {
        OnLimit::Truncate if matches!(rule, Rule::ResultRows | Rule::ResultBytes) => {
            truncate_result(&mut protocol.pending, &mut protocol.limits);
            Ok(())
        }
        OnLimit::Truncate | OnLimit::Error => {
            let policy = protocol.judge.gate.policy().name();
            let refusal = limit_message(running, rule, policy);
            fail_result(protocol, &refusal)
        }
    }
}

/// The rest is dropped; the result ends when the upstream has said all of it. It is cancelled where
/// its error would fail nothing but itself.
fn truncate_result(pending: &mut PendingReplies, limits: &mut SessionLimits) {
    let is_alone = pending.may_fail_alone() && limits.canceller.is_some();
    let Some(running) = pending.running_mut() else {
        return;
    };
    let may_fail = is_alone && may_be_cancelled(running);
    running.outcome = StatementOutcome::Truncated;
    let rest = if may_fail {
        TruncatedRest::Cancelled
    } else {
        TruncatedRest::Runs
    };
    running.allowance.set_stage(ResultStage::Truncating(rest));
    if may_fail {
        running.allowance.hold(&mut limits.bounded);
        limits.cancel = ResultCancel::Wanted;
    }
}

/// Whether a statement does nothing but bring its result, which is known to be alone in its batch.
fn may_be_cancelled(running: &InFlight) -> bool {
    let bounds = running.allowance.bounds.as_ref();
    let is_alone = bounds.is_some_and(|bounds| bounds.alone == AloneInBatch::Alone);
    let facts = &running.facts;
    is_alone && facts.statements <= 1 && facts.effects.is_empty() && tag_of(facts.kind, 0).is_some()
}

/// A statement of the message at the head is done, as its command tag says. Where it has led a
/// cursor WITH HOLD beyond its bound, it ends in an error.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn cursors_moved(
    protocol: &mut SessionProtocol,
    tag: &str,
) -> Result<RowFit, SessionEnd> {
    let Some(running) = protocol.pending.running_mut() else {
        return Ok(RowFit::Inside);
    };
    let Some((way, rows_max)) = protocol.limits.cursors_moved(running, tag) else {
        return Ok(RowFit::Inside);
    };
    let met = (Rule::WithHold, RuleMode::Enforce);
    note_limit_reached(&protocol.witness, running, met);
    running.cut_by = Some(Rule::WithHold);
    let policy = protocol.judge.gate.policy().name();
    let refusal = messages::beyond_cursor(Some(way), rows_max, policy);
    fail_result(protocol, &refusal)?;
    Ok(RowFit::Beyond)
}

/// The result ends in an error, as if the upstream had raised it: what follows in its batch is
/// skipped, and the transaction around it fails.
fn fail_result(protocol: &mut SessionProtocol, refusal: &Refusal) -> Result<(), SessionEnd> {
    protocol.limits.lose_cursors(&protocol.pending);
    let popped = protocol.pending.pop();
    let is_query = matches!(popped, Some(ExpectedReply::Query(_)));
    let Some(ExpectedReply::Query(mut running) | ExpectedReply::Execute(mut running)) = popped
    else {
        return Ok(());
    };
    let (reply, levels) = protocol.hearing();
    if let Some(notice) = running.notice.take() {
        notice.write(reply, levels);
    }
    reply::refusal(reply, refusal);
    running.sqlstate = Some(SqlstateCode::from(refusal.sqlstate));
    running.outcome = StatementOutcome::Cut;
    protocol.context.doubt_settings();
    let limits = &mut protocol.limits;
    limits.hold = FrameHold::Nothing;
    match protocol.pending.behind(is_query) {
        SentBehind::Nothing => {
            running.allowance.hold(&mut limits.bounded);
            limits.cancel = ResultCancel::Wanted;
        }
        // A cancel could hit that: what comes of this result is dropped instead.
        SentBehind::Batches => {}
        // It runs at the server, and may not have run for the client.
        SentBehind::OfBatch => return Err(SessionEnd::Ended(CloseReason::ResultLimit)),
    }
    let until = if is_query {
        CutUntil::Ready
    } else if protocol.skip_pipeline(false) == SkipExtent::SyncIsOwed {
        protocol.pending.pop();
        CutUntil::Ready
    } else {
        // Whether the cancel comes in time or not, the upstream fails here and skips to Sync.
        (protocol.upstream.outbox.failing_parse()).map_err(|_| UNSENDABLE)?;
        protocol.repair.retained.stop_retaining();
        protocol.client.skip_to_sync();
        until_sync(protocol)
    };
    running.allowance.set_stage(ResultStage::Cut(until));
    protocol.pending.push_front(ExpectedReply::Cut(running));
    protocol.note_pause();
    Ok(())
}

/// What ends a batch whose Sync has not been sent. A client that is leaving will not send it.
fn until_sync(protocol: &mut SessionProtocol) -> CutUntil {
    if matches!(protocol.client.state, ClientState::Closing(_)) {
        protocol.upstream.outbox.sync_message();
        protocol.pending.transaction.unsynced = false;
        CutUntil::Ready
    } else {
        CutUntil::Sync
    }
}

/// The command tag of a result that was cancelled after so many rows; none for statements that do
/// more than bring one.
pub(super) fn tag_of(kind: StatementKind, rows: u64) -> Option<String> {
    match kind {
        StatementKind::Select | StatementKind::Values | StatementKind::Table => {
            Some(format!("SELECT {rows}"))
        }
        StatementKind::Copy => Some(format!("COPY {rows}")),
        StatementKind::Explain => Some("EXPLAIN".to_owned()),
        _ => None,
    }
}

/// A result begins, each of its bounds and budgets is lifted or not, and a part of these is taken.
const ROUNDS_MAX: u32 = 6;

/// The CopyData that ends binary data: a count of columns that is -1.
const TRAILER_BYTES: u64 = 7;
