//! Counts of users that outlive a process, in a file, or hold over several, in a store.

use std::time::Duration;

/// How often what users have received is written down: what a crash may lose.
pub const BUDGET_FILE_INTERVAL: Duration = Duration::from_secs(5);

/// The largest file of that: [`ACCOUNTS_MAX`](super::ACCOUNTS_MAX) lines with names of the longest
/// kind.
pub const BUDGET_FILE_BYTES_MAX: u64 = 64 << 20;

/// How often counts are exchanged, unless the settings say otherwise: what each copy may let pass
/// without knowing of the others is what comes in such a time.
pub const WINDOW: Duration = Duration::from_secs(1);

/// The shortest and the longest of that: more often is a load that nobody needs, and more seldom
/// are limits that hold hardly.
pub const WINDOW_BOUNDS: (Duration, Duration) =
    (Duration::from_millis(200), Duration::from_secs(60));

/// Users whose counts go in one round trip: those that waited longest go first, and a store of one
/// thread takes up to a tenth of a second for so many.
pub const ENTRIES_MAX: usize = 1000;

/// Users in one call of the script: others get their turn in the store between two calls.
pub const ENTRIES_PER_CALL: usize = 50;

/// The time for one exchange, a connection and its login included.
pub const EXCHANGE_TIME_MAX: Duration = Duration::from_secs(2);

/// Windows without an answer after which the store is taken to be away.
pub const SILENT_WINDOWS_MAX: u32 = 5;

/// The least of that time: a store that fails over to another server is not away.
pub const SILENCE_MIN: Duration = Duration::from_secs(2);

/// How long a store that says nothing is not taken to be away, and how long it holds what a copy
/// has told of its connections.
pub fn silence_max(window: Duration) -> Duration {
    window.saturating_mul(SILENT_WINDOWS_MAX).max(SILENCE_MIN)
}

/// Windows of statements that a copy hands in beyond what its bucket remembers: what passed while
/// the store was away for long has had its time.
pub const HANDED_IN_WINDOWS_MAX: u32 = 3;

/// The first pause before a store that did not answer is tried again; each is longer.
pub const PAUSE: Duration = Duration::from_millis(100);

/// The longest of those pauses.
pub const PAUSE_MAX: Duration = Duration::from_secs(5);

/// The time for handing in the last counts when pgsieve stops.
pub const LAST_EXCHANGE: Duration = Duration::from_secs(2);

/// Round trips at that end, so that no count of many users is left out.
pub const LAST_ROUND_TRIPS_MAX: usize = 70;

/// How long the store keeps what it was told of a day: through the next one, which looks there for
/// how full buckets were, in whatever time zone the store's operator looks at it.
pub const KEPT: Duration = Duration::from_secs(2 * 86_400);

/// The longest prefix of the store's keys.
pub const PREFIX_BYTES_MAX: usize = 64;

/// The highest number of a database in a store.
pub const DATABASE_MAX: u32 = 65_535;

/// The largest count that a script in the store reckons with exactly, in the whole numbers of a
/// double.
pub const COUNT_MAX: u64 = (1 << 53) - 1;
