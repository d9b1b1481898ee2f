//! Ways to what models hide, each by itself: nothing of it arrives, in rows or in errors.

use crate::access::models::shop::{self, session, shows_hidden};
use crate::support::raw::Frame;
use crate::support::{RawClient, frames};

#[test]
fn nothing_that_is_hidden_arrives() {
    let mut client = session(shop::stack());
    for text in WAYS {
        for answer in [client.query(text), extended(&mut client, text)] {
            assert!(!shows_hidden(&answer), "{text}: {answer:?}");
        }
    }
}

#[test]
fn plans_of_models_show_their_nodes_and_nothing_of_what_they_compare() {
    let mut client = session(shop::stack());
    let said = |answer: &[Frame]| {
        let rows = answer.iter().filter(|frame| frame.kind == b'D');
        let rows: Vec<_> = rows
            .map(|row| String::from_utf8_lossy(&row.body[6..]))
            .collect();
        rows.join("\n")
    };
    for (text, scans) in [
        ("SELECT * FROM orders WHERE id = 7", "orders"),
        (
            "SELECT count(*) FROM customers c WHERE c.x = 5 GROUP BY region",
            "customers",
        ),
        (
            "SELECT * FROM customers c LEFT JOIN orders o ON o.customer = c.id ORDER BY total",
            "o",
        ),
        (
            "WITH w AS MATERIALIZED (TABLE customers) SELECT max(w.x) FROM w, linked",
            "linking",
        ),
        (
            "SELECT (SELECT max(total) FROM orders o WHERE o.id = c.id) FROM customers c",
            "customers",
        ),
        ("(TABLE orders) UNION (TABLE orders)", "orders"),
    ] {
        for options in [
            "",
            "VERBOSE ",
            "(COSTS off, VERBOSE) ",
            "(SUMMARY, SETTINGS, BUFFERS) ",
            "(FORMAT json) ",
            "(FORMAT yaml, VERBOSE) ",
            "(FORMAT xml, SUMMARY) ",
        ] {
            let text = format!("EXPLAIN {options}{text}");
            for answer in [client.query(&text), extended(&mut client, &text)] {
                let said = said(&answer);
                assert!(
                    said.contains(scans) && said.contains("Scan"),
                    "{text}: {answer:?}"
                );
                for word in [
                    "tenant", "lower", "1000", "rows", "Rows", "cost", "Cost", "Filter", "7",
                ] {
                    assert!(!said.contains(word), "{word} of {text}: {said}");
                }
                assert_eq!(answer.iter().filter(|frame| frame.kind == b'C').count(), 1);
            }
        }
        let text = format!("EXPLAIN (FORMAT json) {text}");
        let said = said(&client.query(&text));
        serde_json::from_str::<serde_json::Value>(&said).expect(&said);
    }
    // Whose tables have no model are explained as ever.
    let said = said(&client.query("EXPLAIN SELECT * FROM plain WHERE id = 7"));
    assert!(
        said.contains("rows=") && said.contains("(id = 7)"),
        "{said}"
    );
}

#[test]
fn what_is_refused_is_refused_and_not_read() {
    let mut client = session(shop::stack());
    for text in REFUSED {
        for answer in [client.query(text), extended(&mut client, text)] {
            let error = answer.iter().find(|frame| frame.kind == b'E');
            let detail = error
                .and_then(|error| error.field(b'D'))
                .unwrap_or_default();
            assert!(detail.starts_with("rule: "), "{text}: {answer:?}");
            assert!(answer.iter().all(|frame| frame.kind != b'D'), "{text}");
            assert!(!shows_hidden(&answer), "{text}: {answer:?}");
        }
    }
}

