//! What is known of each refused fingerprint: by which rules and for whom it was refused, how often
//! and when, and the hint that was given.
//!
//! Each belongs to the user whose statement was refused first. When there is no room, the user that
//! has the most loses one: of those that it has, the oldest that did not come again since it was
//! looked at last. So endless different statements of one user push out each other, and neither
//! those of other users nor what comes again and again.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;

use super::minute_counts::MinuteCounts;
use crate::gate::{Rule, StatementKind};
use crate::limits;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::events::StatementFinished;

/// The histories of the fingerprints that were refused lately.
#[derive(Default)]
pub struct RefusalHistories {
    by_print: HashMap<Fingerprint, RefusalHistory>,
    /// The fingerprints of each user that has any, the oldest one first.
    of_user: HashMap<String, VecDeque<Fingerprint>>,
}

struct RefusalHistory {
    kind: StatementKind,
    count: u64,
    first: u64,
    times: VecDeque<u64>,
    minutes: MinuteCounts,
    causes: Vec<RefusalCause>,
    users: Vec<(String, u64)>,
    other_users: u64,
    /// Whether it came again since its place was last asked for.
    came_again: bool,
}

/// A rule that refused it, and what the client was told to do.
#[derive(Clone, Serialize)]
pub struct RefusalCause {
    /// The rule.
    pub rule: &'static str,
    /// The hint, where its words are fixed.
    pub hint: Option<&'static str>,
    /// How often.
    pub count: u64,
}

/// The history of a fingerprint, for the page.
#[derive(Serialize)]
pub struct HistoryShown {
    /// The fingerprint.
    pub fingerprint: String,
    /// The kind of statement.
    pub kind: &'static str,
    /// How often it was refused since it is remembered.
    pub count: u64,
    /// When first, in milliseconds since 1970.
    pub first: u64,
    /// When last, the last time first.
    pub times: Vec<u64>,
    /// How often in each minute of the last hour.
    pub minutes: Vec<u32>,
    /// By which rules, and with which hints.
    pub causes: Vec<RefusalCause>,
    /// For whom, and how often.
    pub users: Vec<(String, u64)>,
    /// How often for users that are not listed.
    pub other_users: u64,
}

impl RefusalHistories {
    /// A statement with this fingerprint was refused by a rule.
    pub fn add(
        &mut self,
        print: Fingerprint,
        (rule, event): (Rule, &StatementFinished<'_>),
        now: u64,
    ) {
        let user = event.session.user();
        if !self.by_print.contains_key(&print) {
            self.make_room(user);
            let own = self.of_user.entry(user.to_owned()).or_default();
            own.push_back(print);
            let history = RefusalHistory::new(event.kind, now);
            self.by_print.insert(print, history);
        }
        if let Some(history) = self.by_print.get_mut(&print) {
            history.add(rule, event.hint, user, now);
        }
    }

    /// What is known of the fingerprint with these hexadecimal digits.
    pub fn shown(&self, digits: &str, now: u64) -> Option<HistoryShown> {
        let mut all = self.by_print.iter();
        let (print, history) = all.find(|(print, _)| print.to_string() == digits)?;
        Some(HistoryShown {
            fingerprint: print.to_string(),
            kind: history.kind.name(),
            count: history.count,
            first: history.first,
            times: history.times.iter().rev().copied().collect(),
            minutes: history.minutes.shown(now),
            causes: history.causes.clone(),
            users: history.users.clone(),
            other_users: history.other_users,
        })
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        let owned: usize = self.of_user.values().map(VecDeque::len).sum();
        assert_eq!(owned, self.by_print.len(), "each belongs to one user");
        owned
    }

    fn make_room(&mut self, user: &str) {
        let own = self.of_user.get(user).map_or(0, VecDeque::len);
        if own >= limits::RECENT_FINGERPRINTS_OF_USER_MAX {
            self.take_from(&user.to_owned());
        } else if self.by_print.len() >= limits::RECENT_FINGERPRINTS_MAX {
            let most = self.of_user.iter().max_by_key(|(_, own)| own.len());
            if let Some(most) = most.map(|(user, _)| user.clone()) {
                self.take_from(&most);
            }
        }
    }

    /// Forgets the oldest of a user's fingerprints that did not come again. Each pass over one that
    /// did is paid for by its coming; the bound is for the case that all did.
    fn take_from(&mut self, user: &String) {
        let Some(own) = self.of_user.get_mut(user) else {
            return;
        };
        for pass in 1..=PASSES_MAX {
            let Some(print) = own.pop_front() else { break };
            let history = self.by_print.get_mut(&print);
            match history {
                Some(history) if history.came_again && pass < PASSES_MAX => {
                    history.came_again = false;
                    own.push_back(print);
                }
                Some(_) | None => {
                    self.by_print.remove(&print);
                    break;
                }
            }
        }
        if own.is_empty() {
            self.of_user.remove(user);
        }
    }
}

impl RefusalHistory {
    fn new(kind: StatementKind, now: u64) -> Self {
        Self {
            kind,
            count: 0,
            first: now,
            times: VecDeque::new(),
            minutes: MinuteCounts::new(),
            causes: Vec::new(),
            users: Vec::new(),
            other_users: 0,
            came_again: false,
        }
    }

    fn add(&mut self, rule: Rule, hint: Option<&'static str>, user: &str, now: u64) {
        self.came_again = self.count > 0;
        self.count = self.count.saturating_add(1);
        self.minutes.add(now);
        if self.times.len() >= limits::RECENT_TIMES_MAX {
            self.times.pop_front();
        }
        self.times.push_back(now);
        let rule = rule.name();
        let mut causes = self.causes.iter_mut();
        match causes.find(|cause| cause.rule == rule && cause.hint == hint) {
            Some(cause) => cause.count += 1,
            None => {
                if self.causes.len() >= limits::RECENT_CAUSES_MAX {
                    self.causes.remove(0);
                }
                self.causes.push(RefusalCause {
                    rule,
                    hint,
                    count: 1,
                });
            }
        }
        let listed = self.users.len();
        match self.users.iter_mut().find(|(name, _)| name == user) {
            Some((_, count)) => *count += 1,
            None if listed < limits::RECENT_USERS_OF_FINGERPRINT_MAX => {
                self.users.push((user.to_owned(), 1));
            }
            None => self.other_users += 1,
        }
    }
}

/// How many fingerprints are looked at for one that can be forgotten.
const PASSES_MAX: usize = 8;
