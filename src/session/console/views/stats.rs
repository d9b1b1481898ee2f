//! SHOW STATS: what was done in each database since the start, and on average in the last period.
//! How long transactions took is not measured.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::session::console::table::ColumnType::{Numeric, Text};
use crate::session::console::table::{ConsoleColumn, ConsoleTable, known};
use crate::session::console::traffic::{DatabaseTraffic, Traffic};
use crate::session::console::views::known_databases;
use crate::session::login::LoginContext;

/// What is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StatsPart {
    All,
    Totals,
    Averages,
}

const COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("database", Text),
    ConsoleColumn("total_xact_count", Numeric),
    ConsoleColumn("total_query_count", Numeric),
    ConsoleColumn("total_received", Numeric),
    ConsoleColumn("total_sent", Numeric),
    ConsoleColumn("total_xact_time", Numeric),
    ConsoleColumn("total_query_time", Numeric),
    ConsoleColumn("total_wait_time", Numeric),
    ConsoleColumn("avg_xact_count", Numeric),
    ConsoleColumn("avg_query_count", Numeric),
    ConsoleColumn("avg_recv", Numeric),
    ConsoleColumn("avg_sent", Numeric),
    ConsoleColumn("avg_xact_time", Numeric),
    ConsoleColumn("avg_query_time", Numeric),
    ConsoleColumn("avg_wait_time", Numeric),
];

/// Of the totals alone, and of the averages alone.
const PART_COLUMNS: &[ConsoleColumn] = &[
    ConsoleColumn("database", Text),
    ConsoleColumn("xact_count", Numeric),
    ConsoleColumn("query_count", Numeric),
    ConsoleColumn("bytes_received", Numeric),
    ConsoleColumn("bytes_sent", Numeric),
    ConsoleColumn("xact_time", Numeric),
    ConsoleColumn("query_time", Numeric),
    ConsoleColumn("wait_time", Numeric),
];

pub(super) fn table(login_context: &LoginContext, part: StatsPart) -> ConsoleTable {
    let mut table = ConsoleTable::of(match part {
        StatsPart::All => COLUMNS,
        StatsPart::Totals | StatsPart::Averages => PART_COLUMNS,
    });
    let all = traffic(login_context);
    for name in databases(login_context, &all) {
        let has_pools = login_context.pools_for(&name).is_some();
        let mut row = vec![known(&name)];
        if part != StatsPart::Averages {
            row.extend(totals(&all.of(&name), has_pools));
        }
        if part != StatsPart::Totals {
            let period = login_context.console.history.last_period(&name);
            row.extend(match period {
                Some((period, done)) => averages(&done, period, has_pools),
                None => Default::default(),
            });
        }
        table.add(row);
    }
    table
}

/// What was done in each database so far.
pub(in crate::session::console) fn traffic(login_context: &LoginContext) -> DatabaseTraffic {
    let mut all = login_context.session_registry.traffic();
    let Some(pools) = &login_context.pools else {
        return all;
    };
    let names: Vec<Box<str>> = all.each().map(|(name, _)| name.into()).collect();
    for name in names {
        let waited = Traffic {
            wait_micros: micros(pools.waited(&name)),
            ..Traffic::default()
        };
        all.add(&name, &waited);
    }
    all
}

/// Those that something was done in, and those that are known beside them.
fn databases(login_context: &LoginContext, all: &DatabaseTraffic) -> BTreeSet<Box<str>> {
    let mut names = known_databases(login_context);
    names.extend(all.each().map(|(name, _)| Box::from(name)));
    names.remove(crate::session::console::access::CONSOLE_DATABASE);
    names
}

fn totals(done: &Traffic, has_pools: bool) -> [Option<String>; 7] {
    [
        known(done.transactions),
        known(done.statements),
        known(done.bytes_in),
        known(done.bytes_out),
        None,
        known(done.statement_micros),
        has_pools.then(|| done.wait_micros.to_string()),
    ]
}

/// Counts, bytes and waits a second; times of one statement.
fn averages(done: &Traffic, period: Duration, has_pools: bool) -> [Option<String>; 7] {
    let millis = u128::max(period.as_millis(), 1);
    let a_second = |count: u64| u128::from(count) * 1_000 / millis;
    let a_statement = done.statement_micros.checked_div(done.statements);
    [
        known(a_second(done.transactions)),
        known(a_second(done.statements)),
        known(a_second(done.bytes_in)),
        known(a_second(done.bytes_out)),
        None,
        known(a_statement.unwrap_or_default()),
        has_pools.then(|| a_second(done.wait_micros).to_string()),
    ]
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_a_second_and_a_statement() {
        let done = Traffic {
            transactions: 60,
            statements: 120,
            statement_micros: 36_000,
            bytes_in: 6_000,
            bytes_out: 60_000,
            wait_micros: 1_200,
        };
        let told = averages(&done, Duration::from_secs(60), true);
        let told = told.map(|value| value.unwrap_or_else(|| "-".into()));
        assert_eq!(told, ["1", "2", "100", "1000", "-", "300", "20"]);
        let nothing = averages(&Traffic::default(), Duration::ZERO, false);
        assert_eq!(nothing.iter().flatten().count(), 5);
    }
}
