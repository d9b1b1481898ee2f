//! Several servers behind one address: what a session may read is judged by what its own server
//! contains, or by nothing.

use std::path::Path;
use std::process::Command;

use pgsieve::demo::cluster::{ClusterBuilder, PasswordMethod, PrivateCluster};

use crate::support::raw::{Login, kinds};
use crate::support::switch::Switch;
use crate::support::{APP, Options, READER, RawClient, Stack, shared, sql, until};

use crate::gate::hidden::refused;

/// A view that is harmless at one server and takes a lock at another.
const CALM: &str = "CREATE OR REPLACE VIEW v AS SELECT id > 0 AS x FROM t";
const LOCKS: &str = "CREATE OR REPLACE VIEW v AS SELECT pg_try_advisory_lock(id) AS x FROM t";
const READ: &str = "SELECT x FROM v";
/// Ends the catalog's own connection.
const KILL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE application_name = 'pgsieve catalog'";

/// The audit's attack: the catalog's connection lives on at the server of before, while new
/// sessions reach another one, where the same name is something else.
#[test]
fn after_a_failover_nothing_is_judged_by_the_server_of_before() {
    let (one, other) = (server(CALM), server_with(Oids::Others, LOCKS));
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    let mut early = login(&stack);
    assert_eq!(kinds(&early.query(READ)), "TDCZ");

    switch.lead(&[other.port()]);
    for _ in 0..28 {
        let answer = login(&stack).query(READ);
        assert!(refused(&answer), "{answer:?}");
    }
    assert_no_lock(&other);
    // What is known is that of the new server, and the first statement there waits for it.
    assert_eq!(kinds(&login(&stack).query("SELECT id FROM t")), "TDCZ");
    assert_eq!(
        kinds(&login(&stack).query("SELECT id FROM only_here")),
        "TDCZ"
    );
    // Who stayed is judged by what was there before.
    assert_eq!(kinds(&early.query(READ)), "TDCZ");
    let (status, text) = stack.get("/readyz");
    assert_eq!(status, 200);
    let lines = text.lines();
    let loaded = lines.filter(|line| line.starts_with("catalog \"postgres\" at server "));
    assert_eq!(
        loaded
            .filter(|line| line.contains(": loaded, age "))
            .count(),
        2,
        "{text}"
    );

    // Its own catalog is looked after there: a change is seen.
    run(&one, &[LOCKS]);
    until(|| refused(&early.query(READ)).then_some(())).expect("the change is seen");
    assert_no_lock(&other);
}

/// The catalog's own connection is lost in the failover: it does not take the new server for the
/// old one, while a session is there.
#[test]
fn a_catalog_that_loses_its_connection_is_not_mixed_with_another_server_s() {
    let (one, other) = (server(CALM), server_with(Oids::Others, LOCKS));
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    let mut early = login(&stack);
    assert_eq!(kinds(&early.query(READ)), "TDCZ");
    switch.lead(&[other.port()]);
    run(&one, &[KILL]);
    let missed = "pgsieve_catalog_failures_total{why=\"other_server\"}";
    until(|| (stack.metric(missed) >= 1.0).then_some(())).expect("another server answers");
    for _ in 0..10 {
        assert!(refused(&login(&stack).query(READ)));
        // As long as what was known of the first one may still be used, or else by nothing.
        let answer = early.query(READ);
        assert!(kinds(&answer) == "TDCZ" || refused(&answer), "{answer:?}");
    }
    until(|| refused(&early.query(READ)).then_some(())).expect("it is withdrawn in time");
    assert_no_lock(&other);
    // The way back.
    switch.lead(&[one.port()]);
    until(|| (kinds(&early.query(READ)) == "TDCZ").then_some(())).expect("it is found again");
}

#[test]
fn a_balancer_that_alternates_is_told_apart_at_every_login() {
    let (one, other) = (server(CALM), server_with(Oids::Others, LOCKS));
    let switch = Switch::to(&[one.port(), other.port()]);
    let stack = before(&switch);
    let mut held = Vec::new();
    let both = until(|| {
        held.push(login(&stack));
        let (_, text) = stack.get("/readyz");
        (text.matches(": loaded, age ").count() == 2).then_some(())
    });
    assert!(
        both.is_some(),
        "{}\n{}",
        stack.get("/readyz").1,
        stack.stderr()
    );
    let (mut calm, mut dirty) = (0, 0);
    for _ in 0..40 {
        let mut client = login(&stack);
        let port = client.query("SHOW port");
        let at_one = String::from_utf8_lossy(&port[1].body).ends_with(&one.port().to_string());
        let answer = client.query(READ);
        assert_eq!(refused(&answer), !at_one, "{answer:?}");
        assert_eq!(kinds(&client.query("SELECT id FROM t")), "TDCZ");
        *(if at_one { &mut calm } else { &mut dirty }) += 1;
    }
    assert!(calm > 5 && dirty > 5, "{calm} {dirty}");
    assert_no_lock(&other);
}

