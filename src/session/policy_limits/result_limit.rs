//! What is left of a result: rows and bytes that may still pass.
//!
//! Both numbers go down with each row. Where nothing is bounded they are too large to reach zero,
//! so that a row meets the same two subtractions in any case, and nothing else.

use std::sync::Arc;

use super::cursor_run::CursorRun;
use super::daily_budget::{BudgetLease, BudgetUnit, SpentBudget};
use super::per_user::StatementSlot;
use super::portal_totals::PortalTotal;
use crate::gate::Rule;
use crate::limits;
use crate::policy::{OnLimit, Policy, PolicyLimits, PolicyRule, RuleMode};

/// What a statement may still bring, and what it holds meanwhile.
#[derive(Debug)]
pub struct ResultAllowance {
    rows_left: u64,
    bytes_left: u64,
    pub(super) bounds: Option<Box<ResultBounds>>,
    /// Held for as long as it runs.
    slot: Option<Arc<StatementSlot>>,
}

/// The bounds of each result of a statement.
#[derive(Debug)]
pub(super) struct ResultBounds {
    rows: ResultBound,
    bytes: ResultBound,
    pub(super) on_limit: OnLimit,
    pub(super) stage: ResultStage,
    pub(super) alone: AloneInBatch,
    /// What was left when the result, or this run of its portal, began.
    rows_at_first: u64,
    bytes_at_first: u64,
    /// What there still is behind the part at hand, where the result is taken out of a budget.
    rows_behind: u64,
    bytes_behind: u64,
    lease: Option<BudgetLease>,
    /// The budget that has come to its end.
    pub(super) used_up: Option<SpentBudget>,
    /// The portal, where it can be run in slices.
    pub(super) portal: Option<Box<str>>,
    /// What the portal, and the cursor that it fetches from, have given before.
    portal_totals: Vec<Arc<PortalTotal>>,
    pub(super) format: CopyFormat,
    /// What it runs of cursors WITH HOLD whose rows are counted.
    pub(super) run: CursorRun,
    /// The rows that a client may get of such a cursor, and those of this result.
    held: Option<(u64, u64)>,
    /// Held for as long as nothing may be sent behind it.
    pub(super) outstanding: Option<Arc<()>>,
}

/// One bound, and whether it is enforced.
#[derive(Debug, Clone, Copy)]
struct ResultBound {
    most: Option<u64>,
    mode: RuleMode,
}

/// Where a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultStage {
    /// Its first row has not come, and what its portal gave before is not taken into account.
    Unbegun,
    /// Rows pass.
    Passing,
    /// The rest is dropped until the upstream has said all; then the result ends for the client.
    Truncating(TruncatedRest),
    /// It ended in an error: everything is dropped until the upstream is ready.
    Cut(CutUntil),
}

/// How the rest of a truncated result comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TruncatedRest {
    /// By itself: an error of it is an error for the client.
    Runs,
    /// It was cancelled, or will be: an error is what is wanted.
    Cancelled,
}

/// What ends the answer to a batch that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutUntil {
    /// ReadyForQuery, which is owed.
    Ready,
    /// The answer to the Sync that the client has yet to send.
    Sync,
    /// ReadyForQuery behind the statement that failed the transaction.
    Failed,
}

/// Whether a statement is the only one that was run since the last Sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AloneInBatch {
    Alone,
    WithOthers,
}

/// What COPY data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyFormat {
    /// No COPY data has been announced, or all of it has come.
    None,
    /// Lines.
    Text,
    /// Tuples, and a trailer.
    Binary,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowForwarding {
    /// It is the client's.
    Forward,
    /// It is dropped.
    Drop,
}

impl ResultAllowance {
    /// No bounds.
    pub fn boundless() -> Self {
        Self {
            rows_left: u64::MAX,
            bytes_left: u64::MAX,
            bounds: None,
            slot: None,
        }
    }

