//! What several copies of pgsieve count together: what a copy says of its accounts to a store, and
//! what it hears there of the other copies.
//!
//! A copy never says "so many more" but "so many in all", under a name of its own: what the store
//! was told twice, or has taken without the answer being heard, counts once. Rows and bytes of a
//! day are summed there. Of statements the store keeps how long a bucket takes to be full again, as
//! the accounts do: each copy adds what it has taken, and nobody's bucket is full before that. So a
//! copy may let pass at once what its own bucket holds, and all of them together keep the rate.
//!
//! Connections and running statements are those of a moment: what a copy said of them holds for
//! some windows, so that those of a copy that is gone count no more.
//!
//! Statements look at none of this: what was heard stands in the numbers that they look at anyway.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::daily_budget::{self, UsageOfDay};
use super::super::rate_limit::RateBucket;
use super::{UserAccount, UserAccounts};
use crate::limits::shared_counts::{COUNT_MAX, HANDED_IN_WINDOWS_MAX, silence_max};

/// What the store knows of an account of this copy, as far as its answers were heard.
#[derive(Debug, Default)]
pub(super) struct HandedIn {
    /// When it was told last, in nanoseconds; never, where no store is in use.
    at: Option<u64>,
    /// What was ever taken out of the buckets, in nanoseconds.
    seconds: u64,
    days: u64,
    /// What was used, and of which day.
    used: UsageOfDay,
    /// How many connections there were.
    connections: u32,
    /// Until when it holds what was heard of connections and statements elsewhere.
    heard_until: u64,
}

/// What the store is told of one account.
#[derive(Debug, Clone)]
pub struct CountReport {
    account: Arc<UserAccount>,
    /// When it was taken, in nanoseconds.
    at: u64,
    /// The account's number in this copy.
    pub number: u64,
    /// What was used by way of this copy, and of which day.
    pub used: UsageOfDay,
    /// Of the statements of a second.
    pub seconds: BucketReport,
    /// Of the statements of a day.
    pub days: BucketReport,
    /// Connections of the user at this copy.
    pub connections: u32,
    /// How many of them run a statement.
    pub running: u32,
    /// How long these two hold.
    pub holds: Duration,
}

/// What the store is told of one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketReport {
    /// All that was ever taken out of it by way of this copy, in nanoseconds.
    taken: u64,
    /// The same in microseconds: a store reckons with doubles.
    pub taken_us: u64,
    /// How much of that the store has confirmed.
    pub confirmed_us: u64,
    /// The most that counts of what is new.
    pub new_us_max: u64,
    /// After this time the bucket is full at the earliest, as far as is known here. Told with a
    /// window's allowance: it speaks where the store has forgotten.
    pub full_in_us: u64,
}

/// What the store answers of one account, over all copies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SharedCounts {
    /// Rows of the day.
    pub rows: u64,
    /// Bytes of the day.
    pub bytes: u64,
    /// After how many microseconds the bucket of a second is full again.
    pub seconds_us: u64,
    /// The same of the bucket of a day.
    pub days_us: u64,
    /// Connections of the user at other copies.
    pub connections_elsewhere: u32,
    /// How many of them run a statement.
    pub running_elsewhere: u32,
}

impl UserAccounts {
    /// What is to be told of accounts under policies with limits: of those in use, and of those of
    /// which the store does not know everything. Those that have waited longest come first.
    pub fn reports(
        &self,
        has_limits: impl Fn(&str) -> bool,
        window: Duration,
        most: usize,
    ) -> Vec<CountReport> {
        let now = self.now();
        let users = self.users();
        let accounts = users.accounts.iter();
        let concerned = accounts.filter(|((policy, _), account)| {
            let is_used = account.connections.load(Ordering::Relaxed) > 0;
            has_limits(policy) && (is_used || account.has_news())
        });
        let mut waiting: Vec<(Option<u64>, Arc<UserAccount>)> = concerned
            .map(|(_, account)| (account.handed_in().at, Arc::clone(account)))
            .collect();
        drop(users);
        waiting.sort_unstable_by_key(|(at, account)| (*at, account.number));
        waiting.truncate(most);
        let accounts = waiting.into_iter();
        accounts
            .map(|(_, account)| account.report(now, window))
            .collect()
    }

