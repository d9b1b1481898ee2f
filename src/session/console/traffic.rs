//! What was done in each database: totals that only grow, and averages of the last period.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits;

/// What sessions have done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How often the upstream has said that no transaction is open any more.
    pub transactions: u64,
    /// Statements that the upstream was asked for.
    pub statements: u64,
    /// Microseconds that it took for them.
    pub statement_micros: u64,
    /// Bytes that clients have sent.
    pub bytes_in: u64,
    /// Bytes that they got.
    pub bytes_out: u64,
    /// Microseconds that sessions have waited for a connection of a pool.
    pub wait_micros: u64,
}

/// The same by database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseTraffic(BTreeMap<Box<str>, Traffic>);

/// What there was at the end of the last two periods.
#[derive(Debug, Default)]
pub struct TrafficHistory {
    ends: Mutex<Vec<(Instant, DatabaseTraffic)>>,
}

impl DatabaseTraffic {
    /// Adds what was done in a database. Databases beyond the bound are left out.
    pub fn add(&mut self, database: &str, done: &Traffic) {
        if !self.0.contains_key(database) && self.0.len() >= limits::console::DATABASES_MAX {
            return;
        }
        let sum = self.0.entry(database.into()).or_default();
        *sum = sum.and(done, u64::wrapping_add);
    }

    /// Each database.
    pub fn each(&self) -> impl Iterator<Item = (&str, &Traffic)> {
        self.0.iter().map(|(name, traffic)| (&**name, traffic))
    }

    /// What was done in one.
    pub fn of(&self, database: &str) -> Traffic {
        self.0.get(database).copied().unwrap_or_default()
    }
}

impl Traffic {
    /// What was done since then.
    pub fn since(&self, before: &Self) -> Self {
        self.and(before, u64::saturating_sub)
    }

    fn and(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        Self {
            transactions: with(self.transactions, other.transactions),
            statements: with(self.statements, other.statements),
            statement_micros: with(self.statement_micros, other.statement_micros),
            bytes_in: with(self.bytes_in, other.bytes_in),
            bytes_out: with(self.bytes_out, other.bytes_out),
            wait_micros: with(self.wait_micros, other.wait_micros),
        }
    }
}

impl TrafficHistory {
    /// A period has ended.
    pub fn note(&self, now: Instant, traffic: DatabaseTraffic) {
        let mut ends = self.ends();
        ends.push((now, traffic));
        let over = ends.len().saturating_sub(2);
        ends.drain(..over);
    }

    /// How long the last whole period was, and what was done in a database in it; none before one
    /// is over.
    pub fn last_period(&self, database: &str) -> Option<(Duration, Traffic)> {
        let ends = self.ends();
        let [(began, before), (ended, after)] = ends.as_slice() else {
            return None;
        };
        let done = after.of(database).since(&before.of(database));
        Some((ended.saturating_duration_since(*began), done))
    }

    fn ends(&self) -> MutexGuard<'_, Vec<(Instant, DatabaseTraffic)>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(count: u64) -> Traffic {
        Traffic {
            statements: count,
            ..Traffic::default()
        }
    }

    #[test]
    fn averages_are_of_the_last_whole_period() {
        let (history, began) = (TrafficHistory::default(), Instant::now());
        let at = |seconds: u64, count: u64| {
            let mut all = DatabaseTraffic::default();
            all.add("shop", &statements(count));
            history.note(began + Duration::from_secs(seconds), all);
        };
        assert_eq!(history.last_period("shop"), None);
        at(0, 5);
        assert_eq!(history.last_period("shop"), None);
        at(60, 65);
        let minute = Duration::from_secs(60);
        assert_eq!(history.last_period("shop"), Some((minute, statements(60))));
        at(120, 66);
        assert_eq!(history.last_period("shop"), Some((minute, statements(1))));
        assert_eq!(history.last_period("other"), Some((minute, statements(0))));
    }

    #[test]
    fn databases_beyond_the_bound_are_left_out_and_known_ones_go_on() {
        let mut all = DatabaseTraffic::default();
        for number in 0..limits::console::DATABASES_MAX + 5 {
            all.add(&format!("d{number}"), &statements(1));
        }
        assert_eq!(all.each().count(), limits::console::DATABASES_MAX);
        all.add("d0", &statements(2));
        assert_eq!(all.of("d0"), statements(3));
    }
}
