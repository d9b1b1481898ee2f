//! What whoever runs pgsieve is shown of pools.

use std::time::{Duration, SystemTime};

/// One pool, as it is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolShown {
    /// Where its server is.
    pub place: Box<str>,
    /// The database.
    pub database: Box<str>,
    /// The account at the server.
    pub user: Box<str>,
    /// Its connections.
    pub connections: Vec<ConnectionShown>,
    /// Sessions of clients that take connections of it.
    pub sessions: usize,
    /// Those of them that wait for one.
    pub sessions_waiting: usize,
    /// Who waits for one, by the numbers of sessions, and for how long; logins are among them.
    pub waiting: Vec<(u64, Duration)>,
    /// Whether it gives none now.
    pub is_paused: bool,
}

/// One connection of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionShown {
    /// A number that no other connection of a pool has while the process lives.
    pub number: u64,
    /// Since when it is there, or is being opened.
    pub opened: SystemTime,
    /// The process id at the server, where that has told one.
    pub pid: Option<i32>,
    /// Who has it.
    pub usage: ShownUse,
    /// Whether it is closed at its next rest, whatever its age.
    pub is_retired: bool,
}

/// Who has a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownUse {
    /// It is being opened.
    Opening,
    /// No session has it.
    Idle,
    /// The session with this number has it.
    Session(u64),
}
