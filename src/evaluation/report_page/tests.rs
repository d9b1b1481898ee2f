//! The page as a whole: what is on it, and what hostile texts cannot do to it.

use serde_json::{Value, json};

use super::*;
use crate::evaluation::entry_report::EntryReport;
use crate::evaluation::scores::EvaluationScores;

fn attempt(outcome: &str, more: Value) -> Value {
    let mut attempt = json!({"outcome": outcome, "statement_ms": 4.0, "generate_ms": 30.0});
    let fields = attempt.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    attempt
}

fn entry(id: &str, difficulty: &str, runs: Value) -> Value {
    json!({"id": id, "question": format!("What is {id}?"), "difficulty": difficulty,
           "reference": {"state": "known"}, "runs": runs})
}

fn report(label: &str, entries: &[Value]) -> EvaluationReport {
    let entries: Vec<EntryReport> = serde_json::from_value(json!(entries)).unwrap();
    let scores = EvaluationScores::of(&entries);
    report_of(label, &json!(entries), &json!(scores))
}

fn report_of(label: &str, entries: &Value, scores: &Value) -> EvaluationReport {
    let report = json!({
        "format": 1, "pgsieve": "0.1.0", "began_at": "2026-01-02T03:04:05Z", "label": label,
        "dataset": {"files": ["shop.jsonl"], "digest": "00", "entries": 2},
        "setup": {"policy": "agent", "source": "command", "runs": 2, "rounds": 1,
                  "comparison": "rows"},
        "entries": entries, "scores": scores});
    serde_json::from_value(report).unwrap()
}

/// Half is right at once, a quarter after a repair, and the rest fails.
fn middling() -> EvaluationReport {
    let right = json!({"attempts": [attempt("right", json!({}))]});
    let repaired = json!({"before_repair": "failed", "recoverers": ["undefined_column"]});
    let repaired = json!({"attempts": [attempt("right", repaired)]});
    let failed =
        json!({"class": "42703", "hinted": true, "sql": "SELECT nothing", "message": "no"});
    let failed = attempt("failed", failed);
    let failed = json!({"attempts": [failed, failed]});
    report(
        "middling",
        &[
            entry("one", "easy", json!([right, right])),
            entry("two", "easy", json!([right, right])),
            entry("three", "hard", json!([repaired, repaired])),
            entry("four", "hard", json!([failed, failed])),
        ],
    )
}

/// Nothing is right, and every text wants to be something else.
fn hostile() -> EvaluationReport {
    let evil = HOSTILE.join(" ");
    let failed = json!({"class": evil, "recoverers": [evil], "sql": evil, "ran": evil,
                        "message": evil, "hinted": true});
    let failed =
        json!({"attempts": [attempt("failed", failed.clone()), attempt("failed", failed)]});
    let mut entry = entry(&evil, &evil, json!([failed]));
    entry["question"] = json!(evil);
    let mut report = report(&evil, &[entry]);
    report.began_at.clone_from(&evil);
    report.setup.policy.clone_from(&evil);
    report
}

const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</style></svg></title></pre><img src=x onerror=alert(1)>",
    "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "<!-- ]]> -->",
    "&lt;script&gt; &#x3c;",
    "\u{202e}\u{2066}\u{200b}\u{0}\u{7}\u{1b}[31m",
    "javascript:alert(1) @import url(//evil.example)",
];

#[test]
fn all_charts_and_figures_are_there() {
    let page = page(&[middling()]);
    for shown in [
        "<title>Evaluation: middling</title>",
        "default-src 'none'; style-src 'unsafe-inline'",
        "prefers-color-scheme: dark",
        "@media print",
        "Accuracy by run",
        "Accuracy by difficulty",
        "Accuracy by attempts",
        "What is no right answer",
        "failed 42703",
        "undefined_column",
        "2 of 2 applied",
        "0 right, 0 run of 2",
        "Malformed answers",
        "4.0 ms",
        "30.0 ms",
        "Without an answer: 1 question<",
        "What is four?",
        "SELECT nothing",
        "A: 75.0 %, with repairs off 50.0 %: run 2",
        "A: 50.0 %, with repairs off 0.0 %: hard",
    ] {
        assert!(page.contains(shown), "{shown} is missing in:\n{page}");
    }
    assert!(
        !page.contains("More than chance"),
        "there is nothing to compare"
    );
    assert!(!page.contains("What is three?"), "it is answered");
}

