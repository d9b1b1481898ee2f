//! The end of what a policy gives of a result: the row that is too much, and what it does.
//!
//! Nothing of a row is read but its length. What passed before stays with the client; behind it
//! comes an error, or the end of the result and a notice. The upstream is cancelled where nothing
//! else can be hit by that: while a bounded result is under way, nothing is sent behind its batch.

use std::sync::Arc;

use super::daily_budget::rest_of_today;
use super::portal_totals::PortalTotal;
use super::result_limit::{
    AloneInBatch, CopyFormat, CutUntil, ResultStage, RowFit, RowForwarding, TruncatedRest,
};
use super::{FrameHold, ResultCancel, messages};
use crate::gate::{Refusal, Rule, StatementKind};
use crate::policy::{OnLimit, RuleMode};
use crate::session::client::UNSENDABLE;
use crate::session::pending::{ExpectedReply, InFlight, SentBehind, SkipExtent};
use crate::session::protocol::{ClientState, SessionEnd, SessionProtocol};
use crate::session::reply::{self, CloseReason};
use crate::telemetry::events::LimitReached;
use crate::telemetry::labels::StatementOutcome;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::UpstreamHeader;

impl SessionProtocol {
    /// A row, or data of a COPY, has come for the statement at the head.
    pub(in crate::session) fn on_row(
        &mut self,
        header: &UpstreamHeader,
    ) -> Result<RowForwarding, SessionEnd> {
        let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return Ok(RowForwarding::Forward);
        };
        let course = match running.allowance.take(bytes) {
            RowFit::Inside => RowForwarding::Forward,
            RowFit::Beyond => self.on_row_beyond(bytes)?,
        };
        if course == RowForwarding::Forward
            && let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
                self.pending.head()
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
    fn on_row_beyond(&mut self, bytes: u64) -> Result<RowForwarding, SessionEnd> {
        // The first row begins the result, and each of two bounds may be one that is observed.
        for _ in 0..ROUNDS_MAX {
            let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
                self.pending.head()
            else {
                return Ok(RowForwarding::Drop);
            };
            let is_trailer = bytes == TRAILER_BYTES && running.is_binary_copy();
            let allowance = &mut running.allowance;
            match allowance.stage() {
                None => return Ok(RowForwarding::Forward),
                Some(ResultStage::Truncating(_) | ResultStage::Cut(_)) => {
                    return Ok(if is_trailer {
                        RowForwarding::Forward
                    } else {
                        RowForwarding::Drop
                    });
                }
                Some(ResultStage::Unbegun) => {
                    let held = self.held_rows_left();
                    let portal_totals = self.tallies_at_head();
                    self.begin_result(held, portal_totals);
                }
                Some(ResultStage::Passing) => match allowance.broken(bytes) {
                    // The end of binary COPY data is no row.
                    _ if is_trailer => return Ok(RowForwarding::Forward),
                    None => {}
                    Some((rule, RuleMode::Observe)) => {
                        allowance.lift_bounds(rule);
                        self.note_limit_reached(rule, RuleMode::Observe);
                    }
                    Some((rule, RuleMode::Enforce)) => {
                        self.note_limit_reached(rule, RuleMode::Enforce);
                        self.cut_result(rule)?;
                        return Ok(RowForwarding::Drop);
                    }
                },
            }
            if let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
                self.pending.head()
                && running.allowance.take(bytes) == RowFit::Inside
            {
                return Ok(RowForwarding::Forward);
            }
        }
        Ok(RowForwarding::Drop)
    }

    fn begin_result(&mut self, held: Option<(u64, u64)>, portal_totals: Vec<Arc<PortalTotal>>) {
        if let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        {
            running.allowance.begin(held, portal_totals);
        }
    }

    /// What the client hears of a bound that the result at the head has met.
    fn limit_message(&mut self, rule: Rule) -> Box<Refusal> {
        let policy = self.judge.gate.policy().name();
        let (most, goes_on, used_up) = match self.pending.front() {
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => {
                let allowance = &running.allowance;
                let used_up = allowance.bounds.as_ref().and_then(|own| own.used_up);
                (allowance.most(rule), allowance.goes_on(), used_up)
            }
            _ => (u64::MAX, false, None),
        };
        match rule {
            Rule::WithHold => messages::beyond_cursor(self.way_of_cursor(), most, policy),
            Rule::DailyBudget if let Some(used_up) = used_up => {
                messages::day_budget_spent(used_up, rest_of_today(), policy)
            }
            _ if goes_on => messages::beyond_in_pieces(rule, most, policy),
            _ => messages::beyond(rule, most, policy),
        }
    }

