//! What the console needs beside what logins need.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::access::ConsoleRole;
use super::traffic::TrafficHistory;
use crate::limits;
use crate::upstream::pool::PoolSettings;

/// What the console shows and does beside what logins need.
#[derive(Default)]
pub struct ConsoleContext {
    /// Settings that it shows.
    pub settings: ConsoleSettings,
    /// Has settings and policies read again, if anybody does.
    pub reload: Option<Box<ReloadRequester>>,
    /// What was done in databases lately.
    pub history: TrafficHistory,
    /// Sessions that are open.
    pub places: ConsolePlaces,
}

/// Settings that it shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConsoleSettings {
    /// Clients at a time.
    pub connections_max: usize,
    /// The connections that sessions share, if those of any database do.
    pub pool: Option<PoolSettings>,
}

/// The sessions of the console that are open, by what they may do.
#[derive(Debug, Default)]
pub struct ConsolePlaces {
    operators: Arc<AtomicUsize>,
    observers: Arc<AtomicUsize>,
}

/// The place of one of them, for as long as it is open.
#[derive(Debug)]
pub struct ConsolePlace(Arc<AtomicUsize>);

impl ConsolePlaces {
    /// A place for one more session; none where there are too many.
    pub fn take(&self, role: ConsoleRole) -> Option<ConsolePlace> {
        let places = match role {
            ConsoleRole::Operator => &self.operators,
            ConsoleRole::Observer => &self.observers,
        };
        let place = ConsolePlace(Arc::clone(places));
        let before = places.fetch_add(1, Ordering::AcqRel);
        (before < limits::console::SESSIONS_MAX).then_some(place)
    }
}

impl Drop for ConsolePlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Has everything read again, and tells what came of it. May be cancelled: it is read all the same.
pub type ReloadRequester =
    dyn Fn() -> Pin<Box<dyn Future<Output = ReloadOutcome> + Send>> + Send + Sync;

/// What came of reading everything again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReloadOutcome {
    /// What was read holds.
    Held,
    /// So much is wrong with it; what held before holds on.
    Rejected(usize),
    /// Too many want it at a time, or pgsieve stops.
    NotRead,
}

impl fmt::Debug for ConsoleContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ConsoleContext")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back_and_who_looks_takes_none_of_those_who_act() {
        let places = ConsolePlaces::default();
        let take = |role| places.take(role);
        let held: Vec<_> = (0..limits::console::SESSIONS_MAX)
            .map(|_| take(ConsoleRole::Observer).unwrap())
            .collect();
        assert!(take(ConsoleRole::Observer).is_none());
        assert!(take(ConsoleRole::Observer).is_none());
        assert!(take(ConsoleRole::Operator).is_some());
        drop(held);
        assert!(take(ConsoleRole::Observer).is_some());
    }
}
