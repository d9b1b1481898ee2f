//! A Postgres with an extension of the name `citus` and functions of its names stands in for it:
//! what runs commands at workers is refused, whatever it says of itself.

use super::told;
use crate::support::raw::rows;
use crate::support::{APP, Options, RawClient, Stack, until};

/// No more than what the catalogs have of it: its library cannot be had here.
const STAND_IN: &[&str] = &[
    "SET allow_system_table_mods = on",
    "INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion) \
     VALUES (99001, 'citus', 10, 'pg_catalog'::regnamespace, false, '12.1-1')",
    "CREATE FUNCTION pg_catalog.master_run_on_worker(text[], int[], text[], boolean) RETURNS text \
     LANGUAGE sql STABLE AS 'SELECT ''ran''::text'",
    "CREATE FUNCTION pg_catalog.run_command_on_workers(text) RETURNS text \
     LANGUAGE sql AS 'SELECT ''ran''::text'",
    "CREATE FUNCTION pg_catalog.citus_version() RETURNS text \
     LANGUAGE sql STABLE AS 'SELECT ''Citus 12.1''::text'",
    "ALTER EXTENSION citus ADD FUNCTION \
     pg_catalog.master_run_on_worker(text[], int[], text[], boolean)",
    "ALTER EXTENSION citus ADD FUNCTION pg_catalog.run_command_on_workers(text)",
    "ALTER EXTENSION citus ADD FUNCTION pg_catalog.citus_version()",
    "CREATE TABLE accounts (id int)",
    "INSERT INTO accounts VALUES (7)",
    "GRANT SELECT ON accounts TO PUBLIC",
];

fn stack(engine: &str) -> Stack {
    let config = format!(
        "upstream:\n  url: {{upstream}}\n  engine: {engine}\nlisten: {{listen}}\n\
         admin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n"
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    stack.prepare(STAND_IN);
    stack
}

#[test]
fn commands_for_workers_are_refused_and_reads_pass() {
    let stack = stack("auto");
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let read = "SELECT id FROM accounts";
    let known = until(|| (rows(&client.query(read)) == ["7"]).then_some(()));
    assert!(known.is_some());
    for call in [
        "master_run_on_worker('{a}', '{1}', '{DROP TABLE t}', true)",
        "pg_catalog.master_run_on_worker('{a}', '{1}', '{DROP TABLE t}', true)",
        "run_command_on_workers('DROP TABLE t')",
    ] {
        let answer = client.query(&format!("SELECT {call}"));
        let error = answer.iter().find(|frame| frame.kind == b'E');
        let error = error.unwrap_or_else(|| panic!("{call}: {answer:?}"));
        assert_eq!(told(error).0, "42501", "{call}");
    }
    assert_eq!(
        rows(&client.query("SELECT citus_version()")),
        ["Citus 12.1"]
    );
    let words = "is Citus, engine citus";
    assert!(until(|| stack.stderr().contains(words).then_some(())).is_some());
}

#[test]
fn it_is_named() {
    let stack = stack("citus");
    RawClient::login(stack.proxied_address(), &stack.login(APP));
    let stack = self::stack("postgres");
    let refused = RawClient::try_login(stack.proxied_address(), &stack.login(APP));
    let (code, message) = told(&refused.err().expect("no session"));
    assert_eq!(code, "08004");
    assert!(message.contains("the database is Citus"), "{message}");
}
