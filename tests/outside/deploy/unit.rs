//! The systemd unit, as systemd reads it.

use std::process::{Command, Output};

use super::text::{Folder, has, text};

const UNIT: &str = "docker/pgsieve.service";

fn analyze(arguments: &[&str]) -> Output {
    Command::new("systemd-analyze")
        .args(arguments)
        .output()
        .unwrap()
}

/// The last value of a setting in a section's lines.
fn setting(name: &str) -> String {
    let text = text(UNIT);
    let mut values = text.lines().filter_map(|line| {
        let (own, value) = line.split_once('=')?;
        (own == name).then_some(value)
    });
    values
        .next_back()
        .unwrap_or_else(|| panic!("there is no {name}"))
        .into()
}

#[test]
fn systemd_accepts_the_unit() {
    if !has("systemd-analyze", "the unit") {
        return;
    }
    // Where the program is installed, here.
    let here = env!("CARGO_BIN_EXE_pgsieve");
    let folder = Folder::new();
    let unit = text(UNIT).replace("/usr/local/bin/pgsieve", here);
    let path = folder.put("pgsieve.service", &unit);
    let output = analyze(&["verify", "--man=no", "--recursive-errors=no", &path]);
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    let wrong = unit.replace("ProtectSystem=strict", "ProtectSytem=strict");
    let path = folder.put("wrong.service", &wrong);
    let output = analyze(&["verify", "--man=no", "--recursive-errors=no", &path]);
    assert!(!output.stderr.is_empty(), "a misspelt setting is not seen");
}

#[test]
fn the_unit_is_exposed_to_next_to_nothing() {
    if !has("systemd-analyze", "the exposure of the unit") {
        return;
    }
    let folder = Folder::new();
    // In tenths; 11 is what it has: the network is there, and its addresses are not known.
    let exposed = |text: &str| {
        let path = folder.put("pgsieve.service", text);
        let output = analyze(&["security", "--offline=true", "--threshold=12", &path]);
        (!output.status.success(), output)
    };
    let (too_much, output) = exposed(&text(UNIT));
    assert!(!too_much, "{}", String::from_utf8_lossy(&output.stdout));
    let bare = text(UNIT).replace("SystemCallFilter=", "#");
    assert!(exposed(&bare).0, "less hardening is not seen");
}

#[test]
fn the_unit_gives_pgsieve_what_it_needs() {
    assert_eq!(setting("ExecStart"), "/usr/local/bin/pgsieve serve");
    assert_eq!(setting("ExecReload"), "/bin/kill -HUP $MAINPID");
    assert_eq!(
        setting("Environment"),
        "PGSIEVE_CONFIG=/etc/pgsieve/pgsieve.yaml"
    );
    // Wrong settings end the program with 2; a drain may take 30 s.
    assert_eq!(setting("RestartPreventExitStatus"), "2");
    let stop: u64 = setting("TimeoutStopSec").parse().unwrap();
    assert!(stop > pgsieve::limits::ending::DRAIN_TIMEOUT.as_secs());
    let descriptors: u64 = setting("LimitNOFILE").parse().unwrap();
    assert!(descriptors > 2 * pgsieve::limits::CONNECTIONS_MAX);
    // pgsieve tells no watchdog that it lives; it would be killed for it.
    assert!(!text(UNIT).contains("WatchdogSec"));
    assert_eq!(setting("LimitCORE"), "0");
}
