//! No SQL text, literal, parameter, setting, password or row is in anything that pgsieve writes.
//! Values that exist nowhere else are sent by every path that a text can take; then everything
//! written is searched. (User, database and application_name are recorded on purpose.)
//!
//! A sink that is empty proves nothing: each has to hold what it is there for.

mod collector;
mod search;
mod sending;
mod sinks;
mod syslog;

use std::thread;
use std::time::Duration;

use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, until};

use crate::protocol::same_answer::FIXTURE;
use collector::Collector;
use search::{Sink, nothing_in};
use syslog::Syslog;

/// What the last client calls itself, so that every sink that tells who it was can be awaited.
const LAST: &str = "the last one";

/// Audit to a file that is put aside again and again and to a collector, every statement traced,
/// the live page open.
#[test]
fn no_value_is_written_anywhere() {
    let (collector, records) = (Collector::start(), Collector::start());
    let key = sinks::KeyFile::new();
    let stack = start(&format!(
        "audit:\n  to: ['{{audit}}', '{}']\n  protocol: http\n  rotate_bytes: 65536\n  \
         rotate_keep: 1000\n  chain_key_file: {}\ntraces:\n  endpoint: {}\n  protocol: http\n  sample_ratio: 1\n",
        records.url(),
        key.path().display(),
        collector.url(),
    ));
    sending::everything(&stack);
    say_the_last(&stack);
    let audited = until(|| {
        let files = sinks::audit_files(&stack);
        let all: String = files.iter().map(Sink::text).collect();
        all.contains(LAST).then_some(files)
    });
    let audited = audited.expect("the last session is in the audit");
    assert!(audited.len() > 2, "the audit was not put aside");
    let lines: usize = audited.iter().map(|file| file.text().lines().count()).sum();
    assert!(
        lines > 400,
        "only {lines} lines: the audit has missed what happened"
    );

    let mut all = sinks::files(&stack);
    all.extend(sinks::pages(&stack));
    all.extend(sinks::answers_to_hostile_requests(&stack));
    all.extend(sinks::audit_tools(&stack, &key));
    let spans = until(|| Some(collector.received()).filter(|bytes| bytes.len() > 20_000));
    let spans = spans.expect("spans arrive");
    all.push(Sink::new("the collector", spans));
    let is_last = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(LAST);
    let kept = until(|| Some(records.received()).filter(is_last));
    let kept = kept.expect("the last session is at the collector of the audit");
    assert!(kept.len() > 500_000, "only {} bytes came there", kept.len());
    all.push(Sink::new("the collector of the audit", kept));
    nothing_in(&all);
}

/// Audit to standard output, names by the tree alone.
#[test]
fn no_value_is_written_to_standard_output() {
    let stack = start("audit:\n  to: \"-\"\n");
    sending::everything(&stack);
    say_the_last(&stack);
    let said = until(|| {
        let said = stack.everything_said();
        said.contains(LAST).then_some(said)
    });
    let said = said.expect("the last session is in the audit");
    assert!(
        said.lines()
            .filter(|line| line.starts_with("{\"v\":"))
            .count()
            > 400
    );
    nothing_in(&[Sink::new("standard output and error", said)]);
}

/// Audit to a syslog that keeps every byte it is sent.
#[test]
fn no_value_is_written_to_syslog() {
    let syslog = Syslog::start();
    let stack = start(&format!("audit:\n  to: {}\n", syslog.url()));
    sending::everything(&stack);
    say_the_last(&stack);
    let kept = syslog.kept();
    let lines = kept.text().lines().count();
    assert!(lines > 100, "only {lines} lines");
    nothing_in(&[kept, Sink::new("said", stack.everything_said())]);
}

/// Texts are in the audit, and no one of them in clear: whoever has the identity opens them.
#[test]
fn no_value_is_written_in_clear_where_texts_are_encrypted() {
    let identity = age::x25519::Identity::generate();
    let (collector, syslog) = (Collector::start(), Syslog::start());
    let stack = start(&format!(
        "audit:\n  to: ['{{audit}}', '{}']\n  rotate_bytes: 262144\n  rotate_keep: 1000\n  \
         text: encrypted\n  text_recipients: {}\n\
         traces:\n  endpoint: {}\n  protocol: http\n  sample_ratio: 1\n",
        syslog.url(),
        identity.to_public(),
        collector.url(),
    ));
    sending::everything(&stack);
    say_the_last(&stack);
    let audited = until(|| {
        let files = sinks::audit_files(&stack);
        let all: String = files.iter().map(Sink::text).collect();
        all.contains(LAST).then_some(all)
    });
    let audited = audited.expect("the last session is in the audit");
    let texts = audited.matches("\"text\":\"").count();
    assert!(texts > 300, "only {texts} texts are in it");
    let kept = syslog.kept();
    let sent = kept.text().matches("\"text\":\"").count();
    assert!(sent > 50, "only {sent} texts came to syslog");
    let spans = until(|| Some(collector.received()).filter(|bytes| bytes.len() > 20_000));
    let spans = Sink::new("the collector", spans.expect("spans arrive"));
    let mut all = sinks::files(&stack);
    all.extend(sinks::pages(&stack));
    all.extend([kept, spans, Sink::new("said", stack.everything_said())]);
    nothing_in(&all);

    let opened = sinks::opened(&stack, &identity);
    for sent in [
        "SELECT 'canary permitted'",
        "ALTER ROLE app PASSWORD 'canary password'",
    ] {
        assert!(opened.contains(sent), "{sent} is not in it");
    }
    assert_eq!(opened.lines().count(), texts);
}

/// A pgsieve with these sinks, and everything that the statements need.
fn start(evidence: &str) -> Stack {
    let stack = Stack::start(Options {
        policy_edits: sending::EDITS,
        config: Some(format!(
            "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n\
             policy:\n  file: {{folder}}/policy.yaml\n{evidence}"
        )),
        ..Options::default()
    });
    stack.prepare(&[FIXTURE]);
    stack.prepare(sending::TABLES);
    let known = || {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        kinds(&client.query("SELECT email FROM shop.customers"))
    };
    let seen = until(|| known().starts_with('T').then_some(()));
    assert!(seen.is_some(), "the catalog is not known: {}", known());
    stack
}

/// The audit and the spans leave in their own time: the last thing that happens is awaited.
fn say_the_last(stack: &Stack) {
    let parameters = [("application_name", LAST)];
    let login = Login {
        parameters: &parameters,
        ..stack.login(APP)
    };
    let mut last = RawClient::login(stack.proxied_address(), &login);
    assert_eq!(kinds(&last.query("SELECT 'canary at the end'")), "TDCZ");
    assert_eq!(kinds(&last.query("DELETE FROM canary_rows")), "EZ");
    drop(last);
    thread::sleep(Duration::from_millis(300));
}
