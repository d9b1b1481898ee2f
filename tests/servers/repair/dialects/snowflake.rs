//! Snowflake: every text of the corpus returns the rows that its documentation gives for it, or
//! that follow from it.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::Dialect;

use crate::repair::dialects::documented;

#[tokio::test]
async fn texts_of_snowflake_return_what_its_documentation_says() {
    let corpus = include_str!("../../../data/dialects/snowflake.sql");
    documented::check("snowflake", Dialect::Snowflake, corpus, 20).await;
}

#[test]
fn what_only_snowflake_has_decides() {
    for text in [
        "SELECT IFF(a > 1, 1, 0) FROM t",
        "SELECT ZEROIFNULL(a) FROM t",
        "SELECT TRY_TO_NUMBER(a) FROM t",
        "SELECT TO_VARCHAR(d, 'YYYY') FROM t",
        "SELECT f.value FROM t, LATERAL FLATTEN(input => t.a) AS f",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Snowflake), "{text}");
    }
    for text in [
        "SELECT NVL(a, 0) FROM t",
        "SELECT DATEADD(day, 1, d) FROM t",
        "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY b) = 1",
        "SELECT a::text FROM t",
    ] {
        assert_ne!(by_evidence(text), Some(Dialect::Snowflake), "{text}");
    }
}
