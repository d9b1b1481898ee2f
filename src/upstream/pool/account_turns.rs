//! Turns of which each account has its share: who has one may have a connection of a database.
//!
//! The next turn is for the account that has fewest; of several, for the one that was given one
//! longest ago, and then for whoever waits longest. So an account that floods waits for itself,
//! and one that has as many as others keeps the connections that it has.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The turns. Cheap to clone.
#[derive(Clone)]
pub(super) struct AccountTurns {
    line: Arc<Mutex<TurnLine>>,
}

/// One turn, until it is dropped: then the next one has it.
pub(super) struct AccountTurn {
    account: Arc<str>,
    /// None once it belongs to somebody else.
    line: Option<Arc<Mutex<TurnLine>>>,
}

struct TurnLine {
    free: usize,
    /// Those that have turns or wait for one.
    accounts: HashMap<Arc<str>, AccountShare>,
    /// What comes later has a higher number.
    clock: u64,
}

/// What one account has and wants.
#[derive(Default)]
struct AccountShare {
    held: usize,
    /// When it was given one last.
    given: u64,
    /// By when they came.
    waiting: VecDeque<(u64, oneshot::Sender<AccountTurn>)>,
}

impl AccountTurns {
    /// So many, all free.
    pub(super) fn new(count: usize) -> Self {
        let line = TurnLine {
            free: count,
            accounts: HashMap::new(),
            clock: 0,
        };
        Self {
            line: Arc::new(Mutex::new(line)),
        }
    }

    /// Lines up for this account. None comes only when all is over.
    pub(super) fn take(
        &self,
        account: &Arc<str>,
    ) -> impl Future<Output = Option<AccountTurn>> + Send + 'static {
        let (sender, receiver) = oneshot::channel();
        let mut line = open(&self.line);
        if let Some(turn) = self.free_one(&mut line, account) {
            drop(line);
            // Its receiver is here.
            drop(sender.send(turn));
        } else {
            line.clock += 1;
            let came = line.clock;
            let share = line.accounts.entry(Arc::clone(account)).or_default();
            share.waiting.retain(|(_, waits)| !waits.is_closed());
            share.waiting.push_back((came, sender));
        }
        async { receiver.await.ok() }
    }

    /// A turn, where one is free: then nobody waits.
    pub(super) fn take_free(&self, account: &Arc<str>) -> Option<AccountTurn> {
        self.free_one(&mut open(&self.line), account)
    }

    fn free_one(&self, line: &mut TurnLine, account: &Arc<str>) -> Option<AccountTurn> {
        line.free = line.free.checked_sub(1)?;
        line.give(account);
        Some(AccountTurn {
            account: Arc::clone(account),
            line: Some(Arc::clone(&self.line)),
        })
    }

    /// Whether somebody waits.
    pub(super) fn has_waiting(&self) -> bool {
        let line = open(&self.line);
        let mut shares = line.accounts.values();
        shares.any(|share| share.waiting.iter().any(|(_, waits)| !waits.is_closed()))
    }
}

impl TurnLine {
    fn give(&mut self, account: &Arc<str>) {
        self.clock += 1;
        let given = self.clock;
        let share = self.accounts.entry(Arc::clone(account)).or_default();
        share.held += 1;
        share.given = given;
    }

    fn take_back(&mut self, account: &Arc<str>) {
        if let Some(share) = self.accounts.get_mut(account) {
            share.held = share.held.saturating_sub(1);
            if share.held == 0 && share.waiting.is_empty() {
                self.accounts.remove(account);
            }
        }
    }

    /// Who is next, with the account.
    fn next(&mut self) -> Option<(Arc<str>, oneshot::Sender<AccountTurn>)> {
        let mut first: Option<((usize, u64, u64), Arc<str>)> = None;
        for (account, share) in &mut self.accounts {
            while share
                .waiting
                .front()
                .is_some_and(|(_, one)| one.is_closed())
            {
                share.waiting.pop_front();
            }
            let Some((came, _)) = share.waiting.front() else {
                continue;
            };
            let order = (share.held, share.given, *came);
            if first.as_ref().is_none_or(|(best, _)| order < *best) {
                first = Some((order, Arc::clone(account)));
            }
        }
        let (_, account) = first?;
        let (_, waits) = self.accounts.get_mut(&account)?.waiting.pop_front()?;
        Some((account, waits))
    }
}

