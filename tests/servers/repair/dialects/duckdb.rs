//! DuckDB: every text of the corpus returns the rows that its documentation gives for it, or that
//! follow from it.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::Dialect;

use crate::repair::dialects::documented;

#[tokio::test]
async fn texts_of_duckdb_return_what_its_documentation_says() {
    let corpus = include_str!("../../../data/dialects/duckdb.sql");
    documented::check("duckdb", Dialect::Duckdb, corpus, 20).await;
}

#[test]
fn what_only_duckdb_has_decides() {
    for text in [
        "FROM t SELECT a",
        "SELECT 7 // 2",
        "SELECT date_diff('day', a, b) FROM t",
        "SELECT list_contains(a, 1) FROM t",
        "SELECT arg_max(a, b) FROM t",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Duckdb), "{text}");
    }
    for text in [
        "SELECT a FROM t -- 7 // 2",
        "SELECT date_diff(a, b, DAY) FROM t",
        "SELECT strftime(d, '%Y') FROM t",
        "SELECT len(a) FROM t",
    ] {
        assert_ne!(by_evidence(text), Some(Dialect::Duckdb), "{text}");
    }
}
