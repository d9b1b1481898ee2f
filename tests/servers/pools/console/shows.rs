//! What the console shows, beside what PgBouncer shows.

use std::fs;
use std::process::Command;

use super::{CONSOLE, backends, client, column, columns, console, rig, rig_with};
use crate::settings::reload::folder;
use crate::support::bouncer::PgBouncer;
use crate::support::installed::{installed, last_lines, run, text};
use crate::support::raw::rows;
use crate::support::{RawClient, frames, until};

/// Exporters and dashboards go by names and types.
#[test]
fn columns_have_the_names_and_types_of_pgbouncer() {
    let rig = rig(2);
    let _held = client(&rig);
    let databases = "shop = host=127.0.0.1 port=1";
    let bouncer = PgBouncer::start(databases, "admin_users = ann");
    let (mut own, mut theirs) = (console(&rig, "eve"), bouncer.login("ann", "pgbouncer"));
    for (table, is_whole) in [
        ("POOLS", true),
        ("STATS", true),
        ("STATS_TOTALS", true),
        ("STATS_AVERAGES", true),
        ("DATABASES", true),
        ("LISTS", true),
        ("CONFIG", true),
        ("VERSION", true),
        ("CLIENTS", false),
        ("SERVERS", false),
    ] {
        let asked = format!("SHOW {table}");
        let own = columns(&own.query(&asked));
        let theirs = columns(&theirs.query(&asked));
        if is_whole {
            assert_eq!(own, theirs, "{table}");
        }
        for column in &own {
            assert!(theirs.contains(column), "{table} {column:?}: {theirs:?}");
        }
    }
    // What is counted and set goes by the names of PgBouncer as well.
    for (table, column_name) in [("LISTS", "list"), ("CONFIG", "key")] {
        let asked = format!("SHOW {table}");
        let theirs = column(&theirs.query(&asked), column_name, &[]);
        for name in column(&own.query(&asked), column_name, &[]) {
            if name == NEWER {
                continue;
            }
            assert!(theirs.contains(&name), "{table} {name}: {theirs:?}");
        }
    }
}

/// A setting of PgBouncer 1.21, which is not everywhere yet.
const NEWER: &str = "max_prepared_statements";

#[test]
fn pools_clients_and_servers_are_as_they_are() {
    let rig = rig(2);
    let mut eve = console(&rig, "eve");
    let mut clients = [client(&rig), client(&rig), client(&rig)];
    const PID: &str = "SELECT pg_catalog.pg_backend_pid()";
    let [first, second, third] = &mut clients;
    first.query("BEGIN");
    second.query("BEGIN");
    let mut pids = [rows(&first.query(PID)), rows(&second.query(PID))].concat();
    third.send(&frames::query("SELECT 1"));
    let own = rig.stack.database();
    let numbers = |eve: &mut RawClient| {
        let answer = eve.query("SHOW POOLS");
        let of = |name: &str| column(&answer, name, &[("database", own), ("user", "app")]).concat();
        let names = [
            "cl_active",
            "cl_waiting",
            "sv_active",
            "sv_idle",
            "sv_login",
            "pool_mode",
        ];
        names.map(of).join(" ")
    };
    until(|| (numbers(&mut eve) == "2 1 2 0 0 transaction").then_some(())).unwrap();
    let shown = eve.query("SHOW CLIENTS");
    let states = column(&shown, "state", &[("user", "ben"), ("type", "C")]);
    assert_eq!(states, ["active", "active", "waiting"]);
    assert_eq!(column(&shown, "database", &[("user", "eve")]), ["pgsieve"]);
    assert_eq!(
        column(&shown, "application_name", &[("user", "eve")]),
        ["watcher"]
    );
    let servers = eve.query("SHOW SERVERS");
    let mut told = column(
        &servers,
        "remote_pid",
        &[("state", "active"), ("user", "app")],
    );
    told.sort();
    pids.sort();
    assert_eq!(told, pids);
    let port = rig.stack.direct_address().port().to_string();
    assert_eq!(
        column(&servers, "port", &[("addr", "127.0.0.1")]),
        [&*port, &*port]
    );
    // Each client is linked with its connection, and that with it.
    let links = column(&servers, "link", &[]);
    for (link, pointer) in links.iter().zip(column(&servers, "ptr", &[])) {
        assert_eq!(column(&shown, "link", &[("ptr", link)]), [pointer]);
    }
    first.query("COMMIT");
    assert_eq!(rows(&third.until_ready()), ["1"]);
    second.query("COMMIT");
    until(|| (numbers(&mut eve) == "3 0 0 2 0 transaction").then_some(())).unwrap();
    let lists = eve.query("SHOW LISTS");
    for (list, items) in [("used_clients", "4"), ("used_servers", "2"), ("pools", "1")] {
        assert_eq!(
            column(&lists, "items", &[("list", list)]),
            [items],
            "{list}"
        );
    }
    let databases = eve.query("SHOW DATABASES");
    let of_own = |name: &str| column(&databases, name, &[("name", own)]).concat();
    assert_eq!(
        [of_own("pool_size"), of_own("current_connections")],
        ["2", "2"]
    );
    assert_eq!([of_own("paused"), of_own("port")], ["0", &*port]);
    let config = eve.query("SHOW CONFIG");
    for (key, value) in [
        ("default_pool_size", "2"),
        ("query_wait_timeout", "120"),
        ("admin_users", "ann"),
        ("stats_users", "eve"),
    ] {
        assert_eq!(column(&config, "value", &[("key", key)]), [value], "{key}");
    }
    assert_eq!(backends(&rig).len(), 2);
}

