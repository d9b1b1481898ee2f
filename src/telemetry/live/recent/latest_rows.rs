//! A list of what came last. Equal things share a row, which counts them and moves to the front.
//!
//! When the list is full the oldest row goes, but a user that has its share of the rows already
//! loses one of its own: a flood of one user leaves the rows of the others alone.

use std::collections::VecDeque;

use serde::Serialize;

/// The latest things of one sort.
pub struct LatestRows<T> {
    /// The latest one last.
    rows: VecDeque<LatestRow<T>>,
    most: usize,
    share: usize,
}

/// One thing, how often and when it came.
#[derive(Clone, Serialize)]
pub struct LatestRow<T> {
    /// When it came first, in milliseconds since 1970.
    pub first: u64,
    /// When it came last.
    pub last: u64,
    /// How often it came since this row exists.
    pub count: u64,
    /// What it is.
    #[serde(flatten)]
    pub what: T,
}

/// What belongs to a user.
pub trait UserOwned: PartialEq {
    /// Whose it is.
    fn owner(&self) -> &str;

    /// Whether both belong into one row.
    fn equals(&self, other: &Self) -> bool {
        self == other
    }
}

impl<T: UserOwned + Clone> LatestRows<T> {
    /// An empty list of at most so many rows, and so many of one user.
    pub fn new(most: usize, share: usize) -> Self {
        Self {
            rows: VecDeque::new(),
            most,
            share,
        }
    }

    /// Puts a thing to the front.
    pub fn add(&mut self, what: T, now: u64) {
        let place = self.rows.iter().rposition(|row| row.what.equals(&what));
        let (first, count) = match place.and_then(|place| self.rows.remove(place)) {
            Some(before) => (before.first, before.count.saturating_add(1)),
            None => {
                self.make_room(what.owner());
                (now, 1)
            }
        };
        self.rows.push_back(LatestRow {
            first,
            last: now,
            count,
            what,
        });
    }

    /// All rows, the latest one first.
    pub fn shown(&self) -> Vec<LatestRow<T>> {
        self.rows.iter().rev().cloned().collect()
    }

    fn make_room(&mut self, owner: &str) {
        let own = |row: &LatestRow<T>| row.what.owner() == owner;
        if self.rows.iter().filter(|row| own(row)).count() >= self.share {
            let place = self.rows.iter().position(own);
            place.and_then(|place| self.rows.remove(place));
        } else if self.rows.len() >= self.most {
            self.rows.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, PartialEq)]
    struct TestRow(&'static str, u32);

    impl UserOwned for TestRow {
        fn owner(&self) -> &str {
            self.0
        }
    }

    fn shown(latest: &LatestRows<TestRow>) -> Vec<(&'static str, u32, u64)> {
        let rows = latest.shown();
        rows.iter()
            .map(|row| (row.what.0, row.what.1, row.count))
            .collect()
    }

    #[test]
    fn equal_things_share_a_row_that_moves_to_the_front() {
        let mut latest = LatestRows::new(3, 3);
        for (now, thing) in (10..).zip([TestRow("a", 1), TestRow("a", 2), TestRow("a", 1)]) {
            latest.add(thing, now);
        }
        assert_eq!(shown(&latest), [("a", 1, 2), ("a", 2, 1)]);
        let first = &latest.shown()[0];
        assert_eq!((first.first, first.last), (10, 12));
    }

    #[test]
    fn a_flood_of_one_user_leaves_the_rows_of_others() {
        let mut latest = LatestRows::new(4, 2);
        latest.add(TestRow("quiet", 1), 0);
        for (now, number) in (1..).zip(0..1000) {
            latest.add(TestRow("loud", number), now);
        }
        let wanted = [("loud", 999, 1), ("loud", 998, 1), ("quiet", 1, 1)];
        assert_eq!(shown(&latest), wanted);
        for (now, user) in (2000..).zip(["b", "c", "d", "e"]) {
            latest.add(TestRow(user, 0), now);
        }
        assert_eq!(latest.shown().len(), 4);
    }
}