    /// The bounds of a policy, if it has any.
    pub(super) fn of(
        policy: &Policy,
        portal: PortalRun,
        outstanding: &mut Option<Arc<()>>,
    ) -> Self {
        let own = policy.limits();
        if !is_bounded(own) && portal.lease.is_none() && portal.run == CursorRun::None {
            return Self::boundless();
        }
        let rows = ResultBound {
            most: own.result_rows,
            mode: policy.mode_of(PolicyRule::ResultRows),
        };
        let bytes = ResultBound {
            most: own.result_bytes,
            mode: policy.mode_of(PolicyRule::ResultBytes),
        };
        let is_counted = portal.run != CursorRun::None;
        // Who asks ahead does not wait for results that will hardly ever meet their bound.
        let is_tight = |most| most < limits::RESULT_BYTES_ASKED_AHEAD;
        let may_be_cut = rows.is_enforced()
            || bytes.is_enforced() && own.result_bytes.is_some_and(is_tight)
            || is_counted;
        let bounds = ResultBounds {
            rows,
            bytes,
            on_limit: own.on_limit,
            stage: ResultStage::Unbegun,
            alone: portal.alone,
            rows_at_first: 0,
            bytes_at_first: 0,
            rows_behind: 0,
            bytes_behind: 0,
            lease: portal.lease,
            used_up: None,
            portal: portal.name,
            portal_totals: Vec::new(),
            format: CopyFormat::None,
            run: portal.run,
            held: None,
            outstanding: may_be_cut.then(|| Arc::clone(outstanding.get_or_insert_default())),
        };
        Self {
            rows_left: 0,
            bytes_left: 0,
            bounds: Some(Box::new(bounds)),
            slot: None,
        }
    }

    /// The same, with the place among the user's running statements.
    pub(super) fn holding(mut self, slot: Option<Arc<StatementSlot>>) -> Self {
        self.slot = slot;
        self
    }

    /// A row of so many bytes. Says whether it fits; one that does not leaves everything as it was.
    pub fn take(&mut self, bytes: u64) -> RowFit {
        match (
            self.rows_left.checked_sub(1),
            self.bytes_left.checked_sub(bytes),
        ) {
            (Some(rows), Some(bytes)) => {
                self.rows_left = rows;
                self.bytes_left = bytes;
                RowFit::Inside
            }
            _ => RowFit::Beyond,
        }
    }

    /// Nothing may be sent behind it from now on.
    pub(super) fn hold(&mut self, outstanding: &mut Option<Arc<()>>) {
        if let Some(bounds) = &mut self.bounds {
            bounds.outstanding = Some(Arc::clone(outstanding.get_or_insert_default()));
        }
    }

    /// Where the result is; none where nothing is bounded.
    pub(super) fn stage(&self) -> Option<ResultStage> {
        self.bounds.as_ref().map(|bounds| bounds.stage)
    }

    pub(super) fn set_stage(&mut self, stage: ResultStage) {
        if stage != ResultStage::Passing {
            self.end();
        }
        if let Some(bounds) = &mut self.bounds {
            bounds.stage = stage;
        }
    }

    /// Not one row more fits, however small it is; those that were given are known as before.
    fn end(&mut self) {
        let (rows, bytes) = (self.given(), self.given_bytes());
        self.put_back();
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        (bounds.rows_at_first, bounds.bytes_at_first) = (rows, bytes);
        (bounds.rows_behind, bounds.bytes_behind) = (0, 0);
        (self.rows_left, self.bytes_left) = (0, 0);
    }

    /// What was taken out of budgets and not needed.
    fn put_back(&mut self) {
        let Some(ResultBounds {
            lease: Some(lease), ..
        }) = self.bounds.as_deref_mut()
        else {
            return;
        };
        lease.put_back(self.rows_left, self.bytes_left);
    }

    /// Whether its rest was cut off and cancelled at the upstream, and is dropped.
    pub(in crate::session) fn is_cancelled(&self) -> bool {
        self.stage() == Some(ResultStage::Truncating(TruncatedRest::Cancelled))
    }

    /// Whether it has ended in an error, and the client has yet to send the end of its batch.
    pub(in crate::session) fn is_cut_until_sync(&self) -> bool {
        self.stage() == Some(ResultStage::Cut(CutUntil::Sync))
    }

    /// Whether what is under way is binary COPY data.
    pub(super) fn is_binary_copy(&self) -> bool {
        self.format() == CopyFormat::Binary
    }

    /// What COPY data is under way.
    pub(super) fn format(&self) -> CopyFormat {
        let bounds = self.bounds.as_ref();
        bounds.map_or(CopyFormat::None, |bounds| bounds.format)
    }