/// A copy of the files: the same system identifier, the same oids, and then another history.
#[test]
fn a_restored_backup_is_another_server() {
    let (mut one, mut copy) = (server(CALM), builder().start().expect("a server"));
    one.crash();
    copy.crash();
    copy_data(&one.data(), &copy.data());
    one.restart().expect("the original again");
    copy.restart().expect("the copy");
    let system =
        "SELECT system_identifier::text, 'v'::regclass::oid::text FROM pg_control_system()";
    let told = |cluster: &PrivateCluster| {
        sql::block_on(async {
            let url = cluster.url("postgres", "postgres", "postgres");
            sql::rows(&sql::connect(&url).await.unwrap(), system).await
        })
    };
    assert_eq!(told(&one), told(&copy));
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    let mut early = login(&stack);
    for _ in 0..3 {
        assert_eq!(kinds(&early.query(READ)), "TDCZ");
    }
    run(&copy, &[LOCKS]);
    switch.lead(&[copy.port()]);
    for _ in 0..10 {
        let answer = login(&stack).query(READ);
        assert!(refused(&answer), "{answer:?}");
    }
    assert_no_lock(&copy);
    assert_eq!(kinds(&early.query(READ)), "TDCZ");
}

/// The first statement after an outage waits for what it needs, however long the outage was.
#[test]
fn who_logs_in_after_an_outage_waits_for_the_catalog_and_is_not_refused() {
    let mut one = server(CALM);
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    assert_eq!(kinds(&login(&stack).query(READ)), "TDCZ");
    let failures = || stack.metric_sum("pgsieve_catalog_failures_total", &[]);
    let deep_in_pauses = |before: f64| {
        let waited = || until(|| (failures() >= before + 5.0).then_some(()));
        until(waited).unwrap_or_else(|| panic!("pauses do not grow\n{}", stack.stderr()));
    };
    // A restart, which is another run of the server.
    let before = failures();
    one.crash();
    deep_in_pauses(before);
    one.restart().expect("the server again");
    assert_eq!(kinds(&login(&stack).query("SELECT id FROM t")), "TDCZ");
    // The same run, out of reach for a while.
    let before = failures();
    switch.lead(&[]);
    switch.cut();
    deep_in_pauses(before);
    switch.lead(&[one.port()]);
    assert_eq!(kinds(&login(&stack).query("SELECT id FROM t")), "TDCZ");
    // Only one is kept: nobody is at the run of before.
    let (_, text) = stack.get("/readyz");
    assert_eq!(text.matches("\ncatalog \"postgres\"").count(), 1, "{text}");
}

/// Only the catalog's own connection is lost, and comes back late: a session that goes without asks
/// for it by every statement.
#[test]
fn a_session_that_outlives_an_outage_keeps_the_pauses_short() {
    let one = server(CALM);
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    let mut early = login(&stack);
    assert_eq!(kinds(&early.query(READ)), "TDCZ");
    let failures = || stack.metric_sum("pgsieve_catalog_failures_total", &[]);
    let begun = failures();
    switch.lead(&[]);
    run(&one, &[KILL]);
    let waited = || until(|| (failures() >= begun + 5.0).then_some(()));
    until(waited).expect("the pauses grow");
    // By themselves they are five seconds now: four in the time that this waits.
    let begun = failures();
    let mut asked = || {
        early.query("SELECT 1");
        (failures() >= begun + 7.0).then_some(())
    };
    let often = until(&mut asked).or_else(|| until(&mut asked));
    often.expect("it is tried more often");
    switch.lead(&[one.port()]);
    until(|| (kinds(&early.query(READ)) == "TDCZ").then_some(())).expect("it is there again");
}

/// A standby that is promoted is the same run of the same server: who is there stays.
#[test]
fn a_standby_that_is_promoted_goes_on_under_the_same_eyes() {
    let (mut primary, mut standby) = (server(CALM), builder().start().expect("a server"));
    primary.crash();
    standby.crash();
    copy_data(&primary.data(), &standby.data());
    primary.restart().expect("the primary again");
    follow(&standby.data(), primary.port());
    standby.restart().expect("the standby");
    let switch = Switch::to(&[primary.port()]);
    let stack = before(&switch);
    let mut at_primary = login(&stack);
    assert_eq!(kinds(&at_primary.query(READ)), "TDCZ");
    switch.lead(&[standby.port()]);
    let mut at_standby = login(&stack);
    until(|| (kinds(&at_standby.query(READ)) == "TDCZ").then_some(())).expect("it is known");
    primary.crash();
    run(&standby, &["SELECT pg_promote()"]);
    // It may report that it is no standby any more.
    assert!(kinds(&at_standby.query(READ)).starts_with("TDC"));
    assert_eq!(kinds(&login(&stack).query(READ)), "TDCZ");
    let recovers = |client: &mut RawClient| client.query("SELECT pg_is_in_recovery()");
    until(|| {
        recovers(&mut at_standby)[1]
            .body
            .ends_with(b"f")
            .then_some(())
    })
    .expect("promoted");
    run(&standby, &[LOCKS]);
    until(|| refused(&at_standby.query(READ)).then_some(())).expect("the change is seen");
    until(|| refused(&login(&stack).query(READ)).then_some(())).expect("by new ones too");
}

