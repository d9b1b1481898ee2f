//! Whether the groundings that sessions stand on are still true: looked at again whenever the
//! catalog or the policy has changed, and counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::service::GroundingService;
use crate::limits::served_groundings;
use crate::server::readiness::{GroundingReadiness, Readiness};
use crate::session::registry::StoodGrounding;
use crate::telemetry::Telemetry;
use crate::telemetry::events::GroundingsCounted;
use crate::telemetry::labels::StaleGroundingAge;
use crate::telemetry::session_info::cleaned;
use crate::upstream::catalog_cache::groundings::{GivenGrounding, GroundingStanding};
use crate::words::Word;

/// Looks at them for as long as pgsieve serves. May be cancelled.
pub async fn watch_groundings(
    service: GroundingService,
    readiness: Arc<Readiness>,
    telemetry: Telemetry,
) {
    let mut pause = served_groundings::LOOK_INTERVAL;
    loop {
        sleep(pause).await;
        pause = served_groundings::LOOK_INTERVAL;
        let stood = service.stood_on();
        let latest = service.latest();
        let mut seen: Vec<(&str, &Arc<GivenGrounding>)> = Vec::new();
        let all = stood
            .iter()
            .filter_map(|one| Some((&*one.database, one.given.as_ref()?)));
        for (database, given) in all.chain(latest.iter().map(|(name, given)| (&**name, given))) {
            if !seen.iter().any(|(_, known)| Arc::ptr_eq(known, given)) {
                seen.push((database, given));
            }
        }
        for (database, given) in seen {
            if !service.check(database, given).await {
                pause = served_groundings::LOOK_INTERVAL * served_groundings::PAUSE_FACTOR;
            }
        }
        telemetry.emit(&GroundingsCounted {
            stale: &stale_by_age(&stood),
        });
        readiness.note_groundings(shown(&stood, &latest));
    }
}

/// How many sessions stand on a stale grounding, by how long it has been.
fn stale_by_age(stood: &[StoodGrounding]) -> [i64; StaleGroundingAge::ALL.len()] {
    let mut counts = [0; StaleGroundingAge::ALL.len()];
    for given in stood.iter().filter_map(|one| one.given.as_ref()) {
        if let GroundingStanding::Stale { since, .. } = given.standing() {
            let age = StaleGroundingAge::of(since.elapsed());
            if let Some(count) = counts.get_mut(age.index()) {
                *count += 1;
            }
        }
    }
    counts
}

/// Each database with the version that was told last, or what that is by now, and who stands on it.
fn shown(
    stood: &[StoodGrounding],
    latest: &[(String, Arc<GivenGrounding>)],
) -> Vec<GroundingReadiness> {
    let mut rows: BTreeMap<&str, GroundingReadiness> = BTreeMap::new();
    for (database, given) in latest {
        let (version, since) = match given.standing() {
            GroundingStanding::Fresh => (Some(given.version), given.given),
            GroundingStanding::Stale { since, now, .. } => (now, since),
        };
        let row = GroundingReadiness {
            database: cleaned(database),
            policy: cleaned(&given.key.policy),
            version: version.map(|number| format!("{number:016x}")),
            age: Instant::now().duration_since(since).as_secs_f64(),
            sessions: 0,
            stale_sessions: 0,
        };
        // Of one database at several servers the youngest is told.
        let is_younger = |known: &GroundingReadiness| row.age < known.age;
        if rows.get(&**database).is_none_or(is_younger) {
            rows.insert(database, row);
        }
    }
    for one in stood {
        let (Some(given), Some(row)) = (&one.given, rows.get_mut(&*one.database)) else {
            continue;
        };
        row.sessions += 1;
        row.stale_sessions += match given.standing() {
            GroundingStanding::Fresh => 0,
            GroundingStanding::Stale { .. } => 1,
        };
    }
    rows.into_values().collect()
}
