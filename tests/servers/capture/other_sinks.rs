//! Texts are in the capture alone, and without one they are nowhere.

use std::fs;

use super::{captured, capturing, extended, fails, login, start};
use crate::support::{Stack, frames};

/// Fails in every way that is captured, with a value that is nowhere else.
fn fail(stack: &Stack) {
    let mut client = login(stack);
    for text in [
        "SELECT nextval('ticks'), 'canary'",
        "SELECT 'canary' FROM sums WHERE",
        "SELECT nowhere, 'canary' FROM sums",
        "SELECT 1 / (amount - 1), 'canary' FROM \"Numbers\"",
        "SELECT 1 / (Amount - 1), 'canary' FROM Numbers",
    ] {
        fails(&mut client, &frames::query(text));
        fails(&mut client, &extended(text, &[]));
    }
}

/// The names of the files in which the value is, and whether it is in what was said.
fn holders(stack: &Stack) -> Vec<String> {
    let files = fs::read_dir(stack.folder()).unwrap();
    let files = files.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file());
    let with_it = files.filter(|path| {
        let bytes = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains("canary")
    });
    let names = with_it.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    let mut holders: Vec<String> = names.collect();
    if stack.everything_said().contains("canary") {
        holders.push("said".to_owned());
    }
    holders
}

#[test]
fn texts_are_in_the_capture_alone() {
    let stack = capturing("");
    fail(&stack);
    assert_eq!(captured(&stack).len(), 10);
    assert_eq!(holders(&stack), ["capture.jsonl"]);
}

#[test]
fn without_a_capture_no_text_is_anywhere() {
    let stack = start("");
    fail(&stack);
    stack.audited(|line| line["sqlstate"] == "22012");
    assert!(holders(&stack).is_empty());
    let (_, metrics) = stack.get("/metrics");
    let counted = metrics
        .lines()
        .filter(|line| line.starts_with("pgsieve_captured_"));
    assert!(
        counted.into_iter().all(|line| line.ends_with(" 0")),
        "{metrics}"
    );
    assert!(!stack.stderr().contains("capture"));
}
