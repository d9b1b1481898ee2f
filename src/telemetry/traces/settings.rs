//! Where spans go, and how many. Everything wrong is found when the settings are read.

use crate::secret::Secret;
use crate::telemetry::collector::settings::CollectorSettings;

/// Where spans go, and how many.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSettings {
    /// The collector.
    pub collector: CollectorSettings,
    /// Of the statements that come without a trace of their own, the share that is sampled: 0 to 1.
    pub sample_ratio: f64,
    /// What the service is called.
    pub service_name: String,
    /// Headers that go with every request, such as an authorization.
    pub headers: Vec<(String, Secret)>,
    /// Where the database is.
    pub database: Option<DatabaseAddress>,
}

/// Where the database is that spans are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseAddress {
    /// A host, or the folder of a Unix socket.
    pub address: String,
    /// The port.
    pub port: u16,
}
