//! What the console does: pools are held back and go on, connections are made anew.

use std::time::{Duration, Instant};

use super::{CONSOLE, backends, client, column, console, heard, is_paused, outcome, rig, rig_with};
use crate::support::raw::rows;
use crate::support::{RawClient, frames, until};

#[test]
fn a_pause_waits_for_transactions_and_holds_what_comes_behind_them() {
    let rig = rig(2);
    let (mut ann, mut eve) = (console(&rig, "ann"), console(&rig, "eve"));
    let (mut within, mut idle) = (client(&rig), client(&rig));
    within.query("BEGIN");
    assert_eq!(rows(&within.query("SELECT 1")), ["1"]);
    assert_eq!(rows(&idle.query("SELECT 2")), ["2"]);
    ann.send(&frames::query("PAUSE"));
    until(|| is_paused(&rig, &mut eve).then_some(())).unwrap();
    // The one in its transaction goes on; the connection that nobody has is closed.
    assert_eq!(rows(&within.query("SELECT 3")), ["3"]);
    until(|| (backends(&rig).len() == 1).then_some(())).unwrap();
    idle.send(&frames::query("SELECT 4"));
    let waiting = || {
        let mut eve = console(&rig, "eve");
        column(&eve.query("SHOW POOLS"), "cl_waiting", &[])
    };
    until(|| (waiting() == ["1"]).then_some(())).unwrap();
    within.query("COMMIT");
    assert_eq!(outcome(&ann.until_ready()), "PAUSE");
    assert_eq!(backends(&rig), Vec::<String>::new());
    assert_eq!(waiting(), ["1"]);
    let mut other = console(&rig, "ann");
    assert_eq!(heard(&mut other, "PAUSE"), "55000");
    assert_eq!(heard(&mut other, "RESUME"), "RESUME");
    assert_eq!(rows(&idle.until_ready()), ["4"]);
    assert_eq!(rows(&within.query("SELECT 5")), ["5"]);
    assert_eq!(heard(&mut other, "RESUME"), "55000");
    assert!(!is_paused(&rig, &mut eve));
    for command in ["pause", "resume"] {
        let done = rig
            .stack
            .audited(|event| event["command"] == command && event["outcome"] == "done");
        assert_eq!(done["user"], "ann");
        assert!(done.get("target").is_none());
    }
    let log = rig.stack.stderr();
    assert!(log.contains("console: pause by \"ann\": done"), "{log}");
}

#[test]
fn who_waits_too_long_for_a_paused_database_is_told_so() {
    let rig = rig_with(
        "pool: {mode: transaction, size: 2, query_wait: 1s}\n",
        CONSOLE,
    );
    let mut waits = client(&rig);
    let mut ann = console(&rig, "ann");
    assert_eq!(heard(&mut ann, "PAUSE"), "PAUSE");
    let since = Instant::now();
    waits.send(&frames::query("SELECT 1"));
    let told = waits.until_closed();
    assert!(since.elapsed() >= Duration::from_millis(900));
    assert_eq!(told[0].sqlstate(), "57P03");
    let message = told[0].field(b'M').unwrap();
    assert!(message.contains("the database is paused"), "{message}");
    // So is a login.
    assert_eq!(rig.try_login("ben", "ben"), "57P03");
    assert_eq!(heard(&mut ann, "RESUME"), "RESUME");
    assert_eq!(rows(&client(&rig).query("SELECT 1")), ["1"]);
}

#[test]
fn a_pause_of_one_database_holds_no_other() {
    let rig = rig(2);
    let mut ann = console(&rig, "ann");
    let mut ben = client(&rig);
    assert_eq!(heard(&mut ann, "PAUSE elsewhere"), "3D000");
    let own = rig.stack.database().to_owned();
    let login = |database: &str| {
        let login = crate::support::raw::Login {
            user: "ben",
            password: "ben",
            database,
            parameters: &[],
        };
        RawClient::login(rig.stack.proxied_address(), &login)
    };
    let mut other = login("postgres");
    assert_eq!(rows(&other.query("SELECT 1")), ["1"]);
    assert_eq!(heard(&mut ann, "PAUSE postgres;"), "PAUSE");
    assert_eq!(rows(&ben.query("SELECT 2")), ["2"]);
    other.send(&frames::query("SELECT 3"));
    let databases = ann.query("SHOW DATABASES");
    assert_eq!(column(&databases, "paused", &[("name", "postgres")]), ["1"]);
    assert_eq!(column(&databases, "paused", &[("name", &own)]), ["0"]);
    // Held with all others it cannot go on alone.
    assert_eq!(heard(&mut ann, "PAUSE"), "PAUSE");
    assert_eq!(heard(&mut ann, "RESUME postgres"), "55000");
    assert_eq!(heard(&mut ann, "RESUME"), "RESUME");
    assert_eq!(rows(&other.until_ready()), ["3"]);
    assert_eq!(heard(&mut ann, &format!("PAUSE \"{own}\"")), "PAUSE");
    assert_eq!(rows(&other.query("SELECT 4")), ["4"]);
    assert_eq!(heard(&mut ann, &format!("RESUME {own}")), "RESUME");
    let paused = rig
        .stack
        .audited(|event| event["command"] == "pause" && event["target"] == "postgres");
    assert_eq!(paused["outcome"], "done");
}

