//! Which worker thread a session is with.

use std::time::Duration;

/// How often a worker looks at how much of its time it works: long enough that the system's own
/// count, which it brings up to date every few milliseconds, tells something of it.
pub const LOAD_LOOK: Duration = Duration::from_millis(50);

/// A worker that has not looked for so long has had nothing to do.
pub const LOAD_STALE: Duration = Duration::from_millis(200);

/// Thousandths of its time below which a worker is given new sessions although others have fewer.
pub const LOAD_PLACE_MAX: u32 = 500;

/// Above so many thousandths of its time on a processor a worker hands sessions to others: what
/// comes at once has room in the rest.
pub const LOAD_MAX: u32 = 750;

/// Above so many thousandths of its time on a processor or waiting for one, a worker with many
/// sessions hands some to others: two threads get more of short processors than one.
pub const LOAD_WITH_WAITS_MAX: u32 = 900;

/// So many active sessions are many: half of them are still ready together, and cost hardly more
/// on two threads. Eight cost a sixth to a quarter more there, and get no more done.
pub const LOAD_MANY: u32 = 16;

/// As many thousandths more than another must a worker have to do before it hands sessions over.
pub const LOAD_DIFFERENCE_MIN: u32 = 200;

/// Two workers that have no more to do than this together become one: well below what parts them
/// again, so that nobody is moved to and fro.
pub const LOAD_TOGETHER_MAX: u32 = 450;

/// Thousandths by which two workers differ that count as equally full: they look at different
/// times, and must not hand their sessions to each other.
pub const LOAD_ALIKE: u32 = 100;

/// Clients that log in with one worker before the next one has to: proofs of passwords take
/// milliseconds, and are not seen in a worker's load before they are done.
pub const LOGINS_TOGETHER_MAX: usize = 2;

/// Sessions that wait to be taken up by another worker; one beyond stays where it is.
pub const MOVED_WAITING_MAX: usize = 256;

/// How often a worker wakes while clients keep coming: before the clocks of a login ring, and
/// seldom enough to cost nothing.
pub const LOGIN_TICK: Duration = Duration::from_millis(50);
