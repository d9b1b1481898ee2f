//! Random queries in a dialect: Postgres returns what the dialect's own server returns, or the
//! query is refused.

use pgsieve::policy::{Dialect, RepairSettings};
use pgsieve::repair::Confidence;

use crate::repair::dialects::checks::{Came, Row, World, agree};
use crate::repair::dialects::grammar::{Dice, query};
use crate::repair::dialects::mysql_server::Server;
use crate::repair::dialects::mysql_words::MYSQL;
use crate::repair::dialects::sqlite::asked_or_not;
use crate::repair::dialects::sqlite_words::SQLITE;
use crate::repair::dialects::support::agree as lines_agree;

/// How many queries; more where the environment says so.
pub fn rounds() -> u64 {
    number("ROUNDS").unwrap_or(150)
}

/// Where they begin: queries that nobody has seen, where the environment says so.
pub fn first_seed() -> u64 {
    number("FIRST_SEED").unwrap_or(0)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[tokio::test]
async fn random_queries_of_sqlite_return_its_rows() {
    let schema = include_str!("../../../data/dialects/tables.sql");
    let Some(world) = World::of("random_sqlite", schema).await else {
        return;
    };
    let oracle = rusqlite::Connection::open_in_memory().unwrap();
    oracle.execute_batch(schema).unwrap();
    let settings = RepairSettings::default();
    let mut doubtful = 0;
    let (mut right, mut refused, mut failed, mut wrong) = (0, Vec::new(), Vec::new(), Vec::new());
    for seed in first_seed()..first_seed() + rounds() {
        let (text, ordered) = query(&SQLITE, &mut Dice::of(seed + 1));
        let Some(truth) = asked_or_not(&oracle, &text) else {
            continue;
        };
        match world.run(&text, Dialect::Sqlite, &settings).await {
            Came::Rows(_, rows) if agree(&truth, &rows, ordered) => right += 1,
            // How a quotient of numerics is meant is not certain.
            Came::Rows(Confidence::Likely, _) => doubtful += 1,
            Came::Rows(_, rows) => {
                wrong.push(format!("{text}\n  {rows:?}\n  instead of {truth:?}"));
            }
            Came::Failed(why) => failed.push(format!("{text}\n  {why}")),
            Came::Refused(why) => refused.push(format!("{why}: {text}")),
            Came::Unread => refused.push(format!("unread: {text}")),
        }
    }
    assert!(doubtful <= right / 100, "{doubtful} likely ones are wrong");
    conclude("SQLite", right, &refused, &failed, &wrong);
}

#[tokio::test]
async fn random_queries_of_mysql_return_its_rows() {
    let tables = include_str!("../../../data/dialects/mysql_tables_in_postgres.sql");
    let Some(world) = World::of("random_mysql", tables).await else {
        return;
    };
    let Some(server) = Server::start(include_str!("../../../data/dialects/mysql_tables.sql"))
    else {
        return;
    };
    let settings = RepairSettings::default();
    let (mut right, mut refused, mut failed, mut wrong) = (0, Vec::new(), Vec::new(), Vec::new());
    for seed in first_seed()..first_seed() + rounds() {
        let (text, ordered) = query(&MYSQL, &mut Dice::of(seed + 1));
        let rows = match world.run(&text, Dialect::Mysql, &settings).await {
            Came::Rows(Confidence::Exact, rows) => rows,
            Came::Rows(..) => continue,
            Came::Failed(why) => {
                failed.push(format!("{text}\n  {why}"));
                continue;
            }
            Came::Refused(why) => {
                refused.push(format!("{why}: {text}"));
                continue;
            }
            Came::Unread => {
                refused.push(format!("unread: {text}"));
                continue;
            }
        };
        let as_number = |cell: &str| match cell {
            "t" => "1".to_owned(),
            "f" => "0".to_owned(),
            cell => cell.to_owned(),
        };
        let as_numbers = |line: &String| {
            line.split('\t')
                .map(as_number)
                .collect::<Vec<_>>()
                .join("\t")
        };
        let mut truth: Vec<String> = server.rows(&text).iter().map(as_numbers).collect();
        if truth.first().is_some_and(|line| line.starts_with("fails:")) {
            continue;
        }
        let cell = |cell: &Option<String>| match cell.as_deref() {
            None => "NULL".to_owned(),
            Some("t") => "1".to_owned(),
            Some("f") => "0".to_owned(),
            Some(cell) => cell.replace('\\', "\\\\"),
        };
        let line = |row: &Row| row.iter().map(cell).collect::<Vec<_>>().join("\t");
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        if !ordered {
            truth.sort();
            lines.sort();
        }
        if agree_but_for_case(&text, &truth, &lines) {
            right += 1;
        } else {
            wrong.push(format!("{text}\n  {lines:?}\n  instead of {truth:?}"));
        }
    }
    conclude("MySQL", right, &refused, &failed, &wrong);
}

/// Of texts that are one group or one row to MySQL, it shows any.
pub fn agree_but_for_case(text: &str, truth: &[String], lines: &[String]) -> bool {
    let in_small = |lines: &[String]| {
        let lines = lines.iter().map(|line| line.to_lowercase());
        let mut lines: Vec<String> = lines.collect();
        lines.sort();
        lines
    };
    let shows_any = text.contains("GROUP BY") || text.contains("DISTINCT");
    lines_agree(truth, lines) || shows_any && lines_agree(&in_small(truth), &in_small(lines))
}

fn conclude(title: &str, right: usize, refused: &[String], failed: &[String], wrong: &[String]) {
    println!(
        "{title}, random: {right} right, {} refused, {} fail, {} wrong",
        refused.len(),
        failed.len(),
        wrong.len()
    );
    if std::env::var_os("SHOW_FAILED").is_some() {
        println!("{}", failed.join("\n"));
    }
    if std::env::var_os("SHOW_REFUSED").is_some() {
        println!("{}", refused.join("\n"));
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(right > refused.len() / 2, "too few are translated");
}
