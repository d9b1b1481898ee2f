//! What an audit comes to: counts by fingerprint, rule, user and so on, in bounded memory.
//!
//! Each table holds a bounded number of keys. When it is over twice that, those that occur least
//! are forgotten, and with them at most as many occurrences of each as the table says: a key that
//! is shown can have occurred that much more often, and one that occurred more often than that is
//! shown.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use crate::limits::{AUDIT_TOP_KEYS_MAX, AUDIT_TOP_USERS_MAX};
use crate::telemetry::session_info::cleaned;

/// What an audit comes to.
#[derive(Default)]
pub struct AuditSummary {
    /// Lines that count.
    pub lines: u64,
    /// Lines that are none of an audit.
    pub unreadable: u64,
    /// The times of the first and the last line that count.
    pub window: Option<(String, String)>,
    /// Statements.
    pub statements: u64,
    /// Those of them that were refused.
    pub refused: u64,
    /// Refused statements, by fingerprint.
    pub fingerprints: TopTable<RefusedFingerprint>,
    /// Refused statements, by rule.
    pub rules: TopTable<CountedKey>,
    /// Statements and refusals, by user.
    pub users: TopTable<CountedKey>,
    /// Statements and refusals, by policy.
    pub policies: TopTable<CountedKey>,
    /// Statements and refusals, by the copy of pgsieve that they came to.
    pub copies: TopTable<CountedKey>,
    /// Attempts to repair, by who made them and what became of them.
    pub repairs: TopTable<CountedKey>,
    /// Statements that ran, by fingerprint.
    pub slowest: TopTable<SlowFingerprint>,
    /// Errors, by SQLSTATE.
    pub errors: TopTable<CountedKey>,
}

/// Keys and what is known of each.
pub struct TopTable<E> {
    entries: HashMap<Box<str>, E>,
    /// The most that a forgotten key had.
    pub forgotten: u64,
}

/// What is known of a key.
pub trait TopEntry: Default {
    /// What it is ranked by.
    fn weight(&self) -> u64;
    /// The most that an entry of this weight can have of what is shown.
    fn share(weight: u64) -> u64 {
        weight
    }
}

/// How often, and how often refused.
#[derive(Default)]
pub struct CountedKey {
    /// All of them.
    pub count: u64,
    /// Those that were refused.
    pub refused: u64,
    /// The last time.
    pub last: String,
}

/// A fingerprint that was refused.
#[derive(Default)]
pub struct RefusedFingerprint {
    /// How often.
    pub count: u64,
    /// By which rule last.
    pub rule: String,
    /// What that was about, where names are recorded.
    pub subject: String,
    /// What kind of statement it is.
    pub kind: String,
    /// Some of its users.
    pub users: BTreeSet<String>,
    /// The last time.
    pub last: String,
}

/// A fingerprint that ran.
#[derive(Default)]
pub struct SlowFingerprint {
    /// How often.
    pub count: u64,
    /// What kind of statement it is.
    pub kind: String,
    /// The longest time, in microseconds.
    pub most: u64,
    /// All time.
    pub total: u64,
    /// Runs by their time, two steps for each doubling.
    steps: Vec<u32>,
}

/// The fields that matter here.
#[derive(Deserialize, Default)]
#[serde(default)]
struct SummaryLine<'l> {
    #[serde(borrow)]
    time: Cow<'l, str>,
    #[serde(borrow)]
    event: Cow<'l, str>,
    #[serde(borrow)]
    copy: Cow<'l, str>,
    #[serde(borrow)]
    user: Cow<'l, str>,
    #[serde(borrow)]
    policy: Cow<'l, str>,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow)]
    verdict: Cow<'l, str>,
    #[serde(borrow)]
    rule: Cow<'l, str>,
    #[serde(borrow)]
    subject: Cow<'l, str>,
    #[serde(borrow)]
    fingerprint: Cow<'l, str>,
    #[serde(borrow)]
    sqlstate: Cow<'l, str>,
    total_us: u64,
}

/// The attempts of a repair; other events have other fields under that name.
#[derive(Deserialize)]
struct RepairedLine<'l> {
    #[serde(borrow)]
    attempts: Vec<AttemptField<'l>>,
}

#[derive(Deserialize)]
struct AttemptField<'l> {
    #[serde(borrow)]
    recoverer: Cow<'l, str>,
    #[serde(borrow)]
    outcome: Cow<'l, str>,
}

/// Which lines count: from when to when, as the audit writes times, and whose.
#[derive(Default)]
pub struct LineFilter {
    /// From then on.
    pub since: Option<String>,
    /// Before then.
    pub until: Option<String>,
    /// Of that copy of pgsieve.
    pub copy: Option<String>,
}

