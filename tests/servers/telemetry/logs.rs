//! The log: where it goes, how it is written, and that every line has a name and none has a text.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use pgsieve::demo::supervisor::ChildSignal;
use pgsieve::telemetry::labels::SettingsWarning;
use pgsieve::telemetry::log::log_event::LogEvent;

use crate::settings::reload::{Rig, folder};
use crate::support::{APP, until};

const CANARY: &str = "c4n4ry";

fn names() -> BTreeSet<&'static str> {
    let warnings = SettingsWarning::ALL.iter().map(|one| one.name());
    LogEvent::ALL
        .iter()
        .map(|one| one.name())
        .chain(warnings)
        .collect()
}

/// Refused, failed, mended, unread and oversized statements, and logins that fail.
fn disturb(rig: &mut Rig) {
    let mut session = rig.login(APP, APP).unwrap();
    for sql in [
        format!("SELECT '{CANARY}'"),
        format!("DELETE FROM t WHERE a = '{CANARY}'"),
        format!("SELECT '{CANARY}'::int"),
        format!("SELECT '{CANARY}' LIMIT 0, 1"),
        format!("SELEC '{CANARY}'"),
        format!("SELECT nofunc('{CANARY}')"),
        format!("SELECT '{CANARY}{}'", "x".repeat(100_000)),
    ] {
        session.query(&sql);
    }
    assert_ne!(rig.try_login(APP, CANARY), "");
    rig.edit("listen:", &format!("{CANARY}: 1\nlisten:"));
    rig.reload("rejected");
    rig.edit(&format!("{CANARY}: 1\n"), "");
    rig.reload("unchanged");
}

#[test]
fn every_line_of_json_has_a_time_a_level_and_a_name_and_no_text_of_a_client() {
    let own = folder();
    let log = own.join("pgsieve.log");
    let text = "upstream: {url: '{upstream}'}\nlog: {to: '{own}/pgsieve.log', format: json}\n";
    let mut rig = Rig::start(own.clone(), text);
    disturb(&mut rig);
    // Whoever rotates it moves it, and says so.
    fs::rename(&log, own.join("pgsieve.log.1")).unwrap();
    rig.reload("unchanged");
    rig.stack.signal(ChildSignal::Terminate);
    assert_eq!(
        rig.stack.wait_exit(std::time::Duration::from_secs(60)),
        Some(0)
    );
    let (before, after) = (
        fs::read_to_string(own.join("pgsieve.log.1")).unwrap(),
        fs::read_to_string(&log).unwrap(),
    );
    let (known, mut seen) = (names(), BTreeSet::new());
    for line in before.lines().chain(after.lines()) {
        let told: serde_json::Value = serde_json::from_str(line).expect(line);
        let keys: Vec<&String> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["event", "level", "text", "time"], "{line}");
        let event = told["event"].as_str().unwrap();
        assert!(known.contains(event), "{line}");
        seen.insert(event.to_owned());
        let level = told["level"].as_str().unwrap();
        assert!(["info", "warn", "alarm"].contains(&level), "{line}");
        assert!(told["time"].as_str().unwrap().ends_with('Z'), "{line}");
        // A key that the operator has written is the operator's own; a text of a client is not.
        assert!(
            !line.contains(CANARY) || event == "settings_problem",
            "{line}"
        );
    }
    for name in [
        "listening",
        "login_failed",
        "settings_problem",
        "policies_hold",
        "stopped",
    ] {
        assert!(seen.contains(name), "{name}: {seen:?}");
    }
    assert!(after.contains("\"event\":\"stopped\""), "{after}");
    assert_eq!(rig.stack.stderr(), "");
}

#[test]
fn a_line_of_text_has_its_name_behind_its_level_and_those_below_the_level_are_left_out() {
    let text = "upstream: {url: '{upstream}'}\nlog: {level: warn}\n";
    let mut rig = Rig::start(folder(), text);
    disturb(&mut rig);
    let said = rig.stack.stderr();
    let known = names();
    for line in said.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        assert!(words[1] == "warn" || words[1] == "ALARM", "{line}");
        let name = words[2].strip_suffix(':').expect(line);
        assert!(known.contains(name), "{line}");
    }
    assert!(said.contains(" warn login_failed: login of "), "{said}");
}

#[test]
fn the_log_goes_to_a_syslog_and_to_stderr_where_nobody_takes_it() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(std::time::Duration::from_secs(30)))
        .unwrap();
    let place = format!("syslog+udp://{}", socket.local_addr().unwrap());
    let text = format!("upstream: {{url: '{{upstream}}'}}\nlog: {{to: '{place}'}}\n");
    let rig = Rig::start(folder(), &text);
    let mut datagram = [0; 8192];
    let heard = socket.recv(&mut datagram).unwrap();
    let heard = String::from_utf8_lossy(&datagram[..heard]).into_owned();
    assert!(
        heard.contains(" pgsieve ") && heard.contains(" log - "),
        "{heard}"
    );
    assert!(
        heard.contains(" info policies_hold: policies: agent"),
        "{heard}"
    );
    drop(rig);
    let nobody = "upstream: {url: '{upstream}'}\nlog: {to: 'syslog:///nowhere/log'}\n";
    let rig = Rig::start(folder(), nobody);
    let said = || rig.stack.stderr();
    let told = until(|| said().contains(" info policies_hold: ").then_some(()));
    assert!(told.is_some(), "{}", said());
}

#[test]
fn places_that_cannot_be_are_told_by_their_key() {
    for (to, told) in [
        ("/nowhere/x.log", "PGSIEVE_LOG_TO (log.to): "),
        ("syslog+tcp://127.0.0.1:1", "stderr, a file, syslog, "),
        ("-", "stderr, a file, syslog, "),
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
            .args([
                "serve",
                "--upstream",
                "postgres://127.0.0.1:1/x",
                "--listen",
                "127.0.0.1:0",
            ])
            .args(["--admin", "off"])
            .env("PGSIEVE_LOG_TO", to)
            .output()
            .unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(
            !done.status.success() && said.contains(told),
            "{to}: {said}"
        );
    }
}
