//! `pgsieve policy suggest` over an audit that pgsieve has just written: what ran goes on to run.

use std::fs;

use serde_json::{Value, json};

use crate::support::command::pgsieve;
use crate::support::raw::kinds;
use crate::support::{ADMIN, Options, RawClient, Stack, until};

/// What a DBA reads who is a superuser.
const READ: [&str; 16] = [
    "SELECT name FROM shop.customers",
    "TABLE shop.products",
    "SELECT 1 FROM shop.customers c JOIN shop.orders o ON o.customer_id = c.id",
    "SELECT rolname FROM pg_authid",
    "SELECT rolpassword IS NULL FROM pg_catalog.pg_shadow, pg_authid LIMIT 1",
    "SELECT table_name FROM information_schema.tables",
    "SELECT count(*) FROM pg_stat_activity",
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class",
    "SELECT count(*) FROM pg_statistic",
    "SELECT chunk_seq FROM pg_toast.pg_toast_2618 LIMIT 1",
    "EXPLAIN SELECT * FROM shop.addresses",
    "SELECT a FROM private.his",
    "SELECT \"B\" FROM public.\"Odd.name\"",
    "SELECT private.twice(2)",
    "SET enable_seqscan = off",
    "SHOW work_mem",
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_a_superuser_has_read_runs_under_what_is_suggested_of_it() {
    let stack = Stack::start(Options {
        policy: Some("observe"),
        shop: true,
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE SCHEMA private",
        "CREATE TABLE private.his (a int)",
        "CREATE TABLE public.\"Odd.name\" (\"B\" int)",
        "CREATE TABLE public.\"wild*\" (a int)",
        "CREATE FUNCTION private.twice(int) RETURNS int LANGUAGE plpgsql IMMUTABLE \
         AS 'BEGIN RETURN 2 * $1; END'",
    ]);
    let login = stack.login(ADMIN);
    let mut client = RawClient::login(stack.proxied_address(), &login);
    let known = until(|| {
        let answer = kinds(&client.query("SELECT a FROM private.his"));
        (!answer.contains('E')).then_some(())
    });
    assert!(known.is_some(), "the catalog knows the table");
    for statement in READ {
        let answer = client.query(statement);
        assert!(!kinds(&answer).contains('E'), "{statement}: {answer:?}");
    }
    assert!(!kinds(&client.query("SELECT a FROM public.\"wild*\"")).contains('E'));
    assert!(kinds(&client.query("DELETE FROM shop.customers")).contains('E'));
    drop(client);
    stack.audited(|event| event["event"] == "connection_closed" && event["user"] == ADMIN);
    let audit = stack.audit_path().display().to_string();
    let url = stack.direct_url(ADMIN);
    let suggested = pgsieve(
        &["policy", "suggest", "--upstream", &url, "--from", &audit],
        "",
    );
    let left_out = text(&suggested.stderr);
    assert_eq!(suggested.status.code(), Some(0), "{left_out}");
    for wanted in [
        "relation public.\"wild*\" has a * in its name: it is left out",
        "  refused by write_statement",
        "relations of the server's own",
        "relation pg_catalog.pg_statistic holds data, texts or secrets of others",
        "pg_catalog.pg_authid: column rolpassword holds data",
    ] {
        assert!(left_out.contains(wanted), "{wanted}: {left_out}");
    }
    let file = stack.folder().join("suggested.yaml").display().to_string();
    fs::write(&file, &suggested.stdout).unwrap();
    let questions: String = READ
        .iter()
        .chain(&[
            "SELECT email FROM shop.employees",
            "SELECT a FROM public.\"wild*\"",
        ])
        .map(|sql| json!({"id": sql, "sql": sql}).to_string() + "\n")
        .collect();
    let judged = pgsieve(
        &["check", "--jsonl", "--policy", &file, "--upstream", &url],
        &questions,
    );
    let mut refused = Vec::new();
    for line in text(&judged.stdout).lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["verdict"] == "refuse" {
            refused.push(line["id"].as_str().unwrap().to_owned());
        }
    }
    // What a superuser may read past pgsieve, and nobody under a policy with a list.
    let wanted = [
        "SELECT rolpassword IS NULL FROM pg_catalog.pg_shadow, pg_authid LIMIT 1",
        "SELECT count(*) FROM pg_statistic",
        "SELECT chunk_seq FROM pg_toast.pg_toast_2618 LIMIT 1",
        "SELECT email FROM shop.employees",
        "SELECT a FROM public.\"wild*\"",
    ];
    assert_eq!(refused, wanted, "{}", text(&suggested.stdout));
}
