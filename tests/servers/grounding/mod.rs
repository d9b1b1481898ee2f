//! `pgsieve ground`: it tells the truth about a real server, and nothing that is hidden.

mod facets;
mod freshness;
mod hidden;
mod kinds;
mod knowledge;
mod metrics;
mod question;
mod served;
mod stale;
mod truth;
mod ways_of_hiding;
mod whole_policies;

use std::fs;
use std::path::PathBuf;

use crate::support::command::pgsieve;
use crate::support::{APP, READER, Stack};

/// A policy that hides in each way that there is.
const POLICY: &str = "\
name: told
extends: agent
relations:
  deny: [\"shop.canary_denied\", \"canary_schema.*\"]
columns:
  deny: [\"shop.customers.canary_column\", \"*.*.canary_*\"]
  mask: {shop.people.phone: last(2), shop.people.motto: null}
rows:
  shop.filtered: \"region = 'eu'\"
models:
  shop.covered:
    sql: SELECT id, upper(label) AS label FROM shop.covered WHERE id < 100
    about: Labels in capitals
  shop.revenue:
    new: true
    sql: SELECT state AS region, sum(id)::numeric(12,2) AS total FROM shop.orders GROUP BY state
    about: Amounts by region
    columns: {total: in euros}
functions:
  allow: [\"shop.tax(numeric)\"]
";

/// What the policy, the role's rights and row security hide has a canary in its name or value.
const SCHEMA: [&str; 31] = [
    "CREATE SCHEMA shop",
    "CREATE SCHEMA canary_schema",
    "CREATE TYPE shop.mood AS ENUM ('calm', 'it''s loud')",
    "CREATE TABLE shop.customers (id int PRIMARY KEY, name varchar(40) NOT NULL, mood shop.mood, \
     \"Signed up\" timestamptz(3), balance numeric(10,2), canary_column text, \
     UNIQUE (name, canary_column), UNIQUE (name, balance))",
    "CREATE TABLE shop.canary_denied (id int PRIMARY KEY, customer_id int REFERENCES shop.customers)",
    "CREATE TABLE shop.orders (id int PRIMARY KEY, customer_id int REFERENCES shop.customers, \
     canary_link int REFERENCES shop.canary_denied, state text NOT NULL, \
     doubled int GENERATED ALWAYS AS (id * 2) STORED)",
    "CREATE TABLE shop.people (id int PRIMARY KEY, phone text, motto text)",
    "CREATE TABLE shop.filtered (region text, amount numeric)",
    "CREATE TABLE shop.covered (id int, label text, canary_label text)",
    "CREATE TABLE shop.secured (id int, note text)",
    "CREATE TABLE shop.canary_ungranted (id int)",
    "CREATE TABLE shop.partly (id int, canary_ungranted_column text)",
    "CREATE TABLE canary_schema.far (id int)",
    "CREATE VIEW shop.seen_through AS SELECT * FROM shop.canary_denied",
    "CREATE VIEW shop.names AS SELECT id, name FROM shop.customers",
    "CREATE FUNCTION shop.tax(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1 * 0.2'",
    "CREATE FUNCTION shop.canary_writes() RETURNS int LANGUAGE plpgsql AS \
     'BEGIN DELETE FROM shop.orders; RETURN 1; END'",
    "INSERT INTO shop.customers SELECT n, 'name ' || n, 'calm', now(), n, 'canary value' \
     FROM generate_series(1, 500) n",
    "INSERT INTO shop.orders SELECT n, n, NULL, CASE n % 2 WHEN 0 THEN 'open' ELSE 'paid' END \
     FROM generate_series(1, 500) n",
    "INSERT INTO shop.people SELECT n, 'canary-55', 'canary motto' FROM generate_series(1, 50) n",
    "INSERT INTO shop.filtered SELECT CASE n % 2 WHEN 0 THEN 'eu' ELSE 'canary region' END, n \
     FROM generate_series(1, 77) n",
    "INSERT INTO shop.covered SELECT n, CASE WHEN n < 100 THEN 'small' ELSE 'canary label' END, \
     'canary' FROM generate_series(1, 300) n",
    "INSERT INTO shop.secured SELECT n, CASE n WHEN 1 THEN 'open note' ELSE 'canary note' END \
     FROM generate_series(1, 99) n",
    "ALTER TABLE shop.secured ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON shop.secured USING (id = 1)",
    "CREATE INDEX ON shop.orders (state)",
    "CREATE INDEX ON shop.customers (canary_column)",
    "COMMENT ON TABLE shop.customers IS 'Who buys'",
    "COMMENT ON TABLE shop.orders IS 'For canary_denied, see there'",
    "COMMENT ON COLUMN shop.customers.balance IS 'in euros'",
    "COMMENT ON COLUMN shop.customers.id IS 'not the one of Canary_Schema'",
];

/// A database with all that, and the policy's file.
fn told_database() -> (&'static Stack, PathBuf) {
    static SHARED: std::sync::OnceLock<(Stack, PathBuf)> = std::sync::OnceLock::new();
    let (stack, policy) = SHARED.get_or_init(|| {
        let stack = Stack::start(crate::support::Options::default());
        stack.prepare(&SCHEMA);
        let grants = [
            format!("GRANT USAGE ON SCHEMA shop, canary_schema TO {READER}, {APP}"),
            format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop, canary_schema TO {READER}, {APP}"),
            format!("REVOKE ALL ON shop.canary_ungranted, shop.partly FROM {READER}"),
            format!("GRANT SELECT (id) ON shop.partly TO {READER}"),
            "ANALYZE".to_owned(),
        ];
        let grants: Vec<&str> = grants.iter().map(String::as_str).collect();
        stack.prepare(&grants);
        let policy = stack.folder().join("told.yaml");
        fs::write(&policy, POLICY).unwrap();
        (stack, policy)
    });
    (stack, policy.clone())
}

/// What `pgsieve ground` prints for the reader.
fn grounding(arguments: &[&str]) -> String {
    let (stack, policy) = told_database();
    let (url, policy) = (stack.direct_url(READER), policy.display().to_string());
    let all = [
        &["ground", "--upstream", &url, "--policy", &policy],
        arguments,
    ]
    .concat();
    let output = pgsieve(&all, "");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}
