//! Lines that a collector has refused for good: each is counted, and it is told from time to time.

use std::time::Instant;

use crate::limits::collectors::AUDIT_REFUSED_TOLD_EVERY;

/// What was refused.
#[derive(Default)]
pub struct RefusedLines {
    /// Lines that are not counted yet.
    uncounted: usize,
    /// Lines that are not told yet.
    untold: usize,
    why: String,
    told: Option<Instant>,
}

/// Lines that were refused since it was asked last.
pub struct RefusedCount {
    /// How many.
    pub lines: u64,
    /// How many are to be told now, with those before, and why the last were refused; none where it
    /// was told a moment ago.
    pub told: Option<(u64, String)>,
}

impl RefusedLines {
    /// So many more, for this reason.
    pub fn note(&mut self, lines: usize, why: String) {
        self.uncounted = self.uncounted.saturating_add(lines);
        self.untold = self.untold.saturating_add(lines);
        self.why = why;
    }

    /// Those since this was asked last.
    pub fn take(&mut self, now: Instant) -> Option<RefusedCount> {
        let is_time = self
            .told
            .is_none_or(|told| now.saturating_duration_since(told) >= AUDIT_REFUSED_TOLD_EVERY);
        let told = (is_time && self.untold > 0).then(|| {
            self.told = Some(now);
            let untold = std::mem::take(&mut self.untold);
            (as_u64(untold), self.why.clone())
        });
        let lines = as_u64(std::mem::take(&mut self.uncounted));
        (lines > 0 || told.is_some()).then_some(RefusedCount { lines, told })
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_counted_and_told_once_and_not_each_by_itself() {
        let (mut refused, now) = (RefusedLines::default(), Instant::now());
        assert!(refused.take(now).is_none());
        refused.note(3, "a".into());
        refused.note(4, "b".into());
        let first = refused.take(now).unwrap();
        assert_eq!((first.lines, first.told), (7, Some((7, "b".into()))));
        assert!(refused.take(now).is_none());
        refused.note(5, "c".into());
        let second = refused.take(now).unwrap();
        assert_eq!((second.lines, second.told), (5, None));
        let later = now + AUDIT_REFUSED_TOLD_EVERY;
        let third = refused.take(later).unwrap();
        assert_eq!((third.lines, third.told), (0, Some((5, "c".into()))));
        assert!(refused.take(later).is_none());
    }
}
