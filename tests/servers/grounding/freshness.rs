//! Groundings are the same for the same, and it is told when one went stale and why.

use std::fs;

use serde_json::Value;

use crate::support::command::pgsieve;
use crate::support::{Options, READER, Stack};

const POLICY: &str = "name: fresh\nextends: agent\n\
    relations: {deny: [shop.hidden]}\ncolumns: {deny: [shop.orders.secret]}\n";

/// The same policy as somebody else would write it.
const SAME_POLICY: &str = "# Who may read what\nextends: agent\nname: fresh\n\
    columns:\n  deny:\n    # nobody\n    - shop.orders.secret\n\
    relations:\n  deny:\n    - shop.hidden\n";

const SCHEMA: [&str; 8] = [
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.customers (id int PRIMARY KEY, name text UNIQUE, code int UNIQUE)",
    "CREATE TABLE shop.orders (id int PRIMARY KEY, customer int REFERENCES shop.customers, \
     other int REFERENCES shop.customers (code), total numeric, secret text)",
    "CREATE TABLE shop.hidden (id int)",
    "CREATE INDEX ON shop.orders (customer)",
    "CREATE INDEX ON shop.orders (total)",
    "CREATE FUNCTION shop.one() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'",
    "CREATE FUNCTION shop.two() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2'",
];

/// The same objects, made in another order.
const SAME_SCHEMA: [&str; 12] = [
    "CREATE SCHEMA shop",
    "CREATE FUNCTION shop.two() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2'",
    "CREATE TABLE shop.orders (id int, customer int, other int, total numeric, secret text)",
    "CREATE INDEX ON shop.orders (total)",
    "CREATE TABLE shop.customers (id int, name text, code int UNIQUE)",
    "ALTER TABLE shop.customers ADD UNIQUE (name)",
    "ALTER TABLE shop.customers ADD PRIMARY KEY (id)",
    "ALTER TABLE shop.orders ADD FOREIGN KEY (other) REFERENCES shop.customers (code), \
     ADD FOREIGN KEY (customer) REFERENCES shop.customers",
    "ALTER TABLE shop.orders ADD PRIMARY KEY (id)",
    "CREATE INDEX ON shop.orders (customer)",
    "CREATE FUNCTION shop.one() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'",
    "CREATE TABLE shop.hidden (id int)",
];

fn database(schema: &[&str]) -> Stack {
    let stack = Stack::start(Options::default());
    stack.prepare(schema);
    let usage = format!("GRANT USAGE ON SCHEMA shop TO {READER}");
    let select = format!("GRANT SELECT ON ALL TABLES IN SCHEMA shop TO {READER}");
    stack.prepare(&[&usage, &select]);
    fs::write(stack.folder().join("fresh.yaml"), POLICY).unwrap();
    stack
}

fn ground(stack: &Stack, arguments: &[&str]) -> (String, Option<i32>) {
    let url = stack.direct_url(READER);
    let policy = stack.folder().join("fresh.yaml").display().to_string();
    let all = [
        &["ground", "--upstream", &url, "--policy", &policy],
        arguments,
    ]
    .concat();
    let output = pgsieve(&all, "");
    let both = [output.stdout, output.stderr].concat();
    (String::from_utf8(both).unwrap(), output.status.code())
}

fn version_of(text: &str) -> String {
    let whole: Value = serde_json::from_str(text).unwrap();
    whole["grounding_version"].as_str().unwrap().to_owned()
}

#[test]
fn a_stale_grounding_is_noticed_and_says_what_changed() {
    let stack = database(&SCHEMA);
    let (before, _) = ground(&stack, &["--format", "json"]);
    let version = version_of(&before);
    let file = stack.folder().join("before.json");
    fs::write(&file, &before).unwrap();
    let since = file.display().to_string();
    let check = |version: &str| ground(&stack, &["--check", version, "--since", &since]);
    let is_fresh = |what: &str| {
        assert_eq!(check(&version), ("fresh\n".to_owned(), Some(0)), "{what}");
    };
    is_fresh("nothing changed");
    fs::write(stack.folder().join("fresh.yaml"), SAME_POLICY).unwrap();
    is_fresh("the policy is written otherwise");
    stack.prepare(&[
        "INSERT INTO shop.customers SELECT n, 'name ' || n, n FROM generate_series(1, 500) n",
        "ANALYZE",
    ]);
    is_fresh("there are more rows");
    stack.prepare(&[
        "ALTER TABLE shop.hidden ADD COLUMN canary int",
        "ALTER TABLE shop.orders RENAME secret TO canary",
        "ALTER TABLE shop.orders RENAME canary TO secret",
        "COMMENT ON COLUMN shop.orders.secret IS 'canary'",
    ]);
    is_fresh("what changed is hidden");
    stack.prepare(&["COMMENT ON TABLE shop.orders IS 'what was bought'"]);
    let (said, status) = check(&version);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("no relation, column or type changed"),
        "{said}"
    );
    stack.prepare(&[
        "ALTER TABLE shop.orders RENAME total TO amount",
        "ALTER TABLE shop.orders ALTER other TYPE bigint",
        "ALTER TABLE shop.customers RENAME TO buyers",
        "ALTER TABLE shop.hidden RENAME TO canary",
    ]);
    fs::write(
        stack.folder().join("fresh.yaml"),
        POLICY.replace("shop.hidden", "shop.canary"),
    )
    .unwrap();
    let (said, status) = check(&version);
    assert_eq!(status, Some(1), "{said}");
    for line in [
        "renamed, probably: shop.customers to shop.buyers",
        "renamed, probably: shop.orders.total to amount",
        "retyped shop.orders.other: integer to bigint",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(!said.contains("canary"), "{said}");
    assert_eq!(
        check("0000000000000000").1,
        Some(2),
        "another version's file"
    );
    fs::write(&file, "{").unwrap();
    let (said, status) = check(&version);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("is no grounding in JSON"), "{said}");
}

#[test]
fn what_was_made_in_another_order_is_told_in_the_same() {
    let told = |schema: &[&str]| {
        let stack = database(schema);
        let arguments = ["--facets", "all", "--format", "json"];
        let (text, _) = ground(&stack, &arguments);
        assert_eq!(text, ground(&stack, &arguments).0);
        let whole: Value = serde_json::from_str(&text).unwrap();
        (whole["relations"].clone(), whole["functions"].clone())
    };
    assert_eq!(told(&SCHEMA), told(&SAME_SCHEMA));
}

#[test]
fn wrong_flags_are_told_and_fail() {
    let stack = database(&SCHEMA);
    for (arguments, said) in [
        (&["--facets", "tabels"][..], "there is no facet \"tabels\""),
        (&["--facets", "fk:99"], "foreign_keys:0 to"),
        (&["--format", "yaml"], "markdown, m-schema, ddl, json"),
        (&["--budget", "many"], "--budget"),
        (&["--budget", "10"], "is too small"),
        (&["--since", "x"], "--check"),
        (
            &["--relation", "shop.nothing"],
            "may read no relation shop.nothing",
        ),
    ] {
        let (text, status) = ground(&stack, arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
    let mut last = 0;
    for budget in (200..900).step_by(50) {
        let (text, status) = ground(
            &stack,
            &["--facets", "all", "--budget", &budget.to_string()],
        );
        if status == Some(0) {
            assert!(text.len() * 2 <= budget * 7, "{budget}: {}", text.len());
            assert!(text.matches("shop.").count() >= last, "{budget}: {text}");
            last = text.matches("shop.").count();
        }
    }
    assert!(last > 0);
}
