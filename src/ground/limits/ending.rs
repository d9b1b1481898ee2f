//! How a process ends.

use std::time::Duration;

/// After the drain's bound every session is told to close at once; this long at most.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a drain waits for running statements when the settings do not say: what orchestrators
/// give a process between asking it to stop and killing it.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// The most that `limits.drain_timeout` can ask for: an hour, for the longest reports; who stops a
/// process by hand does not wait for more.
pub const DRAIN_TIMEOUT_BOUND: Duration = Duration::from_secs(3_600);

/// The most that `limits.wait_for_clients` can ask for: a day, after which the connections of usual
/// clients' own pools have been renewed many times.
pub const WAIT_FOR_CLIENTS_BOUND: Duration = Duration::from_secs(86_400);

/// How often a process that waits for its clients looks whether all have left: nobody notices so
/// short a time, and a look is a few reads of memory.
pub const LEAVING_LOOK_PERIOD: Duration = Duration::from_millis(100);
