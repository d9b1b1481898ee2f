//! How long sessions that never pause wait between their turns while processors are short.
//!
//! A thread that always has work stands, for the system's scheduler, behind everything that wakes
//! now and then: with Postgres on the same processors, behind every server process. Whoever sends
//! one statement at a time then waits with that thread for milliseconds, twice for each statement.
//! So a worker that finds itself waiting for a processor gives up some of its time, at the cost of
//! the sessions that would take all of it: it sleeps between their turns, and is woken at once for
//! everybody else. Where processors are free nobody waits.
//!
//! Linux tells how long a thread has waited (`/proc/thread-self/schedstat`, see sched-stats.rst of
//! the kernel's documentation). Where it does not, nobody waits either.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::limits;

/// The law of one worker, for what runs on its thread. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SharedThrottle {
    /// Of the thread that asks first, which is the only one that asks.
    throttle: Arc<OnceLock<Mutex<WorkerThrottle>>>,
}

/// The law of one worker thread.
#[derive(Debug)]
struct WorkerThrottle {
    statistics: Option<File>,
    last: ThreadUsage,
    looked: Instant,
    /// The pause for each turn.
    pause: Duration,
    /// What was not yet waited of it: the clock of the runtime has ticks of a millisecond.
    owed: Duration,
}

impl SharedThrottle {
    /// See [`WorkerThrottle::charge`].
    pub fn charge(&self) -> Duration {
        self.open().charge()
    }

    /// Work for a session that took this long on another thread is done. What it held is given
    /// back at once, or after a while in which the processors are left to others.
    pub fn keep_after(&self, took: Duration, held: impl Send + 'static) {
        let rest = self.open().rest_after(took);
        if rest.is_zero() {
            return;
        }
        tokio::spawn(async move {
            sleep(rest).await;
            drop(held);
        });
    }

    fn open(&self) -> MutexGuard<'_, WorkerThrottle> {
        let throttle = self
            .throttle
            .get_or_init(|| Mutex::new(WorkerThrottle::of_this_thread()));
        throttle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a thread had of a processor, since it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ThreadUsage {
    pub(super) ran: Duration,
    pub(super) waited: Duration,
}

impl WorkerThrottle {
    /// That of the thread it is made on.
    fn of_this_thread() -> Self {
        let statistics = ThreadUsage::of_this_thread();
        let last = statistics.as_ref().and_then(ThreadUsage::read);
        Self {
            statistics,
            last: last.unwrap_or_default(),
            looked: Instant::now(),
            pause: Duration::ZERO,
            owed: Duration::ZERO,
        }
    }

    /// A session begins a turn after a whole one in which it waited for nothing: how long the
    /// thread is to be left to others now.
    fn charge(&mut self) -> Duration {
        self.measure();
        self.owed += self.pause;
        if self.owed < limits::THROTTLE_TICK {
            return Duration::ZERO;
        }
        std::mem::take(&mut self.owed)
    }

    /// How long after such work the next one may begin: longer, the shorter processors are.
    fn rest_after(&mut self, took: Duration) -> Duration {
        self.measure();
        let steps = self.pause.as_micros() / limits::THROTTLE_PAUSE_MIN.as_micros();
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let rest = took.saturating_mul(steps.saturating_mul(limits::THROTTLE_RESTS));
        rest.min(limits::THROTTLE_REST_MAX)
    }

    fn measure(&mut self) {
        let now = Instant::now();
        let time = now.saturating_duration_since(self.looked);
        if time < limits::THROTTLE_LOOK {
            return;
        }
        self.looked = now;
        let Some(usage) = self.statistics.as_ref().and_then(ThreadUsage::read) else {
            return;
        };
        let waited = usage.waited.saturating_sub(self.last.waited);
        self.last = usage;
        self.pause = next_pause(self.pause, waited, time);
    }
}

impl ThreadUsage {
    /// What tells it of the thread that this is called on, where the system tells.
    pub(super) fn of_this_thread() -> Option<File> {
        File::open("/proc/thread-self/schedstat").ok()
    }