#[test]
fn a_statement_that_was_prepared_for_other_values_does_not_run() {
    let mut client = session(shop::stack());
    client.query("PREPARE p AS SELECT count(*) FROM customers");
    client.send(
        &[
            frames::parse("s", "SELECT count(*) FROM customers"),
            frames::sync(),
        ]
        .concat(),
    );
    client.until_ready();
    let error = |answer: Vec<Frame>| {
        let error = answer.into_iter().find(|frame| frame.kind == b'E');
        error.map(|error| error.sqlstate())
    };
    let bound = [
        frames::bind("", "s", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ]
    .concat();
    for (set, wanted) in [
        ("SET jit = off", None),
        ("SET app.tenant = 'b'", Some("0A000")),
        ("SET app.tenant = 'a''\\'", None),
        ("RESET app.tenant", Some("0A000")),
    ] {
        client.query(set);
        assert_eq!(error(client.query("EXECUTE p")).as_deref(), wanted, "{set}");
        client.send(&bound);
        assert_eq!(error(client.until_ready()).as_deref(), wanted, "{set}");
    }
}

fn extended(client: &mut RawClient, text: &str) -> Vec<Frame> {
    client.send(&frames::extended(text, &[], false));
    client.until_ready()
}

/// They run, or Postgres or pgsieve says no.
const WAYS: &[&str] = &[
    "SELECT c::text FROM customers c",
    "SELECT row_to_json(c), to_jsonb(c), c FROM customers c",
    "SELECT (c).* FROM customers c",
    "SELECT ROW(c.*) FROM customers c",
    "SELECT ssn FROM customers",
    "SELECT customers.ssn, tenant FROM customers",
    "SELECT c.ssn FROM customers AS c (a, b, c, d, e, f, ssn)",
    "SELECT ctid, tableoid, xmin FROM customers",
    "SELECT email::int FROM customers",
    "SELECT 1 FROM customers WHERE note::int > 5",
    "SELECT 1 FROM customers WHERE (note || 'x')::int > 5",
    "SELECT 1 FROM orders WHERE secret::int = 1",
    "SELECT 1 FROM orders WHERE total::text::date IS NULL",
    "SELECT 100 / (x - 5) FROM customers",
    "SELECT 1 FROM customers WHERE 100 / (x - 5) > 1 AND id > 0",
    "SELECT 1 FROM customers c JOIN plain p ON 100 / (c.x - 5) = p.x",
    "SELECT max(note::int), min(email), string_agg(email, ',') FROM customers",
    "SELECT * FROM shop.customers ORDER BY 1",
    "TABLE shop.customers",
    "SELECT * FROM (TABLE customers) x (a, b, c) ORDER BY c",
    "SELECT customers.* FROM customers NATURAL JOIN (SELECT 'CANA' || 'RY' AS ssn) s",
    "SELECT count(*) FROM customers JOIN (SELECT 5 AS x) s USING (x)",
    "SELECT * FROM items ORDER BY price",
    "SELECT i.price FROM items i",
    "WITH x AS MATERIALIZED (SELECT * FROM customers) SELECT * FROM x, LATERAL (TABLE x) y",
    "SELECT json_agg(customers) FROM customers",
    "SELECT (SELECT array_agg(email) FROM customers)",
    "COPY (SELECT * FROM customers) TO STDOUT",
    "COPY customers TO STDOUT",
    "COPY shop.customers (id, email) TO STDOUT (FORMAT csv, FORCE_QUOTE (email))",
    "SELECT * FROM customers UNION ALL SELECT * FROM customers",
    "SELECT 'shop.customers'::regclass",
    "SELECT * FROM json_populate_recordset(NULL::shop.customers, '[]')",
    "SELECT most_common_vals FROM pg_stats WHERE schemaname = 'shop'",
    "SELECT * FROM pg_statistic LIMIT 5",
    "SELECT query FROM pg_stat_activity",
    "SELECT * FROM query_to_xml('SELECT * FROM shop.customers', true, true, '')",
    "SELECT table_to_xml('shop.customers', true, true, '')",
];

/// pgsieve itself says no.
const REFUSED: &[&str] = &[
    "EXPLAIN (ANALYZE, VERBOSE) TABLE customers",
    "SELECT * FROM ONLY customers",
    "SELECT * FROM customers TABLESAMPLE BERNOULLI (100)",
    "SELECT * FROM customers FOR SHARE",
    "COPY BINARY customers TO STDOUT",
    "LOCK TABLE customers IN ACCESS SHARE MODE",
    "SET search_path = lacks; TABLE customers",
];
