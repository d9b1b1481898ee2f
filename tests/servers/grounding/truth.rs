//! What is told is what the server says.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{grounding, told_database};
use crate::support::sql::{block_on, rows};
use crate::support::{ADMIN, READER};

fn told(arguments: &[&str]) -> Value {
    let text = grounding(&[&["--format", "json"], arguments].concat());
    serde_json::from_str(&text).unwrap()
}

fn relation<'v>(whole: &'v Value, name: &str) -> &'v Value {
    let mut all = whole["relations"].as_array().unwrap().iter();
    let found = all.find(|relation| relation["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {whole}"))
}

#[test]
fn columns_and_types_are_those_that_the_server_describes() {
    let whole = told(&["--facets", "columns"]);
    let (stack, _) = told_database();
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    block_on(async {
        let client = stack.direct(ADMIN).await;
        let text = "SELECT attrelid::regclass::text, attname, \
               format_type(atttypid, atttypmod), attnotnull FROM pg_attribute \
             WHERE attrelid = ANY ('{shop.customers,shop.orders,shop.names}'::regclass[]) \
               AND attnum > 0 AND attname !~ 'canary' ORDER BY attrelid, attnum";
        for row in rows(&client, text).await {
            let [relation, name, data_type, not_null] = &row[..] else {
                panic!("{row:?}");
            };
            let column = format!("{name} {data_type} {not_null}");
            seen.entry(relation.clone()).or_default().push(column);
        }
    });
    for (name, columns) in seen {
        let plain = name.trim_start_matches("shop.");
        let own = relation(&whole, plain)["columns"]
            .as_array()
            .unwrap()
            .iter();
        let own = own.map(|column| {
            let name = column["name"].as_str().unwrap().trim_matches('"');
            let not_null = if column["not_null"] == true { "t" } else { "f" };
            format!("{name} {} {not_null}", column["type"].as_str().unwrap())
        });
        assert_eq!(own.collect::<Vec<_>>(), columns, "{name}");
    }
}

#[test]
fn each_facet_tells_what_is_there() {
    let whole = told(&["--facets", "all"]);
    let customers = relation(&whole, "customers");
    assert_eq!(customers["kind"], "table");
    assert_eq!(customers["comment"], "Who buys");
    assert_eq!(customers["rows"], 500);
    assert_eq!(customers["primary_key"][0], "id");
    assert_eq!(customers["unique_keys"].as_array().unwrap().len(), 1);
    assert_eq!(customers["columns"][2]["labels"][1], "it's loud");
    assert_eq!(customers["columns"][3]["name"], "\"Signed up\"");
    assert_eq!(customers["columns"][4]["comment"], "in euros");
    let orders = relation(&whole, "orders");
    assert_eq!(orders["foreign_keys"].as_array().unwrap().len(), 1);
    assert_eq!(orders["foreign_keys"][0]["to"], "shop.customers");
    assert_eq!(orders["indexes"][1]["columns"][0], "state");
    let state = &orders["columns"][2];
    assert_eq!(state["name"], "state");
    assert_eq!(state["samples"], serde_json::json!(["open", "paid"]));
    assert_eq!(orders["columns"][3]["is_generated"], true);
    let names = relation(&whole, "names");
    assert_eq!(
        (names["kind"].as_str(), names["rows"].as_u64()),
        (Some("view"), None)
    );
    let revenue = relation(&whole, "revenue");
    assert_eq!(revenue["kind"], "model");
    assert_eq!(revenue["comment"], "Amounts by region");
    assert_eq!(revenue["columns"][1]["type"], "numeric(12,2)");
    assert_eq!(revenue["columns"][1]["comment"], "in euros");
    let functions = whole["functions"].as_array().unwrap();
    assert_eq!(functions[0]["signature"], "shop.tax(numeric)");
    assert!(whole["server"]["version"].as_str().unwrap().contains('.'));
    // What a mask or a model gives is of the type that is read.
    let people = relation(&whole, "people");
    assert_eq!(people["columns"][1]["type"], "text");
    assert_eq!(
        relation(&whole, "covered")["columns"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        relation(&whole, "partly")["columns"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn statistics_are_told_of_what_hides_nothing() {
    let whole = told(&["--facets", "columns,tables,statistics"]);
    let column = |name: &str, place: usize| relation(&whole, name)["columns"][place].clone();
    assert_eq!(column("secured", 1)["statistics"], Value::Null);
    assert_eq!(column("customers", 1)["statistics"], Value::Null);
    assert_eq!(relation(&whole, "secured")["rows"], Value::Null);
    assert_eq!(relation(&whole, "filtered")["rows"], Value::Null);
}

#[test]
fn relations_bring_their_neighbours_and_budgets_hold() {
    let whole = told(&[
        "--relation",
        "shop.orders",
        "--facets",
        "tables,columns,fk:0",
    ]);
    assert_eq!(whole["relations"].as_array().unwrap().len(), 1);
    let whole = told(&["--relation", "shop.orders"]);
    assert_eq!(whole["relations"].as_array().unwrap().len(), 2);
    let text = grounding(&["--facets", "all", "--budget", "400"]);
    assert!(text.len() <= 1_400, "{}", text.len());
    assert!(text.contains("Left out: "), "{text}");
    assert_eq!(text, grounding(&["--facets", "all", "--budget", "400"]));
}

#[test]
fn everybody_is_told_their_own() {
    let (stack, policy) = told_database();
    let policy = policy.display().to_string();
    let told = |role: &str| {
        let url = stack.direct_url(ADMIN);
        let arguments = [
            "ground",
            "--upstream",
            &url,
            "--policy",
            &policy,
            "--role",
            role,
        ];
        let output = crate::support::command::pgsieve(&arguments, "");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!told(READER).contains("ungranted"));
    assert!(told(ADMIN).contains("## shop.partly"));
}
