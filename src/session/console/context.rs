//! What the console needs beside what logins need.

use std::fmt;
use std::pin::Pin;

use super::traffic::TrafficHistory;
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
}

/// Settings that it shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConsoleSettings {
    /// Clients at a time.
    pub connections_max: usize,
    /// The connections that sessions share, if they do.
    pub pool: Option<PoolSettings>,
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