impl AuditSummary {
    /// Takes a line over.
    pub fn take(&mut self, line: &[u8], window: &LineFilter) {
        let Ok(read) = serde_json::from_slice::<SummaryLine<'_>>(line) else {
            self.unreadable += 1;
            return;
        };
        if read.event.is_empty() || read.time.is_empty() {
            self.unreadable += 1;
            return;
        }
        // Times of one form are in the order of their letters.
        let (since, until) = (window.since.as_deref(), window.until.as_deref());
        if since.is_some_and(|since| *read.time < *since)
            || until.is_some_and(|until| *read.time >= *until)
            || window
                .copy
                .as_deref()
                .is_some_and(|copy| *read.copy != *copy)
        {
            return;
        }
        self.lines += 1;
        self.widen(&read.time);
        match &*read.event {
            "statement" => self.statement(&read),
            "statement_repaired" => match serde_json::from_slice::<RepairedLine<'_>>(line) {
                Ok(repaired) => self.repaired(&repaired, &read.time),
                Err(_) => self.unreadable += 1,
            },
            _ => {}
        }
    }

    /// A line that is longer than any of an audit's.
    pub fn take_unreadable(&mut self) {
        self.unreadable += 1;
    }

    fn widen(&mut self, time: &str) {
        let time = cleaned(time);
        match &mut self.window {
            None => self.window = Some((time.clone(), time)),
            Some((first, last)) => {
                if time < *first {
                    *first = time;
                } else if time > *last {
                    *last = time;
                }
            }
        }
    }

    fn statement(&mut self, line: &SummaryLine<'_>) {
        self.statements += 1;
        // What stands behind an error in a pipeline was not judged by itself.
        let refused = line.verdict == "refused";
        for (table, key) in [
            (&mut self.users, &line.user),
            (&mut self.policies, &line.policy),
            (&mut self.copies, &line.copy),
        ] {
            table.at(key, |entry| entry.add(refused, &line.time));
        }
        if !line.sqlstate.is_empty() {
            let add = |entry: &mut CountedKey| entry.add(refused, &line.time);
            self.errors.at(&line.sqlstate, add);
        }
        if refused {
            self.refused += 1;
            self.rules
                .at(&line.rule, |entry| entry.add(true, &line.time));
            self.fingerprints
                .at(&line.fingerprint, |entry| entry.add(line));
        } else if line.verdict != "skipped" && !line.fingerprint.is_empty() {
            self.slowest.at(&line.fingerprint, |entry| entry.add(line));
        }
    }

    fn repaired(&mut self, repaired: &RepairedLine<'_>, time: &str) {
        for AttemptField { recoverer, outcome } in &repaired.attempts {
            let key = format!("{recoverer} {outcome}");
            self.repairs.at(&key, |entry| entry.add(false, time));
        }
    }
}

impl<E: TopEntry> TopTable<E> {
    fn at(&mut self, key: &str, add: impl FnOnce(&mut E)) {
        // Keys come out of a file that anybody may have written.
        let key = cleaned(if key.is_empty() { "-" } else { key });
        if let Some(entry) = self.entries.get_mut(&*key) {
            return add(entry);
        }
        if self.entries.len() >= 2 * AUDIT_TOP_KEYS_MAX {
            self.forget();
        }
        add(self.entries.entry(key.into()).or_default());
    }

    /// Forgets the lighter half.
    fn forget(&mut self) {
        let mut weights: Vec<u64> = self.entries.values().map(TopEntry::weight).collect();
        weights.sort_unstable();
        let Some(bound) = weights.get(AUDIT_TOP_KEYS_MAX).copied() else {
            return;
        };
        // Of equals it does not matter which are kept; what is heavier is never forgotten for them.
        let heavier = weights.iter().filter(|weight| **weight > bound).count();
        let mut equals = AUDIT_TOP_KEYS_MAX.saturating_sub(heavier);
        self.entries.retain(|_, entry| {
            let is_equal = entry.weight() == bound && equals > 0;
            equals -= usize::from(is_equal);
            entry.weight() > bound || is_equal
        });
        self.forgotten = self.forgotten.saturating_add(E::share(bound));
    }

    /// The heaviest, the heaviest first.
    pub fn top(&self, limit: usize) -> Vec<(&str, &E)> {
        let mut all: Vec<(&str, &E)> = self
            .entries
            .iter()
            .map(|(key, entry)| (&**key, entry))
            .collect();
        all.sort_by(|(one, a), (other, b)| b.weight().cmp(&a.weight()).then(one.cmp(other)));
        all.truncate(limit);
        all
    }
}

impl<E> Default for TopTable<E> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            forgotten: 0,
        }
    }
}

impl TopEntry for CountedKey {
    fn weight(&self) -> u64 {
        // Of users and policies those come first that are refused most.
        self.refused
            .saturating_mul(REFUSALS_FIRST)
            .saturating_add(self.count)
    }

    fn share(weight: u64) -> u64 {
        match weight / REFUSALS_FIRST {
            0 => weight,
            // One that was refused so often may have come as often as any.
            refused => refused.saturating_add(REFUSALS_FIRST),
        }
    }
}

impl TopEntry for RefusedFingerprint {
    fn weight(&self) -> u64 {
        self.count
    }
}

