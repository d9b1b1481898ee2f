//! Records of a policy's knowledge: who is told them, and which are wrong or stale.

use std::fs;
use std::path::PathBuf;

use crate::support::command::pgsieve;
use crate::support::{APP, READER, Stack};

/// Of each kind one that is told to the reader and one that is not.
const KNOWLEDGE: &str = "
term:
  late: {meaning: placed and not sent, about: library.loans}
  canary_far: {meaning: canary, about: library.canary_denied}
quirk:
  fee: {note: in cents, about: library.loans.fee}
  canary_hidden: {note: canary, about: library.loans.canary_note}
  canary_denied: {note: canary, about: library.canary_denied}
  canary_ungranted: {note: canary, about: library.canary_ungranted}
correction:
  reader: {wrong: loans.reader_name, right: readers.name over loans.reader_no, about: library.loans}
  canary_other: {wrong: canary, right: canary, users: somebody}
relationship:
  reader: {from: 'library.loans(reader_no)', to: 'library.readers(number)', note: none before 2020}
  canary: {from: 'library.loans(reader_no)', to: 'library.canary_denied(id)'}
example:
  open: {question: What is lent?, sql: SELECT id FROM library.loans WHERE back IS NULL}
  canary_rights: {question: canary?, sql: SELECT count(*) FROM library.canary_ungranted}
clarify:
  fee: {when: fees are asked for, ask: Paid ones as well?, about: library.loans, users: \"*er*\"}
style:
  short: {note: Keep it short.}
";

const POLICY: &str = "\
name: library
extends: agent
replace: [knowledge]
knowledge: [library.knowledge.yaml]
relations: {deny: [library.canary_denied]}
columns: {deny: [library.loans.canary_note]}
";

struct Library {
    stack: Stack,
    policy: PathBuf,
}

fn library() -> Library {
    let stack = Stack::start(crate::support::Options::default());
    stack.prepare(&[
        "CREATE SCHEMA library",
        "CREATE TABLE library.readers (number int PRIMARY KEY, name text)",
        "CREATE TABLE library.loans (id int, reader_no int, back date, fee int, canary_note text)",
        "CREATE TABLE library.canary_denied (id int)",
        "CREATE TABLE library.canary_ungranted (id int)",
        &format!("GRANT USAGE ON SCHEMA library TO {READER}, {APP}"),
        &format!("GRANT SELECT ON ALL TABLES IN SCHEMA library TO {READER}, {APP}"),
        &format!("REVOKE ALL ON library.canary_ungranted FROM {READER}"),
    ]);
    let policy = stack.folder().join("library.yaml");
    fs::write(&policy, POLICY).unwrap();
    fs::write(stack.folder().join("library.knowledge.yaml"), KNOWLEDGE).unwrap();
    Library { stack, policy }
}

impl Library {
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = pgsieve(arguments, "");
        let told = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(told).unwrap())
    }

    fn ground(&self, arguments: &[&str]) -> String {
        let (url, policy) = (
            self.stack.direct_url(READER),
            self.policy.display().to_string(),
        );
        let all = ["ground", "--upstream", &url, "--policy", &policy];
        let (status, told) = self.run(&[&all, arguments].concat());
        assert_eq!(status, Some(0), "{told}");
        told
    }

    fn check(&self, knowledge: &str, has_database: bool) -> (Option<i32>, String) {
        let file = self.stack.folder().join("library.knowledge.yaml");
        fs::write(file, knowledge).unwrap();
        let (url, policy) = (
            self.stack.direct_url(APP),
            self.policy.display().to_string(),
        );
        match has_database {
            true => self.run(&["policy", "check", "--upstream", &url, &policy]),
            false => self.run(&["policy", "check", &policy]),
        }
    }
}

