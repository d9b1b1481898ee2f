//! Cases that were written when the code was done: what nobody had in mind while writing it.

use std::fs;
use std::thread;
use std::time::Duration;

use pgsieve::demo::cluster::{PasswordMethod, PrivateCluster};
use pgsieve::demo::supervisor::ChildSignal;

use super::{Sieve, Wish, cluster, role, run, who};
use crate::support::raw::{Login, kinds};
use crate::support::switch::Switch;
use crate::support::{RawClient, frames, own_cluster, shared, until};

/// Writes other lines for who is let in how.
fn let_in_by(cluster: &PrivateCluster, user: &str, method: &str) {
    let lines =
        format!("host all {user} 127.0.0.1/32 {method}\nhost all all 127.0.0.1/32 scram-sha-256\n");
    fs::write(cluster.data().join("pg_hba.conf"), lines).unwrap();
    run(cluster, &["SELECT pg_reload_conf()"]);
    thread::sleep(Duration::from_millis(500));
}

#[test]
fn whoever_the_server_begins_to_trust_gets_nothing_of_those_who_were_asked() {
    let own = own_cluster().auth(PasswordMethod::Scram).start().unwrap();
    shared::prepare(&own);
    let own: &'static PrivateCluster = Box::leak(Box::new(own));
    run(own, &["CREATE ROLE ann LOGIN PASSWORD 'right'"]);
    let sieve = Sieve::start(&Wish {
        cluster: Some(own),
        ..Wish::default()
    });
    let mut asked = sieve.login("ann", "right");
    let (_, pid) = who(&mut asked);
    let_in_by(own, "ann", "trust");
    let mut unasked = sieve.login("ann", "wrong");
    assert_ne!(who(&mut unasked).1, pid);
    // Whoever has proved it before goes on as before.
    let mut again = sieve.login("ann", "right");
    assert_ne!(who(&mut again).1, who(&mut unasked).1);
    let_in_by(own, "ann", "scram-sha-256");
    sieve.refuses("ann", "wrong");
    assert_eq!(who(&mut sieve.login("ann", "right")).0, "ann");
    let_in_by(own, "ann", "reject");
    // It is known for its time, on connections that are there.
    sieve.refusal("ann", "wrong");
    assert_eq!(who(&mut asked), ("ann".into(), pid));
}

#[test]
fn two_users_with_one_password_are_two() {
    let sieve = Sieve::start(&Wish::default());
    let (ann, bob) = (role("PASSWORD 'same'"), role("PASSWORD 'same'"));
    let (mut one, mut other) = (sieve.login(&ann, "same"), sieve.login(&bob, "same"));
    for _ in 0..5 {
        let (one, other) = (who(&mut one), who(&mut other));
        assert_eq!((&one.0, &other.0), (&ann, &bob));
        assert_ne!(one.1, other.1);
    }
}

#[test]
fn a_password_that_is_known_in_one_database_is_asked_about_in_another() {
    let sieve = Sieve::start(&Wish::default());
    let (ann, other) = (role(""), shared::new_database(cluster()));
    run(
        cluster(),
        &[&format!("REVOKE CONNECT ON DATABASE {other} FROM PUBLIC")],
    );
    assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
    let login = |password| Login {
        user: &ann,
        password,
        database: &other,
        parameters: &[],
    };
    let address = sieve.stack.proxied_address();
    let code = |password| {
        RawClient::try_login(address, &login(password))
            .err()
            .unwrap()
    };
    assert_eq!(code(ann.as_str()).sqlstate(), "42501");
    assert_eq!(code("wrong").sqlstate(), "28P01");
    run(
        cluster(),
        &[&format!("GRANT CONNECT ON DATABASE {other} TO {ann}")],
    );
    let mut client = RawClient::login(address, &login(&ann));
    assert_eq!(who(&mut client).0, ann);
}

#[test]
fn whoever_leaves_at_the_question_costs_the_server_nothing() {
    let sieve = Sieve::start(&Wish::default());
    let ann = role("");
    let database = sieve.stack.database();
    for step in 0..40 {
        let mut client = RawClient::connect(sieve.stack.proxied_address());
        client.send(&frames::startup(
            0,
            &[("user", &ann), ("database", database)],
        ));
        assert_eq!(client.read().unwrap().kind, b'R');
        if step % 2 == 0 {
            client.send(&frames::message(b'p', b"")[..3]);
        }
    }
    assert_eq!(sieve.logins(&ann), 0);
    let mut odd = RawClient::connect(sieve.stack.proxied_address());
    odd.send(&frames::startup(
        0,
        &[("user", &ann), ("database", database)],
    ));
    assert_eq!(odd.read().unwrap().kind, b'R');
    odd.send(&frames::query("SELECT 1"));
    assert_eq!(odd.until_closed().last().unwrap().sqlstate(), "08P01");
    assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
}