impl TopEntry for SlowFingerprint {
    fn weight(&self) -> u64 {
        self.total
    }
}

impl CountedKey {
    fn add(&mut self, refused: bool, time: &str) {
        self.count += 1;
        self.refused += u64::from(refused);
        later(&mut self.last, time);
    }
}

impl RefusedFingerprint {
    fn add(&mut self, line: &SummaryLine<'_>) {
        self.count += 1;
        if *line.time >= *self.last {
            (self.rule, self.kind) = (cleaned(&line.rule), cleaned(&line.kind));
            self.subject = cleaned(&line.subject);
        }
        later(&mut self.last, &line.time);
        if self.users.len() < AUDIT_TOP_USERS_MAX {
            self.users.insert(cleaned(&line.user));
        }
    }
}

impl SlowFingerprint {
    fn add(&mut self, line: &SummaryLine<'_>) {
        self.count += 1;
        self.kind = cleaned(&line.kind);
        self.most = self.most.max(line.total_us);
        self.total = self.total.saturating_add(line.total_us);
        let step = step_of(line.total_us);
        if self.steps.len() <= step {
            self.steps.resize(step + 1, 0);
        }
        if let Some(count) = self.steps.get_mut(step) {
            *count = count.saturating_add(1);
        }
    }

    /// What 95 of 100 runs stay under, at most half again as much as it was.
    pub fn p95(&self) -> u64 {
        let mut left = self.count - self.count / 20;
        for (step, count) in self.steps.iter().enumerate() {
            left = left.saturating_sub(u64::from(*count));
            if left == 0 {
                return ceiling_of(step).min(self.most);
            }
        }
        self.most
    }
}

fn later(last: &mut String, time: &str) {
    if *time > **last {
        *last = cleaned(time);
    }
}

/// Two for each power of two.
fn step_of(micros: u64) -> usize {
    let Some(power) = micros.checked_ilog2() else {
        return 0;
    };
    let upper = power > 0 && micros >> (power - 1) & 1 == 1;
    usize::try_from(power * 2 + u32::from(upper) + 1).unwrap_or(0)
}

/// What every time of a step is below.
fn ceiling_of(step: usize) -> u64 {
    let Some(step) = step.checked_sub(1) else {
        return 0;
    };
    let base = u32::try_from(step / 2)
        .ok()
        .and_then(|power| 1u64.checked_shl(power));
    let base = base.unwrap_or(u64::MAX);
    match step % 2 {
        0 => base.saturating_add(base / 2),
        _ => base.saturating_mul(2),
    }
}

/// More than statements can be in an audit that is read.
const REFUSALS_FIRST: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stays_small_and_keeps_what_is_heavy() {
        let mut table = TopTable::<CountedKey>::default();
        for round in 0..5 {
            for key in 0..AUDIT_TOP_KEYS_MAX {
                table.at(&format!("{round}-{key}"), |entry| entry.add(false, "t"));
                table.at("often", |entry| entry.add(false, "t"));
            }
        }
        assert!(table.entries.len() <= 2 * AUDIT_TOP_KEYS_MAX);
        let top = table.top(1);
        assert_eq!(top[0].0, "often");
        assert_eq!(
            top[0].1.count,
            u64::try_from(5 * AUDIT_TOP_KEYS_MAX).unwrap()
        );
        assert!(table.forgotten > 0);
    }

    #[test]
    fn numbers_that_no_audit_has_make_no_trouble() {
        let mut sum = AuditSummary::default();
        for key in 0..3 * AUDIT_TOP_KEYS_MAX {
            let line = format!(
                "{{\"time\":\"t\",\"event\":\"statement\",\"verdict\":\"permitted\",\
                 \"user\":\"{key}\",\"fingerprint\":\"{key}\",\"total_us\":{}}}",
                u64::MAX
            );
            sum.take(line.as_bytes(), &LineFilter::default());
        }
        assert_eq!(sum.unreadable, 0);
        assert_eq!(sum.slowest.forgotten, u64::MAX);
        // One statement of each: no user can have had more than that in each round.
        assert!(
            (1..10).contains(&sum.users.forgotten),
            "{}",
            sum.users.forgotten
        );
    }

    #[test]
    fn times_fall_into_steps_and_their_ceiling_is_above_them() {
        for micros in [0, 1, 2, 3, 4, 5, 6, 7, 1000, 1_000_000, u64::MAX / 4] {
            let step = step_of(micros);
            assert!(ceiling_of(step) >= micros, "{micros}");
            assert!(
                ceiling_of(step) <= micros.saturating_mul(3) / 2 + 2,
                "{micros}"
            );
        }
        let mut slow = SlowFingerprint::default();
        for micros in 1..=100 {
            slow.add(&SummaryLine {
                total_us: micros,
                ..SummaryLine::default()
            });
        }
        assert!((95..=100).contains(&slow.p95()), "{}", slow.p95());
    }
}
