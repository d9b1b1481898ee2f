//! The store in which copies of pgsieve count together: asked, lost, reached again.

use std::time::Duration;

use crate::telemetry::EventSinks;
use crate::telemetry::counters::register::seconds;
use crate::telemetry::events::Event;
use crate::telemetry::labels::StoreAnswer;
use crate::telemetry::log::LogLevel;
use crate::telemetry::log::log_event::LogEvent;

/// Counts were exchanged, or were to be. Counted only.
pub struct LimitsStoreAsked {
    /// Whether the store has answered.
    pub has_answered: bool,
    /// How long that took.
    pub took: Duration,
}

/// The store has not answered for so long that it is taken to be away.
pub struct LimitsStoreLost<'a> {
    /// Why, in words that hold no address.
    pub failure: &'a dyn std::fmt::Display,
    /// Whether what cannot be counted is refused.
    pub refuses: bool,
}

/// It answers again.
pub struct LimitsStoreReached;

impl Event for LimitsStoreAsked {
    fn emit(&self, sinks: &EventSinks) {
        let numbers = &sinks.metrics.limits_store;
        numbers.exchanges.inc(match self.has_answered {
            true => StoreAnswer::Answered,
            false => StoreAnswer::Failed,
        });
        if self.has_answered {
            numbers.exchange_seconds.observe(seconds(self.took));
        }
    }
}

impl Event for LimitsStoreLost<'_> {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.limits_store.lost.set(1);
        let key = sinks.log.places().name("limits.store");
        let holds = match self.refuses {
            true => "statements of users with limits are refused until it does",
            false => "this copy counts by itself until it does",
        };
        sinks.log.line(
            LogLevel::Warn,
            LogEvent::LimitsStoreLost.name(),
            format_args!(
                "{key}: the store does not answer: {}; {holds}",
                self.failure
            ),
        );
    }
}

impl Event for LimitsStoreReached {
    fn emit(&self, sinks: &EventSinks) {
        sinks.metrics.limits_store.lost.set(0);
        let key = sinks.log.places().name("limits.store");
        sinks.log.line(
            LogLevel::Info,
            LogEvent::LimitsStoreReached.name(),
            format_args!("{key}: the store answers again, and knows what was counted meanwhile"),
        );
    }
}
