//! Counts for each minute of the last hour.

/// How many minutes are told apart.
const MINUTES: usize = 60;

/// Counts for each minute of the last hour.
#[derive(Clone, Debug)]
pub struct MinuteCounts {
    /// The count of a minute stands at its number modulo [`MINUTES`].
    counts: [u32; MINUTES],
    /// The minute of the latest count, since 1970.
    latest: u64,
}

impl MinuteCounts {
    /// Nothing was counted yet.
    pub fn new() -> Self {
        Self {
            counts: [0; MINUTES],
            latest: 0,
        }
    }

    /// Counts one, at so many milliseconds since 1970.
    pub fn add(&mut self, now_ms: u64) {
        let minute = now_ms / MS_PER_MINUTE;
        if minute > self.latest {
            for passed in (self.latest + 1..=minute).rev().take(MINUTES) {
                if let Some(count) = self.counts.get_mut(place(passed)) {
                    *count = 0;
                }
            }
            self.latest = minute;
        }
        // A clock that was set back counts into the minute that it was in.
        if let Some(count) = self.counts.get_mut(place(self.latest)) {
            *count = count.saturating_add(1);
        }
    }

    /// The counts of the last hour, the present minute last.
    pub fn shown(&self, now_ms: u64) -> Vec<u32> {
        let present = (now_ms / MS_PER_MINUTE).max(self.latest);
        (0..MINUTES)
            .rev()
            .map(|ago| {
                let ago = u64::try_from(ago).unwrap_or(u64::MAX);
                self.at(present.saturating_sub(ago))
            })
            .collect()
    }

    fn at(&self, minute: u64) -> u32 {
        let age = self.latest.checked_sub(minute);
        match age.and_then(|age| usize::try_from(age).ok()) {
            Some(age) if age < MINUTES => self.counts.get(place(minute)).copied().unwrap_or(0),
            Some(_) | None => 0,
        }
    }
}

fn place(minute: u64) -> usize {
    usize::try_from(minute).unwrap_or(0) % MINUTES
}

const MS_PER_MINUTE: u64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: &[u64], now: u64, wanted: &[(usize, u32)]) {
        let mut minutes = MinuteCounts::new();
        for minute in at {
            minutes.add(minute * MS_PER_MINUTE);
        }
        let shown = minutes.shown(now * MS_PER_MINUTE);
        assert_eq!(shown.len(), MINUTES);
        let mut expected = vec![0; MINUTES];
        for (ago, count) in wanted {
            expected[MINUTES - 1 - ago] = *count;
        }
        assert_eq!(shown, expected, "{at:?} at {now}");
    }

    #[test]
    fn counts_stand_at_their_minute_and_fall_off_after_an_hour() {
        check(&[], 1000, &[]);
        check(&[1000, 1000, 1003], 1003, &[(3, 2), (0, 1)]);
        check(&[1000, 1059], 1059, &[(59, 1), (0, 1)]);
        check(&[1000, 1060], 1060, &[(0, 1)]);
        check(&[1000], 1061, &[]);
        check(&[1000, 5000], 5001, &[(1, 1)]);
        // A clock that was set back.
        check(&[1000, 900], 1000, &[(0, 2)]);
    }
}
