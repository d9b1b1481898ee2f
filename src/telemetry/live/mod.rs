//! The numbers of the live page: read from the metrics once a second, with some minutes of history,
//! so that nothing is done for it on the path of a statement.
//!
//! * `reading`: the numbers at one moment; `percentiles`: percentiles out of histograms
//! * `recent`: what was refused and repaired lately

mod percentiles;
mod reading;
pub mod recent;

use std::collections::VecDeque;

use serde::Serialize;

use self::percentiles::HistogramCounts;
pub use self::percentiles::Percentiles;
pub use self::reading::{LabelledCount, MetricsReading, UpstreamReading};
use crate::limits;
use crate::telemetry::labels::StatementOutcome;

/// The readings of the last minutes.
#[derive(Default)]
pub struct LiveHistory {
    /// The latest one last.
    samples: VecDeque<LiveSample>,
}

/// What is remembered of a reading.
struct LiveSample {
    at_ms: u64,
    verdicts: Vec<u64>,
    gate: HistogramCounts,
    upstream: HistogramCounts,
    total: HistogramCounts,
}

/// Statements per second, by verdict.
#[derive(Serialize)]
pub struct StatementRates {
    /// When, in milliseconds since 1970: the end of each second.
    pub at: Vec<u64>,
    /// The verdicts.
    pub verdicts: Vec<&'static str>,
    /// For each verdict the rates at those times.
    pub rates: Vec<Vec<f64>>,
}

/// How long statements took in the last minutes.
#[derive(Serialize)]
pub struct StatementLatency {
    /// Over how many seconds.
    pub seconds: f64,
    /// At the gate.
    pub gate: Percentiles,
    /// At the upstream.
    pub upstream: Percentiles,
    /// Altogether.
    pub total: Percentiles,
    /// The 99th percentile of all of it, for one part of the time after the other; none where
    /// nothing ran.
    pub total_p99: Vec<Option<f64>>,
}

impl LiveHistory {
    /// Takes a reading in, made at so many milliseconds since 1970.
    pub fn add(&mut self, at_ms: u64, reading: &MetricsReading) {
        // A clock that was set back makes no rate.
        if self.samples.back().is_some_and(|last| last.at_ms >= at_ms) {
            self.samples.clear();
        }
        if self.samples.len() > limits::PULSE_SECONDS {
            self.samples.pop_front();
        }
        self.samples.push_back(LiveSample {
            at_ms,
            verdicts: reading.verdicts.clone(),
            gate: reading.gate.clone(),
            upstream: reading.upstream.clone(),
            total: reading.total.clone(),
        });
    }

    /// The rates of at most the last so many readings.
    pub fn rates(&self, readings: usize) -> StatementRates {
        let skipped = self.samples.len().saturating_sub(readings + 1);
        let samples = || self.samples.iter().skip(skipped);
        let pairs = || samples().zip(samples().skip(1));
        let rate = |place: usize, (from, to): (&LiveSample, &LiveSample)| {
            let rise = to.verdict(place).saturating_sub(from.verdict(place));
            per_second(rise, to.at_ms.saturating_sub(from.at_ms))
        };
        StatementRates {
            at: pairs().map(|(_, to)| to.at_ms).collect(),
            verdicts: StatementOutcome::ALL
                .iter()
                .map(|verdict| verdict.name())
                .collect(),
            rates: (0..StatementOutcome::ALL.len())
                .map(|place| pairs().map(|pair| rate(place, pair)).collect())
                .collect(),
        }
    }

    /// How long statements took, over all readings.
    pub fn latency(&self) -> Option<StatementLatency> {
        let (from, to) = (self.samples.front()?, self.samples.back()?);
        let bounds: Vec<&LiveSample> = self
            .samples
            .iter()
            .rev()
            .step_by(limits::PULSE_PART_SECONDS)
            .collect();
        let parts = bounds.iter().rev().zip(bounds.iter().rev().skip(1));
        Some(StatementLatency {
            seconds: seconds(to.at_ms.saturating_sub(from.at_ms)),
            gate: to.gate.since(&from.gate).percentiles(),
            upstream: to.upstream.since(&from.upstream).percentiles(),
            total: to.total.since(&from.total).percentiles(),
            total_p99: parts
                .map(|(from, to)| to.total.since(&from.total).percentile(0.99))
                .collect(),
        })
    }
}

impl LiveSample {
    fn verdict(&self, place: usize) -> u64 {
        self.verdicts.get(place).copied().unwrap_or(0)
    }
}

/// A rise over some milliseconds as a rate, to a tenth.
fn per_second(rise: u64, ms: u64) -> f64 {
    let rise = f64::from(u32::try_from(rise).unwrap_or(u32::MAX));
    let rate = if ms == 0 { 0.0 } else { rise / seconds(ms) };
    (rate * 10.0).round() / 10.0
}

fn seconds(ms: u64) -> f64 {
    std::time::Duration::from_millis(ms).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::StatementKind;
    use crate::telemetry::Telemetry;
    use crate::telemetry::counters::counter_vec::ThreeLabels;
    use crate::telemetry::labels::ProtocolPath;
    use crate::words::Word;

    #[test]
    fn rates_and_percentiles_come_from_the_rise_between_readings() {
        let telemetry = Telemetry::quiet().unwrap();
        let metrics = &telemetry.sinks.metrics;
        let mut live_history = LiveHistory::default();
        assert!(live_history.latency().is_none());
        for second in 0..4 {
            live_history.add(1000 * (second + 1), &telemetry.reading());
            for (outcome, count) in [
                (StatementOutcome::Permitted, 10),
                (StatementOutcome::Refused, second),
            ] {
                let labels = ThreeLabels(ProtocolPath::Query, StatementKind::ALL[0], outcome);
                let slot = metrics.by_policy.slot(None);
                (metrics.by_policy).add(slot, None, [(labels, count)].into_iter());
            }
            metrics.statement_seconds.observe(0.003);
        }
        let rates = live_history.rates(usize::MAX - 1);
        assert_eq!(rates.at, [2000, 3000, 4000]);
        let of = |wanted: StatementOutcome| &rates.rates[wanted.index()];
        assert_eq!(of(StatementOutcome::Permitted), &[10.0; 3]);
        assert_eq!(of(StatementOutcome::Refused), &[0.0, 1.0, 2.0]);
        assert_eq!(live_history.rates(1).at, [4000]);

        let latency = live_history.latency().unwrap();
        assert_eq!((latency.total.count, latency.gate.count), (3, 0));
        let median = latency.total.p50.unwrap();
        assert!((0.002..=0.005).contains(&median), "{median}");
        assert!(latency.gate.p99.is_none());
    }

    #[test]
    fn history_has_a_bound_and_a_clock_set_back_begins_it_anew() {
        let telemetry = Telemetry::quiet().unwrap();
        let mut live_history = LiveHistory::default();
        for second in 1..1000 {
            live_history.add(1000 * second, &telemetry.reading());
        }
        assert_eq!(
            live_history.rates(usize::MAX - 1).at.len(),
            limits::PULSE_SECONDS
        );
        live_history.add(5, &telemetry.reading());
        assert_eq!(live_history.rates(10).at.len(), 0);
    }
}
