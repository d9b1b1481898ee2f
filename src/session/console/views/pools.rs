//! SHOW POOLS: a row for each account in each database. Pools of several servers, and of several
//! passwords of one account, are summed up: whoever watches knows them by database and user.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::session::console::table::ColumnType::{Int4, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::login::LoginContext;
use crate::upstream::pool::PoolMode;
use crate::upstream::pool::shown::ShownUse;

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("database", Text),
    ConsoleColumn("user", Text),
    ConsoleColumn("cl_active", Int4),
    ConsoleColumn("cl_waiting", Int4),
    ConsoleColumn("cl_active_cancel_req", Int4),
    ConsoleColumn("cl_waiting_cancel_req", Int4),
    ConsoleColumn("sv_active", Int4),
    ConsoleColumn("sv_active_cancel", Int4),
    ConsoleColumn("sv_being_canceled", Int4),
    ConsoleColumn("sv_idle", Int4),
    ConsoleColumn("sv_used", Int4),
    ConsoleColumn("sv_tested", Int4),
    ConsoleColumn("sv_login", Int4),
    ConsoleColumn("maxwait", Int4),
    ConsoleColumn("maxwait_us", Int4),
    ConsoleColumn("pool_mode", Text),
];

/// What is summed up of one account in one database.
#[derive(Default)]
struct PoolSum {
    clients_active: usize,
    clients_waiting: usize,
    active: usize,
    idle: usize,
    opening: usize,
    longest_wait: Duration,
    is_shared: bool,
}

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let mut table = ConsoleTable::of(COLUMNS);
    for ((database, user), sum) in sums(login_context) {
        let waits = sum.longest_wait;
        let mode = match sum.is_shared {
            true => PoolMode::Transaction,
            false => PoolMode::Session,
        };
        table.add(vec![
            known(database),
            known(user),
            known(sum.clients_active),
            known(sum.clients_waiting),
            None,
            None,
            known(sum.active),
            None,
            None,
            known(sum.idle),
            // No connection is ever in these two states.
            known(0),
            known(0),
            known(sum.opening),
            known(waits.as_secs()),
            known(waits.subsec_micros()),
            known(mode.name()),
        ]);
    }
    table
}

/// How many accounts in databases there are.
pub(super) fn count(login_context: &LoginContext) -> usize {
    sums(login_context).len()
}

fn sums(login_context: &LoginContext) -> BTreeMap<(Box<str>, Box<str>), PoolSum> {
    let mut sums: BTreeMap<(Box<str>, Box<str>), PoolSum> = BTreeMap::new();
    let pools = login_context.pools.iter().flat_map(|pools| pools.shown());
    for pool in pools {
        let sum = sums.entry((pool.database, pool.user)).or_default();
        sum.is_shared = true;
        sum.clients_active += pool.sessions.saturating_sub(pool.sessions_waiting);
        sum.clients_waiting += pool.waiting.len();
        for connection in &pool.connections {
            match connection.usage {
                ShownUse::Opening => sum.opening += 1,
                ShownUse::Idle => sum.idle += 1,
                ShownUse::Session(_) => sum.active += 1,
            }
        }
        let waits = pool.waiting.iter().map(|(_, waits)| *waits);
        sum.longest_wait = waits.fold(sum.longest_wait, Duration::max);
    }
    login_context.session_registry.each(|_, member| {
        let Some(own) = &member.own_connection else {
            return;
        };
        let key = (Box::from(member.info.database()), own.account.clone());
        let sum = sums.entry(key).or_default();
        sum.clients_active += 1;
        sum.active += 1;
    });
    sums
}
