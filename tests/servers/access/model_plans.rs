//! Models keep the indexes and partitions of their tables: in what EXPLAIN shows, and in the plans
//! of prepared statements, generic and custom ones, which the server's statistics tell of. A
//! condition that could tell of a row uses none of them.

use crate::support::raw::{kinds, rows};
use crate::support::{ADMIN, READER, RawClient, Stack, frames, until};
use crate::versions::on_every_version;

on_every_version!(explain_shows_the_indexes, explained, on_13 13, on_15 15, on_18 18);
on_every_version!(prepared_statements_use_the_indexes, prepared, on_13 13, on_15 15, on_18 18);

fn explained(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for case in CASES {
        let plan = plan(&mut client, case.statement);
        for part in case.used {
            assert!(
                plan.contains(part),
                "no {part} for {}: {plan}",
                case.statement
            );
        }
        for part in case.unused {
            assert!(
                !plan.contains(part),
                "{part} for {}: {plan}",
                case.statement
            );
        }
    }
    // Without a model the index of totals is used.
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let plan = plan(&mut direct, "SELECT id FROM shop.orders WHERE total = 8");
    assert!(plan.contains("orders_total"), "{plan}");
}

/// What is scanned and how often, of statements that run in a session that ends: only then are the
/// numbers certain to be there.
fn prepared(version: u32) {
    let Some(stack) = start(version) else { return };
    for mode in ["force_custom_plan", "force_generic_plan"] {
        for (statement, arguments, types, wanted) in PREPARED {
            let before = scans(&stack);
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
            let set = client.query(&format!("SET plan_cache_mode = {mode}"));
            assert!(!kinds(&set).contains('E'), "{set:?}");
            let values: Vec<Option<&str>> = arguments.iter().copied().map(Some).collect();
            for turn in 0..3 {
                // Within a fence no parameter of the command PREPARE is evaluated.
                let answer = match turn {
                    0 if !statement.contains("total > 1") => {
                        client.query(&format!("PREPARE p({types}) AS {statement}"));
                        client.query(&format!("EXECUTE p('{}')", arguments.join("', '")))
                    }
                    _ => {
                        client.send(&frames::extended(statement, &values, false));
                        client.until_ready()
                    }
                };
                assert!(kinds(&answer).contains('D'), "{statement}: {answer:?}");
            }
            drop(client);
            let scanned = until(|| {
                let scanned = more(&before, &scans(&stack));
                let is_there = |(name, times): &(&str, i64)| {
                    let mut scanned = scanned.iter();
                    scanned.any(|(own, more)| own == name && more >= times)
                };
                wanted.iter().all(is_there).then_some(scanned)
            });
            let scanned = scanned.unwrap_or_else(|| {
                panic!("{mode}, {statement}: {:?}", more(&before, &scans(&stack)))
            });
            let tables = scanned.iter().map(|(name, _)| name.as_str());
            let mut tables = tables.filter(|name| name.starts_with("table "));
            let is_wanted = |name: &str| wanted.iter().any(|(own, _)| *own == name);
            assert!(tables.all(is_wanted), "{mode}, {statement}: {scanned:?}");
        }
    }
}

/// What was scanned more often, and by how much.
fn more(before: &[(String, i64)], now: &[(String, i64)]) -> Vec<(String, i64)> {
    let both = now.iter().zip(before);
    let more = both.map(|((name, now), (_, before))| (name.clone(), now - before));
    more.filter(|(_, more)| *more > 0).collect()
}

/// How often each table and index was scanned so far, by name.
fn scans(stack: &Stack) -> Vec<(String, i64)> {
    let mut client = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let answer = client.query(
        "SELECT 'table ' || relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'shop' UNION ALL \
         SELECT indexrelname, idx_scan FROM pg_stat_user_indexes WHERE schemaname = 'shop' ORDER BY 1",
    );
    let rows = rows(&answer).into_iter();
    rows.map(|row| {
        let (name, times) = row.split_once('|').unwrap();
        (name.to_owned(), times.parse().unwrap_or(0))
    })
    .collect()
}

fn plan(client: &mut RawClient, statement: &str) -> String {
    let answer = client.query(&format!("EXPLAIN {statement}"));
    assert!(!kinds(&answer).contains('E'), "{statement}: {answer:?}");
    rows(&answer).join("\n")
}

