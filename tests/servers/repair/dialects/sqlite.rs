//! SQLite: every text of the corpus is asked of a real SQLite too, with the same tables and rows.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::{Dialect, RepairSettings};
use pgsieve::repair::Confidence;
use rusqlite::types::ValueRef;

use crate::repair::dialects::checks::{Came, Row, World, agree, cases};

#[tokio::test]
async fn texts_of_sqlite_return_what_sqlite_returns() {
    let Some(world) = World::of("sqlite", SCHEMA).await else {
        return;
    };
    let oracle = rusqlite::Connection::open_in_memory().unwrap();
    oracle.execute_batch(SCHEMA).unwrap();
    let settings = RepairSettings::default();
    let cases = cases(CORPUS);
    let (mut right, mut likely, mut refused, mut bad) = (0, 0, 0, Vec::new());
    for case in &cases {
        let text = &case.text;
        let came = world.run(text, Dialect::Sqlite, &settings).await;
        let ordered = case.wanted.ends_with("ordered");
        let word = case.wanted.split(' ').next().unwrap();
        let problem = match (word, came) {
            ("right" | "likely", Came::Rows(confidence, rows)) => {
                let truth = asked(&oracle, text);
                let sure = (confidence == Confidence::Exact) == (word == "right");
                if !agree(&truth, &rows, ordered) {
                    format!("WRONG {rows:?}\n  instead of {truth:?}")
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
            ("fails", Came::Failed(_)) => {
                refused += 1;
                continue;
            }
            (_, Came::Rows(_, rows)) => format!("ran: {rows:?}"),
            (_, Came::Refused(hint)) => format!("refused: {hint}"),
            (_, Came::Unread) => "unread".to_owned(),
            (_, Came::Failed(why)) => format!("failed: {why}"),
        };
        bad.push(format!("{text}\n  {problem}"));
    }
    let all = cases.len();
    println!("SQLite: {all} texts, {right} right, {likely} likely, {refused} refused");
    assert!(
        bad.is_empty(),
        "{} of {all}:\n{}",
        bad.len(),
        bad.join("\n")
    );
}

#[test]
fn what_only_sqlite_has_decides() {
    for text in [
        "SELECT STRFTIME('%Y', d) FROM t",
        "SELECT JULIANDAY(a) - JULIANDAY(b) FROM t",
        "SELECT TOTAL(x) FROM t",
        "SELECT date(d, 'start of month', '+1 month') FROM t",
        "SELECT name FROM sqlite_master",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Sqlite), "{text}");
    }
    for text in [
        "SELECT IFNULL(a, 0) FROM t",
        "SELECT GROUP_CONCAT(a) FROM t",
        "SELECT strftime(d, '%Y') FROM t",
        "SELECT DATE('now') FROM t",
        "SELECT a FROM t WHERE b == 1 LIMIT 1, 2",
        "SELECT 'strftime(''%Y'', d)'",
    ] {
        assert_eq!(by_evidence(text), None, "{text}");
    }
}

fn asked(oracle: &rusqlite::Connection, text: &str) -> Vec<Row> {
    asked_or_not(oracle, text).unwrap()
}

/// The rows of a text; none where SQLite does not run it.
pub fn asked_or_not(oracle: &rusqlite::Connection, text: &str) -> Option<Vec<Row>> {
    let mut statement = oracle.prepare(text).ok()?;
    let width = statement.column_count();
    let mut rows = statement.query([]).ok()?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().ok()? {
        let cell = |at: usize| match row.get_ref(at).unwrap() {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string()),
            ValueRef::Real(number) => Some(number.to_string()),
            ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(_) => panic!("a blob"),
        };
        found.push((0..width).map(cell).collect());
    }
    Some(found)
}

const SCHEMA: &str = include_str!("../../../data/dialects/tables.sql");

const CORPUS: &str = include_str!("../../../data/dialects/sqlite.sql");