impl Drop for AccountTurn {
    fn drop(&mut self) {
        let Some(shared) = self.line.take() else {
            return;
        };
        let mut line = open(&shared);
        line.take_back(&self.account);
        // Each round takes one of those that wait away.
        while let Some((account, waits)) = line.next() {
            line.give(&account);
            let turn = Self {
                account: Arc::clone(&account),
                line: Some(Arc::clone(&shared)),
            };
            match waits.send(turn) {
                Ok(()) => return,
                // It is gone. The turn is still this one's to give.
                Err(mut refused) => {
                    refused.line = None;
                    line.take_back(&account);
                }
            }
        }
        line.free += 1;
        line.accounts.retain(|_, share| share.held > 0);
    }
}

fn open(line: &Mutex<TurnLine>) -> MutexGuard<'_, TurnLine> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Waits = Pin<Box<dyn Future<Output = Option<AccountTurn>>>>;

    fn poll(
        waits: Pin<&mut (impl Future<Output = Option<AccountTurn>> + ?Sized)>,
    ) -> Option<AccountTurn> {
        match waits.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => turn,
            Poll::Pending => None,
        }
    }

    fn now(turns: &AccountTurns, account: &str) -> AccountTurn {
        poll(pin!(turns.take(&account.into()))).expect("one is free")
    }

    fn waiting(turns: &AccountTurns, accounts: &[&'static str]) -> Vec<(&'static str, Waits)> {
        let line_up = |account: &&'static str| {
            let waits: Waits = Box::pin(turns.take(&Arc::from(*account)));
            (*account, waits)
        };
        accounts.iter().map(line_up).collect()
    }

    /// Who is given the next one.
    fn next(waiting: &mut Vec<(&'static str, Waits)>) -> Option<(&'static str, AccountTurn)> {
        let mut held = None;
        let at = waiting.iter_mut().position(|(_, waits)| {
            held = poll(waits.as_mut());
            held.is_some()
        })?;
        Some((waiting.remove(at).0, held?))
    }

    /// In which order those that wait are served; each gives its turn back as soon as it has it.
    fn order(turns: &AccountTurns, accounts: &[&'static str]) -> Vec<&'static str> {
        let held = now(turns, "somebody");
        let mut waiting = waiting(turns, accounts);
        drop(held);
        let mut order = Vec::new();
        while let Some((account, turn)) = next(&mut waiting) {
            order.push(account);
            drop(turn);
        }
        order
    }

    #[test]
    fn who_waits_longest_is_next_and_a_flood_waits_for_itself() {
        let turns = AccountTurns::new(1);
        assert_eq!(order(&turns, &["c", "a", "b"]), ["c", "a", "b"]);
        let flood = ["flood", "flood", "flood", "flood", "ann", "ann", "bob"];
        let served = order(&turns, &flood);
        assert_eq!(
            served,
            ["flood", "ann", "bob", "flood", "ann", "flood", "flood"]
        );
    }

    #[test]
    fn who_has_as_many_as_others_keeps_them() {
        let turns = AccountTurns::new(4);
        let mut own: Vec<_> = (0..2).map(|_| now(&turns, "ann")).collect();
        let _others: Vec<_> = (0..2).map(|_| now(&turns, "bob")).collect();
        let mut waiting = waiting(&turns, &["bob", "ann", "bob", "ann"]);
        for _ in 0..2 {
            drop(own.remove(0));
            let (account, turn) = next(&mut waiting).unwrap();
            assert_eq!(account, "ann");
            own.push(turn);
        }
    }

    #[test]
    fn who_has_none_is_before_who_has_some() {
        let turns = AccountTurns::new(3);
        let mut flood: Vec<_> = (0..3).map(|_| now(&turns, "flood")).collect();
        let mut waiting = waiting(&turns, &["flood", "flood", "ann", "ann", "ann"]);
        let mut served = Vec::new();
        for _ in 0..2 {
            drop(flood.remove(0));
            served.push(next(&mut waiting).unwrap());
        }
        let names: Vec<_> = served.iter().map(|(account, _)| *account).collect();
        assert_eq!(names, ["ann", "flood"]);
    }

    #[test]
    fn what_is_not_waited_for_any_more_is_the_next_one_s_and_none_is_lost() {
        let turns = AccountTurns::new(2);
        let (one, other) = (now(&turns, "a"), now(&turns, "a"));
        assert!(turns.take_free(&"b".into()).is_none() && !turns.has_waiting());
        let mut leaves = waiting(&turns, &["b", "b"]);
        let mut stays = waiting(&turns, &["c"]);
        assert!(turns.has_waiting());
        leaves.clear();
        drop(one);
        let (account, turn) = next(&mut stays).unwrap();
        assert_eq!(account, "c");
        assert!(!turns.has_waiting());
        // One that was given and not looked at is not lost.
        let unseen = waiting(&turns, &["d"]);
        drop(other);
        drop(unseen);
        drop(turn);
        assert_eq!(open(&turns.line).free, 2);
        assert!(open(&turns.line).accounts.is_empty());
    }
}