    /// A bound of the result at the head was met.
    pub(super) fn note_limit_reached(&mut self, rule: Rule, mode: RuleMode) {
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return;
        };
        self.witness.telemetry.emit(&LimitReached {
            session: running.info.as_deref().unwrap_or(&self.witness.info),
            rule,
            mode,
            fingerprint: running.facts.fingerprint,
        });
    }

    fn cut_result(&mut self, rule: Rule) -> Result<(), SessionEnd> {
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return Ok(());
        };
        running.cut_by = Some(rule);
        let on_limit = running.allowance.bounds.as_ref();
        match on_limit.map_or(OnLimit::Error, |bounds| bounds.on_limit) {
            OnLimit::Truncate if matches!(rule, Rule::ResultRows | Rule::ResultBytes) => {
                self.truncate_result();
                Ok(())
            }
            OnLimit::Truncate | OnLimit::Error => {
                let refusal = self.limit_message(rule);
                self.fail_result(&refusal)
            }
        }
    }

    /// The rest is dropped; the result ends when the upstream has said all of it. It is cancelled
    /// where its error would fail nothing but itself.
    fn truncate_result(&mut self) {
        let may_fail = self.may_fail_alone();
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return;
        };
        running.outcome = StatementOutcome::Truncated;
        let rest = if may_fail {
            TruncatedRest::Cancelled
        } else {
            TruncatedRest::Runs
        };
        running.allowance.set_stage(ResultStage::Truncating(rest));
        if may_fail {
            running.allowance.hold(&mut self.limits.bounded);
            self.limits.cancel = ResultCancel::Wanted;
        }
    }

    /// Whether an error of the statement at the head would take nothing else with it.
    fn may_fail_alone(&mut self) -> bool {
        let is_behind = |owed: Option<&ExpectedReply>| matches!(owed, Some(ExpectedReply::Sync));
        let is_last = match self.pending.len() {
            1 => matches!(self.pending.head(), Some(ExpectedReply::Query(_))),
            2 => is_behind(self.pending.second()),
            _ => false,
        };
        let is_idle = self.upstream.transaction.status == TransactionStatus::Idle
            && !self.upstream.transaction.unsynced;
        let Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) =
            self.pending.head()
        else {
            return false;
        };
        let bounds = running.allowance.bounds.as_ref();
        let is_alone = bounds.is_some_and(|bounds| bounds.alone == AloneInBatch::Alone);
        let facts = &running.facts;
        is_last
            && is_idle
            && is_alone
            && facts.statements <= 1
            && facts.effects.is_empty()
            && tag_of(facts.kind, 0).is_some()
            && self.limits.canceller.is_some()
    }

    /// The result ends in an error, as if the upstream had raised it: what follows in its batch is
    /// skipped, and the transaction around it fails.
    pub(super) fn fail_result(&mut self, refusal: &Refusal) -> Result<(), SessionEnd> {
        self.lose_cursors();
        let popped = self.pending.pop();
        let is_query = matches!(popped, Some(ExpectedReply::Query(_)));
        let Some(ExpectedReply::Query(mut running) | ExpectedReply::Execute(mut running)) = popped
        else {
            return Ok(());
        };
        if let Some(notice) = running.notice.take() {
            notice.write(&mut self.client.reply, &self.context.client_min_messages);
        }
        reply::refusal(&mut self.client.reply, refusal);
        running.sqlstate = Some(SqlstateCode::from(refusal.sqlstate));
        running.outcome = StatementOutcome::Cut;
        self.doubt_settings();
        self.limits.hold = FrameHold::Nothing;
        match self.pending.behind(is_query) {
            SentBehind::Nothing => {
                running.allowance.hold(&mut self.limits.bounded);
                self.limits.cancel = ResultCancel::Wanted;
            }
            // A cancel could hit that: what comes of this result is dropped instead.
            SentBehind::Batches => {}
            // It runs at the server, and may not have run for the client.
            SentBehind::OfBatch => return Err(SessionEnd::Ended(CloseReason::ResultLimit)),
        }
        let until = if is_query {
            CutUntil::Ready
        } else if self.skip_pipeline(false) == SkipExtent::SyncIsOwed {
            self.pending.pop();
            CutUntil::Ready
        } else {
            // Whether the cancel comes in time or not, the upstream fails here and skips to Sync.
            self.upstream
                .outbox
                .failing_parse()
                .map_err(|_| UNSENDABLE)?;
            self.repair.retained.stop_retaining();
            self.skip_to_sync_now();
            self.until_sync()
        };
        running.allowance.set_stage(ResultStage::Cut(until));
        self.pending.push_front(ExpectedReply::Cut(running));
        self.note_pause();
        Ok(())
    }

    /// What ends a batch whose Sync has not been sent. A client that is leaving will not send it.
    fn until_sync(&mut self) -> CutUntil {
        if matches!(self.client.state, ClientState::Closing(_)) {
            self.upstream.outbox.sync_message();
            self.upstream.transaction.unsynced = false;
            CutUntil::Ready
        } else {
            CutUntil::Sync
        }
    }
}

impl InFlight {
    pub(super) fn is_binary_copy(&self) -> bool {
        self.allowance.format() == CopyFormat::Binary
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