#[test]
fn sizes_are_as_they_are_set() {
    let sizes = "pool: {mode: transaction, size: 6, min: 2, reserve: 3, reserve_wait: 7s, \
                 max_prepared_statements: 30}\n";
    let rig = rig_with(sizes, CONSOLE);
    let _held = client(&rig);
    let mut eve = console(&rig, "eve");
    let databases = eve.query("SHOW DATABASES");
    for (name, value) in [
        ("pool_size", "6"),
        ("min_pool_size", "2"),
        ("reserve_pool", "3"),
    ] {
        let told = column(&databases, name, &[("name", rig.stack.database())]);
        assert_eq!(told, [value], "{name}");
    }
    let config = eve.query("SHOW CONFIG");
    for (key, value) in [
        ("default_pool_size", "6"),
        ("min_pool_size", "2"),
        ("reserve_pool_size", "3"),
        ("reserve_pool_timeout", "7"),
        ("max_prepared_statements", "30"),
    ] {
        assert_eq!(column(&config, "value", &[("key", key)]), [value], "{key}");
    }
}

#[test]
fn what_was_done_is_summed_up_by_database_and_stays_when_its_sessions_are_gone() {
    let rig = rig(2);
    let mut eve = console(&rig, "eve");
    let own = rig.stack.database();
    let total = |eve: &mut RawClient, name: &str| -> u64 {
        let answer = eve.query("SHOW STATS");
        let value = column(&answer, name, &[("database", own)]).concat();
        value.parse().unwrap_or_else(|_| panic!("{name}: {value}"))
    };
    let mut one = client(&rig);
    let transactions = total(&mut eve, "total_xact_count");
    for _ in 0..5 {
        assert_eq!(rows(&one.query("SELECT 1")), ["1"]);
    }
    // Refused before the database: no statement of it.
    assert_eq!(super::outcome(&one.query("DELETE FROM nothing")), "25006");
    one.query("BEGIN");
    one.query("SELECT 1");
    one.query("COMMIT");
    assert_eq!(total(&mut eve, "total_xact_count"), transactions + 6);
    let counted = total(&mut eve, "total_query_count");
    assert_eq!(counted, 8);
    assert!(total(&mut eve, "total_query_time") > 0);
    let (received, sent) = (
        total(&mut eve, "total_received"),
        total(&mut eve, "total_sent"),
    );
    assert!(received > 100 && sent > 200, "{received} {sent}");
    drop(one);
    until(|| (column(&eve.query("SHOW CLIENTS"), "user", &[]) == ["eve"]).then_some(())).unwrap();
    assert_eq!(total(&mut eve, "total_query_count"), counted);
    assert!(total(&mut eve, "total_sent") >= sent);
    let mut two = client(&rig);
    two.query("SELECT 1");
    assert_eq!(total(&mut eve, "total_query_count"), counted + 1);
    let totals = eve.query("SHOW STATS_TOTALS");
    let told = column(&totals, "query_count", &[("database", own)]);
    assert_eq!(told, [(counted + 1).to_string()]);
    assert_eq!(
        column(&totals, "database", &[("database", "pgsieve")]),
        Vec::<String>::new()
    );
}

/// The installed psql, and psycopg2 as exporters in Python use it.
#[test]
fn psql_and_psycopg2_read_every_table() {
    let rig = rig(2);
    let _held = client(&rig);
    let port = rig.stack.proxied_address().port().to_string();
    let of = |command: &mut Command| {
        command
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", &port)
            .env("PGUSER", "eve")
            .env("PGPASSWORD", "eve")
            .env("PGDATABASE", "pgsieve");
        let output = run(command);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{}", last_lines(&err));
        (out, err)
    };
    let mut psql = Command::new("psql");
    psql.args([
        "-XAt",
        "-c",
        "SHOW VERSION",
        "-c",
        "SHOW LISTS",
        "-c",
        "SHOW HELP",
    ]);
    let (out, err) = of(&mut psql);
    assert!(
        out.starts_with("pgsieve ") && out.contains("used_clients|2"),
        "{out}"
    );
    assert!(
        err.contains("Console usage") && err.contains("RECONNECT"),
        "{err}"
    );
    let script = folder().join("exporter.py");
    fs::write(&script, EXPORTER).unwrap();
    let mut python = Command::new(installed("clients-venv/bin/python"));
    let (out, _) = of(python.arg(&script));
    assert_eq!(out, "pools 1 transaction\nlists int\nrefused 42501\n");
}

/// Reads what pgbouncer_exporter, Telegraf and Datadog read, row by row.
const EXPORTER: &str = r#"
import psycopg2
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
for table in ("STATS", "STATS_TOTALS", "DATABASES", "POOLS", "LISTS", "CONFIG", "VERSION"):
    cursor.execute("SHOW %s;" % table)
    names = [column.name for column in cursor.description]
    rows = [dict(zip(names, row)) for row in cursor.fetchall()]
    assert rows, table
    if table == "POOLS":
        print("pools", rows[0]["cl_active"], rows[0]["pool_mode"])
    if table == "LISTS":
        print("lists", type(rows[0]["items"]).__name__)
try:
    cursor.execute("PAUSE")
except psycopg2.Error as error:
    print("refused", error.pgcode)
"#;
