//! The lag of a real standby: made of a copy of a primary's data, which it then follows.

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster};

use crate::support::{APP, Options, RawClient, Stack, own_cluster, shared, sql, until};

use crate::catalog::servers::{copy_data, follow};

/// A primary and a standby that follows it, for as long as the program runs.
pub fn start_two() -> (&'static PrivateCluster, &'static PrivateCluster) {
    let mut primary = builder().start().expect("a primary");
    shared::prepare(&primary);
    let mut standby = builder().start().expect("a server to make a standby of");
    primary.crash();
    standby.crash();
    copy_data(&primary.data(), &standby.data());
    primary.restart().expect("the primary again");
    follow(&standby.data(), primary.port());
    standby.restart().expect("the standby");
    (Box::leak(Box::new(primary)), Box::leak(Box::new(standby)))
}

fn builder() -> pgsieve::demo::cluster::ClusterBuilder {
    own_cluster()
        .auth(PasswordMethod::Scram)
        .hba("host replication all 127.0.0.1/32 trust")
        .conf("wal_retrieve_retry_interval = 100ms")
}

#[test]
fn a_standby_tells_how_far_it_is_behind() {
    let (primary, standby) = start_two();
    let config = format!(
        "upstream:\n  url: postgres://127.0.0.1:{}/{{database}}\nlisten: {{listen}}\n\
         admin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n",
        standby.port()
    );
    // Its database is made at the primary; the standby follows.
    let stack = Stack::start(Options {
        cluster: Some(primary),
        config: Some(config),
        ..Options::default()
    });
    let upstream = format!("{{upstream=\"127.0.0.1:{}\"}}", standby.port());
    let lag = || {
        let (_, text) = stack.get("/metrics");
        let start = format!("pgsieve_upstream_lag_seconds{upstream} ");
        let value = text.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(value.parse::<f64>().unwrap())
    };
    let login = || RawClient::try_login(stack.proxied_address(), &stack.login(APP)).ok();
    let mut client = until(login).expect("a login at the standby");
    assert!(
        until(|| (lag()? == 0.0).then_some(())).is_some(),
        "{:?}",
        lag()
    );
    assert_eq!(
        stack.metric(&format!("pgsieve_upstream_is_standby{upstream}")),
        1.0
    );

    let at_standby =
        |text: &str| sql::run_blocking(&standby.url("postgres", "postgres", "postgres"), &[text]);
    at_standby("SELECT pg_wal_replay_pause()");
    stack.prepare(&["CREATE TABLE behind (id int)"]);
    let is_behind = until(|| (lag()? >= 1.0).then_some(()));
    assert!(is_behind.is_some(), "paused: {:?}", lag());
    at_standby("SELECT pg_wal_replay_resume()");
    assert!(
        until(|| (lag()? == 0.0).then_some(())).is_some(),
        "{:?}",
        lag()
    );

    // Cut off from its primary it has replayed all that it knows of, and grows old.
    at_standby("ALTER SYSTEM SET primary_conninfo = ''");
    at_standby("SELECT pg_reload_conf()");
    let is_old = until(|| (lag()? >= 1.0).then_some(()));
    assert!(is_old.is_some(), "cut off: {:?}", lag());
    assert_eq!(client.query("SELECT 1").len(), 4);
}
