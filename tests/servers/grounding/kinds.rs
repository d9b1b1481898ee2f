//! Each kind of relation and type, and statistics, as the server has them.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::support::command::pgsieve;
use crate::support::sql::{block_on, rows};
use crate::support::{ADMIN, Options, Stack};

const SCHEMA: [&str; 14] = [
    "CREATE SCHEMA shop",
    "CREATE TYPE shop.mood AS ENUM ('low', 'high')",
    "ALTER TYPE shop.mood ADD VALUE 'middle' BEFORE 'high'",
    "CREATE DOMAIN shop.feeling AS shop.mood",
    "CREATE TABLE shop.a (id int PRIMARY KEY, mood shop.mood, moods shop.mood[], \
     feeling shop.feeling, word varchar(20), sparse text)",
    "CREATE TABLE shop.b (id int PRIMARY KEY, a int REFERENCES shop.a)",
    "CREATE TABLE shop.c (id int PRIMARY KEY, b int REFERENCES shop.b)",
    "CREATE TABLE shop.d (id int PRIMARY KEY, c int REFERENCES shop.c)",
    "CREATE TABLE shop.events (at date NOT NULL, what text) PARTITION BY RANGE (at)",
    "CREATE TABLE shop.events_2030 PARTITION OF shop.events \
     FOR VALUES FROM ('2030-01-01') TO ('2031-01-01')",
    "INSERT INTO shop.events SELECT '2030-02-01', 'x' FROM generate_series(1, 30)",
    "INSERT INTO shop.a SELECT n, 'low', NULL, 'high', 'word ' || n % 3, \
     CASE WHEN n % 4 = 0 THEN 'seldom' END FROM generate_series(1, 400) n",
    "CREATE MATERIALIZED VIEW shop.counted AS SELECT count(*) AS all_of_them FROM shop.a",
    "ANALYZE",
];

fn database() -> &'static Stack {
    static SHARED: OnceLock<Stack> = OnceLock::new();
    SHARED.get_or_init(|| {
        let stack = Stack::start(Options::default());
        stack.prepare(&SCHEMA);
        stack
    })
}

fn told(arguments: &[&str]) -> Value {
    let url = database().direct_url(ADMIN);
    let all = [
        &["ground", "--upstream", &url, "--format", "json"],
        arguments,
    ]
    .concat();
    let output = pgsieve(&all, "");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn names(whole: &Value) -> Vec<&str> {
    let relations = whole["relations"].as_array().unwrap().iter();
    relations.map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn every_kind_of_relation_is_told_as_what_it_is() {
    let whole = told(&[]);
    assert_eq!(names(&whole), ["a", "b", "c", "counted", "d", "events"]);
    let kinds: Vec<&Value> = [3, 5].map(|at| &whole["relations"][at]["kind"]).into();
    assert_eq!(
        kinds,
        [&json!("materialized view"), &json!("partitioned table")]
    );
    let columns = &whole["relations"][0]["columns"];
    let ordered = json!(["low", "middle", "high"]);
    for at in 1..4 {
        assert_eq!(columns[at]["labels"], ordered, "{at}");
    }
    assert_eq!(columns[2]["type"], "shop.mood[]");
    assert_eq!(columns[3]["type"], "shop.feeling");
}

#[test]
fn neighbours_are_told_by_their_distance_forward_and_backward() {
    for (facet, wanted) in [
        ("fk:0", &["b"][..]),
        ("fk:1", &["a", "b", "c"]),
        ("fk:2", &["a", "b", "c", "d"]),
    ] {
        let facets = format!("tables,{facet}");
        let whole = told(&["--relation", "shop.b", "--facets", &facets]);
        assert_eq!(names(&whole), wanted, "{facet}");
    }
}

#[test]
fn estimates_and_statistics_are_the_planners() {
    let whole = told(&[
        "--relation",
        "shop.a",
        "--facets",
        "tables,columns,fk:0,statistics",
    ]);
    let relation = &whole["relations"][0];
    let (text, counted) = block_on(async {
        let client = database().direct(ADMIN).await;
        let known = "SELECT attname, round(null_frac * 100), \
               round(CASE WHEN n_distinct < 0 THEN -n_distinct * 400 ELSE n_distinct END), \
               coalesce(array_to_json((most_common_vals::text::text[])[1:5])::text, '[]') \
             FROM pg_stats WHERE schemaname = 'shop' AND tablename = 'a' AND n_distinct <> 0";
        let counted = "SELECT reltuples::bigint FROM pg_class WHERE oid = 'shop.a'::regclass";
        (rows(&client, known).await, rows(&client, counted).await)
    });
    assert_eq!(relation["rows"].to_string(), counted[0][0]);
    assert!(text.len() >= 4, "{text:?}");
    for known in text {
        let mut columns = relation["columns"].as_array().unwrap().iter();
        let column = columns.find(|column| column["name"] == known[0]).unwrap();
        let told = &column["statistics"];
        assert_eq!(told["null_percent"].to_string(), known[1], "{known:?}");
        assert_eq!(told["distinct"].to_string(), known[2], "{known:?}");
        let common: Value = serde_json::from_str(&known[3]).unwrap();
        let own = told.get("common_values").cloned().unwrap_or(json!([]));
        assert_eq!(own, common, "{known:?}");
    }
}
