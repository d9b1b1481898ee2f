//! The admin address was asked for something.

use crate::telemetry::EventSinks;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::telemetry::labels::Label;

/// A request to the admin address was answered.
pub struct AdminAnswered {
    /// What was asked for.
    pub page: AdminPage,
    /// How it was answered.
    pub status: StatusClass,
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminPage {
    /// `/`.
    Live,
    /// `/events`, what the live page is fed from.
    Events,
    /// `/api/…`, what the live page asks for.
    Api,
    /// `/metrics`.
    Metrics,
    /// `/healthz`.
    Healthz,
    /// `/readyz`.
    Readyz,
    /// Whatever else.
    Other,
}

/// The classes of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// It was served.
    Success,
    /// The request was wrong.
    Client,
    /// It cannot be served now.
    Server,
}

impl Event for AdminAnswered {
    fn emit(&self, sinks: &EventSinks) {
        let labels = TwoLabels(self.page, self.status);
        sinks.metrics.admin_requests.inc(labels);
    }
}

impl StatusClass {
    /// The class of a status.
    pub fn of(status: u16) -> Self {
        match status {
            400..=499 => Self::Client,
            500.. => Self::Server,
            _ => Self::Success,
        }
    }
}

impl Label for AdminPage {
    const ALL: &'static [Self] = &[
        Self::Live,
        Self::Events,
        Self::Api,
        Self::Metrics,
        Self::Healthz,
        Self::Readyz,
        Self::Other,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Events => "events",
            Self::Api => "api",
            Self::Metrics => "metrics",
            Self::Healthz => "healthz",
            Self::Readyz => "readyz",
            Self::Other => "other",
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Live => 0,
            Self::Events => 1,
            Self::Api => 2,
            Self::Metrics => 3,
            Self::Healthz => 4,
            Self::Readyz => 5,
            Self::Other => 6,
        }
    }
}

impl Label for StatusClass {
    const ALL: &'static [Self] = &[Self::Success, Self::Client, Self::Server];

    fn name(self) -> &'static str {
        match self {
            Self::Success => "2xx",
            Self::Client => "4xx",
            Self::Server => "5xx",
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Success => 0,
            Self::Client => 1,
            Self::Server => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_at_its_place() {
        for (place, page) in AdminPage::ALL.iter().enumerate() {
            assert_eq!(page.index(), place, "{}", page.name());
        }
        for (place, class) in StatusClass::ALL.iter().enumerate() {
            assert_eq!(class.index(), place, "{}", class.name());
        }
        assert_eq!(StatusClass::of(200), StatusClass::Success);
        assert_eq!(StatusClass::of(431), StatusClass::Client);
        assert_eq!(StatusClass::of(503), StatusClass::Server);
    }
}
