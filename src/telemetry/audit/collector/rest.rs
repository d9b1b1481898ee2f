//! When a collector that has not taken its lines is asked again: after a rest that doubles, or the
//! one that it has asked for, up to a bound.

use std::time::{Duration, Instant};

use crate::limits::collectors::{
    AUDIT_EXPORT_REST, AUDIT_EXPORT_REST_MAX, AUDIT_EXPORT_RETRY_AFTER_MAX,
};

/// When it is asked again.
pub struct CollectorRest {
    until: Option<Instant>,
    next: Duration,
    pace: RestPace,
}

/// Whether there is time to rest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RestPace {
    Usual,
    /// The process ends.
    Last,
}

impl CollectorRest {
    /// Now.
    pub fn new() -> Self {
        Self {
            until: None,
            next: AUDIT_EXPORT_REST,
            pace: RestPace::Usual,
        }
    }

    /// It has taken its lines.
    pub fn settle(&mut self) {
        (self.until, self.next) = (None, AUDIT_EXPORT_REST);
    }

    /// It has not. `asked`: the rest that it has asked for.
    pub fn begin(&mut self, now: Instant, asked: Option<Duration>) {
        let asked = asked.map(|asked| asked.min(AUDIT_EXPORT_RETRY_AFTER_MAX));
        let rest = asked.unwrap_or_default().max(self.next);
        self.until = now.checked_add(rest);
        self.next = self.next.saturating_mul(2).min(AUDIT_EXPORT_REST_MAX);
    }

    /// The process ends: there is no rest any more.
    pub fn hurry(&mut self) {
        self.pace = RestPace::Last;
    }

    /// Whether it rests.
    pub fn lasts(&self, now: Instant) -> bool {
        self.pace == RestPace::Usual && self.until.is_some_and(|until| now < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_double_up_to_a_bound_and_begin_anew() {
        let (mut rest, now) = (CollectorRest::new(), Instant::now());
        assert!(!rest.lasts(now));
        let mut lengths = Vec::new();
        for _ in 0..8 {
            rest.begin(now, None);
            lengths.push(rest.until.unwrap().duration_since(now).as_millis());
        }
        assert_eq!(lengths, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert!(rest.lasts(now) && !rest.lasts(now + AUDIT_EXPORT_REST_MAX));
        rest.settle();
        assert!(!rest.lasts(now));
        rest.begin(now, None);
        assert_eq!(rest.until, Some(now + AUDIT_EXPORT_REST));
    }

    #[test]
    fn a_collector_asks_for_longer_rests_and_not_for_endless_ones() {
        let now = Instant::now();
        for (asked, length) in [
            (Duration::ZERO, AUDIT_EXPORT_REST),
            (Duration::from_secs(7), Duration::from_secs(7)),
            (Duration::from_secs(3600), AUDIT_EXPORT_RETRY_AFTER_MAX),
            (Duration::MAX, AUDIT_EXPORT_RETRY_AFTER_MAX),
        ] {
            let mut rest = CollectorRest::new();
            rest.begin(now, Some(asked));
            assert_eq!(rest.until, Some(now + length));
            // Whoever ends does not rest.
            rest.hurry();
            assert!(!rest.lasts(now));
        }
    }
}
