//! BigQuery: every text of the corpus returns the rows that its documentation gives for it, or that
//! follow from it.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::{Dialect, RepairSettings};
use pgsieve::repair::Confidence;

use crate::repair::dialects::checks::{Came, World, agree, cases};

#[tokio::test]
async fn texts_of_bigquery_return_what_its_documentation_says() {
    let Some(world) = World::of("bigquery", SCHEMA).await else {
        return;
    };
    let mut settings = RepairSettings::default();
    let schema = "public".to_owned();
    settings.datasets.insert("analytics".to_owned(), schema);
    let cases = cases(CORPUS);
    let (mut right, mut likely, mut refused, mut bad) = (0, 0, 0, Vec::new());
    for case in &cases {
        let text = &case.text;
        let came = world.run(text, Dialect::Bigquery, &settings).await;
        let ordered = case.wanted.ends_with("ordered");
        let word = case.wanted.split(' ').next().unwrap();
        let problem = match (word, came) {
            ("right" | "likely", Came::Rows(confidence, rows)) => {
                let sure = (confidence == Confidence::Exact) == (word == "right");
                if !agree(&case.rows, &rows, ordered) {
                    format!("WRONG {rows:?}\n  instead of {:?}", case.rows)
                } else if !sure {
                    format!("{confidence:?}")
                } else {
                    right += usize::from(word == "right");
                    likely += usize::from(word == "likely");
                    continue;
                }
            }
            ("refused", Came::Refused(hint)) => {
                let words = case.wanted.strip_prefix("refused ").unwrap_or_default();
                if hint.to_lowercase().contains(&words.to_lowercase()) {
                    refused += 1;
                    continue;
                }
                format!("hint: {hint}")
            }
            (_, Came::Rows(_, rows)) => format!("ran: {rows:?}"),
            (_, Came::Refused(hint)) => format!("refused: {hint}"),
            (_, Came::Unread) => "unread".to_owned(),
            (_, Came::Failed(why)) => format!("failed: {why}"),
        };
        bad.push(format!("{text}\n  {problem}"));
    }
    let all = cases.len();
    println!("BigQuery: {all} texts, {right} right, {likely} likely, {refused} refused");
    assert!(
        bad.is_empty(),
        "{} of {all}:\n{}",
        bad.len(),
        bad.join("\n")
    );
}

#[test]
fn what_only_bigquery_has_decides() {
    for text in [
        "SELECT a FROM `project.dataset.t`",
        "SELECT SAFE_DIVIDE(a, b) FROM t",
        "SELECT DATE_TRUNC(d, MONTH) FROM t",
        "SELECT DATE_DIFF(CURRENT_DATE(), d, DAY) FROM t",
        "SELECT DATE_DIFF(a, DATE(b), WEEK) FROM t",
        "SELECT * EXCEPT (a) FROM t",
        "SELECT x FROM UNNEST(y) AS x WITH OFFSET",
        "SELECT SPLIT(a, '-')[OFFSET(0)] FROM t",
        "SELECT FORMAT_DATE('%Y', d) FROM t",
        "SELECT TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Bigquery), "{text}");
    }
    for text in [
        "SELECT `a` FROM `t`",
        "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY a) = 1",
        "SELECT IFNULL(a, 0), IF(a, 1, 2), COUNTIF(a > 1) FROM t",
        "SELECT date_trunc('month', d) FROM t",
        "SELECT a FROM t EXCEPT DISTINCT SELECT 1",
        "SELECT DATE_SUB(d, INTERVAL 1 MONTH) FROM t",
        "SELECT string_agg(a, ',') FROM t",
    ] {
        assert_eq!(by_evidence(text), None, "{text}");
    }
}

const SCHEMA: &str = include_str!("../../../data/dialects/tables.sql");

const CORPUS: &str = include_str!("../../../data/dialects/bigquery.sql");
