//! Where a collector is that takes the audit, and what goes with each request.

use crate::secret::Secret;
use crate::telemetry::collector::settings::CollectorSettings;

/// A collector of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorTarget {
    /// Where it is, and how it is spoken to.
    pub collector: CollectorSettings,
    /// Headers that go with every request, such as an authorization.
    pub headers: Vec<(String, Secret)>,
    /// What the service is called.
    pub service_name: String,
}
