//! What a model adds to a read that an index or a partition serves: a lookup by key, a scan of one
//! partition, a join by key, each by the model and by the table with the model's own filter, as
//! who knows it would write it. What runs is what the gate makes of the text; both run on one
//! connection, prepared, in alternating rounds.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use pgsieve::catalog::Catalog;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::catalog::{administrator, on_private_server, reader};

/// Prints a line for each read.
pub fn report() {
    on_private_server(async |cluster| {
        let admin = administrator(cluster).await;
        admin.batch_execute(TABLES).await.unwrap();
        let rows = snapshot::load(&reader(cluster).await).await.unwrap();
        let judge = Judge::new(Arc::new(Catalog::build(rows).unwrap()));
        println!(
            "a read by a model and by its table, µs: best and median of {ROUNDS} rounds, and the \
             ratio of the medians; goal: at most 1.2"
        );
        for (what, text) in READS {
            compare(&admin, &judge, what, text).await;
        }
    });
}

async fn compare(admin: &Client, judge: &Judge, what: &str, text: &str) {
    let by_model = judge.runs(text);
    let by_table = text
        .replace(
            "shop.masked",
            "(SELECT id, day, left(email, 2) AS email FROM shop.one \
                                 WHERE tenant = 3) AS",
        )
        .replace(
            "shop.events ",
            "(SELECT id, day, person, email FROM shop.events \
                                  WHERE tenant = 3) AS ",
        );
    let texts = [by_model, by_table];
    let mut times = [Vec::new(), Vec::new()];
    let mut prepared = Vec::new();
    for text in &texts {
        prepared.push(admin.prepare(text).await.unwrap());
    }
    let rows = [
        admin.query(&prepared[0], &[]).await.unwrap().len(),
        admin.query(&prepared[1], &[]).await.unwrap().len(),
    ];
    assert_eq!(rows[0], rows[1], "{what}");
    for _ in 0..ROUNDS {
        for (statement, times) in prepared.iter().zip(&mut times) {
            let since = Instant::now();
            for _ in 0..TIMES {
                admin.query(statement, &[]).await.unwrap();
            }
            times.push(since.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES));
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    let [model, table] = times.map(|times| (times[0], times[times.len() / 2]));
    println!(
        "{what:<36} {:>8.0} / {:<8.0} {:>8.0} / {:<8.0} {:>5.2}",
        model.0,
        model.1,
        table.0,
        table.1,
        model.1 / table.1
    );
}

struct Judge {
    gate: Gate,
    names: SessionNames,
}

impl Judge {
    fn new(catalog: Arc<Catalog>) -> Self {
        let agent = include_str!("../../policies/agent.yaml");
        let policy = Arc::new(Policy::from_yaml(&format!("{agent}\n{MODELS}")).unwrap());
        let gate = Gate::without_fingerprints(Arc::clone(&policy));
        let mut names = SessionNames::default();
        names.set_server_major(catalog.server_major());
        names.set_role("postgres");
        let path: Box<[Box<str>]> = ["shop".into()].into();
        names.set_paths(SearchPaths::Known([path].into()));
        names.set_effect_graph(Some(Arc::new(EffectGraph::new(catalog, &policy))));
        Self { gate, names }
    }

    /// What runs in the place of a text.
    fn runs(&self, text: &str) -> String {
        let judgement = self.gate.judge(Cow::Borrowed(text), &self.names);
        match &judgement.verdict {
            Verdict::Permitted(permit) => permit.text().to_owned(),
            other => panic!("{text}: {other:?}"),
        }
    }
}

const TABLES: &str = "CREATE SCHEMA shop; \
    CREATE TABLE shop.events (id int, day date, tenant int, person int, email text, \
        PRIMARY KEY (id, day)) PARTITION BY RANGE (day); \
    CREATE TABLE shop.e1 PARTITION OF shop.events \
        FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); \
    CREATE TABLE shop.e2 PARTITION OF shop.events \
        FOR VALUES FROM ('2024-02-01') TO ('2024-03-01'); \
    CREATE TABLE shop.e3 PARTITION OF shop.events \
        FOR VALUES FROM ('2024-03-01') TO ('2024-04-01'); \
    CREATE TABLE shop.e4 PARTITION OF shop.events \
        FOR VALUES FROM ('2024-04-01') TO ('2024-05-01'); \
    INSERT INTO shop.events SELECT i, date '2024-01-01' + i % 121, i % 10, i % 1000, 'a' || i \
        FROM generate_series(1, 100000) i; \
    CREATE TABLE shop.people (id int PRIMARY KEY, event int, name text); \
    INSERT INTO shop.people SELECT i, i * 10 + 3, 'n' || i FROM generate_series(1, 5000) i; \
    CREATE TABLE shop.one (id int PRIMARY KEY, day date, tenant int, email text); \
    INSERT INTO shop.one SELECT id, day, tenant, email FROM shop.events; \
    ANALYZE shop.events, shop.people, shop.one;";

const MODELS: &str = "models:
  shop.events:
    sql: SELECT id, day, person, email FROM events WHERE tenant = 3
  shop.masked:
    new: true
    sql: SELECT id, day, left(email, 2) AS email FROM one WHERE tenant = 3
";

const READS: &[(&str, &str)] = &[
    (
        "a lookup by key",
        "SELECT * FROM shop.events e WHERE e.id = 503",
    ),
    (
        "a scan of one partition",
        "SELECT * FROM shop.events e WHERE e.day = '2024-02-10'",
    ),
    (
        "the sum of one partition",
        "SELECT count(*), max(e.id) FROM shop.events e WHERE e.day = '2024-02-10'",
    ),
    (
        "a join by key",
        "SELECT p.name, e.day FROM shop.people p JOIN shop.events e ON e.id = p.event \
         WHERE p.id = 77",
    ),
    (
        "a lookup beside a function",
        "SELECT upper(e.email) FROM shop.events e WHERE e.id = 503",
    ),
    (
        "a masked lookup",
        "SELECT * FROM shop.masked e WHERE e.id = 503",
    ),
];

const ROUNDS: usize = 41;
const TIMES: u32 = 20;