    pub(super) fn set_format(&mut self, format: CopyFormat) {
        if let Some(bounds) = &mut self.bounds {
            bounds.format = format;
        }
    }

    /// CopyDone has come.
    pub fn copy_done(&mut self) {
        self.set_format(CopyFormat::None);
    }

    /// The result before is complete: the next one begins.
    pub fn expect(&mut self) {
        self.carry_given();
        if let Some(bounds) = &mut self.bounds {
            bounds.stage = ResultStage::Unbegun;
            bounds.format = CopyFormat::None;
            self.rows_left = 0;
            self.bytes_left = 0;
        }
    }

    /// The first row has come. It is one of a cursor WITH HOLD, of which a client may get so many
    /// rows, and so many in this result; or it is not. What these have given before counts.
    pub(super) fn begin(&mut self, held: Option<(u64, u64)>, portal_totals: Vec<Arc<PortalTotal>>) {
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        bounds.stage = ResultStage::Passing;
        bounds.held = held;
        bounds.portal_totals = portal_totals;
        let (rows, bytes) = bounds.given_before();
        bounds.rows_at_first = bounds.rows.left(rows).min(bounds.held_left());
        bounds.bytes_at_first = bounds.bytes.left(bytes);
        self.rows_left = bounds.rows_at_first;
        self.bytes_left = bounds.bytes_at_first;
        if bounds.counts(BudgetUnit::Rows) {
            bounds.rows_behind = std::mem::take(&mut self.rows_left);
        }
        if bounds.counts(BudgetUnit::Bytes) {
            bounds.bytes_behind = std::mem::take(&mut self.bytes_left);
        }
    }

    /// The rule that a row of so many bytes does not fit, and whether it is enforced. Where only
    /// the part of a budget is too small that was taken so far, another one is taken.
    pub(super) fn broken(&mut self, bytes: u64) -> Option<(Rule, RuleMode)> {
        let given = self.given();
        let bounds = self.bounds.as_mut()?;
        let rows = self.rows_left.saturating_add(bounds.rows_behind);
        if rows == 0 && given >= bounds.held_left() {
            return Some((Rule::WithHold, RuleMode::Enforce));
        }
        if rows == 0 {
            return Some((Rule::ResultRows, bounds.rows.mode));
        }
        if self.bytes_left.saturating_add(bounds.bytes_behind) < bytes {
            return Some((Rule::ResultBytes, bounds.bytes.mode));
        }
        let lease = bounds.lease.as_mut()?;
        for (measure, wanted, left, behind) in [
            (
                BudgetUnit::Rows,
                1,
                &mut self.rows_left,
                &mut bounds.rows_behind,
            ),
            (
                BudgetUnit::Bytes,
                bytes,
                &mut self.bytes_left,
                &mut bounds.bytes_behind,
            ),
        ] {
            let Some(missing) = wanted.checked_sub(*left).filter(|missing| *missing > 0) else {
                continue;
            };
            match lease.take(measure, (missing, *behind)) {
                Ok(part) => {
                    *left = left.saturating_add(part);
                    *behind = behind.saturating_sub(part);
                }
                Err(used_up) => {
                    bounds.used_up = Some(used_up);
                    return Some((Rule::DailyBudget, lease.mode()));
                }
            }
        }
        None
    }

    /// A bound that is only observed was met: it is not met again.
    pub(super) fn lift_bounds(&mut self, rule: Rule) {
        let (rows, bytes) = (self.given(), self.given_bytes());
        if rule == Rule::DailyBudget {
            self.put_back();
        }
        let Some(bounds) = &mut self.bounds else {
            return;
        };
        match rule {
            Rule::DailyBudget => {
                bounds.lease = None;
                self.rows_left = bounds.rows_at_first.saturating_sub(rows);
                self.bytes_left = bounds.bytes_at_first.saturating_sub(bytes);
                (bounds.rows_behind, bounds.bytes_behind) = (0, 0);
            }
            Rule::ResultRows => {
                bounds.rows.most = None;
                bounds.rows_at_first = bounds.held_left();
                let left = bounds.rows_at_first.saturating_sub(rows);
                bounds.reach(BudgetUnit::Rows, &mut self.rows_left, left);
            }
            _ => {
                bounds.bytes.most = None;
                bounds.bytes_at_first = u64::MAX;
                let left = u64::MAX - bytes;
                bounds.reach(BudgetUnit::Bytes, &mut self.bytes_left, left);
            }
        }
    }

