//! Which statements get a span. A parent decides for its statement; without one chance does.
//!
//! A client can say of each of its statements that the parent is recorded. So parents decide for so
//! many statements in a second and no more: nobody who logs in turns the operator's ratio into one.
//!
//! <https://www.w3.org/TR/trace-context/#sampled-flag>

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::limits;
use crate::telemetry::traces::traceparent::TraceParent;

/// Of the statements without a parent, the share that is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleRatio {
    /// All.
    All,
    /// Those whose number is below this one.
    Below(u64),
}

/// Numbers by chance, cheap ones: they decide and are never shown.
#[derive(Clone, Debug)]
pub struct SamplingRng(u64);

/// How many statements of this second were sampled because of their parents.
#[derive(Debug)]
pub struct ParentSampleLimit {
    begun: Instant,
    /// The second since then, and below it the count.
    taken: AtomicU64,
}

impl ParentSampleLimit {
    /// Nobody has had any.
    pub fn new(begun: Instant) -> Self {
        let taken = AtomicU64::new(0);
        Self { begun, taken }
    }

    /// Whether there is one left for a statement that has come at this moment.
    pub fn take(&self, arrived: Instant) -> bool {
        let second = arrived.saturating_duration_since(self.begun).as_secs();
        let next = |taken: u64| match taken & COUNT_MASK {
            _ if taken >> COUNT_BITS < second => Some(second << COUNT_BITS | 1),
            // One that comes late counts among those of now.
            count if count < limits::TRACE_FOLLOWED_PER_SECOND_MAX => Some(taken + 1),
            _ => None,
        };
        self.taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .is_ok()
    }
}

impl SampleRatio {
    /// Of a ratio from 0 to 1.
    pub fn of(ratio: f64) -> Self {
        if ratio >= 1.0 {
            return Self::All;
        }
        #[expect(
            clippy::as_conversions,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a ratio below 1 of 2^64 fits; what is negative or no number becomes 0"
        )]
        let below = (ratio * TWO_TO_64) as u64;
        Self::Below(below)
    }

    /// Whether a statement is sampled.
    pub fn samples(self, parent: Option<&TraceParent>, dice: &mut SamplingRng) -> bool {
        match (parent, self) {
            (Some(parent), _) => parent.sampled,
            (None, Self::All) => true,
            (None, Self::Below(below)) => dice.next() < below,
        }
    }
}

impl SamplingRng {
    /// Dice that nobody can foresee; without randomness, ones that fall the same each time.
    pub fn new() -> Self {
        let mut seed = [0; 8];
        let _ = getrandom::fill(&mut seed);
        Self(u64::from_ne_bytes(seed))
    }

    /// SplitMix64, <https://prng.di.unimi.it/splitmix64.c>.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Default for SamplingRng {
    fn default() -> Self {
        Self::new()
    }
}

/// Bits of the count: more than there are rations.
const COUNT_BITS: u32 = 24;

/// The same, all set.
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn taken(ratio: f64, parent: Option<&TraceParent>) -> usize {
        let mut dice = SamplingRng(7);
        let share = SampleRatio::of(ratio);
        (0..10_000)
            .filter(|_| share.samples(parent, &mut dice))
            .count()
    }

    #[test]
    fn without_a_parent_the_ratio_decides() {
        assert_eq!(taken(0.0, None), 0);
        assert_eq!(taken(1.0, None), 10_000);
        assert!((2_800..3_200).contains(&taken(0.3, None)));
        assert!((50..150).contains(&taken(0.01, None)));
        assert_eq!(taken(f64::NAN, None), 0);
    }

    #[test]
    fn with_a_parent_only_that_does() {
        let parent = |sampled| TraceParent {
            trace: [1; 16],
            span: [2; 8],
            sampled,
        };
        assert_eq!(taken(1.0, Some(&parent(false))), 0);
        assert_eq!(taken(0.0, Some(&parent(true))), 10_000);
    }

    #[test]
    fn parents_decide_for_so_many_statements_in_a_second() {
        let begun = Instant::now();
        let ration = ParentSampleLimit::new(begun);
        let most = limits::TRACE_FOLLOWED_PER_SECOND_MAX;
        let in_second = |second: u64| {
            let at = begun + Duration::from_secs(second);
            (0..3 * most).filter(|_| ration.take(at)).count()
        };
        let most = usize::try_from(most).unwrap();
        assert_eq!(in_second(0), most);
        assert_eq!(in_second(1), most);
        assert_eq!(in_second(100), most);
        // A moment that was read before it was used.
        assert_eq!(in_second(99), 0);
        assert_eq!(in_second(101), most);
    }
}
