//! The tables of the console: PgBouncer's names and types, where a column means the same. What is
//! not known here is NULL, and what there is nothing like is left out.
//!
//! * `pools`, `servers`, `clients`: connections on both sides
//! * `databases`: databases that are known, and what was done in them (`stats`)
//! * `lists`: counts; `config`: settings

mod clients;
mod config;
mod databases;
mod lists;
mod pools;
mod servers;
mod stats;

use std::time::SystemTime;

use jiff::Timestamp;

use self::stats::StatsPart;
use super::command::ConsoleView;
use super::table::{ColumnType, ConsoleColumn, ConsoleTable, known};
use crate::session::login::LoginContext;

/// A table as of now.
pub fn show(view: ConsoleView, login_context: &LoginContext) -> ConsoleTable {
    match view {
        ConsoleView::Clients => clients::table(login_context),
        ConsoleView::Config => config::table(login_context),
        ConsoleView::Databases => databases::table(login_context),
        ConsoleView::Lists => lists::table(login_context),
        ConsoleView::Pools => pools::table(login_context),
        ConsoleView::Servers => servers::table(login_context),
        ConsoleView::Stats => stats::table(login_context, StatsPart::All),
        ConsoleView::StatsAverages => stats::table(login_context, StatsPart::Averages),
        ConsoleView::StatsTotals => stats::table(login_context, StatsPart::Totals),
        ConsoleView::Version => version(),
    }
}

/// Databases that are known: that of the settings, and those that clients or pools are in.
pub use databases::known_databases;
pub(in crate::session::console) use stats::traffic;

fn version() -> ConsoleTable {
    const COLUMNS: &[ConsoleColumn] = &[ConsoleColumn("version", ColumnType::Text)];
    let mut table = ConsoleTable::of(COLUMNS);
    table.add(vec![known(concat!("pgsieve ", env!("CARGO_PKG_VERSION")))]);
    table
}

/// A moment as PgBouncer writes it.
fn written_time(at: Timestamp) -> Option<String> {
    known(at.strftime("%Y-%m-%d %H:%M:%S UTC"))
}

/// The same by the clock of the system.
fn written_system_time(at: SystemTime) -> Option<String> {
    Timestamp::try_from(at).ok().and_then(written_time)
}

/// The host and the port of an address, as far as it has them.
fn host_and_port(place: &str) -> (Option<String>, Option<String>) {
    let split = place.rsplit_once(':');
    let parts = split.and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
    match parts {
        Some((host, port)) => (known(host.trim_matches(['[', ']'])), known(port)),
        None => (known(place), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_in_two_columns() {
        for (place, host, port) in [
            ("127.0.0.1:5432", "127.0.0.1", Some("5432")),
            ("[::1]:5432", "::1", Some("5432")),
            ("db.example.org:6000", "db.example.org", Some("6000")),
            ("/run/postgresql", "/run/postgresql", None),
            ("unix", "unix", None),
        ] {
            let told = (Some(host.to_owned()), port.map(str::to_owned));
            assert_eq!(host_and_port(place), told, "{place}");
        }
    }
}
