//! Models whose SELECT does more than read, by mistake of who wrote them: nothing of it runs.

use std::fs;

use serde_json::json;

use super::{Folder, Scene, TABLES, knows_tables, policy, policy_like_bi, told};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames};

#[test]
fn a_model_that_has_effects_is_refused() {
    let folder = Folder::new();
    for (number, sql) in MODELS.iter().enumerate() {
        let models = json!({ "shop.customers": { "sql": sql } }).to_string();
        let name = format!("m{number:02}");
        let edits = [
            ("models", models.as_str()),
            ("functions/allow", ALLOWED),
            ("foreign/servers", r#"["files", "papers"]"#),
        ];
        fs::write(folder.0.join(format!("{name}.yaml")), policy(&name, &edits)).unwrap();
    }
    fs::write(folder.0.join("z.yaml"), policy_like_bi("other").to_string()).unwrap();
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), folder.0.to_string_lossy().into_owned()],
        ..Options::default()
    });
    stack.prepare(TABLES);
    stack.prepare(EFFECTS);
    knows_tables(&stack);
    let before = state(&stack);
    let mut wrong = Vec::new();
    for (number, sql) in MODELS.iter().enumerate() {
        let scene = Scene {
            stack: &stack,
            name: format!("m{number:02}"),
        };
        for user in [APP, ADMIN] {
            let mut client = scene.session(user);
            for text in READS {
                for bytes in [frames::query(text), frames::extended(text, &[], false)] {
                    client.send(&bytes);
                    let answer = client.until_ready();
                    if !answer.iter().any(|frame| frame.kind == b'E') {
                        wrong.push(format!("{sql}, {text}: {}", told(&answer)));
                    }
                }
            }
            // The session goes on, and other tables with it.
            assert_eq!(
                told(&client.query("SELECT sum(id) FROM shop.orders")),
                "3",
                "{sql}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(state(&stack), before);
}

/// What the models would leave.
fn state(stack: &Stack) -> Vec<String> {
    let mut client = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let asked = STATE
        .iter()
        .map(|query| format!("{query}: {}", told(&client.query(query))));
    asked.collect()
}

const READS: &[&str] = &[
    "SELECT * FROM shop.customers",
    "SELECT count(*) FROM shop.customers",
    "PREPARE p AS SELECT 1 FROM shop.customers",
];

const MODELS: &[&str] = &[
    "SELECT nextval('shop.numbers') AS id",
    "SELECT id FROM customers WHERE nextval('shop.numbers') > 0",
    "SELECT setval('shop.numbers', 500) AS id",
    "SELECT pg_sleep(2)::text AS id",
    "SELECT lo_creat(-1) AS id",
    "SELECT lo_import('/etc/hostname') AS id",
    "SELECT lo_export(4711, 'exported') AS id",
    "SELECT pg_read_file('PG_VERSION') AS id",
    "SELECT pg_catalog.pg_ls_dir('.') AS id",
    "SELECT pg_advisory_lock(4711)::text AS id",
    "SELECT set_config('default_transaction_read_only', 'off', false) AS id",
    "SELECT set_config('transaction_read_only', 'off', false) AS id",
    "SELECT query_to_xml('DELETE FROM shop.orders', true, true, '')::text AS id",
    "SELECT pg_notify('canal', 'x')::text AS id",
    "SELECT pg_terminate_backend(pid) AS id FROM pg_stat_activity",
    "SELECT id FROM dblink('', 'DELETE FROM shop.orders') AS t (id int)",
    "SELECT shop.h() AS id",
    "SELECT shop.counts() AS id",
    "SELECT id FROM shop.counting",
    "SELECT (SELECT id FROM shop.counting LIMIT 1) AS id FROM customers",
    "SELECT id FROM customers TABLESAMPLE shop.sampler(1)",
    "SELECT txid_current() AS id",
    "SELECT pg_logical_emit_message(true, 'a', 'b')::text AS id",
    "SELECT version FROM shop.nothing_of_this_name",
];

/// Naming built-ins changes nothing.
const ALLOWED: &str = r#"["nextval", "pg_catalog.nextval", "setval", "pg_sleep", "lo_creat",
    "pg_catalog.lo_creat", "lo_import", "pg_read_file", "set_config", "query_to_xml", "shop.f"]"#;

const EFFECTS: &[&str] = &[
    "CREATE SEQUENCE shop.numbers",
    "GRANT ALL ON SEQUENCE shop.numbers TO PUBLIC",
    "CREATE FUNCTION shop.counts() RETURNS bigint LANGUAGE sql VOLATILE AS \
     $$ SELECT nextval('shop.numbers') $$",
    "CREATE VIEW shop.counting AS SELECT shop.counts() AS id",
    "GRANT SELECT ON shop.counting TO PUBLIC",
];

const STATE: &[&str] = &[
    "SELECT last_value, is_called FROM shop.numbers",
    "SELECT count(*) FROM pg_largeobject_metadata",
    "SELECT count(*) FROM shop.orders",
    "SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database \
     WHERE locktype = 'advisory' AND datname = current_database()",
];
