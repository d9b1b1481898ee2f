//! The admin address was asked for something.

use crate::telemetry::EventSinks;
use crate::telemetry::counters::counter_vec::TwoLabels;
use crate::telemetry::events::Event;
use crate::words::words;

/// A request to the admin address was answered.
pub struct AdminAnswered {
    /// What was asked for.
    pub page: AdminPage,
    /// How it was answered.
    pub status: StatusClass,
}

words! {
    /// What can be asked for.
    AdminPage {
        /// `/`.
        Live => "live",
        /// `/events`, what the live page is fed from.
        Events => "events",
        /// `/api/…`, what the live page asks for.
        Api => "api",
        /// `/grounding`.
        Grounding => "grounding",
        /// `/metrics`.
        Metrics => "metrics",
        /// `/healthz`.
        Healthz => "healthz",
        /// `/readyz`.
        Readyz => "readyz",
        /// Whatever else.
        Other => "other",
    }
}

words! {
    /// The classes of answers.
    StatusClass {
        /// It was served.
        Success => "2xx",
        /// The request was wrong.
        Client => "4xx",
        /// It cannot be served now.
        Server => "5xx",
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Word;

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
