//! What counts as the same rows, before and after repairs.

use serde_json::json;

use super::{endings, entry, report};

#[test]
fn rows_are_held_against_those_of_the_reference() {
    let report = report(
        &[],
        &[
            entry(
                "right",
                "SELECT count(*) FROM orders",
                "SELECT count(id) FROM orders",
            ),
            entry(
                "turned",
                "SELECT id FROM orders ORDER BY id DESC",
                "SELECT id FROM orders",
            ),
            entry(
                "ordered",
                "SELECT name FROM customers ORDER BY id DESC",
                "SELECT name FROM customers ORDER BY id",
            ),
            entry("scale", "SELECT 1.50, 2::float8 / 3", "SELECT 1.5, 2 / 3.0"),
            entry(
                "other",
                "SELECT sum(total) FROM orders",
                "SELECT sum(id) + 1 FROM orders",
            ),
            entry(
                "fewer",
                "SELECT id FROM orders WHERE id < 4",
                "SELECT id FROM orders",
            ),
            entry("wide", "SELECT 1, 2", "SELECT 1"),
            entry("fails", "SELECT nothing_at_all FROM orders", "SELECT 1"),
            entry("writes", "DELETE FROM orders", "SELECT 1"),
            entry("hidden", "SELECT id FROM secrets", "SELECT 1"),
            entry("no_gold", "SELECT 1", "SELECT nonsense"),
            json!({"id": "rows", "question": "?", "sql": "SELECT id, name FROM customers WHERE id < 3",
                   "expected": [[2, "name 2"], [1, "name 1"]]}),
            json!({"id": "alone", "question": "?", "sql": "SELECT 1"}),
        ],
    );
    let wanted = [
        "right",
        "right",
        "wrong other_order",
        "right",
        "wrong other_values",
        "wrong other_count",
        "wrong other_columns",
        "failed 42703",
        "failed 25006",
        "failed 42501",
        "runs",
        "right",
        "runs",
    ];
    assert_eq!(endings(&report), wanted);
    let state = |number: usize| &report["entries"][number]["reference"]["state"];
    assert_eq!([state(10), state(12)], [&json!("fails"), &json!("none")]);
    assert_eq!(
        report["entries"][10]["reference"]["sqlstate"],
        json!("42703")
    );
    assert_eq!(report["scores"]["scored"], json!(11));
    let accuracy = report["scores"]["accuracy"]["mean"].as_f64().unwrap();
    assert!((accuracy - 4.0 / 11.0).abs() < 1e-9, "{accuracy}");
}

#[test]
fn what_a_repair_lifts_is_told_by_its_recoverer() {
    let report = report(
        &[],
        &[
            entry(
                "quoted",
                "SELECT count(joinedOn) FROM customers",
                "SELECT count(*) FROM customers",
            ),
            entry("dialect", "SELECT IFNULL(NULL, 3)", "SELECT 3"),
            entry("lifted_wrong", "SELECT IFNULL(NULL, 3)", "SELECT 4"),
            entry("plain", "SELECT 1", "SELECT 1"),
            entry("fenced", "```sql\nSELECT 1\n```", "SELECT 1"),
        ],
    );
    let wanted = ["right", "right", "wrong other_values", "right", "right"];
    assert_eq!(endings(&report), wanted);
    let attempt = |number: usize| {
        let path = format!("/entries/{number}/runs/0/attempts/0");
        report.pointer(&path).unwrap()
    };
    assert_eq!(attempt(0)["recoverers"], json!(["quote_identifiers"]));
    assert_eq!(attempt(0)["before_repair"], json!("failed"));
    let ran = attempt(0)["ran"].as_str().unwrap();
    assert!(ran.contains("\"joinedOn\""), "{ran}");
    assert!(attempt(3).get("recoverers").is_none());
    let scores = &report["scores"];
    assert_eq!(scores["accuracy"]["mean"], json!(0.8));
    assert_eq!(scores["accuracy_before_repair"]["mean"], json!(0.2));
    let lifts: Vec<(&str, u64, u64, u64)> = (scores["recoverers"].as_array().unwrap().iter())
        .map(|one| {
            let count = |name: &str| one[name].as_u64().unwrap();
            let name = one["recoverer"].as_str().unwrap();
            (name, count("applied"), count("lift"), count("harm"))
        })
        .collect();
    let wanted = [
        ("dialect", 2, 1, 0),
        ("quote_identifiers", 1, 1, 0),
        ("unwrap", 1, 1, 0),
    ];
    assert_eq!(lifts, wanted);
}

#[test]
fn columns_and_sets_are_compared_as_asked() {
    let entries = [
        entry(
            "turned",
            "SELECT name, id FROM customers",
            "SELECT id, name FROM customers",
        ),
        entry(
            "doubled",
            "SELECT customer_id FROM orders",
            "SELECT DISTINCT customer_id FROM orders ORDER BY 1",
        ),
    ];
    assert_eq!(
        endings(&report(&[], &entries)),
        ["wrong other_values", "wrong other_count"]
    );
    let free = report(&["--any-column-order"], &entries);
    assert_eq!(endings(&free), ["right", "wrong other_count"]);
    let sets = report(&["--as-sets", "--any-column-order"], &entries);
    assert_eq!(endings(&sets), ["right", "right"]);
    assert_eq!(
        sets["setup"]["comparison"],
        json!("rows as sets; columns in any order")
    );
}

#[test]
fn what_one_question_leaves_behind_no_other_sees() {
    let report = report(
        &["--connections", "1"],
        &[
            entry("sets", "SET statement_timeout = '11ms'", "SELECT 1"),
            entry("begins", "BEGIN", "SELECT 1"),
            entry("shows", "SHOW statement_timeout", "SHOW statement_timeout"),
            entry("reads", "SELECT count(*) FROM orders", "SELECT 400"),
        ],
    );
    assert_eq!(endings(&report)[2..], ["right", "right"]);
}

#[test]
fn a_result_that_the_policy_cuts_is_no_reference() {
    let folder = super::TestFolder::new("cut");
    let policy = folder.file(
        "few.yaml",
        "name: few\nextends: agent\nrepair: {default_limit: 10}\n",
    );
    let report = report(
        &["--policy", &policy],
        &[entry(
            "cut",
            "SELECT id FROM orders WHERE id < 3",
            "SELECT id FROM orders",
        )],
    );
    assert_eq!(
        report["entries"][0]["reference"]["state"],
        json!("too_large")
    );
    assert_eq!(endings(&report), ["runs"]);
}

#[test]
fn what_takes_too_long_fails_and_the_others_go_on() {
    let slow = "SELECT count(*) FROM orders a, orders b, orders c, orders d";
    let report = report(
        &["--timeout", "500ms", "--connections", "1"],
        &[
            entry("slow", slow, "SELECT 1"),
            entry("quick", "SELECT 1", "SELECT 1"),
        ],
    );
    assert_eq!(endings(&report), ["failed timeout", "right"]);
}
