//! Random queries that have what several dialects have, and no name of a dialect beside them: what
//! is repaired exactly returns the rows of every server that runs the query.

use std::sync::Arc;

use pgsieve::gate::Gate;
use pgsieve::policy::Dialect;

use crate::repair::dialects::checks::{Row, World, agree};
use crate::repair::dialects::duckdb_server::DuckDb;
use crate::repair::dialects::grammar::{Dice, Words, query};
use crate::repair::dialects::mysql_server::Server;
use crate::repair::dialects::mysql_words::MYSQL;
use crate::repair::dialects::random::{agree_but_for_case, first_seed, rounds};
use crate::repair::dialects::repaired::{RepairedStatement, gate};
use crate::repair::dialects::shared_words::{MYSQL_SHARED, SHARED};
use crate::repair::dialects::sqlite::asked_or_not;

#[tokio::test]
async fn random_queries_of_several_dialects_return_the_rows_of_each() {
    let Some(mut engines) = Engines::start("several").await else {
        return;
    };
    let figures = engines.run(&SHARED, |_| true).await;
    figures.conclude("several dialects", 30, 5);
}

#[tokio::test]
async fn random_queries_of_mysql_return_its_rows_by_themselves() {
    let Some(mut engines) = Engines::start("mysql").await else {
        return;
    };
    let figures = engines.run(&MYSQL, |engine| engine == "MySQL").await;
    figures.conclude("MySQL", 25, 5);
    let figures = engines.run(&MYSQL_SHARED, |engine| engine == "MySQL").await;
    figures.conclude("MySQL, shared words", 25, 5);
}

/// The servers over the same tables.
pub struct Engines {
    /// Postgres.
    pub world: World,
    mysql: Option<Server>,
    sqlite: rusqlite::Connection,
    duckdb: DuckDb,
    exact: Arc<Gate>,
    likely: Arc<Gate>,
}

impl Engines {
    /// All that can be had.
    pub async fn start(name: &str) -> Option<Self> {
        let tables = include_str!("../../../data/dialects/mysql_tables_in_postgres.sql");
        let world = World::of(&format!("by_themselves_{name}"), tables).await?;
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        sqlite.execute_batch(tables).unwrap();
        Some(Self {
            world,
            mysql: Server::start(include_str!("../../../data/dialects/mysql_tables.sql")),
            sqlite,
            duckdb: DuckDb::start(&tables.replace("JSONB", "TEXT")),
            exact: gate("hint", "auto"),
            likely: gate("apply", "auto"),
        })
    }

    async fn run(&mut self, words: &Words, counts: fn(&str) -> bool) -> Figures {
        let mut figures = Figures::default();
        for seed in first_seed()..first_seed() + rounds() {
            let (text, ordered) = query(words, &mut Dice::of(seed + 1));
            self.one(&text, ordered, counts, &mut figures).await;
        }
        figures
    }

    /// What becomes of a text, beside the rows of those that count.
    pub async fn one(
        &mut self,
        text: &str,
        ordered: bool,
        counts: fn(&str) -> bool,
        figures: &mut Figures,
    ) {
        if self.world.client.prepare(text).await.is_ok() {
            figures.untouched += 1;
            return;
        }
        let truths: Vec<(&str, Vec<Row>)> = (self.truths(text).into_iter())
            .filter(|(engine, _)| counts(engine))
            .collect();
        if truths.is_empty() {
            figures.runs_nowhere += 1;
            return;
        }
        let wrong = |rows: &[Row]| -> Vec<String> {
            let others = truths.iter().filter(|(engine, truth)| match *engine {
                "MySQL" => !agree_as_lines(text, truth, rows, ordered),
                _ => !agree(truth, rows, ordered),
            });
            others
                .map(|(engine, truth)| format!("{engine}: {truth:?}"))
                .collect()
        };
        match self.world.repaired(text, &self.exact).await {
            RepairedStatement::Rows(became, rows) => match wrong(&rows) {
                others if !self.world.is_translated(text, &self.exact).await => {
                    figures.unmarked += 1;
                    figures.unmarked_otherwise += usize::from(!others.is_empty());
                }
                none if none.is_empty() => figures.exact += 1,
                others => figures.wrong.push(format!(
                    "{text}\n  {rows:?}\n  {}\n  by {became}",
                    others.join("\n  ")
                )),
            },
            RepairedStatement::Breaks(why) => figures.broken.push(format!("{text}\n  {why}")),
            RepairedStatement::Fails(_) => match self.world.repaired(text, &self.likely).await {
                RepairedStatement::Rows(became, rows) => {
                    let others = wrong(&rows);
                    match others.len() {
                        0 => figures.likely_right += 1,
                        all if all == truths.len() => figures.likely_wrong.push(format!(
                            "{text}\n  {rows:?}\n  {}\n  by {became}",
                            others.join("\n  ")
                        )),
                        _ => figures.likely_right_in_some += 1,
                    }
                }
                RepairedStatement::Breaks(why) => figures.broken.push(format!("{text}\n  {why}")),
                RepairedStatement::Fails(why) => figures.refused.push(format!("{text}\n  {why}")),
            },
        }
    }

