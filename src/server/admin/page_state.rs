//! What the live page is told, as the JSON that its script reads.

use serde::Serialize;

use crate::limits::{PAGE_ROWS_MAX, PAGE_USERS_MAX};
use crate::server::readiness::{Readiness, ReadinessSummary};
use crate::telemetry::Telemetry;
use crate::telemetry::live::recent::RecentShown;
use crate::telemetry::live::{
    LabelledCount, LiveHistory, MetricsReading, StatementLatency, StatementRates, UpstreamReading,
};

/// The numbers of this second.
#[derive(Serialize)]
pub struct CurrentNumbers {
    /// When, in milliseconds since 1970.
    at: u64,
    version: &'static str,
    standing: ReadinessSummary,
    rates: StatementRates,
    verdicts: Vec<u64>,
    latency: Option<StatementLatency>,
    /// Whether statements are counted at all.
    counting: bool,
    connections: u64,
    sessions: Vec<LabelledCount>,
    upstream_sessions: Vec<LabelledCount>,
    upstreams: Vec<UpstreamReading>,
    repairs: Vec<LabelledCount>,
    limits: Vec<LabelledCount>,
    observed: Vec<LabelledCount>,
    tripwires: u64,
    panics: u64,
    audit_dropped: u64,
    catalog_age: f64,
}

/// What happened lately.
#[derive(Serialize)]
pub struct RecentActivity {
    #[serde(flatten)]
    shown: Option<RecentShown>,
}

impl CurrentNumbers {
    /// The numbers of a reading.
    pub fn of(
        at: u64,
        live_history: &LiveHistory,
        reading: &MetricsReading,
        readiness: &Readiness,
    ) -> Self {
        let counted = |rows: &[LabelledCount]| rows.to_vec();
        Self {
            at,
            version: env!("CARGO_PKG_VERSION"),
            standing: readiness.standing(),
            rates: live_history.rates(1),
            verdicts: reading.verdicts.clone(),
            latency: live_history.latency(),
            counting: reading.is_counting,
            connections: reading.connections,
            sessions: counted(&reading.sessions),
            upstream_sessions: counted(&reading.upstream_sessions),
            upstreams: reading.upstreams.clone(),
            repairs: counted(&reading.repairs),
            limits: counted(&reading.limits),
            observed: counted(&reading.observed),
            tripwires: reading.tripwires,
            panics: reading.panics,
            audit_dropped: reading.audit_dropped,
            catalog_age: reading.catalog_age,
        }
    }
}

impl RecentActivity {
    /// As much as a page shows.
    pub fn of(telemetry: &Telemetry) -> Self {
        let mut shown = telemetry.recent().map(|recent| recent.shown());
        if let Some(shown) = &mut shown {
            shown.refusals.truncate(PAGE_ROWS_MAX);
            shown.repairs.truncate(PAGE_ROWS_MAX);
            let rest = shown.users.split_off(PAGE_USERS_MAX.min(shown.users.len()));
            shown.other_users += rest.iter().map(|user| user.count).sum::<u64>();
        }
        Self { shown }
    }
}
