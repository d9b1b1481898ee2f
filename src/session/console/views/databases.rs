//! SHOW DATABASES: databases that are known. There is no list of them: any that the upstream has
//! can be asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::session::console::access::CONSOLE_DATABASE;
use crate::session::console::table::ColumnType::{Int4, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::console::views::host_and_port;
use crate::session::login::LoginContext;
use crate::upstream::pool::PoolMode;
use crate::upstream::servers::UpstreamServers;

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("name", Text),
    ConsoleColumn("host", Text),
    ConsoleColumn("port", Int4),
    ConsoleColumn("database", Text),
    ConsoleColumn("force_user", Text),
    ConsoleColumn("pool_size", Int4),
    ConsoleColumn("min_pool_size", Int4),
    ConsoleColumn("reserve_pool", Int4),
    ConsoleColumn("pool_mode", Text),
    ConsoleColumn("max_connections", Int4),
    ConsoleColumn("current_connections", Int4),
    ConsoleColumn("paused", Int4),
    ConsoleColumn("disabled", Int4),
];

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let connections = connections(login_context);
    let mut table = ConsoleTable::of(COLUMNS);
    for name in known_databases(login_context) {
        let open = connections.get(&name).copied().unwrap_or_default();
        let pools = login_context.pools_for(&name);
        let is_paused = pools.is_some_and(|pools| pools.is_paused(&name));
        let home = login_context.directory.home_of(&name);
        let (host, port) = place(&home.servers);
        let settings = pools.map(|pools| pools.settings_of(&name));
        table.add(vec![
            known(&name),
            host,
            port,
            known(&home.database),
            None,
            settings.and_then(|pool| known(pool.size)),
            known(settings.map_or(0, |pool| pool.min)),
            known(settings.map_or(0, |pool| pool.reserve)),
            known(settings.map_or(PoolMode::Session, |pool| pool.mode).name()),
            known(settings.map_or(0, |pool| pool.database_max.as_number())),
            known(open),
            known(u8::from(is_paused)),
            known(0),
        ]);
    }
    table
}

/// Databases that are known: that of the settings, and those that clients or pools are in, or that
/// are paused.
pub fn known_databases(login_context: &LoginContext) -> BTreeSet<Box<str>> {
    let of_url = login_context
        .directory
        .own()
        .first()
        .settings()
        .database
        .as_deref();
    let mut names: BTreeSet<Box<str>> = of_url.map(Box::from).into_iter().collect();
    if let Some(pools) = &login_context.pools {
        names.extend(pools.shown().into_iter().map(|pool| pool.database));
        names.extend(pools.paused_by_name());
    }
    login_context.session_registry.each(|_, member| {
        if member.info.database() != CONSOLE_DATABASE {
            names.insert(member.info.database().into());
        }
    });
    names
}

/// The connections to the upstream that clients use, by database.
fn connections(login_context: &LoginContext) -> BTreeMap<Box<str>, usize> {
    let mut connections: BTreeMap<Box<str>, usize> = BTreeMap::new();
    let pools = login_context.pools.iter().flat_map(|pools| pools.shown());
    for pool in pools {
        *connections.entry(pool.database).or_default() += pool.connections.len();
    }
    login_context.session_registry.each(|_, member| {
        if member.own_connection.is_some() {
            *connections
                .entry(member.info.database().into())
                .or_default() += 1;
        }
    });
    connections
}

/// Where servers are; the port is that of the first.
fn place(servers: &UpstreamServers) -> (Option<String>, Option<String>) {
    let places = servers
        .all()
        .iter()
        .map(|server| host_and_port(&server.to_string()));
    let (hosts, ports): (Vec<_>, Vec<_>) = places.unzip();
    let hosts: Vec<String> = hosts.into_iter().flatten().collect();
    (
        known(hosts.join(",")),
        ports.into_iter().next().unwrap_or_default(),
    )
}
