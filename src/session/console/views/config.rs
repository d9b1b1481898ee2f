//! SHOW CONFIG: settings that PgBouncer has as well, by its names and in its units.

use std::time::Duration;

use crate::session::console::table::ColumnType::Text;
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::login::LoginContext;
use crate::upstream::pool::PoolMode;

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("key", Text),
    ConsoleColumn("value", Text),
    ConsoleColumn("default", Text),
    ConsoleColumn("changeable", Text),
];

pub(super) fn table(login_context: &LoginContext) -> ConsoleTable {
    let login_settings = login_context.login_settings.now();
    let access = &login_settings.console;
    let mut table = ConsoleTable::of(COLUMNS);
    let mut add = |key: &str, value: String, changeable: &str| {
        table.add(vec![known(key), Some(value), None, known(changeable)]);
    };
    let seconds = |time: Duration| time.as_secs().to_string();
    let settings = &login_context.console.settings;
    add("admin_users", access.users.join(","), "yes");
    if let Some(pool) = &settings.pool {
        add("default_pool_size", pool.size.to_string(), "no");
    }
    add(
        "max_client_conn",
        settings.connections_max.to_string(),
        "no",
    );
    if let Some(pool) = &settings.pool {
        let most = pool.database_max.as_number().to_string();
        add("max_db_connections", most, "no");
        let statements = pool.max_prepared_statements.to_string();
        add("max_prepared_statements", statements, "no");
        add("min_pool_size", pool.min.to_string(), "no");
    }
    let mode = settings.pool.map_or(PoolMode::Session, |pool| pool.mode);
    add("pool_mode", mode.name().to_owned(), "no");
    if let Some(pool) = &settings.pool {
        add("query_wait_timeout", seconds(pool.query_wait), "no");
        add("reserve_pool_size", pool.reserve.to_string(), "no");
        add("reserve_pool_timeout", seconds(pool.reserve_wait), "no");
        add(
            "server_idle_timeout",
            seconds(pool.server_idle_timeout),
            "no",
        );
        add("server_lifetime", seconds(pool.server_lifetime), "no");
    }
    add("stats_users", access.stats_users.join(","), "yes");
    table
}
