//! What of `databases` waits for a restart: all of it, told in one text.

use crate::config::ProgramSettings;
use crate::upstream::pool::PoolSizes;
use crate::upstream::servers::directory::DatabaseRoute;

/// Which databases are elsewhere, and where.
pub(super) fn elsewhere(settings: &ProgramSettings) -> String {
    let place = |route: &DatabaseRoute| {
        let (first, servers) = (&route.upstream, &route.servers);
        let others = servers.others.iter();
        let others: String = others
            .map(|server| format!(",{}", server.endpoint))
            .collect();
        format!(
            "{} at {}{others}/{} ({}, {} ms, {} ms, {}{})",
            route.names.pattern(),
            first.endpoint,
            first.database.as_deref().unwrap_or_default(),
            servers.targets.name(),
            servers.lag_max.as_millis(),
            servers.min_lsn_wait.as_millis(),
            servers.engine.name(),
            sizes(&route.pool)
        )
    };
    let places: Vec<String> = settings.databases.iter().map(place).collect();
    places.join("; ")
}

/// What a database has of its own of `pool`.
fn sizes(sizes: &PoolSizes) -> String {
    let mode = sizes.mode.map(|mode| format!(", {} mode", mode.name()));
    let all = [
        ("size", sizes.size),
        ("min", sizes.min),
        ("reserve", sizes.reserve),
    ];
    let own = all
        .iter()
        .filter_map(|(name, own)| own.map(|own| format!(", {name} {own}")));
    let most = sizes
        .database_max
        .map(|most| format!(", at most {}", most.as_number()));
    mode.into_iter().chain(own).chain(most).collect()
}
