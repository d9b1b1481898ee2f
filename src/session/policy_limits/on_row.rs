//! The end of what a policy gives of a result: the row that is too much, and what it does.
//!
//! Nothing of a row is read but its length. What passed before stays with the client; behind it
//! comes an error, or the end of the result and a notice. The upstream is cancelled where nothing
//! else can be hit by that: while a bounded result is under way, nothing is sent behind its batch.

use std::sync::Arc;

use super::daily_budget::rest_of_today;
use super::portal_totals::Tally;
use super::result_limit::{Alone, CopyFormat, Course, Fits, Rest, Stage, Until};
use super::{Cancel, Hold, messages};
use crate::gate::{Refusal, Rule, StatementKind};
use crate::policy::{Mode, OnLimit};
use crate::session::client::UNSENDABLE;
use crate::session::pending::{Behind, Owed, Running, Skipped};
use crate::session::protocol::{Conversation, Ending, Intake};
use crate::session::reply::{self, Farewell};
use crate::telemetry::events::LimitReached;
use crate::telemetry::labels::Outcome;
use crate::telemetry::sqlstate_code::Code;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::Header;

impl Conversation {
    /// A row, or data of a COPY, has come for the statement at the head.
    pub(in crate::session) fn row_came(&mut self, header: &Header) -> Result<Course, Ending> {
        let bytes = u64::try_from(header.total).unwrap_or(u64::MAX);
        let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
            return Ok(Course::Passes);
        };
        let course = match running.allowance.take(bytes) {
            Fits::Inside => Course::Passes,
            Fits::Beyond => self.beyond(bytes)?,
        };
        if course == Course::Passes
            && let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head()
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
    fn beyond(&mut self, bytes: u64) -> Result<Course, Ending> {
        // The first row begins the result, and each of two bounds may be one that is observed.
        for _ in 0..ROUNDS_MAX {
            let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
                return Ok(Course::Drops);
            };
            let is_trailer = bytes == TRAILER_BYTES && running.is_binary_copy();
            let allowance = &mut running.allowance;
            match allowance.stage() {
                None => return Ok(Course::Passes),
                Some(Stage::Truncating(_) | Stage::Cut(_)) => {
                    return Ok(if is_trailer {
                        Course::Passes
                    } else {
                        Course::Drops
                    });
                }
                Some(Stage::Unbegun) => {
                    let held = self.held_rows_left();
                    let tallies = self.tallies_at_head();
                    self.begin_result(held, tallies);
                }
                Some(Stage::Passing) => match allowance.broken(bytes) {
                    // The end of binary COPY data is no row.
                    _ if is_trailer => return Ok(Course::Passes),
                    None => {}
                    Some((rule, Mode::Observe)) => {
                        allowance.lift(rule);
                        self.reached(rule, Mode::Observe);
                    }
                    Some((rule, Mode::Enforce)) => {
                        self.reached(rule, Mode::Enforce);
                        self.cut(rule)?;
                        return Ok(Course::Drops);
                    }
                },
            }
            if let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head()
                && running.allowance.take(bytes) == Fits::Inside
            {
                return Ok(Course::Passes);
            }
        }
        Ok(Course::Drops)
    }

    fn begin_result(&mut self, held: Option<(u64, u64)>, tallies: Vec<Arc<Tally>>) {
        if let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() {
            running.allowance.begin(held, tallies);
        }
    }

    /// What the client hears of a bound that the result at the head has met.
    fn words_beyond(&mut self, rule: Rule) -> Box<Refusal> {
        let policy = self.gate.policy().name();
        let (most, goes_on, used_up) = match self.journal.front() {
            Some(Owed::Query(running) | Owed::Execute(running)) => {
                let allowance = &running.allowance;
                let used_up = allowance.bounds.as_ref().and_then(|own| own.used_up);
                (allowance.most(rule), allowance.goes_on(), used_up)
            }
            _ => (u64::MAX, false, None),
        };
        match rule {
            Rule::WithHold => messages::beyond_cursor(self.way_of_cursor(), most, policy),
            Rule::DailyBudget if let Some(used_up) = used_up => {
                messages::day_is_over(used_up, rest_of_today(), policy)
            }
            _ if goes_on => messages::beyond_in_pieces(rule, most, policy),
            _ => messages::beyond(rule, most, policy),
        }
    }

    /// A bound of the result at the head was met.
    pub(super) fn reached(&mut self, rule: Rule, mode: Mode) {
        let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
            return;
        };
        self.telemetry.emit(&LimitReached {
            session: running.info.as_deref().unwrap_or(&self.info),
            rule,
            mode,
            fingerprint: running.facts.fingerprint,
        });
    }

    fn cut(&mut self, rule: Rule) -> Result<(), Ending> {
        let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
            return Ok(());
        };
        running.cut_by = Some(rule);
        let on_limit = running.allowance.bounds.as_ref();
        match on_limit.map_or(OnLimit::Error, |bounds| bounds.on_limit) {
            OnLimit::Truncate if matches!(rule, Rule::ResultRows | Rule::ResultBytes) => {
                self.truncate();
                Ok(())
            }
            OnLimit::Truncate | OnLimit::Error => {
                let refusal = self.words_beyond(rule);
                self.break_off(&refusal)
            }
        }
    }

    /// The rest is dropped; the result ends when the upstream has said all of it. It is cancelled
    /// where its error would fail nothing but itself.
    fn truncate(&mut self) {
        let may_fail = self.may_fail_alone();
        let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
            return;
        };
        running.outcome = Outcome::Truncated;
        let rest = if may_fail {
            Rest::Cancelled
        } else {
            Rest::Runs
        };
        running.allowance.set_stage(Stage::Truncating(rest));
        if may_fail {
            running.allowance.hold(&mut self.quotas.bounded);
            self.quotas.cancel = Cancel::Wanted;
        }
    }

    /// Whether an error of the statement at the head would take nothing else with it.
    fn may_fail_alone(&mut self) -> bool {
        let is_behind = |owed: Option<&Owed>| matches!(owed, Some(Owed::Sync));
        let is_last = match self.journal.len() {
            1 => matches!(self.journal.head(), Some(Owed::Query(_))),
            2 => is_behind(self.journal.second()),
            _ => false,
        };
        let is_idle = self.standing.status == TransactionStatus::Idle && !self.standing.unsynced;
        let Some(Owed::Query(running) | Owed::Execute(running)) = self.journal.head() else {
            return false;
        };
        let bounds = running.allowance.bounds.as_ref();
        let is_alone = bounds.is_some_and(|bounds| bounds.alone == Alone::Alone);
        let facts = &running.facts;
        is_last
            && is_idle
            && is_alone
            && facts.statements <= 1
            && facts.effects.is_empty()
            && tag_of(facts.kind, 0).is_some()
            && self.quotas.canceller.is_some()
    }

    /// The result ends in an error, as if the upstream had raised it: what follows in its batch is
    /// skipped, and the transaction around it fails.
    pub(super) fn break_off(&mut self, refusal: &Refusal) -> Result<(), Ending> {
        self.lose_cursors();
        let popped = self.journal.pop();
        let is_query = matches!(popped, Some(Owed::Query(_)));
        let Some(Owed::Query(mut running) | Owed::Execute(mut running)) = popped else {
            return Ok(());
        };
        if let Some(notice) = running.notice.take() {
            notice.tell(&mut self.reply, &self.loudness);
        }
        reply::refusal(&mut self.reply, refusal);
        running.sqlstate = Some(Code::from(refusal.sqlstate));
        running.outcome = Outcome::Cut;
        self.doubt_settings();
        self.quotas.hold = Hold::Nothing;
        match self.journal.behind(is_query) {
            Behind::Nothing => {
                running.allowance.hold(&mut self.quotas.bounded);
                self.quotas.cancel = Cancel::Wanted;
            }
            // A cancel could hit that: what comes of this result is dropped instead.
            Behind::Batches => {}
            // It runs at the server, and may not have run for the client.
            Behind::OfBatch => return Err(Ending::Ended(Farewell::ResultLimit)),
        }
        let until = if is_query {
            Until::Ready
        } else if self.skip_pipeline(false) == Skipped::SyncIsOwed {
            self.journal.pop();
            Until::Ready
        } else {
            // Whether the cancel comes in time or not, the upstream fails here and skips to Sync.
            self.outbox.failing_parse().map_err(|_| UNSENDABLE)?;
            self.retained.give_up();
            self.skip_from_now();
            self.until_sync()
        };
        running.allowance.set_stage(Stage::Cut(until));
        self.journal.push_front(Owed::Cut(running));
        self.note_pause();
        Ok(())
    }

    /// What ends a batch whose Sync has not been sent. A client that is leaving will not send it.
    fn until_sync(&mut self) -> Until {
        if matches!(self.intake, Intake::Closing(_)) {
            self.outbox.sync_message();
            self.standing.unsynced = false;
            Until::Ready
        } else {
            Until::Sync
        }
    }
}

impl Running {
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
