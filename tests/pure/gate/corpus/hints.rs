//! What is recorded of a hint is pgsieve's own words: no statement, of any corpus or poisoned with
//! a value that must not leave, gets a letter into it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pgsieve::gate::{Refusal, SessionNames, Verdict};

use super::variations::{poisoned, wrapped};
use super::{ALL, gate};
use crate::gate::corpus::entries::entries;

/// A value, a name and a setting that stand nowhere in pgsieve.
const POISONS: [&str; 3] = [
    "set_config('canary.setting', 'canary', false)",
    "\"canary column\"",
    "'canary'::text",
];

#[test]
fn what_is_recorded_of_a_hint_stands_in_the_source() {
    let source = source();
    let (mut fixed, mut composed) = (BTreeSet::new(), 0);
    let mut note = |refusal: Box<Refusal>| {
        composed += usize::from(refusal.hint != refusal.fixed_hint);
        fixed.insert(refusal.fixed_hint);
    };
    for (policy, poisons) in [("agent", &POISONS[..]), ("bi", &[])] {
        let gate = gate(policy);
        let names = SessionNames::of_no_database();
        let mut judge = |text: &str| {
            if let Verdict::Refused(refusal) = gate.judge(Cow::Borrowed(text), &names).verdict {
                note(refusal);
            }
        };
        for entry in ALL.iter().flat_map(|(file, corpus)| entries(file, corpus)) {
            judge(&entry.text);
            wrapped(&entry).iter().for_each(|other| judge(&other.text));
            for poison in poisons {
                let poisoned = poisoned(&entry, poison);
                poisoned.iter().for_each(|other| judge(&other.text));
            }
        }
        judge("SET statement_timeout = 'canary'");
        judge("SET work_mem = 'canary'");
        judge("SET application_name TO DEFAULT; DELETE FROM canary");
    }
    assert!(
        fixed.len() > 20 && composed > 0,
        "{} {composed}",
        fixed.len()
    );
    for hint in fixed {
        let quoted = format!("\"{}\"", hint.replace('\\', "\\\\").replace('"', "\\\""));
        assert!(source.contains(&quoted), "{hint}");
        assert!(!hint.contains("canary"), "{hint}");
    }
    // Nothing becomes a word of the source while the program runs.
    for leak in [".leak()", "::leak("] {
        assert!(!source.contains(leak), "{leak}");
    }
}

/// All of it, with texts that go over several lines in one.
fn source() -> String {
    let mut text = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start())
}
