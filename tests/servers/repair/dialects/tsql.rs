//! T-SQL: every text of the corpus returns the rows that SQL Server's documentation gives for it,
//! or that follow from it.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::Dialect;

use crate::repair::dialects::documented;

#[tokio::test]
async fn texts_of_tsql_return_what_its_documentation_says() {
    let corpus = include_str!("../../../data/dialects/tsql.sql");
    documented::check("tsql", Dialect::Tsql, corpus, 100).await;
}

#[test]
fn what_only_tsql_has_decides() {
    for text in [
        "SELECT TOP (5) name FROM t",
        "SELECT TOP 5 PERCENT name FROM t",
        "SELECT TOP 5 [name] FROM t",
        "SELECT [a b] FROM t WHERE d > DATEADD(day, -7, GETDATE())",
        "SELECT ISNULL(a, 0) FROM t",
        "SELECT CONVERT(varchar(10), d, 120) FROM t",
        "SELECT * FROM t WITH (NOLOCK)",
        "SELECT * FROM t CROSS APPLY (SELECT 1 AS x) AS y",
        "SET PARSEONLY ON; SELECT 1; SET PARSEONLY OFF",
        "SELECT DATENAME(month, d) FROM t",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Tsql), "{text}");
    }
    for text in [
        "SELECT TOP 5 name FROM t",
        "SELECT [name] FROM t",
        "SELECT DATEDIFF(day, a, b), GETDATE() FROM t",
        "SELECT ISNULL(a) FROM t",
        "SELECT len(s) FROM t",
        "SELECT ARRAY[1, 2], left(s, 2) FROM t",
        "SELECT a[1] FROM t WHERE left(s, 2) = 'x'",
        "SELECT 'GETUTCDATE()'",
    ] {
        assert_ne!(by_evidence(text), Some(Dialect::Tsql), "{text}");
    }
}
