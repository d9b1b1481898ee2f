//! Which candidate is first, and why.

use super::{numbers, ranked, run};
use crate::support::command::pgsieve;

const RIGHT: &str = "SELECT c.name, sum(o.total) AS revenue FROM customers c \
    JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY revenue DESC, c.id LIMIT 5";
const CROSSED: &str = "SELECT c.name, sum(o.total) AS revenue FROM customers c, orders o \
    GROUP BY c.id, c.name ORDER BY revenue DESC, c.id LIMIT 5";
const NO_LIMIT: &str = "SELECT c.name, sum(o.total) AS revenue FROM customers c \
    JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name";
const MISSPELT: &str = "SELECT c.name, sum(o.totl) AS revenue FROM customers c \
    JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY revenue DESC, c.id LIMIT 5";
const QUOTED: &str = "SELECT c.name, sum(o.\"Total\") AS revenue FROM customers c \
    JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name ORDER BY revenue DESC, c.id LIMIT 5";
const FAILING: &str = "SELECT nothing FROM nowhere";

const QUESTION: &str = "Top 5 customers by revenue, for each customer";

#[test]
fn the_right_one_is_first_and_each_says_why() {
    let double = format!("{};  -- again", RIGHT.to_lowercase());
    let all = [FAILING, CROSSED, NO_LIMIT, RIGHT, QUOTED, &double];
    let (found, status) = ranked(&[], QUESTION, &all);
    assert_eq!(status, Some(0));
    assert_eq!(numbers(&found), [4, 5, 3, 2, 1], "{found:?}");
    let scores: Vec<i64> = found
        .iter()
        .map(|one| one["score"].as_i64().unwrap())
        .collect();
    assert_eq!(scores, [125, 120, 115, 100, 50]);
    assert_eq!(found[0]["doubles"], serde_json::json!([6]));
    assert!(found[0]["cost"].as_f64().unwrap() > 0.0);
    assert_eq!(found[1]["outcome"], "repaired");
    assert_eq!(found[1]["repair"], "exact");
    assert!(found[1]["runs"].as_str().unwrap().contains("o.total"));
    assert_eq!(found[3]["lints"][0]["lint"], "cartesian_join");
    assert_eq!(found[4]["outcome"], "fails");
    assert_eq!(found[4]["sqlstate"], "42P01");
    let parts = found[3]["parts"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["points"] == -25), "{parts:?}");
    for one in &found {
        let parts = one["parts"].as_array().unwrap().iter();
        let sum: i64 = parts.map(|part| part["points"].as_i64().unwrap()).sum();
        assert_eq!(one["score"].as_i64().unwrap(), 100 + sum);
    }
}

#[test]
fn the_same_input_gives_the_same_order() {
    let all = [NO_LIMIT, CROSSED, MISSPELT, RIGHT, QUOTED];
    let first = ranked(&[], QUESTION, &all);
    for _ in 0..4 {
        assert_eq!(ranked(&[], QUESTION, &all), first);
    }
}

#[test]
fn ties_go_by_cost_and_then_by_the_order_given() {
    let cheap = "SELECT name FROM customers WHERE id = 7";
    let dear = "SELECT name FROM customers WHERE id + 0 = 7";
    assert_eq!(numbers(&ranked(&[], "Who is 7?", &[dear, cheap]).0), [2, 1]);
    let same = [
        "SELECT id FROM customers WHERE id = 1",
        "SELECT id FROM customers WHERE id = 2",
    ];
    assert_eq!(numbers(&ranked(&[], "Who?", &same).0), [1, 2]);
}

#[test]
fn those_that_agree_vote_for_each_other() {
    let odd = "SELECT count(*) FROM orders WHERE total > 399";
    let one = "SELECT count(*) FROM orders WHERE total > 100";
    let other = "SELECT count(o.id) FROM orders o WHERE o.total > 100";
    let question = "How many orders are above 100?";
    let (plain, _) = ranked(&[], question, &[odd, one, other]);
    assert_eq!(numbers(&plain)[0], 1);
    assert!(plain.iter().all(|one| one["votes"].is_null()));
    let (found, _) = ranked(&["--agree"], question, &[odd, one, other]);
    assert_eq!(numbers(&found), [2, 3, 1], "{found:?}");
    assert_eq!(found[0]["votes"], 1);
    assert_eq!(found[2]["votes"], 0);
    // More rows than are compared say nothing.
    let many = [
        "SELECT 1 FROM orders a, orders b WHERE a.id <> b.id",
        "SELECT id FROM items, orders",
    ];
    let (found, _) = ranked(&["--agree"], "?", &many);
    assert!(found.iter().all(|one| one["votes"].is_null()), "{found:?}");
}

#[test]
fn the_weights_are_those_of_the_settings() {
    let name = pgsieve::demo::cluster::random_name().unwrap();
    let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
    std::fs::write(&path, "choose: {lint_error: 0, order_and_limit: 0}\n").unwrap();
    let config = path.to_str().unwrap();
    let (found, _) = ranked(&["--config", config], QUESTION, &[CROSSED, NO_LIMIT]);
    let scores: Vec<i64> = found
        .iter()
        .map(|one| one["score"].as_i64().unwrap())
        .collect();
    assert_eq!(scores, [115, 115], "{found:?}");
    std::fs::write(&path, "choose: {lint_error: 1001}\n").unwrap();
    let wrong = run(&["--config", config], QUESTION, "\"SELECT 1\"");
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        said.contains("choose.lint_error: a whole number from 0 to 1000"),
        "{said}"
    );
    assert_eq!(wrong.status.code(), Some(2));
    let _gone = std::fs::remove_file(path);
}

#[test]
fn what_is_no_candidate_is_named_and_not_quoted() {
    for (input, wanted) in [
        ("", "there is no candidate"),
        ("SELECT cAnArY", "line 1 is no JSON"),
        (
            "{\"sql\": \"SELECT 1\", \"cAnArY\": 1}",
            "candidate 1 has a field that is none of sql",
        ),
        (
            "[\"SELECT 1\", {\"sql\": \"\"}]",
            "candidate 2 has an empty statement",
        ),
        (
            "{\"sql\": \"SELECT 1\", \"confidence\": \"cAnArY\"}",
            "candidate 1 confidence: a number",
        ),
    ] {
        let output = run(&[], "?", input);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(wanted) && !said.contains("cAnArY"), "{said}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    }
    let schema = pgsieve(&["choose", "--schema"], "").stdout;
    assert_eq!(
        schema,
        include_bytes!("../../../policies/candidate.schema.json")
    );
    assert_eq!(
        pgsieve(&["choose", "--question", "?"], "\"SELECT 1\"")
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn the_contract_is_given_back_and_a_named_dialect_is_read() {
    let input = r#"{"sql": "SELECT TOP 1 name FROM customers ORDER BY id", "target_dialect": "tsql",
        "assumptions": ["ids are in order"], "needs_followup": true, "confidence": 0.25}"#;
    let output = run(&[], "The first customer", &input.replace('\n', " "));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = &answer["candidates"][0];
    assert_eq!(one["outcome"], "repaired", "{one}");
    assert_eq!(one["assumptions"][0], "ids are in order");
    assert_eq!(one["needs_followup"], true);
    assert_eq!(one["confidence"], 0.25);
}