    /// The store has answered.
    pub fn learn(&self, report: &CountReport, shared: SharedCounts) {
        report.account.learn(report, shared);
    }

    /// Nobody knows any more what is open and runs at other copies.
    pub fn forget_elsewhere(&self) {
        for account in self.users().accounts.values() {
            account.forget_elsewhere();
        }
    }

    /// Whether statements that a limit concerns are to be refused from now on.
    pub fn refuse_uncounted(&self, is_uncounted: bool) {
        let known = &self.inner.is_uncounted;
        known.store(is_uncounted, Ordering::Relaxed);
    }
}

impl CountReport {
    /// The policy and the user.
    pub fn of(&self) -> (&str, &str) {
        let (policy, user) = &self.account.key;
        (policy, user)
    }
}

impl UserAccount {
    /// Whether the store, should there be one, knows what was used today.
    pub(super) fn is_handed_in(&self) -> bool {
        let handed_in = self.handed_in();
        handed_in.at.is_none() || self.used_as(&handed_in)
    }

    /// Whether there is something to be told.
    fn has_news(&self) -> bool {
        let handed_in = self.handed_in();
        self.seconds.taken() != handed_in.seconds
            || self.days.taken() != handed_in.days
            || self.connections.load(Ordering::Relaxed) != handed_in.connections
            || !self.used_as(&handed_in)
    }

    /// A user comes who had no connection here: what was heard of others long ago says nothing.
    pub(super) fn forget_what_is_old(&self, now: u64) {
        if self.handed_in().heard_until < now {
            self.forget_elsewhere();
        }
    }

    fn forget_elsewhere(&self) {
        self.connections_elsewhere.store(0, Ordering::Relaxed);
        self.running_elsewhere.store(0, Ordering::Relaxed);
    }

    /// Whether so much was used today as was told.
    fn used_as(&self, handed_in: &HandedIn) -> bool {
        let used = self.book.used_on(daily_budget::today());
        match handed_in.used.day == used.day {
            true => handed_in.used == used,
            false => used.rows == 0 && used.bytes == 0,
        }
    }

    fn report(self: Arc<Self>, now: u64, window: Duration) -> CountReport {
        let handed_in = self.handed_in();
        let allowance = nanoseconds(window.saturating_mul(HANDED_IN_WINDOWS_MAX));
        let waited = handed_in.at.map_or(allowance, |at| now.saturating_sub(at));
        let slack = waited.min(allowance);
        let of = |bucket: &RateBucket, confirmed: u64| {
            // In this order: what comes between the two is told the next time.
            let (taken, debt) = (bucket.taken(), bucket.debt(now));
            BucketReport {
                taken,
                taken_us: microseconds(taken),
                confirmed_us: microseconds(confirmed),
                new_us_max: microseconds(debt.saturating_add(slack)),
                full_in_us: microseconds(debt.saturating_sub(allowance)),
            }
        };
        let used = self.book.used_on(daily_budget::today());
        let report = CountReport {
            at: now,
            number: self.number,
            used: UsageOfDay {
                day: used.day,
                rows: used.rows.min(COUNT_MAX),
                bytes: used.bytes.min(COUNT_MAX),
            },
            seconds: of(&self.seconds, handed_in.seconds),
            days: of(&self.days, handed_in.days),
            connections: self.connections.load(Ordering::Relaxed),
            running: self.running.load(Ordering::Relaxed),
            holds: silence_max(window),
            account: Arc::clone(&self),
        };
        drop(handed_in);
        report
    }