fn start(version: u32) -> Option<Stack> {
    Stack::under_policy(
        version,
        POLICY,
        SCHEMA,
        "SELECT id FROM shop.last WHERE id = 8",
    )
}

/// A statement, and what its plan has and has not.
struct Case {
    statement: &'static str,
    used: &'static [&'static str],
    unused: &'static [&'static str],
}

const fn case(
    statement: &'static str,
    used: &'static [&'static str],
    unused: &'static [&'static str],
) -> Case {
    Case {
        statement,
        used,
        unused,
    }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("SELECT id, total FROM shop.orders WHERE id = 8", &["Index Scan using orders_pkey"], &["Seq Scan", "Subquery Scan"]),
    case("SELECT id, total FROM shop.orders WHERE id IN (8, 10)", &["orders_pkey"], &["Seq Scan"]),
    case("SELECT id, total FROM shop.orders ORDER BY id LIMIT 3", &["Index Scan using orders_pkey"], &["Sort", "Seq Scan"]),
    // By pattern.
    case("SELECT id FROM shop.last WHERE id = 8", &["last_pkey"], &["Seq Scan"]),
    // One partition.
    case("SELECT count(*) FROM shop.events WHERE day >= '2024-02-05' AND day < '2024-02-06'", &["events_2"], &["events_1 ", "events_3 "]),
    case("SELECT id FROM shop.events WHERE day = '2024-03-05'", &["events_3"], &["events_1 ", "events_2 "]),
    // Joins on a key.
    case(
        "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c ON c.id = o.customer WHERE o.id = 8",
        &["Index Scan using orders_pkey", "Index Scan using customers_pkey"], &["Seq Scan", "Subquery Scan"],
    ),
    case(
        "SELECT c.name, count(*) FROM shop.customers c JOIN shop.orders o ON o.customer = c.id WHERE c.id = 8 GROUP BY c.name",
        &["customers_pkey", "orders_customer"], &["Seq Scan", "Subquery Scan"],
    ),
    // What may tell of a row stays outside of the fence, and what may not goes within.
    case("SELECT id FROM shop.orders WHERE total = 8", &["Subquery Scan", "Seq Scan"], &["orders_total"]),
    case("SELECT id FROM shop.orders WHERE 1 / id = 1", &["Subquery Scan", "Seq Scan"], &["orders_pkey"]),
    case("SELECT id FROM shop.orders WHERE id = 8 AND total > 1", &["Subquery Scan", "orders_pkey"], &["Seq Scan"]),
    case(
        "SELECT id FROM shop.events WHERE day = '2024-02-05' AND 1 / id > 0", &["Subquery Scan", "events_2"], &["events_1 ", "events_3 "],
    ),
    case(
        "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c ON c.id = o.customer WHERE o.id = 8 AND o.total > 1",
        &["Subquery Scan", "orders_pkey"], &["customers_pkey"],
    ),
];

/// Statements with parameters, their values and types, and what is scanned by three of each.
type PreparedCase = (
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static [(&'static str, i64)],
);

#[rustfmt::skip]
const PREPARED: &[PreparedCase] = &[
    ("SELECT id, total FROM shop.orders WHERE id = $1", &["8"], "int", &[("orders_pkey", 3)]),
    ("SELECT id FROM shop.last WHERE id = $1", &["8"], "int", &[("last_pkey", 3)]),
    ("SELECT count(*) FROM shop.events WHERE day >= $1 AND day < $2", &["2024-02-05", "2024-02-06"], "date, date", &[("table events_2", 3)]),
    (
        "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c ON c.id = o.customer WHERE o.id = $1", &["8"], "int",
        &[("customers_pkey", 3), ("orders_pkey", 3)],
    ),
    ("SELECT id FROM shop.orders WHERE total = $1", &["8"], "numeric", &[("table orders", 3)]),
    ("SELECT id FROM shop.orders WHERE id = $1 AND total > 1", &["8"], "int", &[("orders_pkey", 3)]),
];

const POLICY: &str = "name: indexed
extends: bi
catalog: required
relations: {allow: [shop.last]}
rows: {shop.last: 'tenant = :user'}
models:
  shop.orders: {sql: 'SELECT * FROM shop.orders WHERE tenant = :user'}
  shop.customers: {sql: 'SELECT * FROM shop.customers WHERE tenant = :user'}
  shop.events: {sql: 'SELECT * FROM shop.events WHERE tenant = :user'}
";

const SCHEMA: &str = include_str!("../../data/schemas/model_plans.sql");
