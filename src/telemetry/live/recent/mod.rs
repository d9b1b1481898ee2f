//! What was refused and repaired lately: bounded lists for the live page. Fingerprints, rules,
//! fixed hints, names of users and applications and, where names are recorded, of what a refusal is
//! about; never a text.
//!
//! A permitted statement does not come here. A refused one takes a lock for a few lookups among
//! few; what a client can fill with endless different statements is its own share of each list,
//! never that of others.
//!
//! * `latest_rows`: lists of what came last, equal things counted in one row
//! * `refusal_histories`: what is known of each refused fingerprint
//! * `refusal_totals`: refusals by rule and by user
//! * `minute_counts`: counts for each minute of the last hour

mod latest_rows;
mod minute_counts;
mod refusal_histories;
mod refusal_totals;

use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

pub use self::latest_rows::LatestRow;
use self::latest_rows::{LatestRows, UserOwned};
pub use self::refusal_histories::HistoryShown;
use self::refusal_histories::RefusalHistories;
use self::refusal_totals::RefusalTotals;
pub use self::refusal_totals::TotalShown;
use crate::gate::Rule;
use crate::limits;
use crate::repair::Attempt;
use crate::sql::fingerprint::Fingerprint;
use crate::telemetry::events::{StatementFinished, StatementRepaired, TripwireFired};
use crate::telemetry::labels::StatementOutcome;

/// What happened lately.
pub struct RecentEvents {
    held: Mutex<RecentLists>,
}

struct RecentLists {
    refusals: LatestRows<RecentRefusal>,
    repairs: LatestRows<RecentRepair>,
    alarms: LatestRows<RecentAlarm>,
    histories: RefusalHistories,
    rules: RefusalTotals<Rule>,
    users: RefusalTotals<String>,
    changes: u64,
}

/// A kind of refusal: equal ones are counted in one row.
#[derive(Clone, PartialEq, Serialize)]
pub struct RecentRefusal {
    /// The user, as it was logged in.
    pub user: String,
    /// What the client calls itself.
    pub application: String,
    /// The policy that the session is under.
    pub policy: String,
    /// The rule that refused.
    pub rule: &'static str,
    /// What it was about, where names are recorded.
    pub subject: Option<String>,
    /// The kind of statement.
    pub kind: &'static str,
    /// Its fingerprint, where it has one.
    pub fingerprint: Option<String>,
    #[serde(skip)]
    print: Option<Fingerprint>,
}

/// A kind of repair: the last step of a repair, equal ones counted in one row.
#[derive(Clone, PartialEq, Serialize)]
pub struct RecentRepair {
    /// The user, as it was logged in.
    pub user: String,
    /// Who changed the text.
    pub recoverer: &'static str,
    /// How sure it was.
    pub confidence: &'static str,
    /// What became of it.
    pub outcome: &'static str,
    /// How many steps the repair took.
    pub steps: usize,
    /// The fingerprint of the text before.
    pub before: Option<String>,
    /// The fingerprint of the text after.
    pub after: Option<String>,
}

/// A kind of alarm.
#[derive(Clone, PartialEq, Serialize)]
pub struct RecentAlarm {
    /// The user of the session.
    pub user: String,
    /// What was seen.
    pub wire: &'static str,
}

/// Everything that happened lately, for the page.
#[derive(Serialize)]
pub struct RecentShown {
    /// The latest refusals, the last one first.
    pub refusals: Vec<LatestRow<RecentRefusal>>,
    /// The latest repairs, the last one first.
    pub repairs: Vec<LatestRow<RecentRepair>>,
    /// The latest alarms, the last one first.
    pub alarms: Vec<LatestRow<RecentAlarm>>,
    /// Refusals by rule, the most frequent one first.
    pub rules: Vec<TotalShown>,
    /// Refusals by user, the most frequent one first.
    pub users: Vec<TotalShown>,
    /// Refusals of users that are not listed any more.
    pub other_users: u64,
}