    fn learn(&self, report: &CountReport, shared: SharedCounts) {
        let others = UsageOfDay {
            day: report.used.day,
            rows: shared.rows.saturating_sub(report.used.rows),
            bytes: shared.bytes.saturating_sub(report.used.bytes),
        };
        self.book.learn(others);
        for (bucket, told, full_in_us) in [
            (&self.seconds, &report.seconds, shared.seconds_us),
            (&self.days, &report.days, shared.days_us),
        ] {
            if full_in_us > 0 {
                // What was taken since is not in the store's answer.
                let since = bucket.taken().saturating_sub(told.taken);
                let full_in = full_in_us.saturating_mul(1000).saturating_add(since);
                bucket.not_full_before(report.at.saturating_add(full_in));
            }
        }
        let (connections, running) = (shared.connections_elsewhere, shared.running_elsewhere);
        self.connections_elsewhere
            .store(connections, Ordering::Relaxed);
        self.running_elsewhere.store(running, Ordering::Relaxed);
        let mut handed_in = self.handed_in();
        *handed_in = HandedIn {
            at: Some(report.at),
            seconds: report.seconds.taken,
            days: report.days.taken,
            used: report.used,
            connections: report.connections,
            heard_until: report.at.saturating_add(nanoseconds(report.holds)),
        };
    }

    /// Whole after every step, so a panic elsewhere does not spoil it.
    fn handed_in(&self) -> MutexGuard<'_, HandedIn> {
        let handed_in = self.handed_in.lock();
        handed_in.unwrap_or_else(PoisonError::into_inner)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn microseconds(nanoseconds: u64) -> u64 {
    (nanoseconds / 1000).min(COUNT_MAX)
}

#[cfg(test)]
mod tests {
    use super::super::super::budget_record::BudgetEntry;
    use super::super::super::rate_limit::RefillRate;
    use super::*;

    const WINDOW: Duration = Duration::from_secs(1);

    fn reports(accounts: &UserAccounts) -> Vec<CountReport> {
        accounts.reports(|policy| policy == "agent", WINDOW, 10)
    }

    fn used(rows: u64) -> UsageOfDay {
        UsageOfDay {
            day: daily_budget::today(),
            rows,
            bytes: 0,
        }
    }

    fn receive(accounts: &UserAccounts, user: &str, rows: u64) {
        accounts.restore(&[BudgetEntry {
            policy: "agent".into(),
            user: user.into(),
            used: used(rows),
        }]);
    }

    #[test]
    fn those_are_told_of_who_are_in_use_or_have_news() {
        let accounts = UserAccounts::new();
        let ann = accounts.count_session("agent", "ann").unwrap();
        drop(accounts.count_session("agent", "gone").unwrap());
        let _unlimited = accounts.count_session("bi", "ann").unwrap();
        receive(&accounts, "bob", 7);
        let told = |accounts: &UserAccounts| {
            let mut told: Vec<String> = reports(accounts)
                .iter()
                .map(|report| format!("{}:{}", report.of().1, report.used.rows))
                .collect();
            told.sort();
            told
        };
        assert_eq!(told(&accounts), ["ann:0", "bob:7"]);
        for report in reports(&accounts) {
            let shared = SharedCounts {
                rows: report.used.rows + 100,
                ..SharedCounts::default()
            };
            accounts.learn(&report, shared);
        }
        assert_eq!(told(&accounts), ["ann:0"], "there is nothing new of bob");
        receive(&accounts, "bob", 8);
        ann.take(1, None, Some(RefillRate::per_day(1))).unwrap();
        drop(ann);
        assert_eq!(told(&accounts), ["ann:0", "bob:8"]);
    }

    #[test]
    fn all_get_their_turn() {
        let accounts = UserAccounts::new();
        let sessions: Vec<_> = (0..5)
            .map(|number| {
                accounts
                    .count_session("agent", &format!("u{number}"))
                    .unwrap()
            })
            .collect();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let reports = accounts.reports(|_| true, WINDOW, 2);
            assert_eq!(reports.len(), 2);
            for report in reports {
                seen.push(report.of().1.to_owned());
                accounts.learn(&report, SharedCounts::default());
            }
        }
        assert_eq!(seen, ["u0", "u1", "u2", "u3", "u4", "u0"]);
        drop(sessions);
    }

