//! Medians, their intervals, and orders that favour nobody.

use std::fmt;

/// Some values.
pub struct Spread {
    /// The middle one.
    pub median: f64,
    low: f64,
    high: f64,
    least: f64,
    most: f64,
}

impl Spread {
    /// Of at least one value.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let outer = outside_of_interval(values.len());
        Self {
            median: f64::midpoint(values[last / 2], values[values.len() / 2]),
            low: values[outer],
            high: values[last - outer],
            least: values[0],
            most: values[last],
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            median,
            low,
            high,
            least,
            most,
        } = self;
        write!(
            formatter,
            "{median:.3} ({low:.3}–{high:.3}) {least:.2}..{most:.2}"
        )
    }
}

/// How many of the sorted values lie outside each end of the 95 % interval of the median, whatever
/// their distribution: the true median is above each value with even odds.
fn outside_of_interval(count: usize) -> usize {
    let mut outside = 0_usize;
    let mut chance = 0.5_f64.powi(i32::try_from(count).unwrap());
    let mut below = chance;
    while below <= 0.025 {
        outside += 1;
        let step = f64::from(u32::try_from(outside).unwrap());
        let all = f64::from(u32::try_from(count).unwrap());
        chance *= (all - step + 1.0) / step;
        below += chance;
    }
    outside.saturating_sub(1)
}

/// The numbers below `count` in an order that looks like chance and is the same in every run.
pub fn shuffled(count: usize, seed: usize) -> Vec<usize> {
    let mut state = u64::try_from(seed).unwrap() + 1;
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = usize::try_from(next(&mut state)).unwrap() % (last + 1);
        order.swap(last, other);
    }
    order
}

/// A number that looks like chance (splitmix64).
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
