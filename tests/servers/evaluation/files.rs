//! Files: what is wrong with one is told with its place, and nothing of it is quoted; statements
//! that were kept on the wire.

use serde_json::json;

use crate::support::command::pgsieve;

use super::{TestFolder, endings, entry, report_of, run};

fn complaint(arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let output = run(arguments, input);
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn what_is_wrong_is_told_before_anything_is_asked() {
    let folder = TestFolder::new("wrong");
    let good = folder.file(
        "good.jsonl",
        &entry("a", "SELECT 1", "SELECT 1").to_string(),
    );
    let twice = format!("{0}\n{0}", entry("a", "SELECT 1", "SELECT 1"));
    let few = folder.file("few.json", "[\"SELECT 1\", \"SELECT 2\"]");
    let no_report = folder.file("report.json", "{}");
    for (arguments, input, wanted) in [
        (
            vec!["-"],
            "{\"question\": 1}",
            "pgsieve: -:1: question: a text is wanted\n",
        ),
        (
            vec!["-"],
            &*twice,
            "pgsieve: question a stands there twice\n",
        ),
        (
            vec!["-"],
            "{\"question\": \"secret\", \"gold_sql\": \"SELECT 1\"}",
            "pgsieve: question 1 has no sql: give --generate or --predictions\n",
        ),
        (vec!["/nowhere"], "", "/nowhere"),
        (
            vec![&good, "--predictions", &few],
            "",
            "few.json:2: the file has another number",
        ),
        (
            vec![&good, "--failed-only", &no_report],
            "",
            "this is no report of pgsieve eval",
        ),
        (
            vec!["-", "--from-capture"],
            "{\"sql\": \"secret\"}\n",
            "as capture.file has it",
        ),
    ] {
        let (status, told) = complaint(&arguments, input);
        assert_eq!(status, Some(2), "{told}");
        assert!(told.contains(wanted) && !told.contains("secret"), "{told}");
    }
    let (status, told) = complaint(&[&good, "--policy", "/no/policy.yaml"], "");
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("/no/policy.yaml"), "{told}");
    let (status, told) = complaint(&[&good, "--database", "no_such_database"], "");
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("3D000"), "{told}");
    let nobody = "postgres://a:b@127.0.0.1:1/c";
    let output = pgsieve(&["eval", &good, "--upstream", nobody], "");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("pgsieve does not serve:\n08"), "{told}");
    let (status, told) = complaint(&[&good, "--role", "no_such_role"], "");
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("08004"), "{told}");
}

#[test]
fn statements_that_were_kept_are_tried_again() {
    let folder = TestFolder::new("capture");
    let line = |sqlstate: &str, sql: &str| {
        json!({"at": "2026-01-02T03:04:05Z", "database": super::database(), "user": "a",
               "policy": "agent", "sqlstate": sqlstate, "sql": sql})
        .to_string()
    };
    let lines = [
        line("42703", "SELECT joinedOn FROM customers LIMIT 1"),
        line("42P01", "SELECT 1 FROM nothing_here"),
    ];
    let file = folder.file("capture.jsonl", &(lines.join("\n") + "\n{\"at"));
    let report = report_of(run(&[&file, "--from-capture", "--out", "-"], ""));
    assert_eq!(endings(&report), ["runs", "failed 42P01"]);
    assert_eq!(report["setup"]["source"], json!("capture"));
    assert_eq!(report["entries"][0]["previous"], json!("failed 42703"));
    let shown = run(&[&file, "--from-capture"], "");
    let shown = String::from_utf8(shown.stdout).unwrap();
    let first = shown.lines().nth(1).unwrap();
    let words: Vec<&str> = first.split_whitespace().collect();
    assert_eq!(words, ["1", "failed", "42703", "runs"], "{shown}");
}