    #[test]
    fn a_bucket_is_as_empty_as_the_store_says_and_what_came_since() {
        let accounts = UserAccounts::new();
        let ann = accounts.count_session("agent", "ann").unwrap();
        let rate = Some(RefillRate::per_day(10));
        let cost_us = 8_640_000_000;
        ann.take(2, None, rate).unwrap();
        let told = reports(&accounts);
        assert_eq!(told[0].days.taken_us, 2 * cost_us);
        assert_eq!(told[0].days.confirmed_us, 0);
        ann.take(1, None, rate).unwrap();
        // Others have taken five.
        let shared = SharedCounts {
            days_us: 7 * cost_us,
            ..SharedCounts::default()
        };
        accounts.learn(&told[0], shared);
        assert!(ann.take(3, None, rate).is_err());
        ann.take(2, None, rate).unwrap();
        assert!(ann.take(1, None, rate).is_err());
        let told = reports(&accounts);
        assert_eq!(told[0].days.taken_us, 5 * cost_us);
        assert_eq!(told[0].days.confirmed_us, 2 * cost_us);
        // An answer that was never heard changes nothing.
        let again = reports(&accounts);
        assert_eq!(again[0].days.confirmed_us, 2 * cost_us);
        assert!(again[0].days.new_us_max >= 9 * cost_us);
    }

    #[test]
    fn an_account_is_not_forgotten_before_the_store_knows_that_nothing_was_used() {
        let accounts = UserAccounts::new();
        receive(&accounts, "ann", 5);
        let told = reports(&accounts);
        let account = Arc::clone(&told[0].account);
        accounts.learn(
            &told[0],
            SharedCounts {
                rows: 5,
                ..SharedCounts::default()
            },
        );
        assert!(account.is_handed_in());
        // A result that gave back what it did not need.
        account.book.give_back_rows(5);
        assert!(!account.is_handed_in() && account.book.is_blank(daily_budget::today()));
        accounts.learn(&reports(&accounts)[0], SharedCounts::default());
        assert!(account.is_handed_in() && account.is_blank(u64::MAX));
    }

    #[test]
    fn connections_and_statements_elsewhere_take_places_for_as_long_as_that_is_known() {
        let accounts = UserAccounts::new();
        let ann = accounts.count_session("agent", "ann").unwrap();
        let slot = ann.slot(1);
        let told = reports(&accounts);
        assert_eq!((told[0].connections, told[0].running), (1, 1));
        drop(slot);
        let elsewhere = SharedCounts {
            connections_elsewhere: 5,
            running_elsewhere: 2,
            ..SharedCounts::default()
        };
        accounts.learn(&told[0], elsewhere);
        assert_eq!(accounts.count_session("agent", "ann").unwrap().place(), 7);
        assert!(ann.slot(2).is_none() && ann.slot(3).is_some());
        // One that is not refused whatever there is.
        assert!(ann.slot(u32::MAX).is_some());
        accounts.forget_elsewhere();
        assert_eq!(accounts.count_session("agent", "ann").unwrap().place(), 2);
        assert!(ann.slot(1).is_some());
        // That nobody is here any more is told once.
        accounts.learn(&told[0], elsewhere);
        drop(ann);
        let told = reports(&accounts);
        assert_eq!((told[0].connections, told[0].running), (0, 0));
        accounts.learn(&told[0], elsewhere);
        assert_eq!(reports(&accounts).len(), 0);
        let account = Arc::clone(&told[0].account);
        account.forget_what_is_old(told[0].at);
        assert_eq!(account.running_elsewhere.load(Ordering::Relaxed), 2);
        account.forget_what_is_old(u64::MAX);
        assert_eq!(account.running_elsewhere.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn refusing_what_is_not_counted_holds_for_every_session() {
        let accounts = UserAccounts::new();
        let ann = accounts.count_session("agent", "ann").unwrap();
        for is_uncounted in [true, false] {
            accounts.refuse_uncounted(is_uncounted);
            assert_eq!(ann.is_uncounted(), is_uncounted);
        }
    }
}
