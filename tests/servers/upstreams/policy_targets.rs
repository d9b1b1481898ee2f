//! `targets` of policies: at which of several servers sessions are, whatever becomes of the
//! policies, of their users and of the servers.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::random_name;

use super::moves::SHARED;
use super::{Servers, goes_to, port_of};
use crate::support::raw::{Frame, Login, kinds};
use crate::support::{APP, RawClient, Stack, frames, sql, until};

/// Policies in a folder of their own.
struct Policies(PathBuf);

impl Policies {
    /// Each is for the sessions that call themselves as it, but for `rest`.
    fn new(all: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let policies = Self(folder);
        for (name, keys) in all {
            policies.write(name, keys);
        }
        policies
    }

    fn write(&self, name: &str, keys: &str) {
        let mut text = format!("name: {name}\n{keys}\n");
        if !keys.contains("extends:") {
            text.push_str("extends: bi\n");
        }
        if name != "rest" && !keys.contains("match:") {
            let _ = writeln!(text, "match: {{application_name: {name}}}");
        }
        // As a whole: a reader finds the one or the other.
        let fresh = self.0.join(".fresh");
        fs::write(&fresh, text).unwrap();
        fs::rename(fresh, self.0.join(format!("{name}.yaml"))).unwrap();
    }

    fn settings(&self, others: &str) -> String {
        format!("policy: {{file: '{}'}}\n{others}", self.0.display())
    }
}

