//! MySQL: what its statements return there, and here after they are translated.

use pgsieve::dialect::detect::by_evidence;
use pgsieve::policy::Dialect;

use super::mysql_server::Server;
use super::support::{Bench, Case, Count, Wanted, agree, cases};

/// The cases, by what they show. Their rows were returned by MariaDB 10.11 and are what MySQL's
/// manual says.
const CASES: &[&str] = &[
    include_str!("../../../data/dialects/mysql_basics.cases"),
    include_str!("../../../data/dialects/mysql_dates.cases"),
    include_str!("../../../data/dialects/mysql_more.cases"),
    include_str!("../../../data/dialects/mysql_numbers.cases"),
    include_str!("../../../data/dialects/mysql_texts.cases"),
];

/// What MariaDB has not, or has otherwise than MySQL.
const ONLY_MYSQL: &str = include_str!("../../../data/dialects/mysql_only.cases");

/// What has no exact translation.
const TRAPS: &str = include_str!("../../../data/dialects/mysql_traps.cases");

fn all() -> Vec<Case> {
    CASES.iter().flat_map(|file| cases(file)).collect()
}

#[tokio::test]
async fn translations_return_the_rows_of_mysql() {
    let Some(bench) = Bench::with(
        "mysql",
        include_str!("../../../data/dialects/mysql_tables_in_postgres.sql"),
    )
    .await
    else {
        return;
    };
    let mut both = all();
    both.extend(cases(ONLY_MYSQL));
    assert!(both.len() >= 130, "{} cases", both.len());
    bench.run(Dialect::Mysql, &both).await.check("MySQL");
    let traps = cases(TRAPS);
    bench
        .run(Dialect::Mysql, &traps)
        .await
        .check("MySQL, traps");
}

#[test]
fn mariadb_returns_what_the_cases_say() {
    let Some(server) = Server::start(include_str!("../../../data/dialects/mysql_tables.sql"))
    else {
        return;
    };
    let mut count = Count::default();
    for case in all() {
        let Wanted::Rows(wanted) = &case.wanted else {
            continue;
        };
        let rows = server.rows(&case.text);
        if agree(wanted, &rows) {
            count.right += 1;
        } else {
            let line = format!("{}\n  wanted {wanted:?}\n  but is {rows:?}", case.title);
            count.wrong.push(line);
        }
    }
    count.check("MariaDB");
}

#[test]
fn what_only_mysql_has_decides() {
    for text in [
        "SELECT DATE_FORMAT(d, '%Y') FROM t",
        "SELECT CURDATE()",
        "SELECT a DIV b FROM t",
        "SELECT GROUP_CONCAT(a SEPARATOR ';') FROM t",
        "SELECT CAST(a AS UNSIGNED) FROM t",
        "SELECT DATEDIFF(a, b) FROM t",
        "SELECT SUBSTRING_INDEX(a, '@', 1) FROM t",
    ] {
        assert_eq!(by_evidence(text), Some(Dialect::Mysql), "{text}");
    }
    for text in [
        "SELECT `a` FROM `t`",
        "SELECT \"a\" FROM t",
        "SELECT a FROM t LIMIT 5, 10",
        "SELECT 'DATE_FORMAT(d)' FROM t -- CURDATE()",
        "SELECT t.curdate FROM t",
        "SELECT a AS div FROM t",
        "SELECT div FROM t",
        "SELECT datediff(day, a, b) FROM t",
        "SELECT ifnull(a, b) FROM t",
        "SELECT 1",
    ] {
        assert_eq!(by_evidence(text), None, "{text}");
    }
}
