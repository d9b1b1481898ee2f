//! What whoever runs this should know of the settings: one line each, with a name that stays and
//! the key that it is about.

use crate::telemetry::EventSinks;
use crate::telemetry::events::Event;
use crate::telemetry::labels::{HeldCertificate, SettingsWarning};
use crate::telemetry::log::LogLevel;
use crate::telemetry::session_info::cleaned;

/// The settings hold something that should be fixed.
pub struct SettingsWarned<'a> {
    /// What kind of thing.
    pub warning: SettingsWarning,
    /// The key that it is about.
    pub key: &'a str,
    /// What is so, and what to do; no path, password or address of a client.
    pub what: &'a str,
}

/// These certificates are held from now on, and no others.
pub struct CertificatesHeld<'a> {
    /// Which, and when they end, in seconds since 1970.
    pub ends: &'a [(HeldCertificate, i64)],
}

impl Event for SettingsWarned<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let (name, key, what) = (self.warning.name(), cleaned(self.key), cleaned(self.what));
        sinks
            .log
            .line(LogLevel::Warn, name, format_args!("{key}: {what}"));
    }
}

impl Event for CertificatesHeld<'_> {
    fn emit(&self, sinks: &EventSinks) {
        let expiry = &sinks.metrics.certificate_expiry;
        expiry.reset();
        for (certificate, _) in self.ends {
            let same = self.ends.iter().filter(|(other, _)| other == certificate);
            if let Some(first) = same.map(|(_, ends)| *ends).min() {
                expiry.with_label_values(&[certificate.name()]).set(first);
            }
        }
    }
}
