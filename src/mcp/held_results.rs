//! Further pages of long results: what a session has read and not yet told.
//!
//! A result is read once, to its bound, so that all pages are of one moment and nothing stays open
//! at the server.

use std::collections::VecDeque;

use super::outcome::{AnswerColumn, StatementResult};
use super::services::RequestOrigin;
use crate::limits::mcp::{HELD_RESULTS_MAX, PAGE_BYTES_MAX};

/// The results of a session that have further pages.
#[derive(Debug, Default)]
pub struct HeldResults {
    results: VecDeque<HeldResult>,
    named: u64,
}

#[derive(Debug)]
struct HeldResult {
    number: u64,
    /// For whom it was read.
    origin: RequestOrigin,
    result: StatementResult,
}

/// A page of a result.
#[derive(Debug)]
pub struct ResultPage {
    /// Its columns.
    pub columns: Vec<AnswerColumn>,
    /// Its rows.
    pub rows: Vec<Vec<Option<String>>>,
    /// The place of its first row in the result, from zero.
    pub offset: usize,
    /// What the next page is asked for by.
    pub next: Option<String>,
    /// Behind the last page there were more rows than are held.
    pub is_beyond_bound: bool,
}

impl HeldResults {
    /// The first page; the rest is held for those that follow.
    pub fn begin(
        &mut self,
        (origin, result): (RequestOrigin, StatementResult),
        rows: usize,
    ) -> ResultPage {
        self.named += 1;
        let held = HeldResult {
            number: self.named,
            origin,
            result,
        };
        let page = held.page(0, rows);
        if page.next.is_some() {
            if self.results.len() >= HELD_RESULTS_MAX {
                self.results.pop_front();
            }
            self.results.push_back(held);
        }
        page
    }

    /// The page that a cursor names; none where it is held no longer, or never was for this one.
    pub fn page(&self, origin: &RequestOrigin, cursor: &str, rows: usize) -> Option<ResultPage> {
        let (number, offset) = cursor.split_once('-')?;
        let number: u64 = number.parse().ok()?;
        let offset: usize = offset.parse().ok()?;
        let mut held = self.results.iter();
        let held = held.find(|held| held.number == number && held.origin == *origin)?;
        (offset < held.result.rows.len()).then(|| held.page(offset, rows))
    }
}

impl HeldResult {
    fn page(&self, offset: usize, rows: usize) -> ResultPage {
        let mut bytes = 0;
        let left = self.result.rows.iter().skip(offset).take(rows);
        // A page has a row at least, be it long.
        let fitting = left.enumerate().take_while(|(place, row)| {
            let values = row.iter().flatten();
            bytes += values.map(String::len).sum::<usize>();
            *place == 0 || bytes <= PAGE_BYTES_MAX
        });
        let shown: Vec<_> = fitting.map(|(_, row)| row.clone()).collect();
        let end = offset + shown.len();
        let is_last = end >= self.result.rows.len();
        ResultPage {
            columns: self.result.columns.clone(),
            rows: shown,
            offset,
            next: (!is_last).then(|| format!("{}-{end}", self.number)),
            is_beyond_bound: is_last && self.result.is_beyond_bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(rows: usize, bytes: usize) -> StatementResult {
        let column = AnswerColumn {
            name: "a".into(),
            type_oid: 25,
        };
        StatementResult::of(
            vec![column],
            vec![vec![Some("x".repeat(bytes)), None]; rows],
        )
    }

    #[test]
    fn pages_are_the_whole_result_in_order() {
        let mut held = HeldResults::default();
        let mut page = held.begin((RequestOrigin::default(), result(25, 1)), 10);
        let mut sizes = vec![(page.offset, page.rows.len())];
        while let Some(next) = &page.next {
            page = held.page(&RequestOrigin::default(), next, 10).unwrap();
            sizes.push((page.offset, page.rows.len()));
        }
        assert_eq!(sizes, [(0, 10), (10, 10), (20, 5)]);
    }

    #[test]
    fn a_page_has_room_for_few_long_rows_and_always_for_one() {
        let mut held = HeldResults::default();
        assert_eq!(
            held.begin(
                (RequestOrigin::default(), result(9, PAGE_BYTES_MAX / 3)),
                100
            )
            .rows
            .len(),
            3
        );
        assert_eq!(
            held.begin(
                (RequestOrigin::default(), result(2, PAGE_BYTES_MAX * 2)),
                100
            )
            .rows
            .len(),
            1
        );
    }

    #[test]
    fn what_is_not_held_has_no_page() {
        let mut held = HeldResults::default();
        assert!(
            held.begin((RequestOrigin::default(), result(10, 1)), 10)
                .next
                .is_none()
        );
        let first = held
            .begin((RequestOrigin::default(), result(11, 1)), 10)
            .next
            .unwrap();
        for _ in 0..HELD_RESULTS_MAX {
            assert!(held.page(&RequestOrigin::default(), &first, 10).is_some());
            held.begin((RequestOrigin::default(), result(11, 1)), 10);
        }
        for cursor in [&*first, "", "1", "-", "99-1", "2-11", "2--1", "x-y"] {
            assert!(
                held.page(&RequestOrigin::default(), cursor, 10).is_none(),
                "{cursor}"
            );
        }
    }
}
