//! Bounds of an evaluation.

use std::time::Duration;

/// Entries of one dataset: the largest published one has about 12,000.
pub const ENTRIES_MAX: usize = 100_000;

/// Bytes of a question, or of a statement of a dataset.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;

/// Bytes of a file of questions, predictions or failures: the largest published one has 15 MB.
pub const DATASET_BYTES_MAX: u64 = 256 << 20;

/// Bytes of a report that is read again: every text of the largest dataset, ten times.
pub const REPORT_BYTES_MAX: u64 = 1 << 30;

/// Runs over the same questions: more tell no more of a mean.
pub const RUNS_MAX: u32 = 100;

/// Rounds in which a statement that failed may be put right: people give up sooner.
pub const ROUNDS_MAX: u32 = 10;

/// Connections: as many as databases have room for beside everybody else.
pub const CONNECTIONS_MAX: usize = 64;

/// Rows of a result that is compared; one that has more is told as such.
pub const RESULT_ROWS_MAX: usize = 200_000;

/// Bytes of such a result: both of a pair are held, on each connection.
pub const RESULT_BYTES_MAX: usize = 64 << 20;

/// Bytes that are read of what a command prints: a statement at its longest, in JSON.
pub const COMMAND_BYTES_MAX: u64 = 512 * 1024;

/// Bytes of a grounding that is handed to a command.
pub const GROUNDING_BYTES_MAX: u64 = 16 << 20;

/// How long a login at the proxy may take, the load of its catalog included.
pub const LOGIN_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a database is waited for that cannot be reached: it may be starting.
pub const UNREACHABLE_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a command that reads a grounding may take.
pub const GROUNDING_TIME_MAX: Duration = Duration::from_secs(120);

/// Times that a statement is sent which fails for a reason of the moment, and the pause between.
pub const TRIES_MAX: u32 = 5;

/// The pause between two of them.
pub const TRY_PAUSE: Duration = Duration::from_millis(500);

/// How often a command is looked at whether it has ended.
pub const COMMAND_POLL: Duration = Duration::from_millis(5);