impl Drop for Policies {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn try_login_as(stack: &Stack, name: &str) -> Result<RawClient, Frame> {
    let parameters = [("application_name", name)];
    let login = Login {
        parameters: &parameters,
        ..stack.login(APP)
    };
    RawClient::try_login(stack.proxied_address(), &login)
}

fn login_as(stack: &Stack, name: &str) -> RawClient {
    until(|| try_login_as(stack, name).ok()).expect("a login")
}

fn policy_moves(stack: &Stack) -> f64 {
    stack.metric("pgsieve_pool_moves_total{reason=\"policy\"}")
}

/// The error that a session ends with at its next statement.
fn end_of(client: &mut RawClient) -> Frame {
    client.send(&frames::query("SELECT 1"));
    let said = client.until_closed();
    let error = said.into_iter().find(|frame| frame.kind == b'E');
    error.expect("an error")
}

fn message(error: &Frame) -> String {
    error.field(b'M').unwrap_or_default()
}

/// Both kinds of sessions, with policies that extend one another.
#[test]
fn sessions_are_where_their_policy_wants_them() {
    let servers = Servers::start(1);
    let (primary, standby) = (servers.primary.port(), servers.port(0));
    let policies = Policies::new(&[
        ("rest", ""),
        ("fresh", "targets: primary"),
        ("inherits", "extends: fresh.yaml"),
        ("overrides", "extends: fresh.yaml\ntargets: standby"),
        ("any", "extends: fresh.yaml\ntargets: any"),
    ]);
    for shared in ["", SHARED] {
        let stack = servers.stack_as("postgres:postgres@", "", &policies.settings(shared));
        for _ in 0..4 {
            for (name, wanted) in [
                ("somebody", standby),
                ("fresh", primary),
                ("inherits", primary),
                ("overrides", standby),
                ("any", standby),
            ] {
                let mut client = login_as(&stack, name);
                assert_eq!(port_of(&mut client), wanted, "{name} {shared}");
            }
        }
        // The settings narrow it further.
        let stack = servers.stack_as(
            "postgres:postgres@",
            "  targets: any\n",
            &policies.settings(shared),
        );
        for _ in 0..6 {
            assert_eq!(port_of(&mut login_as(&stack, "fresh")), primary);
            assert_eq!(port_of(&mut login_as(&stack, "overrides")), standby);
        }
    }
}

/// A reload takes effect at the next rest: those that share connections move, whatever they have
/// prepared and set, those that may not stay end, and all others stay.
#[test]
fn a_reload_takes_sessions_elsewhere_at_their_next_rest() {
    let servers = Servers::start(1);
    let (primary, standby) = (servers.primary.port(), servers.port(0));
    let policies = Policies::new(&[("rest", "")]);
    let shared = servers.stack_as("postgres:postgres@", "", &policies.settings(SHARED));
    let own = servers.stack_as("postgres:postgres@", "", &policies.settings(""));
    let mut resting = login_as(&shared, "resting");
    let parse = frames::parse("mine", "SELECT current_setting('work_mem'), $1::int");
    resting.send(&[parse, frames::sync()].concat());
    assert_eq!(kinds(&resting.until_ready()), "1Z");
    assert_eq!(kinds(&resting.query("SET work_mem = '123kB'")), "CZ");
    let mut busy = login_as(&shared, "busy");
    assert_eq!(kinds(&busy.query("BEGIN")), "CZ");
    let mut holder = login_as(&own, "holder");
    let mut open = login_as(&own, "open");
    assert_eq!(kinds(&open.query("BEGIN")), "CZ");
    for client in [&mut resting, &mut busy, &mut holder, &mut open] {
        assert_eq!(port_of(client), standby);
    }

    policies.write("rest", "targets: primary");
    for stack in [&shared, &own] {
        let goes = until(|| goes_to(try_login_as(stack, "new").ok(), primary));
        assert!(goes.is_some(), "{}", stack.stderr());
    }
    // What is open ends where it began; then nothing more runs there.
    assert_eq!(port_of(&mut busy), standby);
    assert_eq!(kinds(&busy.query("COMMIT")), "CZ");
    let moved = busy.query("SHOW port");
    assert_eq!(kinds(&moved).replace('S', ""), "TDCZ", "{moved:?}");
    assert_eq!(port_of(&mut busy), primary);
    let bind = frames::bind("", "mine", &[Some("5")], false);
    resting.send(&[bind, frames::execute("", 0), frames::sync()].concat());
    let answer = resting.until_ready();
    assert_eq!(kinds(&answer).replace('S', ""), "2DCZ", "{answer:?}");
    assert_eq!(port_of(&mut resting), primary);
    assert!(policy_moves(&shared) >= 2.0);
    assert_eq!(port_of(&mut open), standby);
    assert_eq!(kinds(&open.query("COMMIT")), "CZ");
    for client in [&mut holder, &mut open] {
        let end = end_of(client);
        assert_eq!(end.sqlstate(), "57P01", "{end:?}");
        assert!(message(&end).contains("targets: primary"), "{end:?}");
    }

    // Who may stay and is only wanted elsewhere, stays where it has a connection of its own.
    let mut holder = login_as(&own, "holder");
    policies.write("rest", "targets: prefer-standby");
    for stack in [&shared, &own] {
        let goes = until(|| goes_to(try_login_as(stack, "new").ok(), standby));
        assert!(goes.is_some(), "{}", stack.stderr());
    }
    assert_eq!(port_of(&mut holder), primary);
    let before = policy_moves(&shared);
    assert_eq!(port_of(&mut resting), standby);
    assert!(policy_moves(&shared) > before);
}

/// Many messages in one packet, of which the policies change in the middle: each answer is of a
/// server that was permitted when it was taken.
#[test]
fn what_is_sent_ahead_is_answered_in_its_order_where_it_may_run() {
    let servers = Servers::start(1);
    let policies = Policies::new(&[("rest", "targets: standby")]);
    for (others, ends) in [(SHARED, false), ("", true)] {
        policies.write("rest", "targets: standby");
        let stack = servers.stack_as("postgres:postgres@", "", &policies.settings(others));
        let mut client = login_as(&stack, "pipelined");
        let slow = "SELECT count(*), pg_is_in_recovery()::text FROM generate_series(1, 30000000)";
        let mut all = frames::query(slow);
        for _ in 0..5 {
            all.extend(frames::query("SELECT pg_is_in_recovery()::text"));
        }
        policies.write("rest", "targets: primary");
        client.send(&all);
        let primary = servers.primary.port();
        let goes = until(|| goes_to(try_login_as(&stack, "new").ok(), primary));
        assert!(goes.is_some(), "{}", stack.stderr());
        client.send(&frames::query("SELECT pg_is_in_recovery()::text"));
        if ends {
            let said = client.until_closed();
            let last = said.last().unwrap();
            // It may be the server's end that is heard of first, where all was answered before.
            assert_eq!(last.sqlstate(), "57P01", "{said:?}");
            continue;
        }
        for _ in 0..7 {
            assert!(kinds(&client.until_ready()).ends_with('Z'));
        }
        assert_eq!(port_of(&mut client), primary);
    }
}

/// A policy that is known only by what a role is a member of, after the login has begun or while
/// the session is open.
#[test]
fn a_policy_that_roles_decide_takes_its_sessions_to_its_servers() {
    let servers = Servers::start(1);
    let (primary, standby) = (servers.primary.port(), servers.port(0));
    let url = servers.primary.url("postgres", "postgres", "postgres");
    sql::run_blocking(&url, &["CREATE ROLE team"]);
    let policies = Policies::new(&[
        ("rest", "targets: standby"),
        (
            "members",
            "match: {role_member: team}\ntargets: primary\nlimits: {result_rows: 100}",
        ),
    ]);
    let stack = servers.stack_as("postgres:postgres@", "", &policies.settings(SHARED));
    let mut client = login_as(&stack, "one");
    assert_eq!(port_of(&mut client), standby);
    sql::run_blocking(&url, &["GRANT team TO postgres"]);
    let moved = until(|| (port_of(&mut client) == primary).then_some(()));
    assert!(moved.is_some(), "{}", stack.stderr());
    assert!(policy_moves(&stack) >= 1.0);
    let goes = until(|| goes_to(try_login_as(&stack, "two").ok(), primary));
    assert!(goes.is_some(), "{}", stack.stderr());
}

/// Where no permitted server is there nobody gets another one, of one server as of several, and who
/// is there already ends when it is a permitted one no more.
#[test]
fn nothing_runs_where_the_policy_does_not_permit_it() {
    let mut servers = Servers::start(1);
    let policies = Policies::new(&[("rest", ""), ("old", "targets: standby")]);
    let only = |servers: &Servers, port: u16, shared: &str| {
        let host = format!("127.0.0.1:{port}");
        let settings = policies.settings(shared);
        servers.stack_of("postgres:postgres@", &host, "", &settings)
    };
    for shared in ["", SHARED] {
        // One server, which is of the wrong kind.
        let stack = only(&servers, servers.primary.port(), shared);
        drop(login_as(&stack, "somebody"));
        let refused = try_login_as(&stack, "old").err().unwrap();
        assert_eq!(refused.sqlstate(), "57P03", "{refused:?}");
        assert!(
            message(&refused).contains("targets: standby"),
            "{refused:?}"
        );
    }
    // Several, of which the right one is away.
    let stack = servers.stack_as("postgres:postgres@", "", &policies.settings(SHARED));
    let mut shared = login_as(&stack, "old");
    assert_eq!(port_of(&mut shared), servers.port(0));
    servers.standbys[0].crash();
    let end = end_of(&mut shared);
    assert!(matches!(&*end.sqlstate(), "57P01" | "08006"), "{end:?}");
    let refused = try_login_as(&stack, "old").err().unwrap();
    assert!(
        matches!(&*refused.sqlstate(), "57P03" | "08001"),
        "{refused:?}"
    );
    servers.standbys[0].restart().unwrap();
    assert_eq!(port_of(&mut login_as(&stack, "old")), servers.port(0));

    // One server, which was of the right kind.
    let mut held: Vec<(Stack, RawClient)> = Vec::new();
    for shared in ["", SHARED] {
        let stack = only(&servers, servers.port(0), shared);
        let mut client = login_as(&stack, "old");
        assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
        held.push((stack, client));
    }
    let mut shared = login_as(&stack, "old");
    servers.at(0, "SELECT pg_promote()");
    for (stack, client) in &mut held {
        // The server tells of it with an answer.
        assert!(kinds(&client.query("SELECT 1")).ends_with('Z'));
        let end = end_of(client);
        assert_eq!(end.sqlstate(), "57P01", "{end:?} {}", stack.stderr());
        assert!(message(&end).contains("targets: standby"), "{end:?}");
        let refused = try_login_as(stack, "old").err().unwrap();
        assert_eq!(refused.sqlstate(), "57P03", "{refused:?}");
        drop(login_as(stack, "somebody"));
    }
    let ended = until(|| {
        shared.send(&frames::query("SELECT 1"));
        // Each answer has four messages.
        let read = (0..4).try_for_each(|_| shared.read().map(drop));
        read.is_err().then_some(())
    });
    assert!(ended.is_some(), "{}", stack.stderr());
}

/// Policies that could let nobody in are refused, and those of before go on.
#[test]
fn policies_that_leave_no_server_are_not_taken() {
    let servers = Servers::start(1);
    let policies = Policies::new(&[("rest", "targets: standby")]);
    let stack = servers.stack_as(
        "postgres:postgres@",
        "  targets: standby\n",
        &policies.settings(SHARED),
    );
    let mut client = login_as(&stack, "one");
    policies.write("rest", "targets: primary");
    let told = until(|| {
        let said = stack.stderr();
        said.contains("no server is both").then_some(said)
    });
    let told = told.unwrap_or_else(|| panic!("{}", stack.stderr()));
    assert!(told.contains("policy rest"), "{told}");
    assert_eq!(port_of(&mut client), servers.port(0));
    assert_eq!(port_of(&mut login_as(&stack, "two")), servers.port(0));
}