#[test]
fn the_first_who_leaves_while_it_is_asked_leaves_it_to_the_next() {
    let network = Switch::to(&[cluster().port()]);
    let sieve = Sieve::start(&Wish {
        address: Some(network.address().to_string()),
        ..Wish::default()
    });
    let ann = role("");
    network.hold(true);
    let mut crowd: Vec<_> = (0..4)
        .map(|_| super::crowds::come(&sieve, &ann, &ann))
        .collect();
    thread::sleep(Duration::from_millis(500));
    drop(crowd.remove(0));
    thread::sleep(Duration::from_millis(500));
    network.hold(false);
    for client in &mut crowd {
        client.until_ready();
        assert_eq!(who(client).0, ann);
    }
    network.cut();
    network.lead(&[]);
    // A server that is gone lets nobody in by what was known.
    let away = until(|| {
        sieve
            .try_login(&ann, "fresh")
            .err()
            .map(|error| error.sqlstate())
    });
    assert!(
        matches!(away.as_deref(), Some("08001" | "08006")),
        "{away:?}"
    );
    network.lead(&[cluster().port()]);
    assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
}

#[test]
fn a_cancel_meets_its_own_statement() {
    let sieve = Sieve::start(&Wish {
        size: 1,
        ..Wish::default()
    });
    let ann = role("");
    let mut client = sieve.login(&ann, &ann);
    client.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 1000000000)",
    ));
    let answer = client.cancelled(sieve.stack.proxied_address());
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    assert_eq!(error.sqlstate(), "57014");
    assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
}

#[test]
fn a_reload_makes_the_time_shorter_or_ends_it() {
    let mut sieve = Sieve::start(&Wish::default());
    let ann = role("");
    let config = sieve.stack.folder().join("pgsieve.yaml");
    let edit = |sieve: &mut Sieve, edits: &[(&str, &str)]| {
        let mut text = fs::read_to_string(&config).unwrap();
        for (old, new) in edits {
            assert!(text.contains(old), "{text}");
            text = text.replace(old, new);
        }
        fs::write(&config, text).unwrap();
        let loaded = "pgsieve_settings_reloads_total{outcome=\"loaded\"}";
        let before = sieve.stack.metric(loaded);
        sieve.stack.signal(ChildSignal::Reload);
        let read = until(|| (sieve.stack.metric(loaded) > before).then_some(()));
        assert!(read.is_some(), "{}", sieve.stack.stderr());
    };
    let mut open = sieve.login(&ann, &ann);
    run(cluster(), &[&format!("ALTER ROLE {ann} PASSWORD 'fresh'")]);
    assert_eq!(who(&mut sieve.login(&ann, &ann)).0, ann);
    edit(&mut sieve, &[("cache_age: 5min", "cache_age: 1s")]);
    thread::sleep(Duration::from_millis(1050));
    sieve.refuses(&ann, &ann);
    let known = sieve.login(&ann, "fresh");
    // Without it each session has its own connection, and the server is asked at each login.
    let none = [
        ("  mode: transaction\n", ""),
        ("passthrough:\n      cache_age: 1s", "method: passthrough"),
    ];
    edit(&mut sieve, &none);
    let waits = |line: &str| line.contains("pool.mode") && line.contains("restart");
    assert!(until(|| sieve.stack.stderr().lines().any(waits).then_some(())).is_some());
    let before = sieve.logins(&ann);
    let mut alone = [sieve.login(&ann, "fresh"), sieve.login(&ann, "fresh")];
    let pids = alone.each_mut().map(|client| who(client).1);
    assert_ne!(pids[0], pids[1]);
    assert_eq!(sieve.logins(&ann), before + 2);
    sieve.refuses(&ann, &ann);
    // Sessions that share go on.
    assert_eq!(who(&mut open).0, ann);
    drop(known);
}

#[test]
fn in_session_mode_each_session_has_its_own_connection_and_is_asked_when_the_server_asks() {
    run(cluster(), &["CREATE ROLE let_in_alone LOGIN PASSWORD 'x'"]);
    let sieve = Sieve::start(&Wish {
        mode: "session",
        ..Wish::default()
    });
    let ann = role("");
    let mut clients = [0; 3].map(|_| sieve.login(&ann, &ann));
    let mut pids = clients.each_mut().map(|client| who(client).1).to_vec();
    pids.sort();
    pids.dedup();
    assert_eq!(pids.len(), 3);
    assert_eq!(sieve.stack.metric_sum("pgsieve_pool_connections", &[]), 0.0);
    // The server lets it in, so that nobody asks it for anything.
    let mut unasked = RawClient::connect(sieve.stack.proxied_address());
    let names = [
        ("user", "let_in_alone"),
        ("database", sieve.stack.database()),
    ];
    unasked.send(&frames::startup(0, &names));
    let first = unasked.read().unwrap();
    assert_eq!((first.kind, first.body.get(..4)), (b'R', Some(&[0; 4][..])));
    sieve.refuses(&ann, "wrong");
}

#[test]
fn statements_of_drivers_run_on_whichever_connection_there_is() {
    let sieve = Sieve::start(&Wish {
        size: 1,
        ..Wish::default()
    });
    let ann = role("");
    let mut clients = [sieve.login(&ann, &ann), sieve.login(&ann, &ann)];
    for (number, client) in clients.iter_mut().enumerate() {
        let parse = frames::parse("mine", &format!("SELECT $1::int + {number}"));
        client.send(&[parse, frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
    }
    for _ in 0..3 {
        for (number, client) in clients.iter_mut().enumerate() {
            let bind = frames::bind("", "mine", &[Some("5")], false);
            client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
            let answer = client.until_ready();
            let told = crate::support::raw::values(&answer);
            assert_eq!(told, [[(5 + number).to_string()]], "{answer:?}");
        }
    }
    assert_eq!(sieve.connections(&ann), 1);
}
