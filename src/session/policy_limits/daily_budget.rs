//! What a user may receive in a day: rows and bytes, counted from midnight to midnight, UTC.
//!
//! A result takes a part of what is left before its rows pass, and gives back what it did not need:
//! so all sessions of a user together never get more than the day has, and a row meets a number of
//! its own session alone. The parts get smaller as less is left.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::per_user::UserAccount;
use crate::limits;
use crate::policy::{Policy, PolicyLimits, PolicyRule, RuleMode};

/// What a user has received today, or will in a moment.
#[derive(Debug, Default)]
pub(super) struct DayUsage {
    book: Mutex<DayBook>,
}

/// What was used by way of this pgsieve, and what by way of its other copies as far as that is
/// known.
#[derive(Clone, Copy, Debug, Default)]
struct DayBook {
    own: UsageOfDay,
    others: UsageOfDay,
}

/// Rows and bytes of one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageOfDay {
    /// Days since 1970.
    pub day: u64,
    /// Rows, and lines of COPY data.
    pub rows: u64,
    /// Bytes of them, as they are sent.
    pub bytes: u64,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BudgetUnit {
    Rows,
    Bytes,
}

/// What a policy gives of a day.
#[derive(Clone, Copy, Debug)]
pub(super) struct DayBudget {
    rows: Option<u64>,
    bytes: Option<u64>,
    mode: RuleMode,
}

/// A budget that has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpentBudget {
    pub(super) measure: BudgetUnit,
    pub(super) most: u64,
}

/// What a result takes out of the budgets of its user.
pub(super) struct BudgetLease {
    account: Arc<UserAccount>,
    budget: DayBudget,
    /// Of which days the parts are that were taken last.
    rows_of: u64,
    bytes_of: u64,
}

impl DayBudget {
    /// Those of a policy, if it has any.
    pub(super) fn of(policy: &Policy) -> Option<Self> {
        let PolicyLimits {
            rows_per_day,
            bytes_per_day,
            ..
        } = *policy.limits();
        let mode = policy.mode_of(PolicyRule::DailyBudget);
        (rows_per_day.is_some() || bytes_per_day.is_some()).then_some(Self {
            rows: rows_per_day,
            bytes: bytes_per_day,
            mode,
        })
    }

    pub(super) fn mode(self) -> RuleMode {
        self.mode
    }

    fn most(self, measure: BudgetUnit) -> Option<u64> {
        match measure {
            BudgetUnit::Rows => self.rows,
            BudgetUnit::Bytes => self.bytes,
        }
    }
}

impl BudgetLease {
    /// Nothing is taken yet.
    pub(super) fn new(account: Arc<UserAccount>, budget: DayBudget) -> Self {
        Self {
            account,
            budget,
            rows_of: 0,
            bytes_of: 0,
        }
    }

    pub(super) fn mode(&self) -> RuleMode {
        self.budget.mode
    }

    /// Whether something is counted.
    pub(super) fn counts(&self, measure: BudgetUnit) -> bool {
        self.budget.most(measure).is_some()
    }

    /// Takes a part of what is left, between these two amounts.
    pub(super) fn take(
        &mut self,
        measure: BudgetUnit,
        (least, most): (u64, u64),
    ) -> Result<u64, SpentBudget> {
        let Some(budget) = self.budget.most(measure) else {
            return Ok(most);
        };
        let today = today();
        let taken = self
            .account
            .book()
            .take(measure, (least, most), budget, today);
        let most = budget;
        let taken = taken.ok_or(SpentBudget { measure, most })?;
        match measure {
            BudgetUnit::Rows => self.rows_of = today,
            BudgetUnit::Bytes => self.bytes_of = today,
        }
        Ok(taken)
    }

    /// Gives back what was not needed.
    pub(super) fn put_back(&self, rows: u64, bytes: u64) {
        let book = self.account.book();
        if self.budget.rows.is_some() {
            book.put_back(BudgetUnit::Rows, rows, self.rows_of);
        }
        if self.budget.bytes.is_some() {
            book.put_back(BudgetUnit::Bytes, bytes, self.bytes_of);
        }
    }
}

impl fmt::Debug for BudgetLease {
    /// Without the user.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BudgetLease")
    }
}

impl DayUsage {
    /// What was used here, of the last day on which anything was.
    pub(super) fn used(&self) -> UsageOfDay {
        self.open().own
    }