/// Who the server is, as far as the role may know; without that nothing is known of its tables.
#[test]
fn a_server_that_does_not_tell_who_it_is_is_judged_without_a_catalog() {
    let one = server(CALM);
    run(
        &one,
        &["REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"],
    );
    let switch = Switch::to(&[one.port()]);
    let stack = before(&switch);
    for _ in 0..3 {
        assert_eq!(kinds(&login(&stack).query(READ)), "TDCZ");
    }
    // Asked once, not at every login: each time is a line in the server's log.
    let asked = one
        .log()
        .matches("permission denied for function pg_control_system")
        .count();
    assert_eq!(asked, 1, "{}", one.log());

    run(
        &one,
        &["REVOKE EXECUTE ON FUNCTION pg_postmaster_start_time() FROM PUBLIC"],
    );
    let mut client = login(&stack);
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    let answer = client.query(READ);
    let error = answer
        .iter()
        .find(|frame| frame.kind == b'E')
        .expect("an error");
    assert!(
        error
            .field(b'D')
            .is_some_and(|detail| detail.contains("catalog_missing")),
        "{error:?}"
    );
    assert!(stack.metric("pgsieve_catalog_failures_total{why=\"unidentified\"}") >= 1.0);
    assert!(
        stack
            .stderr()
            .contains("the server does not tell who it is"),
        "{}",
        stack.stderr()
    );
}

/// Whether a server's oids are those of the first one.
#[derive(PartialEq)]
enum Oids {
    Same,
    Others,
}

fn server(view: &str) -> PrivateCluster {
    server_with(Oids::Same, view)
}

fn server_with(oids: Oids, view: &str) -> PrivateCluster {
    let cluster = builder().start().expect("a private Postgres");
    shared::prepare(&cluster);
    if oids == Oids::Others {
        run(&cluster, &["CREATE TABLE only_here AS SELECT 1 AS id"]);
    }
    let grant = format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}, {APP}");
    // Commits are asynchronous there: a crash right behind them would lose them.
    run(
        &cluster,
        &[
            "CREATE TABLE t AS SELECT 1 AS id",
            view,
            &grant,
            "CHECKPOINT",
        ],
    );
    cluster
}

fn builder() -> ClusterBuilder {
    PrivateCluster::builder()
        .auth(PasswordMethod::Scram)
        .hba("host replication all 127.0.0.1/32 trust")
        .conf("wal_retrieve_retry_interval = 100ms")
}

fn run(cluster: &PrivateCluster, statements: &[&str]) {
    sql::run_blocking(&cluster.url("postgres", "postgres", "postgres"), statements);
}

/// A pgsieve that reaches its servers through a switch, with an age that ends soon.
fn before(switch: &Switch) -> Stack {
    let config = format!(
        "upstream:\n  url: postgres://{}/postgres\nlisten: {{listen}}\n\
         admin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\ncatalog:\n  age_max: 3s\n",
        switch.address()
    );
    Stack::start(Options {
        config: Some(config),
        ..Options::default()
    })
}

fn login(stack: &Stack) -> RawClient {
    let login = Login {
        user: READER,
        password: READER,
        database: "postgres",
        parameters: &[],
    };
    let tried = until(|| RawClient::try_login(stack.proxied_address(), &login).ok());
    tried.unwrap_or_else(|| panic!("no login\n{}", stack.stderr()))
}

fn assert_no_lock(cluster: &PrivateCluster) {
    let held = sql::block_on(async {
        let url = cluster.url("postgres", "postgres", "postgres");
        let asked = "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory'";
        sql::rows(&sql::connect(&url).await.unwrap(), asked).await
    });
    assert_eq!(held, [["0"]]);
}

/// With owners and rights: the server runs as somebody else where the test runs as root.
pub fn copy_data(from: &Path, to: &Path) {
    for arguments in [
        vec!["rm".into(), "-rf".into(), to.to_owned()],
        vec!["cp".into(), "-a".into(), from.to_owned(), to.to_owned()],
    ] {
        let mut arguments = arguments.into_iter();
        let mut command = Command::new(arguments.next().unwrap());
        assert!(command.args(arguments).status().unwrap().success());
    }
    drop(std::fs::remove_file(to.join("postmaster.pid")));
}

/// Makes a copy of a primary's data that of its standby.
pub fn follow(data: &Path, port: u16) {
    std::fs::write(data.join("standby.signal"), "").unwrap();
    let line = format!("primary_conninfo = 'host=127.0.0.1 port={port} user=postgres'\n");
    let settings = data.join("postgresql.auto.conf");
    let before = std::fs::read_to_string(&settings).unwrap_or_default();
    std::fs::write(&settings, format!("{before}{line}")).unwrap();
}
