//! What is known of the upstreams: whether they are reached, and how far a standby is behind.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus::{Gauge, GaugeVec, Histogram, IntGaugeVec};

use crate::limits;
use crate::telemetry::counters::counter_vec::CounterVec;
use crate::telemetry::counters::register::{STATEMENT_BUCKETS, metric_set, seconds};
use crate::telemetry::labels::CheckOutcome;
use crate::telemetry::metrics::{
    UPSTREAM_CHECK_SECONDS, UPSTREAM_CHECKS, UPSTREAM_IS_STANDBY, UPSTREAM_LAG_SECONDS, UPSTREAM_UP,
};

metric_set! {
    /// What is known of the upstreams.
    pub UpstreamMetrics {
        pub checks: CounterVec<CheckOutcome> = from_zero(UPSTREAM_CHECKS);
        pub check_seconds: Histogram = histogram(UPSTREAM_CHECK_SECONDS, STATEMENT_BUCKETS);
        up: IntGaugeVec = gauges(UPSTREAM_UP);
        is_standby: IntGaugeVec = gauges(UPSTREAM_IS_STANDBY);
        lag_seconds: GaugeVec = levels(UPSTREAM_LAG_SECONDS);
        known: Mutex<BTreeMap<String, Option<KnownRole>>> = unregistered();
    }
}

/// What a server said of its own part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ServerRole {
    /// It takes writes.
    Primary,
    /// It follows another one, this far behind; none where it cannot tell.
    Standby(Option<Duration>),
}

/// What was said, and how long it counts.
#[derive(Debug, Clone, Copy)]
struct KnownRole {
    part: ServerRole,
    until: Instant,
}

impl UpstreamMetrics {
    /// Whether an upstream was reached just now.
    pub fn tried(&self, upstream: &str, outcome: CheckOutcome, took: Duration) {
        self.checks.inc(outcome);
        let is_up = outcome == CheckOutcome::Reached;
        if is_up {
            self.check_seconds.observe(seconds(took));
        }
        if self.enters(upstream) {
            self.up.with_label_values(&[upstream]).set(i64::from(is_up));
        }
    }

    /// What an upstream says of its part counts for so long.
    pub fn set_role(&self, upstream: &str, part: ServerRole, valid: Duration) {
        if self.enters(upstream) {
            let until = Instant::now() + valid;
            let known = Some(KnownRole { part, until });
            self.open().insert(upstream.to_owned(), known);
        }
    }

    /// Lag grows old: it is read when a scrape asks, and what is too old is not shown.
    pub fn read(&self, now: Instant) {
        for (upstream, known) in self.open().iter_mut() {
            let names = [upstream.as_str()];
            *known = known.filter(|known| known.until > now);
            let part = known.map(|known| known.part);
            match part {
                None => drop(self.is_standby.remove_label_values(&names)),
                Some(part) => {
                    let is_standby = matches!(part, ServerRole::Standby(_));
                    self.is_standby
                        .with_label_values(&names)
                        .set(i64::from(is_standby));
                }
            }
            match part {
                None | Some(ServerRole::Standby(None)) => {
                    drop(self.lag_seconds.remove_label_values(&names));
                }
                Some(ServerRole::Primary) => self.lag(&names).set(0.0),
                Some(ServerRole::Standby(Some(lag))) => self.lag(&names).set(seconds(lag)),
            }
        }
    }

    fn lag(&self, names: &[&str]) -> Gauge {
        self.lag_seconds.with_label_values(names)
    }

    /// Whether it is one of those that are counted, as long as there are few.
    fn enters(&self, upstream: &str) -> bool {
        let mut known = self.open();
        let enters = known.contains_key(upstream) || known.len() < limits::UPSTREAM_LABELS_MAX;
        if enters && !known.contains_key(upstream) {
            known.insert(upstream.to_owned(), None);
        }
        enters
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Option<KnownRole>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus::{Registry, TextEncoder};

    fn shown(registry: &Registry, start: &str) -> Vec<String> {
        let text = TextEncoder::new()
            .encode_to_string(&registry.gather())
            .unwrap();
        let lines = text.lines().filter(|line| line.starts_with(start));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn what_is_too_old_is_not_shown() {
        let registry = Registry::new();
        let numbers = UpstreamMetrics::register(&registry).unwrap();
        let minute = Duration::from_secs(60);
        let lag = ServerRole::Standby(Some(Duration::from_millis(1500)));
        numbers.set_role("a:1", lag, minute);
        numbers.set_role("b:2", ServerRole::Primary, minute);
        numbers.set_role("c:3", ServerRole::Standby(None), minute);
        numbers.read(Instant::now());
        assert_eq!(
            shown(&registry, "pgsieve_upstream_lag_seconds{"),
            [
                "pgsieve_upstream_lag_seconds{upstream=\"a:1\"} 1.5",
                "pgsieve_upstream_lag_seconds{upstream=\"b:2\"} 0",
            ]
        );
        assert_eq!(
            shown(&registry, "pgsieve_upstream_is_standby{"),
            [
                "pgsieve_upstream_is_standby{upstream=\"a:1\"} 1",
                "pgsieve_upstream_is_standby{upstream=\"b:2\"} 0",
                "pgsieve_upstream_is_standby{upstream=\"c:3\"} 1",
            ]
        );
        numbers.read(Instant::now() + minute);
        assert!(shown(&registry, "pgsieve_upstream_lag_seconds{").is_empty());
        assert!(shown(&registry, "pgsieve_upstream_is_standby{").is_empty());
    }

    #[test]
    fn there_are_never_more_than_their_bound() {
        let registry = Registry::new();
        let numbers = UpstreamMetrics::register(&registry).unwrap();
        for port in 0..1000 {
            let name = format!("h:{port}");
            numbers.tried(&name, CheckOutcome::Unreachable, Duration::ZERO);
            numbers.set_role(&name, ServerRole::Primary, Duration::from_secs(60));
        }
        numbers.read(Instant::now());
        for metric in ["pgsieve_upstream_up{", "pgsieve_upstream_lag_seconds{"] {
            assert_eq!(shown(&registry, metric).len(), limits::UPSTREAM_LABELS_MAX);
        }
    }
}
