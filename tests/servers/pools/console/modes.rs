//! Databases whose sessions share connections beside others whose sessions do not, as the console
//! shows and holds them.

use super::{CONSOLE, column, console, heard, rig_with};
use crate::settings::reload::Rig;
use crate::support::raw::{Login, kinds, rows};
use crate::support::{RawClient, frames, shared_cluster, until};

const PID: &str = "SELECT pg_catalog.pg_backend_pid()";

fn login(rig: &Rig, database: &str) -> RawClient {
    let login = Login {
        user: "ben",
        password: "ben",
        database,
        parameters: &[],
    };
    RawClient::login(rig.stack.proxied_address(), &login)
}

/// A pgsieve whose database `apart` has another mode than all others.
fn mixed(all: &str, own: &str) -> Rig {
    let port = shared_cluster().port();
    let settings = format!(
        "pool: {{mode: {all}, size: 1}}\ndatabases: [{{name: apart, \
         url: 'postgres://127.0.0.1:{port}/postgres', pool_mode: {own}}}]\n"
    );
    rig_with(&settings, CONSOLE)
}

#[test]
fn each_database_has_the_mode_of_its_entry() {
    for (all, own) in [("transaction", "session"), ("session", "transaction")] {
        let rig = mixed(all, own);
        let of_url = rig.stack.database().to_owned();
        let mut ann = console(&rig, "ann");
        let mut held = Vec::new();
        for (database, mode) in [("apart", own), (&of_url, all)] {
            let mut clients: Vec<RawClient> = (0..3).map(|_| login(&rig, database)).collect();
            let mut pids: Vec<String> = clients
                .iter_mut()
                .flat_map(|one| rows(&one.query(PID)))
                .collect();
            pids.sort();
            pids.dedup();
            let is_shared = mode == "transaction";
            assert_eq!(
                pids.len(),
                if is_shared { 1 } else { 3 },
                "{database} {mode}"
            );
            held.extend(clients);
            let databases = ann.query("SHOW DATABASES");
            let shown = |name: &str| column(&databases, name, &[("name", database)]).concat();
            assert_eq!(shown("pool_mode"), mode, "{database}");
            assert_eq!(shown("pool_size"), if is_shared { "1" } else { "-" });
            assert_eq!(shown("current_connections"), pids.len().to_string());
            let pools = ann.query("SHOW POOLS");
            assert_eq!(
                column(&pools, "pool_mode", &[("database", database)]),
                [mode]
            );
            let stats = ann.query("SHOW STATS_TOTALS");
            let waits = column(&stats, "wait_time", &[("database", database)]).concat();
            assert_eq!(waits == "-", !is_shared, "{database} {mode}");
        }
        let config = ann.query("SHOW CONFIG");
        assert_eq!(column(&config, "value", &[("key", "pool_mode")]), [all]);
    }
}

#[test]
fn what_is_not_shared_is_not_held_and_goes_on() {
    for (all, own) in [("transaction", "session"), ("session", "transaction")] {
        let rig = mixed(all, own);
        let of_url = rig.stack.database().to_owned();
        let (shared, alone) = match own {
            "transaction" => ("apart", &*of_url),
            _ => (&*of_url, "apart"),
        };
        let [mut sharing, mut owning] = [shared, alone].map(|database| login(&rig, database));
        let mut ann = console(&rig, "ann");
        for command in ["PAUSE", "RESUME", "RECONNECT"] {
            assert_eq!(
                heard(&mut ann, &format!("{command} {alone}")),
                "55000",
                "{command}"
            );
        }
        assert_eq!(heard(&mut ann, &format!("PAUSE {shared}")), "PAUSE");
        assert_eq!(heard(&mut ann, &format!("RESUME {shared}")), "RESUME");
        assert_eq!(heard(&mut ann, "PAUSE"), "PAUSE");
        sharing.send(&frames::query("SELECT 1"));
        let databases = ann.query("SHOW DATABASES");
        assert_eq!(column(&databases, "paused", &[("name", shared)]), ["1"]);
        assert_eq!(column(&databases, "paused", &[("name", alone)]), ["0"]);
        // Nobody waits where each has a connection of its own, those who come now among them.
        assert_eq!(kinds(&owning.query("SELECT 2")), "TDCZ");
        assert_eq!(rows(&login(&rig, alone).query("SELECT 3")), ["3"]);
        let waits = || {
            column(
                &console(&rig, "eve").query("SHOW POOLS"),
                "cl_waiting",
                &[("database", shared)],
            )
        };
        until(|| (waits() == ["1"]).then_some(())).unwrap();
        assert_eq!(heard(&mut ann, "RESUME"), "RESUME");
        assert_eq!(rows(&sharing.until_ready()), ["1"]);
        assert_eq!(heard(&mut ann, "RECONNECT"), "RECONNECT");
    }
}

/// A change of `databases` waits for a restart as a whole, whatever of it has changed.
#[test]
fn another_mode_of_a_database_waits_for_a_restart() {
    let mut rig = mixed("transaction", "session");
    rig.edit("pool_mode: session", "pool_mode: transaction");
    rig.reload("rejected");
    let log = rig.stack.stderr();
    assert!(
        log.contains("databases") && log.contains("transaction mode"),
        "{log}"
    );
    let mut clients = [login(&rig, "apart"), login(&rig, "apart")];
    let [one, other] = &mut clients;
    assert_ne!(rows(&one.query(PID)), rows(&other.query(PID)));
}
