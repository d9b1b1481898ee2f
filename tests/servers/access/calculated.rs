//! Calculated columns of models: what is read is what SQL written by hand gives, no row is
//! multiplied, and nothing hidden is read along a relationship.

use std::fs;

use pgsieve::demo::cluster::random_name;

use crate::support::command::pgsieve;
use crate::support::raw::{kinds, rows};
use crate::support::{Options, READER, RawClient, Stack, until};
use crate::versions::on_every_version;

const POLICY: &str = r#"
name: calculated
extends: bi
columns: {deny: [shop.staff.pin], mask: {shop.people.motto: null}}
relations: {deny: [shop.vault]}
rows: {shop.parts: "id < 3"}
knowledge:
  relationship:
    customer: {from: "shop.orders(customer_no)", to: "shop.customers(no)"}
    region: {from: "shop.orders(region_no, kind)", to: "shop.\"Regions\"(no, \"Kind\")"}
    price: {from: "shop.orders(id)", to: "shop.prices(order_id)"}
    owner: {from: "shop.items(owner)", to: "shop.customers(no)"}
    first: {from: "shop.recent(customer_no)", to: "shop.customers(no)"}
    person: {from: "shop.bad_column(id)", to: "shop.staff(id)"}
    masked: {from: "shop.bad_mask(id)", to: "shop.people(id)"}
    vault: {from: "shop.bad_relation(id)", to: "shop.vault(id)"}
    part: {from: "shop.bad_rows(id)", to: "shop.parts(id)"}
    item: {from: "shop.bad_model(id)", to: "shop.items(id)"}
    self: {from: "shop.bad_self(id)", to: "shop.bad_self(id)"}
models:
  shop.orders:
    sql: SELECT id, total, refunded, customer_no, region_no, kind, note FROM shop.orders
    columns:
      id: a number
      net: {expression: total - refunded, about: what is left of it}
      customer_name: {expression: "upper(customer.name)"}
      named: {expression: "coalesce(customer.name, 'nobody')"}
      both: {expression: "customer.note || note || region.label"}
      price: {expression: price.amount}
      mine: {expression: "kind || :user"}
      size: {expression: "CASE WHEN total > 15 THEN 'large' ELSE 'small' END"}
  shop.items:
    sql: SELECT id, owner, weight FROM shop.items WHERE tenant = :user
    columns:
      double: {expression: weight * 2}
      owner_name: {expression: owner.name}
  shop.recent:
    new: true
    sql: SELECT order_id AS customer_no, count(*) AS orders FROM shop.prices GROUP BY order_id
    columns: {line: {expression: "first.name || ': ' || orders"}}
  shop.bad_column: {new: true, sql: SELECT 1 AS id, columns: {x: {expression: person.pin}}}
  shop.bad_mask: {new: true, sql: SELECT 1 AS id, columns: {x: {expression: masked.motto}}}
  shop.bad_relation: {new: true, sql: SELECT 1 AS id, columns: {x: {expression: vault.word}}}
  shop.bad_rows: {new: true, sql: SELECT 3 AS id, columns: {x: {expression: part.word}}}
  shop.bad_model: {new: true, sql: SELECT 1 AS id, columns: {x: {expression: item.weight}}}
  shop.bad_self:
    sql: SELECT id FROM shop.bad_self WHERE id < 3
    columns: {x: {expression: self.word}}
"#;

const SCHEMA: &str = r#"
CREATE SCHEMA shop;
CREATE TABLE shop.customers (no int, name text, note text);
CREATE TABLE shop."Regions" (no int, "Kind" text, label text);
CREATE TABLE shop.prices (order_id int, amount int);
CREATE TABLE shop.orders (id int PRIMARY KEY, total numeric, refunded numeric, customer_no int,
    region_no int, kind text, note text);
