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

#[tokio::test]
async fn texts_of_tsql_that_name_no_dialect_return_what_they_mean() {
    let tables = include_str!("../../../data/dialects/tsql_tables.sql");
    let corpus = include_str!("../../../data/dialects/tsql_unnamed.sql");
    documented::check_unnamed("tsql_unnamed", tables, corpus, 150).await;
}

#[tokio::test]
async fn texts_of_tsql_about_a_clinic_return_what_they_mean() {
    let tables = include_str!("../../../data/dialects/tsql_clinic_tables.sql");
    let corpus = include_str!("../../../data/dialects/tsql_clinic.sql");
    documented::check_unnamed("tsql_clinic", tables, corpus, 110).await;
    let corpus = include_str!("../../../data/dialects/held_out_tsql_clinic.sql");
    documented::check_unnamed("held_out_tsql_clinic", tables, corpus, 55).await;
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
        "SELECT CONVERT(date, d) FROM t",
        "SELECT CONVERT(decimal(10, 2), d) FROM t",
        "SELECT FORMAT(d, 'yyyy-MM') FROM t",
        "SELECT STRING_AGG(a, ', ') WITHIN GROUP (ORDER BY a) FROM t",
        "SELECT value FROM STRING_SPLIT('a,b', ',')",
        "SELECT CAST(a AS nvarchar(max)) FROM t",
        "SELECT a FROM t WITH (READPAST)",
        "SELECT a FROM t OPTION (MAXDOP 1)",
        "SELECT a FROM t WHERE b !< 2",
        "SELECT a FROM t WHERE b COLLATE Latin1_General_CS_AS = 'x'",
        "SELECT DATEADD(month, DATEDIFF(month, 0, d), 0) FROM t",
        "SELECT a FROM t FOR JSON PATH",
        "SELECT [a] = count(*) FROM t",
        "SELECT a FROM t (NOLOCK) WHERE b = 1",
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
        "SELECT CONVERT(date, CHAR) FROM t",
        "SELECT CONVERT(d, date) FROM t",
        "SELECT FORMAT(n, 2, 'de_DE') FROM t",
        "SELECT format('%s', a) FROM t",
        "SELECT string_split(a, ',') FROM t",
        "SELECT string_agg(a, ', ') FROM t",
        "SELECT a FROM t WHERE b COLLATE utf8mb4_general_ci = 'x'",
        "SELECT a FROM t FOR UPDATE",
        "SELECT DATEDIFF(month, a, b) FROM t",
    ] {
        assert_ne!(by_evidence(text), Some(Dialect::Tsql), "{text}");
    }
}