    /// What was used here on a day, or on a later one where the clock was set back.
    pub(super) fn used_on(&self, today: u64) -> UsageOfDay {
        self.open().own.on(today)
    }

    /// What other copies have used of a day.
    pub(super) fn learn(&self, others: UsageOfDay) {
        self.open().others = others;
    }

    /// Whether nothing was used on this day or a later one, by whatever copy.
    pub(super) fn is_blank(&self, today: u64) -> bool {
        let book = self.open();
        book.own.is_blank(today) && book.others.is_blank(today)
    }

    /// The budget of today that is used up, if one is.
    pub(super) fn used_up(&self, budget: DayBudget, today: u64) -> Option<SpentBudget> {
        let book = self.open();
        let is_over = |measure| {
            let most = budget.most(measure)?;
            (book.used(measure, today) >= most).then_some(SpentBudget { measure, most })
        };
        is_over(BudgetUnit::Rows).or_else(|| is_over(BudgetUnit::Bytes))
    }

    /// Counts what a pgsieve before this one has counted.
    pub(super) fn restore(&self, before: UsageOfDay) {
        let used = &mut self.open().own;
        if before.day > used.day {
            *used = before;
        } else if before.day == used.day {
            used.rows = used.rows.max(before.rows);
            used.bytes = used.bytes.max(before.bytes);
        }
    }

    fn take(
        &self,
        measure: BudgetUnit,
        (least, most): (u64, u64),
        budget: u64,
        today: u64,
    ) -> Option<u64> {
        let mut book = self.open();
        book.own = book.own.on(today);
        let left = budget.saturating_sub(book.used(measure, today));
        let part = (left / limits::BUDGET_PART).min(chunk(measure)).min(most);
        let taken = part.max(least);
        if taken > left {
            return None;
        }
        let used = book.own.of_mut(measure);
        *used = used.saturating_add(taken);
        Some(taken)
    }

    /// What was taken on a day that is over has gone with it.
    fn put_back(&self, measure: BudgetUnit, amount: u64, day: u64) {
        let own = &mut self.open().own;
        if own.day == day {
            let used = own.of_mut(measure);
            *used = used.saturating_sub(amount);
        }
    }

    /// So many rows of today were not needed.
    #[cfg(test)]
    pub(super) fn give_back_rows(&self, rows: u64) {
        self.put_back(BudgetUnit::Rows, rows, self.used().day);
    }

    /// Whole after every step, so a panic elsewhere does not spoil it.
    fn open(&self) -> MutexGuard<'_, DayBook> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DayBook {
    /// What was used in all, of the day that counts here.
    fn used(&self, measure: BudgetUnit, today: u64) -> u64 {
        let own = self.own.on(today);
        let others = self.others.on(own.day);
        own.of(measure).saturating_add(others.of(measure))
    }
}

impl UsageOfDay {
    /// What counts on a day. A clock that was set back does not begin a new one.
    fn on(self, today: u64) -> Self {
        if today > self.day {
            Self {
                day: today,
                rows: 0,
                bytes: 0,
            }
        } else {
            self
        }
    }

    /// Whether nothing was used on this day or a later one.
    pub(super) fn is_blank(self, today: u64) -> bool {
        let used = self.on(today);
        used.rows == 0 && used.bytes == 0
    }

    fn of(self, measure: BudgetUnit) -> u64 {
        match measure {
            BudgetUnit::Rows => self.rows,
            BudgetUnit::Bytes => self.bytes,
        }
    }

    fn of_mut(&mut self, measure: BudgetUnit) -> &mut u64 {
        match measure {
            BudgetUnit::Rows => &mut self.rows,
            BudgetUnit::Bytes => &mut self.bytes,
        }
    }
}

/// Days since 1970, UTC.
pub(super) fn today() -> u64 {
    since_1970().as_secs() / SECONDS_OF_DAY
}

/// How long today will last.
pub(super) fn rest_of_today() -> Duration {
    let gone = since_1970().as_secs() % SECONDS_OF_DAY;
    Duration::from_secs(SECONDS_OF_DAY - gone)
}

fn since_1970() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}

fn chunk(measure: BudgetUnit) -> u64 {
    match measure {
        BudgetUnit::Rows => limits::BUDGET_ROWS_AT_ONCE,
        BudgetUnit::Bytes => limits::BUDGET_BYTES_AT_ONCE,
    }
}