impl RecentEvents {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        let (rows, share) = (limits::RECENT_ROWS_MAX, limits::RECENT_ROWS_OF_USER_MAX);
        Self {
            held: Mutex::new(RecentLists {
                refusals: LatestRows::new(rows, share),
                repairs: LatestRows::new(rows, share),
                alarms: LatestRows::new(rows, share),
                histories: RefusalHistories::default(),
                rules: RefusalTotals::new(Rule::ALL.len()),
                users: RefusalTotals::new(limits::RECENT_USERS_MAX),
                changes: 0,
            }),
        }
    }

    /// Notes a statement, if it was refused.
    pub fn finished(&self, event: &StatementFinished<'_>) {
        if let (StatementOutcome::Refused | StatementOutcome::Cut, Some(rule)) =
            (event.outcome, event.rule)
        {
            self.refused(event, rule, now_ms());
        }
    }

    /// Notes the end of a repair.
    pub fn repaired(&self, event: &StatementRepaired<'_>) {
        let (Some(first), Some(last)) = (event.attempts.first(), event.attempts.last()) else {
            return;
        };
        let row = RecentRepair {
            user: event.session.user().to_owned(),
            recoverer: last.recoverer.name(),
            confidence: last.confidence.name(),
            outcome: last.outcome.name(),
            steps: event.attempts.len(),
            before: print(first, |attempt| attempt.before),
            after: print(last, |attempt| attempt.after),
        };
        self.change(|held| held.repairs.add(row, now_ms()));
    }

    /// Notes an alarm.
    pub fn tripped(&self, event: &TripwireFired<'_>) {
        let row = RecentAlarm {
            user: event.session.user().to_owned(),
            wire: event.wire.name(),
        };
        self.change(|held| held.alarms.add(row, now_ms()));
    }

    /// How often anything was noted: whoever has seen as many changes has seen everything.
    pub fn changes(&self) -> u64 {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .changes
    }

    /// Everything, as it is now.
    pub fn shown(&self) -> RecentShown {
        let now = now_ms();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        RecentShown {
            refusals: held.refusals.shown(),
            repairs: held.repairs.shown(),
            alarms: held.alarms.shown(),
            rules: held.rules.shown(now, |rule| rule.name().to_owned()),
            users: held.users.shown(now, Clone::clone),
            other_users: held.users.left_out(),
        }
    }

    /// What is known of a fingerprint, given in hexadecimal digits; `None` where it was not refused
    /// lately.
    pub fn history(&self, fingerprint: &str) -> Option<HistoryShown> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.histories.shown(fingerprint, now_ms())
    }

    fn refused(&self, event: &StatementFinished<'_>, rule: Rule, now: u64) {
        let session = event.session;
        let row = RecentRefusal {
            user: session.user().to_owned(),
            application: session.application_name().to_owned(),
            policy: session.policy().map_or("", |(name, _)| name).to_owned(),
            rule: rule.name(),
            subject: event.subject.map(str::to_owned),
            kind: event.kind.name(),
            fingerprint: event.fingerprint.map(|print| print.to_string()),
            print: event.fingerprint,
        };
        self.change(|held| {
            if let Some(print) = event.fingerprint {
                held.histories.add(print, (rule, event), now);
            }
            held.rules.add(&rule, now);
            held.users.add(&row.user, now);
            held.refusals.add(row, now);
        });
    }

    fn change(&self, change: impl FnOnce(&mut RecentLists)) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut held);
        held.changes += 1;
    }
}

impl Default for RecentEvents {
    fn default() -> Self {
        Self::new()
    }
}

impl UserOwned for RecentRefusal {
    fn owner(&self) -> &str {
        &self.user
    }

    fn equals(&self, other: &Self) -> bool {
        // The number of the fingerprint says as much as its digits.
        (self.print, self.rule, self.kind) == (other.print, other.rule, other.kind)
            && self.user == other.user
            && self.application == other.application
    }
}

impl UserOwned for RecentRepair {
    fn owner(&self) -> &str {
        &self.user
    }
}

impl UserOwned for RecentAlarm {
    fn owner(&self) -> &str {
        &self.user
    }
}

fn print(attempt: &Attempt, of: impl Fn(&Attempt) -> Option<Fingerprint>) -> Option<String> {
    of(attempt).map(|print| print.to_string())
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
