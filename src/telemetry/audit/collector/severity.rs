//! How much a line matters: alarms are errors, what was refused or has failed is a warning, and
//! everything else is as expected.

use opentelemetry_proto::tonic::logs::v1::SeverityNumber;

/// How much it matters that an event has happened; `word` looks a field of its line up.
pub fn of<'a>(event: &str, word: impl Fn(&str) -> Option<&'a str>) -> SeverityNumber {
    let is_any = |name: &str, words: &[&str]| word(name).is_some_and(|word| words.contains(&word));
    let is_refused = is_any("verdict", &["refused", "cut"])
        || (event == "login" && !is_any("outcome", &["accepted"]))
        || is_any("outcome", &["rejected"]);
    if ALARMS.contains(&event) {
        SeverityNumber::Error
    } else if is_refused || WARNINGS.contains(&event) {
        SeverityNumber::Warn
    } else {
        SeverityNumber::Info
    }
}

/// What it is called.
pub fn name(severity: SeverityNumber) -> &'static str {
    match severity {
        SeverityNumber::Error => "ERROR",
        SeverityNumber::Warn => "WARN",
        _ => "INFO",
    }
}

/// Events that somebody must look at, as the log has them.
const ALARMS: &[&str] = &["tripwire", "session_panicked", "panic_at"];

/// Events that somebody may want to look at.
const WARNINGS: &[&str] = &[
    "limit_reached",
    "connection_refused",
    "protocol_violation",
    "catalog_failed",
    "catalog_withdrawn",
    "lines_lost",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::audit::schema::EVENTS;
    use crate::telemetry::labels::{LoginOutcome, StatementOutcome};

    #[test]
    fn what_is_refused_is_a_warning_and_an_alarm_is_an_error() {
        for named in ALARMS.iter().chain(WARNINGS) {
            assert!(EVENTS.iter().any(|event| event.name == *named), "{named}");
        }
        let of_word = |event, name: &'static str, value: &'static str| {
            of(event, |asked| (asked == name).then_some(value))
        };
        for outcome in StatementOutcome::ALL {
            let is_refused = matches!(outcome, StatementOutcome::Refused | StatementOutcome::Cut);
            let severity = of_word("statement", "verdict", outcome.name());
            assert_eq!(severity == SeverityNumber::Warn, is_refused, "{outcome:?}");
        }
        for outcome in LoginOutcome::ALL {
            let severity = of_word("login", "outcome", outcome.name());
            let is_good = *outcome == LoginOutcome::Accepted;
            assert_eq!(severity == SeverityNumber::Info, is_good, "{outcome:?}");
        }
        for event in ["policies_read", "settings_read"] {
            assert_eq!(of_word(event, "outcome", "rejected"), SeverityNumber::Warn);
            assert_eq!(of_word(event, "outcome", "loaded"), SeverityNumber::Info);
        }
        assert_eq!(of("tripwire", |_| None), SeverityNumber::Error);
        assert_eq!(of("connection_opened", |_| None), SeverityNumber::Info);
    }
}
