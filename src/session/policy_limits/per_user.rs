//! What all sessions of one user share, on every thread: its connections, its running statements,
//! and how fast it sends them.
//!
//! A user has an account for each policy that it comes under. A session looks it up when it begins
//! and keeps it; a statement meets atomics only. An account is forgotten when it says nothing any
//! more: no connection, and all that was taken has come back.
//!
//! * `exchange`: what other copies of pgsieve are told of an account, and what they tell

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::budget_record::BudgetEntry;
use super::daily_budget;
use super::daily_budget::{BudgetLease, DayBudget, DayUsage, SpentBudget};
use super::rate_limit::{RateBucket, RefillRate};
use crate::limits;

pub mod exchange;

use self::exchange::HandedIn;

/// The accounts of all users. Cheap to clone.
#[derive(Clone)]
pub struct UserAccounts {
    inner: Arc<AccountsInner>,
}

struct AccountsInner {
    since: Instant,
    users: Mutex<AccountTable>,
    /// Whether what cannot be counted together with other copies is to be refused.
    is_uncounted: AtomicBool,
}

struct AccountTable {
    accounts: HashMap<AccountKey, Arc<UserAccount>>,
    /// How many there may be before those that say nothing are looked for.
    sweep_at: usize,
    /// How many there have ever been.
    opened: u64,
}

/// A policy's name and a user's.
type AccountKey = (Box<str>, Box<str>);

/// What is counted of one user under one policy.
#[derive(Debug, Default)]
pub(super) struct UserAccount {
    key: AccountKey,
    connections: AtomicU32,
    running: AtomicU32,
    /// At other copies of pgsieve, as far as that is known.
    connections_elsewhere: AtomicU32,
    running_elsewhere: AtomicU32,
    seconds: RateBucket,
    days: RateBucket,
    book: DayUsage,
    /// Which of all accounts it is: one that was forgotten and comes again is another one.
    number: u64,
    /// What other copies know of it. No statement looks there.
    handed_in: Mutex<HandedIn>,
}

/// A session of a user, counted for as long as it lives.
pub struct CountedSession {
    accounts: UserAccounts,
    account: Arc<UserAccount>,
    place: u32,
}

/// A session that runs statements, counted among those of its user for as long as it does.
pub struct StatementSlot {
    account: Arc<UserAccount>,
}

/// Why a session cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimitReached;

/// Why a statement has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateWait {
    /// There were so many in a short time that the next may come after this long.
    Second(Duration),
    /// The same for a day.
    Day(Duration),
}

impl UserAccounts {
    /// Nobody has done anything.
    pub fn new() -> Self {
        Self {
            inner: Arc::new(AccountsInner {
                since: Instant::now(),
                users: Mutex::new(AccountTable {
                    accounts: HashMap::new(),
                    sweep_at: SWEEP_AT_LEAST,
                    opened: 0,
                }),
                is_uncounted: AtomicBool::new(false),
            }),
        }
    }

    /// A user logs in.
    ///
    /// # Errors
    /// So many users have to be remembered that nothing could be counted of this one.
    pub fn count_session(
        &self,
        policy: &str,
        user: &str,
    ) -> Result<CountedSession, ConnectionLimitReached> {
        let (account, place) = self.account(policy, user).ok_or(ConnectionLimitReached)?;
        Ok(CountedSession {
            accounts: self.clone(),
            account,
            place,
        })
    }

    /// The account, with one more connection. Counted under the lock: a sweep sees it.
    fn account(&self, policy: &str, user: &str) -> Option<(Arc<UserAccount>, u32)> {
        let key: AccountKey = (policy.into(), user.into());
        let mut users = self.users();
        if !users.accounts.contains_key(&key) && users.accounts.len() >= users.sweep_at {
            let now = self.now();
            users.sweep(now);
            if users.accounts.len() >= limits::ACCOUNTS_MAX {
                return None;
            }
        }
        let account = users.open(key);
        let before = account.connections.fetch_add(1, Ordering::Relaxed);
        if before == 0 {
            account.forget_what_is_old(self.now());
        }
        let elsewhere = account.connections_elsewhere.load(Ordering::Relaxed);
        let place = before.saturating_add(elsewhere).saturating_add(1);
        Some((account, place))
    }

    /// What users have received today.
    pub fn entries(&self) -> Vec<BudgetEntry> {
        let today = daily_budget::today();
        let users = self.users();
        let mut entries: Vec<BudgetEntry> = users
            .accounts
            .iter()
            .filter(|(_, account)| !account.book.used().is_blank(today))
            .map(|((policy, user), account)| BudgetEntry {
                policy: policy.as_ref().into(),
                user: user.as_ref().into(),
                used: account.book.used(),
            })
            .collect();
        drop(users);
        entries.sort_unstable_by(|one, other| {
            (&one.policy, &one.user).cmp(&(&other.policy, &other.user))
        });
        entries
    }

