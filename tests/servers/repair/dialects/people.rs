//! Statements as people and models write them, through the whole repair loop: with the dialect
//! named by the policy, and told by what only it has. What each server returns is what is wanted.

use std::sync::Arc;

use pgsieve::dialect::detect::by_evidence;
use pgsieve::gate::Gate;
use pgsieve::policy::{Dialect, RepairSettings};

use crate::repair::dialects::checks::{Came, Row, World, agree};
use crate::repair::dialects::mysql_server::Server;
use crate::repair::dialects::repaired::{RepairedStatement, gate};
use crate::repair::dialects::sqlite::asked_or_not;
use crate::repair::dialects::support::agree as lines_agree;

#[tokio::test]
async fn people_get_the_rows_of_mysql() {
    let tables = include_str!("../../../data/dialects/mysql_tables_in_postgres.sql");
    let Some(world) = World::of("people_mysql", tables).await else {
        return;
    };
    let Some(server) = Server::start(include_str!("../../../data/dialects/mysql_tables.sql"))
    else {
        return;
    };
    let mut count = Count::new(world, "mysql");
    for text in include_str!("../../../data/dialects/people_mysql.sql").lines() {
        let truth = server.rows(text);
        let right = |rows: &[Row]| {
            let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "NULL".into());
            let line = |row: &Row| row.iter().map(cell).collect::<Vec<_>>().join("\t");
            let lines: Vec<String> = rows.iter().map(line).collect();
            lines_agree(&truth, &lines)
        };
        count.one(text, &right, &format!("{truth:?}")).await;
    }
    count.check();
}

#[tokio::test]
async fn people_get_the_rows_of_sqlite() {
    let schema = include_str!("../../../data/dialects/tables.sql");
    let Some(world) = World::of("people_sqlite", schema).await else {
        return;
    };
    let oracle = rusqlite::Connection::open_in_memory().unwrap();
    oracle.execute_batch(schema).unwrap();
    let mut count = Count::new(world, "sqlite");
    for text in include_str!("../../../data/dialects/people_sqlite.sql").lines() {
        let truth = asked_or_not(&oracle, text).expect(text);
        let ordered = text.contains("ORDER BY");
        let right = |rows: &[Row]| agree(&truth, rows, ordered);
        count.one(text, &right, &format!("{truth:?}")).await;
    }
    count.check();
}

#[tokio::test]
async fn people_get_the_rows_of_bigquery() {
    let Some(world) = World::of(
        "people_bigquery",
        include_str!("../../../data/dialects/tables.sql"),
    )
    .await
    else {
        return;
    };
    let mut count = Count::new(world, "bigquery");
    let lines: Vec<&str> = include_str!("../../../data/dialects/people_bigquery.sql")
        .lines()
        .collect();
    for pair in lines.chunks(2) {
        let [text, meant] = pair else {
            panic!("a pair")
        };
        let meant = meant.strip_prefix("==== ").unwrap();
        let truth = count.world.asked(meant).await.expect(meant);
        let right = |rows: &[Row]| agree(&truth, rows, false);
        count.one(text, &right, &format!("{truth:?}")).await;
    }
    count.check();
}

/// What came of the statements of a dialect.
struct Count {
    world: World,
    dialect: &'static str,
    of: Dialect,
    settings: RepairSettings,
    named: [Arc<Gate>; 2],
    auto: Arc<Gate>,
    all: usize,
    untouched: usize,
    right: usize,
    right_by_itself: usize,
    likely: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Count {
    fn new(world: World, dialect: &'static str) -> Self {
        Self {
            world,
            dialect,
            of: Dialect::named(dialect).unwrap(),
            settings: RepairSettings::default(),
            named: [gate("hint", dialect), gate("apply", dialect)],
            auto: gate("hint", "auto"),
            all: 0,
            untouched: 0,
            right: 0,
            right_by_itself: 0,
            likely: 0,
            refused: Vec::new(),
            wrong: Vec::new(),
        }
    }

    async fn one(&mut self, text: &str, right: &dyn Fn(&[Row]) -> bool, truth: &str) {
        self.all += 1;
        if self.world.client.prepare(text).await.is_ok() {
            // Nothing is changed about what Postgres runs as it is; what it would be translated to
            // is right all the same.
            self.untouched += 1;
            return match self.world.run(text, self.of, &self.settings).await {
                Came::Rows(_, rows) if right(&rows) => {}
                Came::Rows(_, rows) => {
                    let what = format!("untouched: {text}\n  {rows:?}\n  instead of {truth}");
                    self.wrong.push(what);
                }
                Came::Refused(why) | Came::Failed(why) => {
                    self.refused.push(format!("untouched: {text}\n  {why}"));
                }
                Came::Unread => self.refused.push(format!("unread: {text}")),
            };
        }
        let [sure, bold] = &self.named;
        match self.world.repaired(text, sure).await {
            RepairedStatement::Rows(_, rows) if right(&rows) => self.right += 1,
            RepairedStatement::Rows(became, rows) => {
                let what = format!("{text}\n  {rows:?}\n  instead of {truth}\n  by {became}");
                self.wrong.push(what);
            }
            RepairedStatement::Breaks(why) => self.refused.push(format!("{text}\n  breaks: {why}")),
            RepairedStatement::Fails(why) => match self.world.repaired(text, bold).await {
                RepairedStatement::Rows(_, rows) if right(&rows) => self.likely += 1,
                RepairedStatement::Rows(became, rows) => {
                    let what = format!("likely: {text}\n  {rows:?}\n  not {truth}\n  by {became}");
                    self.wrong.push(what);
                }
                _ => self.refused.push(format!("{text}\n  {why}")),
            },
        }
        match self.world.repaired(text, &self.auto).await {
            RepairedStatement::Rows(_, rows) if right(&rows) => self.right_by_itself += 1,
            // Where nothing tells the dialect, single words are repaired, and the rest is
            // Postgres's.
            RepairedStatement::Rows(..) if by_evidence(text).is_none() => {}
            RepairedStatement::Rows(became, rows) => {
                let what = format!("auto: {text}\n  {rows:?}\n  instead of {truth}\n  by {became}");
                self.wrong.push(what);
            }
            _ => {}
        }
    }

    fn check(&self) {
        println!(
            "{}: {} statements, {} run as they are, {} right, {} likely, {} refused, {} wrong; {} right by themselves",
            self.dialect,
            self.all,
            self.untouched,
            self.right,
            self.likely,
            self.refused.len(),
            self.wrong.len(),
            self.right_by_itself
        );
        println!("{}", self.refused.join("\n"));
        assert!(self.wrong.is_empty(), "wrong:\n{}", self.wrong.join("\n"));
        assert!((self.right + self.likely + self.untouched) * 10 >= self.all * 9);
    }
}
