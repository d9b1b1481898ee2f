//! `pgsieve check --lint`, before a real server.

use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER, shared, shared_cluster, sql};

const SCHEMA: &str = "
    CREATE SCHEMA shop;
    CREATE TYPE shop.state AS ENUM ('open', 'paid');
    CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, canary_note text);
    CREATE TABLE shop.orders (
        id bigint PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customers,
        state shop.state NOT NULL, kind text CHECK (kind IN ('web', 'desk')),
        total numeric NOT NULL,
        code char(4));
    CREATE TABLE shop.items (
        order_id bigint REFERENCES shop.orders, line int, slot int NOT NULL,
        PRIMARY KEY (order_id, line));
    CREATE UNIQUE INDEX ON shop.items (order_id, slot);
    CREATE INDEX ON shop.orders (code);
    CREATE TABLE shop.hidden (
        id int PRIMARY KEY, order_id bigint REFERENCES shop.orders, parent_id int);
    CREATE TABLE shop.partly (id int PRIMARY KEY, canary int);
    REVOKE ALL ON ALL TABLES IN SCHEMA shop FROM app_reader;
    GRANT USAGE ON SCHEMA shop TO app_reader;
    GRANT SELECT ON shop.customers, shop.orders, shop.items TO app_reader;
    GRANT SELECT (id) ON shop.partly TO app_reader;
    ALTER ROLE ALL IN DATABASE own SET search_path = shop, public";

/// The address of a database with that schema, for this user.
fn url(user: &str) -> String {
    static DATABASE: LazyLock<String> = LazyLock::new(|| {
        let cluster = shared_cluster();
        let database = shared::new_database(cluster);
        let schema = SCHEMA.replace("app_reader", READER);
        let schema = schema.replace(
            "ALTER ROLE ALL IN DATABASE own",
            &format!("ALTER DATABASE {database}"),
        );
        sql::block_on(async {
            let admin = sql::connect(&cluster.url(ADMIN, ADMIN, &database))
                .await
                .unwrap();
            admin.batch_execute(&schema).await.unwrap();
        });
        database
    });
    shared_cluster().url(user, user, &DATABASE)
}

/// The lints of a text, each with its level, and the exit status.
fn lints(more: &[&str], text: &str) -> (Vec<String>, Option<i32>) {
    let url = url(READER);
    let line = serde_json::json!({"id": 1, "sql": text}).to_string();
    let arguments = [&["check", "--lint", "--jsonl", "--upstream", &url], more].concat();
    let output = pgsieve(&arguments, &line);
    let printed = String::from_utf8(output.stdout).unwrap();
    let answer: Value = serde_json::from_str(&printed).unwrap();
    let each = answer["lints"].as_array().unwrap().iter();
    let each = each.map(|one| {
        format!(
            "{} {}",
            one["level"].as_str().unwrap(),
            one["lint"].as_str().unwrap()
        )
    });
    (each.collect(), output.status.code())
}

fn check(text: &str, wanted: &[&str], status: i32) {
    assert_eq!(
        lints(&[], text),
        (
            wanted.iter().map(|one| (*one).to_owned()).collect(),
            Some(status)
        ),
        "{text}"
    );
}

#[test]
fn what_a_server_says_of_its_tables_is_known() {
    check(
        "SELECT id FROM orders WHERE kind = 'shop'",
        &["error literal_outside_list"],
        1,
    );
    check(
        "SELECT id FROM orders WHERE kind = 'web' AND state = 'paid'",
        &[],
        0,
    );
    check(
        "SELECT id FROM orders WHERE state = 'gone'",
        &["error literal_outside_list"],
        1,
    );
    check(
        "SELECT id FROM orders WHERE code = 'a'::text",
        &["warning index_cast"],
        0,
    );
    check(
        "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id",
        &["warning fan_out_aggregation"],
        0,
    );
    let one_slot =
        "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id AND i.slot = 1";
    check(one_slot, &[], 0);
    check(
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.id",
        &["error join_without_key"],
        1,
    );
}

#[test]
fn people_are_shown_where_and_why_and_an_example() {
    let text = "SELECT 1;\n  SELECT o.total\n  FROM orders o, customers c;\nSELECT id FROM orders LIMIT 3;";
    let output = pgsieve(&["check", "--lint", "--upstream", &url(READER)], text);
    let printed = String::from_utf8(output.stdout).unwrap();
    let told: Vec<&str> = printed.lines().skip(4).collect();
    assert!(
        told[0].starts_with("2 at 3:18 error cartesian_join: nothing joins o and c: "),
        "{printed}"
    );
    assert!(
        told[1].starts_with("  before  SELECT ") && told[2].starts_with("  after   SELECT "),
        "{printed}"
    );
    assert!(
        told[3].starts_with("3 at 4:29 warning limit_without_order: "),
        "{printed}"
    );
    assert_eq!(
        (told.len(), output.status.code()),
        (6, Some(1)),
        "{printed}"
    );
    let without = pgsieve(&["check", "--upstream", &url(READER)], text);
    assert_eq!(
        String::from_utf8(without.stdout).unwrap().lines().count(),
        4
    );
    assert_eq!(without.status.code(), Some(0));
}

#[test]
fn what_is_hidden_is_not_linted_by() {
    // Refused by the policy: not linted at all.
    let policy = "name: p\nextends: agent\nrelations: {deny: [shop.customers]}\n";
    let path = written(policy);
    let more = ["--policy", path.to_str().unwrap()];
    let (found, status) = lints(
        &more,
        "SELECT c.id FROM orders o, customers c WHERE c.name = NULL",
    );
    assert_eq!((found, status), (vec![], Some(1)));
    // The role may not read it: by its text alone.
    check(
        "SELECT o.id FROM orders o WHERE o.id NOT IN (SELECT parent_id FROM hidden)",
        &[],
        0,
    );
    check(
        "SELECT o.id FROM orders o JOIN hidden h ON h.id = o.id WHERE h.id = NULL",
        &["error equals_null"],
        1,
    );
    check(
        "SELECT p.id FROM partly p WHERE p.id NOT IN (SELECT canary FROM partly)",
        &[],
        0,
    );
    // A model stands in the place of a table: what that is like is not told.
    let model = "name: p\nextends: agent\nmodels:\n  shop.orders: {sql: 'SELECT id, kind, total FROM shop.orders WHERE total > 1'}\n";
    let path = written(model);
    let more = ["--policy", path.to_str().unwrap()];
    assert_eq!(
        lints(&more, "SELECT id FROM orders WHERE kind = 'shop'"),
        (vec![], Some(0))
    );
    let (found, _) = lints(&more, "SELECT * FROM orders LIMIT 1");
    assert_eq!(
        found,
        ["warning select_all_columns", "warning limit_without_order"]
    );
    let _gone = std::fs::remove_file(path);
}

#[test]
fn lints_are_listed_and_explained() {
    let listed = String::from_utf8(pgsieve(&["rules", "--lints"], "").stdout).unwrap();
    assert_eq!(listed.lines().count(), pgsieve::lint::LintRule::ALL.len());
    let one = pgsieve(&["rules", "fan_out_aggregation"], "");
    let text = String::from_utf8(one.stdout).unwrap();
    assert!(
        text.starts_with("`fan_out_aggregation`: ") && text.contains("\nWhen not\n"),
        "{text}"
    );
}

fn written(policy: &str) -> PathBuf {
    let name = pgsieve::demo::cluster::random_name().unwrap();
    let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
    std::fs::write(&path, policy).unwrap();
    path
}
