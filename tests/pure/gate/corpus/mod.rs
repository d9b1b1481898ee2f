//! The corpora: everyday reads pass, writes and tricks do not, and each says the same when it
//! stands in a PREPARE, a cursor, a COPY or between comments. `corpus/reads.sql` tells the form of
//! the files.

mod entries;
mod hints;
mod lax;
mod loosened;
mod variations;

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::gate::{Gate, JudgementCache, Rule, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::sql::tree;

use entries::{CATALOGS, CLIENTS, Entry, PSQL, READS, TRICKS, WRITES, entries};
use variations::{dressed, mutilated, poisoned, wrapped};

/// What came out, in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Permitted,
    Clamped(String),
    Refused(Rule),
}

#[test]
fn everyday_reads_pass() {
    for (file, corpus) in [("reads", READS), ("psql", PSQL), ("catalogs", CATALOGS)] {
        check(file, corpus, &passes);
    }
}

#[test]
fn what_clients_send_passes_under_the_policy_it_belongs_to() {
    check("clients", CLIENTS, &passes);
}

#[test]
fn writes_are_refused() {
    check("writes", WRITES, &is_refused);
}

#[test]
fn tricks_are_refused() {
    check("tricks", TRICKS, &is_refused);
}

#[test]
fn reads_pass_inside_prepare_cursors_and_copy() {
    for (file, corpus) in [("reads", READS), ("psql", PSQL), ("catalogs", CATALOGS)] {
        check(file, corpus, &|gates, entry| {
            wrapped(entry).iter().find_map(|inner| passes(gates, inner))
        });
    }
}

#[test]
fn writes_and_tricks_are_refused_inside_prepare_cursors_and_copy() {
    for (file, corpus) in [("writes", WRITES), ("tricks", TRICKS)] {
        check(file, corpus, &|gates, entry| {
            wrapped(entry)
                .iter()
                .find_map(|inner| is_refused(gates, inner))
        });
    }
}

#[test]
fn comments_and_white_space_around_a_statement_change_nothing() {
    for (file, corpus) in [("writes", WRITES), ("tricks", TRICKS)] {
        check(file, corpus, &|gates, entry| {
            dressed(entry)
                .iter()
                .find_map(|dressed| is_refused(gates, dressed))
        });
    }
    for (file, corpus) in [("reads", READS), ("clients", CLIENTS)] {
        check(file, corpus, &|gates, entry| {
            dressed(entry)
                .iter()
                .find_map(|dressed| passes(gates, dressed))
        });
    }
}

#[test]
fn the_corpora_are_what_they_claim_to_be() {
    assert!(entries("reads", READS).len() >= 400);
    assert!(entries("tricks", TRICKS).len() >= 300);
    for (file, corpus) in ALL {
        let mut seen = std::collections::HashSet::new();
        for entry in entries(file, corpus) {
            let known = |name: &String| Rule::ALL.iter().any(|rule| rule.name() == name);
            assert!(
                entry.rules.iter().all(known),
                "{}: no such rule",
                entry.place
            );
            assert!(
                entry.not_understood.is_empty() && entry.since <= 18,
                "{}",
                entry.place
            );
            assert_eq!(
                tree::parse(&entry.text).is_err(),
                entry.unparsable,
                "{}",
                entry.place
            );
            let place = entry.place;
            assert!(
                seen.insert((entry.text, entry.policy)),
                "{place} stands there twice"
            );
        }
    }
}

