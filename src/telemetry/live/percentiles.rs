//! Percentiles out of a histogram's buckets. Within a bucket they are taken as even, as
//! Prometheus's `histogram_quantile` does.

use prometheus::proto;
use serde::Serialize;

/// The counts of a histogram at one moment, each with those of the buckets below it.
#[derive(Clone, Default)]
pub struct HistogramCounts {
    /// Upper bounds in seconds and counts; those above the last bound are in `count` alone.
    buckets: Vec<(f64, u64)>,
    count: u64,
}

/// What a histogram says, in seconds.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Percentiles {
    /// How many values there were.
    pub count: u64,
    /// Half of them took no longer; none where there were none.
    pub p50: Option<f64>,
    /// All but a twentieth.
    pub p95: Option<f64>,
    /// All but a hundredth.
    pub p99: Option<f64>,
    /// Longer times are not told apart.
    pub most: f64,
}

impl HistogramCounts {
    /// The counts of a histogram.
    pub fn of(histogram: &proto::Histogram) -> Self {
        let buckets = histogram.get_bucket().iter();
        Self {
            buckets: buckets
                .map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()))
                .filter(|(bound, _)| bound.is_finite())
                .collect(),
            count: histogram.get_sample_count(),
        }
    }

    /// What came since an earlier moment.
    pub fn since(&self, before: &Self) -> Self {
        let earlier = |place: usize| before.buckets.get(place).map_or(0, |(_, count)| *count);
        let buckets = self.buckets.iter().enumerate();
        Self {
            buckets: buckets
                .map(|(place, (bound, count))| (*bound, count.saturating_sub(earlier(place))))
                .collect(),
            count: self.count.saturating_sub(before.count),
        }
    }

    /// The usual ones.
    pub fn percentiles(&self) -> Percentiles {
        Percentiles {
            count: self.count,
            p50: self.percentile(0.5),
            p95: self.percentile(0.95),
            p99: self.percentile(0.99),
            most: self.most(),
        }
    }

    /// The value that this part of all does not exceed; the last bound for what lies above it.
    pub fn percentile(&self, part: f64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let rank = part * float(self.count);
        let (mut below, mut counted) = (0.0, 0);
        for (bound, count) in &self.buckets {
            if float(*count) >= rank && *count > counted {
                let within = (rank - float(counted)) / float(count - counted);
                return Some(below + (bound - below) * within.clamp(0.0, 1.0));
            }
            (below, counted) = (*bound, *count);
        }
        Some(self.most())
    }

    fn most(&self) -> f64 {
        self.buckets.last().map_or(0.0, |(bound, _)| *bound)
    }
}

/// Beyond four billion statements in some minutes a percentile is what it was before.
fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(buckets: &[(f64, u64)], count: u64, part: f64, wanted: Option<f64>) {
        let spread = HistogramCounts {
            buckets: buckets.to_vec(),
            count,
        };
        let found = spread.percentile(part);
        let near = match (found, wanted) {
            (Some(found), Some(wanted)) => (found - wanted).abs() < 1e-9,
            (found, wanted) => found == wanted,
        };
        assert!(near, "{found:?}, not {wanted:?}");
    }

    #[test]
    fn percentiles_lie_in_their_bucket() {
        let buckets = [(1.0, 50), (2.0, 90), (4.0, 100)];
        check(&buckets, 100, 0.5, Some(1.0));
        check(&buckets, 100, 0.25, Some(0.5));
        check(&buckets, 100, 0.7, Some(1.5));
        check(&buckets, 100, 0.95, Some(3.0));
        check(&buckets, 200, 0.99, Some(4.0));
        check(&buckets, 0, 0.5, None);
        check(&[], 0, 0.5, None);
        check(&[(1.0, 0), (2.0, 8)], 8, 0.5, Some(1.5));
    }
}
