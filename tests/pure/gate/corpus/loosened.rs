//! Nothing in a policy loosens what the gate itself refuses: neither what it allows, nor what it
//! only observes. The laxest policy that can be written, and policies made at random from the
//! schema, let through nothing that changes anything.

use std::sync::Arc;

use pgsieve::gate::{Gate, Rule};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;

use super::{Outcome, gate, judged};
use crate::gate::corpus::entries::{READS, TRICKS, WRITES, entries};

#[test]
fn what_the_gate_refuses_it_refuses_under_any_policy() {
    let mut refused = 0;
    let mut wrong = Vec::new();
    for base in ["agent", "bi"] {
        let plain = gate(base);
        let others = [loose(base, OBSERVES), loose(base, ALLOWS)];
        for (file, corpus) in [("writes", WRITES), ("tricks", TRICKS)] {
            for entry in entries(file, corpus) {
                let Outcome::Refused(rule) = judged(&plain, &entry.text) else {
                    continue;
                };
                refused += 1;
                for other in &others {
                    let given = judged(other, &entry.text);
                    // A list may refuse an earlier part of the text; it lets nothing through.
                    let same = matches!(given, Outcome::Refused(Rule::NotResolved))
                        || given == Outcome::Refused(rule);
                    if !same {
                        wrong.push(format!("{} under {base}: {given:?}", entry.place));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 500, "{refused}");
}

#[test]
fn a_policy_that_observes_changes_no_answer() {
    let plain = gate("bi");
    let observing = loose("bi", OBSERVES);
    let mut noted = 0;
    for entry in entries("reads", READS) {
        let names = pgsieve::gate::SessionNames::of_no_database();
        let judgement = observing.judge(entry.text.as_str().into(), &names);
        noted += usize::from(!judgement.facts.observed.is_empty());
        let given = super::outcome(&entry.text, judgement.verdict);
        assert_eq!(given, judged(&plain, &entry.text), "{}", entry.place);
    }
    assert!(noted > 100, "{noted}");
}

/// A built-in policy with other words in places.
fn loose(base: &str, edits: &[(&str, &str)]) -> Gate {
    let mut text = match base {
        "agent" => include_str!("../../../../policies/agent.yaml"),
        _ => include_str!("../../../../policies/bi.yaml"),
    }
    .to_owned();
    for (before, after) in edits {
        assert!(text.contains(before), "{before}");
        text = text.replace(before, after);
    }
    let policy = Policy::from_yaml(&text).unwrap();
    Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
}

/// Everything is denied, and only observed.
const OBSERVES: &[(&str, &str)] = &[
    (
        "\nlimits:\n",
        "\nmode: observe\nrelations: {allow: [nothing.nothing], deny: [\"*.*\"]}\n\
         columns: {deny: [\"*.*.*\"]}\nlimits:\n  nesting: 1\n",
    ),
    ("\nstatements:\n", "\nstatements:\n  allow: [show]\n"),
    ("\nsettings:\n", "\nsettings:\n  deny: [\"*\"]\n"),
    (
        "\nfunctions:\n",
        "\nfunctions:\n  deny: [pg_catalog.lower, count]\n",
    ),
];

/// Everything is allowed that a policy can name.
const ALLOWS: &[(&str, &str)] = &[
    (
        "\nlimits:\n",
        "\nrelations: {allow: [\"*.*\"]}\ncolumns: {allow: [\"*.*.*\"]}\nlimits:\n  nesting: 1000\n",
    ),
    (
        "\n  allow: []\n",
        "\n  allow: [pg_catalog.pg_sleep, nextval, pg_catalog.nextval, setval, lo_creat, lo_export, \
         query_to_xml, pg_catalog.query_to_xml, pg_terminate_backend, pg_read_file, pg_notify, \
         pg_advisory_lock, txid_current, set_config, pg_switch_wal]\n",
    ),
];
