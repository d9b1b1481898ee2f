//! `pgsieve choose`, before a real server: which candidate is first and why, and that hostile ones
//! never reach the database.

mod hostile;
mod order;

use std::process::Output;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER, shared, shared_cluster, sql};

const SCHEMA: &str = "
    CREATE SCHEMA shop;
    CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, city text);
    CREATE TABLE shop.orders (
        id int PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customers,
        total numeric NOT NULL, canary_total numeric);
    CREATE TABLE shop.items (
        order_id int REFERENCES shop.orders, line int, PRIMARY KEY (order_id, line));
    CREATE SEQUENCE shop.numbers;
    INSERT INTO shop.customers
        SELECT n, 'name ' || n, 'city ' || n % 3 FROM generate_series(1, 40) n;
    INSERT INTO shop.orders SELECT n, n % 40 + 1, n, n FROM generate_series(1, 400) n;
    INSERT INTO shop.items
        SELECT n, line FROM generate_series(1, 400) n, generate_series(1, 3) line;
    GRANT USAGE ON SCHEMA shop TO reader;
    GRANT USAGE ON SEQUENCE shop.numbers TO reader;
    GRANT INSERT, DELETE ON ALL TABLES IN SCHEMA shop TO reader;
    ANALYZE";

/// The name of a database with that schema.
fn database() -> &'static str {
    static DATABASE: LazyLock<String> = LazyLock::new(|| {
        let cluster = shared_cluster();
        let database = shared::new_database(cluster);
        let schema = SCHEMA.replace("reader", READER);
        let path = format!("ALTER DATABASE {database} SET search_path = shop, public");
        sql::block_on(async {
            let admin = sql::connect(&cluster.url(ADMIN, ADMIN, &database))
                .await
                .unwrap();
            admin.batch_execute(&schema).await.unwrap();
            admin.batch_execute(&path).await.unwrap();
        });
        database
    });
    &DATABASE
}

/// What the program says of candidates.
fn run(more: &[&str], question: &str, candidates: &str) -> Output {
    let url = shared_cluster().url(READER, READER, database());
    let fixed = [
        "choose",
        "--json",
        "--upstream",
        &url,
        "--question",
        question,
    ];
    pgsieve(&[&fixed, more].concat(), candidates)
}

/// The candidates in order, and the exit status.
fn ranked(more: &[&str], question: &str, candidates: &[&str]) -> (Vec<Value>, Option<i32>) {
    let output = run(more, question, &json!(candidates).to_string());
    let printed = String::from_utf8(output.stdout).unwrap();
    let answer: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|_| panic!("{printed}{}", String::from_utf8_lossy(&output.stderr)));
    let all = answer["candidates"].as_array().unwrap().clone();
    (all, output.status.code())
}

/// The numbers of candidates in order.
fn numbers(ranked: &[Value]) -> Vec<u64> {
    ranked
        .iter()
        .map(|one| one["candidate"].as_u64().unwrap())
        .collect()
}