    /// Counts what was counted before, as far as it is of today.
    pub fn restore(&self, entries: &[BudgetEntry]) {
        let today = daily_budget::today();
        let mut users = self.users();
        for entry in entries.iter().filter(|entry| !entry.used.is_blank(today)) {
            let key: AccountKey = (entry.policy.as_str().into(), entry.user.as_str().into());
            users.open(key).book.restore(entry.used);
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.inner.since.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The map is whole after every step, so a panic elsewhere does not spoil it.
    fn users(&self) -> MutexGuard<'_, AccountTable> {
        let users = self.inner.users.lock();
        users.unwrap_or_else(PoisonError::into_inner)
    }
}

impl CountedSession {
    /// How many connections the user had when this one began, itself included.
    pub fn place(&self) -> u32 {
        self.place
    }

    /// The session is judged by another policy from now on; should there be no room for one more
    /// account, it is counted where it was.
    pub fn move_to_policy(&mut self, policy: &str) {
        let (own, user) = &self.account.key;
        if **own == *policy {
            return;
        }
        if let Ok(there) = self.accounts.count_session(policy, user) {
            *self = there;
        }
    }

    /// Takes statements out of the user's buckets.
    ///
    /// # Errors
    /// When they may come; nothing was taken.
    pub fn take(
        &self,
        statements: u32,
        second: Option<RefillRate>,
        day: Option<RefillRate>,
    ) -> Result<(), RateWait> {
        let (account, now) = (&self.account, self.accounts.now());
        let taken = match second {
            Some(rate) => {
                let taken = account.seconds.take(statements, rate, now);
                Some(taken.map_err(RateWait::Second)?)
            }
            None => None,
        };
        if let Some(rate) = day
            && let Err(wait) = account.days.take(statements, rate, now)
        {
            if let Some(taken) = taken {
                account.seconds.put_back(taken);
            }
            return Err(RateWait::Day(wait));
        }
        Ok(())
    }

    /// The budget of today that the user has used up, if one is.
    pub(super) fn used_up(&self, budget: DayBudget) -> Option<SpentBudget> {
        self.account.book.used_up(budget, daily_budget::today())
    }

    /// What a result takes out of the user's budgets.
    pub(super) fn lease(&self, budget: DayBudget) -> BudgetLease {
        BudgetLease::new(Arc::clone(&self.account), budget)
    }

    /// Whether statements that a limit concerns are refused, because nobody knows what other copies
    /// have counted.
    pub(super) fn is_uncounted(&self) -> bool {
        self.accounts.inner.is_uncounted.load(Ordering::Relaxed)
    }

    /// A place among those of the user's sessions that run statements, while fewer than so many are
    /// taken.
    pub fn slot(&self, most: u32) -> Option<StatementSlot> {
        let running = &self.account.running;
        let elsewhere = self.account.running_elsewhere.load(Ordering::Relaxed);
        let one_more = |running: u32| {
            let after = running.checked_add(1)?;
            (after.saturating_add(elsewhere) <= most).then_some(after)
        };
        let counted = running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        counted.ok().map(|_| StatementSlot {
            account: Arc::clone(&self.account),
        })
    }
}

impl AccountTable {
    /// The account of this key, which is made where it is not there.
    fn open(&mut self, key: AccountKey) -> Arc<UserAccount> {
        let opened = &mut self.opened;
        let account = self.accounts.entry(key).or_insert_with_key(|key| {
            *opened = opened.wrapping_add(1);
            Arc::new(UserAccount {
                key: key.clone(),
                number: *opened,
                ..UserAccount::default()
            })
        });
        Arc::clone(account)
    }

    /// Forgets accounts that say nothing.
    fn sweep(&mut self, now: u64) {
        self.accounts.retain(|_, account| !account.is_blank(now));
        // So that the work is shared by as many logins as there are accounts.
        let twice = self.accounts.len().saturating_mul(2);
        self.sweep_at = twice.clamp(SWEEP_AT_LEAST, limits::ACCOUNTS_MAX);
    }
}

impl UserAccount {
    pub(super) fn book(&self) -> &DayUsage {
        &self.book
    }

