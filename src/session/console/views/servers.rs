//! SHOW SERVERS: a row for each connection to the upstream that clients use.

use crate::session::console::table::ColumnType::{Int4, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::console::views::{host_and_port, written_system_time, written_time};
use crate::session::login::LoginContext;
use crate::upstream::pool::shown::{ConnectionShown, PoolShown, ShownUse};

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("type", Text),
    ConsoleColumn("user", Text),
    ConsoleColumn("database", Text),
    ConsoleColumn("state", Text),
    ConsoleColumn("addr", Text),
    ConsoleColumn("port", Int4),
    ConsoleColumn("connect_time", Text),
    ConsoleColumn("close_needed", Int4),
    ConsoleColumn("ptr", Text),
    ConsoleColumn("link", Text),
    ConsoleColumn("remote_pid", Int4),
];

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let mut table = ConsoleTable::of(COLUMNS);
    let pools = login_context.pools.iter().flat_map(|pools| pools.shown());
    for pool in pools {
        for connection in &pool.connections {
            table.add(row(&pool, connection));
        }
    }
    login_context.session_registry.each(|id, member| {
        let Some(own) = &member.own_connection else {
            return;
        };
        let (host, port) = host_and_port(&own.place);
        table.add(vec![
            known("S"),
            known(&own.account),
            known(member.info.database()),
            known("active"),
            host,
            port,
            written_time(member.since),
            known(0),
            known(format_args!("SC{id}")),
            known(format_args!("C{id}")),
            own.pid.and_then(known),
        ]);
    });
    table
}

/// How many there are.
pub(super) fn count(login_context: &LoginContext) -> usize {
    let pools = login_context.pools.iter().flat_map(|pools| pools.shown());
    let mut count = pools.map(|pool| pool.connections.len()).sum();
    login_context.session_registry.each(|_, member| {
        count += usize::from(member.own_connection.is_some());
    });
    count
}

fn row(pool: &PoolShown, connection: &ConnectionShown) -> Vec<Option<String>> {
    let (host, port) = host_and_port(&pool.place);
    let state = match connection.usage {
        ShownUse::Opening => "new",
        ShownUse::Idle => "idle",
        ShownUse::Session(_) => "active",
    };
    let link = match connection.usage {
        ShownUse::Session(session) => format!("C{session}"),
        ShownUse::Opening | ShownUse::Idle => String::new(),
    };
    vec![
        known("S"),
        known(&pool.user),
        known(&pool.database),
        known(state),
        host,
        port,
        written_system_time(connection.opened),
        known(u8::from(connection.is_retired)),
        known(format_args!("S{}", connection.number)),
        Some(link),
        connection.pid.and_then(known),
    ]
}
