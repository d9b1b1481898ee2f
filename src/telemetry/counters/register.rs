//! How a row of the [table](crate::telemetry::metrics) becomes a live number.

use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use prometheus::{
    Counter, Gauge, GaugeVec, Histogram, HistogramOpts, IntCounter, IntGauge, IntGaugeVec, Opts,
    Registry,
};

use crate::telemetry::TelemetryError;
use crate::telemetry::counters::capped_counters::CappedRefusals;
use crate::telemetry::counters::counter_vec::{CounterVec, LabelSet};
use crate::telemetry::metrics::Metric;

/// Declares live numbers: each field once, with the row that it is registered by and the function
/// here that does it. A field without a row is a set of its own.
macro_rules! metric_set {
    ($(#[$about:meta])* $shown:vis $set:ident {
        $(
            $(#[$doc:meta])*
            $own:vis $field:ident: $kind:ty $(= $make:ident($($row:ident $(, $more:expr)*)?))?;
        )+
    }) => {
        $(#[$about])*
        $shown struct $set {
            $(
                $($(#[doc = concat!("See [`", stringify!($row), "`].")])?)?
                $(#[$doc])*
                $own $field: $kind,
            )+
        }

        impl $set {
            /// Registers the rows.
            ///
            /// # Errors
            /// Prometheus takes no such name, or has it already.
            $shown fn register(
                registry: &prometheus::Registry,
            ) -> Result<Self, $crate::telemetry::TelemetryError> {
                Ok(Self {
                    $($field: $crate::telemetry::counters::register::live!(
                        registry, $kind $(, $make $($row $(, $more)*)?)?
                    ),)+
                })
            }
        }
    };
}

/// What registers one field of a set.
macro_rules! live {
    ($registry:ident, $kind:ty) => {
        <$kind>::register($registry)?
    };
    ($registry:ident, $kind:ty, $make:ident) => {
        $crate::telemetry::counters::register::$make($registry)?
    };
    ($registry:ident, $kind:ty, $make:ident $row:ident $(, $more:expr)*) => {
        $crate::telemetry::counters::register::$make($registry, &$row $(, $more)*)?
    };
}

pub(in crate::telemetry) use {live, metric_set};

/// What is kept beside the numbers and is none.
///
/// # Errors
/// None.
pub fn unregistered<T: Default>(_registry: &Registry) -> Result<T, TelemetryError> {
    Ok(T::default())
}

/// The registry that the numbers are in.
///
/// # Errors
/// None.
pub fn itself(registry: &Registry) -> Result<Registry, TelemetryError> {
    Ok(registry.clone())
}

/// Counters, of which none exists yet.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn counters<L: LabelSet>(
    registry: &Registry,
    metric: &'static Metric,
) -> Result<CounterVec<L>, TelemetryError> {
    CounterVec::register(registry, metric)
}

/// Counters, all of them at zero.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn from_zero<L: LabelSet>(
    registry: &Registry,
    metric: &'static Metric,
) -> Result<CounterVec<L>, TelemetryError> {
    CounterVec::from_zero(registry, metric)
}

/// The same, shared with who counts.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn shared_from_zero<L: LabelSet>(
    registry: &Registry,
    metric: &'static Metric,
) -> Result<Arc<CounterVec<L>>, TelemetryError> {
    from_zero(registry, metric).map(Arc::new)
}

/// A counter.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn counter(registry: &Registry, metric: &'static Metric) -> Result<IntCounter, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let counter = IntCounter::new(metric.name, metric.help).map_err(wrong)?;
    registry
        .register(Box::new(counter.clone()))
        .map_err(wrong)?;
    Ok(counter)
}

/// A counter of fractions.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn fraction(registry: &Registry, metric: &'static Metric) -> Result<Counter, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let counter = Counter::new(metric.name, metric.help).map_err(wrong)?;
    registry
        .register(Box::new(counter.clone()))
        .map_err(wrong)?;
    Ok(counter)
}

/// A gauge of fractions.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn level(registry: &Registry, metric: &'static Metric) -> Result<Gauge, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let gauge = Gauge::new(metric.name, metric.help).map_err(wrong)?;
    registry.register(Box::new(gauge.clone())).map_err(wrong)?;
    Ok(gauge)
}

/// A gauge.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn gauge(registry: &Registry, metric: &'static Metric) -> Result<IntGauge, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let gauge = IntGauge::new(metric.name, metric.help).map_err(wrong)?;
    registry.register(Box::new(gauge.clone())).map_err(wrong)?;
    Ok(gauge)
}

/// A gauge with labels.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn gauges(registry: &Registry, metric: &'static Metric) -> Result<IntGaugeVec, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options = Opts::new(metric.name, metric.help);
    let gauges = IntGaugeVec::new(options, &metric.label_names()).map_err(wrong)?;
    registry.register(Box::new(gauges.clone())).map_err(wrong)?;
    Ok(gauges)
}

/// A histogram with these boundaries.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn histogram(
    registry: &Registry,
    metric: &'static Metric,
    buckets: &[f64],
) -> Result<Histogram, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options = HistogramOpts::new(metric.name, metric.help).buckets(buckets.to_vec());
    let histogram = Histogram::with_opts(options).map_err(wrong)?;
    registry
        .register(Box::new(histogram.clone()))
        .map_err(wrong)?;
    Ok(histogram)
}

/// Counters of refusals for so many names at a time.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn refusals<N: Clone + Eq + Hash + Display>(
    registry: &Registry,
    metric: &'static Metric,
    most: usize,
) -> Result<CappedRefusals<N>, TelemetryError> {
    CappedRefusals::register(registry, metric, most)
}

/// A gauge of fractions with labels.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn levels(registry: &Registry, metric: &'static Metric) -> Result<GaugeVec, TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options = Opts::new(metric.name, metric.help);
    let gauges = GaugeVec::new(options, &metric.label_names()).map_err(wrong)?;
    registry.register(Box::new(gauges.clone())).map_err(wrong)?;
    Ok(gauges)
}

/// A gauge that is always 1, with the version that runs.
///
/// # Errors
/// Prometheus takes no such name, or has it already.
pub fn info(registry: &Registry, metric: &'static Metric) -> Result<(), TelemetryError> {
    let wrong = |_| TelemetryError::Metric { name: metric.name };
    let options =
        Opts::new(metric.name, metric.help).const_label("version", env!("CARGO_PKG_VERSION"));
    let gauge = IntGauge::with_opts(options).map_err(wrong)?;
    gauge.set(1);
    registry.register(Box::new(gauge)).map_err(wrong)
}

/// A duration as Prometheus counts it.
pub fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// Seconds that the boundaries of statement times stand at: a tenth of a millisecond to a minute.
pub const STATEMENT_BUCKETS: &[f64] = &[
    1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0, 2.0, 5.0, 10.0,
    30.0, 60.0,
];