/// Without leap seconds, as clocks of computers count.
pub(super) const SECONDS_OF_DAY: u64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 20_000;

    fn take(book: &DayUsage, least: u64, budget: u64, today: u64) -> Option<u64> {
        book.take(BudgetUnit::Rows, (least, u64::MAX), budget, today)
    }

    #[test]
    fn everything_of_a_day_can_be_had_and_nothing_more() {
        for budget in [1, 2, 15, 16, 17, 1000, 10_000_000] {
            let book = DayUsage::default();
            let mut got = 0;
            while let Some(part) = take(&book, 1, budget, DAY) {
                got += part;
                assert!((1..=limits::BUDGET_ROWS_AT_ONCE).contains(&part));
            }
            assert_eq!(got, budget);
            assert_eq!(book.used().rows, budget);
            let budget = DayBudget {
                rows: Some(budget),
                bytes: Some(1),
                mode: RuleMode::Enforce,
            };
            let measure = book.used_up(budget, DAY).map(|over| over.measure);
            assert_eq!(measure, Some(BudgetUnit::Rows));
            assert_eq!(book.used_up(budget, DAY + 1), None);
        }
    }

    #[test]
    fn what_is_put_back_is_there_again_on_its_own_day() {
        let book = DayUsage::default();
        let part = take(&book, 5, 100, DAY).unwrap();
        book.put_back(BudgetUnit::Rows, part, DAY);
        assert!(book.is_blank(DAY));
        let part = take(&book, 90, 100, DAY).unwrap();
        assert_eq!(part, 90);
        assert_eq!(take(&book, 11, 100, DAY), None);
        assert_eq!(take(&book, 7, 100, DAY + 1), Some(7));
        book.put_back(BudgetUnit::Rows, 90, DAY);
        assert_eq!(book.used().rows, 7, "that day is over");
    }

    #[test]
    fn a_clock_that_is_set_back_begins_no_day() {
        let book = DayUsage::default();
        take(&book, 100, 100, DAY).unwrap();
        assert_eq!(take(&book, 1, 100, DAY - 1), None);
        assert!(!book.is_blank(DAY - 1) && book.is_blank(DAY + 1));
    }

    #[test]
    fn what_was_counted_before_counts_on() {
        let book = DayUsage::default();
        let used = |day, rows, bytes| UsageOfDay { day, rows, bytes };
        book.restore(used(DAY, 10, 1000));
        book.restore(used(DAY - 1, 99, 99));
        book.restore(used(DAY, 5, 2000));
        assert_eq!(book.used(), used(DAY, 10, 2000));
        assert_eq!(take(&book, 91, 100, DAY), None);
    }

    #[test]
    fn what_other_copies_have_used_is_used_up() {
        let book = DayUsage::default();
        let others = |day, rows| UsageOfDay {
            day,
            rows,
            bytes: 0,
        };
        let budget = DayBudget {
            rows: Some(100),
            bytes: None,
            mode: RuleMode::Enforce,
        };
        assert_eq!(take(&book, 30, 100, DAY), Some(30));
        book.learn(others(DAY, 60));
        assert_eq!(take(&book, 11, 100, DAY), None);
        assert_eq!(book.used_up(budget, DAY), None);
        assert_eq!(take(&book, 10, 100, DAY), Some(10));
        assert!(book.used_up(budget, DAY).is_some());
        assert_eq!(book.used().rows, 40, "its own alone");
        // They have given something back.
        book.learn(others(DAY, 50));
        assert_eq!(take(&book, 10, 100, DAY), Some(10));
        // That day is over, for both.
        assert_eq!(take(&book, 100, 100, DAY + 1), Some(100));
        assert_eq!(book.used().rows, 100);
        // What is known of another day than today's says nothing.
        let fresh = DayUsage::default();
        fresh.learn(others(DAY, 100));
        assert!(!fresh.is_blank(DAY) && fresh.is_blank(DAY + 1));
        assert_eq!(take(&fresh, 100, 100, DAY + 1), Some(100));
    }

    #[test]
    fn a_day_ends_at_midnight() {
        let rest = rest_of_today().as_secs();
        assert!((1..=SECONDS_OF_DAY).contains(&rest));
        assert!(today() > 20_000);
    }
}
