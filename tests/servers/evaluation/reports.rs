//! Reports: files of their own, one beside another, and what failed, asked again.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::command::pgsieve;

use super::{TestFolder, entry, report, run};

/// Questions of which those below a number are answered right.
fn dataset(right: usize) -> String {
    let all = (0..12).map(|number| {
        let sql = if number < right {
            "SELECT 1"
        } else {
            "SELECT 2"
        };
        entry(&format!("q{number}"), sql, "SELECT 1").to_string()
    });
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_later_report_is_held_against_an_earlier_one() {
    let folder = TestFolder::new("compared");
    for (name, right) in [("before.json", 3), ("same.json", 4), ("after.json", 11)] {
        let output = run(&["-", "--out", &folder.path(name)], &dataset(right));
        assert_eq!(output.status.code(), Some(0));
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("accuracy"), "{table}");
        let mode = std::fs::metadata(folder.path(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let paths = ["before.json", "same.json", "after.json"].map(|name| folder.path(name));
    let page = folder.path("report.html");
    let arguments = [
        "eval", "report", &paths[0], &paths[1], &paths[2], "--html", &page,
    ];
    let output = pgsieve(&arguments, "");
    let told = String::from_utf8(output.stdout).unwrap();
    for wanted in [
        "same beside before: no difference that chance does not explain: 1 won, 0 lost of 12",
        "after beside before: better: 8 won, 0 lost of 12 shared questions, p = 0.008",
        "won: q3 q4 q5 q6 q7 q8 q9 q10",
        "25.0 %",
        "91.7 %",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
    let html = std::fs::read_to_string(&page).unwrap();
    for wanted in ["default-src 'none'", "<svg", "8 won, 0 lost of 12", "91.7"] {
        assert!(html.contains(wanted), "{wanted}");
    }
    assert!(!html.contains("<script") && !html.contains("http://") && !html.contains("src="));
    let mode = std::fs::metadata(&page).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn only_what_failed_is_asked_again() {
    let folder = TestFolder::new("failed");
    let before = folder.path("before.json");
    run(&["-", "--out", &before], &dataset(9));
    let arguments = [
        "-",
        "--failed-only",
        &before,
        "--out",
        &folder.path("after.json"),
    ];
    let output = run(&arguments, &dataset(11));
    let shown = String::from_utf8(output.stdout).unwrap();
    let sides: Vec<Vec<&str>> = (shown.lines().skip(1).take(3))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let wrong = ["wrong", "other_values"];
    assert_eq!(
        sides[0],
        [&["q9"], &wrong[..], &["right"]].concat(),
        "{shown}"
    );
    assert_eq!(
        sides[2],
        [&["q11"], &wrong[..], &wrong[..]].concat(),
        "{shown}"
    );
    let after = std::fs::read_to_string(folder.path("after.json")).unwrap();
    let after: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(after["entries"].as_array().unwrap().len(), 3);
    assert_eq!(after["dataset"]["entries"], json!(12));
    let output = run(&["-", "--failed-only", &before], &dataset(3)[..0]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_report_without_texts_has_none() {
    let entries = [
        entry("a", "SELECT 'canary' AS canary", "SELECT 'canary'"),
        entry("b", "SELECT canary FROM customers", "SELECT 1"),
    ];
    let with = report(&[], &entries).to_string();
    assert!(with.contains("canary") && with.contains("question a"));
    let without = report(&["--without-text"], &entries).to_string();
    assert!(
        !without.contains("canary") && !without.contains("question a"),
        "{without}"
    );
}

#[test]
fn a_bound_can_be_held_in_a_pipeline() {
    let status = |least: &str| run(&["-", "--at-least", least], &dataset(6)).status.code();
    assert_eq!(
        [status("0.5"), status("0.51"), status("1.5")],
        [Some(0), Some(1), Some(2)]
    );
}

#[test]
fn the_schema_is_printed() {
    let output = pgsieve(&["eval", "schema"], "");
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], json!("A report of pgsieve eval"));
}
