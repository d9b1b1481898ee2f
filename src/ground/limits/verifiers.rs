//! SCRAM verifiers, and users whose verifiers the upstream is asked for.

use std::time::Duration;

/// Password-hash rounds that an upstream may ask of us, or that a verifier may ask of a client.
/// Postgres's default is 4096; a million rounds take a core about a second.
pub const SCRAM_ITERATIONS_MAX: u32 = 100_000;

/// A salt longer than this is no salt of Postgres's (16 bytes).
pub const SCRAM_SALT_BYTES_MAX: usize = 256;

/// How long a verifier is known without being asked for again, unless the settings say otherwise:
/// a storm of logins asks once, and a changed password is known soon.
pub const CACHE_AGE: Duration = Duration::from_secs(10);

/// What the settings may say: at least a second, so that whoever tries passwords has no question
/// asked for each.
pub const CACHE_AGE_BOUNDS: (Duration, Duration) =
    (Duration::from_secs(1), Duration::from_secs(300));

/// How long a question that failed is not asked again for the same user: those who wait for its
/// answer have it, and do not wait for one failure after the other.
pub const FAILED_AGE: Duration = Duration::from_secs(1);

/// A wrong proof may be the right one for a newer verifier: the next login asks anew, where what is
/// known is as old as that, whether there is such a user or not. Bounds what whoever tries
/// passwords of a user has asked.
pub const DOUBT_AGE: Duration = Duration::from_secs(1);

/// Users whose answers are kept: names that clients make up take no more room than that.
pub const ENTRIES_MAX: usize = 10_000;

/// Looks of verifiers that those who do not exist take: costs and lengths of salts that a server
/// has. More than some mean that nobody can tell anything by them.
pub const LOOKS_MAX: usize = 16;

/// Questions under way at a time, over all servers: one takes a millisecond.
pub const QUESTIONS_MAX: usize = 16;

/// The time of one question, its turn and the login of its connection included, at one server.
pub const QUESTION_TIME_MAX: Duration = Duration::from_secs(6);

/// The statement_timeout and lock_timeout of the server for one question.
pub const STATEMENT_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a connection is kept that nobody has asked over.
pub const CONNECTION_IDLE_MAX: Duration = Duration::from_secs(60);
