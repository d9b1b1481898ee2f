//! SHOW CLIENTS: a row for each client that is in, those of the console among them.

use std::collections::HashMap;
use std::time::Duration;

use crate::session::console::table::ColumnType::{Int4, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::console::views::{host_and_port, written_time};
use crate::session::login::LoginContext;
use crate::session::registry::RegisteredSession;
use crate::upstream::pool::shown::ShownUse;

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("type", Text),
    ConsoleColumn("user", Text),
    ConsoleColumn("database", Text),
    ConsoleColumn("state", Text),
    ConsoleColumn("addr", Text),
    ConsoleColumn("port", Int4),
    ConsoleColumn("connect_time", Text),
    ConsoleColumn("wait", Int4),
    ConsoleColumn("wait_us", Int4),
    ConsoleColumn("close_needed", Int4),
    ConsoleColumn("ptr", Text),
    ConsoleColumn("link", Text),
    ConsoleColumn("tls", Text),
    ConsoleColumn("application_name", Text),
];

/// What pools know of sessions, by their numbers.
#[derive(Default)]
struct PoolSessions {
    waiting: HashMap<u64, Duration>,
    /// The number of the connection that each has.
    connections: HashMap<u64, u64>,
}

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let pooled = PoolSessions::of(login_context);
    let mut table = ConsoleTable::of(COLUMNS);
    let registry = &login_context.session_registry;
    registry.each(|id, member| table.add(row(id, member, &pooled)));
    table
}

impl PoolSessions {
    fn of(login_context: &LoginContext) -> Self {
        let mut own = Self::default();
        let pools = login_context.pools.iter().flat_map(|pools| pools.shown());
        for pool in pools {
            own.waiting.extend(pool.waiting);
            for connection in pool.connections {
                if let ShownUse::Session(session) = connection.usage {
                    own.connections.insert(session, connection.number);
                }
            }
        }
        own
    }
}

fn row(id: u64, member: &RegisteredSession, pooled: &PoolSessions) -> Vec<Option<String>> {
    let info = &member.info;
    let (host, port) = host_and_port(info.client());
    let waits = pooled.waiting.get(&id).copied();
    let state = if waits.is_some() { "waiting" } else { "active" };
    let waits = waits.unwrap_or_default();
    let link = match (&member.own_connection, pooled.connections.get(&id)) {
        (Some(_), _) => format!("SC{id}"),
        (None, Some(number)) => format!("S{number}"),
        (None, None) => String::new(),
    };
    vec![
        known("C"),
        known(info.user()),
        known(info.database()),
        known(state),
        host,
        port,
        written_time(member.since),
        known(waits.as_secs()),
        known(waits.subsec_micros()),
        known(u8::from(member.signals.ends())),
        known(format_args!("C{id}")),
        Some(link),
        known(if info.is_encrypted() { "TLS" } else { "" }),
        known(info.application_name()),
    ]
}
