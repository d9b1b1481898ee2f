//! `pgsieve eval`, before a real server: what is right, before and after repairs; commands that
//! answer questions; reports and what they say beside each other.

mod commands;
mod files;
mod published;
mod reports;
mod rows;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER, shared, shared_cluster, sql};

const SCHEMA: &str = "
    CREATE SCHEMA shop;
    CREATE TABLE shop.customers (id int PRIMARY KEY, name text NOT NULL, \"joinedOn\" date);
    CREATE TABLE shop.orders (
        id int PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customers,
        total numeric(10, 2) NOT NULL, weight float8 NOT NULL);
    CREATE TABLE shop.secrets (id int);
    INSERT INTO shop.customers
        SELECT n, 'name ' || n, date '2024-01-01' + n FROM generate_series(1, 40) n;
    INSERT INTO shop.orders SELECT n, n % 40 + 1, n, n / 3.0 FROM generate_series(1, 400) n;
    GRANT USAGE ON SCHEMA shop TO reader;
    GRANT SELECT ON shop.customers, shop.orders TO reader;
    REVOKE ALL ON shop.secrets FROM reader;
    GRANT DELETE ON shop.orders TO reader;
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

/// A folder of its own, which goes away with its test.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.join(format!("eval-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// A file in it.
    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// The path of a file in it.
    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the program says of arguments, with the upstream.
fn run(arguments: &[&str], input: &str) -> Output {
    let url = shared_cluster().url(READER, READER, database());
    let fixed = ["eval", "--upstream", &url];
    pgsieve(&[&fixed, arguments].concat(), input)
}

/// The report of a dataset of these entries.
fn report(more: &[&str], entries: &[Value]) -> Value {
    let lines: Vec<String> = entries.iter().map(ToString::to_string).collect();
    let arguments = [&["-", "--out", "-"], more].concat();
    report_of(run(&arguments, &lines.join("\n")))
}

fn report_of(output: Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema: Value =
        serde_json::from_str(include_str!("../../../policies/evaluation.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = schema
        .iter_errors(&report)
        .map(|one| one.to_string())
        .collect();
    assert_eq!(wrong, Vec::<String>::new(), "{report}");
    report
}

/// How each entry of a report ends, in its first run.
fn endings(report: &Value) -> Vec<String> {
    let entries = report["entries"].as_array().unwrap().iter();
    let ending = |entry: &Value| {
        let last = entry
            .pointer("/runs/0/attempts")
            .unwrap()
            .as_array()
            .unwrap();
        let last = last.last().unwrap();
        let outcome = last["outcome"].as_str().unwrap();
        match last["class"].as_str() {
            Some(class) => format!("{outcome} {class}"),
            None => outcome.to_owned(),
        }
    };
    entries.map(ending).collect()
}

/// An entry with a reference.
fn entry(id: &str, sql: &str, gold: &str) -> Value {
    json!({"id": id, "question": format!("question {id}"), "sql": sql, "gold_sql": gold})
}
