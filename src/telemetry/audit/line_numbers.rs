//! Which number on the chain a line has got.
//!
//! Whoever emits a line knows its place among the lines that the queue has taken in. Its number on
//! the chain is larger by the lines that the writer has put in of its own, and it is final once the
//! line is in every place: what is on the chain and not written yet may go on another one.

use std::collections::VecDeque;

use crate::limits::receipts::AUDIT_NUMBERINGS_KEPT;

/// The numbers of the last lines.
#[derive(Clone, Debug, Default)]
pub struct LineNumbers {
    /// The first line of each stretch that the writer put nothing into, and its number.
    stretches: VecDeque<(u64, u64)>,
}

impl LineNumbers {
    /// The line at that place has this number. Lines come in their order; one that came before was
    /// taken back, with all behind it.
    pub fn note(&mut self, line: u64, seq: u64) {
        while self.stretches.back().is_some_and(|(from, _)| *from >= line) {
            self.stretches.pop_back();
        }
        if self.of(line) == Some(seq) {
            return;
        }
        if self.stretches.len() >= AUDIT_NUMBERINGS_KEPT {
            self.stretches.pop_front();
        }
        self.stretches.push_back((line, seq));
    }

    /// The number of the line at that place; none where it is from before what is kept.
    pub fn of(&self, line: u64) -> Option<u64> {
        let mut stretches = self.stretches.iter().rev();
        let (from, seq) = stretches.find(|(from, _)| *from <= line)?;
        seq.checked_add(line - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_numbered_behind_what_the_writer_put_in() {
        let mut numbers = LineNumbers::default();
        assert_eq!(numbers.of(1), None);
        for (line, seq) in [(1, 2), (2, 3), (3, 5), (4, 6)] {
            numbers.note(line, seq);
        }
        let told = [1, 2, 3, 4].map(|line| numbers.of(line));
        assert_eq!(told, [Some(2), Some(3), Some(5), Some(6)]);
        assert_eq!(numbers.stretches.len(), 2);
        // The last two were taken back, and are on a new chain.
        numbers.note(3, 2);
        numbers.note(4, 3);
        let told = [2, 3, 4].map(|line| numbers.of(line));
        assert_eq!(told, [Some(3), Some(2), Some(3)]);
        for line in 5..1_000 {
            numbers.note(line, 2 * line);
        }
        assert_eq!(numbers.stretches.len(), AUDIT_NUMBERINGS_KEPT);
        assert_eq!((numbers.of(4), numbers.of(999)), (None, Some(1_998)));
    }
}