#[test]
fn poison_is_seen_in_the_place_of_every_name_and_value() {
    let gate = gate("bi");
    let mut missed = Vec::new();
    for (poison, seen_at_least) in POISONS {
        let mut seen = 0;
        for (file, corpus) in [("reads", READS), ("catalogs", CATALOGS)] {
            for entry in entries(file, corpus)
                .iter()
                .flat_map(|entry| poisoned(entry, poison))
            {
                seen += 1;
                if !matches!(judged(&gate, &entry.text), Outcome::Refused(_)) {
                    missed.push(entry.text);
                }
            }
        }
        assert!(seen > *seen_at_least, "{poison}: {seen}");
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn mutilated_texts_end_in_a_verdict() {
    let gate = gate("bi");
    let all: Vec<Entry> = ALL
        .iter()
        .flat_map(|(file, corpus)| entries(file, corpus))
        .collect();
    let mut parsed = 0;
    let mut seed: u64 = 1;
    for round in 0..MUTILATIONS {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (one, other) = (
            round % all.len(),
            usize::try_from(seed >> 40).unwrap_or(0) % all.len(),
        );
        let text = mutilated(&all[one], &all[other], seed >> 13).text;
        parsed += usize::from(tree::parse(&text).is_ok());
        judged(&gate, &text);
    }
    assert!(
        parsed > MUTILATIONS / 20,
        "{parsed} of {MUTILATIONS} parsed"
    );
}

#[test]
fn a_remembered_verdict_is_the_verdict() {
    let names = SessionNames::of_no_database();
    let gates = ["agent", "bi"].map(gate);
    // One cache for both policies: the policy is a part of what a verdict is remembered by.
    let mut cache = JudgementCache::new();
    for (file, corpus) in ALL {
        for entry in entries(file, corpus) {
            for gate in [
                &gates[0], &gates[1], &gates[0], &gates[1], &gates[0], &gates[1],
            ] {
                let remembered = cache.judge(gate, Cow::Borrowed(&entry.text), &names);
                let given = judged(gate, &entry.text);
                assert_eq!(
                    outcome(&entry.text, remembered.verdict),
                    given,
                    "{}",
                    entry.place
                );
            }
        }
    }
}

#[test]
fn what_a_version_of_the_server_knows_passes_there() {
    let gate = gate("bi");
    for (file, corpus) in [("reads", READS), ("psql", PSQL), ("catalogs", CATALOGS)] {
        for entry in entries(file, corpus) {
            let majors = entry
                .server
                .map_or(entry.since..=18, |server| server..=server);
            for major in majors {
                let mut names = SessionNames::of_no_database();
                names.set_server_major(major);
                let verdict = gate.judge(Cow::Borrowed(&entry.text), &names).verdict;
                let permitted = matches!(verdict, Verdict::Permitted(_));
                assert!(permitted, "{} on {major}: {verdict:?}", entry.place);
            }
        }
    }
}

/// The gates of both policies, the stricter one first.
type Gates = [(&'static str, Gate); 2];

/// Runs one question over a whole file and lists every statement with another answer.
fn check(file: &str, corpus: &str, question: &dyn Fn(&Gates, &Entry) -> Option<String>) {
    let gates = ["agent", "bi"].map(|name| (name, gate(name)));
    let wrong: Vec<String> = entries(file, corpus)
        .iter()
        .filter_map(|entry| question(&gates, entry))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A read passes; one that belongs to another policy is refused.
fn passes(gates: &Gates, entry: &Entry) -> Option<String> {
    gates.iter().find_map(|(name, gate)| {
        let given = judged(gate, &entry.text);
        let belongs = entry.policy.as_deref().is_none_or(|policy| policy == *name);
        let right = match &given {
            Outcome::Permitted => belongs && !entry.clamped,
            Outcome::Clamped(text) => entry.clamped && judged(gate, text) == Outcome::Permitted,
            Outcome::Refused(_) => !belongs,
        };
        (!right).then(|| complaint(entry, name, &given))
    })
}

/// A trick is refused, by the rule that its notes name; one of a stricter policy passes the other.
/// One that asks for no more than to be able to write is lowered to what cannot, or refused.
fn is_refused(gates: &Gates, entry: &Entry) -> Option<String> {
    gates.iter().find_map(|(name, gate)| {
        let given = judged(gate, &entry.text);
        let belongs = entry.policy.as_deref().is_none_or(|policy| policy == *name);
        let right = match &given {
            Outcome::Permitted => !belongs,
            Outcome::Clamped(text) => {
                let passes = judged(gate, text) == Outcome::Permitted;
                entry.clamped && passes && !text.to_lowercase().contains("read write")
            }
            Outcome::Refused(rule) => {
                let several = *rule == Rule::SeveralStatements && *name == "agent";
                let named = entry.rules.is_empty() || entry.rules.iter().any(|r| r == rule.name());
                belongs && (named || several)
            }
        };
        (!right).then(|| complaint(entry, name, &given))
    })
}

fn complaint(entry: &Entry, policy: &str, given: &Outcome) -> String {
    format!(
        "{} under {policy}: {given:?}, of {:?}",
        entry.place, entry.text
    )
}

fn judged(gate: &Gate, text: &str) -> Outcome {
    outcome(
        text,
        gate.judge(Cow::Borrowed(text), &SessionNames::of_no_database())
            .verdict,
    )
}

fn outcome(text: &str, verdict: Verdict<'_>) -> Outcome {
    match verdict {
        Verdict::Permitted(permit) => {
            assert_eq!(permit.text(), text, "the text judged is the text run");
            Outcome::Permitted
        }
        Verdict::Clamped(clamp) => Outcome::Clamped(clamp.text),
        Verdict::Refused(refusal) => Outcome::Refused(refusal.rule),
    }
}

fn gate(policy: &str) -> Gate {
    let policy = match policy {
        "agent" => Policy::agent(),
        _ => Policy::bi(),
    };
    Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]))
}

/// What must not pass wherever it stands, and in how many places it parses at least. The first has
/// a named argument because it could be read as a type without.
const POISONS: &[(&str, usize)] = &[
    ("lo_creat(mode => -1)", 3_000),
    ("((-1).lo_creat)", 2_000),
    (
        "(WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1)",
        3_000,
    ),
    ("(SELECT 1 FROM customers FOR UPDATE)", 2_000),
    ("(SELECT 1 INTO copied)", 2_000),
];

const MUTILATIONS: usize = 20_000;

const ALL: [(&str, &str); 6] = [
    ("reads", READS),
    ("psql", PSQL),
    ("catalogs", CATALOGS),
    ("clients", CLIENTS),
    ("writes", WRITES),
    ("tricks", TRICKS),
];
