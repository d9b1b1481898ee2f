//! What the live page is told, as the JSON that its script reads.

use serde::Serialize;

use crate::limits::pools::PAGE_POOLS_MAX;
use crate::limits::{PAGE_ROWS_MAX, PAGE_USERS_MAX};
use crate::server::readiness::{Readiness, ReadinessSummary};
use crate::telemetry::Telemetry;
use crate::telemetry::live::recent::RecentShown;
use crate::telemetry::live::{
    LabelledCount, LiveHistory, MetricsReading, StatementLatency, StatementRates, UpstreamReading,
};
use crate::upstream::pool::ConnectionPools;
use crate::upstream::pool::shown::{PoolShown, ShownUse};

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
    /// None where each session has a connection of its own.
    pools: Option<ShownPools>,
}

/// The pools of connections, those that are waited for and used most first.
#[derive(Serialize)]
struct ShownPools {
    rows: Vec<PoolRow>,
    /// How many more there are.
    others: usize,
}

/// One pool.
#[derive(Serialize)]
struct PoolRow {
    database: Box<str>,
    user: Box<str>,
    server: Box<str>,
    size: usize,
    /// Connections that sessions have, or that are being opened.
    used: usize,
    idle: usize,
    waiting: usize,
    /// In seconds; none where nobody waits.
    longest_wait: Option<f64>,
    paused: bool,
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
        (readiness, pools): (&Readiness, Option<&ConnectionPools>),
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
            pools: pools.map(ShownPools::of),
        }
    }
}

impl ShownPools {
    fn of(pools: &ConnectionPools) -> Self {
        let shown = pools.shown().into_iter().map(|pool| {
            let size = pools.settings_of(&pool.database).size;
            PoolRow::of(pool, size)
        });
        let mut rows: Vec<PoolRow> = shown.collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.waiting, row.used)));
        let others = rows.len().saturating_sub(PAGE_POOLS_MAX);
        rows.truncate(PAGE_POOLS_MAX);
        Self { rows, others }
    }
}

impl PoolRow {
    fn of(pool: PoolShown, size: usize) -> Self {
        let connections = pool.connections.iter();
        let is_idle = |usage: ShownUse| match usage {
            ShownUse::Idle => true,
            ShownUse::Opening | ShownUse::Session(_) => false,
        };
        let idle = connections.filter(|one| is_idle(one.usage)).count();
        let waits = pool.waiting.iter().map(|(_, waits)| *waits);
        Self {
            size,
            used: pool.connections.len() - idle,
            idle,
            waiting: pool.waiting.len(),
            longest_wait: waits.max().map(|longest| longest.as_secs_f64()),
            paused: pool.is_paused,
            database: pool.database,
            user: pool.user,
            server: pool.place,
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
