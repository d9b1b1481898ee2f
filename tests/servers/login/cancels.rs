//! Ctrl-C finds the statement it is meant for, and nothing else.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pgsieve::net::client_tls::ClientTlsSettings;
use pgsieve::telemetry::labels::ClosedBecause;

use crate::login::support::{PASSWORD, Setup, Sieve, text, tls_files, upstream};

/// Starts a long statement in psql and interrupts it.
pub fn check_interrupted(sieve: &Sieve, target: &str) {
    let child = Command::new("psql")
        .args(["-XAtq", "-d", target, "-c", SLOW])
        .env("PGPASSWORD", PASSWORD)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(|| sieve.cancels.len() == 1);
    // The statement has to be under way before it can be interrupted.
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let error = text(&output.stderr);
    assert!(
        error.contains("canceling statement due to user request"),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
    wait_for(|| sieve.cancels.is_empty());
}

fn wait_for(condition: impl Fn() -> bool) {
    for _ in 0..1000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("did not happen");
}

#[test]
fn in_clear() {
    let sieve = Sieve::start(Setup::plain());
    check_interrupted(&sieve, &sieve.target("scramy", ""));
    check_interrupted(&sieve, &sieve.socket_target("scramy"));
    sieve.check_metric(&["cancel", "forwarded"], 2.0);
    let ends = sieve.wait_for_ends(4);
    let cancels = ends
        .iter()
        .filter(|end| **end == ClosedBecause::CancelRequest);
    assert_eq!(cancels.count(), 2, "{ends:?}");
}

#[test]
fn over_tls_on_both_legs() {
    let tls = ClientTlsSettings::Require(tls_files());
    let setup = Setup {
        tls,
        upstream: upstream("sslmode=require"),
        ..Setup::plain()
    };
    let sieve = Sieve::start(setup);
    // libpq before 17 sends the request itself in clear even where TLS is required.
    check_interrupted(&sieve, &sieve.target("onlytls", "sslmode=require"));
    sieve.check_metric(&["cancel", "forwarded"], 1.0);
}

/// A read of minutes, which the policy permits.
const SLOW: &str = "SELECT count(*) FROM (SELECT generate_series(1, 100000000000)) AS s";