    /// Three numbers: nanoseconds on a processor, nanoseconds of waiting for one, time slices.
    pub(super) fn read(statistics: &File) -> Option<Self> {
        let mut text = [0; STATISTICS_BYTES_MAX];
        let length = statistics.read_at(&mut text, 0).ok()?;
        Self::parse(text.get(..length)?)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let mut numbers = text.split_ascii_whitespace();
        let mut next = || numbers.next()?.parse().ok().map(Duration::from_nanos);
        Some(Self {
            ran: next()?,
            waited: next()?,
        })
    }
}

/// Twice as long where the thread stood waiting for more than its share of that time, shorter else.
fn next_pause(pause: Duration, waited: Duration, time: Duration) -> Duration {
    if waited > time / limits::THROTTLE_WAITING_SHARE {
        (pause * 2).clamp(limits::THROTTLE_PAUSE_MIN, limits::THROTTLE_PAUSE_MAX)
    } else if pause > limits::THROTTLE_PAUSE_MIN {
        pause * 7 / 8
    } else {
        Duration::ZERO
    }
}

/// Three numbers of 20 digits, two blanks and the end of the line.
const STATISTICS_BYTES_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::{ThreadUsage, WorkerThrottle, next_pause};
    use crate::limits;
    use std::time::Duration;

    const LOOK: Duration = limits::THROTTLE_LOOK;

    fn check(text: &str, expected: Option<(u64, u64)>) {
        let expected = expected.map(|(ran, waited)| ThreadUsage {
            ran: Duration::from_nanos(ran),
            waited: Duration::from_nanos(waited),
        });
        assert_eq!(ThreadUsage::parse(text.as_bytes()), expected, "{text:?}");
    }

    #[test]
    fn what_linux_says_is_read() {
        check("1500 20 3\n", Some((1500, 20)));
        check("0 0 0", Some((0, 0)));
        check("18446744073709551615 7 1\n", Some((u64::MAX, 7)));
        for text in [
            "",
            "\n",
            "12",
            "a b c",
            "-1 2 3",
            "18446744073709551616 1 1",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_thread_knows_its_own_waiting() {
        let mut throttle = WorkerThrottle::of_this_thread();
        assert!(throttle.statistics.is_some(), "Linux tells");
        let began = throttle.last;
        let mut sum = 0_u64;
        for number in 0..3_000_000_u64 {
            sum = std::hint::black_box(sum.wrapping_add(number));
        }
        std::thread::sleep(LOOK);
        throttle.charge();
        assert!(throttle.last.ran > began.ran, "{:?}", throttle.last);
    }

    #[test]
    fn the_pause_grows_while_processors_are_short_and_goes_when_they_are_not() {
        let mut pause = Duration::ZERO;
        for _ in 0..3 {
            pause = next_pause(pause, LOOK / 2, LOOK);
        }
        assert_eq!(pause, limits::THROTTLE_PAUSE_MAX);
        assert_eq!(next_pause(pause, LOOK, LOOK), pause, "it has a bound");
        let mut looks = 0;
        while !pause.is_zero() {
            pause = next_pause(pause, LOOK / 20, LOOK);
            looks += 1;
            assert!(looks < 20, "within a tenth of a second it is gone");
        }
        assert_eq!(next_pause(pause, LOOK / 20, LOOK), Duration::ZERO);
    }

    #[test]
    fn pauses_are_taken_by_the_tick() {
        let mut throttle = WorkerThrottle {
            statistics: None,
            pause: limits::THROTTLE_PAUSE_MAX,
            ..WorkerThrottle::of_this_thread()
        };
        let taken: Duration = (0..100).map(|_| throttle.charge()).sum();
        assert_eq!(taken, limits::THROTTLE_PAUSE_MAX * 100);
        throttle.pause = Duration::ZERO;
        assert_eq!(throttle.charge(), Duration::ZERO);
    }
}
