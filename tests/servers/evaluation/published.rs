//! Datasets and predictions in the forms in which they are published.

use serde_json::json;

use super::{TestFolder, endings, report_of, run};

#[test]
fn bird_with_a_file_of_predictions_is_one_command() {
    let folder = TestFolder::new("bird");
    let dataset = json!([
        {"question_id": 1471, "db_id": "debit", "question": "How many?", "evidence": "none",
         "SQL": "SELECT COUNT(*) FROM orders", "difficulty": "simple"},
        {"question_id": 1472, "db_id": "debit", "question": "Which?", "evidence": "",
         "SQL": "SELECT DISTINCT customer_id FROM orders", "difficulty": "moderate"},
        {"question_id": 1473, "db_id": "debit", "question": "What?", "evidence": "",
         "SQL": "SELECT IFNULL(NULL, 5)", "difficulty": "moderate"}
    ]);
    let dataset = folder.file("mini_dev.json", &dataset.to_string());
    let mark = "\t----- bird -----\tdebit";
    let predictions = json!({
        "0": format!("SELECT count(id) FROM orders{mark}"),
        "1": format!("SELECT customer_id FROM orders{mark}"),
        "2": format!("SELECT 6{mark}"),
    });
    let predictions = folder.file("predict.json", &predictions.to_string());
    let arguments = [
        &dataset,
        "--predictions",
        &predictions,
        "--as-sets",
        "--out",
        "-",
    ];
    let report = report_of(run(&arguments, ""));
    assert_eq!(endings(&report), ["right", "right", "wrong other_values"]);
    assert_eq!(report["setup"]["source"], json!("predictions"));
    let entry = &report["entries"][2];
    assert_eq!(
        entry["reference"],
        json!({"state": "known", "repaired": true})
    );
    assert_eq!(
        (&entry["id"], &entry["origin"]),
        (&json!("1473"), &json!("BIRD"))
    );
    let difficulties: Vec<(&str, f64)> = (report["scores"]["difficulties"].as_array().unwrap())
        .iter()
        .map(|one| {
            (
                one["difficulty"].as_str().unwrap(),
                one["accuracy"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(difficulties, [("simple", 1.0), ("moderate", 0.5)]);
}

#[test]
fn spider_and_sql_eval_are_read_as_they_are() {
    let folder = TestFolder::new("spider");
    let spider = json!([
        {"db_id": "concerts", "question": "How many?", "query": "SELECT count(*) FROM customers",
         "query_toks": ["SELECT"], "sql": {"select": []}}
    ]);
    let spider = folder.file("dev.json", &spider.to_string());
    let predicted = folder.file("pred.sql", "SELECT 40\tconcerts\n");
    let arguments = [&spider, "--predictions", &predicted, "--out", "-"];
    assert_eq!(endings(&report_of(run(&arguments, ""))), ["right"]);
    let defog = folder.file(
        "questions.csv",
        "question,query,db_name,query_category\n\
         Who?,\"SELECT {name, id} FROM customers WHERE id = 1;\",broker,basic\n",
    );
    let lines = folder.file(
        "lines.jsonl",
        "{\"id\": 1, \"sql\": \"SELECT id FROM customers WHERE id = 1\"}",
    );
    let arguments = [&defog, "--predictions", &lines, "--out", "-"];
    assert_eq!(endings(&report_of(run(&arguments, ""))), ["right"]);
}