#[test]
fn columns_of_a_run_are_as_high_as_its_accuracy() {
    let page = page(&[middling()]);
    let chart = page.split("<h3>Accuracy by run").nth(1).unwrap();
    let chart = chart.split("</figure>").next().unwrap();
    // Of 160 for all: half right anyway, a quarter by repairs, in both runs.
    assert_eq!(chart.matches("height=\"80.00\"").count(), 2, "{chart}");
    assert_eq!(chart.matches("height=\"40.00\"").count(), 2, "{chart}");
}

#[test]
fn several_reports_stand_side_by_side_and_the_test_is_told_in_words() {
    let mut better = middling();
    better.label = "better".into();
    let runs = better.entries[0].runs.clone();
    better.entries[3].runs = runs;
    better.scores = EvaluationScores::of(&better.entries);
    let page = page(&[middling(), better]);
    let (first, second) = ("<b class=\"badge r0\">A</b>", "<b class=\"badge r1\">B</b>");
    assert!(page.contains(&format!(
        "{second} beside {first}: no difference that chance"
    )));
    assert!(page.contains("won: <bdi>four</bdi>"), "{page}");
    let chart = page.split("<h3>Accuracy by run").nth(1).unwrap();
    let chart = chart.split("</figure>").next().unwrap();
    assert_eq!(chart.matches("<g class=\"r0\">").count(), 2);
    assert_eq!(chart.matches("<g class=\"r1\">").count(), 2);
}

/// What is markup on the page: tags without the values of their attributes.
fn markup(page: &str) -> Vec<String> {
    let tags = page.split('<').skip(1).map(|rest| {
        let tag = rest.split('>').next().unwrap();
        let outside = tag.split('"').step_by(2);
        outside.collect::<Vec<_>>().join("\"\"")
    });
    tags.collect()
}

#[test]
fn texts_of_others_are_no_markup() {
    let quiet = page(&[middling(), middling()]);
    let page = page(&[hostile(), middling()]);
    let known: Vec<String> = markup(&quiet);
    for tag in markup(&page) {
        assert!(known.contains(&tag), "{tag}");
    }
    for letter in [
        '\u{202e}', '\u{2066}', '\u{200b}', '\u{0}', '\u{7}', '\u{1b}',
    ] {
        assert!(!page.contains(letter), "{letter:?}");
    }
    assert!(page.contains("⟨U+202E⟩"), "it is told that it was there");
    for never in [
        "<script", "<img", "href=", "src=x>", "url(", "<link", "<iframe",
    ] {
        let style = page.split("</style>").nth(1).unwrap();
        assert!(never == "url(" || !style.contains(never), "{never}");
    }
    let style = page.split("<style>").nth(1).unwrap();
    assert!(!style.split("</style>").next().unwrap().contains("url("));
}

#[test]
fn numbers_and_lengths_that_nobody_expects_do_no_harm() {
    let long = "x".repeat(100_000);
    let entries: Vec<Value> = (0..1_000)
        .map(|id| entry(&format!("{long}{id}"), &format!("{long}{id}"), json!([])))
        .collect();
    let scores = json!({
        "scored": u64::MAX, "accuracy": {"mean": 1e308, "deviation": 1e308},
        "accuracy_before_repair": {"mean": -5.0, "deviation": -5.0},
        "running": {"mean": 2.0, "deviation": 0.0}, "malformed": 1e300,
        "runs": vec![json!({"accuracy": 9.0, "accuracy_before_repair": -9.0, "running": 3.0}); 500],
        "difficulties": [], "failures": {"a": u64::MAX, "b": u64::MAX}, "recoverers": [],
        "rounds": vec![json!({"attempts": 1, "accuracy": -1e300}); 500],
        "hints": {"hinted": 1, "hinted_running": u64::MAX, "hinted_right": u64::MAX,
                  "plain": 0, "plain_running": 0, "plain_right": 7},
        "latency": {"statement_p50": -1.0, "statement_p95": 1e308, "generate_p50": 0.0,
                    "generate_p95": null}});
    let report = report_of(&long, &json!(entries), &scores);
    let page = page(&[report]);
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert!(page.contains("The first 300 are shown."));
}

#[test]
fn no_report_and_an_empty_one_are_pages_too() {
    assert!(page(&[]).contains("</html>"));
    let page = page(&[report("empty", &[])]);
    assert!(
        page.contains("empty") && !page.contains("<figure>"),
        "{page}"
    );
}
