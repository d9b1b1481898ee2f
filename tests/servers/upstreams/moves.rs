//! Sessions that share connections move to another server between two transactions.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use pgsieve::auth::verifier::ScramVerifier;
use pgsieve::demo::cluster::random_name;
use pgsieve::secret::Secret;

use super::{Servers, login, port_of, ports};
use crate::support::raw::{Frame, kinds, values};
use crate::support::{RawClient, Stack, frames, sql, until};

/// Each session has a connection for a transaction.
pub(super) const SHARED: &str =
    "client:\n  auth:\n    method: trust\npool:\n  mode: transaction\n  size: 8\n";

fn stack(servers: &Servers, upstream: &str) -> Stack {
    servers.stack_as("postgres:postgres@", upstream, SHARED)
}

fn value(answer: &[Frame]) -> String {
    let rows = values(answer);
    let first = rows.first().and_then(|row| row.first()).cloned();
    first.unwrap_or_else(|| panic!("{answer:?}"))
}

/// Sessions at rest hear nothing of it: settings and prepared statements have moved with them.
#[test]
fn sessions_at_rest_move_with_all_that_they_have_made() {
    let mut servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut clients: Vec<RawClient> = (0..6).map(|_| login(&stack).unwrap()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        assert_eq!(port_of(client), servers.port(0));
        let set = format!("SET work_mem = '{}kB'", 100 + number);
        assert_eq!(kinds(&client.query(&set)), "CZ");
        let parse = frames::parse("mine", "SELECT current_setting('work_mem'), $1::int");
        client.send(&[parse, frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
    }
    servers.standbys[0].crash();
    for (number, client) in clients.iter_mut().enumerate() {
        let bind = frames::bind("", "mine", &[Some("5")], false);
        client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
        let answer = client.until_ready();
        assert_eq!(kinds(&answer), "S2DCZ", "{answer:?}");
        assert_eq!(value(&answer), format!("{}kB", 100 + number));
        assert_eq!(port_of(client), servers.primary.port());
        assert_eq!(value(&client.query("SELECT pg_is_in_recovery()")), "f");
    }
    let moves =
        |reason: &str| stack.metric(&format!("pgsieve_pool_moves_total{{reason=\"{reason}\"}}"));
    // Who finds the server away may be a session, or the look at servers in the background.
    let moved = moves("away") + moves("lost") + moves("wanted");
    assert!(moved >= 6.0, "{moved}");
    // They go back to where they are wanted, as soon as it is there.
    servers.standbys[0].restart().unwrap();
    for client in &mut clients {
        let back = until(|| (port_of(client) == servers.port(0)).then_some(()));
        assert!(back.is_some(), "{}", stack.stderr());
    }
}

/// What the server reports otherwise is reported to the client.
#[test]
fn the_client_is_told_what_is_reported_otherwise() {
    let mut servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut client = login(&stack).unwrap();
    let was = client
        .parameters
        .iter()
        .find(|(name, _)| name == "in_hot_standby");
    assert_eq!(was.unwrap().1, "on");
    servers.standbys[0].crash();
    let answer = client.query("SELECT 1");
    let told: Vec<(String, String)> = answer
        .iter()
        .filter(|frame| frame.kind == b'S')
        .map(Frame::two_strings)
        .collect();
    assert_eq!(
        told,
        [("in_hot_standby".to_owned(), "off".to_owned())],
        "{answer:?}"
    );
}

/// A transaction cannot move: its client hears that the connection is lost.
#[test]
fn a_transaction_ends_with_its_server() {
    let mut servers = Servers::start(1);
    let stack = stack(&servers, "");
    let mut busy = login(&stack).unwrap();
    let mut resting = login(&stack).unwrap();
    assert_eq!(kinds(&resting.query("SELECT 1")), "TDCZ");
    assert_eq!(kinds(&busy.query("BEGIN")), "CZ");
    assert_eq!(port_of(&mut busy), servers.port(0));
    servers.standbys[0].crash();
    busy.send(&frames::query("SELECT 1"));
    let answer = busy.until_closed();
    let last = answer.last().unwrap_or_else(|| panic!("nothing was said"));
    assert!(
        matches!(last.sqlstate().as_str(), "08006" | "57P01" | "57P02"),
        "{answer:?}"
    );
    assert_eq!(kinds(&resting.query("SELECT 1")).replace('S', ""), "TDCZ");
}

/// The same server, started again: sessions at rest go on, and are judged by what it contains now.
#[test]
fn sessions_outlive_a_restart_of_the_only_server() {
    let mut servers = Servers::start(1);
    let port = servers.port(0);
    let host = format!("127.0.0.1:{port}");
    let stack = servers.stack_of("postgres:postgres@", &host, "", SHARED);
    stack.prepare(&[
        "CREATE TABLE things (id int)",
        "INSERT INTO things VALUES (7)",
    ]);
    let mut client = login(&stack).unwrap();
    let is_seen = until(|| (kinds(&client.query("SELECT id FROM things")) == "TDCZ").then_some(()));
    assert!(is_seen.is_some());
    servers.standbys[0].crash();
    servers.standbys[0].restart().unwrap();
    let answer = client.query("SELECT id FROM things");
    assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
    assert_eq!(port_of(&mut client), port);
    let moves = "pgsieve_pool_moves_total{reason=\"restarted\"}";
    assert!(stack.metric(moves) >= 1.0);
}

/// Under load a restart of each server after the other is felt by nobody whose session is at rest,
/// and by no other than those whose statement it interrupts.
#[test]
fn a_rolling_restart_is_felt_by_interrupted_statements_alone() {
    let mut servers = Servers::start(2);
    let stack = stack(&servers, "");
    let mut resting: Vec<RawClient> = (0..8).map(|_| login(&stack).unwrap()).collect();
    let mut wrong = Vec::new();
    for round in 0..4 {
        let at = round % 2;
        servers.standbys[at].crash();
        for client in &mut resting {
            let answer = client.query("SELECT 6 * 7");
            if kinds(&answer).replace('S', "") != "TDCZ" || value(&answer) != "42" {
                wrong.push(format!("{answer:?}"));
            }
        }
        servers.standbys[at].restart().unwrap();
        let port = servers.port(at);
        let back = until(|| ports(&stack, 6).contains(&port).then_some(()));
        assert!(back.is_some(), "{}", stack.stderr());
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Standbys are stopped and started one after the other, as for an update, while clients work: no
/// statement fails.
#[test]
fn a_planned_rolling_restart_under_load_is_felt_by_nobody() {
    let mut servers = Servers::start(2);
    let stack = stack(&servers, "  targets: standby\n");
    let (begun, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |number: usize| {
        let mut client = login(&stack).expect("a login");
        let parse = frames::parse(
            "mine",
            "SELECT $1::int * 7, sum(n) FROM generate_series(1, 2000) n",
        );
        client.send(&[parse, frames::sync()].concat());
        client.until_ready();
        begun.fetch_add(1, Ordering::Relaxed);
        let (mut statements, mut wrong) = (0, Vec::new());
        while !is_over.load(Ordering::Relaxed) {
            match number % 2 {
                0 => client.send(&frames::query(
                    "SELECT 6 * 7, sum(n) FROM generate_series(1, 2000) n",
                )),
                _ => {
                    let bind = frames::bind("", "mine", &[Some("6")], false);
                    client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
                }
            }
            let answer = client.until_ready();
            statements += 1;
            if values(&answer) != [["42", "2001000"]] {
                wrong.push(format!("{statements}: {answer:?}"));
                break;
            }
        }
        (statements, wrong)
    };
    let told = thread::scope(|scope| {
        let working: Vec<_> = (0..6)
            .map(|number| scope.spawn(move || work(number)))
            .collect();
        // A server may stop in the middle of a login.
        until(|| (begun.load(Ordering::Relaxed) == 6).then_some(())).expect("all of them work");
        for at in [0, 1] {
            servers.standbys[at].halt();
            servers.standbys[at].restart().unwrap();
            let port = servers.port(at);
            let back = until(|| ports(&stack, 6).contains(&port).then_some(()));
            assert!(back.is_some(), "{}", stack.stderr());
        }
        is_over.store(true, Ordering::Relaxed);
        let ended = working.into_iter().map(|it| it.join().unwrap());
        ended.collect::<Vec<_>>()
    });
    for (statements, wrong) in told {
        assert!(wrong.is_empty(), "{wrong:?}\n{}", stack.stderr());
        assert!(statements > 20, "{statements}");
    }
}

/// A policy that is chosen by what a role is a member of is chosen anew where the session moves: by
/// the roles of then, however often the catalogs were loaded.
#[test]
fn the_policy_of_a_session_that_moves_is_that_of_its_role_now() {
    let mut servers = Servers::start(1);
    let primary = servers.primary.url("postgres", "postgres", "postgres");
    sql::run_blocking(&primary, &["CREATE ROLE team"]);
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    let bi = include_str!("../../../policies/bi.yaml");
    let members = "match: {role_member: team}\nrelations: {deny: [pg_catalog.pg_range]}\n";
    for (name, keys) in [("members", members), ("rest", "mode: enforce\n")] {
        let text = bi.replace("\nname: bi\n", &format!("\nname: {name}\n"));
        fs::write(
            folder.join(format!("{name}.yaml")),
            format!("{text}\n{keys}"),
        )
        .unwrap();
    }
    let host = format!("127.0.0.1:{}", servers.port(0));
    let others = format!("policy: {{file: '{}'}}\n{SHARED}", folder.display());
    let stack = servers.stack_of("postgres:postgres@", &host, "", &others);
    const READ: &str = "SELECT rngtypid FROM pg_catalog.pg_range LIMIT 1";
    let mut client = until(|| login(&stack)).unwrap();
    let reads = until(|| (kinds(&client.query(READ)) == "TDCZ").then_some(()));
    assert!(reads.is_some(), "{:?}", client.query(READ));
    servers.standbys[0].crash();
    sql::run_blocking(&primary, &["GRANT team TO postgres"]);
    servers.standbys[0].restart().unwrap();
    let member = "SELECT 1 FROM pg_auth_members WHERE roleid = 'team'::regrole";
    let standby = servers.standbys[0].url("postgres", "postgres", "postgres");
    let follows = until(|| {
        let found = sql::block_on(async {
            sql::rows(&sql::connect(&standby).await.unwrap(), member).await
        });
        (!found.is_empty()).then_some(())
    });
    assert!(follows.is_some());
    let answer = client.query(READ);
    assert!(
        answer.iter().any(|frame| frame.sqlstate() == "42501"),
        "{answer:?}"
    );
    drop(fs::remove_dir_all(&folder));
}

/// Without an account of pgsieve's own, what a server is, is heard from the connections that
/// sessions share.
#[test]
fn shared_connections_are_at_servers_of_the_wanted_kind() {
    let servers = Servers::start(1);
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("app"), "app").unwrap();
    let verifier = ScramVerifier::make(&Secret::new("app")).unwrap();
    fs::write(folder.join("verifier"), verifier).unwrap();
    let own = folder.display();
    let others = format!(
        "client:\n  auth:\n    method: scram\n    users:\n      - {{name: app, verifier_file: \
         '{own}/verifier', upstream_user: app, upstream_password_file: '{own}/app'}}\n"
    );
    for (targets, port) in [
        ("standby", servers.port(0)),
        ("primary", servers.primary.port()),
    ] {
        let stack = servers.stack_as("", &format!("  targets: {targets}\n"), &others);
        assert_eq!(ports(&stack, 12), [port; 12], "{targets}");
        assert!(stack.metric("pgsieve_pool_checkouts_total{outcome=\"opened\"}") >= 1.0);
    }
    drop(fs::remove_dir_all(&folder));
}

/// Standbys have the verifiers of their primary: a session that is itself by the keys of its proof
/// goes on at another server with the same keys.
#[test]
fn a_session_that_has_proved_itself_by_keys_moves_with_them() {
    let mut servers = Servers::start(1);
    let others = "client:\n  auth:\n    method: auth_query\npool:\n  size: 2\n";
    let stack = servers.stack_as("postgres:postgres@", "", others);
    stack.prepare(&[
        "CREATE SCHEMA pgsieve",
        "CREATE FUNCTION pgsieve.user_lookup(text) RETURNS TABLE (u text, v text) LANGUAGE sql \
         SECURITY DEFINER AS 'SELECT rolname, rolpassword FROM pg_authid WHERE rolname = $1'",
    ]);
    let mut client = until(|| login(&stack)).expect("the standby has the function");
    assert_eq!(port_of(&mut client), servers.port(0));
    assert_eq!(value(&client.query("SELECT current_user")), "app");
    servers.standbys[0].crash();
    assert_eq!(port_of(&mut client), servers.primary.port());
    assert_eq!(value(&client.query("SELECT current_user")), "app");
    // Nor is the standby needed to come in.
    let mut other = login(&stack).expect("a login without the standby");
    assert_eq!(value(&other.query("SELECT session_user")), "app");
    servers.standbys[0].restart().unwrap();
    let back = until(|| (port_of(&mut client) == servers.port(0)).then_some(()));
    assert!(back.is_some(), "{}", stack.stderr());
    assert_eq!(value(&client.query("SELECT current_user")), "app");
}