#[test]
fn records_are_told_to_whom_they_are_for_and_nothing_hidden_with_them() {
    let library = library();
    for format in ["markdown", "m-schema", "ddl", "json"] {
        let told = library.ground(&["--format", format]);
        assert!(!told.contains("canary"), "{format}: {told}");
        for shown in [
            "placed and not sent",
            "in cents",
            "readers.name over loans.reader_no",
            "library.loans(reader_no)",
            "none before 2020",
            "SELECT id FROM library.loans WHERE back IS NULL",
            "Paid ones as well?",
            "Keep it short.",
        ] {
            assert!(told.contains(shown), "{format}: no {shown} in {told}");
        }
    }
    // The other side of a relationship is a neighbour, as over a key.
    let told = library.ground(&["--relation", "library.readers"]);
    assert!(told.contains("## library.loans"), "{told}");
    let told = library.ground(&["--facets", "tables,columns"]);
    assert!(!told.contains("Keep it short."), "{told}");
    let less = library.ground(&["--budget", "330"]);
    assert!(less.contains("of knowledge"), "{less}");
}

#[test]
fn what_is_told_follows_what_may_be_read() {
    let library = library();
    let open = POLICY.replace("relations:", "#").replace("columns:", "#");
    fs::write(&library.policy, open).unwrap();
    library.stack.prepare(&[&format!(
        "GRANT SELECT ON library.canary_ungranted TO {READER}"
    )]);
    let told = library.ground(&[]);
    for shown in [
        "canary_far: canary",
        "library.loans.canary_note: canary",
        "library.canary_denied: canary",
        "library.canary_ungranted: canary",
        "library.canary_denied(id)",
        "SELECT count(*) FROM library.canary_ungranted",
    ] {
        assert!(told.contains(shown), "no {shown} in {told}");
    }
    assert!(!told.contains("Not canary but canary"), "{told}");
}

#[test]
fn an_example_that_the_gate_refuses_is_a_mistake_with_its_place() {
    let library = library();
    for (sql, is_wrong_without, is_wrong_with) in [
        ("SELECT id FROM library.loans", false, false),
        ("DELETE FROM library.loans", true, true),
        ("SELECT 1; SELECT 2", true, true),
        ("SET jit = off", true, true),
        ("SELECT setval('s', 1)", true, true),
        ("SELECT FROM WHERE", true, true),
        ("SELECT canary_note FROM library.loans", false, true),
        ("SELECT * FROM library.canary_denied", false, true),
    ] {
        let knowledge = format!("example:\n  one: {{question: x, sql: \"{sql}\"}}\n");
        for (has_database, is_wrong) in [(false, is_wrong_without), (true, is_wrong_with)] {
            let (status, told) = library.check(&knowledge, has_database);
            assert_eq!(status, Some(i32::from(is_wrong)), "{sql}: {told}");
            let place = "library.knowledge.yaml:2:3";
            assert_eq!(told.contains(place), is_wrong, "{sql}: {told}");
        }
    }
}

#[test]
fn records_of_what_is_not_there_are_told() {
    let library = library();
    let (status, told) = library.check(KNOWLEDGE, true);
    assert_eq!(status, Some(0), "{told}");
    assert!(!told.contains("knowledge."), "{told}");
    let stale = "
quirk:
  gone: {note: x, about: library.loan}
  column: {note: x, about: library.loans.fees}
  there: {note: x, about: [library.loans, 'library.*.fee']}
relationship:
  old: {from: 'library.loans(reader)', to: 'library.reader(number)'}
";
    let (status, told) = library.check(stale, true);
    assert_eq!(status, Some(0), "{told}");
    for wanted in [
        "knowledge.quirk.gone: library.loan names no relation here; did you mean library.loans?",
        "knowledge.quirk.column: library.loans.fees is no column here",
        "knowledge.relationship.old: library.loans has no column reader",
        "knowledge.relationship.old: library.reader is no relation here; did you mean",
    ] {
        assert!(told.contains(wanted), "no {wanted} in {told}");
    }
    assert!(!told.contains("quirk.there"), "{told}");
}

#[test]
fn who_explains_a_policy_hears_which_records_apply() {
    let library = library();
    let policy = library.policy.display().to_string();
    let explain = |user: &str| {
        let asked = [
            "policy", "explain", "--user", user, "--sql", "SELECT 1", &policy,
        ];
        library.run(&asked).1
    };
    assert!(explain("somebody").contains("correction canary_other"));
    let told = explain("reader");
    assert!(
        !told.contains("canary_other") && told.contains("clarify fee"),
        "{told}"
    );
}
