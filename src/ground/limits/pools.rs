//! Connections that sessions share.

use std::time::Duration;

/// Pools at a time, one for each account in each database. A session beyond has a connection of its
/// own; one with a password that a server has accepted takes the place of another that nobody uses.
pub const POOLS_MAX: usize = 4096;

/// Passwords that are asked about at a time and that no pool has yet: whoever tries passwords takes
/// no more room. A session beyond has a connection of its own.
pub const PASSWORDS_ASKED_MAX: usize = 1024;

/// Pools that the live page shows; the others are a number.
pub const PAGE_POOLS_MAX: usize = 30;

/// How often connections that nobody uses are looked at.
pub const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Pools that open connections at a time which nobody has asked for: a server that is back after
/// its restart is not met by all of them at once.
pub const REFILLS_MAX: usize = 8;

/// The pause of a pool behind a connection that was not to be had and that nobody has asked for; it
/// doubles with each.
pub const REFILL_PAUSE: Duration = Duration::from_secs(1);

/// The longest of these pauses: a server that refuses is asked about once a minute by each pool.
pub const REFILL_PAUSE_MAX: Duration = Duration::from_secs(60);

/// The time in which a connection of a pool is brought to a session's settings, or tells them.
pub const SETTLE_TIME_MAX: Duration = Duration::from_secs(10);

/// How often that is tried: a cancel that comes late ends one try.
pub const SETTLE_TRIES_MAX: usize = 4;

/// The time that a connection may take to be there, its login and proof included.
pub const CONNECT_TIME_MAX: Duration = Duration::from_secs(20);

/// The time that is left of a login when it stops waiting for a connection: enough to say so.
pub const LOGIN_TIME_LEFT: Duration = Duration::from_secs(1);

/// Settings with a dot in their names that a session may have set while it shares its connection:
/// with more it keeps it.
pub const CUSTOM_SETTINGS_MAX: usize = 64;

/// Statements with names that are kept prepared on one connection where the settings do not say how
/// many: those of most applications, and what PgBouncer keeps.
pub const STATEMENTS_DEFAULT: usize = 200;

/// The most that the settings may say: each takes memory of the server's, in every connection.
pub const STATEMENTS_MAX: usize = 10_000;

/// Ways to open a connection that the sessions of one pool have in common: one for each set of
/// parameters of the StartupMessage, of which applications have few. Further ones are a session's
/// own.
pub const SOURCES_SHARED_MAX: usize = 32;