    /// A bound in numbers.
    pub(super) fn most(&self, rule: Rule) -> u64 {
        let bound = self.bounds.as_ref().and_then(|bounds| match rule {
            Rule::WithHold => bounds.held.map(|(rows_max, _)| rows_max),
            Rule::ResultRows => bounds.rows.most,
            _ => bounds.bytes.most,
        });
        bound.unwrap_or(u64::MAX)
    }

    /// Rows of this result that have passed in this run.
    pub(super) fn given(&self) -> u64 {
        match &self.bounds {
            Some(bounds) if bounds.stage != ResultStage::Unbegun => {
                let left = self.rows_left.saturating_add(bounds.rows_behind);
                bounds.rows_at_first.saturating_sub(left)
            }
            Some(_) | None => 0,
        }
    }

    fn given_bytes(&self) -> u64 {
        match &self.bounds {
            Some(bounds) if bounds.stage != ResultStage::Unbegun => {
                let left = self.bytes_left.saturating_add(bounds.bytes_behind);
                bounds.bytes_at_first.saturating_sub(left)
            }
            Some(_) | None => 0,
        }
    }

    /// Whether a part of the result was given before, by the same portal or cursor.
    pub(super) fn goes_on(&self) -> bool {
        let bounds = self.bounds.as_ref();
        bounds.is_some_and(|bounds| bounds.given_before() != (0, 0))
    }

    /// What this run has given counts for those that come.
    fn carry_given(&mut self) {
        let (rows, bytes) = (self.given(), self.given_bytes());
        self.end();
        if let Some(bounds) = &mut self.bounds {
            for tally in bounds.portal_totals.drain(..) {
                tally.add(rows, bytes);
            }
        }
    }
}

impl Drop for ResultAllowance {
    /// However the run ended.
    fn drop(&mut self) {
        self.carry_given();
    }
}

/// Whether a row is within the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFit {
    /// It is, and was counted.
    Inside,
    /// It is not, or it is the first one.
    Beyond,
}

/// What a statement is run as.
pub(super) struct PortalRun {
    pub(super) alone: AloneInBatch,
    /// What it is known by, where it can be run in slices.
    pub(super) name: Option<Box<str>>,
    pub(super) run: CursorRun,
    /// The budgets that it is taken out of.
    pub(super) lease: Option<BudgetLease>,
}

impl ResultBounds {
    /// Whether a measure is taken out of a budget.
    fn counts(&self, measure: BudgetUnit) -> bool {
        let lease = self.lease.as_ref();
        lease.is_some_and(|lease| lease.counts(measure))
    }

    /// So much may come yet: at hand, or behind the part of a budget that is.
    fn reach(&mut self, measure: BudgetUnit, at_hand: &mut u64, left: u64) {
        if !self.counts(measure) {
            *at_hand = left;
            return;
        }
        let behind = left.saturating_sub(*at_hand);
        match measure {
            BudgetUnit::Rows => self.rows_behind = behind,
            BudgetUnit::Bytes => self.bytes_behind = behind,
        }
    }

    fn held_left(&self) -> u64 {
        self.held.map_or(u64::MAX, |(_, left)| left)
    }

    /// Rows and bytes. Two that were run through each other may each have given more of one.
    fn given_before(&self) -> (u64, u64) {
        let all = self.portal_totals.iter().map(|tally| tally.so_far());
        all.fold((0, 0), |most, (rows, bytes)| {
            (most.0.max(rows), most.1.max(bytes))
        })
    }
}

impl ResultBound {
    fn is_enforced(self) -> bool {
        self.most.is_some() && self.mode == RuleMode::Enforce
    }

    fn left(self, spent: u64) -> u64 {
        self.most
            .map_or(u64::MAX, |most| most.saturating_sub(spent))
    }
}

/// Whether results are bounded.
pub(super) fn is_bounded(limits: &PolicyLimits) -> bool {
    limits.result_rows.is_some() || limits.result_bytes.is_some()
}