#[test]
fn a_pause_that_is_cancelled_is_taken_back_and_one_that_is_left_is_not() {
    let rig = rig(2);
    let (mut ann, mut eve) = (console(&rig, "ann"), console(&rig, "eve"));
    let mut ben = client(&rig);
    ben.query("BEGIN");
    ann.send(&frames::query("PAUSE"));
    until(|| is_paused(&rig, &mut eve).then_some(())).unwrap();
    let (pid, secret) = ann.key.clone().unwrap();
    let mut cancel = RawClient::connect(rig.stack.proxied_address());
    cancel.send(&frames::cancel_request(pid, &secret));
    cancel.until_closed();
    assert_eq!(outcome(&ann.until_ready()), "57014");
    assert!(!is_paused(&rig, &mut eve));
    let mut other = client(&rig);
    assert_eq!(rows(&other.query("SELECT 1")), ["1"]);
    // The cancel of nothing changes nothing.
    let mut cancel = RawClient::connect(rig.stack.proxied_address());
    cancel.send(&frames::cancel_request(pid, &secret));
    cancel.until_closed();
    assert_eq!(heard(&mut ann, "SHOW POOLS"), "SHOW");
    ann.send(&frames::query("PAUSE"));
    until(|| is_paused(&rig, &mut eve).then_some(())).unwrap();
    drop(ann);
    let left = rig.stack.audited(|event| event["outcome"] == "unfinished");
    assert_eq!(left["command"], "pause");
    assert!(is_paused(&rig, &mut eve));
    ben.query("COMMIT");
    assert_eq!(heard(&mut console(&rig, "ann"), "RESUME"), "RESUME");
    assert_eq!(rows(&ben.query("SELECT 1")), ["1"]);
}

/// Those that are kept ready are closed like others, and there again behind the pause.
#[test]
fn what_is_kept_ready_is_not_opened_in_a_pause() {
    let rig = rig_with(
        "pool: {mode: transaction, size: 4, min: 3, reserve: 2, reserve_wait: 100ms}\n",
        CONSOLE,
    );
    let mut ann = console(&rig, "ann");
    let mut ben = client(&rig);
    until(|| (backends(&rig).len() == 3).then_some(())).unwrap();
    assert_eq!(heard(&mut ann, "PAUSE"), "PAUSE");
    ben.send(&frames::query("SELECT 1"));
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(backends(&rig), Vec::<String>::new());
    assert_eq!(heard(&mut ann, "RESUME"), "RESUME");
    assert_eq!(rows(&ben.until_ready()), ["1"]);
    until(|| (backends(&rig).len() == 3).then_some(())).unwrap();
    let before = backends(&rig);
    assert_eq!(heard(&mut ann, "RECONNECT"), "RECONNECT");
    let renewed = || {
        let now = backends(&rig);
        now.len() == 3 && now.iter().all(|pid| !before.contains(pid))
    };
    until(|| renewed().then_some(())).unwrap();
}

#[test]
fn connections_are_made_anew_at_their_next_rest() {
    let rig = rig(2);
    let mut ann = console(&rig, "ann");
    let (mut within, mut idle) = (client(&rig), client(&rig));
    const PID: &str = "SELECT pg_catalog.pg_backend_pid()";
    within.query("BEGIN");
    let held = rows(&within.query(PID));
    let rested = rows(&idle.query(PID));
    assert_ne!(held, rested);
    assert_eq!(heard(&mut ann, "RECONNECT"), "RECONNECT");
    until(|| (backends(&rig) == held).then_some(())).unwrap();
    let servers = ann.query("SHOW SERVERS");
    assert_eq!(
        column(&servers, "close_needed", &[("state", "active")]),
        ["1"]
    );
    let fresh = rows(&idle.query(PID));
    assert!(fresh != held && fresh != rested);
    assert_eq!(rows(&within.query(PID)), held);
    within.query("COMMIT");
    until(|| (!backends(&rig).contains(&held[0])).then_some(())).unwrap();
    assert_ne!(rows(&within.query(PID)), held);
    let own = rig.stack.database();
    assert_eq!(heard(&mut ann, &format!("RECONNECT {own}")), "RECONNECT");
    assert_eq!(heard(&mut ann, "RECONNECT elsewhere"), "3D000");
}

/// What names no database is a client's text, and is kept nowhere.
#[test]
fn a_word_that_names_no_database_is_not_recorded() {
    let rig = rig(2);
    let mut ann = console(&rig, "ann");
    for command in ["PAUSE", "RESUME", "RECONNECT"] {
        assert_eq!(heard(&mut ann, &format!("{command} canary_word")), "3D000");
        assert_eq!(
            heard(&mut ann, &format!("{command} \"canary word\"")),
            "3D000"
        );
    }
    rig.stack.audited(|event| event["command"] == "reconnect");
    let said = rig.stack.everything_said();
    assert!(said.contains("console: "), "{said}");
    assert!(!said.contains("canary"), "{said}");
}

#[test]
fn where_each_client_has_a_connection_of_its_own_there_is_nothing_to_hold() {
    let rig = rig_with("pool: {mode: session}\n", CONSOLE);
    let mut ann = console(&rig, "ann");
    let mut ben = client(&rig);
    for command in ["PAUSE", "RESUME", "RECONNECT"] {
        assert_eq!(heard(&mut ann, command), "55000", "{command}");
    }
    let pid = rows(&ben.query("SELECT pg_catalog.pg_backend_pid()"));
    let pools = ann.query("SHOW POOLS");
    assert_eq!(column(&pools, "pool_mode", &[]), ["session"]);
    assert_eq!(column(&pools, "cl_active", &[("user", "app")]), ["1"]);
    assert_eq!(column(&ann.query("SHOW SERVERS"), "remote_pid", &[]), pid);
    assert_eq!(heard(&mut ann, "RELOAD"), "RELOAD");
}
