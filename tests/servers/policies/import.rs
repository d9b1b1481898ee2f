//! `pgsieve policy import` with a database: what it has of a project is carried over, and what is
//! printed can be a part of a policy there.

use std::fs;

use crate::support::command::pgsieve;
use crate::support::{READER, Stack};

const SCHEMA: &str = "CREATE SCHEMA bakery; CREATE SCHEMA till;
CREATE TABLE bakery.orders (order_id int, customer_id int, placed_at timestamptz,
    total_cents int, status text, is_gift bool);
CREATE TABLE bakery.customers (customer_id int, full_name text, birthday date);
CREATE TABLE till.receipts_raw (paid numeric);
INSERT INTO bakery.orders VALUES (1, 1, now(), 2500, 'placed', false);
GRANT USAGE ON SCHEMA bakery, till TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA bakery, till TO PUBLIC;";

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/dbt/manifest.json");

/// The status, what was printed, and what was said beside it.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = pgsieve(arguments, "");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn what_a_database_has_of_a_project_is_carried_over() {
    let stack = Stack::start(crate::support::Options::default());
    stack.prepare(&[SCHEMA]);
    let url = stack.direct_url(READER);
    let import = ["policy", "import", "--dbt", MANIFEST, "--upstream", &url];
    let (status, fragment, said) = run(&[&import[..], &["--models"]].concat());
    assert_eq!(status, 0, "{said}");
    for wanted in [
        "bakery.orders.status:",
        "orders_customer_id:",
        "till.receipts_raw.paid:",
        "measure: \"sum(total_cents / 100.0)\"",
        "sql: \"SELECT order_id, customer_id, placed_at,",
        "size:",
    ] {
        assert!(fragment.contains(wanted), "{wanted}: {fragment}");
    }
    for gone in ["loaf_kinds", "Joined On", "history", "birthday: "] {
        assert!(!fragment.contains(gone), "{gone}: {fragment}");
    }
    for why in [
        "left out: seed.crumbs.loaf_kinds: the database has no relation bakery.loaf_kinds",
        "left out: a relationship of model.crumbs.orders: the database has no column kind there",
        "left out: metric.crumbs.baked: its filter: it has Jinja in it",
        " left out\n",
    ] {
        assert!(said.contains(why), "{why}: {said}");
    }
    let again = run(&[&import[..], &["--models"]].concat());
    assert_eq!((again.1, again.2), (fragment.clone(), said));
    let file = stack.folder().join("with.yaml");
    let path = file.to_string_lossy();
    fs::write(&file, format!("name: with\nextends: bi\n{fragment}")).unwrap();
    let (status, out, said) = run(&["policy", "check", &path, "--upstream", &url]);
    assert_eq!(status, 0, "{out}{said}");
    let sql = "SELECT size, count(*) FROM bakery.orders GROUP BY size";
    let (status, out, said) = run(&["policy", "explain", &path, "--sql", sql, "--upstream", &url]);
    assert_eq!(status, 0, "{out}{said}");
    let (_, grounded, _) = run(&["ground", "--upstream", &url, "--policy", &path]);
    assert!(
        grounded.contains("size text calculated: Large from 20 euros."),
        "{grounded}"
    );
    assert!(grounded.contains("one of 'placed', 'baked'"), "{grounded}");
    under_a_policy(&stack, &import);
}

/// What a policy refuses is left out.
fn under_a_policy(stack: &Stack, import: &[&str]) {
    let file = stack.folder().join("narrow.yaml");
    let path = file.to_string_lossy();
    let narrow = "name: narrow\nextends: bi\ncolumns: {deny: [bakery.orders.total_cents]}\n";
    fs::write(&file, narrow).unwrap();
    let (status, fragment, said) = run(&[import, &["--models", "--policy", &path]].concat());
    assert_eq!(status, 0, "{said}");
    assert!(!fragment.contains("size:"), "{fragment}");
    let why = "dimension size of model.crumbs.orders: the policy refuses it: column_denied";
    assert!(said.contains(why), "{said}");
    let why = "metric.crumbs.revenue: the policy refuses it: column_denied";
    assert!(said.contains(why), "{said}");
    assert!(!fragment.contains("total_cents / 100.0") && fragment.contains("count(order_id)"));
    let written = stack.folder().join("fragment.yaml");
    let to = written.to_string_lossy();
    let (status, printed, _) = run(&[import, &["--output", &to]].concat());
    assert_eq!((status, printed.as_str()), (0, ""));
    assert!(
        fs::read_to_string(&written)
            .unwrap()
            .contains("bakery.orders.status:")
    );
}

#[test]
fn a_wrong_question_is_told_from_a_wrong_manifest() {
    for (arguments, wanted) in [
        (&["--dbt", "/no/such/file"][..], "--dbt"),
        (
            &["--dbt", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
            "no manifest of dbt",
        ),
        (&["--dbt", MANIFEST, "--models"], "--upstream"),
        (&["--dbt", MANIFEST, "--policy", "bi"], "--upstream"),
        (&[], "--dbt"),
    ] {
        let (status, out, said) = run(&[&["policy", "import"], arguments].concat());
        assert_eq!((status, out.as_str()), (2, ""), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
    let (status, fragment, said) = run(&["policy", "import", "--dbt", MANIFEST]);
    assert_eq!(status, 0, "{said}");
    assert!(fragment.contains("bakery.loaf_kinds.kind:"), "{fragment}");
    let said_first = "dimension size of model.crumbs.orders: it is an expression: --models makes";
    assert!(said.contains(said_first), "{said}");
}
