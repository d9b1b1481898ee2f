//! Columns that are neither grouped nor aggregated, in texts of a client whose dialect is named:
//! they are those of the row that MariaDB and SQLite take, and each says that it is likely.

use pgsieve::policy::Dialect;

use crate::repair::dialects::by_themselves::{Engines, agree_as_lines};
use crate::repair::dialects::checks::{Row, World, agree};
use crate::repair::dialects::grammar::{Dice, query_with_bare_column};
use crate::repair::dialects::mysql_words::MYSQL;
use crate::repair::dialects::random::{first_seed, rounds};
use crate::repair::dialects::repaired::{RepairedStatement, gate};
use crate::repair::dialects::sqlite::asked_or_not;
use crate::repair::dialects::sqlite_words::SQLITE;

const CASES: &str = include_str!("../../../data/dialects/bare_columns.cases");
const HELD_OUT: &str = include_str!("../../../data/dialects/held_out_bare_columns.cases");

#[tokio::test]
async fn columns_of_one_row_are_those_that_the_servers_show() {
    let Some(mut engines) = Engines::start("bare").await else {
        return;
    };
    for (title, file) in [("first", CASES), ("held out", HELD_OUT)] {
        let mut figures = Figures::default();
        for line in file
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (kind, text) = line.split_once(": ").unwrap();
            for (engine, truth) in engines.truths(text) {
                let (dialect, confidence) = match (engine, kind) {
                    ("MySQL", "having") => (Dialect::Mysql, "hint"),
                    ("MySQL", "any") => (Dialect::Mysql, "apply"),
                    ("SQLite", "any" | "max") => (Dialect::Sqlite, "apply"),
                    _ => continue,
                };
                figures
                    .add(&engines.world, text, dialect, confidence, &truth)
                    .await;
            }
        }
        figures.conclude(title, 5);
    }
}

#[tokio::test]
async fn random_columns_of_one_row_are_those_that_the_servers_show() {
    let Some(mut engines) = Engines::start("bare_random").await else {
        return;
    };
    let mut figures = Figures::default();
    for seed in first_seed()..first_seed() + rounds() {
        let text = query_with_bare_column(&MYSQL, &mut Dice::of(seed + 1));
        for (engine, truth) in engines.truths(&text) {
            if engine == "MySQL" {
                figures
                    .add(&engines.world, &text, Dialect::Mysql, "apply", &truth)
                    .await;
            }
        }
    }
    figures.conclude("random, MySQL", 10);
    let schema = include_str!("../../../data/dialects/tables.sql");
    let Some(world) = World::of("bare_random_sqlite", schema).await else {
        return;
    };
    let oracle = rusqlite::Connection::open_in_memory().unwrap();
    oracle.execute_batch(schema).unwrap();
    let mut figures = Figures::default();
    for seed in first_seed()..first_seed() + rounds() {
        let text = query_with_bare_column(&SQLITE, &mut Dice::of(seed + 1));
        if let Some(truth) = asked_or_not(&oracle, &text) {
            figures
                .add(&world, &text, Dialect::Sqlite, "apply", &truth)
                .await;
        }
    }
    figures.conclude("random, SQLite", 5);
}

/// What came of texts.
#[derive(Default)]
struct Figures {
    right: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Figures {
    async fn add(
        &mut self,
        world: &World,
        text: &str,
        dialect: Dialect,
        likely: &str,
        truth: &[Row],
    ) {
        let agrees = |rows: &[Row]| match dialect {
            Dialect::Mysql => agree_as_lines(text, truth, rows, false),
            _ => agree(truth, rows, false),
        };
        match world.repaired(text, &gate(likely, dialect.name())).await {
            RepairedStatement::Rows(_, rows) if agrees(&rows) => self.right += 1,
            RepairedStatement::Rows(became, rows) => self.wrong.push(format!(
                "{dialect:?}: {text}\n  {rows:?}\n  instead of {truth:?}\n  by {became}"
            )),
            RepairedStatement::Breaks(why) | RepairedStatement::Fails(why) => {
                self.refused.push(format!("{dialect:?}: {text}\n  {why}"));
            }
        }
    }

    /// At most `most` of a hundred are other rows of the groups.
    fn conclude(self, title: &str, most: usize) {
        let (refused, wrong) = (self.refused.len(), self.wrong.len());
        println!(
            "columns of one row, {title}: {} right, {refused} refused, {wrong} from other rows",
            self.right
        );
        if std::env::var_os("SHOW_REFUSED").is_some() {
            println!("{}", self.refused.join("\n"));
        }
        if std::env::var_os("SHOW_LIKELY").is_some() {
            println!("{}", self.wrong.join("\n"));
        }
        assert!(
            wrong * 100 <= most * (self.right + wrong),
            "{}",
            self.wrong.join("\n")
        );
        assert!(self.right > refused, "{}", self.refused.join("\n"));
    }
}