CREATE TABLE shop.items (id int PRIMARY KEY, owner int, weight int, tenant text);
CREATE TABLE shop.people (id int, motto text);
CREATE TABLE shop.staff (id int, pin text);
CREATE TABLE shop.vault (id int, word text);
CREATE TABLE shop.parts (id int, word text);
CREATE TABLE shop.bad_self (id int, word text);
INSERT INTO shop.customers VALUES (1, 'ann', 'x'), (2, 'bob', NULL), (3, 'cy', 'z');
INSERT INTO shop."Regions" VALUES (1, 'a', 'north'), (1, 'b', 'south');
INSERT INTO shop.prices VALUES (1, 5), (2, 6), (3, 7), (3, 8);
INSERT INTO shop.orders VALUES (1, 10, 1, 1, 1, 'a', 'p'), (2, 20, NULL, 2, 1, 'b', 'q'),
    (3, 30, 3, 9, 1, 'c', 'r'), (4, 40, 4, NULL, NULL, NULL, NULL), (5, 50, 5, 1, 1, 'b', 't');
INSERT INTO shop.items SELECT n, n % 4, n, CASE WHEN n % 2 = 0 THEN 'reader' ELSE 'CANARY' END
    FROM generate_series(1, 20) n;
INSERT INTO shop.people VALUES (1, 'CANARY');
INSERT INTO shop.staff VALUES (1, 'CANARY');
INSERT INTO shop.vault VALUES (1, 'CANARY');
INSERT INTO shop.parts VALUES (3, 'CANARY');
INSERT INTO shop.bad_self VALUES (1, 'CANARY');
ANALYZE;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC;
"#;

/// What is read through pgsieve, and what is written by hand.
#[rustfmt::skip]
const SAME: &[(&str, &str)] = &[
    ("SELECT id, net FROM shop.orders ORDER BY id", "SELECT id, total - refunded FROM shop.orders ORDER BY id"),
    ("SELECT id, customer_name, named FROM shop.orders ORDER BY 1",
     "SELECT id, upper(name), coalesce(name, 'nobody') FROM shop.orders LEFT JOIN shop.customers ON no = customer_no ORDER BY 1"),
    ("SELECT id, \"both\" FROM shop.orders ORDER BY 1",
     "SELECT id, c.note || o.note || r.label FROM shop.orders o LEFT JOIN shop.customers c ON c.no = customer_no \
      LEFT JOIN shop.\"Regions\" r ON (r.no, r.\"Kind\") = (region_no, kind) ORDER BY 1"),
    ("SELECT count(*), count(net), max(customer_name) FROM shop.orders", "SELECT 5, 4, 'BOB'"),
    ("SELECT o.id FROM shop.orders o WHERE o.net > 8 AND o.customer_name IS NULL ORDER BY 1", "VALUES (3), (4)"),
    ("SELECT customer_name, sum(net) FROM shop.orders GROUP BY customer_name ORDER BY 1",
     "SELECT upper(name), sum(total - refunded) FROM shop.orders LEFT JOIN shop.customers ON no = customer_no GROUP BY 1 ORDER BY 1"),
    ("SELECT id, mine FROM shop.orders ORDER BY 1", "SELECT id, kind || 'reader' FROM shop.orders ORDER BY 1"),
    ("SELECT size, count(*) FROM shop.orders GROUP BY size ORDER BY 1", "VALUES ('large', 4), ('small', 1)"),
    ("SELECT id, price FROM shop.orders WHERE id < 3 ORDER BY 1", "VALUES (1, 5), (2, 6)"),
    ("SELECT i.id, double, owner_name FROM shop.items i ORDER BY id DESC LIMIT 3",
     "VALUES (20, 40, NULL), (18, 36, 'bob'), (16, 32, NULL)"),
    ("SELECT id FROM shop.items WHERE 1 / (double - 14) > -5 AND id < 7 ORDER BY 1", "VALUES (2), (4), (6)"),
    ("SELECT line FROM shop.recent ORDER BY 1", "VALUES ('ann: 1'), ('bob: 1'), ('cy: 2')"),
    ("SELECT a.id, b.double FROM shop.orders a JOIN shop.items b ON b.double = a.net - 1 ORDER BY 1",
     "SELECT o.id, i.weight * 2 FROM shop.orders o JOIN shop.items i ON i.weight * 2 = total - refunded - 1 \
      AND tenant = 'reader' ORDER BY 1"),
    ("SELECT count(*) FROM shop.orders x, LATERAL (SELECT x.net) y WHERE y.net IS NOT NULL", "SELECT 4"),
    ("SELECT * FROM shop.items WHERE id = 2", "SELECT 2, 2, 2, 4, 'bob'"),
];

