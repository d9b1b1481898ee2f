//! Where evidence goes while it comes: other places for the audit, and other collectors of spans.

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::settings::reload::{Rig, folder};
use crate::support::collector::Collector;
use crate::support::raw::kinds;
use crate::support::{APP, until};

/// Whether the audit in a file is whole.
fn verify(file: &Path) {
    let done = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(["audit", "verify"])
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    assert!(done.status.success(), "{said}");
}

/// The numbers that were selected, in the order of their lines, by their length in bytes.
fn statements(text: &str) -> usize {
    text.lines()
        .filter(|line| line.contains("\"event\":\"statement\""))
        .count()
}

#[test]
fn the_audit_goes_to_other_places_and_no_line_is_lost() {
    let mut rig = Rig::start(folder(), "upstream: {url: '{upstream}'}\n");
    let first = rig.stack.audit_path();
    let second = rig.folder.join("second.jsonl");
    let syslog = UdpSocket::bind("127.0.0.1:0").unwrap();
    syslog
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut session = rig.login(APP, APP).unwrap();
    for _ in 0..5 {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    }
    // A place that cannot be: all stays as it was.
    let before = fs::read_to_string(rig.config()).unwrap();
    let to = format!("to: '{}'", first.display());
    rig.edit(&to, "to: '/nowhere/audit.jsonl'");
    rig.reload("rejected");
    let said = rig.stack.stderr();
    assert!(
        said.contains("/pgsieve.yaml:3:9 audit.to: the audit cannot be opened"),
        "{said}"
    );
    fs::write(rig.config(), &before).unwrap();
    let places = format!(
        "rotate_bytes: 100MB, to: ['{}', 'syslog+udp://{}']",
        second.display(),
        syslog.local_addr().unwrap()
    );
    rig.edit(&to, &places);
    rig.reload("loaded");
    for _ in 0..7 {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    }
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let all = || statements(&read(&first)) + statements(&read(&second));
    assert!(until(|| (all() == 12).then_some(())).is_some(), "{}", all());
    assert!(statements(&read(&second)) >= 6, "{}", read(&second));
    let first_of_second = read(&second).lines().next().unwrap().to_owned();
    assert!(
        first_of_second.contains("\"event\":\"chain_began\""),
        "{first_of_second}"
    );
    let mut datagram = [0; 8192];
    let heard = syslog.recv(&mut datagram).unwrap();
    assert!(String::from_utf8_lossy(&datagram[..heard]).contains("\"event\":"));
    // And back: the first file goes on where it ended.
    fs::write(rig.config(), &before).unwrap();
    rig.reload("loaded");
    for _ in 0..3 {
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    }
    assert!(until(|| (all() == 15).then_some(())).is_some(), "{}", all());
    verify(&first);
    verify(&second);
    let said = rig.stack.stderr();
    assert_eq!(
        said.matches("the audit goes on elsewhere; head ").count(),
        2,
        "{said}"
    );
}

#[test]
fn spans_go_to_another_collector_or_to_none() {
    let (first, second) = (Collector::start(), Collector::start());
    let mut rig = Rig::start(
        folder(),
        &format!(
            "upstream: {{url: '{{upstream}}'}}\ntraces: {{endpoint: '{}', protocol: http, \
             sample_ratio: 1}}\n",
            first.url()
        ),
    );
    let mut session = rig.login(APP, APP).unwrap();
    let mut runs = |collector: &Collector| {
        let before = collector.spans().len();
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
        until(|| (collector.spans().len() > before).then_some(())).expect("a span");
    };
    runs(&first);
    rig.edit(&first.url(), &second.url());
    rig.reload("loaded");
    runs(&second);
    let seen = first.spans().len();
    rig.edit(&format!("'{}'", second.url()), "'off'");
    rig.reload("loaded");
    let before = second.spans().len();
    let mut session = rig.login(APP, APP).unwrap();
    assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    rig.edit("'off'", &format!("'{}'", first.url()));
    rig.reload("loaded");
    // A session that began without goes on without; one that begins now is traced.
    let mut session = rig.login(APP, APP).unwrap();
    assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    until(|| (first.spans().len() > seen).then_some(())).expect("a span");
    assert_eq!(second.spans().len(), before);
}
