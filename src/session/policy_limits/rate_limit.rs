//! Statements in a time: a bucket that fills steadily, kept as one number.
//!
//! The number is the moment at which the bucket is full again. It does not know how large the
//! bucket is, so a policy that changes its mind needs nothing to be converted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A bucket of one user. Time is counted in nanoseconds from a moment that the caller chooses.
#[derive(Debug, Default)]
pub struct RateBucket {
    full_at: AtomicU64,
    /// All that was ever taken, in nanoseconds: what other copies of pgsieve are told of.
    taken: AtomicU64,
}

/// How fast a bucket fills, and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefillRate {
    /// Nanoseconds for one statement.
    interval: f64,
    /// Statements that may come at once.
    burst: f64,
}

/// Statements that were taken out of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenStatements {
    nanos: u64,
}

impl RefillRate {
    /// So many in a second on average; those of ten seconds, and at least one, may come at once.
    pub fn per_second(statements: f64) -> Self {
        Self::of(statements, (statements * BURST_SECONDS).max(1.0))
    }

    /// So many in 24 hours, all at once if need be.
    pub fn per_day(statements: u64) -> Self {
        // Above 2^53 it does not matter which number it is.
        #[expect(
            clippy::as_conversions,
            clippy::cast_precision_loss,
            reason = "see above"
        )]
        let statements = statements as f64;
        Self::of(statements / SECONDS_OF_DAY, statements)
    }

    fn of(per_second: f64, burst: f64) -> Self {
        Self {
            interval: NANOS_OF_SECOND / per_second,
            burst,
        }
    }

    /// More statements than the bucket holds are taken as if they were as many as it holds: they
    /// come in one text, and would never pass.
    fn cost(self, statements: u32) -> u64 {
        nanos(self.interval * f64::from(statements).min(self.burst))
    }

    fn depth(self) -> u64 {
        nanos(self.interval * self.burst)
    }
}

impl RateBucket {
    /// Takes statements out.
    ///
    /// # Errors
    /// The time after which there are enough.
    pub fn take(
        &self,
        statements: u32,
        rate: RefillRate,
        now: u64,
    ) -> Result<TakenStatements, Duration> {
        let cost = rate.cost(statements);
        let mut before = self.full_at.load(Ordering::Relaxed);
        loop {
            let after = before.max(now).saturating_add(cost);
            let latest = now.saturating_add(rate.depth());
            if after > latest {
                return Err(Duration::from_nanos(after - latest));
            }
            let swapped = self.full_at.compare_exchange_weak(
                before,
                after,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match swapped {
                Ok(_) => {
                    self.taken.fetch_add(cost, Ordering::Relaxed);
                    return Ok(TakenStatements { nanos: cost });
                }
                Err(found) => before = found,
            }
        }
    }

    /// Puts back what was not needed after all.
    pub fn put_back(&self, taken: TakenStatements) {
        self.full_at.fetch_sub(taken.nanos, Ordering::Relaxed);
        self.taken.fetch_sub(taken.nanos, Ordering::Relaxed);
    }

    /// All that was taken since the bucket was made, in nanoseconds.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// How long it takes from a moment until the bucket is full, in nanoseconds.
    pub(super) fn debt(&self, now: u64) -> u64 {
        self.full_at.load(Ordering::Relaxed).saturating_sub(now)
    }

    /// Others have taken as well: the bucket is not full before this moment.
    pub(super) fn not_full_before(&self, moment: u64) {
        self.full_at
            .fetch_max(moment.min(FOR_EVER), Ordering::Relaxed);
    }

    /// Whether the bucket is full: nothing has to be remembered.
    pub fn is_full(&self, now: u64) -> bool {
        self.full_at.load(Ordering::Relaxed) <= now
    }
}

/// A whole number of nanoseconds; what is no number, or too large, is for ever.
fn nanos(nanos: f64) -> u64 {
    let seconds = nanos / NANOS_OF_SECOND;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) => u64::try_from(duration.as_nanos()).unwrap_or(FOR_EVER),
        Err(_) => FOR_EVER,
    }
    .min(FOR_EVER)
}

const NANOS_OF_SECOND: f64 = 1e9;

const SECONDS_OF_DAY: f64 = 86_400.0;

/// A dashboard sends the statements of a page at once and then nothing for a while.
const BURST_SECONDS: f64 = 10.0;

/// Some 146 years; two of them can be added.
const FOR_EVER: u64 = u64::MAX / 4;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// How many of `asked` single statements pass at a moment.
    fn passing(pace: &RateBucket, rate: RefillRate, now: u64, asked: u32) -> u32 {
        let passed = (0..asked).filter(|_| pace.take(1, rate, now).is_ok());
        u32::try_from(passed.count()).unwrap()
    }

    #[test]
    fn ten_seconds_may_come_at_once() {
        let (pace, rate) = (RateBucket::default(), RefillRate::per_second(2.0));
        let start = 5 * SECOND;
        assert_eq!(passing(&pace, rate, start, 100), 20);
        assert_eq!(passing(&pace, rate, start + SECOND / 2 - 1, 100), 0);
        assert_eq!(passing(&pace, rate, start + SECOND / 2, 100), 1);
        assert_eq!(passing(&pace, rate, start + 4 * SECOND, 100), 7);
        assert_eq!(passing(&pace, rate, start + 400 * SECOND, 100), 20);
    }

    #[test]
    fn less_than_one_in_ten_seconds_is_one_at_a_time() {
        let (pace, rate) = (RateBucket::default(), RefillRate::per_second(0.01));
        assert_eq!(passing(&pace, rate, 0, 5), 1);
        let wait = pace.take(1, rate, 0).unwrap_err();
        assert_eq!(wait, Duration::from_secs(100));
        assert_eq!(passing(&pace, rate, 100 * SECOND, 5), 1);
    }

    #[test]
    fn a_day_holds_as_many_as_it_says() {
        let (pace, rate) = (RateBucket::default(), RefillRate::per_day(24));
        assert_eq!(passing(&pace, rate, 0, 100), 24);
        assert_eq!(pace.take(1, rate, 0), Err(Duration::from_secs(3600)));
        assert_eq!(passing(&pace, rate, 3 * 3600 * SECOND, 100), 3);
        assert!(!pace.is_full(26 * 3600 * SECOND));
        assert!(pace.is_full(27 * 3600 * SECOND));
        let huge = RefillRate::per_day(u64::MAX);
        assert_eq!(passing(&RateBucket::default(), huge, 0, 1000), 1000);
    }

    #[test]
    fn what_is_put_back_can_be_taken_again() {
        let (pace, rate) = (RateBucket::default(), RefillRate::per_day(2));
        let taken = pace.take(1, rate, 0).unwrap();
        pace.put_back(taken);
        assert_eq!(passing(&pace, rate, 0, 9), 2);
    }

    #[test]
    fn many_at_once_cost_no_more_than_there_can_be() {
        let (pace, rate) = (RateBucket::default(), RefillRate::per_second(1.0));
        assert!(pace.take(50, rate, 0).is_ok());
        assert_eq!(pace.take(1, rate, 0), Err(Duration::from_secs(1)));
        let odd = RefillRate::per_second(f64::MIN_POSITIVE);
        assert!(RateBucket::default().take(1, odd, 0).is_ok());
    }
}