fn calculated_on(version: u32) {
    let Some((stack, path)) = stack(version) else {
        return;
    };
    let mut through = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    for (text, by_hand) in SAME {
        let (found, wanted) = (through.query(text), direct.query(by_hand));
        assert_eq!(rows(&found), rows(&wanted), "{text}: {found:?}");
        assert!(kinds(&wanted).contains('D'), "{by_hand}: {wanted:?}");
    }
    let twice = through.query("SELECT price FROM shop.orders");
    let error = twice.iter().find(|frame| frame.kind == b'E').unwrap();
    assert_eq!(error.sqlstate(), "21000");
    for name in ["column", "mask", "relation", "rows", "model", "self"] {
        for text in [
            format!("SELECT x FROM shop.bad_{name}"),
            format!("SELECT id FROM shop.bad_{name}"),
        ] {
            let answer = through.query(&text);
            let error = answer.iter().find(|frame| frame.kind == b'E');
            let error = error.unwrap_or_else(|| panic!("{text}: {answer:?}"));
            assert_eq!(error.sqlstate(), "42501", "{text}: {error:?}");
            assert!(!format!("{answer:?}").contains("CANARY"), "{answer:?}");
        }
    }
    told(&stack, &path);
}

/// What is told of them beside statements.
fn told(stack: &Stack, path: &str) {
    let url = stack.direct_url(READER);
    let run = |arguments: &[&str]| {
        let output = pgsieve(arguments, "");
        let texts = [output.stdout, output.stderr];
        texts.map(|text| String::from_utf8(text).unwrap()).concat()
    };
    let checked = run(&["policy", "check", path, "--upstream", &url]);
    for wanted in [
        "its column x reads shop.staff.pin, which the policy hides",
        "its column x reads shop.people, of which a model, a mask or a condition on rows holds",
        "its column x reads shop.vault, which the policy hides",
        "its column x reads shop.bad_self, of which",
    ] {
        assert!(checked.contains(wanted), "{checked}");
    }
    let sql = "SELECT net FROM shop.orders";
    let explained = run(&["policy", "explain", path, "--sql", sql, "--upstream", &url]);
    for wanted in [
        "and calculates net, customer_name, named",
        "a model calculates one of this name",
    ] {
        assert!(explained.contains(wanted), "{explained}");
    }
    for (format, wanted) in [
        ("markdown", "net numeric calculated: what is left of it"),
        ("ddl", "calculated; what is left of it"),
        ("m-schema", "(net:NUMERIC, Calculated, what is left of it)"),
        ("json", "\"is_calculated\""),
    ] {
        let grounded = run(&[
            "ground",
            "--upstream",
            &url,
            "--policy",
            path,
            "--format",
            format,
        ]);
        assert!(grounded.contains(wanted), "{format}: {grounded}");
        assert!(!grounded.contains("CANARY"), "{grounded}");
    }
}

fn stack(version: u32) -> Option<(Stack, String)> {
    let name = random_name().unwrap();
    let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
    fs::write(&path, POLICY).unwrap();
    let path = path.to_string_lossy().into_owned();
    let options = Options {
        arguments: vec!["--policy".into(), path.clone()],
        ..Options::default()
    };
    let stack = Stack::on_version_with(version, options)?;
    stack.prepare(&[SCHEMA]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    until(|| {
        let known = client.query("SELECT id, net FROM shop.orders");
        kinds(&known).contains('D').then_some(())
    })?;
    Some((stack, path))
}

on_every_version!(
    calculated_columns_are_what_is_written_by_hand,
    calculated_on,
    on_13 13,
    on_18 18
);