    /// The rows of each server that runs a text.
    pub fn truths(&mut self, text: &str) -> Vec<(&'static str, Vec<Row>)> {
        let mut truths = Vec::new();
        if let Some(server) = &self.mysql {
            let lines = server.rows(text);
            if !lines.first().is_some_and(|line| line.starts_with("fails:")) {
                let cell = |cell: &str| match cell {
                    "NULL" => None,
                    cell => Some(cell.replace("\\\\", "\\")),
                };
                let row = |line: &String| line.split('\t').map(cell).collect();
                truths.push(("MySQL", lines.iter().map(row).collect()));
            }
        }
        if let Some(rows) = asked_or_not(&self.sqlite, text) {
            truths.push(("SQLite", rows));
        }
        // It takes backticks, but nobody writes them for it, and no text with them is translated.
        if !text.contains('`')
            && let Some(rows) = self.duckdb.rows(text)
        {
            truths.push(("DuckDB", rows));
        }
        truths
    }
}

/// Whether rows are those of MySQL, which shows fewer digits of a quotient.
pub fn agree_as_lines(text: &str, truth: &[Row], rows: &[Row], ordered: bool) -> bool {
    let cell = |cell: &Option<String>| match cell.as_deref() {
        None => "NULL".to_owned(),
        Some("t") => "1".to_owned(),
        Some("f") => "0".to_owned(),
        Some(cell) => cell.to_owned(),
    };
    let lines = |rows: &[Row]| {
        let line = |row: &Row| row.iter().map(cell).collect::<Vec<_>>().join("\t");
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        if !ordered {
            lines.sort();
        }
        lines
    };
    agree_but_for_case(text, &lines(truth), &lines(rows))
}

/// What came of the queries.
#[derive(Default)]
pub struct Figures {
    untouched: usize,
    runs_nowhere: usize,
    exact: usize,
    unmarked: usize,
    unmarked_otherwise: usize,
    likely_right: usize,
    likely_right_in_some: usize,
    likely_wrong: Vec<String>,
    refused: Vec<String>,
    broken: Vec<String>,
    wrong: Vec<String>,
}

impl Figures {
    /// `least` of a hundred repaired ones are exact, and at most `most` of a hundred likely ones
    /// are wrong everywhere.
    pub fn conclude(self, title: &str, least: usize, most: usize) {
        println!(
            "{title}, by themselves: {} exact, {} exact and wrong; likely: {} right everywhere, {} right somewhere, \
             {} wrong; {} refused, {} fail when they run; {} run as they are, {} run nowhere; {} \
             have no mark of a dialect, \
             of which {} have other rows elsewhere",
            self.exact,
            self.wrong.len(),
            self.likely_right,
            self.likely_right_in_some,
            self.likely_wrong.len(),
            self.refused.len(),
            self.broken.len(),
            self.untouched,
            self.runs_nowhere,
            self.unmarked,
            self.unmarked_otherwise
        );
        for (variable, list) in [
            ("SHOW_LIKELY", &self.likely_wrong),
            ("SHOW_REFUSED", &self.refused),
            ("SHOW_FAILED", &self.broken),
        ] {
            if std::env::var_os(variable).is_some() {
                println!("{variable}:\n{}", list.join("\n"));
            }
        }
        assert!(
            self.wrong.is_empty(),
            "{} wrong:\n{}",
            self.wrong.len(),
            self.wrong.join("\n")
        );
        let likely = self.likely_right + self.likely_right_in_some + self.likely_wrong.len();
        assert!(
            self.exact * 100 >= least * (self.exact + likely),
            "too few are exact"
        );
        assert!(
            self.likely_wrong.len() * 100 <= likely * most,
            "more than {most} % of the likely ones are wrong everywhere:\n{}",
            self.likely_wrong.join("\n")
        );
    }
}

/// Texts of one dialect have its evidence, or none.
#[test]
fn what_several_dialects_have_decides_for_none() {
    for text in [
        "SELECT IFNULL(a, 0) FROM t",
        "SELECT `a` FROM t LIMIT 2, 3",
        "SELECT a FROM t WHERE b == 1",
        "SELECT TOP 5 a FROM t",
    ] {
        let found: Option<Dialect> = pgsieve::dialect::detect::by_evidence(text);
        assert_eq!(found, None, "{text}");
    }
}
