//! Refusals by rule and by user since the start, and in the last hour.
//!
//! Names of users are the clients': when the list is full, the one with the fewest refusals gives
//! way and counts among the others.

use serde::Serialize;

use super::minute_counts::MinuteCounts;

/// Counts by something.
pub struct RefusalTotals<K> {
    rows: Vec<RefusalTotal<K>>,
    most: usize,
    left_out: u64,
}

struct RefusalTotal<K> {
    key: K,
    count: u64,
    last: u64,
    minutes: MinuteCounts,
}

/// One row, for the page.
#[derive(Serialize)]
pub struct TotalShown {
    /// What was counted.
    pub name: String,
    /// How often since the start.
    pub count: u64,
    /// When last, in milliseconds since 1970.
    pub last: u64,
    /// How often in each minute of the last hour.
    pub minutes: Vec<u32>,
}

impl<K: PartialEq + Clone> RefusalTotals<K> {
    /// An empty list of at most so many rows.
    pub fn new(most: usize) -> Self {
        Self {
            rows: Vec::new(),
            most,
            left_out: 0,
        }
    }

    /// Counts one.
    pub fn add(&mut self, key: &K, now: u64) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.key == *key) {
            row.add(now);
            return;
        }
        if self.rows.len() >= self.most {
            let fewest = self.rows.iter().enumerate();
            let fewest = fewest.min_by_key(|(_, row)| (row.count, row.last));
            if let Some((place, _)) = fewest {
                self.left_out += self.rows.swap_remove(place).count;
            }
        }
        let mut row = RefusalTotal {
            key: key.clone(),
            count: 0,
            last: now,
            minutes: MinuteCounts::new(),
        };
        row.add(now);
        self.rows.push(row);
    }

    /// Every row, the highest count first.
    pub fn shown(&self, now: u64, name: impl Fn(&K) -> String) -> Vec<TotalShown> {
        let mut rows: Vec<_> = self
            .rows
            .iter()
            .map(|row| TotalShown {
                name: name(&row.key),
                count: row.count,
                last: row.last,
                minutes: row.minutes.shown(now),
            })
            .collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        rows
    }

    /// What was counted for rows that gave way.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl<K> RefusalTotal<K> {
    fn add(&mut self, now: u64) {
        self.count = self.count.saturating_add(1);
        self.last = now;
        self.minutes.add(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_the_fewest_gives_way_and_is_counted_among_the_others() {
        let mut totals = RefusalTotals::new(2);
        for (now, user) in (0..).zip(["much", "much", "once", "late", "late", "last"]) {
            totals.add(&user, now);
        }
        let shown = totals.shown(10, |user| (*user).to_owned());
        let shown: Vec<_> = shown
            .iter()
            .map(|row| (row.name.as_str(), row.count, row.last))
            .collect();
        assert_eq!(shown, [("late", 2, 4), ("last", 1, 5)]);
        assert_eq!(totals.left_out(), 3);
    }
}