    fn is_blank(&self, now: u64) -> bool {
        self.connections.load(Ordering::Relaxed) == 0
            && self.running.load(Ordering::Relaxed) == 0
            && self.seconds.is_full(now)
            && self.days.is_full(now)
            && self.book.is_blank(daily_budget::today())
            && self.is_handed_in()
    }
}

impl Default for UserAccounts {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for CountedSession {
    /// A user that nobody else knows of.
    fn default() -> Self {
        let account = Arc::<UserAccount>::default();
        account.connections.store(1, Ordering::Relaxed);
        Self {
            accounts: UserAccounts::new(),
            account,
            place: 1,
        }
    }
}

impl Drop for CountedSession {
    fn drop(&mut self) {
        self.account.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for StatementSlot {
    fn drop(&mut self) {
        self.account.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for UserAccounts {
    /// Without the users.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UserAccounts({})", self.users().accounts.len())
    }
}

impl fmt::Debug for CountedSession {
    /// Without the user.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CountedSession")
    }
}

impl fmt::Debug for StatementSlot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StatementSlot")
    }
}

/// Accounts that are kept without a look at what they say.
const SWEEP_AT_LEAST: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_a_user_share_what_they_may() {
        let accounts = UserAccounts::new();
        let one = accounts.count_session("agent", "ann").unwrap();
        let two = accounts.count_session("agent", "ann").unwrap();
        let bob = accounts.count_session("agent", "bob").unwrap();
        let running_job = accounts.count_session("bi", "ann").unwrap();
        assert_eq!((one.place(), two.place()), (1, 2));
        assert_eq!((bob.place(), running_job.place()), (1, 1));
        let slot = one.slot(1);
        assert!(slot.is_some() && two.slot(1).is_none() && two.slot(2).is_some());
        assert!(bob.slot(1).is_some() && running_job.slot(1).is_some());
        drop((slot, one));
        assert!(two.slot(1).is_some());
        assert_eq!(accounts.count_session("agent", "ann").unwrap().place(), 2);
    }

    #[test]
    fn a_statement_that_one_bucket_refuses_costs_the_other_nothing() {
        let ann = UserAccounts::new().count_session("agent", "ann").unwrap();
        let (second, day) = (
            Some(RefillRate::per_second(0.3)),
            Some(RefillRate::per_day(1)),
        );
        assert_eq!(ann.take(1, second, day), Ok(()));
        for _ in 0..5 {
            assert!(matches!(ann.take(1, second, day), Err(RateWait::Day(_))));
        }
        assert_eq!(ann.take(1, second, None), Ok(()));
        assert_eq!(ann.take(1, second, None), Ok(()));
        assert!(matches!(
            ann.take(1, second, None),
            Err(RateWait::Second(_))
        ));
    }

    #[test]
    fn a_user_who_has_taken_nothing_is_forgotten() {
        let accounts = UserAccounts::new();
        let busy = accounts.count_session("agent", "busy").unwrap();
        busy.take(1, None, Some(RefillRate::per_day(1))).unwrap();
        drop(busy);
        for number in 0..3 * SWEEP_AT_LEAST {
            drop(
                accounts
                    .count_session("agent", &format!("u{number}"))
                    .unwrap(),
            );
        }
        assert!(accounts.users().accounts.len() <= SWEEP_AT_LEAST + 1);
        let busy = accounts.count_session("agent", "busy").unwrap();
        assert!(busy.take(1, None, Some(RefillRate::per_day(1))).is_err());
    }

    #[test]
    fn what_users_received_outlives_the_accounts_of_one_process() {
        let accounts = UserAccounts::new();
        let day = daily_budget::today();
        let entry = |user: &str, day| BudgetEntry {
            policy: "agent".into(),
            user: user.into(),
            used: daily_budget::UsageOfDay {
                day,
                rows: 7,
                bytes: 70,
            },
        };
        let known = [entry("ann", day), entry("bob", day + 3)];
        accounts.restore(&known);
        accounts.restore(&[entry("old", day - 1)]);
        for number in 0..3 * SWEEP_AT_LEAST {
            drop(
                accounts
                    .count_session("agent", &format!("u{number}"))
                    .unwrap(),
            );
        }
        assert_eq!(accounts.entries(), known, "no sweep forgets them");
    }

    #[test]
    fn a_session_may_come_under_another_policy() {
        let accounts = UserAccounts::new();
        let mut ann = accounts.count_session("agent", "ann").unwrap();
        let other = accounts.count_session("bi", "ann").unwrap();
        ann.move_to_policy("agent");
        assert_eq!((ann.place(), other.place()), (1, 1));
        ann.move_to_policy("bi");
        assert_eq!(ann.place(), 2);
        assert_eq!(accounts.count_session("agent", "ann").unwrap().place(), 1);
    }
}
